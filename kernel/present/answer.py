"""What came of a call as text for a model: no terminal codes, bounded length."""

from __future__ import annotations

import re

from kernel.errors import KernelError
from kernel.result import Result

LONGEST = 40_000  # characters of an answer
LONGEST_ERROR = 10_000
_CODES = re.compile(
    "\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_].*?(?:\x07|\x1b\\\\|$)|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"  # CSI, OSC and such, others
    "|[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]",
    re.DOTALL,
)


def of_result(result: Result) -> str:
    """What a program that ran wrote, with how it ended where that is no success."""
    out, err = clean(result.stdout), clean(result.stderr).strip("\n")
    parts = []
    if not result.ok:
        how = f"exit status {result.exit_code}" if result.exit_code is not None else f"ended by {result.signal}"
        parts.append(f"[{str(result.error) if result.error is not None else how}]")
    elif result.status == "empty" and not out:
        parts.append(f"[nothing found: exit status {result.exit_code}]")
    if out:
        parts.append(cut(out, LONGEST, " and more" if result.stdout_truncated else ""))
    if err:
        parts.append(f"[stderr]\n{cut(err, LONGEST_ERROR, ' and more' if result.stderr_truncated else '')}")
    return "\n".join(parts)


def of_error(error: KernelError) -> str:
    """Each problem of a call that was not made, with its code and way out."""
    lines = []
    for problem in error.problems[:20]:
        lines.append(f"{problem.message} [{problem.code}]")
        if problem.hint:
            lines.append(f"  hint: {problem.hint}")
    if len(error.problems) > 20:
        lines.append(f"and {len(error.problems) - 20} more")
    return cut(clean("\n".join(lines)), LONGEST_ERROR)


def clean(text: str) -> str:
    """Text without terminal control sequences; line ends are `\\n`."""
    if text.isprintable():
        return text
    return _CODES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def cut(text: str, limit: int, more: str = "") -> str:
    """At most ``limit`` characters; what is cut is said in a line behind them. ``more`` says that it was cut before, too."""
    left = len(text) - limit
    if left <= 0:
        return f"{text}\n[the output goes on]" if more else text
    return f"{text[:limit]}\n[{left:,} more characters{more} are cut]"
