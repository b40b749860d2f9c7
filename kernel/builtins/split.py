"""split: a file cut into pieces."""

from __future__ import annotations

import os

from kernel.builtins.guard import About, Failure, InputError, guarded, last_given, raw, reason
from kernel.builtins.lines import close_input, read
from kernel.builtins.quoting import file_name, quoted, quoted_name
from kernel.builtins.sizes import parse_count
from kernel.builtins.split_pieces import Numbered, Pieces
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

SIZE = 131072


def usage(bound: Bound) -> None:
    """Failure for sizes, numbers and names of pieces that are none."""
    Way(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when the input could not be read or a piece not written."""
    way = Way(bound)
    name = bound.values.get("file", "-")
    descriptor = io.stdin if name == "-" else _opened(io, name)
    io.begin(name, descriptor)
    try:
        cutter = Cutter(bound, io, descriptor, name, way)
        cutter.run()
        cutter.pieces.close()
    except InputError as error:
        raise Failure(f"{file_name(name)}: {error}", 1) from None
    finally:
        close_input(io, descriptor)
    return 0


def _opened(io: Io, name: str) -> int:
    try:
        return os.open(io.path(name), os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Failure(f"cannot open {quoted_name(name)} for reading: {reason(error)}", 1) from None


class Way:
    """How the input is cut and what the pieces are called, by the words alone.

    ``param`` says what ``size`` counts, with `number` the pieces; ``which`` is the one that is wanted, 0 for all, and
    ``kind`` is `l` for whole lines, `r` for one line after the other to another piece.
    """

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        given = [name for name in ("lines", "bytes", "line_bytes", "number", "short_number") if name in values]
        if len(given) > 1:
            raise Failure("cannot split in more than one way", param=last_given(bound, *given))
        self.param = given[0] if given else "lines"
        with About("separator"):
            self.end = _separator(values.get("separator", "\n"))
        self.naming = _naming(bound)
        self.kind, self.which = "", 0
        with About(self.param):
            self.size = self.chunks(values["number"]) if self.param == "number" else self.units(str(values.get(self.param, "1000")))

    def units(self, text: str) -> int:
        unit = "bytes" if self.param in ("bytes", "line_bytes") else "lines"
        size = parse_count(text)
        if not size or (unit == "lines" and not text[-1].isdigit()):  # lines come in no units
            raise Failure(f"invalid number of {unit}: {quoted(text)}")
        return size

    def chunks(self, text: str) -> int:
        """`N`, `K/N`, `l/N`, `l/K/N`, `r/N`, `r/K/N`."""
        kind, _, rest = text.partition("/")
        self.kind, rest = (kind, rest) if kind in ("l", "r") else ("", text)
        first, slash, second = rest.partition("/")
        count, which = [parse_count(part) if part[-1:].isdigit() else None for part in ((second, first) if slash else (first, "0"))]
        if not count:
            raise Failure(f"invalid number of chunks: {quoted(second if slash else first)}")
        if which is None or which > count or (slash and not which):
            raise Failure(f"invalid chunk number: {quoted(first)}")
        self.which = which
        if not which:
            self.naming.needed(count)
        return count


def _naming(bound: Bound) -> Numbered:
    values = bound.values
    numbers = last_given(bound, "decimal", "numeric_suffixes", "hexadecimal", "hex_suffixes")
    alphabet = {"decimal": "0123456789", "numeric_suffixes": "0123456789", "": "abcdefghijklmnopqrstuvwxyz"}
    start = values.get(numbers, "0") if numbers in ("numeric_suffixes", "hex_suffixes") else "0"
    with About(numbers):
        return Numbered(
            values.get("prefix", "x"),
            alphabet.get(numbers, "0123456789abcdef"),
            values.get("suffix_length", 0),
            values.get("additional_suffix", ""),
            start,
        )


class Cutter:
    """The input, and the pieces it goes to."""

    def __init__(self, bound: Bound, io: Io, descriptor: int, name: str, way: Way) -> None:
        values = bound.values
        self.io = io
        self.descriptor = descriptor
        self.name = name
        self.way = way
        self.elide = bool(values["elide_empty_files"])
        self.end = way.end
        self.pieces = Pieces(io, way.naming, verbose=bool(values["verbose"]))

    def run(self) -> None:
        way = self.way
        if way.param == "number" and way.kind == "r":
            self.round_robin(way.size, way.which)
        elif way.param == "number":
            self.equal(way.size, way.which, whole_lines=way.kind == "l")
        else:
            {"bytes": self.by_bytes, "line_bytes": self.by_line_bytes}.get(way.param, self.by_lines)(way.size)

    def by_bytes(self, size: int) -> None:
        left = 0
        while chunk := read(self.descriptor, SIZE):
            at = 0
            while at < len(chunk):
                if not left:
                    self.pieces.next()
                    left = size
                part = chunk[at : at + left]
                self.pieces.write(part)
                at += len(part)
                left -= len(part)

    def by_lines(self, count: int) -> None:
        left = 0
        while chunk := read(self.descriptor, SIZE):
            at = 0
            while at < len(chunk):
                if not left:
                    self.pieces.next()
                    left = count
                cut = at
                while left and cut < len(chunk):
                    found = chunk.find(self.end, cut)
                    if found < 0:
                        cut = len(chunk)
                        break
                    cut = found + 1
                    left -= 1
                self.pieces.write(chunk[at:cut])
                at = cut

    def by_line_bytes(self, size: int) -> None:
        """Whole lines while they fit; a line that is longer than a piece is cut.

        Behind whole lines the beginning of a line is held until it is known to fit; at the beginning of a piece it stays
        there however long it is.
        """
        left, has_lines = 0, False
        held = bytearray()
        while chunk := read(self.descriptor, SIZE):
            held += chunk
            while held:
                if not left:
                    self.pieces.next()
                    left, has_lines = size, False
                cut = held.rfind(self.end, 0, left) + 1
                if not cut and has_lines:
                    if len(held) < left:
                        break
                    left = 0  # it begins the next piece
                    continue
                has_lines = cut > 0
                part = bytes(held[: cut or left])
                self.pieces.write(part)
                left -= len(part)
                del held[: len(part)]
        if held:
            self.pieces.write(bytes(held))

    def equal(self, count: int, which: int, *, whole_lines: bool) -> None:
        """Pieces of one size; the last takes the rest. With whole lines a piece goes on to its last line's end."""
        source, total = self.sized()
        try:
            size = max(total // count, 1)
            at = 0
            for number in range(1, count + 1):
                end = total if number == count else min(number * size, total)
                if whole_lines and number < count and at < end < total:
                    end = self.line_end(source, end - 1, total)
                end = max(end, at)
                if not which and not (self.elide and at == end):
                    self.pieces.next()
                if not which or which == number:
                    self.copy(source, at, end, to_stdout=bool(which))
                at = end
        finally:
            os.close(source)

    def sized(self) -> tuple[int, int]:
        """A descriptor that can be read anywhere, and how much it holds."""
        try:
            start = os.lseek(self.descriptor, 0, os.SEEK_CUR)
            total = os.lseek(self.descriptor, 0, os.SEEK_END)
            os.lseek(self.descriptor, start, os.SEEK_SET)
            if start == 0:
                return os.dup(self.descriptor), total
        except OSError:
            pass
        import tempfile

        with tempfile.TemporaryFile(dir=self.io.env.get("TMPDIR") or None) as file:
            while chunk := read(self.descriptor, SIZE):
                file.write(chunk)
            file.flush()
            return os.dup(file.fileno()), file.tell()

    def line_end(self, source: int, at: int, total: int) -> int:
        while at < total:
            block = os.pread(source, min(SIZE, total - at), at)
            found = block.find(self.end)
            if found >= 0:
                return at + found + 1
            at += len(block)
        return total

    def copy(self, source: int, at: int, end: int, *, to_stdout: bool) -> None:
        while at < end and (block := os.pread(source, min(SIZE, end - at), at)):
            if to_stdout:
                self.io.write(block)
            else:
                self.pieces.write(block)
            at += len(block)
            if self.io.watch is not None:
                self.io.watch.at(self.descriptor, at)

    def round_robin(self, count: int, which: int) -> None:
        """Line by line to one piece after the other."""
        outputs = [] if which else [self.pieces.opened() for _ in range(0 if self.elide else count)]
        number = 0
        try:
            rest = b""
            while chunk := read(self.descriptor, SIZE):
                lines = (rest + chunk).split(self.end)
                rest = lines.pop()
                for text in lines:
                    number = self.deal(outputs, number, count, which, text + self.end)
            if rest:
                self.deal(outputs, number, count, which, rest)
        finally:
            for descriptor in outputs:
                os.close(descriptor)

    def deal(self, outputs: list[int], number: int, count: int, which: int, text: bytes) -> int:
        if which:
            if number == which - 1:
                self.io.write(text)
        else:
            if number == len(outputs):
                outputs.append(self.pieces.opened())
            write_all(outputs[number], text)
        return (number + 1) % count


def _separator(text: str) -> bytes:
    if text == "\\0":
        return b"\0"
    separator = raw(text)
    if len(separator) != 1:
        raise Failure(f"multi-character separator {quoted(text)}" if separator else "empty record separator")
    return separator
