"""The settings of the caller's terminal: put back where the kernel itself ended a child, which could not do so."""

from __future__ import annotations

import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def settings() -> list[Any] | None:
    """How the terminal on stdin is set; None where there is none, or another job has it."""
    if not _is_ours():
        return None
    import termios

    try:
        found: list[Any] = termios.tcgetattr(0)
    except termios.error:
        return None
    return found


def put_back(before: list[Any] | None) -> None:
    """Sets the terminal as it was before a call that was ended."""
    if before is None or not _is_ours():
        return
    import termios

    try:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
    except termios.error:
        pass  # it has gone


def _is_ours() -> bool:
    """Whether stdin is a terminal and this process is of the job in its foreground."""
    try:
        return posix.isatty(0) and posix.tcgetpgrp(0) == posix.getpgrp()
    except OSError:
        return False
