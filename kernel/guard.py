"""A process beside a server that ends the server's running calls when the server is killed (running.md X3).

It is told each group over a pipe. When the pipe closes, by whatever end of the server, it kills the groups that are
still on its list, and what carries their marks.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import os

from kernel import descent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_DEAF = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)


class Guard:
    """The server's end. ``started`` and ``ended`` are called from any thread; one line each, which a pipe never tears."""

    def __init__(self, descriptor: int, pid: int) -> None:
        self.pid = pid
        self._descriptor = descriptor

    def started(self, group: int, mark: str) -> None:
        """A group is running: its leader's process id, and its call's mark."""
        self._tell(f"+ {group} {mark}\n")

    def ended(self, group: int) -> None:
        """A group is gone; to be said before its leader is reaped, while the number can be nobody else's."""
        self._tell(f"- {group}\n")

    def _tell(self, line: str) -> None:
        try:
            os.write(self._descriptor, line.encode())
        except OSError:
            pass  # somebody has killed the guard: the calls themselves go on

    def close(self) -> None:
        """Lets the guard go: it kills what is left, and ends."""
        os.close(self._descriptor)
        try:
            os.waitpid(self.pid, 0)
        except ChildProcessError:
            pass


def start() -> Guard:
    """Starts the guard by a fork. To be called before this process has threads, and before it opens what is secret."""
    reader, writer = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _DEAF)  # none may meet the guard before it has gone deaf
    try:
        pid = os.fork()
        if pid == 0:
            _watch(reader)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(reader)
    return Guard(writer, pid)


def _watch(reader: int) -> NoReturn:
    """The guard itself: a session of its own, so that what ends the server's group does not end it."""
    try:
        os.setsid()
        for number in _DEAF:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _DEAF)
        reader = _keep_only(reader)
        kill_left(_groups(reader))
    finally:
        os._exit(0)


def _keep_only(reader: int) -> int:
    """Closes all descriptors but one, which becomes 3: the client must see the server's streams end."""
    import fcntl

    reader = fcntl.fcntl(reader, fcntl.F_DUPFD, 10)
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.dup2(reader, 3)
    os.closerange(4, 1 << 20)
    return 3


def _groups(reader: int) -> dict[int, str]:
    """Reads to the end of the pipe: the groups that were still running then, with their marks."""
    running: dict[int, str] = {}
    rest = b""
    while data := os.read(reader, 65536):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            sign, group, *mark = line.decode().split()
            if sign == "+":
                running[int(group)] = mark[0]
            else:
                running.pop(int(group), None)
    return running


def kill_left(running: dict[int, str]) -> None:
    """Kills groups, and what left them but carries their marks."""
    for group in running:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            pass
    if running:
        descent.sweep(set(running.values()))
