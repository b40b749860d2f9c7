"""How far a builtin is in the files it reads, looked at from a timer, and drawn at a prompt (see `progress`).

The builtin says which files it reads and goes on as if nobody watched: a descriptor's position tells how far it is.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _thread
import os
import stat
import time
from collections import deque

from kernel.builtins.progress import DELAY, Line, described
from kernel.builtins.quoting import file_name
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    from kernel.builtins.io import Io

PERIOD = 0.2  # seconds between two looks
MEASURING = 0.02  # seconds of a look that are spent on the sizes of what is to be read
SAMPLES = 50  # looks that the rate is taken from
NONE = (0.0, 0.0)


def run(io: Io, call: Callable[[], int]) -> int:
    """Makes a builtin's call, watched: its status."""
    io.watch = watch = Watch(io.stderr, io.env)
    try:
        try:
            return call()
        finally:
            watch.stop()
    except KeyboardInterrupt:
        watch.stop()  # it may have come while the watch was being stopped
        raise


class Input:
    """A file that is being read. ``start`` is where reading began, ``since`` when; ``at`` is set for what seeks about."""

    __slots__ = ("at", "descriptor", "name", "since", "start")

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self.descriptor = descriptor
        self.since = time.monotonic()
        self.at = -1
        try:
            self.start = os.lseek(descriptor, 0, os.SEEK_CUR)
        except OSError:
            self.start = -1

    def size(self) -> int:
        """How much there is to read, -1 where that is not known."""
        if self.start < 0:
            return -1
        info = os.fstat(self.descriptor)
        return max(info.st_size - self.start, 0) if stat.S_ISREG(info.st_mode) else -1

    def done(self) -> int:
        """How much of it was read, 0 where that cannot be seen."""
        if self.at >= 0 or self.start < 0:
            return max(self.at, 0)
        return os.lseek(self.descriptor, 0, os.SEEK_CUR) - self.start


