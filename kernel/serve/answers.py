"""What came of a call, as the parts of a tool result (serving.md); `present.answer` has the words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kernel.present import answer
from kernel.present.answer import LONGEST as LONGEST
from kernel.present.answer import clean as clean

if TYPE_CHECKING:
    from kernel.errors import KernelError
    from kernel.result import Result
    from kernel.spec import ToolSpec


class Answer:
    """The content of a tool result: texts, structured data where there is any, and whether it is an error."""

    __slots__ = ("is_error", "structured", "texts")

    def __init__(self, texts: list[str], structured: dict[str, Any] | None = None, *, is_error: bool = False) -> None:
        self.texts = texts
        self.structured = structured
        self.is_error = is_error


def of_result(spec: ToolSpec, result: Result, page: tuple[str, str] | None = None) -> Answer:
    """The answer of a tool that ran, or could not be started. ``page`` is the first page of a long output, and a note
    that says how the rest is read."""
    if result.error is not None and not result.timed_out:
        return of_error(result.error)
    texts = answer.of_result(result, page)
    if result.status == "error":
        return Answer(texts, is_error=True)
    whole = len(result.stdout_bytes) <= LONGEST or len(clean(result.stdout)) <= LONGEST
    return Answer(texts, _rooted(result.data) if result.data is not None and whole else None)


def _rooted(data: Any) -> dict[str, Any]:
    """Data as an object, which older clients insist on."""
    return data if isinstance(data, dict) else {"result": data}


def of_error(error: KernelError, example: str = "") -> Answer:
    """The answer of a call that was not made: each problem with its code and way out, and a call that would be made."""
    return Answer([answer.of_error(error, example)], is_error=True)


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
