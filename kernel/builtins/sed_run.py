"""The machine that runs a sed script over its input."""

from __future__ import annotations

import os

from kernel.builtins.guard import Failure, InputError, reason
from kernel.builtins.lines import read
from kernel.builtins.sed_input import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.builtins.io import Io
    from kernel.builtins.sed_commands import Address, Command, Substitution
    from kernel.builtins.sed_input import Input
    from kernel.builtins.sed_regex import Expression, Spans
    from kernel.builtins.sed_script import Script

_SHOWN = {92: "\\\\", 7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v"}


class Quit(Exception):
    """Ends the run with a status, -1 where the input ended it; ``show`` says whether the pattern space is still printed."""

    def __init__(self, status: int, *, show: bool) -> None:
        super().__init__()
        self.status = status if status < 0 else status & 255
        self.show = show


class Machine:
    """Pattern space, hold space, and the files that the script names."""

    def __init__(self, io: Io, script: Script, source: Input, *, quiet: bool, width: int, encoding: tuple[str, str]) -> None:
        self.io = io
        self.script = script
        self.source = source
        self.quiet = quiet or script.quiet
        self.width = width
        self.encoding = encoding
        self.end = source.end.decode()
        self.out = Output(io, io.stdout, buffered=not source.unbuffered)
        self.standard = self.out
        self.space = ""
        self.hold = ""
        self.ended = True  # whether the pattern space is written with an end
        self.hold_ended = True
        self.replaced = False
        self.last: Expression | None = None
        self.queue: list[tuple[str, str]] = []  # what is to follow this record: (kind, text)
        self.files: dict[str, Output] = {}
        self.readers: dict[str, Iterator[tuple[bytes, bool]] | None] = {}
        for command in script.commands:
            if command.name in ("w", "W"):
                self.file(command.text)
            if command.substitution is not None and command.substitution.file:
                self.file(command.substitution.file)

    # --- records

    def encoded(self, text: str) -> bytes:
        return text.encode(*self.encoding)

    def decoded(self, data: bytes) -> str:
        return data.decode(*self.encoding)

    def load(self, *, append: bool = False) -> bool:
        """The next record into the pattern space; False behind the last."""
        record = self.source.next()
        if record is None:
            return False
        self.flush_queue()
        if self.source.separate and self.source.number == 1:
            for command in self.script.commands:
                command.begin_file()
        if self.source.number == 1:
            for command in self.script.commands:
                if command.name == "r" and command.first is not None and command.first.kind == "zero" and command.second is None:
                    self.append_file(command.text)
        self.replaced = self.replaced and append
        text = self.decoded(record[0])
        self.space = self.space + self.end + text if append else text
        self.ended = record[1]
        return True

    def show(self, output: Output, text: str) -> None:
        output.write(self.encoded(text), self.source.end, ended=self.ended)

    def show_first(self, output: Output) -> None:
        """The pattern space up to its first newline."""
        head, newline, _ = self.space.partition(self.end)
        output.write(self.encoded(head), self.source.end, ended=bool(newline) or self.ended)

    def finish(self, end: Quit) -> None:
        """What a command that ends the script leaves behind; `q` adds the end that the last record lacks."""
        if end.show and not self.quiet:
            self.show(self.out, self.space)
        if end.show and end.status >= 0:
            self.out.write(b"")
        self.flush_queue()

    def flush_queue(self) -> None:
        for kind, text in self.queue:
            if kind == "text":
                self.out.write(self.encoded(text) + b"\n")
            elif kind == "line":
                self.append_line(text)
            else:
                self.append_file(text)
        self.queue.clear()

    def append_file(self, name: str) -> None:
        try:
            descriptor = self.io.stdin if name == "/dev/stdin" else os.open(self.io.path(name), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # a file that is missing is an empty one
        try:
            while chunk := read(descriptor):
                self.out.write(chunk)
        except InputError as error:
            raise Failure(f"read error on {name}: {error}", 4) from None
        finally:
            if descriptor != self.io.stdin:
                os.close(descriptor)

    def append_line(self, name: str) -> None:
        if name not in self.readers:
            self.readers[name] = _opened(self.source, self.io, name)
        reader = self.readers[name]
        try:
            record = next(reader, None) if reader is not None else None
        except InputError as error:
            raise Failure(f"read error on {name}: {error}", 4) from None
        if record is not None:
            self.out.write(record[0] + (self.source.end if record[1] else b""))

    def file(self, name: str) -> Output:
        """Where `w NAME` writes; opened once, when the script is read."""
        if name == "/dev/stdout":
            return self.out
        if name not in self.files:
            if name == "/dev/stderr":
                descriptor = self.io.stderr
            else:
                try:
                    descriptor = os.open(self.io.path(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
                except OSError as error:
                    raise Failure(f"couldn't open file {name}: {reason(error)}", 4) from None
            self.files[name] = Output(self.io, descriptor, buffered=False)
        return self.files[name]

    def close(self) -> None:
        for name, output in self.files.items():
            if name != "/dev/stderr":
                os.close(output.descriptor)

    # --- running

    def cycle(self) -> None:
        """One cycle over the pattern space. Raises Quit."""
        while True:
            restart = self.commands()
            if not restart:
                return

    def commands(self) -> bool:
        """The script from its beginning; True when it is to begin again without a new record (D)."""
        commands = self.script.commands
        at = 0
        while at < len(commands):
            command = commands[at]
            if command.first is not None and self.selects(command) == command.negated:
                at = command.jump if command.name == "{" else at + 1
                continue
            if command.first is None and command.negated:
                at = command.jump if command.name == "{" else at + 1
                continue
            name = command.name
            at += 1
            if name == "s":
                self.substitute(command.substitution)
            elif name == "d":
                return False
            elif name == "D":
                _, newline, rest = self.space.partition(self.end)
                if not newline:
                    return False
                self.space = rest
                self.flush_queue()
                return True
            elif name == "c":
                if not command.silent and (command.second is None or command.negated or not command.active):
                    self.out.write(self.encoded(command.text), self.source.end)
                return False
            elif name == "b":
                at = command.jump
            elif name in "tT":
                if self.replaced == (name == "t"):
                    at = command.jump
                self.replaced = False
            else:
                self.simple(command)
        if not self.quiet:
            self.show(self.out, self.space)
        return False

    def simple(self, command: Command) -> None:
        name = command.name
        if name == "p":
            self.show(self.out, self.space)
        elif name == "P":
            self.show_first(self.out)
        elif name in "nN":
            self.advance(append=name == "N")
        elif name == "g":
            self.space, self.ended = self.hold, self.hold_ended
        elif name == "G":
            self.space += self.end + self.hold
            self.ended = self.hold_ended
        elif name == "h":
            self.hold, self.hold_ended = self.space, self.ended
        elif name == "H":
            self.hold += self.end + self.space
            self.hold_ended = self.ended
        elif name == "x":
            self.space, self.hold = self.hold, self.space
            self.ended, self.hold_ended = self.hold_ended, self.ended
        elif name == "y":
            self.space = self.space.translate(command.table)
        elif name in "ai" and command.silent:
            pass
        elif name == "a":
            self.queue.append(("text", command.text))
        elif name == "i":
            self.out.write(self.encoded(command.text), self.source.end)
        elif name == "=":
            self.out.write(b"%d" % self.source.number, self.source.end)
        elif name == "l":
            width = self.width if command.number < 0 else command.number
            self.out.write(unambiguous(self.encoded(self.space), width))
        elif name == "r":
            self.queue.append(("file", command.text))
        elif name == "R":
            self.queue.append(("line", command.text))
        elif name == "w":
            self.show(self.file(command.text), self.space)
        elif name == "W":
            self.show_first(self.file(command.text))
        elif name == "z":
            self.space = ""
        elif name == "F":
            self.out.write(self.source.name.encode("utf-8", "surrogateescape"), self.source.end)
        elif name in "qQ":
            raise Quit(max(command.number, 0), show=name == "q")

    def advance(self, *, append: bool) -> None:
        """n and N. Behind the last record the script ends; the pattern space is printed, but not for N in POSIX mode."""
        if self.source.is_last() and not (self.source.separate and self.source.look(across=True)):
            if self.script.posix and append:
                raise Quit(0, show=False)
            raise Quit(-1, show=True)
        if not append and not self.quiet:
            self.show(self.out, self.space)
        self.load(append=append)

    # --- addresses

    def selects(self, command: Command) -> bool:
        first, second = command.first, command.second
        if first is None:
            return True
        if second is None:
            return self.is_at(first)
        number = self.source.number
        if command.active:
            if second.kind in ("number", "plus", "multiple"):
                limit = second.first if second.kind == "number" else command.end
                if number >= limit:
                    command.active, command.closed = False, True
                return second.kind != "number" or number <= limit
            if self.is_at(second):
                command.active, command.closed = False, True
            return True
        if not self.begins(command, first):
            return False
        if second.kind == "plus":
            command.end = number + second.first
        elif second.kind == "multiple":
            # GNU sed takes the next multiple, also from a line that is one
            command.end = number if second.first <= 0 else (number // second.first + 1) * second.first
        elif second.kind == "number":
            command.end = second.first
        else:
            command.active = second.kind not in ("last", "step") or not self.is_at(second)
            return True
        command.active = command.end > number
        command.closed = not command.active
        return number <= command.end or self.is_at(first)

    def begins(self, command: Command, first: Address) -> bool:
        """Whether a range begins here: from its first line on where that is a number, but once only."""
        if first.kind == "number":
            return not command.closed and self.source.number >= first.first
        return first.kind != "zero" and self.is_at(first)

    def is_at(self, address: Address) -> bool:
        kind, number = address.kind, self.source.number
        if kind == "number":
            return number == address.first
        if kind == "last":
            return self.source.is_last()
        if kind == "expression":
            return self.used(address.expression).matches(self.space)
        if kind == "step":
            if address.step <= 0:
                return number == address.first
            return number >= address.first and (number - address.first) % address.step == 0
        return False

    def used(self, expression: Expression | None) -> Expression:
        """The expression, or for an empty one the last that was used."""
        if expression is not None:
            self.last = expression
        if self.last is None:
            raise Failure("-e expression #1, char 0: no previous regular expression", 1)
        return self.last

    # --- s

    def substitute(self, what: Substitution | None) -> None:
        assert what is not None
        expression = self.used(what.expression)
        text = self.space
        found = expression.search(text, 0)
        if found is None:
            return
        out: list[str] = []
        copied = count = 0
        done = False
        while found is not None:
            start, end = found[0]
            empty_behind_match = start == end == copied and count > 0 and copied > 0 and self.was_full
            if not empty_behind_match:
                count += 1
                if count >= what.number:
                    out.append(text[copied:start])
                    self.append(out, what, text, found)
                    copied = end
                    done = True
                    if not what.every:
                        break
                else:
                    out.append(text[copied:end])
                    copied = end
            self.was_full = end > start
            if start == end:
                if end >= len(text):
                    break
                out.append(text[copied : end + 1])
                copied = end + 1
            found = expression.search(text, copied)
        self.was_full = False
        if not done:
            return
        out.append(text[copied:])
        self.space = "".join(out)
        self.replaced = True
        if what.print:
            self.show(self.out, self.space)
        if what.file:
            self.show(self.file(what.file), self.space)

    was_full = False  # whether the match before was not empty

    def append(self, out: list[str], what: Substitution, text: str, found: Spans) -> None:
        pending = ""
        for case, part in what.parts:
            if isinstance(part, int):
                start, end = found[part] if part < len(found) else (-1, -1)
                piece = text[start:end] if start >= 0 else ""
            else:
                piece = part
            first = case[:1] if case[:1] in ("u", "l") else pending
            if not piece:
                pending = first
                continue
            pending = ""
            if case[-1:] in ("U", "L"):
                piece = piece.upper() if case[-1] == "U" else piece.lower()
            if first:
                piece = (piece[0].upper() if first == "u" else piece[0].lower()) + piece[1:]
            out.append(piece)


def unambiguous(data: bytes, width: int) -> bytes:
    """The l command: every byte visible, lines wrapped with a backslash; no wrapping for a width of 0."""
    out: list[str] = []
    column = 0
    for byte in data:
        shown = _SHOWN.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        if width > 0 and column + len(shown) > width - 1:
            out.append("\\\n")
            column = 0
        out.append(shown)
        column += len(shown)
    return "".join(out).encode() + b"$\n"


def _opened(source: Input, io: Io, name: str) -> Iterator[tuple[bytes, bool]] | None:
    try:
        descriptor = io.stdin if name == "/dev/stdin" else os.open(io.path(name), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    return source.read_records(descriptor)
