"""The signals that would end the kernel, as a descriptor that cancels a captured call, while one runs (running.md X11).

For commands only, in their main thread: a library installs no handlers.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself costs a quarter of a start

from kernel import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Self

_ELSE = (  # what does not end a process, cannot be caught, or is no request to end
    *("SIGKILL", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT", "SIGCHLD", "SIGURG", "SIGWINCH", "SIGINFO"),
    *("SIGPIPE", "SIGXFSZ"),  # answers to a write, which Python reports as errors
    *("SIGILL", "SIGTRAP", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS", "SIGEMT"),  # this process's own faults
)
ENDING = frozenset(signal.valid_signals()) - {getattr(signal, name, 0) for name in _ELSE}
"""Every signal that somebody may send to end a process, real-time ones too."""


class Interrupts:
    """A context: ``descriptor`` becomes readable with the first signal, whose number is then in ``received``."""

    def __init__(self) -> None:
        self.received = 0
        self.descriptor, self._writer = system.pipe()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in ENDING:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):  # `nohup` and background jobs stay deaf
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        system.close(self.descriptor)
        system.close(self._writer)

    def _note(self, number: int, _: FrameType | None) -> None:
        if not self.received:
            self.received = number
            system.write(self._writer, b"!")
