"""One file of a grep: which lines match, and how they are shown."""

from __future__ import annotations

import os
import re
from collections import deque

from kernel.builtins.lines import blocks
from kernel.builtins.regex_match import LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.builtins.io import Io
    from kernel.builtins.perl_regex import PerlMatcher
    from kernel.builtins.regex_match import Matcher

_INVALID = re.compile("[\udc80-\udcff]")


class Style:
    """What stands round lines: names, numbers, colours. Shared by all files of a call."""

    def __init__(self) -> None:
        self.names = False
        self.numbers = False
        self.offsets = False
        self.null = False
        self.only_matching = False
        self.colors: dict[str, str] = {}  # empty: no colour
        self.group_separator: str | None = "--"
        self.before = -1  # lines of context, -1 when not asked for
        self.after = -1
        self.shown_any = False
        self.unbuffered = False

    def painted(self, text: str, color: str) -> str:
        code = self.colors.get(color, "")
        return f"\x1b[{code}m\x1b[K{text}\x1b[m\x1b[K" if code else text


class Search:
    """What to look for. Shared by all files of a call."""

    def __init__(self, matcher: Matcher | PerlMatcher, end: str, *, utf8: bool, invert: bool, most: int, binary: str) -> None:
        self.matcher = matcher
        self.end = end
        self.encoding = ("utf-8", "surrogateescape") if utf8 else ("latin-1", "strict")
        self.utf8 = utf8
        self.invert = invert
        self.most = most  # selected lines to stop after, -1 for all
        self.binary = binary  # binary, text, without-match
        self.quick = None if matcher.is_risky or end == "\0" else matcher.existence()

    def lines(self, text: str) -> Iterator[tuple[int, int]]:
        """(begin, end) of the records of a block that hold a match, their ends left out."""
        if self.quick is None or (self.matcher.is_slow and max(map(len, text.split(self.end))) > LONG):
            for begin, end in self.every(text):
                if self.matcher.matches(text[begin:end]):
                    yield begin, end
            return
        search, at, size = self.quick.search, 0, len(text)
        while at < size:
            found = search(text, at)
            if found is None:
                return
            place = found.start()
            if place == size and text[-1] == "\n":
                return  # behind the last newline no line begins
            begin = text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            if end < 0:
                end = size
            yield begin, end
            at = end + 1

    def every(self, text: str) -> Iterator[tuple[int, int]]:
        at = 0
        while at < len(text):
            end = text.find(self.end, at)
            if end < 0:
                end = len(text)
            yield at, end
            at = end + 1


