"""A child in a session of its own: output under caps, a deadline, and an end that takes everything with it (X3, X4)."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enums of masks
import atexit
import errno
import os
import select
import signal
import threading
import time

from kernel import descent
from kernel.feed import above_standard
from kernel.mark import MARK, marked, new_mark
from kernel.stream import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Watcher(Protocol):
        """Who is told of each group while it runs: ``guard.Guard``."""

        def started(self, group: int, mark: str) -> None: ...

        def ended(self, group: int) -> None: ...


GRACE = 2.0  # seconds between TERM and KILL
LAST_GRACE = 0.5  # the same when the kernel itself is ending
DRAIN = 0.2  # seconds that pipes are read on after the child has ended
OUTPUT = 1 << 20  # bytes kept of a stream where the manifest says nothing
LONGEST = 86_400.0  # seconds of one wait: the system takes some weeks at most
TICK = 0.02  # seconds between looks at what the system does not tell by itself

_live: dict[int, str] = {}  # leader of a running group -> the call's mark
_lock = threading.Lock()
_starting = 0  # children that are being started and are not in `_live` yet
_started = threading.Condition(_lock)
_last = 0  # the thread that ends the interpreter, once it does: no other starts anything any more
_unswept: dict[str, frozenset[int]] = {}  # mark -> pipes of the calls that wait to be swept
_sweeping = threading.Lock()

_watcher: Watcher | None = None


class Outcome:
    """How a child ended.

    ``status`` is its exit status, negative for a signal, None when unknown; ``ended`` is "", "timeout" or "cancel".
    """

    __slots__ = ("duration", "ended", "err", "out", "status")

    def __init__(self, out: Stream, err: Stream) -> None:
        self.status: int | None = None
        self.ended = ""
        self.duration = 0.0
        self.out = out
        self.err = err


def capture(
    path: str,
    argv: list[str],
    environment: dict[str, str],
    *,
    stdin: int,
    cwd: str = "",
    keep: int = -1,
    timeout: float = 0.0,
    output: int = OUTPUT,
    spill: str = "",
    limits: list[tuple[int, tuple[int, int]]] | None = None,
    cancel: int = -1,
    reader: int = -1,
    one_shot: bool = False,
) -> Outcome:
    """Runs a program to its end and collects what it writes.

    ``stdin`` is a descriptor for it to read; ``keep`` is one more that it gets under the same number. ``timeout`` is
    in seconds, 0 for none; ``output`` the bytes kept of each stream; ``spill`` the directory for the whole of a
    longer stream. The call ends when ``cancel`` becomes readable, or nobody reads from the pipe ``reader`` any more.
    ``one_shot``: this process may change directory.
    Raises OSError when the program cannot be started.
    """
    mark = new_mark()
    environment = {**environment, MARK: marked(environment.get(MARK, ""), mark)}
    out_reader, out_writer = _pipe()
    err_reader, err_writer = _pipe()
    started = time.monotonic()
    # an interruption just when there is a child, but nobody yet who knows of it, would leave it behind; Popen's own
    # children cannot be given a mask
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT,) if one_shot or not cwd else ())
    try:
        _announce()
        try:
            pid = _spawn(path, argv, environment, cwd, (stdin, out_writer, err_writer), keep, one_shot)
        except BaseException:
            _register(0, mark)
            raise
    except BaseException:
        for descriptor in (out_reader, out_writer, err_reader, err_writer):
            os.close(descriptor)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
        raise
    _register(pid, mark)
    os.close(out_writer)
    os.close(err_writer)
    outcome = Outcome(Stream(out_reader, output, spill), Stream(err_reader, output, spill))
    child = _Child(pid, mark, outcome, cancel, reader)
    child.grace = LAST_GRACE if one_shot else GRACE  # a cancelled one-shot process is ending itself
    try:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
        for kind, pair in limits or ():
            child.limit(kind, pair)
        child.run(started + timeout if timeout else None)
    except BaseException:
        child.run(child.terminate(LAST_GRACE))
        raise
    finally:
        child.finish()
        outcome.duration = time.monotonic() - started
    return outcome


class _Child:
    """One running child and its two streams."""

    def __init__(self, pid: int, mark: str, outcome: Outcome, cancel: int, reader: int) -> None:
        self.pid = pid
        self.mark = mark
        self.outcome = outcome
        self.cancel = cancel
        self.ending = False  # TERM was sent
        self.exited = False  # it is a zombie, reaped by `finish`
        self.cancelled = False
        self.grace = GRACE  # that a cancelled call has
        self.handle = _open_handle(pid)
        self.streams = {stream.descriptor: stream for stream in (outcome.out, outcome.err)}
        self.pipes: frozenset[int] = frozenset()
        self.poll = select.poll()
        for descriptor in self.streams:
            self.poll.register(descriptor, select.POLLIN)
        for descriptor in (self.handle, cancel):
            if descriptor >= 0:
                self.poll.register(descriptor, select.POLLIN)
        if reader >= 0:
            self.poll.register(reader, 0)  # its error is the news

    def limit(self, kind: int, pair: tuple[int, int]) -> None:
        import resource

        if hasattr(resource, "prlimit"):
            try:
                resource.prlimit(self.pid, kind, pair)
            except OSError:
                pass  # it has ended already

    def run(self, deadline: float | None) -> None:
        """Reads until the child has ended and its pipes are empty, or has been given all the time there is."""
        draining = False
        while self.streams or not self.exited:
            self._wait(deadline)
            now = time.monotonic()
            if self.exited and not self.ending and not draining:
                # what holds the pipes now is left-over, or a daemon that is meant to live
                draining, deadline = True, now + DRAIN
            if self.ending and self.exited and not descent.has_group(self.pid):
                return  # whoever holds the pipes is no member, and will not be asked but killed
            if deadline is not None and now >= deadline:
                if draining or self.ending:
                    return
                self.outcome.ended = "timeout"
                deadline = self.terminate(GRACE)
            elif self.cancelled and not self.ending and not draining:
                self.outcome.ended = "cancel"
                deadline = self.terminate(self.grace)

    def _wait(self, deadline: float | None) -> None:
        """One round of waiting: takes what has come, and sees whether the child has ended."""
        seconds = None if deadline is None else min(max(deadline - time.monotonic(), 0.0), LONGEST)
        if (self.handle < 0 and not self.exited) or (self.ending and self.exited):
            seconds = TICK if seconds is None else min(seconds, TICK)
        for descriptor, _ in self.poll.poll(None if seconds is None else seconds * 1000):
            stream = self.streams.get(descriptor)
            if stream is not None:
                if not stream.read():
                    self._close(stream)
            else:
                self.poll.unregister(descriptor)
                if descriptor == self.handle:
                    self.exited = True
                else:
                    self.cancelled = True
        if self.handle < 0 and not self.exited:
            self.exited = _has_ended(self.pid)

    def _close(self, stream: Stream) -> None:
        self.poll.unregister(stream.descriptor)
        del self.streams[stream.descriptor]
        stream.close()

    def terminate(self, grace: float) -> float:
        """Asks the whole group to end; returns the time at which its grace is over."""
        self.ending = True
        self.pipes = frozenset([os.fstat(descriptor).st_ino for descriptor in self.streams])
        signal_group(self.pid, signal.SIGTERM)
        signal_group(self.pid, signal.SIGCONT)  # a stopped one cannot end
        return time.monotonic() + grace

    def finish(self) -> None:
        """Kills what is left of the group, reads what it has left in the pipes, and reaps the child."""
        # the child is a zombie at most, so its number cannot belong to another group yet
        signal_group(self.pid, signal.SIGKILL)
        if self.ending:
            _sweep(self.mark, self.pipes)
        with _lock:
            _live.pop(self.pid, None)
        if _watcher is not None:
            _watcher.ended(self.pid)
        try:
            self.outcome.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        except ChildProcessError:
            pass  # other code of this process has waited for it, or has told the system not to keep statuses
        for stream in list(self.streams.values()):
            stream.drain()
            self._close(stream)
        if self.handle >= 0:
            os.close(self.handle)


def signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except OSError:
        pass  # nothing of it is left


def end_all(grace: float = LAST_GRACE) -> None:
    """Ends every call that is still running: the kernel itself is ending."""
    with _lock:
        running = dict(_live)
        for pid in running:
            signal_group(pid, signal.SIGTERM)
            signal_group(pid, signal.SIGCONT)
    if not running:
        return
    end = time.monotonic() + grace
    while time.monotonic() < end and any(_runs(pid) for pid in running):
        time.sleep(0.01)
    with _lock:
        for pid in running:
            if pid in _live:
                signal_group(pid, signal.SIGKILL)
    descent.sweep(set(running.values()))


def _sweep(mark: str, pipes: frozenset[int]) -> None:
    """Kills what has left a call's group. Calls that end at one time are looked for together: a look takes all of /proc."""
    with _lock:
        _unswept[mark] = pipes
    with _sweeping:
        with _lock:
            batch = dict(_unswept)
            _unswept.clear()
        if batch:  # else another thread has swept for this call while it waited
            descent.sweep(set(batch), frozenset().union(*batch.values()))


