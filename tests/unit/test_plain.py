"""Plain text: tables and sections line up by columns of a terminal."""

from __future__ import annotations

from kernel.present.plain import draw, table
from kernel.present.section import Section


def test_tables_line_up() -> None:
    assert table([("A", "B", "C"), ("long one", "x", "y")]) == "A         B  C\nlong one  x  y\n"
    assert table([("NAME", "SAID"), ("漢字漢", "wide"), ("e\u0301", "combining"), ("a\x1bb", "escaped\n")]) == (
        "NAME    SAID\n漢字漢  wide\ne\u0301       combining\na\\x1bb  escaped\\n\n"
    )
    assert table([("A", "")]) == "A  \n"


def test_sections() -> None:
    text = draw(
        [
            Section("", ["no title"]),
            Section("rows", [("term", "said"), ("longer term", "more " * 10), ("x" * 40, "beside a long one"), ("alone", "")]),
            Section("lines", ["one", "    indented " + "word " * 6]),
        ],
        width=40,
    )
    assert text.splitlines() == [
        "no title",
        "",
        "rows",
        "  term         said",
        "  longer term  more more more more more",
        "               more more more more more ",
        "  " + "x" * 40,
        "               beside a long one",
        "  alone",
        "",
        "lines",
        "  one",
        "      indented word word word word word",
        "      word ",
    ]
