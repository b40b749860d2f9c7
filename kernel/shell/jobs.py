"""The processes that a shell has started: waiting for the foreground, and the table of jobs."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os

from kernel import terminal as caller
from kernel.pipeline import give_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from kernel.shell.adjacent import Statuses
    from kernel.shell.signals import Signals

RUNNING, STOPPED, DONE = "Running", "Stopped", "Done"


class Job:
    """A pipeline. ``statuses`` are those of its processes, None while one runs; ``group`` 0 is the shell's own group.

    ``shared`` has, for each process that runs several of its stages, where their statuses are.
    """

    __slots__ = ("group", "modes", "number", "pids", "shared", "state", "statuses", "text", "told")

    def __init__(self, pids: list[int], group: int, text: str, shared: dict[int, Statuses] | None = None) -> None:
        self.pids = pids
        self.shared = shared or {}
        self.group = group
        self.text = text
        self.statuses: list[int | None] = [None] * len(pids)
        self.state = RUNNING
        self.number = 0
        self.told = False  # whether its end was reported
        self.modes: list[Any] | None = None  # of the terminal, when it was stopped

    def note(self, pid: int, status: int) -> None:
        """Takes what waitpid said about one of its processes."""
        if os.WIFSTOPPED(status):
            self.state = STOPPED
            return
        if os.WIFCONTINUED(status):
            self.state = RUNNING
            return
        code = os.waitstatus_to_exitcode(status)
        self.statuses[self.pids.index(pid)] = code if code >= 0 else 128 - code
        if None not in self.statuses:
            self.state = DONE

    @property
    def results(self) -> list[int]:
        """The exit status of each stage."""
        found: list[int] = []
        for pid, status in zip(self.pids, self.statuses):
            shared = self.shared.get(pid)
            found += [status or 0] if shared is None else shared.all(status or 0)
        return found

    @property
    def status(self) -> int:
        """The exit status of its last process."""
        last = self.statuses[-1]
        return 0 if last is None else last


class Jobs:
    """The job table. ``terminal`` is the controlling terminal's descriptor where there is job control, else -1."""

    def __init__(self, signals: Signals) -> None:
        self.signals = signals
        self.terminal = -1
        self.modes: list[Any] | None = None  # of the terminal, before the foreground job
        self.own_group = 0
        self.table: dict[int, Job] = {}
        self.current: list[int] = []  # numbers, the current job last
        self.finished: dict[int, int] = {}  # statuses of background processes that `wait PID` may still ask for

    @property
    def controlled(self) -> bool:
        """Whether each job has a group of its own."""
        return self.terminal >= 0

    def start_control(self, terminal: int) -> None:
        """Takes the terminal: this process leads a group, which is the terminal's, and never stops itself."""
        usual = self.signals.usual
        for number in (_signal.SIGTSTP, _signal.SIGTTIN, _signal.SIGTTOU, _signal.SIGQUIT, _signal.SIGTERM):
            usual[number] = _signal.SIG_IGN
            _signal.signal(number, _signal.SIG_IGN)
        if _signal.getsignal(_signal.SIGHUP) == _signal.SIG_DFL:
            usual[_signal.SIGHUP] = self._hang_up
            _signal.signal(_signal.SIGHUP, self._hang_up)
        try:
            if os.getpgrp() != os.getpid() and os.getsid(0) != os.getpid():
                os.setpgid(0, 0)
        except OSError:
            pass
        self.own_group = os.getpgrp()
        give_terminal(terminal, self.own_group)
        self.terminal = terminal

    def _hang_up(self, number: int, _: FrameType | None) -> None:
        """The terminal has gone: the system tells only the foreground, so the other jobs are told here."""
        for job in self.table.values():
            for each in (number, _signal.SIGCONT):
                try:
                    os.killpg(job.group, each)
                except OSError:
                    pass  # it has ended
        _signal.signal(number, _signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def in_child(self) -> None:
        """In a fork: its parent's jobs are not its own."""
        self.terminal = -1
        self.table = {}
        self.current = []
        self.finished = {}

    def wait_one(self, pid: int) -> int:
        """Waits for a foreground process without job control: its status (128+n for a signal)."""
        signals = self.signals
        signals.waiting = True
        try:
            _, status = os.waitpid(pid, 0)
        finally:
            signals.waiting = False
        code = os.waitstatus_to_exitcode(status)
        if signals.interrupted:
            signals.interrupted = False
            if code == -_signal.SIGINT:
                raise KeyboardInterrupt
        return code if code >= 0 else 128 - code

    def foreground(self, job: Job) -> list[int]:
        """Waits until the job has ended or stopped: the statuses of its processes."""
        signals = self.signals
        options = os.WUNTRACED if self.controlled else 0
        job.state = RUNNING
        signals.waiting = True
        died = killed = False
        try:
            for pid, known in zip(job.pids, list(job.statuses)):
                if known is not None:
                    continue
                try:
                    _, status = os.waitpid(pid, options)
                except ChildProcessError:
                    status = 127 << 8
                job.note(pid, status)
                killed = killed or os.WIFSIGNALED(status)
                died = died or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == _signal.SIGINT)
                if job.state == STOPPED:
                    break
        finally:
            signals.waiting = False
            if self.controlled:
                give_terminal(self.terminal, self.own_group)
                if job.state == STOPPED:
                    job.modes = caller.settings()
                if killed or job.state == STOPPED:  # it could not put back what it has set
                    caller.put_back(self.modes)
        if job.state == STOPPED:
            self.add(job)
            return [128 + _signal.SIGTSTP]
        self.drop(job)
        if signals.interrupted or (died and self.controlled):
            signals.interrupted = False
            if died:
                raise KeyboardInterrupt
        return job.results

    def note_modes(self) -> None:
        """Keeps how the terminal is set, before a job has it."""
        self.modes = caller.settings()

    def resume(self, job: Job) -> None:
        """Gives the terminal to a job that goes on, set as the job left it when it was stopped."""
        if self.controlled:
            self.note_modes()
            caller.put_back(job.modes)
            job.modes = None
            give_terminal(self.terminal, job.group)

    def add(self, job: Job) -> None:
        """Puts a job into the table, as the current one."""
        if not job.number:
            job.number = max(self.table, default=0) + 1
            self.table[job.number] = job
        if job.number in self.current:
            self.current.remove(job.number)
        self.current.append(job.number)

    def drop(self, job: Job) -> None:
        """Takes a job out of the table."""
        if job.number:
            self.table.pop(job.number, None)
            if job.number in self.current:
                self.current.remove(job.number)

    def poll(self) -> list[Job]:
        """Looks which background jobs have changed, without waiting: those that ended or stopped since the last look."""
        changed = []
        for job in list(self.table.values()):
            before = job.state
            for pid, known in zip(job.pids, list(job.statuses)):
                if known is None:
                    try:
                        ended, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
                    except ChildProcessError:
                        ended, status = pid, 127 << 8
                    if ended:
                        job.note(pid, status)
            if job.state != before:
                changed.append(job)
            if job.state == DONE:
                self._finish(job)
        return changed

    def _finish(self, job: Job) -> None:
        self.finished[job.pids[-1]] = job.status
        if len(self.finished) > 1000:
            del self.finished[next(iter(self.finished))]
        self.drop(job)

    def wait_for(self, job: Job) -> int:
        """Waits for a background job, as `wait` does: its status. A trapped signal raises Interrupted."""
        self.signals.listening = True
        try:
            for pid, known in zip(job.pids, list(job.statuses)):
                while known is None:
                    try:
                        _, status = os.waitpid(pid, os.WUNTRACED if self.controlled else 0)
                    except ChildProcessError:
                        status = 127 << 8
                    job.note(pid, status)
                    if job.state == STOPPED:
                        return 128 + int(_signal.SIGTSTP)
                    known = job.statuses[job.pids.index(pid)]
        finally:
            self.signals.listening = False
        self._finish(job)
        return job.status

    def find(self, text: str) -> Job | None:
        """The job that `%1`, `%%`, `%+`, `%-`, `%text` or a process number names."""
        if text.isdigit():
            return next((job for job in self.table.values() if int(text) in job.pids), None)
        rest = text[1:] if text[:1] == "%" else text
        if rest in ("", "%", "+"):
            return self.table.get(self.current[-1]) if self.current else None
        if rest == "-":
            return self.table.get(self.current[-2]) if len(self.current) > 1 else None
        if rest.isdigit():
            return self.table.get(int(rest))
        return next((job for job in reversed(list(self.table.values())) if job.text.startswith(rest)), None)