def _runs(pid: int) -> bool:
    with _lock:
        return pid in _live and not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Whether a child has ended; it stays to be reaped."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True  # somebody else has reaped it


def _announce() -> None:
    """A child is about to be started. Raises OSError where the interpreter is ending and nobody would end the child."""
    global _starting
    with _lock:
        if _last not in (0, threading.get_ident()):
            raise OSError(errno.ECANCELED, "the interpreter is ending")
        _starting += 1


def _register(pid: int, mark: str) -> None:
    """The child that was announced is there, or (0) is not."""
    global _starting
    with _lock:
        _starting -= 1
        if pid:
            _live[pid] = mark
        _started.notify_all()
    if pid and _watcher is not None:
        _watcher.started(pid, mark)


@atexit.register
def _end() -> None:
    """The interpreter ends: so do the calls of threads that nobody waits for, those included that are just beginning."""
    global _last
    with _lock:
        _last = threading.get_ident()
        _started.wait_for(lambda: not _starting, LAST_GRACE)
    end_all()


def tell(watcher: Watcher | None) -> None:
    """Names who is told of each group from now on; a server names its guard."""
    global _watcher
    _watcher = watcher


def _pipe() -> tuple[int, int]:
    """A pipe, clear of the standard descriptors."""
    reader, writer = os.pipe()
    if reader < 3 or writer < 3:
        reader, writer = above_standard(reader), above_standard(writer)
    return reader, writer


