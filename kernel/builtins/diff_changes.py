"""Which lines differ: Myers' comparison as GNU diff does it, so that the same changes are found.

Confusing lines are set aside first, the changed runs are shifted at the end; ``changes`` gives what is left.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_FAR = 1 << 60


class Change:
    """``deleted`` lines from ``first`` on in the old file are ``inserted`` lines from ``second`` on in the new one."""

    __slots__ = ("deleted", "first", "ignored", "inserted", "second")

    def __init__(self, first: int, deleted: int, second: int, inserted: int) -> None:
        self.first = first
        self.deleted = deleted
        self.second = second
        self.inserted = inserted
        self.ignored = False


def changes(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    *,
    minimal: bool = False,
    horizon: int = 0,
    texts: tuple[list[bytes], list[bytes]] | None = None,
) -> list[Change]:
    """The changes from old to new, in order.

    What the files share at their ends is not compared, but for ``horizon`` lines, which a change may be shifted to.
    ``texts`` are the lines themselves where old and new are keys that leave something out: ends are shared in every byte.
    """
    left, right = texts or (old, new)
    start, limit = 0, min(len(left), len(right))
    while start < limit and left[start] == right[start]:
        start += 1
    end = 0
    while end < limit - start and left[-1 - end] == right[-1 - end]:
        end += 1
    start, end = max(start - horizon, 0), max(end - horizon, 0)
    names: dict[Hashable, int] = {}
    files = [[names.setdefault(line, len(names)) for line in each[start : len(each) - end]] for each in (old, new)]
    marks = [[False] * (len(each) + 2) for each in files]  # one more at each end, never set
    kept = [_kept(files[side], files[1 - side], marks[side], minimal) for side in (0, 1)]
    _compare([files[0][at] for at in kept[0]], [files[1][at] for at in kept[1]], kept, marks)
    _shift(files[0], marks[0], marks[1])
    _shift(files[1], marks[1], marks[0])
    return _script(marks, start)


def _script(marks: list[list[bool]], start: int) -> list[Change]:
    found: list[Change] = []
    first = second = 0
    while first < len(marks[0]) - 2 or second < len(marks[1]) - 2:
        before = first, second
        while marks[0][first + 1]:
            first += 1
        while marks[1][second + 1]:
            second += 1
        if (first, second) != before:
            found.append(Change(before[0] + start, first - before[0], before[1] + start, second - before[1]))
        first += 1
        second += 1
    return found


def _kept(lines: list[int], other: list[int], marks: list[bool], minimal: bool) -> list[int]:
    """The lines to compare. Those that the other file lacks, and common ones among them, are marked as changed."""
    counts: dict[int, int] = {}
    for line in other:
        counts[line] = counts.get(line, 0) + 1
    many, rest = 5, len(lines) // 64
    while (rest := rest >> 2) > 0:
        many *= 2
    discards = [1 if not counts.get(line) else 2 if counts[line] > many else 0 for line in lines]
    if not minimal:
        _settle(discards)
    kept = []
    for at, discard in enumerate(discards):
        if minimal or not discard:
            kept.append(at)
        else:
            marks[at + 1] = True
    return kept


def _settle(discards: list[int]) -> None:
    """Provisional discards (2) stand only inside runs of discards that begin and end with others, and not too many."""
    at, end = 0, len(discards)
    while at < end:
        if discards[at] == 2:
            discards[at] = 0
        elif discards[at]:
            stop, provisional = at, 0
            while stop < end and discards[stop]:
                provisional += discards[stop] == 2
                stop += 1
            while stop > at and discards[stop - 1] == 2:
                stop -= 1
                discards[stop] = 0
                provisional -= 1
            length = stop - at
            if provisional * 4 > length:
                discards[at:stop] = [0 if each == 2 else each for each in discards[at:stop]]
            else:
                _thin(discards, at, length)
            at += length - 1
        at += 1


def _thin(discards: list[int], start: int, length: int) -> None:
    minimum, rest = 1, length >> 2
    while (rest := rest >> 2) > 0:
        minimum <<= 1
    minimum += 1
    at = consecutive = 0
    while at < length:
        if discards[start + at] != 2:
            consecutive = 0
        else:
            consecutive += 1
            if consecutive == minimum:
                at -= consecutive
            elif consecutive > minimum:
                discards[start + at] = 0
        at += 1
    for step, begin in ((1, start), (-1, start + length - 1)):
        consecutive = 0
        for at in range(length):
            place = begin + step * at
            if at >= 8 and discards[place] == 1:
                break
            if discards[place] == 2:
                consecutive = discards[place] = 0
            elif not discards[place]:
                consecutive = 0
            else:
                consecutive += 1
            if consecutive == 3:
                break


def _compare(old: list[int], new: list[int], kept: list[list[int]], marks: list[list[bool]]) -> None:
    """Marks what is not in a longest common sequence, dividing at the middle of a shortest path."""
    forward = [0] * (len(old) + len(new) + 3)
    backward = list(forward)
    jobs = [(0, len(old), 0, len(new))]
    while jobs:
        left, right, low, high = jobs.pop()
        while left < right and low < high and old[left] == new[low]:
            left += 1
            low += 1
        while left < right and low < high and old[right - 1] == new[high - 1]:
            right -= 1
            high -= 1
        if left == right:
            for at in range(low, high):
                marks[1][kept[1][at] + 1] = True
        elif low == high:
            for at in range(left, right):
                marks[0][kept[0][at] + 1] = True
        else:
            middle, height = _middle(old, new, (left, right, low, high), forward, backward)
            jobs += [(middle, right, height, high), (left, middle, low, height)]


def _middle(
    old: list[int], new: list[int], box: tuple[int, int, int, int], forward: list[int], backward: list[int]
) -> tuple[int, int]:
    """A point on a shortest path: paths from both corners grow until they meet."""
    left, right, low, high = box
    shift = len(new) + 1  # diagonals may be negative
    least, most = left - high, right - low
    first, last = left - low, right - high
    forward_least = forward_most = first
    backward_least = backward_most = last
    odd = (first - last) & 1
    forward[first + shift] = left
    backward[last + shift] = right
    while True:
        if forward_least > least:
            forward_least -= 1
            forward[forward_least - 1 + shift] = -1
        else:
            forward_least += 1
        if forward_most < most:
            forward_most += 1
            forward[forward_most + 1 + shift] = -1
        else:
            forward_most -= 1
        for diagonal in range(forward_most, forward_least - 1, -2):
            below, above = forward[diagonal - 1 + shift], forward[diagonal + 1 + shift]
            at = above if below < above else below + 1
            other = at - diagonal
            while at < right and other < high and old[at] == new[other]:
                at += 1
                other += 1
            forward[diagonal + shift] = at
            if odd and backward_least <= diagonal <= backward_most and backward[diagonal + shift] <= at:
                return at, other
        if backward_least > least:
            backward_least -= 1
            backward[backward_least - 1 + shift] = _FAR
        else:
            backward_least += 1
        if backward_most < most:
            backward_most += 1
            backward[backward_most + 1 + shift] = _FAR
        else:
            backward_most -= 1
        for diagonal in range(backward_most, backward_least - 1, -2):
            below, above = backward[diagonal - 1 + shift], backward[diagonal + 1 + shift]
            at = below if below < above else above - 1
            other = at - diagonal
            while at > left and other > low and old[at - 1] == new[other - 1]:
                at -= 1
                other -= 1
            backward[diagonal + shift] = at
            if not odd and forward_least <= diagonal <= forward_most and at <= forward[diagonal + shift]:
                return at, other


def _shift(lines: list[int], marks: list[bool], other: list[bool]) -> None:
    """Moves each changed run as far down as equal lines allow, merging runs, then back to a change of the other file."""
    at = j = 0
    end = len(lines)
    changed = marks  # index + 1
    while True:
        while at < end and not changed[at + 1]:
            while other[j + 1]:
                j += 1
            j += 1
            at += 1
        if at == end:
            return
        start = at
        at += 1
        while changed[at + 1]:
            at += 1
        while other[j + 1]:
            j += 1
        while True:
            length = at - start
            while start and lines[start - 1] == lines[at - 1]:
                start -= 1
                changed[start + 1] = True
                at -= 1
                changed[at + 1] = False
                while changed[start]:
                    start -= 1
                j -= 1
                while other[j + 1]:
                    j -= 1
            corresponding = at if other[j] else end
            while at != end and lines[start] == lines[at]:
                changed[start + 1] = False
                start += 1
                changed[at + 1] = True
                at += 1
                while changed[at + 1]:
                    at += 1
                j += 1
                while other[j + 1]:
                    corresponding = at
                    j += 1
            if length == at - start:
                break
        while corresponding < at:
            start -= 1
            changed[start + 1] = True
            at -= 1
            changed[at + 1] = False
            j -= 1
            while other[j + 1]:
                j -= 1
