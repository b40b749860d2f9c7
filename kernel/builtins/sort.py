"""sort: lines in order, merged, or checked."""

from __future__ import annotations

import heapq
import os

from kernel.builtins.guard import About, Failure, InputError, guarded, last_given, raw, reason
from kernel.builtins.lines import blocks, close_input, open_input, records, split
from kernel.builtins.quoting import file_name, quoted
from kernel.builtins.sizes import parse_size
from kernel.builtins.sort_keys import ORDERINGS, Key, Reversed, check_letters, extractor, parse_key, value_function
from kernel.builtins.sort_runs import Runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from kernel.bound import Bound
    from kernel.builtins.io import Io

FLAGS = {
    "ignore_leading_blanks": "b",
    "dictionary_order": "d",
    "ignore_case": "f",
    "ignore_nonprinting": "i",
    "reverse": "r",
    **{name: letter for letter, name in ORDERINGS.items()},
}
MEMORY = 256 * 1024 * 1024  # what the lines held may take before they go to a temporary file
LINE = 100  # what a line takes besides its bytes


def usage(bound: Bound) -> None:
    """Failure for keys, a separator or a size that are none, and for options that exclude each other."""
    Rules(bound)


@guarded(failure=2)
def run(bound: Bound, io: Io) -> int:
    """Status 1 when --check finds disorder, 2 for any failure."""
    return Sorter(bound, io).run()


