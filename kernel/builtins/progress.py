"""The line on a terminal that says how far a long call is: where it is drawn, and its text."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import select

from kernel.builtins.guard import raw
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType
    from typing import Any

DELAY = 1.0  # seconds before a line is drawn
WITHOUT_CURSOR = ("", "dumb", "unknown", "emacs")  # values of TERM
PARTING = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGQUIT, _signal.SIGTSTP)
WIDEST_BAR, NARROWEST_BAR = 24, 6
LEAST_NAME = 10  # columns that are left to a longer name
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

# below the cursor's own line, which may be the beginning of somebody's output: a row is made there, the cursor comes back
_DRAW, _DRAWN, _ERASE = b"\x1b[J\x1bD\x1b[A\x1b7\x1b[B\r", b"\x1b8", b"\x1b[J"


class Line:
    """A line below the cursor; the cursor and what stands before it are never touched.

    While it ``stands``, a signal that would end or stop this process takes it away first.
    """

    __slots__ = ("_before", "_process", "descriptor", "stands")

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.stands = False
        self._process = 0
        self._before: list[int] = []  # the signals that are attended to

    def is_possible(self, variables: Mapping[str, str]) -> bool:
        """Whether the descriptor is a terminal that can draw."""
        try:
            return os.isatty(self.descriptor) and variables.get("TERM", "") not in WITHOUT_CURSOR
        except OSError:
            return False

    def room(self) -> int:
        """The columns that a text may take; 0 where nothing is to be drawn now, as another job has the terminal."""
        try:
            if os.tcgetpgrp(self.descriptor) != os.getpgrp():
                return 0
            size = os.get_terminal_size(self.descriptor)
        except OSError:
            return 0
        return max((size.columns or 80) - 1, 0) if size.lines != 1 else 0

    def draw(self, text: str) -> None:
        """Shows a text that fits into ``room()``. A terminal that takes nothing now (Ctrl-S) is not waited for."""
        try:
            if select.select([], [self.descriptor], [], 0)[1]:
                self._attend()
                self.stands = True
                write_all(self.descriptor, _DRAW + raw(text) + _DRAWN)
        except (OSError, ValueError):
            pass  # the terminal is gone

    def erase(self) -> None:
        """Takes the line away, where one stands."""
        if self.stands:
            self.stands = False
            try:
                write_all(self.descriptor, _ERASE)
            except OSError:
                pass
            self._leave_alone()

    def _attend(self) -> None:
        if not self.stands:
            self._process = os.getpid()
            self._before = [number for number in PARTING if _signal.getsignal(number) == _signal.SIG_DFL]
            self._handle(self._part)

    def _leave_alone(self) -> None:
        self._handle(_signal.SIG_DFL)
        self._before = []

    def _handle(self, handler: Any) -> None:
        try:
            for number in self._before:
                _signal.signal(number, handler)
        except ValueError:
            pass  # not the main thread: a line may be left behind, handlers that are left do no harm

    def _part(self, number: int, _: FrameType | None) -> None:
        """Follows a signal whose default is to end or stop: without the line. Once continued, a new one may be drawn."""
        if os.getpid() == self._process:  # else a fork, which never drew
            self.erase()
        _signal.signal(number, _signal.SIG_DFL)
        os.kill(os.getpid(), number)


def bar(done: int, total: int, columns: int) -> str:
    """`[###...]`, so many columns wide between its brackets."""
    filled = columns * min(done, total) // total
    return f"[{'#' * filled}{'.' * (columns - filled)}]"


def amount(size: float) -> str:
    """Bytes in binary units: `17 B`, `1.5 KiB`, `210 MiB`."""
    unit = 0
    while size >= 999.5 and unit < len(UNITS) - 1:
        size /= 1024
        unit += 1
    return f"{size:.0f} {UNITS[unit]}" if not unit or size >= 99.95 else f"{size:.1f} {UNITS[unit]}"


def clock(seconds: float) -> str:
    """A duration, rounded up: `0:09`, `12:34`, `1:02:03`."""
    minutes, second = divmod(-int(-seconds // 1), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def shortened(text: str, columns: int) -> str:
    """The end of a text, behind `...` where its beginning does not fit."""
    from kernel.builtins.width import character_width, text_width

    if text_width(text) <= columns:
        return text
    kept, left = "", columns - 3
    for character in reversed(text):
        left -= max(character_width(character), 0)
        if left < 0:
            break
        kept = character + kept
    return f"...{kept}" if columns >= 3 else ""


def described(name: str, note: str, done: int, total: int, rate: float | None, columns: int) -> str:
    """The text of a line, "" where the columns are too few for anything.

    ``name`` is text that can be shown, ``note`` follows it, ``done`` and ``total`` are bytes, ``rate`` is bytes a second
    (None: not known yet). Where it does not fit, bar and name get narrower, then things are left out from the end: time
    left, rate, bytes, bar and name.
    """
    from kernel.builtins.width import text_width  # takes longer to load than most calls take, which draw nothing

    done = min(done, total)
    details = [f"{100 * done // total:3d}%", f"{amount(done)} of {amount(total)}"]
    if rate is not None:
        details.append(f"{amount(rate)}/s")
        if rate >= 1 and done < total:
            details.append(f"{clock((total - done) / rate)} left")
    full = min(text_width(name), max(LEAST_NAME, columns // 3)) + len(note)
    least = min(full, LEAST_NAME + len(note))
    while details:
        tail = "  ".join(details)
        left = columns - len(tail) - 5  # two blanks, the brackets, a blank
        if left >= NARROWEST_BAR + least:
            wide = min(WIDEST_BAR, max(NARROWEST_BAR, left - full))
            return f"{shortened(name, left - wide - len(note))}{note}  {bar(done, total, wide)} {tail}"
        last = details.pop()
    return last.strip() if len(last) <= columns else ""
