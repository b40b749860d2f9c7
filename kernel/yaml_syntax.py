"""What a YAML parser's complaint means: libyaml and PyYAML's own parser word it differently, this says it once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.error import Mark, MarkedYAMLError

_QUOTE = "put the whole value in quotes"
_INDENT = "check the indentation, and quote text that holds a quote, `: ` or ` #`"

# (part of the parser's context or problem, message, hint, whether the place is where the construct begins)
_MEANINGS: tuple[tuple[str, str, str, bool], ...] = (
    ("nesting depth", "the manifest is nested deeper than 32 levels", "take some levels out", False),
    ("scanning an alias", "text that begins with `*` needs quotes", 'write "*…"; a template is "{*}"', True),
    ("scanning an anchor", "text that begins with `&` needs quotes", 'write "&…"', True),
    ("scanning a directive", "a manifest has no YAML directives", "take the line out", True),
    ("parsing a tag", "a manifest has no YAML tags", "take it out; quotes make a text", True),
    ("scanning a tag", "a manifest has no YAML tags", "take it out; quotes make a text", True),
    ("undefined tag handle", "a manifest has no YAML tags", "take it out; quotes make a text", False),
    ("YAML document", "a manifest has no YAML directives", "take the line out", False),
    ("YAML directive", "a manifest has no YAML directives", "take the line out", False),
    ("unexpected end of stream", "a quote is never closed", "close it in the same line", True),
    ("document separator", "a quote is never closed", "close it in the same line", True),
    ("unknown escape", "double quotes hold an unknown escape", r"write `\\` for a backslash, or use single quotes", False),
    ("hexdecimal", "an escape in double quotes is incomplete", r"write `\\` for a backslash, or use single quotes", False),
    ("hexadecimal", "an escape in double quotes is incomplete", r"write `\\` for a backslash, or use single quotes", False),
    ("Unicode character escape", "an escape in double quotes names no character", "write the character itself", False),
    ("scanning a block scalar", "`|` and `>` take only `-`, `+` or a digit behind them", "begin the text in the next line", False),
    ("mapping values are not allowed", "`: ` begins a value where no key can stand", _INDENT, False),
    ("mapping keys are not allowed", "`?` begins a key where none can stand", _QUOTE, False),
    (
        "sequence entries are not allowed",
        "`- ` begins a list item where none can stand",
        "begin the list in a line of its own",
        False,
    ),
    ("could not find expected ':'", "a line has neither `: ` nor quotes", "write `key: value`", True),
    (
        "flow sequence",
        "`,` or `]` is missing in a list",
        "close it, and quote items that hold `[`, `]`, `{`, `}` or `,`",
        False,
    ),
    ("flow mapping", "`,` or `}` is missing in a mapping", "close it, and quote text that holds `{`, `}` or `,`", False),
    ("node content", "a value is missing here", _QUOTE, False),
    ("document start", "something follows the end of the manifest", _INDENT, False),
    ("block mapping", "this fits neither as a key nor as the end of the mapping", _INDENT, False),
    ("block collection", "this fits neither as a list item nor as the end of the list", _INDENT, False),
    ("block sequence", "this fits neither as a list item nor as the end of the list", _INDENT, False),
)


def meaning(error: MarkedYAMLError, text: str) -> tuple[str, str, int, int]:
    """(message, hint, line, column) of a parser's error in ``text``; the place is 0-based, in characters."""
    problem, context = error.problem or "", error.context or ""
    if "cannot start any token" in problem:
        mark = error.context_mark or error.problem_mark
        character = text[mark.index : mark.index + 1] if mark else ""
        return f"text cannot begin with `{character}`", _QUOTE, *_place(mark)
    mark = error.problem_mark or error.context_mark
    for part, message, hint, at_start in _MEANINGS:
        if part in problem or part in context:
            start = error.context_mark
            if part.startswith("flow ") and start and mark and start.line < mark.line:
                # where the reader gave up says little: the bracket was most likely to be closed in its own line
                return f"{message}: the one that begins here goes on until line {mark.line + 1}", hint, *_place(start)
            line, column = _place(start or mark if at_start else mark)
            if part == "unknown escape" and mark and text[mark.index : mark.index + 1] != "\\":
                column -= 1  # PyYAML's own parser names the character behind the backslash
            return message, hint, line, column
    return f"the YAML cannot be read: {problem}", _INDENT, *_place(mark)


def _place(mark: Mark | None) -> tuple[int, int]:
    return (mark.line, mark.column) if mark else (0, 0)
