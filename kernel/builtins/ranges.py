"""Lists of positions: `1,3-5,7-`."""

from __future__ import annotations

import re

from kernel.builtins.guard import Failure
from kernel.builtins.quoting import quoted

ENDLESS = 2**63  # longer than any line
TOO_LARGE = 2**64 - 1
_PART = re.compile(r"(\d*)(-?)(\d*)$", re.ASCII)


def parse_ranges(text: str, what: str) -> list[tuple[int, int]]:
    """Inclusive ranges, 1-based, in order, overlapping ones joined. ``what`` is `field` or `byte/character` for messages."""
    out: list[tuple[int, int]] = []
    for part in re.split("[, \t]", text):
        found = _PART.match(part)
        if found is None:
            raise Failure(f"invalid {what}{' value' if what == 'field' else ' position'} {quoted(part)}")
        low, dash, high = found.groups()
        if dash and not low and not high:
            raise Failure("invalid range with no endpoint: -")
        first, last = number(low, "1" if dash else "0", what), number(high, str(ENDLESS), what) if dash else 0
        if not dash:
            last = first
        if not first or not last:
            raise Failure(f"{what}s are numbered from 1" if what == "field" else "byte/character positions are numbered from 1")
        if last < first:
            raise Failure("invalid decreasing range")
        out.append((first, last))
    return joined(out)


def number(text: str, default: str, what: str) -> int:
    digits = (text or default).lstrip("0") or "0"
    if len(digits) > 20 or int(digits) >= TOO_LARGE:
        raise Failure(f"{'field number' if what == 'field' else 'byte/character offset'} {quoted(text)} is too large")
    return min(int(digits), ENDLESS)


def joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return out


def complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The positions that no range holds."""
    out: list[tuple[int, int]] = []
    start = 1
    for first, last in ranges:
        if start < first:
            out.append((start, first - 1))
        start = last + 1
    if start <= ENDLESS:
        out.append((start, ENDLESS))
    return out
