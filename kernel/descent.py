"""Which processes belong to a call: by parent, by the mark in their environment, by the pipes they hold (Linux's /proc).

Elsewhere every answer is empty, and a process group is all there is to end (running.md X3).
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself costs a quarter of a start
import posix
import time

from kernel import system
from kernel.mark import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


def processes() -> list[int]:
    """The ids of all processes but this one."""
    try:
        names = posix.listdir("/proc")
    except OSError:
        return []
    own = posix.getpid()
    return [pid for name in names if name.isdigit() and (pid := int(name)) != own]


def carries(pid: int, marks: Collection[str]) -> bool:
    """Whether a process was started with one of the marks in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return False
    prefix = MARK.encode() + b"="
    carried = [mark for entry in variables if entry.startswith(prefix) for mark in entry[len(prefix) :].split(b":")]
    return any(mark.encode() in carried for mark in marks) if carried else False


def writes_to(pid: int, pipes: frozenset[int]) -> bool:
    """Whether a process holds the writing end of one of the pipes, given by inode."""
    if not pipes:
        return False
    wanted = {f"pipe:[{inode}]" for inode in pipes}
    directory = f"/proc/{pid}/fd"
    try:
        names = posix.listdir(directory)
    except OSError:
        return False
    for name in names:
        path = f"{directory}/{name}"
        try:
            # the mode of the link tells how the file is open; a kernel's own fork holds reading ends only
            if posix.readlink(path) in wanted and posix.lstat(path).st_mode & 0o200:
                return True
        except OSError:
            continue
    return False


def descendants(root: int) -> set[int]:
    """The processes below `root` by parent links, itself not included."""
    children: dict[int, list[int]] = {}
    for pid in processes():
        children.setdefault(_status(pid)[1], []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)
    return found


def _status(pid: int) -> tuple[str, int, int]:
    """State letter, parent and group of a process; ("", 0, 0) for one that is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[1]), int(fields[2])
    except (OSError, ValueError, IndexError):
        return "", 0, 0


def has_group(group: int) -> bool:
    """Whether a process group has a member that runs; True where nobody can tell."""
    if not system.isdir("/proc/self"):
        return True
    return any(state not in ("Z", "X", "") and of == group for state, _, of in map(_status, processes()))


def belonging(marks: Collection[str], pipes: frozenset[int] = frozenset()) -> set[int]:
    """The processes that carry one of the marks or write to one of the pipes."""
    return {pid for pid in processes() if carries(pid, marks) or writes_to(pid, pipes)}


def send(pid: int, number: int) -> bool:
    """A signal to a process; whether it could be sent."""
    try:
        posix.kill(pid, number)
    except OSError:
        return False
    return True


def sweep(marks: Collection[str], pipes: frozenset[int] = frozenset()) -> None:
    """Kills whatever carries one of the marks or writes to the pipes, again until a look finds nothing (at most 10 looks)."""
    for look in range(10):
        found = belonging(marks, pipes)
        if not found:
            return
        if look:
            time.sleep(0.005)  # dying takes a moment
        for pid in found:
            _kill_if_still(pid, marks, pipes)


def _kill_if_still(pid: int, marks: Collection[str], pipes: frozenset[int]) -> None:
    """Kills the process that was found, never another that has got its number since."""
    try:
        handle = posix.pidfd_open(pid)
    except OSError:
        return
    try:
        if carries(pid, marks) or writes_to(pid, pipes):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        pass
    finally:
        posix.close(handle)


class Family:
    """Processes held by descriptors, so that a signal never strikes another that has got the number of one of them.

    The first is a child of this process; without such descriptors (no Linux) it is the only one.
    """

    def __init__(self, child: int) -> None:
        self.child = child
        self.handles: dict[int, int] = {}
        self.add(child)

    def add(self, pid: int) -> None:
        if pid not in self.handles:
            try:
                self.handles[pid] = posix.pidfd_open(pid)
            except (AttributeError, OSError):
                pass  # gone already

    def send(self, number: int) -> None:
        if not self.handles:
            send(self.child, number)
        for handle in self.handles.values():
            try:
                signal.pidfd_send_signal(handle, number)
            except OSError:
                pass

    def wait(self, seconds: float) -> None:
        """Until all have ended, at most so many seconds."""
        end = time.monotonic() + seconds
        if not self.handles:
            look = posix.WEXITED | posix.WNOHANG | posix.WNOWAIT
            while time.monotonic() < end and posix.waitid(posix.P_PID, self.child, look) is None:
                time.sleep(0.01)
        import select

        running = select.poll()
        for handle in self.handles.values():
            running.register(handle, select.POLLIN)
        left = len(self.handles)
        while left and (remaining := end - time.monotonic()) > 0:
            for handle, _ in running.poll(remaining * 1000):
                running.unregister(handle)
                left -= 1

    def close(self) -> None:
        for handle in self.handles.values():
            posix.close(handle)
        self.handles.clear()
