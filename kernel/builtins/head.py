"""head: the first lines or bytes of files, or all but the last."""

from __future__ import annotations

import os
from collections import deque

from kernel.builtins import sizes
from kernel.builtins.guard import Failure, guarded, last_given
from kernel.builtins.lines import CANNOT_OPEN, SIZE, blocks, for_each_input, read
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for a count that is none."""
    _asked(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read, 2 for a count that is none."""
    values = bound.values
    unit, count, but_last = _asked(bound)
    end = b"\0" if values["zero_terminated"] else b"\n"
    headers = Headers(bound, io, values["files"])
    if not but_last:
        io.tell_nothing()  # it ends somewhere within the files

    def work(name: str, descriptor: int) -> None:
        headers.show(name)
        if unit == "bytes":
            (all_but_bytes if but_last else first_bytes)(io, descriptor, count)
        elif but_last:
            all_but_lines(io, descriptor, count, end)
        else:
            first_lines(io, descriptor, count, end)

    return for_each_input(io, values["files"], work, wording=CANNOT_OPEN)


def _asked(bound: Bound) -> tuple[str, int, bool]:
    """What is counted, how much of it, and whether that is what is left out at the end."""
    unit = last_given(bound, "lines", "bytes", "number") or "lines"
    text = str(bound.values.get(unit, "10"))
    return unit, parse_count(text, unit), text[:1] == "-"


def parse_count(text: str, unit: str) -> int:
    """A count as head and tail read it, without its sign. Failure for what is none."""
    count = sizes.parse_count(text.removeprefix("-"))
    if count is None or count >= 2**64:
        why = ": Value too large for defined data type" if count else ""
        raise Failure(f"invalid number of {'bytes' if unit == 'bytes' else 'lines'}: {quoted(text)}{why}", param=unit)
    return count


class Headers:
    """`==> name <==` above each file's part: with several files, or when asked for (shared with tail)."""

    def __init__(self, bound: Bound, io: Io, files: list[str]) -> None:
        asked = last_given(bound, "verbose", "quiet")
        self.io = io
        self.wanted = asked == "verbose" or (asked != "quiet" and len(files) > 1)
        self.first = True

    def show(self, name: str) -> None:
        if self.wanted:
            title = "standard input" if name == "-" else name
            lead = "" if self.first else "\n"
            self.io.write(f"{lead}==> {title} <==\n".encode("utf-8", "surrogateescape"))
            self.first = False


def first_bytes(io: Io, descriptor: int, count: int) -> None:
    while count > 0:
        chunk = read(descriptor, min(count, SIZE))
        if not chunk:
            break
        io.write(chunk)
        count -= len(chunk)


def first_lines(io: Io, descriptor: int, count: int, end: bytes) -> None:
    """What was read too far is given back where the input can seek, so that the next reader starts there."""
    while count > 0:
        chunk = read(descriptor, SIZE)
        if not chunk:
            return
        found = chunk.count(end)
        if found < count:
            count -= found
            io.write(chunk)
            continue
        at = 0
        for _ in range(count):
            at = chunk.index(end, at) + 1
        io.write(chunk[:at])
        if at < len(chunk):
            try:
                os.lseek(descriptor, at - len(chunk), os.SEEK_CUR)
            except OSError:
                pass
        return


def all_but_bytes(io: Io, descriptor: int, count: int) -> None:
    held: deque[bytes] = deque()
    size = 0
    while chunk := read(descriptor):
        held.append(chunk)
        size += len(chunk)
        while held and size - len(held[0]) >= count:
            size -= len(held[0])
            io.write(held.popleft())
    if held and size > count:
        io.write(b"".join(held)[: size - count])


def all_but_lines(io: Io, descriptor: int, count: int, end: bytes) -> None:
    held: deque[tuple[bytes, int]] = deque()
    lines = 0
    for block in blocks(io, descriptor, end):
        found = block.count(end) + (block[-1:] != end)
        held.append((block, found))
        lines += found
        while held and lines - held[0][1] >= count:
            ready, found = held.popleft()
            lines -= found
            io.write(ready)
    rest = b"".join([block for block, _ in held])
    at = 0
    for _ in range(lines - count):
        at = rest.find(end, at) + 1
        if not at:
            at = len(rest)
            break
    io.write(rest[:at])
