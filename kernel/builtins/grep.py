"""grep: lines that match a pattern."""

from __future__ import annotations

import os
import stat
import sys

from kernel.builtins.grep_files import Files
from kernel.builtins.grep_lines import Reader, Search, Style
from kernel.builtins.guard import Failure, InputError, guarded, in_every_locale, is_utf8, last_given, raw
from kernel.builtins.lines import close_input, open_input, read
from kernel.builtins.posix_regex import RegexError, line, literals, parse, walk, word
from kernel.builtins.quoting import file_name
from kernel.builtins.regex_match import Matcher
from kernel.environment import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernel.bound import Bound, Trace
    from kernel.builtins.io import Io
    from kernel.builtins.perl_regex import PerlMatcher
    from kernel.builtins.posix_regex import Node

SYNTAXES = ("basic_regexp", "extended_regexp", "fixed_strings", "perl_regexp")
COLORS = {"ms": "01;31", "mc": "01;31", "fn": "35", "ln": "32", "bn": "32", "se": "36"}


def usage(bound: Bound) -> None:
    """Failure for a pattern that is none, or no pattern at all. Those of files are left until they are read."""
    asked = Patterns(bound)

    def read(utf8: bool) -> None:
        patterns = asked.decoded(utf8)
        if _syntax(bound) == "perl_regexp" and patterns:
            perl_matcher(bound, patterns)
        else:
            tree_of(bound, patterns)

    in_every_locale(read)


@guarded(failure=2)
def run(bound: Bound, io: Io) -> int:
    """Status 0 when a line was selected, 1 when none was, 2 for an error (unless --quiet found one)."""
    return Grep(bound, io).run()


class Patterns:
    """The patterns on the line, and what is left as the files to search. Failure where nothing says a pattern.

    ``texts`` are (text, word of the call or -1): every --regexp counts; with a --file a first operand is no pattern but a file.
    """

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        self.files: list[str] = list(values["files"])
        typed = [trace for trace in bound.trace if trace.param == "pattern"]
        self.texts = [(_typed(bound, trace), trace.words[-1]) for trace in typed]
        if not typed and "pattern" in values:
            self.texts = [(values["pattern"], -1)]
        if values["file"] and typed and not typed[-1].spelling:
            self.files.insert(0, self.texts.pop()[0])
        elif not self.texts and not values["file"]:
            raise Failure("no pattern is given", param="pattern")

    def decoded(self, utf8: bool, more: Iterable[bytes] = ()) -> dict[str, int]:
        """Each pattern once, with its word: the lines of the texts, and ``more``, those of files."""
        encoding = ("utf-8", "surrogateescape") if utf8 else ("latin-1", "strict")
        found: dict[str, int] = {}
        for text, index in self.texts:
            for part in raw(text).split(b"\n"):
                found.setdefault(part.decode(*encoding), index)
        for part in more:
            found.setdefault(part.decode(*encoding), -1)
        return found


def _typed(bound: Bound, trace: Trace) -> str:
    """The text of one occurrence: of a single param the binder keeps the last value, of -e each counts."""
    text = bound.words[trace.words[-1]]
    if len(trace.words) < 2 or trace.words[0] != trace.words[1]:
        return text
    return text.partition("=")[2] if text.startswith("--") else text[text.index("e") + 1 :]


def _syntax(bound: Bound) -> str:
    """The param that says what patterns are, "" for none. Failure for several."""
    given = [name for name in SYNTAXES if bound.values[name]]
    if len(given) > 1:
        raise Failure("conflicting matchers specified", param=last_given(bound, *given))
    return given[0] if given else ""


def tree_of(bound: Bound, patterns: dict[str, int]) -> Node:
    """What the patterns match, as one tree. Failure for one that is none."""
    syntax = _syntax(bound)
    nodes: list[Node] = []
    if syntax == "fixed_strings":
        nodes = [literals(list(patterns))] if patterns else []
    else:
        groups = 1
        for pattern, index in patterns.items():
            try:
                nodes.append(parse(pattern, extended=syntax == "extended_regexp", first_group=groups))
            except RegexError as error:
                raise Failure(str(error), param="pattern", word=index) from None
            groups += sum([part[0] == "group" for part in walk(nodes[-1])])
    if not nodes:
        return ("set", False, (), ())  # no pattern at all matches nothing
    return nodes[0] if len(nodes) == 1 else ("alt", tuple(nodes))


def perl_matcher(bound: Bound, patterns: dict[str, int]) -> PerlMatcher:
    """The one pattern of -P. Failure for one that is none, or for several."""
    from kernel.builtins.perl_regex import PerlMatcher

    (pattern, index), *others = patterns.items()
    if others:
        raise Failure("the -P option only supports a single pattern", param="pattern", word=others[0][1])
    values = bound.values
    words, lines = bool(values["word_regexp"]), bool(values["line_regexp"])
    try:
        return PerlMatcher(pattern, fold=bool(values["ignore_case"]), words=words, lines=lines)
    except RegexError as error:
        raise Failure(str(error), param="pattern", word=index) from None


