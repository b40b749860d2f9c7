"""What can go wrong, as data: a problem has a code, a place, facts and a way out.

Nothing here draws: ``present.problem`` lays a problem out for a person, ``to_dict`` gives it to a program.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

USAGE = 2
TIMED_OUT = 124
INTERNAL = 125
NOT_EXECUTABLE = 126
NOT_FOUND = 127

# code: (kind shared with other parsers' test corpora, exit status, meaning)
CODES: dict[str, tuple[str, int, str]] = {
    # words of a call (argv-grammar U1)
    "E-UNKNOWN-FLAG": ("unknown_option", USAGE, "A word begins with a dash and spells no flag of the tool."),
    "E-ARITY": ("missing_value", USAGE, "A flag got fewer values than it takes."),
    "E-UNEXPECTED-VALUE": ("unexpected_value", USAGE, "Text is attached to a flag that takes none, or not this text."),
    "E-TYPE": ("bad_type", USAGE, "A value is not of the param's type."),
    "E-CHOICE": ("bad_choice", USAGE, "A value is not among the param's choices."),
    "E-RANGE": ("bad_range", USAGE, "A number or a count of items is below `min` or above `max`."),
    "E-PATTERN": ("bad_pattern", USAGE, "A value does not match the param's pattern."),
    "E-TOO-MANY": ("extra_positional", USAGE, "There are more operands than the tool takes."),
    "E-REQUIRED": ("missing_required", USAGE, "A required param has no value."),
    "E-DUPLICATE": ("duplicate", USAGE, "A key of a `unique_by` param, or a JSON key, is given twice."),
    "E-GROUP": ("bad_group", USAGE, "The params given breach a group of the manifest."),
    "E-OPERAND-GAP": ("missing_required", USAGE, "An operand has a value while one before it has none."),
    "E-UNKNOWN-KEY": ("unknown_option", USAGE, "A JSON argument names no param of the tool."),
    "E-SUBCOMMAND": ("unknown_command", USAGE, "A subcommand is missing or unknown."),
    "E-USAGE": ("bad_usage", USAGE, "A builtin itself calls its words wrong: one is missing, too many, or not what it reads."),
    "E-ENCODING": ("bad_type", USAGE, "A value holds a NUL byte or text that no argv can carry."),
    "E-JSON": ("bad_json", USAGE, "Text is not strict JSON."),
    # tools and manifests
    "E-UNKNOWN-TOOL": ("unknown_command", USAGE, "No manifest on the search path defines the tool."),
    "E-UNKNOWN-VERB": ("unknown_command", USAGE, "The first word is no verb of the program."),
    "E-YAML": ("bad_manifest", USAGE, "A manifest is not the strict YAML that manifests are written in."),
    "E-MANIFEST": ("bad_manifest", USAGE, "A manifest breaks a rule of the manifest format."),
    "E-TEMPLATE": ("bad_manifest", USAGE, "An argument template cannot be read or names an undeclared param."),
    "E-SCHEMA": ("bad_manifest", USAGE, "An input schema uses what closed flat schemas do not allow."),
    "E-UNTRUSTED": ("untrusted", USAGE, "A manifest could have been written by somebody else."),
    "E-NEEDS": ("unavailable", USAGE, "Something the tool needs is missing on this machine."),
    "E-FILE": ("bad_file", USAGE, "A file cannot be read or written."),
    # the shell
    "E-SYNTAX": ("syntax", USAGE, "A text is no commands, or uses what the shell's language leaves out."),
    "E-EXPAND": ("expansion", 1, "A word has no value: a pattern matches no file, a key does not exist, a number is none."),
    "W-MANIFEST": ("warning", 0, "A manifest loads, but holds something that is probably not meant."),
    # running
    "E-DASH": ("refused", USAGE, "A value would reach the program as an option."),
    "E-PATH": ("refused", USAGE, "A path lies outside the allowed roots or is denied."),
    "E-EFFECT": ("refused", USAGE, "A destructive call was not confirmed."),
    "E-SECRET": ("refused", USAGE, "A secret is missing or would be shown."),
    "E-RATE": ("refused", USAGE, "A tool was called more often than its limit allows."),
    "E-BUSY": ("refused", USAGE, "As many calls of a tool are running as its limit allows."),
    "E-LIMIT": ("refused", USAGE, "A limit asked for cannot be kept on this system."),
    "E-SANDBOX": ("refused", USAGE, "The sandbox that a tool asks for cannot be set up."),
    "E-RECORD": ("refused", USAGE, "A call is not in the record, or cannot be made again from it."),
    "E-NOT-FOUND": ("not_found", NOT_FOUND, "The program is on no directory of the PATH."),
    "E-NOT-EXECUTABLE": ("not_executable", NOT_EXECUTABLE, "The program cannot be started."),
    "E-FAILED": ("failed", 1, "The program ran and ended with a status that means an error."),
    "E-TIMEOUT": ("timeout", TIMED_OUT, "The call ran past its timeout."),
    "E-UNSUPPORTED": ("unsupported", USAGE, "A builtin does not support what was asked of it."),
    "E-INTERNAL": ("internal", INTERNAL, "The kernel itself failed."),
}


class Place:
    """A place in a file or text: 1-based line and column, the line's text, and how many characters to mark."""

    __slots__ = ("column", "file", "line", "text", "width")

    def __init__(self, file: str, line: int, column: int, text: str = "", width: int = 1) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        self.width = width

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class WordPlace:
    """A place in a call's words: the word's 0-based index, and the span in it to mark (whole word by default)."""

    __slots__ = ("index", "start", "width")

    def __init__(self, index: int, start: int = 0, width: int = 0) -> None:
        self.index = index
        self.start = start
        self.width = width

    def __str__(self) -> str:
        return f"word {self.index + 1}"


