"""What came of a call, in the words an agent gets: text without terminal codes, of bounded length (serving.md)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kernel.errors import KernelError
    from kernel.result import Result
    from kernel.spec import ToolSpec

LONGEST: Final = 40_000  # characters of an answer, and of a page
LONGEST_ERROR: Final = 10_000
_CODES = re.compile(
    # CSI; OSC and its like; other escapes; C1; control characters
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_].*?(?:\x07|\x1b\\\\|$)|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
    "|[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]",
    re.DOTALL,
)


class Answer:
    """The content of a tool result: texts, structured data where there is any, and whether it is an error."""

    __slots__ = ("is_error", "structured", "texts")

    def __init__(self, texts: list[str], structured: dict[str, Any] | None = None, *, is_error: bool = False) -> None:
        self.texts = texts
        self.structured = structured
        self.is_error = is_error


def clean(text: str) -> str:
    """Text without terminal control sequences; line ends are `\\n`."""
    if text.isprintable():
        return text
    return _CODES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters; what is cut is said in a line behind them."""
    if len(text) <= limit:
        return text
    left = len(text) - limit
    return f"{text[:limit]}\n[{left:,} more characters are cut]"


def of_result(spec: ToolSpec, result: Result, page: tuple[str, str] | None = None) -> Answer:
    """The answer of a tool that ran, or could not be started. ``page`` is the first page of a long output, and a note
    that says how the rest is read."""
    if result.error is not None and not result.timed_out:
        return of_error(result.error)
    out, err = clean(result.stdout), clean(result.stderr)
    if result.status == "error":
        return Answer([_failure(result, out, err, page[1] if page else "")], is_error=True)
    if result.status == "empty" and not out:
        out = f"[nothing found: exit status {result.exit_code}]"
    if page is not None:
        shown = "\n".join(page)
    else:
        shown = cut(out, LONGEST)
        if result.stdout_truncated:
            shown += f"\n[the output was longer: the tool keeps its first {len(result.stdout_bytes):,} bytes]"
    texts = [shown]
    if err.strip():
        texts.append(f"[stderr]\n{cut(err, LONGEST_ERROR)}")
    structured = _rooted(result.data) if result.data is not None and len(out) <= LONGEST else None
    return Answer(texts, structured)


def _failure(result: Result, out: str, err: str, note: str) -> str:
    how = f"exit status {result.exit_code}" if result.exit_code is not None else f"ended by {result.signal}"
    if result.timed_out and result.error is not None:
        how = result.error.problems[0].message
    room = LONGEST_ERROR - 500
    parts = [f"[{how}]"]
    if err.strip():
        parts.append(cut(err.strip("\n"), room // 2 if out.strip() else room))
    if out.strip():
        parts.append(f"[stdout]\n{cut(out, room // 2)}")
    return "\n".join([*parts, note] if note else parts)


def _rooted(data: Any) -> dict[str, Any]:
    """Data as an object, which older clients insist on."""
    return data if isinstance(data, dict) else {"result": data}


def of_error(error: KernelError, example: str = "") -> Answer:
    """The answer of a call that was not made: each problem with its code and way out, and a call that would be made."""
    lines = []
    for problem in error.problems[:20]:
        lines.append(f"{problem.message} [{problem.code}]")
        if problem.hint:
            lines.append(f"  hint: {problem.hint}")
    if len(error.problems) > 20:
        lines.append(f"and {len(error.problems) - 20} more")
    if example:
        lines.append(f"example arguments: {example}")
    return Answer([cut(clean("\n".join(lines)), LONGEST_ERROR)], is_error=True)


# What the founding command line answers: six facts, and the streams as they are

FOUNDING_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "exitCode": {"type": ["integer", "null"]},
        "stdout": {"type": "string"},
        "stderr": {"type": "string"},
        "timedOut": {"type": "boolean"},
        "stdoutTruncated": {"type": "boolean"},
        "stderrTruncated": {"type": "boolean"},
    },
    "required": ["exitCode", "stdout", "stderr", "timedOut", "stdoutTruncated", "stderrTruncated"],
    "additionalProperties": False,
}


def founding_result(result: Result) -> Answer:
    """The founding answer of a program that ran, or could not be started."""
    if result.error is not None and not result.timed_out:
        return founding_error(of_error(result.error))
    facts = _facts(result.exit_code, result.stdout, result.stderr)
    facts["timedOut"] = result.timed_out
    facts["stdoutTruncated"], facts["stderrTruncated"] = result.stdout_truncated, result.stderr_truncated
    texts = [result.stdout, *([result.stderr] if result.stderr else [])]
    return Answer(texts, facts, is_error=result.exit_code != 0)


def founding_error(answer: Answer) -> Answer:
    """The founding answer of a call that was not made: the message is its stderr."""
    return Answer(answer.texts, _facts(None, "", answer.texts[0]), is_error=True)


def _facts(exit_code: int | None, stdout: str, stderr: str) -> dict[str, Any]:
    flags = dict.fromkeys(("timedOut", "stdoutTruncated", "stderrTruncated"), False)
    return {"exitCode": exit_code, "stdout": stdout, "stderr": stderr, **flags}
