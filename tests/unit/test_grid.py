"""Tables for a terminal: columns and sides where there is room, folded cells and blocks where there is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.present.grid import NARROWEST, draw, folded, shared_out
from kernel.present.printable import columns, printable

HEADER = ["id", "name", "says"]
ROWS = [["1", "apple", "a long text of many words"], ["20", "", "日本"]]


def test_one_line_a_row_where_there_is_room() -> None:
    assert draw(HEADER, ROWS, 80, right=[True, False, False]) == (
        "id  name   says\n 1  apple  a long text of many words\n20         日本\n"
    )
    assert draw(["n\x1b"], [["a\tb"]], 80) == "n\\x1b\na\\tb\n"
    assert draw(["a", "b"], [], 80) == "a  b\n"


def test_the_widest_column_is_folded_at_blanks() -> None:
    assert draw(HEADER, ROWS, 30, right=[True, False, False]) == (
        "id  name   says\n 1  apple  a long text of many\n           words\n20         日本\n"
    )


def test_rows_are_blocks_where_columns_would_be_too_narrow() -> None:
    assert draw(HEADER, ROWS, 20) == ("id    1\nname  apple\nsays  a long text of\n      many words\n\nid    20\nsays  日本\n")


def test_colours_stand_round_the_text_alone() -> None:
    text = draw(
        ["a", "b"], [["x", "read"], ["yy", "z"]], 80, styles={"read": "green"}, paint=lambda text, style: f"<{style}:{text}>"
    )
    assert text == "<bold:a>   <bold:b>\n<:x>   <green:read>\n<:yy>  <:z>\n"


@pytest.mark.parametrize(
    ("wanted", "room", "found"),
    [
        ([3, 4], 7, [3, 4]),
        ([5, 100], 40, [5, 35]),
        ([60, 5, 60], 66, [31, 5, 30]),
        ([100, 100, 100], 50, [17, 17, 16]),
        ([NARROWEST, 99, 4], 2 * NARROWEST + 4, [NARROWEST, NARROWEST, 4]),
        ([99, 99], 2 * NARROWEST - 1, []),
    ],
)
def test_the_widths_of_columns(wanted: list[int], room: int, found: list[int]) -> None:
    assert shared_out(wanted, room) == found


TEXTS = st.text(st.sampled_from("ab 日é\u0301\n"), max_size=60)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 6).flatmap(lambda count: st.lists(st.lists(TEXTS, min_size=count, max_size=count), min_size=2, max_size=4)))
def test_nothing_is_left_out_and_nothing_is_too_wide(rows: list[list[str]]) -> None:
    for width in (200, 60, 34):
        lines = draw(rows[0], rows[1:], width).split("\n")
        assert max(map(columns, lines)) <= width
        for character in "ab日":
            wanted = [printable(cell).count(character) for row in rows[1:] for cell in row]
            assert sum(line.count(character) for line in lines) >= sum(wanted)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(2, 20))
def test_folded_lines_make_up_the_text(text: str, width: int) -> None:
    text = printable(text)
    lines = folded(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(columns, lines)) <= width
    assert text.count(" ") - "".join(lines).count(" ") <= len(lines)
