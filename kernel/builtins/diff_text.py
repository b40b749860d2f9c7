"""How diff writes changes: the normal, unified and context forms."""

from __future__ import annotations

from kernel.builtins.guard import raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.builtins.diff_changes import Change

    Lines = list[bytes]  # each with its newline, the last perhaps without

NO_NEWLINE = b"\n\\ No newline at end of file\n"


def line(mark: bytes, text: bytes) -> bytes:
    """A line behind its mark; where its newline is missing, that is said."""
    return mark + text if text.endswith(b"\n") else mark + text + NO_NEWLINE


def normal(old: Lines, new: Lines, found: list[Change]) -> Iterator[bytes]:
    """`2c2`, `< old`, `---`, `> new`."""
    for change in found:
        if change.ignored:
            continue
        letter = "c" if change.deleted and change.inserted else "d" if change.deleted else "a"
        yield raw(f"{_range(change.first, change.deleted)}{letter}{_range(change.second, change.inserted)}\n")
        for text in old[change.first : change.first + change.deleted]:
            yield line(b"< ", text)
        if letter == "c":
            yield b"---\n"
        for text in new[change.second : change.second + change.inserted]:
            yield line(b"> ", text)


def _range(start: int, count: int) -> str:
    """Lines counted from 1; of no lines, the one before."""
    return f"{start + 1},{start + count}" if count > 1 else str(start + (count == 1))


def hunks(found: list[Change], context: int) -> Iterator[list[Change]]:
    """Changes whose context would touch, together; those that are all ignored are left out."""
    hunk: list[Change] = []
    for change in found:
        if hunk:
            gap = change.first - (hunk[-1].first + hunk[-1].deleted)
            if gap >= (context if change.ignored else 2 * context + 1):
                if not all(each.ignored for each in hunk):
                    yield hunk
                hunk = []
        hunk.append(change)
    if hunk and not all(each.ignored for each in hunk):
        yield hunk


def _extent(hunk: list[Change], context: int, old: Lines, new: Lines) -> tuple[int, int, int, int]:
    """First and last line of the hunk with its context, in both files; the last is not part of it."""
    last = hunk[-1]
    before = min(context, hunk[0].first, hunk[0].second)
    behind = min(context, len(old) - last.first - last.deleted, len(new) - last.second - last.inserted)
    return (
        hunk[0].first - before,
        last.first + last.deleted + behind,
        hunk[0].second - before,
        last.second + last.inserted + behind,
    )


def unified(old: Lines, new: Lines, found: list[Change], context: int) -> Iterator[bytes]:
    """`@@ -1,3 +1,4 @@` and the lines of both files, marked ` `, `-` and `+`."""
    for hunk in hunks(found, context):
        first, last, second, end = _extent(hunk, context, old, new)
        yield raw(f"@@ -{_counted(first, last)} +{_counted(second, end)} @@\n")
        at = first
        for change in hunk:
            for text in old[at : change.first]:
                yield line(b" ", text)
            for text in old[change.first : change.first + change.deleted]:
                yield line(b"-", text)
            for text in new[change.second : change.second + change.inserted]:
                yield line(b"+", text)
            at = change.first + change.deleted
        for text in old[at:last]:
            yield line(b" ", text)


def _counted(start: int, end: int) -> str:
    count = end - start
    return str(start + 1) if count == 1 else f"{start + (count > 0)},{count}"


def context_form(old: Lines, new: Lines, found: list[Change], context: int) -> Iterator[bytes]:
    """`*** 1,3 ****`, the old lines, `--- 1,4 ----`, the new ones; a side without changes shows no lines."""
    for hunk in hunks(found, context):
        first, last, second, end = _extent(hunk, context, old, new)
        yield raw(f"***************\n*** {_span(first, last)} ****\n")
        if any(change.deleted for change in hunk):
            yield from _side(old, first, last, [(each.first, each.deleted, b"! " if each.inserted else b"- ") for each in hunk])
        yield raw(f"--- {_span(second, end)} ----\n")
        if any(change.inserted for change in hunk):
            yield from _side(new, second, end, [(each.second, each.inserted, b"! " if each.deleted else b"+ ") for each in hunk])


def _span(start: int, end: int) -> str:
    return f"{start + 1},{end}" if end > start + 1 else str(end)


def _side(lines: Lines, start: int, end: int, parts: list[tuple[int, int, bytes]]) -> Iterator[bytes]:
    at = start
    for first, count, mark in parts:
        for text in lines[at:first]:
            yield line(b"  ", text)
        for text in lines[first : first + count]:
            yield line(mark, text)
        at = first + count
    for text in lines[at:end]:
        yield line(b"  ", text)