class Watch:
    """The watch over one call, or over several that share a process.

    With ``expect`` the line shows all that is to be read, else the file at hand once it takes long by itself. Where a
    size is not known, nothing is drawn. The timer starts with the first input, which has to be in the main thread: for
    calls in other threads, ``arm`` starts it beforehand.
    """

    def __init__(self, descriptor: int, variables: Mapping[str, str]) -> None:
        self.line = Line(descriptor)
        self._variables = variables
        self._lock = _thread.allocate_lock()  # held while something is written to the terminal
        self._inputs: dict[int, Input] = {}
        self._name = ""
        self._measures: deque[Iterator[int]] = deque()  # of what is to be read, see `sizes`
        self._is_whole = False
        self._unknown = False
        self._files = self._total = 0
        self._begun = self._done = 0  # files begun or passed over, bytes of those that are over
        self._samples: deque[tuple[float, int]] = deque(maxlen=SAMPLES)
        self._is_armed = self.over = False
        self.inner: frozenset[int] = frozenset()  # both ends of the pipes from call to call

    # What is read

    def expect(self, files: Sequence[str | int], *, trees: bool = False, links: bool = True, follow: bool = False) -> None:
        """Says what the call will read: paths, and the descriptor of stdin.

        ``trees`` counts the files below directories, ``links`` what links among the files lead to, ``follow`` those below.
        """
        if not self._is_whole:
            self._is_whole = True
            self._begun = 0  # what was read before was no part of it
        for file in files:
            if file in self.inner:
                continue
            if isinstance(file, int):
                self._measures.append(iter([Input("-", file).size()]))  # now: what was read before does not count
            else:
                self._measures.append(sizes(file, trees, links, follow))
        self.arm()

    def begin(self, name: str, descriptor: int) -> None:
        """A file is read from now on, from where its descriptor stands."""
        if descriptor not in self.inner:
            self._inputs[descriptor] = Input(name, descriptor)
            self._begun += 1
            self.arm()

    def at(self, descriptor: int, done: int) -> None:
        """Says how much was read of what is not read from its beginning to its end."""
        found = self._inputs.get(descriptor)
        if found is not None:
            found.at = done

    def end(self, descriptor: int) -> None:
        """A file is not read any more; to be said before it is closed."""
        found = self._inputs.pop(descriptor, None)
        if found is None:
            return
        if self._is_whole:
            self._done += max(found.size(), 0)
        if self.line.stands and (not self._is_whole or self._unknown or self._done >= self._total):
            self._erase()  # how long the rest takes is not known

    def passed(self, size: int) -> None:
        """A file of those expected is not read."""
        self._begun += 1
        self._done += size

    # The terminal

    def hold(self) -> None:
        """Nothing is drawn from now on until `release`: something is written to the terminal, or asked there."""
        self._lock.acquire()
        self.line.erase()

    def release(self) -> None:
        self._lock.release()

    def write(self, descriptor: int, data: bytes) -> None:
        """Writes data. After output that is seen, and after an unfinished line of a message, nothing is drawn any more."""
        if not self._is_armed or self.over or not data:
            write_all(descriptor, data)
            return
        if descriptor in self.inner or (descriptor != self.line.descriptor and not _is_seen(descriptor)):
            write_all(descriptor, data)
            return
        if descriptor != self.line.descriptor or not data.endswith(b"\n"):
            self.over = True
            _signal.setitimer(_signal.ITIMER_REAL, 0)
        self.hold()
        try:
            write_all(descriptor, data)
        finally:
            self.release()

    def _erase(self) -> None:
        self.hold()
        self.release()

    # The timer

    def arm(self) -> None:
        """Starts the timer, unless SIGALRM or the timer is somebody else's, or there is nothing to draw on."""
        if self._is_armed or self.over:
            return
        self.over = True
        if _signal.getsignal(_signal.SIGALRM) != _signal.SIG_DFL or not self.line.is_possible(self._variables):
            return
        if _signal.getitimer(_signal.ITIMER_REAL) != NONE:
            return
        try:
            _signal.signal(_signal.SIGALRM, self._look)
        except ValueError:
            return  # not the main thread
        self._is_armed, self.over = True, False
        _signal.setitimer(_signal.ITIMER_REAL, DELAY, PERIOD)

    def stop(self) -> None:
        """Ends the watch. In this order no late SIGALRM meets its default, which would end the process."""
        self.over = True
        if self._is_armed:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            self.line.erase()
            _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
            self._is_armed = False

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self.over or not self._lock.acquire(blocking=False):
            return
        try:
            room = self.line.room()
            text = self.text(room) if room else ""
            if text:
                self.line.draw(text)
            elif room:
                self.line.erase()
        except (OSError, ValueError):
            pass  # a file was closed just now
        finally:
            self._lock.release()

    def text(self, columns: int) -> str:
        """What is to be drawn now, "" for nothing."""
        now = time.monotonic()
        inputs = list(self._inputs.values())
        if inputs:
            self._name = inputs[-1].name
        if self._is_whole and not self._unknown:
            if not self._measured(now + MEASURING):
                return ""
            if not self._unknown:
                if not inputs and self._done >= self._total:
                    return ""
                done = self._done + sum([each.done() for each in inputs])
                note = f" ({min(max(self._begun, 1), self._files)} of {self._files})" if self._files > 1 else ""
                return self._drawn(note, now, done, self._total, columns)
        if not inputs or now - inputs[-1].since < DELAY:
            self._samples.clear()
            return ""
        return self._drawn("", now, inputs[-1].done(), inputs[-1].size(), columns)

    def _drawn(self, note: str, now: float, done: int, total: int, columns: int) -> str:
        if total <= 0 or not self._name:
            return ""
        first = self._samples[0] if self._samples else (now, done)
        self._samples.append((now, done))
        rate = (done - first[1]) / (now - first[0]) if now > first[0] and done >= first[1] else None
        name = "standard input" if self._name == "-" else file_name(self._name)
        return described(name, note, done, total, rate, columns)

    def _measured(self, until: float) -> bool:
        """Goes on measuring; whether that is done."""
        while self._measures:
            for size in self._measures[0]:
                if size < 0:
                    self._unknown = True
                elif size:
                    self._files += 1
                    self._total += size
                if time.monotonic() >= until:
                    return False
            self._measures.popleft()
        return True


def sizes(path: str, trees: bool, links: bool, follow: bool) -> Iterator[int]:
    """The bytes of a file, or of each below a directory; 0 for what is not read, -1 where they are not known: a pipe, a device."""
    seen: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        path = waiting.pop()
        try:
            info = os.stat(path, follow_symlinks=links)
        except (OSError, ValueError):
            info = None
        links = follow
        if info is None or stat.S_ISLNK(info.st_mode):
            yield 0
        elif stat.S_ISREG(info.st_mode):
            yield info.st_size
        elif not stat.S_ISDIR(info.st_mode):
            yield 0 if trees else -1  # in a tree it is no input
        else:
            yield 0
            place = (info.st_dev, info.st_ino)
            if trees and place not in seen:
                seen.add(place)
                try:
                    waiting += [os.path.join(path, name) for name in os.listdir(path)]
                except OSError:
                    pass


def _is_seen(descriptor: int) -> bool:
    """Whether what is written there may be shown at once, by a terminal or by a process behind a pipe."""
    mode = os.fstat(descriptor).st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISBLK(mode) and (not stat.S_ISCHR(mode) or os.isatty(descriptor))
