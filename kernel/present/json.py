"""Data for programs: one JSON object or list on stdout (running.md, Result)."""

from __future__ import annotations

import base64

from kernel import environment, strict_json
from kernel.errors import KernelError, fail
from kernel.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def write(value: Any) -> None:
    """A value as one line of JSON on stdout."""
    environment.write_out(strict_json.dumps(value) + "\n")


def argv_bytes(argv: list[str]) -> list[str] | None:
    """The items in base64 when one of them is not text, which JSON can only show as U+FFFD (W1); else None."""
    try:
        "".join(argv).encode()
    except UnicodeEncodeError:
        return [base64.b64encode(item.encode("utf-8", "surrogateescape")).decode() for item in argv]
    return None


def result(outcome: Result) -> dict[str, Any]:
    """The object of a call; an error that is several problems lists them all under `problems`."""
    found = outcome.to_dict()
    exact = argv_bytes(outcome.argv)
    if exact is not None:
        found["argv_bytes"] = exact
    if outcome.error is not None:
        found["error"] = error(outcome.error)
    return found


def failed(raised: Exception) -> dict[str, Any]:
    """The object of a call that never ran; what is no KernelError is a fault of the kernel itself."""
    outcome = Result()
    if not isinstance(raised, KernelError):
        raised = fail("E-INTERNAL", f"internal error: {type(raised).__name__}: {raised}")
    outcome.error = raised
    return result(outcome)


def error(raised: KernelError) -> dict[str, Any]:
    """An error as data: its first problem, and all of them under `problems` when there are several."""
    found = raised.problems[0].to_dict()
    if len(raised.problems) > 1:
        found["problems"] = [problem.to_dict() for problem in raised.problems]
    return found
