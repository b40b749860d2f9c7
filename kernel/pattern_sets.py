"""Sets of characters as sorted ranges of code points, and those that ECMA-262 names."""

from __future__ import annotations

Ranges = tuple[tuple[int, int], ...]  # sorted, apart from each other, both ends inside

_LAST = 0x10FFFF


def merged(ranges: list[tuple[int, int]]) -> Ranges:
    """Ranges in any order as a set."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: Ranges) -> Ranges:
    """All characters that are not in a set."""
    found = []
    start = 0
    for low, high in ranges:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    return (*found, (start, _LAST)) if start <= _LAST else tuple(found)


def single(character: str) -> Ranges:
    """The set of one character."""
    return ((ord(character), ord(character)),)


def holds(ranges: Ranges, code: int) -> bool:
    """Whether a character is in a set."""
    return any(low <= code <= high for low, high in ranges)


def overlap(one: Ranges, other: Ranges) -> bool:
    """Whether two sets share a character."""
    return any(low <= last and first <= high for low, high in one for first, last in other)


_DIGITS: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_BLANKS: Ranges = (
    (0x9, 0xD),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
ANY_BUT_LINE_ENDS = complement(((0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029)))


def named_set(letter: str) -> Ranges:
    """The set of `\\d`, `\\w`, `\\s` or, in upper case, of all others."""
    ranges = {"d": _DIGITS, "w": WORD, "s": _BLANKS}[letter.lower()]
    return ranges if letter.islower() else complement(ranges)
