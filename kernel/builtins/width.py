"""How many columns text takes on a terminal."""

from __future__ import annotations

import unicodedata


def character_width(character: str) -> int:
    """0, 1 or 2; -1 for what cannot be shown (control characters, bytes that are no text)."""
    if " " <= character <= "~":
        return 1
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf"):
        return 1 if character == "\xad" else 0
    if category in ("Cc", "Cs", "Cn", "Co"):
        return -1
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def text_width(text: str, utf8: bool = True) -> int:
    """The columns of text as it goes to a terminal: control characters take none, in the C locale nor do bytes over 127."""
    if text.isascii() or not utf8:
        return len(text) if text.isascii() and text.isprintable() else sum([" " <= character <= "~" for character in text])
    width = 0
    for character in text:
        own = character_width(character)
        width += own if own >= 0 else unicodedata.category(character) != "Cc"
    return width


def advance(text: str, column: int) -> tuple[int, int]:
    """Walks over text from a column: (the widest line's columns, the column at the end). Tabs stop at every eighth."""
    widest = column
    for line in _lines(text):
        if line in ("\n", "\r", "\f"):
            column = 0
        elif line == "\t":
            column += 8 - column % 8
        elif line.isascii() and line.isprintable():
            column += len(line)
        else:
            column += sum([max(0, character_width(character)) for character in line])
        widest = max(widest, column)
    return widest, column


def _lines(text: str) -> list[str]:
    import re

    return [piece for piece in re.split(r"([\n\r\f\t])", text) if piece]
