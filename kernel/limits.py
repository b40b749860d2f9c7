"""How often a tool may be called, and how many calls of it may run at once, where others are served (running.md X4)."""

from __future__ import annotations

import _thread  # `threading` would cost every cold call
import time

from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

RATE = (60, 60.0)  # calls, seconds: over stdio, where nothing else is said
CONCURRENCY = 1


class Gate:
    """The gate before one tool; used as a context, it is passed or raises KernelError (E-RATE, E-BUSY).

    A window begins with the first call after the one before is over. A call that comes this far has sound arguments;
    one that is refused because too many are running uses a slot of the window all the same. Safe in several threads.
    """

    def __init__(
        self,
        name: str,
        concurrency: int = CONCURRENCY,
        rate: tuple[int, float] | None = RATE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.concurrency = concurrency
        self.rate = rate
        self._clock = clock
        self._lock = _thread.allocate_lock()
        self._running = 0
        self._used = 0
        self._ends = float("-inf")

    def __enter__(self) -> Self:
        with self._lock:
            if self.rate is not None:
                self._use_slot(*self.rate)
            if self._running >= self.concurrency:
                raise fail(
                    "E-BUSY",
                    f"`{self.name}` is running already, and only {_calls(self.concurrency)} may run at once",
                    hint="call it again when the other call has ended",
                    concurrency=self.concurrency,
                )
            self._running += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1

    def _use_slot(self, most: int, seconds: float) -> None:
        now = self._clock()
        if now >= self._ends:
            self._ends, self._used = now + seconds, 0
        if self._used >= most:
            raise fail(
                "E-RATE",
                f"`{self.name}` may be called {most} times in {seconds:g} s, and was",
                hint=f"call it again in {max(self._ends - now, 0.1):.1f} s",
                retry_after=round(self._ends - now, 3),
            )
        self._used += 1


def _calls(count: int) -> str:
    return "one call" if count == 1 else f"{count} calls"


_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def rate_of(text: str) -> tuple[int, float] | None:
    """`60/60s` as calls and the seconds of their window; None for text that is no rate."""
    calls, slash, window = text.partition("/")
    digits = window.rstrip("msh")
    if slash and window != digits and _is_count(calls) and _is_count(digits) and (unit := window[len(digits) :]) in _SECONDS:
        return int(calls), int(digits) * _SECONDS[unit]
    return None


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 0
