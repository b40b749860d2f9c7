"""Colours of JSON text: which, where; nothing else is changed, however the text is cut into pieces."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.shell.json_colours import COLOURS, KINDS, Painter, chosen

CODE = re.compile(rb"\x1b\[([0-9;]*)m")
STANDARD = {kind: f"\x1b[0;{text}m".encode() for kind, text in zip(KINDS, COLOURS)}
OTHER = {kind: f"\x1b[0;4;{30 + number}m".encode() for number, kind in enumerate(KINDS)}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def painted(pieces: list[bytes], colours: dict[str, bytes] = STANDARD) -> tuple[list[tuple[bytes, bytes]], bool]:
    """Each byte with the colour that it has on a terminal, and whether colouring was given up."""
    painter = Painter(colours)
    text = b"".join([painter.paint(piece) for piece in pieces]) + painter.end()
    found, colour, at = [], b"", 0
    while at < len(text):
        code = CODE.match(text, at)
        if code and not painter.plain:
            colour = b"" if code[1] == b"0" else code[0]
            at = code.end()
        else:
            found.append((text[at : at + 1], colour))
            at += 1
    assert colour == b"", "a colour is left on"
    return found, painter.plain


def cut(text: bytes, places: list[int]) -> list[bytes]:
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)]) if end > start]


def test_each_kind_has_its_colour() -> None:
    text = b'{"k": [1, -2.5e3, "s\\"", true, false, null, {}]}\n'
    found, plain = painted([text])
    assert not plain
    at = {name: found[text.index(name)][1] for name in (b"k", b"1", b"-2", b's\\"', b"true", b"false", b"null")}
    kinds = ("key", "number", "number", "string", "true", "false", "null")
    assert list(at.values()) == [STANDARD[kind] for kind in kinds]
    found, _ = painted([text], OTHER)
    assert (found[0][1], found[6][1], found[text.index(b"{}")][1]) == (OTHER["record"], OTHER["list"], OTHER["record"])


@given(
    st.lists(VALUES, min_size=1, max_size=3), st.lists(st.integers(0, 10**6), max_size=6), st.sampled_from([None, 2]), st.booleans()
)
def test_json_is_coloured_alike_however_it_comes(values: list[object], places: list[int], indent: int | None, ascii: bool) -> None:
    text = "".join([json.dumps(value, indent=indent, ensure_ascii=ascii) + "\n" for value in values]).encode("utf-8", "replace")
    whole = painted([text], OTHER)
    assert not whole[1]
    assert b"".join([byte for byte, _ in whole[0]]) == text
    pieces, _ = painted(cut(text, places), OTHER)
    assert [(byte, colour) for byte, colour in pieces if byte != b" " and byte != b"\n"] == [
        (byte, colour) for byte, colour in whole[0] if byte != b" " and byte != b"\n"
    ]


@given(st.binary(max_size=40), st.lists(st.integers(0, 10**6), max_size=6))
def test_no_byte_of_anything_is_changed(text: bytes, places: list[int]) -> None:
    painter = Painter(STANDARD)
    shown = b"".join([painter.paint(piece) for piece in cut(text, places)]) + painter.end()
    for code in {*STANDARD.values(), b"\x1b[0m"}:
        shown = shown.replace(code, b"")
    assert shown == text


@pytest.mark.parametrize(
    "text",
    [
        b"hello\n",
        b"true story\n",
        b"2024-01-01\n",
        b"tru\n",
        b"[1, 2]]\n",
        b'{"a": \x1b[1m1}\n',
        b"\xff\n",
        b"01\n",
        b":\n",
        b'"a\tb"\n',
    ],
)
def test_what_is_no_json_stays_plain(text: bytes) -> None:
    painter = Painter(STANDARD)
    assert painter.paint(text) + painter.end() == text
    assert painter.paint(b"{}\n") == b"{}\n"


def test_jqs_own_variable_chooses_the_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JQ_COLORS", "0;90:0;31")
    assert chosen() == {**STANDARD, "null": b"\x1b[0;0;90m", "false": b"\x1b[0;0;31m"}
    for wrong in ("red", ":".join(["1"] * 9), ""):
        monkeypatch.setenv("JQ_COLORS", wrong)
        assert chosen() == STANDARD
