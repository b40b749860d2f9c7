"""What came of a call, in the words a model gets: text without terminal codes, of bounded length (serving.md)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.errors import KernelError
    from kernel.result import Result

LONGEST = 40_000  # characters of an answer, and of a page
LONGEST_ERROR = 10_000
_CODES = re.compile(
    # CSI; OSC and its like; other escapes; C1; control characters
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_].*?(?:\x07|\x1b\\\\|$)|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
    "|[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]",
    re.DOTALL,
)


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


def of_result(result: Result, page: tuple[str, str] | None = None) -> list[str]:
    """The texts of a call whose program ran: its output, and what it said on stderr.

    ``page`` is the first page of a long output, and a note that says how the rest is read.
    """
    out, err = clean(result.stdout), clean(result.stderr)
    if result.status == "error":
        return [_failure(result, out, err, page[1] if page else "")]
    if result.status == "empty" and not out:
        out = f"[nothing found: exit status {result.exit_code}]"
    if page is not None:
        shown = "\n".join(page)
    else:
        shown = cut(out, LONGEST)
        if result.stdout_truncated:
            shown += f"\n[the output was longer: the tool keeps its first {len(result.stdout_bytes):,} bytes]"
        elif result.data_fault:
            shown += f"\n[the output is not the JSON that the tool declares: {result.data_fault}]"
    return [shown, *([f"[stderr]\n{cut(err, LONGEST_ERROR)}"] if err.strip() else [])]


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


def of_error(error: KernelError, example: str = "") -> str:
    """The text of a call that was not made: each problem with its code and way out, and a call that would be made."""
    lines = []
    for problem in error.problems[:20]:
        lines.append(f"{problem.message} [{problem.code}]")
        if problem.hint:
            lines.append(f"  hint: {problem.hint}")
    if len(error.problems) > 20:
        lines.append(f"and {len(error.problems) - 20} more")
    if example:
        lines.append(f"example arguments: {example}")
    return cut(clean("\n".join(lines)), LONGEST_ERROR)