class Reader:
    """One file. ``count`` are the lines selected; ``is_binary`` that the rest was not shown because of its bytes."""

    def __init__(self, io: Io, search: Search, style: Style, name: str, *, quiet: bool, first_only: bool) -> None:
        self.io = io
        self.search = search
        self.style = style
        self.name = name.encode("utf-8", "surrogateescape").decode(*search.encoding)
        self.quiet = quiet
        self.first_only = first_only
        self.count = 0
        self.is_binary = False
        self.has_nul = False
        self.done = False
        self.line_number = 1  # of the character at `line_place` of the block
        self.line_place = 0
        self.base = 0  # bytes before the block
        self.place = 0  # in the block, behind the last selected line
        self.kept: deque[tuple[str, int, int]] = deque(maxlen=max(style.before, 1))
        self.pending = 0  # lines of context still to be shown behind a selected one
        self.gap = True  # whether the line before this one was not shown

    def run(self, descriptor: int) -> None:
        search = self.search
        end = search.end.encode()
        start = _place(descriptor)
        for block in blocks(self.io, descriptor, end):
            if search.binary != "text" and end != b"\0" and b"\0" in block:
                if search.binary == "without-match":
                    self.count = 0
                    return
                self.has_nul = True
                if not self.quiet:
                    self.first_only = True
            text = block.decode(*search.encoding)
            if self.has_nul:
                text = text.replace("\0", "\n")
            self.line_place = 0
            self.block(text)
            if self.style.unbuffered:
                self.io.flush()
            if self.done and not self.pending:
                self.give_back(descriptor, start, text)
                return
            if self.style.numbers:
                self.line_number += text.count(search.end, self.line_place)
            self.base += len(block)

    def block(self, text: str) -> None:
        context = self.style.before > 0 or self.style.after > 0
        if not context and not self.search.invert:
            last = -1 if self.gap else 0
            for begin, end in self.search.lines(text):
                if begin != last:
                    self.gap = True
                last = end + 1
                self.selected(text, begin, end)
                if self.done:
                    return
            self.gap = last != len(text)
            return
        matches = self.search.lines(text)
        match = next(matches, None)
        for begin, end in self.search.every(text):
            is_match = match is not None and match[0] == begin
            if is_match:
                match = next(matches, None)
            if is_match != self.search.invert and not self.done:
                self.selected(text, begin, end)
            else:
                self.passed_by(text, begin, end)
            if self.done and not self.pending:
                return

    def selected(self, text: str, begin: int, end: int) -> None:
        self.count += 1
        if self.has_nul and not self.quiet:
            self.is_binary = self.done = self.style.shown_any = True
            return
        if not self.quiet:
            self.show_before()
            if self.gap:
                self.separate()
            self.show(text, begin, end, ":")
            self.pending = max(self.style.after, 0)
        if self.first_only or self.count == self.search.most:
            self.done = True
            self.place = min(end + 1, len(text))
            if self.quiet:
                self.pending = 0

    def passed_by(self, text: str, begin: int, end: int) -> None:
        """A line that is not selected: context, or not shown."""
        if self.quiet:
            return
        if self.pending:
            self.pending -= 1
            self.show(text, begin, end, "-")
            return
        if self.style.before > 0:
            if len(self.kept) == self.style.before:
                self.gap = True
            self.kept.append((text[begin:end], self.number(text, begin), self.offset(text, begin)))
        else:
            self.gap = True

    def show_before(self) -> None:
        if self.kept and self.gap:
            self.separate()
        kept = list(self.kept)
        self.kept.clear()
        for line, number, offset in kept:
            self.line(line, number, offset, "-")

    def separate(self) -> None:
        """The line between groups of lines that do not follow each other."""
        style = self.style
        if (style.before >= 0 or style.after >= 0) and style.shown_any and style.group_separator is not None:
            self.put(style.painted(style.group_separator, "se") + "\n")
        self.gap = False

    def number(self, text: str, begin: int) -> int:
        if self.style.numbers:
            self.line_number += text.count(self.search.end, self.line_place, begin)
            self.line_place = begin
        return self.line_number

    def offset(self, text: str, begin: int) -> int:
        if not self.style.offsets:
            return 0
        return self.base + (len(text[:begin].encode(*self.search.encoding)) if self.search.utf8 else begin)

    def show(self, text: str, begin: int, end: int, mark: str) -> None:
        self.line(text[begin:end], self.number(text, begin), self.offset(text, begin), mark)

    def line(self, line: str, number: int, offset: int, mark: str) -> None:
        style = self.style
        has_matches = (mark == ":") != self.search.invert
        if style.only_matching:
            if has_matches:
                self.parts(line, number, offset, mark)
            style.shown_any = True
            self.gap = False
            return
        if self.has_bad_bytes(line):
            if style.before > 0:
                self.gap = len(self.kept) == style.before
                self.kept.append((line, number, offset))
            return
        body = line
        if style.colors and has_matches:
            body = self.highlighted(line, "ms" if mark == ":" else "mc")
        if style.colors and self.selected_color(mark):
            body = style.painted(body, self.selected_color(mark))
        self.put(self.head(number, offset, mark) + body + self.search.end)
        style.shown_any = True
        self.gap = False

    def has_bad_bytes(self, shown: str) -> bool:
        """Whether text that would be shown is none in this locale; it is left out then, and said at the end."""
        if not self.search.utf8 or self.search.binary == "text" or shown.isascii() or not _INVALID.search(shown):
            return False
        self.is_binary = self.gap = True
        return True

    def selected_color(self, mark: str) -> str:
        color = "sl" if (mark == ":") != (self.search.invert and "rv" in self.style.colors) else "cx"
        return color if self.style.colors.get(color) else ""

    def head(self, number: int, offset: int, mark: str) -> str:
        style = self.style
        separator = style.painted(mark, "se")
        out = self.head_of_name(mark) if style.names else ""
        if style.numbers:
            out += style.painted(str(number), "ln") + separator
        if style.offsets:
            out += style.painted(str(offset), "bn") + separator
        return out

    def head_of_name(self, mark: str) -> str:
        style = self.style
        return style.painted(self.name, "fn") + ("\0" if style.null else style.painted(mark, "se"))

    def matches(self, line: str) -> Iterator[tuple[int, int]]:
        """The matches of a line that are not empty, from left to right."""
        at = 0
        while at <= len(line):
            found = self.search.matcher.longest(line, at)
            if found is None:
                return
            begin, end = found
            if end > begin:
                yield found
            at = end if end > begin else begin + 1

    def parts(self, line: str, number: int, offset: int, mark: str) -> None:
        for begin, end in self.matches(line):
            if self.has_bad_bytes(line[begin:end]):
                return
            place = offset
            if self.style.offsets:
                place += len(line[:begin].encode(*self.search.encoding))
            shown = self.style.painted(line[begin:end], "ms" if mark == ":" else "mc")
            self.put(self.head(number, place, mark) + shown + self.search.end)

    def highlighted(self, line: str, color: str) -> str:
        out, at = [], 0
        for begin, end in self.matches(line):
            out.append(line[at:begin])
            out.append(self.style.painted(line[begin:end], color))
            at = end
        return "".join(out) + line[at:]

    def put(self, text: str) -> None:
        self.io.write(text.encode(*self.search.encoding))

    def give_back(self, descriptor: int, start: int, text: str) -> None:
        """Leaves stdin behind the last selected line, for the next reader, where it can seek."""
        if self.count == self.search.most and descriptor == self.io.stdin and start >= 0:
            os.lseek(descriptor, start + self.base + len(text[: self.place].encode(*self.search.encoding)), os.SEEK_SET)


def _place(descriptor: int) -> int:
    """Where reading starts, -1 for what cannot seek."""
    try:
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return -1
