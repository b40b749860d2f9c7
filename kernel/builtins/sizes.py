"""Sizes as GNU programs read and show them: `10`, `2kB`, `1M`, `3GiB`; `1.5K` for people."""

from __future__ import annotations

LETTERS = "KMGTPEZYRQ"


def parse_size(text: str) -> int | None:
    """Digits and a multiplier: `b` 512, `K`/`KiB` 1024, `kB`/`KB` 1000, and so on to `Y`. None when it is no size."""
    digits = 0
    while digits < len(text) and text[digits] in "0123456789":
        digits += 1
    if not digits or digits > 4000:
        return None
    number, suffix = int(text[:digits]), text[digits:]
    if not suffix:
        return number
    if suffix == "b":
        return number * 512
    letter = suffix[0].upper() if suffix[0] in "km" else suffix[0]
    power = LETTERS.find(letter) + 1
    if not power:
        return None
    if suffix[1:] in ("", "iB"):
        return int(number * 1024**power)
    if suffix[1:] == "B":
        return int(number * 1000**power)
    return None


def parse_count(text: str) -> int | None:
    """The same as programs read it in their words: blanks and a `+` may stand before the digits; `k` alone is `1k`."""
    text = text.lstrip(" \t\n\v\f\r")
    return parse_size(text[1:] if text[:1] == "+" else text if text[:1].isdigit() or not text else "1" + text)


def human(size: int, base: int = 1024) -> str:
    """A size for people, rounded up as GNU does: `999`, `1.1K`, `12M`."""
    if size < base:
        return str(size)
    power = 1
    while size >= base ** (power + 1) and power < len(LETTERS):
        power += 1
    unit = base**power
    letter = "k" if base == 1000 and power == 1 else LETTERS[power - 1]
    tenths = -(-size * 10 // unit)
    if tenths < 100:
        return f"{tenths // 10}.{tenths % 10}{letter}"
    whole = -(-size // unit)
    if whole >= base and power < len(LETTERS):
        letter = LETTERS[power]
        return f"1.0{letter}"
    return f"{whole}{letter}"
