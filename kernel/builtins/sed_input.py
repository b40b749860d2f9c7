"""What sed reads: records over all files, one looked ahead at so that the last is known; and what it writes to."""

from __future__ import annotations

import os

from kernel.builtins.guard import Failure, InputError, reason
from kernel.builtins.lines import SIZE, close_input, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.builtins.io import Io

    Record = tuple[bytes, bool]  # without its end, and whether it had one


class Input:
    """Records one after another. ``number`` counts them; ``name`` is the file's; ``failed`` says that a file was not read."""

    def __init__(self, io: Io, files: list[str], end: bytes, *, separate: bool, unbuffered: bool) -> None:
        self.io = io
        self.files = list(reversed(files or ["-"]))
        io.expect(files or ["-"])
        self.end = end
        self.separate = separate
        self.unbuffered = unbuffered
        self.number = 0
        self.name = "-"
        self.failed = False
        self.ahead: list[Record] = []
        self.records: Iterator[Record] | None = None
        self.descriptor = -1
        self.unread = 0  # bytes of stdin that were read and not yet used

    def next(self) -> Record | None:
        """The next record, None behind the last of all files."""
        if not self.ahead and not self.look(across=True):
            return None
        self.number += 1
        return self.ahead.pop()

    def is_last(self) -> bool:
        """Whether no record follows: in this file where files are separate, else in any."""
        return not self.ahead and not self.look(across=not self.separate)

    def look(self, *, across: bool) -> bool:
        """Reads one record ahead; whether there is one. Goes on to the next file only ``across`` files."""
        while True:
            if self.records is not None:
                try:
                    record = next(self.records, None)
                except InputError as error:
                    self.io.complain(f"read error on {self.name}: {error}")
                    self.failed = True
                    record = None
                if record is not None:
                    self.ahead.append(record)
                    return True
                self.close()
            if not across or not self.files:
                return False
            self.open(self.files.pop())

    def open(self, name: str) -> None:
        """Begins a file; one that cannot be read is complained about."""
        self.name = name
        if self.separate:
            self.number = 0
        if name == "-":
            self.descriptor = self.io.stdin
        else:
            path = self.io.path(name)
            try:
                if os.path.isdir(path):
                    raise Failure(f"read error on {name}: Is a directory", 4)
                self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                self.io.complain(f"can't read {name}: {reason(error)}")
                self.failed = True
                return
        self.io.begin(name, self.descriptor)
        self.records = self.read_records(self.descriptor)

    def close(self) -> None:
        self.records = None
        if self.descriptor >= 0:
            close_input(self.io, self.descriptor)
            self.descriptor = -1

    def read_records(self, descriptor: int) -> Iterator[Record]:
        kept: list[bytes] = []
        terminal = os.isatty(self.io.stdout)
        while True:
            if terminal or self.unbuffered:
                self.io.flush()
            chunk = read(descriptor, 1 if self.unbuffered else SIZE)
            if not chunk:
                break
            parts = chunk.split(self.end)
            self.unread = len(chunk)
            if len(parts) == 1:
                kept.append(chunk)
                continue
            if kept:
                parts[0] = b"".join(kept) + parts[0]
                self.unread += len(parts[0])
                kept.clear()
            last = parts.pop()
            for part in parts:
                self.unread -= len(part) + 1
                yield part, True
            if last:
                kept.append(last)
        self.unread = 0
        if kept:
            yield b"".join(kept), False

    def give_back(self) -> None:
        """Leaves stdin, where it can seek, behind the last record that was used, for who reads on."""
        over = self.unread + sum([len(text) + ended for text, ended in self.ahead])
        if self.descriptor == self.io.stdin and self.records is not None and over:
            try:
                os.lseek(self.io.stdin, -over, os.SEEK_CUR)
            except OSError:
                pass


class Output:
    """A place that records are written to; an end that the last one lacked is added before the next."""

    def __init__(self, io: Io, descriptor: int, *, buffered: bool) -> None:
        self.io = io
        self.descriptor = descriptor
        self.buffered = buffered
        self.missing = b""

    def write(self, data: bytes, end: bytes = b"", *, ended: bool = True) -> None:
        data = self.missing + data
        self.missing = b""
        if ended:
            data += end
        else:
            self.missing = end
        if self.buffered:
            self.io.write(data)
        else:
            self.io.put(self.descriptor, data)
