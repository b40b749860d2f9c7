"""tac: records of files, last first."""

from __future__ import annotations

import os
import re
import tempfile

from kernel.builtins.guard import Failure, InputError, guarded, raw, reason
from kernel.builtins.lines import for_each_input, read
from kernel.builtins.posix_regex import RegexError, parse
from kernel.builtins.regex_match import Matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernel.bound import Bound
    from kernel.builtins.io import Io

SIZE = 65536
WORDING = ("failed to open %s for reading", "error reading %s")


def usage(bound: Bound) -> None:
    """Failure for a regular expression that is none."""
    if bound.values["regex"]:
        _expression(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read."""
    values = bound.values
    before = bool(values["before"])
    separator = raw(values.get("separator", "\n")) or b"\0"
    pattern = _expression(bound) if values["regex"] else None

    def work(name: str, descriptor: int) -> None:
        source = _seekable(io, descriptor)
        try:
            if pattern is None:
                by_text(io, source, separator, before)
            else:
                by_expression(io, source, pattern, before)
        finally:
            if source != descriptor:
                os.close(source)

    return for_each_input(io, values["files"], work, wording=WORDING)


def by_text(io: Io, descriptor: int, separator: bytes, before: bool) -> None:
    """Blocks from the end of the file; memory holds one record, or one block where that is more."""
    tail = b""  # a record whose beginning is not seen yet
    least = [0]
    for block in _backwards(io, descriptor, least):
        data = block + tail
        marks = _marks(data, separator, len(block) + len(separator) - 1)
        end = len(data)
        for mark in marks:
            cut = mark if before else mark + len(separator)
            if cut < end or (before and cut == end):
                io.write(data[cut:end])
                end = cut
        tail = data[:end]
        least[0] = len(tail)
    io.write(tail)


def _marks(data: bytes, separator: bytes, below: int) -> Iterator[int]:
    """Where separators begin, the last first, none overlapping another; those from ``below`` on were seen before."""
    limit = min(len(data), below)
    while True:
        at = data.rfind(separator, 0, limit)
        if at < 0:
            return
        yield at
        limit = at


def _expression(bound: Bound) -> re.Pattern[str]:
    """The separator as an expression over bytes."""
    if bound.values.get("separator") == "":
        raise Failure("separator cannot be empty", param="separator")
    try:
        node = parse(raw(bound.values.get("separator", "\n")).decode("latin-1"), extended=False)
    except RegexError as error:
        raise Failure(str(error), param="separator") from None
    return re.compile(Matcher(node, utf8=False, fold=False, newline="\n").source(node), re.MULTILINE | re.ASCII)


def by_expression(io: Io, descriptor: int, pattern: re.Pattern[str], before: bool) -> None:
    """The whole of the file is held: an expression may match anything."""
    text = b"".join(reversed(list(_backwards(io, descriptor)))).decode("latin-1")
    end = len(text)
    at = len(text) - 1
    past = len(text)  # a match ends before the one behind it begins
    while at >= 0:
        match = pattern.match(text, at, past)
        if match is not None:
            cut = match.start() if before else match.end()
            if cut < end or before:
                io.write(text[cut:end].encode("latin-1"))
                end = cut
            past = at
        at -= 1
    io.write(text[:end].encode("latin-1"))


def _backwards(io: Io, descriptor: int, least: Sequence[int] = (0,)) -> Iterator[bytes]:
    """Blocks, the last first; each of at least ``least[0]`` bytes, so that a long record is not put together of many."""
    end = at = os.lseek(descriptor, 0, os.SEEK_END)
    while at > 0:
        if io.watch is not None:
            io.watch.at(descriptor, end - at)
        size = min(at, max(at % SIZE or SIZE, least[0]))
        at -= size
        try:
            yield os.pread(descriptor, size, at)
        except OSError as error:
            raise InputError(reason(error)) from None


def _seekable(io: Io, descriptor: int) -> int:
    """The descriptor itself where it is a file; else one of an unnamed file with all that it gives."""
    try:
        os.lseek(descriptor, 0, os.SEEK_END)
        if not os.isatty(descriptor):
            return descriptor
    except OSError:
        pass
    with tempfile.TemporaryFile(dir=io.env.get("TMPDIR") or None) as file:
        while chunk := read(descriptor):
            file.write(chunk)
        file.flush()
        return os.dup(file.fileno())