class Grep:
    """One call: the pattern, the files and what is printed of them."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        self.bound = bound
        self.io = io
        self.utf8 = is_utf8(io.env)
        self.quiet = bool(values["quiet"])
        self.silent = bool(values["no_messages"])
        self.list = last_given(bound, "files_with_matches", "files_without_match")
        self.counting = bool(values["count"])
        asked = Patterns(bound)
        operands = asked.files
        patterns = asked.decoded(self.utf8, [text for name in values["file"] for text in self.pattern_file(name)])
        self.matches_nothing = not patterns
        binary = values.get("binary_files", "binary")
        chosen = last_given(bound, "binary_files", "text", "no_binary_match")
        binary = {"text": "text", "no_binary_match": "without-match"}.get(chosen, binary)
        recursion = last_given(bound, "directories", "recursive", "dereference_recursive")
        directories = values.get("directories", "read") if recursion in ("", "directories") else "recurse"
        self.files = Files(bound, io, operands, directories, follow=recursion == "dereference_recursive", silent=self.silent)
        end = "\0" if values["null_data"] else "\n"
        self.search = Search(
            self.matcher(patterns, "" if end == "\0" else "\n"),
            end,
            utf8=self.utf8,
            invert=bool(values["invert_match"]),
            most=max(values.get("max_count", -1), -1),
            binary=binary,
        )
        self.style = self.styled(len(operands), directories == "recurse")
        self.label = values.get("label", "(standard input)")

    def pattern_file(self, name: str) -> list[bytes]:
        descriptor = open_input(self.io, name)
        if descriptor < 0:
            raise Failure("")
        try:
            data = b""
            while chunk := read(descriptor):
                data += chunk
        except InputError as error:
            raise Failure(f"{file_name(name)}: {error}") from None
        finally:
            close_input(self.io, descriptor)
        if not data:
            return []
        return (data[:-1] if data.endswith(b"\n") else data).split(b"\n")

    def matcher(self, patterns: dict[str, int], newline: str) -> Matcher | PerlMatcher:
        values = self.bound.values
        if _syntax(self.bound) == "perl_regexp" and patterns:
            return perl_matcher(self.bound, patterns)
        node = tree_of(self.bound, patterns)
        if values["line_regexp"]:
            node = line(node)
        elif values["word_regexp"]:
            node = word(node)
        return Matcher(node, utf8=self.utf8, fold=bool(values["ignore_case"]), newline=newline)

    def styled(self, operands: int, recursive: bool) -> Style:
        values = self.bound.values
        style = Style()
        asked = last_given(self.bound, "with_filename", "no_filename")
        self.names_by_place = not asked and operands <= 1 and recursive
        style.names = asked == "with_filename" or (not asked and operands > 1)
        style.numbers = bool(values["line_number"])
        style.offsets = bool(values["byte_offset"])
        style.null = bool(values["null"])
        style.unbuffered = bool(values["line_buffered"])
        style.only_matching = bool(values["only_matching"])
        context = last_given(self.bound, "context", "number")
        around = values[context] if context else -1
        style.before = min(values.get("before_context", around), sys.maxsize)  # a deque holds no more
        style.after = values.get("after_context", around)
        separator = last_given(self.bound, "group_separator", "no_group_separator")
        if separator == "no_group_separator":
            style.group_separator = None
        elif separator:
            encoding = ("utf-8", "surrogateescape") if self.utf8 else ("latin-1", "strict")
            style.group_separator = raw(values["group_separator"]).decode(*encoding)
        style.colors = self.colors(values.get("color", "never"))
        return style

    def colors(self, when: str) -> dict[str, str]:
        env = self.io.env
        if when == "auto":
            when = "always" if is_terminal(self.io.stdout) and env.get("TERM", "dumb") != "dumb" else "never"
        if when != "always":
            return {}
        colors = dict(COLORS)
        for part in env.get("GREP_COLORS", "").split(":"):
            name, equals, code = part.partition("=")
            if code.strip("0123456789;"):
                break
            if name == "mt":
                colors["ms"] = colors["mc"] = code
            elif equals or name in ("rv", "ne"):
                colors[name] = code
        return colors

    def run(self) -> int:
        if self.search.most == 0 or (self.matches_nothing and not self.search.invert and self.list != "files_without_match"):
            return 1
        found = False
        for name, descriptor in self.files.walk():
            self.io.begin(name, descriptor)
            try:
                if self.one(name, descriptor):
                    found = True
            finally:
                close_input(self.io, descriptor)
            if found and self.quiet:
                return 0
        return 2 if self.files.failed else 0 if found else 1

    def shown(self, name: str) -> str:
        return str(self.label) if name == "-" else name

    def one(self, name: str, descriptor: int) -> bool:
        """Searches one file and prints what is asked for. Whether a line was selected."""
        style = self.style
        if self.names_by_place:
            style.names = self.files.below_directory
        hidden = self.quiet or bool(self.list) or self.counting
        if not hidden and self.search.most != 1 and self.is_output(descriptor):
            self.files.complain(f"{self.shown(name)}: input file is also the output")
            return False
        first_only = self.quiet or bool(self.list)
        reader = Reader(self.io, self.search, style, self.shown(name), quiet=hidden, first_only=first_only)
        try:
            reader.run(descriptor)
        except InputError as error:
            self.files.complain(f"{self.shown(name)}: {error}")  # what is counted and listed so far is told all the same
        found = reader.count > 0
        if reader.is_binary and self.search.binary == "binary" and not self.silent:
            self.io.complain(f"{self.shown(name)}: binary file matches")
        if self.quiet:
            return found
        if self.counting and not self.list:
            head = reader.head_of_name(":") if style.names else ""
            reader.put(f"{head}{reader.count}\n")
        if self.list and found == (self.list == "files_with_matches"):
            reader.put(style.painted(reader.name, "fn") + ("\0" if style.null else "\n"))
        return found

    def is_output(self, descriptor: int) -> bool:
        try:
            source, target = os.fstat(descriptor), os.fstat(self.io.stdout)
        except OSError:
            return False
        return stat.S_ISREG(target.st_mode) and os.path.samestat(source, target) and source.st_size > 0
