"""The runs of map: children of this process, their output kept whole, in order where that is wanted."""

from __future__ import annotations

import os
import select
import signal
import time

from kernel.builtins.guard import raw, reason
from kernel.builtins.progress import DELAY, WIDEST_BAR, Line, bar
from kernel.builtins.quoting import quoted
from kernel.environment import write_all
from kernel.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

HELD = 1 << 26  # bytes of finished output that wait for their turn before no more runs are begun


class Job:
    """One run: its number, item, process and what it has written so far."""

    def __init__(self, number: int, item: str, process: int, out: int, err: int) -> None:
        self.number = number
        self.item = item
        self.process = process
        self.streams = {out: [], err: []}  # type: dict[int, list[bytes]]
        self.out, self.err = self.streams[out], self.streams[err]
        self.open = {out, err}

    def output(self) -> tuple[bytes, bytes]:
        return b"".join(self.out), b"".join(self.err)


class Jobs:
    """Begins runs, at most ``-j`` at once, and shows what they wrote when each is over; ``failed`` counts failures."""

    def __init__(self, bound: Bound, io: Io, words: list[str]) -> None:
        values = bound.values
        self.io = io
        self.words = words
        self.most = values.get("jobs") or os.cpu_count() or 1
        self.ordered = not values["unordered"]
        self.keep_going = not values["fail_fast"]
        self.running: dict[int, Job] = {}  # by descriptor
        self.ready: dict[int, tuple[bytes, bytes]] = {}  # finished, waiting for their turn
        self.held = 0
        self.next_number = self.next_shown = 0
        self.done = self.failed = self.total = 0
        self.stopped = False
        self.started = time.monotonic()
        self.line = Line(io.stderr)
        self.progress = not values["no_progress"] and self.line.is_possible(io.env)

    def expect(self, total: int) -> None:
        self.total = total

    def active(self) -> int:
        return len({id(job) for job in self.running.values()})

    def add(self, item: str) -> None:
        """Begins a run for the item, when there is room for one."""
        while self.active() >= self.most or (self.held > HELD and self.running):
            self.pump()
        if self.stopped:
            return
        self.begin(item)

    def begin(self, item: str) -> None:
        self.io.flush()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        process = os.fork()
        if process == 0:
            _child(self.io, [self.words[0], *[word.replace("{}", item) for word in self.words[1:]]], out_end, err_end)
        os.close(out_end)
        os.close(err_end)
        job = Job(self.next_number, item, process, out, err)
        self.next_number += 1
        self.running[out] = self.running[err] = job

    def pump(self) -> None:
        """Waits for something to happen to the runs and takes it in."""
        readable, _, _ = select.select(list(self.running), [], [], DELAY if self.progress else None)
        for descriptor in readable:
            job = self.running[descriptor]
            chunk = os.read(descriptor, 65536)
            if chunk:
                job.streams[descriptor].append(chunk)
                continue
            os.close(descriptor)
            del self.running[descriptor]
            job.open.discard(descriptor)
            if not job.open:
                self.end(job)
        self.draw()

    def end(self, job: Job) -> None:
        status = os.waitstatus_to_exitcode(os.waitpid(job.process, 0)[1])
        self.done += 1
        out, err = job.output()
        if status:
            self.failed += 1
            said = f"ended by signal {-status}" if status < 0 else f"status {status}"
            err += raw(f"{self.io.name}: {quoted(job.item)}: {said}\n")
            self.stopped = not self.keep_going
        self.ready[job.number] = out, err
        self.held += len(out) + len(err)
        if self.ordered:
            while self.next_shown in self.ready:
                self.show(self.next_shown)
                self.next_shown += 1
        else:
            self.show(job.number)

    def show(self, number: int) -> None:
        out, err = self.ready.pop(number)
        self.held -= len(out) + len(err)
        self.line.erase()
        self.io.write(out)
        self.io.flush()
        if err:
            write_all(self.io.stderr, err)

    def finish(self) -> None:
        while self.running:
            self.pump()
        self.line.erase()
        if self.failed and self.done > 1:
            self.io.complain(f"{self.failed} of {self.done} runs failed")

    def stop(self) -> None:
        """Ends what still runs."""
        for job in {id(job): job for job in self.running.values()}.values():
            try:
                os.kill(job.process, signal.SIGTERM)
                os.waitpid(job.process, 0)
            except OSError:
                pass
        for descriptor in self.running:
            os.close(descriptor)
        self.running.clear()
        self.line.erase()

    def draw(self) -> None:
        """Says on a terminal how far the runs are."""
        if not self.progress or time.monotonic() - self.started < DELAY:
            return
        if self.total:
            text = f"{bar(self.done, self.total, WIDEST_BAR)} {self.done} of {self.total}"
        else:
            text = f"{self.done} done, {self.active()} running"
        failures = f", {self.failed} failed" if self.failed else ""
        self.line.draw(f"{text}{failures}"[: self.line.room()])


def _child(io: Io, words: list[str], out: int, err: int) -> None:
    """The process of one run: the tool, or the program of that name, with no input. Never returns."""
    status = 125
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, io.stdin), (out, io.stdout), (err, io.stderr)):
            os.dup2(source, target, inheritable=target <= 2)
        try:
            status = io.call(words)
        except KernelError as error:
            if error.code == "E-UNKNOWN-TOOL":
                status = _program(io, words)
            else:
                status = error.status
                write_all(io.stderr, raw(f"{io.name}: {error}\n"))
        io.flush()
    except BrokenPipeError:
        status = 141
    except BaseException as error:
        try:
            write_all(2, raw(f"{io.name}: {type(error).__name__}: {error}\n"))
        except OSError:
            pass
    finally:
        os._exit(status & 255)


def _program(io: Io, words: list[str]) -> int:
    """Becomes the program, as a word that is no tool is one. Returns only when it cannot be started."""
    try:
        os.chdir(io.cwd)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvpe(words[0], words, dict(io.env))
    except OSError as error:
        write_all(io.stderr, raw(f"{io.name}: {quoted(words[0])}: {reason(error)}\n"))
        return 127 if isinstance(error, FileNotFoundError) else 126