class Rules:
    """What the words say: the keys, and what is done with the lines of which files."""

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        self.bound = bound
        self.files: list[str] = list(values["files"]) or ["-"]
        self.end = b"\0" if values["zero_terminated"] else b"\n"
        self.unique = bool(values["unique"])
        self.stable = bool(values["stable"]) or self.unique
        self.output = values.get("output")
        self.merging = bool(values["merge"])
        self.checking = self.check_mode(bound)
        with About("buffer_size"):
            self.memory = self.buffer(values.get("buffer_size"))
        letters = "".join([letter for name, letter in FLAGS.items() if values[name]])
        if "sort" in values:
            letters += {name: letter for letter, name in ORDERINGS.items()}[values["sort"].replace("-", "_")]
        self.reverse = "r" in letters
        self.keys = self.key_list(values["key"], letters)
        with About("field_separator"):
            self.tab = self.separator(values.get("field_separator"))
        if values.get("files0_from") is not None and values["files"]:
            raise Failure("file operands cannot be combined with --files0-from", param="files")

    def check_mode(self, bound: Bound) -> str:
        chosen = last_given(bound, "check", "check_order", "check_silently")
        if not chosen:
            return ""
        mode = (
            "silent"
            if chosen == "check_silently" or (chosen == "check" and bound.values["check"] in ("quiet", "silent"))
            else "check"
        )
        if self.output is not None:
            raise Failure(f"options '-{'C' if mode == 'silent' else 'c'}o' are incompatible", param="output")
        if len(self.files) > 1:
            flag = "-C" if mode == "silent" else "-c"
            raise Failure(f"extra operand {quoted(self.files[1])} not allowed with {flag}", param="files", entry=1)
        return mode

    def buffer(self, text: str | None) -> int:
        if text is None:
            return MEMORY
        digits = text[:-1]
        if text[-1:] == "%" and digits.isascii() and digits.isdigit():
            return max(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * int(digits[:6]) // 100, 65536)
        size = parse_size(text if not text.isdigit() else text + "K")
        if size is None and text[-1:] == "b" and text[:-1].isascii() and text[:-1].isdigit():
            size = int(text[:-1])
        if size is None:
            raise Failure(f"invalid -S argument {quoted(text)}")
        return max(size, 65536)

    def separator(self, text: str | None) -> bytes | None:
        if text is None:
            return None
        if text == "\\0":
            return b"\0"
        found = raw(text)
        if not found:
            raise Failure("empty tab")
        if len(found) > 1:
            raise Failure(f"multi-character tab {quoted(text)}")
        return found

    def key_list(self, texts: list[str], letters: str) -> list[Key]:
        """The keys; one without options of its own has the general ones, and none at all is the whole line."""
        keys = []
        for entry, text in enumerate(texts):
            with About("key", entry):
                keys.append(parse_key(text))
        for key in keys:
            if not key.letters and not key.start_blanks and not key.end_blanks:
                key.take_options(letters)
        if not keys and letters.strip("r"):
            key = Key()
            key.take_options(letters)
            keys.append(key)
        for entry, key in enumerate(keys):
            with About("key" if texts else last_given(self.bound, *FLAGS, "sort"), entry if texts else 0):
                check_letters(key.letters)
        with About(last_given(self.bound, *FLAGS, "sort")):
            check_letters("" if keys else letters)
        return keys


class Sorter(Rules):
    """The lines on their way from the files to the output."""

    def __init__(self, bound: Bound, io: Io) -> None:
        super().__init__(bound)
        values = bound.values
        self.io = io
        self.directory = values.get("temporary_directory") or io.env.get("TMPDIR") or None
        self.parts = [(extractor(key, self.tab), value_function(key.letters), key.reverse) for key in self.keys]
        self.compared = self.comparison()
        if values.get("files0_from") is not None:
            self.files = self.listed(values["files0_from"])

    def listed(self, source: str) -> list[str]:
        descriptor = open_input(self.io, source, "cannot open %s for reading")
        if descriptor < 0:
            raise Failure("")
        try:
            names = [name.decode("utf-8", "surrogateescape") for name in records(self.io, descriptor, b"\0")]
        finally:
            close_input(self.io, descriptor)
        if not names:
            raise Failure(f"no input from {quoted(source)}")
        return names

    def comparison(self) -> Callable[[bytes], Any]:
        """line -> a value that compares as the line does, last resort included."""
        parts, reverse, last_resort = self.parts, self.reverse, not self.stable

        def compared(line: bytes) -> Any:
            values = [Reversed(value(take(line))) if back else value(take(line)) for take, value, back in parts]
            if last_resort or not parts:
                values.append(Reversed(line) if reverse else line)
            return values

        return compared

    def run(self) -> int:
        if self.checking:
            return self.check()
        for name in self.files:
            if name != "-" and not os.access(self.io.path(name), os.R_OK):
                close_input(self.io, self.opened(name))
        self.io.expect(self.files)
        if self.merging:
            streams = [self.lines(name) for name in self.files]
            self.write(heapq.merge(*streams, key=self.compared), held=self.output is not None)
            return 0
        self.sort()
        return 0

    def opened(self, name: str) -> int:
        try:
            descriptor = self.io.stdin if name == "-" else os.open(self.io.path(name), os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise Failure(f"cannot read: {file_name(name)}: {reason(error)}") from None
        self.io.begin(name, descriptor)
        return descriptor

    def line_blocks(self, name: str) -> Iterator[list[bytes]]:
        descriptor = self.opened(name)
        try:
            for block in blocks(self.io, descriptor, self.end):
                yield split(block, self.end)
        except InputError as error:
            raise Failure(f"read failed: {file_name(name)}: {error}") from None
        finally:
            close_input(self.io, descriptor)

    def lines(self, name: str) -> Iterator[bytes]:
        for some in self.line_blocks(name):
            yield from some

    def in_order(self, lines: list[bytes]) -> list[bytes]:
        """Sorts in place: by the last resort first, then stably by each key from the last to the first."""
        if not self.stable or not self.parts:
            lines.sort(reverse=self.reverse)
        for take, value, back in reversed(self.parts):
            lines.sort(key=lambda line: value(take(line)), reverse=back)
        return lines

    def sort(self) -> None:
        held: list[bytes] = []
        size = 0
        key = self.compared if self.parts or self.reverse else None
        runs = Runs(self.io, self.directory, self.end, key)
        try:
            for name in self.files:
                for some in self.line_blocks(name):
                    held += some
                    size += sum(map(len, some)) + LINE * len(some)
                    if size > self.memory:
                        self.io.hold()  # no signal is attended to while lines are sorted, least of all one that ends it
                        try:
                            self.in_order(held)
                        finally:
                            self.io.release()
                        runs.add(held)
                        held, size = [], 0
            self.in_order(held)
            self.write(runs.merged(held) if runs.levels else held)
        finally:
            runs.close()

    def singles(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The first of each run of lines that compare equal."""
        before: Any = None
        for line in lines:
            now = self.compared(line)
            if before is None or now != before:
                yield line
            before = now

    def write(self, lines: Iterable[bytes], *, held: bool = False) -> None:
        """To stdout or the output file, which is opened only now, as it may be one of the inputs."""
        if self.unique:
            lines = self.singles(lines)
        if self.output is None:
            self.put(lines)
            return
        kept = list(lines) if held else lines
        stdout = self.io.stdout
        try:
            mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
            descriptor = os.open(self.io.path(self.output), mode, 0o666)
        except OSError as error:
            raise Failure(f"open failed: {file_name(self.output)}: {reason(error)}") from None
        try:
            self.io.stdout = descriptor
            self.put(kept)
            self.io.flush()
        except OSError as error:
            self.io.discard()
            raise Failure(f"write failed: {file_name(self.output)}: {reason(error)}") from None
        finally:
            self.io.stdout = stdout
            os.close(descriptor)

    def put(self, lines: Iterable[bytes]) -> None:
        batch: list[bytes] = []
        for line in lines:
            batch.append(line)
            if len(batch) == 8192:
                self.io.write(self.end.join(batch) + self.end)
                batch.clear()
        if batch:
            self.io.write(self.end.join(batch) + self.end)

    def check(self) -> int:
        """The first line that stands wrong ends it."""
        before: Any = None
        for number, line in enumerate(self.lines(self.files[0]), 1):
            now = self.compared(line)
            if before is not None and (now < before or (self.unique and not before < now)):
                if self.checking == "check":
                    shown = line.decode("utf-8", "surrogateescape")
                    self.io.complain(f"{file_name(self.files[0])}:{number}: disorder: {shown}")
                return 1
            before = now
        return 0
