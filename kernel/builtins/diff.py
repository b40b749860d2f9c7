"""diff: how two files or directories differ."""

from __future__ import annotations

import os
import re
import stat
import time

from kernel.builtins.calendar_format import Moment, formatted
from kernel.builtins.diff_changes import changes
from kernel.builtins.diff_text import context_form, normal, unified
from kernel.builtins.file_mode import kind
from kernel.builtins.glob_pattern import compiled
from kernel.builtins.guard import Failure, InputError, guarded, in_every_locale, is_utf8, raw, reason, refuse_left_out
from kernel.builtins.lines import close_input, read
from kernel.builtins.posix_regex import RegexError
from kernel.builtins.quoting import file_name, quoted, shell_word
from kernel.builtins.sed_regex import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.bound import Bound
    from kernel.builtins.diff_changes import Change
    from kernel.builtins.io import Io

# what only the program does
LEFT_OUT = (
    *("ed", "rcs", "side_by_side", "left_column", "suppress_common_lines", "width", "show_c_function", "show_function_line"),
    *("expand_tabs", "initial_tab", "tabsize", "suppress_blank_empty", "ignore_file_name_case", "exclude_from", "starting_file"),
    *("from_file", "to_file", "horizon_lines"),
)
_BLANKS = rb"[ \t\n\v\f\r]+"
_SPECIAL = re.compile(r'[\x00-\x20"\\\x7f]')
_ESCAPES = {
    " ": " ",
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
}
_CHECKED = 4096  # bytes that are searched for NUL, which text has none of


def usage(bound: Bound) -> None:
    """Failure for what only the program does, for other than two operands, and for expressions that are none."""
    refuse_left_out(bound, "diff", LEFT_OUT)
    values = bound.values
    if values.get("color") == "always":
        message = "`--color=always` is not supported without the program `diff`"
        raise Failure(message, param="color", code="E-UNSUPPORTED")
    files: list[str] = values["files"]
    if len(files) < 2:
        raise Failure(f"missing operand after {quoted(files[0])}", param="files")
    if len(files) > 2:
        raise Failure(f"extra operand {quoted(files[2])}", param="files", entry=2)
    in_every_locale(lambda utf8: _expressions(bound, utf8))


def _expressions(bound: Bound, utf8: bool) -> list[Expression]:
    """Those of --ignore-matching-lines."""
    found = []
    for entry, pattern in enumerate(bound.values["ignore_matching_lines"]):
        try:
            found.append(Expression(pattern, extended=False, fold=False, lines=False, utf8=utf8))
        except RegexError as error:
            raise Failure(f"{pattern}: {error}", param="ignore_matching_lines", entry=entry) from None
    return found


@guarded(failure=2)
def run(bound: Bound, io: Io) -> int:
    """Status 0 for no differences, 1 for some, 2 for trouble."""
    usage(bound)
    first, second = bound.values["files"]
    return Comparison(bound, io).operands(first, second)


class Side:
    """One of the two: a file, a directory, or nothing (with --new-file)."""

    def __init__(self, comparison: Comparison, name: str, *, missing: bool = False) -> None:
        io = comparison.io
        self.name = name
        self.missing = missing
        self.descriptor = -1
        self.path = io.path(name)
        self.info: os.stat_result | None = None
        if missing:
            return
        follow = not comparison.values["no_dereference"]
        self.info = os.fstat(io.stdin) if name == "-" else os.stat(self.path, follow_symlinks=follow)

    def is_directory(self) -> bool:
        return self.info is not None and stat.S_ISDIR(self.info.st_mode)

    def content(self, io: Io) -> bytes:
        """All of it. Raises OSError and InputError."""
        if self.missing or self.info is None:
            return b""
        if stat.S_ISLNK(self.info.st_mode):
            return os.fsencode(os.readlink(self.path))
        descriptor = io.stdin if self.name == "-" else os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        io.begin(self.name, descriptor)
        parts = []
        try:
            while chunk := read(descriptor):
                parts.append(chunk)
        finally:
            close_input(io, descriptor)
        return b"".join(parts)

    def stamp(self) -> str:
        """The time in the heads of the unified and context forms."""
        nanoseconds = self.info.st_mtime_ns if self.info is not None else 0
        if self.name == "-":
            nanoseconds = time.time_ns()
        seconds, rest = divmod(nanoseconds, 10**9)
        return formatted(Moment(seconds, rest, utc=False), f"%Y-%m-%d %H:%M:%S.{rest:09d} %z")


