"""cat: files one after another, with marks for what cannot be seen."""

from __future__ import annotations

import os

from kernel.builtins.guard import InputError, guarded
from kernel.builtins.lines import chunks, for_each_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

SPLICED = 1 << 20  # bytes that are moved at once


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read."""
    view = View(bound, io)
    work = view.show if view.is_needed else view.copy
    status = for_each_input(io, bound.values["files"], work)
    view.finish()
    return status or view.status


def visible_bytes() -> list[bytes]:
    """Every byte in ^ and M- notation, line feed and tab left alone."""
    table = []
    for byte in range(256):
        prefix, low = (b"M-", byte - 128) if byte >= 128 else (b"", byte)
        if low < 32:
            table.append(prefix + b"^" + bytes([low + 64]))
        else:
            table.append(prefix + (b"^?" if low == 127 else bytes([low])))
    table[9], table[10] = b"\t", b"\n"
    return table


class View:
    """The state that goes on from file to file: the line number, whether a line is open, empty lines seen."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        everything = values["show_all"]
        self.io = io
        self.ends = everything or values["show_ends"] or values["ends_and_nonprinting"]
        self.tabs = everything or values["show_tabs"] or values["tabs_and_nonprinting"]
        self.codes = everything or values["show_nonprinting"] or values["ends_and_nonprinting"] or values["tabs_and_nonprinting"]
        self.not_blank = values["number_nonblank"]
        self.number = values["number"] or self.not_blank
        self.squeeze = values["squeeze_blank"]
        self.is_needed = bool(self.ends or self.tabs or self.codes or self.number or self.squeeze)
        self.count = 0
        self.open_line = False
        self.pending_return = False
        self.was_empty = False
        self.status = 0
        if self.codes:
            import re

            table = visible_bytes()
            if self.tabs:
                table[9] = b"^I"
            self.table = table
            self.hidden = re.compile(b"[^ -~]+" if self.tabs else b"[^\t -~]+")

    def copy(self, name: str, descriptor: int) -> None:
        """The bytes as they come. A file that is its own output would never end: it is refused."""
        if self.is_output(descriptor):
            raise InputError("input file is output file")
        self.io.flush()
        self.spliced(descriptor)
        for chunk in chunks(self.io, descriptor):
            self.io.write(chunk)
            self.io.flush()

    def spliced(self, descriptor: int) -> None:
        """Lets the system move the bytes where one end is a pipe; what it does not move is left to be copied."""
        splice = getattr(os, "splice", None) if self.io.watch is None else None  # Linux
        try:
            while splice is not None and splice(descriptor, self.io.stdout, SPLICED):
                pass
        except BrokenPipeError:
            raise
        except OSError:
            pass  # neither end is a pipe, or one of them cannot: copying says what is wrong

    def is_output(self, descriptor: int) -> bool:
        import stat

        try:
            source, target = os.fstat(descriptor), os.fstat(self.io.stdout)
        except OSError:
            return False
        if not stat.S_ISREG(target.st_mode) or not os.path.samestat(source, target):
            return False
        return os.lseek(descriptor, 0, os.SEEK_CUR) < target.st_size

    def show(self, name: str, descriptor: int) -> None:
        if self.is_output(descriptor):
            raise InputError("input file is output file")
        for chunk in chunks(self.io, descriptor):
            self.mark(chunk)

    def mark(self, chunk: bytes) -> None:
        """Some more bytes, which may begin and end anywhere in a line."""
        out = []
        for line in _lines(chunk):
            body, ended = (line[:-1], True) if line[-1:] == b"\n" else (line, False)
            start = not self.open_line
            if start and ended and not body:
                if self.squeeze and self.was_empty:
                    continue
                self.was_empty = True
            else:
                self.was_empty = False
            if self.pending_return:
                out.append(b"^M" if ended and not body and self.ends else b"\r")
                self.pending_return = False
            if start and self.number and not (self.not_blank and ended and not body):
                self.count += 1
                out.append(b"%6d\t" % self.count)
            self.open_line = not ended
            out.append(self.marked(body, ended))
            if ended:
                out.append(b"$\n" if self.ends else b"\n")
        self.io.write(b"".join(out))

    def marked(self, body: bytes, ended: bool) -> bytes:
        if self.codes:
            return self.hidden.sub(lambda found: b"".join([self.table[byte] for byte in found[0]]), body)
        if self.tabs:
            body = body.replace(b"\t", b"^I")
        if self.ends and body[-1:] == b"\r":
            if ended:
                return body[:-1] + b"^M"
            self.pending_return = True  # whether the line ends here is seen in what comes next
            return body[:-1]
        return body

    def finish(self) -> None:
        if self.pending_return:
            self.io.write(b"\r")


def _lines(chunk: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in chunk.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
