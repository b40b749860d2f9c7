"""cut: chosen bytes or fields of each line."""

from __future__ import annotations

from kernel.builtins.guard import About, Failure, guarded, last_given, raw
from kernel.builtins.lines import blocks, chunks, for_each_input, split
from kernel.builtins.ranges import ENDLESS, complement, parse_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for a list or a delimiter that is none."""
    Choice(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be read, 2 for a list that is none."""
    values, choice = bound.values, Choice(bound)
    ranges, delimiter = choice.ranges, choice.delimiter
    end = b"\0" if values["zero_terminated"] else b"\n"
    given = values.get("output_delimiter")
    joint = (delimiter if choice.by_field else b"") if given is None else raw(given) or (b"\0" if choice.by_field else b"")
    if not choice.by_field:
        return for_each_input(io, values["files"], lambda _, fd: Bytes(ranges, joint).cut(io, fd, end))
    fields = Fields(ranges, delimiter, joint, bool(values["only_delimited"]))
    work = fields.cut_file if delimiter == end else fields.cut_lines
    return for_each_input(io, values["files"], lambda _, fd: work(io, fd, end))


class Choice:
    """What is taken of each line, by the words alone."""

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        lists = [name for name in ("bytes", "characters", "fields") if name in values]
        if len(lists) > 1:
            raise Failure("only one type of list may be specified", param=last_given(bound, *lists))
        if sum(trace.param in lists for trace in bound.trace) > 1:
            raise Failure("only one list may be specified", param=lists[0])
        if not lists:
            raise Failure("you must specify a list of bytes, characters, or fields")
        self.by_field = lists[0] == "fields"
        if not self.by_field and "delimiter" in values:
            raise Failure("an input delimiter may be specified only when operating on fields", param="delimiter")
        if not self.by_field and values["only_delimited"]:
            message = "suppressing non-delimited lines makes sense only when operating on fields"
            raise Failure(message, param="only_delimited")
        self.delimiter = raw(values.get("delimiter", "\t")) or b"\0"
        if len(self.delimiter) > 1:
            raise Failure("the delimiter must be a single character", param="delimiter")
        with About(lists[0]):
            ranges = parse_ranges(values[lists[0]], "field" if self.by_field else "byte/character")
        self.ranges = complement(ranges) if values["complement"] else ranges


class Bytes:
    """Which bytes of a line, and how they are joined. A line may be longer than the memory: it is cut as it comes."""

    def __init__(self, ranges: list[tuple[int, int]], joint: bytes) -> None:
        self.slices = [slice(first - 1, last) for first, last in ranges]
        self.joint = joint
        self.position = 0  # in the line that has no end yet
        self.has_begun = False  # something of it was taken

    def cut(self, io: Io, descriptor: int, end: bytes) -> None:
        self.position, self.has_begun = 0, False
        for chunk in chunks(io, descriptor):
            first, *lines = chunk.split(end)
            if not lines:
                io.write(self.taken(first))
                continue
            last = lines.pop()
            io.write(end.join([self.taken(first), *self.of_each(lines)]) + end)
            self.position, self.has_begun = 0, False
            io.write(self.taken(last))
        if self.position:
            io.write(end)

    def of_each(self, lines: list[bytes]) -> list[bytes]:
        """The same of whole lines."""
        if len(self.slices) == 1:
            return [line[self.slices[0]] for line in lines]
        return [self.joint.join([part for piece in self.slices if (part := line[piece])]) for line in lines]

    def taken(self, piece: bytes) -> bytes:
        """What is chosen of the next piece of a line."""
        out = []
        for chosen in self.slices:
            if part := piece[max(chosen.start - self.position, 0) : max(chosen.stop - self.position, 0)]:
                if self.has_begun and chosen.start >= self.position:
                    out.append(self.joint)
                out.append(part)
                self.has_begun = True
        self.position += len(piece)
        return b"".join(out)


class Fields:
    """Which fields of a line, and how they are joined."""

    def __init__(self, ranges: list[tuple[int, int]], delimiter: bytes, joint: bytes, only_delimited: bool) -> None:
        self.slices = [slice(first - 1, last) for first, last in ranges]
        self.delimiter = delimiter
        self.joint = joint
        self.only_delimited = only_delimited
        # Fields past the last one wanted need no splitting; nor does a tail that is printed as it stands.
        self.splits = 0
        if ranges:
            first, last = ranges[-1]
            self.splits = last if last < ENDLESS else first - 1 if joint == delimiter else -1

    def chosen(self, line: bytes) -> bytes:
        parts = line.split(self.delimiter, max(1, self.splits) if self.splits >= 0 else -1)
        if len(self.slices) == 1:
            return self.joint.join(parts[self.slices[0]])
        return self.joint.join([part for piece in self.slices for part in parts[piece]])

    def cut_lines(self, io: Io, descriptor: int, end: bytes) -> None:
        for block in blocks(io, descriptor, end):
            out = []
            for line in split(block, end):
                if self.delimiter in line:
                    out.append(self.chosen(line))
                elif not self.only_delimited:
                    out.append(line)
            if out:
                io.write(end.join(out) + end)

    def cut_file(self, io: Io, descriptor: int, end: bytes) -> None:
        """The delimiter is the line's end: the lines are the fields of the whole file."""
        text = b"".join(blocks(io, descriptor, end))
        if not text:
            return
        body = text[:-1] if text[-1:] == end else text
        if self.delimiter in text:
            has_first = bool(self.slices) and self.slices[0].start == 0
            if has_first or end in body or not self.only_delimited:
                io.write(self.chosen(body) + end)
        elif not self.only_delimited:
            io.write(body + end)
