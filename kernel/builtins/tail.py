"""tail: the last lines or bytes of files, or everything from a place on; follows files that grow."""

from __future__ import annotations

import os
import re
import stat
import time
from collections import deque

from kernel.builtins.guard import InputError, guarded, last_given
from kernel.builtins.head import Headers, parse_count
from kernel.builtins.lines import CANNOT_OPEN, blocks, chunks, close_input, open_input, read
from kernel.builtins.quoting import file_name, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

_OLD = re.compile(r"\+(\d*)([bcl]?)$", re.ASCII)  # what tail took before it had options: `+5`, `+3c`
LONGEST = 86_400.0  # seconds of one sleep: the system takes no more than it can count


def usage(bound: Bound) -> None:
    """Failure for a count that is none."""
    Amount(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read, 2 for a count that is none."""
    return Tail(bound, io).run()


class Amount:
    """How much to take, from which end, and of which files: `+5` may stand in front of them."""

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        given = last_given(bound, "lines", "bytes", "number")
        self.unit = given or "lines"
        text = str(values.get(self.unit, "10"))
        self.files: list[str] = list(values["files"])
        alone = len(self.files) in (1, 2) and all(trace.param == "files" for trace in bound.trace)
        if alone and (old := _OLD.match(self.files[0])):
            text = "+" + (old.group(1) or "10")
            if old.group(2) in ("b", "c"):
                self.unit, text = "bytes", text + old.group(2).rstrip("c")
            self.files.pop(0)
        self.from_start = text[:1] == "+"
        self.count = parse_count(text, self.unit)


class Tail(Amount):
    """One call: what to take, the headers, and the files to follow."""

    def __init__(self, bound: Bound, io: Io) -> None:
        super().__init__(bound)
        values = bound.values
        self.io = io
        self.end = b"\0" if values["zero_terminated"] else b"\n"
        self.headers = Headers(bound, io, self.files)
        self.follow = bool(last_given(bound, "follow", "follow_open", "follow_name"))
        self.by_name = bool(values["follow_name"]) or values.get("follow") == "name"
        self.retry = bool(values["retry"] or values["follow_name"])
        self.interval = float(values.get("sleep_interval", 1))
        self.pid = values.get("pid") or None  # 0 is no process
        self.last_shown = ""

    def run(self) -> int:
        if not self.follow:
            for told, text in ((self.retry, "--retry ignored; --retry"), (self.pid is not None, "PID ignored; --pid=PID")):
                if told:
                    self.io.complain(f"warning: {text} is useful only when following")
        if not self.count and not self.from_start and not self.follow:
            return 0  # GNU tail looks at no file then
        status = 0
        open_files: dict[str, int] = {}
        if self.follow or not self.from_start:
            self.io.tell_nothing()  # there is no end, or nobody knows how far before it the tail begins
        self.io.expect(self.files or ["-"])
        try:
            for name in self.files or ["-"]:
                descriptor = self.begin(name)
                if descriptor < 0:
                    status = 1
                    if self.follow and self.retry and name != "-":
                        open_files[name] = -1
                    continue
                if self.follow and self.can_grow(name, descriptor):
                    open_files[name] = descriptor
                else:
                    close_input(self.io, descriptor)
            if open_files:
                self.watch(open_files)
            elif self.follow and status:
                self.io.complain("no files remaining")
        finally:
            for descriptor in open_files.values():
                if descriptor >= 0:
                    close_input(self.io, descriptor)
        return status

    def begin(self, name: str) -> int:
        """Shows a file's tail and leaves it open at its end; -1 when it could not be read."""
        descriptor = open_input(self.io, name, CANNOT_OPEN[0])
        if descriptor < 0:
            return -1
        self.headers.show(name)
        self.last_shown = name
        try:
            if self.unit == "bytes":
                self.last_bytes(descriptor)
            else:
                self.last_lines(descriptor)
        except InputError as error:
            self.io.complain(f"error reading {quoted(name)}: {error}")
            if self.follow:
                given_up = "" if self.retry else "; giving up on this name"
                self.io.complain(f"{file_name(name)}: cannot follow end of this type of file{given_up}")
            close_input(self.io, descriptor)
            return -1
        return descriptor

    def can_grow(self, name: str, descriptor: int) -> bool:
        """A pipe that ended will not grow; a regular file or a device may."""
        return not (name == "-" and not stat.S_ISREG(os.fstat(descriptor).st_mode))

    def last_bytes(self, descriptor: int) -> None:
        if self.from_start:
            self.copy_from(descriptor, self.count - 1)
            return
        size = _remaining(descriptor)
        if size > self.count:
            os.lseek(descriptor, size - self.count, os.SEEK_CUR)
        held: deque[bytes] = deque()
        total = 0
        while chunk := read(descriptor):
            held.append(chunk)
            total += len(chunk)
            while total - len(held[0]) >= self.count:
                total -= len(held.popleft())
                if not held:
                    break
        if self.count:
            self.io.write(b"".join(held)[-self.count :])

    def copy_from(self, descriptor: int, skip: int) -> None:
        for chunk in chunks(self.io, descriptor):
            if skip > 0:
                skip, chunk = skip - len(chunk), chunk[skip:]
            self.io.write(chunk)

    def last_lines(self, descriptor: int) -> None:
        if self.from_start:
            self.lines_from(descriptor, self.count - 1)
            return
        data, complete = self.last_block(descriptor)
        if complete:
            self.io.write(data)
            return
        held: deque[tuple[bytes, int]] = deque()
        lines = 0
        for block in blocks(self.io, descriptor, self.end):
            found = block.count(self.end) + (block[-1:] != self.end)
            held.append((block, found))
            lines += found
            while held and lines - held[0][1] >= self.count:
                lines -= held.popleft()[1]
        self.io.write(self.cut(b"".join([block for block, _ in held])))

    def cut(self, data: bytes) -> bytes:
        """The last `count` records of data."""
        if not self.count:
            return b""
        at = len(data) - 1 if data[-1:] == self.end else len(data)
        for _ in range(self.count):
            at = data.rfind(self.end, 0, at)
            if at < 0:
                return data
        return data[at + 1 :]

    def last_block(self, descriptor: int) -> tuple[bytes, bool]:
        """The tail of a file that can seek, read backwards; (b"", False) where it cannot."""
        size = _remaining(descriptor)
        if size <= 0:
            return b"", False
        end = os.lseek(descriptor, 0, os.SEEK_CUR) + size
        start, parts, found = end, [], 0
        while size > 0 and found <= self.count:
            step = min(size, 65536)
            start, size = start - step, size - step
            os.lseek(descriptor, start, os.SEEK_SET)
            piece = b""
            while len(piece) < step and (more := read(descriptor, step - len(piece))):
                piece += more
            parts.append(piece)
            found += piece.count(self.end)
        os.lseek(descriptor, end, os.SEEK_SET)
        return self.cut(b"".join(reversed(parts))), True

    def lines_from(self, descriptor: int, skip: int) -> None:
        for chunk in chunks(self.io, descriptor):
            if skip > 0:
                found = chunk.count(self.end)
                if found < skip:
                    skip -= found
                    continue
                at = 0
                for _ in range(skip):
                    at = chunk.index(self.end, at) + 1
                skip, chunk = 0, chunk[at:]
            self.io.write(chunk)

    def watch(self, files: dict[str, int]) -> None:
        """Shows what is added, until the process of --pid is gone, or for ever."""
        while True:
            alive = self.pid is None or _is_alive(int(self.pid))
            for name in list(files):
                if name != "-" and (self.by_name or files[name] < 0):
                    files[name] = self.reopened(name, files[name])
                if files[name] >= 0:
                    self.show_growth(name, files[name])
            self.io.flush()
            if not alive:
                return
            time.sleep(min(self.interval, LONGEST))

    def show_growth(self, name: str, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_size < os.lseek(descriptor, 0, os.SEEK_CUR):
            self.io.complain(f"{file_name(name)}: file truncated")
            os.lseek(descriptor, 0, os.SEEK_SET)
        while chunk := read(descriptor):
            if name != self.last_shown:
                self.headers.show(name)
                self.last_shown = name
            self.io.write(chunk)

    def reopened(self, name: str, descriptor: int) -> int:
        """The descriptor of what the name now stands for; -1 while it stands for nothing."""
        try:
            status = os.stat(self.io.path(name))
        except OSError:
            return descriptor
        if stat.S_ISDIR(status.st_mode) or (descriptor >= 0 and os.path.samestat(os.fstat(descriptor), status)):
            return descriptor
        fresh = open_input(self.io, name, CANNOT_OPEN[0])
        if fresh < 0:
            return descriptor
        if descriptor >= 0:
            self.show_growth(name, descriptor)
            close_input(self.io, descriptor)
        verb = "has been replaced" if descriptor >= 0 else "has appeared"
        self.io.complain(f"{quoted(name)} {verb};  following new file")
        return fresh


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _remaining(descriptor: int) -> int:
    """Bytes between the place of a regular file and its end; -1 for anything else."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return -1
    try:
        return max(0, status.st_size - os.lseek(descriptor, 0, os.SEEK_CUR))
    except OSError:
        return -1
