"""The signals that would end the kernel, as a descriptor that cancels a captured call, while one runs (running.md X11).

For commands only, in their main thread: a library installs no handlers.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


class Interrupts:
    """A context: ``descriptor`` becomes readable with the first signal, whose number is then in ``received``."""

    def __init__(self) -> None:
        self.received = 0
        self.descriptor, self._writer = os.pipe()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:  # `nohup` and background jobs stay deaf
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.descriptor)
        os.close(self._writer)

    def _note(self, number: int, _: FrameType | None) -> None:
        if not self.received:
            self.received = number
            os.write(self._writer, b"!")
