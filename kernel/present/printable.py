"""Text from outside made safe to show, and the columns it takes on a terminal."""

from __future__ import annotations

# not printable to Python, harmless to a terminal: blanks of other widths, and the joiners that emoji and scripts need
_HARMLESS = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\u200c\u200d"
)
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def printable(text: str) -> str:
    """Text on one line: control, bidi and invisible characters as escapes (`\\x1b`), bytes that are no text as U+FFFD."""
    return text if text.isprintable() else "".join([_shown(character) for character in text])


def _shown(character: str) -> str:
    if character.isprintable() or character in _HARMLESS:
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    named = _NAMED.get(character)
    if named is not None:
        return named
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def paragraphs(text: str) -> list[str]:
    """The lines of a text of several lines, each printable."""
    return [printable(line) for line in text.split("\n")]


def columns(text: str) -> int:
    """How many terminal columns a printable text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    total = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        total += 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
    return total


def shortened(text: str, limit: int) -> str:
    """A text of at most `limit` characters, cut in the middle with `…`."""
    if len(text) <= limit:
        return text
    head = (limit - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def wrapped(text: str, width: int) -> list[str]:
    """A printable text broken at blanks into lines of at most `width` columns; a longer word stands alone."""
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        size = columns(word)
        if line and used + 1 + size > width:
            lines.append(line)
            line, used = word, size
        elif line:
            line, used = f"{line} {word}", used + 1 + size
        else:
            line, used = word, size
    lines.append(line)
    return lines
