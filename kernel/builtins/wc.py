"""wc: how many lines, words, characters and bytes."""

from __future__ import annotations

import codecs
import os
import re
import stat

from kernel.builtins.guard import Failure, InputError, guarded, is_utf8
from kernel.builtins.lines import chunks, close_input, fill, open_input, records
from kernel.builtins.quoting import file_name, quoted
from kernel.builtins.width import advance, character_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

ROOM = 262144  # bytes of the buffer: more would not fit a processor's cache
SPARSE = 32  # bytes a line from which on leaping is faster
ORDER = ("lines", "words", "chars", "bytes", "max_line_length")
_BLANK = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2060\u3000]")
_BYTE_BLANK = re.compile("[\t-\r ]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f]+")
_HIGH = re.compile("[\x80-\xff]")


def usage(bound: Bound) -> None:
    """Failure for operands beside a list of files."""
    files = bound.values["files"]
    if files and "files0_from" in bound.values:
        advice = "file operands cannot be combined with --files0-from"
        raise Failure(f"extra operand {quoted(files[0])}", param="files", advice=advice)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read."""
    return Counter(bound, io).run()


class Counter:
    """What to count, the sums, and how wide the columns are."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        self.io = io
        chosen = [name for name in ORDER if values[name]]
        self.shown = chosen or ["lines", "words", "bytes"]
        self.utf8 = is_utf8(io.env)
        self.total = values.get("total", "auto")
        self.files: list[str] = list(values["files"])
        self.from_list = values.get("files0_from")
        if self.from_list is not None:
            usage(bound)
            self.files = self.listed(self.from_list)
        self.sums = [0] * len(self.shown)

    def listed(self, source: str) -> list[str]:
        descriptor = open_input(self.io, source, "cannot open %s for reading")
        if descriptor < 0:
            raise Failure("", 1)
        try:
            return [name.decode("utf-8", "surrogateescape") for name in records(self.io, descriptor, b"\0")]
        except InputError as error:
            raise Failure(f"{file_name(source)}: read error: {error}", 1) from None
        finally:
            close_input(self.io, descriptor)

    def run(self) -> int:
        names = self.files if self.files or self.from_list is not None else [""]
        width = self.width(names)
        self.io.expect([name or "-" for name in names])
        status = 0
        for number, name in enumerate(names, 1):
            if not name and (self.from_list is not None or self.files):
                place = "-" if self.from_list == "-" else file_name(self.from_list or "")
                self.io.complain(f"{f'{place}:{number}: ' if self.from_list is not None else ''}invalid zero-length file name")
                status = 1
                continue
            descriptor = open_input(self.io, name or "-")
            if descriptor < 0:
                status = 1
                continue
            counts = [0] * len(self.shown)
            try:
                self.count(descriptor, counts)
            except InputError as error:
                self.io.complain(f"{file_name(name or '-')}: {error}")
                status = 1
            finally:
                close_input(self.io, descriptor)
            for index, found in enumerate(counts):
                is_maximum = self.shown[index] == "max_line_length"
                self.sums[index] = max(self.sums[index], found) if is_maximum else self.sums[index] + found
            if self.total != "only":
                self.show(counts, name, width)
        if self.total == "only":
            self.show(self.sums, "", 1)
        elif self.total == "always" or (self.total == "auto" and len(names) > 1):
            self.show(self.sums, "total", width)
        return status

    def width(self, names: list[str]) -> int:
        """GNU's column width: the digits of all sizes together, at least 7 beside a pipe, 1 for a single number."""
        if self.total == "only" or (len(names) == 1 and len(self.shown) == 1) or self.from_list == "-":
            return 1
        total, least = 0, 1
        for name in names:
            if not name and (self.from_list is not None or self.files):
                continue
            try:
                status = os.fstat(self.io.stdin) if name in ("", "-") else os.stat(self.io.path(name))
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(status.st_mode):
                total += status.st_size
            else:
                least = 7
        return max(least, len(str(total)))

    def show(self, counts: list[int], name: str, width: int) -> None:
        text = " ".join([str(count).rjust(width) for count in counts])
        shown = file_name(name) if "\n" in name else name
        line = f"{text} {shown}\n" if name else f"{text}\n"
        self.io.write(line.encode("utf-8", "surrogateescape"))

    def count(self, descriptor: int, counts: list[int]) -> None:
        """Adds up in place, so that what was read before an error counts."""
        wanted = {name: index for index, name in enumerate(self.shown)}
        if not wanted.keys() - {"lines", "bytes"}:
            self.count_quickly(descriptor, counts, wanted)
            return
        needs_text = "words" in wanted or "max_line_length" in wanted or ("chars" in wanted and self.utf8)
        decode = codecs.getincrementaldecoder("utf-8" if self.utf8 else "latin-1")("ignore").decode
        inside, column = False, 0
        for chunk in chunks(self.io, descriptor):
            if "lines" in wanted:
                counts[wanted["lines"]] += chunk.count(b"\n")
            if "bytes" in wanted:
                counts[wanted["bytes"]] += len(chunk)
            text = decode(chunk) if needs_text else ""
            if "chars" in wanted:
                counts[wanted["chars"]] += len(text) if needs_text else len(chunk)
            if "words" in wanted:
                found, inside = self.words(text, inside)
                counts[wanted["words"]] += found
            if "max_line_length" in wanted:
                index = wanted["max_line_length"]
                widest, column = advance(text if self.utf8 else _HIGH.sub("", text), column)
                counts[index] = max(counts[index], widest)

    def count_quickly(self, descriptor: int, counts: list[int], wanted: dict[str, int]) -> None:
        """Lines and bytes alone: one buffer for the whole input."""
        buffer = bytearray(ROOM)
        sparse = False
        while size := fill(descriptor, buffer):
            if "lines" in wanted:
                # `count` looks at every byte, `replace` leaps from one newline to the next and then copies
                found = size - len(buffer.replace(b"\n", b"")) if sparse and size == ROOM else buffer.count(b"\n", 0, size)
                counts[wanted["lines"]] += found
                sparse = found * SPARSE < size
            if "bytes" in wanted:
                counts[wanted["bytes"]] += size

    def words(self, text: str, inside: bool) -> tuple[int, bool]:
        """Runs without blanks that hold something printable, as GNU counts them: (how many begin here, whether one is open).

        ``inside`` says that such a run was open before the text.
        """
        text = _UNPRINTABLE.sub("", text)  # they neither part words nor make one
        if not text:
            return 0, inside
        if text.isascii():
            pieces = text.split()
            begun = len(pieces) - (inside and not text[0].isspace())
            return begun, not text[-1].isspace()
        begun = 0
        for index, piece in enumerate((_BLANK if self.utf8 else _BYTE_BLANK).split(text)):
            if index:
                inside = False
            if not inside and any(self.is_printable(character) for character in piece):
                begun += 1
                inside = True
        return begun, inside

    def is_printable(self, character: str) -> bool:
        return character_width(character) >= 0 if self.utf8 else " " <= character <= "~"
