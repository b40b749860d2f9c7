"""What ends a server, and the calls that run then: SIGTERM, SIGINT, SIGHUP, or a client that is gone (serving.md)."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Stop:
    """Ends a server once: ``end_calls`` runs in a thread, beside the event loop, and ``leave`` is called in the loop.

    ``signal`` is the number of the first signal that came, 0 for none.
    """

    def __init__(self, end_calls: Callable[[], None], leave: Callable[[], object]) -> None:
        self.signal = 0
        self._leave = leave
        self._asked = False
        self._ender = threading.Thread(target=end_calls, name="end", daemon=True)

    def install(self) -> None:
        """From now on those signals end the server; SIGINT and SIGHUP that were ignored stay so."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if number == signal.SIGTERM or signal.getsignal(number) != signal.SIG_IGN:
                loop.add_signal_handler(number, self._received, number)

    def _received(self, number: int) -> None:
        self.signal = self.signal or number
        self.now()

    def now(self) -> None:
        """Ends the server."""
        self.end_calls()
        if not self._asked:
            self._asked = True
            self._leave()

    def end_calls(self) -> None:
        """Lets no other call begin, and begins to end those that run."""
        if self._ender.ident is None:
            self._ender.start()

    def wait(self) -> None:
        """Until the last call has ended."""
        self.end_calls()
        self._ender.join()