class Problem:
    """One thing that is wrong.

    ``message`` is one sentence without a final period, names and values in backticks. ``hint`` says how to fix
    it. ``facts`` are JSON-able extras by name: ``param``, ``wanted``, ``got``, ``near`` (list), ``words`` …
    ``secret`` marks a problem whose word must be shown as ``***``.
    """

    __slots__ = ("code", "facts", "hint", "message", "secret", "where")

    def __init__(
        self,
        code: str,
        message: str,
        where: Place | WordPlace | None = None,
        hint: str = "",
        *,
        secret: bool = False,
        **facts: Any,
    ) -> None:
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint
        self.secret = secret
        self.facts: dict[str, Any] = facts

    @property
    def kind(self) -> str:
        """The kind other parsers' corpora use for this code (``unknown_option``, ``missing_value`` …)."""
        return CODES[self.code][0]

    def to_dict(self) -> dict[str, Any]:
        """``{code, message, hint?, file?, line?, column?, word?, …facts}``, ready for JSON."""
        out: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.hint:
            out["hint"] = self.hint
        where = self.where
        if isinstance(where, Place):
            out["file"], out["line"], out["column"] = where.file, where.line, where.column
        elif where is not None:
            out["word"] = where.index
        for key, value in self.facts.items():
            out.setdefault(key, value)
        return out


class KernelError(Exception):
    """The one exception of the kernel: one or more problems found together.

    ``problems`` is never empty. ``code``, ``where`` and ``hint`` are those of the first. ``status`` is the exit
    status a command ends with. A door may set ``words``, the words as typed, and ``prefix``, the words that
    stood before them (``kernel call NAME``), so that carets can be drawn under them.
    """

    def __init__(self, problems: Iterable[Problem], *, status: int | None = None) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        first = self.problems[0]
        super().__init__(first.message)
        self.status = CODES[first.code][1] if status is None else status
        self.words: list[str] | None = None
        self.prefix: tuple[str, ...] = ()

    def __reduce__(self) -> Any:  # an exception is rebuilt from its message, where nothing else is said
        return _rebuilt, (self.problems, self.status, self.words, self.prefix)

    @property
    def code(self) -> str:
        return self.problems[0].code

    @property
    def where(self) -> Place | WordPlace | None:
        return self.problems[0].where

    @property
    def hint(self) -> str:
        return self.problems[0].hint

    def __str__(self) -> str:
        lines = []
        for problem in self.problems:
            place = f"{problem.where}: " if isinstance(problem.where, Place) else ""
            lines.append(f"{place}{problem.message} [{problem.code}]" + (f" ({problem.hint})" if problem.hint else ""))
        return "\n".join(lines)


def _rebuilt(problems: tuple[Problem, ...], status: int, words: list[str] | None, prefix: tuple[str, ...]) -> KernelError:
    error = KernelError(problems, status=status)
    error.words, error.prefix = words, prefix
    return error


def fail(
    code: str, message: str, where: Place | WordPlace | None = None, hint: str = "", *, secret: bool = False, **facts: Any
) -> KernelError:
    """A KernelError with one problem: ``raise fail("E-FILE", "…")``."""
    return KernelError([Problem(code, message, where, hint, secret=secret, **facts)])


def refusal(error: OSError | MemoryError) -> KernelError:
    """What to say where the system gives no more of something: memory, processes, descriptors."""
    if isinstance(error, MemoryError):
        return fail("E-FILE", "the memory does not suffice")
    where = f"`{error.filename}` cannot be read or written" if error.filename else "the system refused"
    return fail("E-FILE", f"{where}: {error.strerror or error}")