class Comparison:
    """The options of a call, and the way through directories."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        self.bound = bound
        self.values = values
        self.io = io
        self.labels: list[str] = values["label"]
        self.context = -1
        self.style = "normal"
        for name, style in (("unified", "unified"), ("context", "context")):
            given = [values[each] for each in (name, f"{name}_lines") if values.get(each) is not None]
            if given or values[f"{name}_form"]:
                self.style, self.context = style, max(given, default=3)
        self.key = self.keys()
        self.patterns = [compiled(glob) for glob in values["exclude"]]
        self.ignorable = self.ignorable_line()
        self.switches = self.typed_switches()

    def typed_switches(self) -> str:
        """The options as they were typed, for the heads of files within directories."""
        operands = {index for trace in self.bound.trace if trace.param == "files" for index in trace.words}
        words = [word for index, word in enumerate(self.bound.words) if index not in operands and word != "--"]
        return "".join([f" {shell_word(word)}" for word in words])

    def keys(self) -> Callable[[bytes], bytes] | None:
        """What a line is compared by; None for the line itself."""
        values = self.values
        steps: list[Callable[[bytes], bytes]] = []
        if values["strip_trailing_cr"]:
            steps.append(lambda text: text[:-2] + b"\n" if text.endswith(b"\r\n") else text)
        if values["ignore_all_space"]:
            steps.append(lambda text: re.sub(_BLANKS, b"", text))
        elif values["ignore_space_change"]:
            steps.append(lambda text: re.sub(_BLANKS, b" ", text).removesuffix(b" "))
        else:
            if values["ignore_tab_expansion"]:
                steps.append(lambda text: text.expandtabs(8))
            if values["ignore_trailing_space"]:
                steps.append(lambda text: text.rstrip(b" \t\n\v\f\r"))
        if values["ignore_case"]:
            steps.append(lambda text: text.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape"))
        if not steps:
            return None

        def key(text: bytes) -> bytes:
            for step in steps:
                text = step(text)
            return text

        return key

    def ignorable_line(self) -> Callable[[bytes], bool] | None:
        values = self.values
        spaces = values["ignore_all_space"] or values["ignore_space_change"] or values["ignore_trailing_space"]
        utf8 = is_utf8(self.io.env)
        expressions = _expressions(self.bound, utf8)
        blank = bool(values["ignore_blank_lines"])
        if not blank and not expressions:
            return None

        def is_ignorable(text: bytes) -> bool:
            body = text.removesuffix(b"\n")
            if blank and not (body.strip(b" \t\v\f\r") if spaces else body):
                return True
            decoded = body.decode("utf-8", "surrogateescape") if utf8 else body.decode("latin-1")
            return any(each.matches(decoded) for each in expressions)

        return is_ignorable

    def operands(self, first: str, second: str) -> int:
        sides: list[Side | None] = []
        for name in (first, second):
            try:
                sides.append(Side(self, name))
            except OSError as error:
                fill = self.values["new_file"] or (self.values["unidirectional_new_file"] and not sides)
                if fill and isinstance(error, FileNotFoundError):
                    sides.append(Side(self, name, missing=True))
                    continue
                self.io.complain(f"{file_name(name)}: {reason(error)}")
                sides.append(None)
        left, right = sides
        if left is None or right is None:
            return 2
        if left.missing and right.missing:
            self.io.complain(f"{file_name(first)}: No such file or directory")
            return 2
        both = left.is_directory() or left.missing, right.is_directory() or right.missing
        if all(both) and (left.is_directory() or right.is_directory()):
            return self.directories(left, right)
        if left.is_directory() or right.is_directory():
            return self.in_directory(left, right)
        self.io.expect([first, second])
        return self.files(left, right, "")

    def in_directory(self, left: Side, right: Side) -> int:
        """A file and a directory: the file of that name in the directory."""
        file, directory = (right, left) if left.is_directory() else (left, right)
        if file.name == "-":
            raise Failure("cannot compare '-' to a directory")
        inner = directory.name.rstrip("/") + "/" + file.name.rstrip("/").rpartition("/")[2]
        try:
            other = Side(self, inner)
        except OSError as error:
            self.io.complain(f"{file_name(inner)}: {reason(error)}")
            return 2
        return self.files(other, right, "") if left.is_directory() else self.files(left, other, "")

    # --- directories

    def directories(self, left: Side, right: Side) -> int:
        found: list[set[str]] = []
        for side in (left, right):
            try:
                names = os.listdir(side.path) if not side.missing else []
            except OSError as error:
                self.io.complain(f"{file_name(side.name)}: {reason(error)}")
                return 2
            found.append({name for name in names if not any(pattern.fullmatch(name) for pattern in self.patterns)})
        status = 0
        for name in sorted(found[0] | found[1]):
            status = max(status, self.entry(left, right, name, name in found[0], name in found[1]))
        return status

    def entry(self, left: Side, right: Side, name: str, in_left: bool, in_right: bool) -> int:
        fill = self.values["new_file"] or (self.values["unidirectional_new_file"] and not in_left)
        if not (in_left and in_right) and not fill:
            place = left if in_left else right
            self.say(f"Only in {place.name}: {name}")
            return 1
        sides = []
        for side, there in ((left, in_left), (right, in_right)):
            inner = f"{side.name.rstrip('/') or ''}/{name}"
            try:
                sides.append(Side(self, inner, missing=not there))
            except OSError as error:
                self.io.complain(f"{file_name(inner)}: {reason(error)}")
                return 2
        first, second = sides
        pairs = ((first, second), (second, first))
        kinds = [side.is_directory() or (side.missing and other.is_directory()) for side, other in pairs]
        if all(kinds):
            if self.values["recursive"]:
                return self.directories(first, second)
            self.say(f"Common subdirectories: {first.name} and {second.name}")
            return 0
        if any(kinds):
            first_kind, second_kind = [kind(side.info) if side.info else "" for side in sides]
            self.say(f"File {first.name} is a {first_kind} while file {second.name} is a {second_kind}")
            return 1
        return self.files(first, second, f"diff{self.switches} {escaped(first.name)} {escaped(second.name)}\n")

    def say(self, text: str) -> None:
        self.io.write(raw(text + "\n"))

    # --- files

    def files(self, left: Side, right: Side, head: str) -> int:
        try:
            old, new = left.content(self.io), right.content(self.io) if (left.name, right.name) != ("-", "-") else b""
        except OSError as error:
            self.io.complain(f"{file_name(left.name)}: {reason(error)}")
            return 2
        except InputError as error:
            self.io.complain(f"{file_name(left.name)}: {error}")
            return 2
        if old == new or (left.name, right.name) == ("-", "-"):
            return self.same(left, right)
        if not self.values["text"] and b"\0" in old[:_CHECKED] + new[:_CHECKED]:
            self.say(f"{'Files' if self.values['brief'] else 'Binary files'} {left.name} and {right.name} differ")
            return 1
        lines = [_lines(text) for text in (old, new)]
        found = self.compared(*lines)
        if all(change.ignored for change in found):
            return self.same(left, right)
        if self.values["brief"]:
            self.say(f"Files {left.name} and {right.name} differ")
            return 1
        self.io.write(raw(head))
        self.show(left, right, lines, found)
        return 1

    def same(self, left: Side, right: Side) -> int:
        if self.values["report_identical_files"]:
            self.say(f"Files {left.name} and {right.name} are identical")
        return 0

    def compared(self, old: list[bytes], new: list[bytes]) -> list[Change]:
        minimal = bool(self.values["minimal"])
        horizon = 0 if self.style == "normal" else self.context
        if self.key is None:
            found = changes(old, new, minimal=minimal, horizon=horizon)
        else:
            keys = [[self.key(text) for text in each] for each in (old, new)]
            found = changes(keys[0], keys[1], minimal=minimal, horizon=horizon, texts=(old, new))
        if self.ignorable is not None:
            for change in found:
                touched = old[change.first : change.first + change.deleted] + new[change.second : change.second + change.inserted]
                change.ignored = all(self.ignorable(text) for text in touched)
        return found

    def show(self, left: Side, right: Side, lines: list[list[bytes]], found: list[Change]) -> None:
        old, new = lines
        if self.style == "normal":
            parts = normal(old, new, found)
        else:
            marks = ("---", "+++") if self.style == "unified" else ("***", "---")
            for at, (mark, side) in enumerate(zip(marks, (left, right), strict=True)):
                name = self.labels[at] if at < len(self.labels) else f"{escaped(side.name)}\t{side.stamp()}"
                self.say(f"{mark} {name}")
            parts = (unified if self.style == "unified" else context_form)(old, new, found, self.context)
        for part in parts:
            self.io.write(part)


def escaped(name: str) -> str:
    """A file name in a head: in double quotes, with escapes, when it holds blanks, quotes, backslashes or control characters."""
    if not _SPECIAL.search(name):
        return name
    return '"' + _SPECIAL.sub(lambda found: _ESCAPES.get(found.group()) or f"\\{ord(found.group()):03o}", name) + '"'


def _lines(text: bytes) -> list[bytes]:
    """Lines at newlines only, each with its own."""
    found = [line + b"\n" for line in text.split(b"\n")]
    last = found.pop()[:-1]
    return [*found, last] if last else found