def _open_handle(pid: int) -> int:
    """A descriptor that becomes readable when the process ends, or -1."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _spawn(
    path: str, argv: list[str], environment: dict[str, str], cwd: str, streams: tuple[int, int, int], keep: int, one_shot: bool
) -> int:
    if cwd and not one_shot:
        return _spawn_in(path, argv, environment, cwd, streams, keep)
    actions = [(os.POSIX_SPAWN_DUP2, streams[0], 0), (os.POSIX_SPAWN_DUP2, streams[1], 1), (os.POSIX_SPAWN_DUP2, streams[2], 2)]
    if keep >= 0:
        actions.append((os.POSIX_SPAWN_DUP2, keep, keep))
    back = -1
    if cwd:
        back = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
        os.chdir(cwd)
    try:
        return os.posix_spawn(
            path, argv, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )
    finally:
        if back >= 0:
            os.fchdir(back)
            os.close(back)


def _spawn_in(path: str, argv: list[str], environment: dict[str, str], cwd: str, streams: tuple[int, int, int], keep: int) -> int:
    """The same with a working directory, in a process whose own one belongs to all of its threads."""
    import subprocess

    child = subprocess.Popen(
        argv,
        executable=path,
        env=environment,
        cwd=cwd,
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        pass_fds=(keep,) if keep >= 0 else (),
        start_new_session=True,
    )
    child.returncode = 0  # it is waited for here, not by Popen
    return child.pid
