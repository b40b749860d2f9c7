"""uniq: one of several equal lines in a row, counted, or only the repeated or the single ones."""

from __future__ import annotations

import os
import re

from kernel.builtins.guard import Failure, InputError, guarded, last_given, reason
from kernel.builtins.lines import blocks, close_input, open_input, split
from kernel.builtins.quoting import file_name, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.bound import Bound
    from kernel.builtins.io import Io

UPPER = bytes(range(97)) + bytes(range(65, 91)) + bytes(range(123, 256))


def usage(bound: Bound) -> None:
    """Failure for options that exclude each other."""
    values = bound.values
    everything = last_given(bound, "all_repeated", "all_repeated_plain")
    if values.get("group") and (values["count"] or values["repeated"] or values["unique"] or everything):
        raise Failure("--group is mutually exclusive with -c/-d/-D/-u", param="group")
    if everything and values["count"]:
        raise Failure("printing all duplicated lines and repeat counts is meaningless", param=everything)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read or written."""
    values = bound.values
    method = values.get("group")
    everything = last_given(bound, "all_repeated", "all_repeated_plain")
    usage(bound)
    source = open_input(io, values.get("input", "-"))
    if source < 0:
        return 1
    target, output = io.stdout, values.get("output", "-")
    try:
        if output != "-":
            io.stdout = os.open(io.path(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        groups = Groups(bound, io, method, values.get("all_repeated", "none") if everything == "all_repeated" else "none")
        groups.run(source, bool(everything))
        io.flush()
    except InputError as error:
        raise Failure(f"error reading {quoted(values.get('input', '-'))}: {error}", 1) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"{file_name(output)}: {reason(error)}", 1) from None
    finally:
        close_input(io, source)
        if io.stdout != target:
            os.close(io.stdout)
            io.stdout = target
    return 0


def key_function(bound: Bound) -> Callable[[bytes], bytes] | None:
    """What of a line is compared; None for all of it."""
    values = bound.values
    fields, characters, width = values.get("skip_fields", 0), values.get("skip_chars", 0), values.get("check_chars")
    fold = values["ignore_case"]
    if not fields and not characters and width is None and not fold:
        return None
    stop = None if width is None else characters + width
    skip = re.compile(b"(?:[ \\t\\n]*[^ \\t\\n]*){%d}" % min(fields, 10**6)) if fields else None

    def key(line: bytes) -> bytes:
        if skip is not None:
            found = skip.match(line)
            line = line[found.end() :] if found else b""
        line = line[characters:stop]
        return line.translate(UPPER) if fold else line

    return key


class Groups:
    """Runs of equal lines as they pass."""

    def __init__(self, bound: Bound, io: Io, method: str | None, between: str) -> None:
        values = bound.values
        self.io = io
        self.key = key_function(bound)
        self.end = b"\0" if values["zero_terminated"] else b"\n"
        self.count = values["count"]
        self.single = not values["repeated"]  # are lines that stand alone printed?
        self.multiple = not values["unique"]  # and the first of several?
        self.method = method
        self.between = between

    def run(self, descriptor: int, everything: bool) -> None:
        if self.method:
            self.grouped(descriptor)
        elif everything:
            self.repeated(descriptor)
        else:
            self.firsts(descriptor)

    def firsts(self, descriptor: int) -> None:
        key, write = self.key, self.io.write
        first: bytes | None = None
        last_key: bytes | None = None
        count = 0
        for block in blocks(self.io, descriptor, self.end):
            out: list[bytes] = []
            for line in split(block, self.end):
                line_key = line if key is None else key(line)
                if line_key == last_key:
                    count += 1
                    continue
                if first is not None:
                    self.add(out, first, count)
                first, last_key, count = line, line_key, 1
            write(b"".join(out))
        if first is not None:
            out = []
            self.add(out, first, count)
            write(b"".join(out))

    def add(self, out: list[bytes], line: bytes, count: int) -> None:
        if self.single if count == 1 else self.multiple:
            out.append((b"%7d " % count if self.count else b"") + line + self.end)

    def repeated(self, descriptor: int) -> None:
        """Every line of the runs of two and more."""
        first: bytes | None = None
        last_key: bytes | None = None
        count, shown = 0, 0
        for block in blocks(self.io, descriptor, self.end):
            out: list[bytes] = []
            for line in split(block, self.end):
                line_key = line if self.key is None else self.key(line)
                if line_key != last_key:
                    first, last_key, count = line, line_key, 1
                    continue
                count += 1
                if count == 2 and first is not None:
                    if self.between == "prepend" or (self.between == "separate" and shown):
                        out.append(self.end)
                    shown += 1
                    if self.multiple:
                        out.append(first + self.end)
                out.append(line + self.end)
            self.io.write(b"".join(out))

    def grouped(self, descriptor: int) -> None:
        """Every line, and an empty one between, before or behind the runs."""
        last_key: bytes | None = None
        for block in blocks(self.io, descriptor, self.end):
            out: list[bytes] = []
            for line in split(block, self.end):
                line_key = line if self.key is None else self.key(line)
                if line_key != last_key and (last_key is not None or self.method in ("prepend", "both")):
                    out.append(self.end)
                last_key = line_key
                out.append(line + self.end)
            self.io.write(b"".join(out))
        if last_key is not None and self.method in ("append", "both"):
            self.io.write(self.end)
