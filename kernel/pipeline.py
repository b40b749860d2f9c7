"""Stages joined by OS pipes: programs are spawned, anything else runs in a fork of this process.

Bytes go from stage to stage by the system alone. Programs never come from a plain fork: they are started by
posix_spawn, whose cost does not grow with this process.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, NoReturn

PIPE_SIZE = 1 << 20  # between programs
SHORT_PIPE_SIZE = 1 << 18  # at a builtin: one that writes much sees that its reader has gone before it is through
IGNORED = (_signal.SIGPIPE, _signal.SIGXFSZ)  # by Python, for itself
CONTROL = (_signal.SIGQUIT, _signal.SIGTERM, _signal.SIGTSTP, _signal.SIGTTIN, _signal.SIGTTOU)  # by a shell with job control
HELD = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT, _signal.SIGTERM)


class Program:
    """A stage that is a program of its own: its file, its words (the name first) and its whole environment."""

    __slots__ = ("argv", "environment", "path")

    def __init__(self, path: str, argv: list[str], environment: Mapping[Any, Any]) -> None:
        self.path = path
        self.argv = argv
        self.environment = environment


class Forked:
    """A stage that runs in a fork: ``run`` gives its exit status, and is called with its streams in place."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[], int]) -> None:
        self.run = run


Stage = Program | Forked


class Starter:
    """How stages are started. ``group`` is None to stay in this process's group, 0 to lead one of their own.

    ``terminal`` is the descriptor of the terminal that a foreground group is given, -1 for none. ``deaf`` starts
    programs that ignore SIGINT and SIGQUIT: the background of a shell without job control. ``in_child`` is called in
    each fork before anything else. ``refused`` gives the stage that stands in for a program that cannot be started.
    """

    __slots__ = ("deaf", "group", "in_child", "refused", "terminal")

    def __init__(
        self,
        group: int | None = None,
        terminal: int = -1,
        deaf: bool = False,
        in_child: Callable[[], None] | None = None,
        refused: Callable[[Program, Exception], Forked] | None = None,
    ) -> None:
        self.group = group
        self.terminal = terminal
        self.deaf = deaf
        self.in_child = in_child
        self.refused = refused

    def start(self, stages: list[Stage], stdin: int = -1, stdout: int = -1) -> list[int]:
        """Starts all stages, the output of each the input of the next; the numbers of their processes.

        ``stdin`` and ``stdout`` are the ends of the pipeline (-1: this process's own); both are closed here. Without
        ``refused``, raises OSError where a program cannot be started; those before it run on, their output closed.
        """
        pids: list[int] = []
        source = stdin
        last = len(stages) - 1
        try:
            for index, stage in enumerate(stages):
                reader, writer = _pipe_behind(stage, stages[index + 1]) if index < last else (-1, stdout)
                try:
                    pids.append(self._one(stage, source, writer, reader))
                finally:
                    _close(source, writer)
                    source = reader
                    stdout = -1 if index == last else stdout
        finally:
            _close(source, stdout)
        return pids

    def _one(self, stage: Stage, stdin: int, stdout: int, other: int) -> int:
        if isinstance(stage, Forked):
            pid = self._fork(stage, stdin, stdout, other)
        else:
            try:
                pid = self.spawn(stage, stdin, stdout)
            except (OSError, ValueError) as error:
                if self.refused is None:
                    raise
                pid = self._fork(self.refused(stage, error), stdin, stdout, other)
        if self.group is not None:
            self._placed(pid)
        return pid

    def _placed(self, pid: int) -> None:
        """The first process leads the group, and the group has the terminal where it is the foreground."""
        if self.group == 0:
            self.group = pid
            if self.terminal >= 0:
                give_terminal(self.terminal, pid)
                try:
                    os.killpg(pid, _signal.SIGCONT)  # it may have asked for the terminal before it was given
                except OSError:
                    pass

    def spawn(self, stage: Program, stdin: int = -1, stdout: int = -1) -> int:
        """Starts one program. Raises OSError."""
        actions = [(os.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in ((stdin, 0), (stdout, 1)) if ours >= 0]
        reset: tuple[int, ...] = IGNORED
        options: dict[str, Any] = {}
        if self.group is not None:
            reset += CONTROL
            options["setpgroup"] = self.group
        before = None
        if self.deaf:
            before = [(number, _signal.signal(number, _signal.SIG_IGN)) for number in (_signal.SIGINT, _signal.SIGQUIT)]
        try:
            return os.posix_spawn(
                stage.path, stage.argv, stage.environment, file_actions=actions, setsigdef=reset, setsigmask=(), **options
            )
        finally:
            for number, handler in before or ():
                _signal.signal(number, handler)

    def _fork(self, stage: Forked, stdin: int, stdout: int, other: int) -> int:
        # a signal between the fork and the child's own handling of it would get lost there: it waits
        before = _signal.pthread_sigmask(_signal.SIG_BLOCK, HELD)
        try:
            pid = os.fork()
        except BaseException:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
            raise
        if pid:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
            if self.group is not None:
                try:
                    os.setpgid(pid, self.group)  # the child does the same; whoever comes first
                except OSError:
                    pass
            return pid
        return self._child(stage, stdin, stdout, other, before)

    def _child(self, stage: Forked, stdin: int, stdout: int, other: int, mask: Iterable[int]) -> NoReturn:
        status = 125
        try:
            if self.group is not None:
                os.setpgid(0, self.group)
                if self.terminal >= 0 and self.group == 0:
                    give_terminal(self.terminal, os.getpid())
            if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:
                _signal.signal(_signal.SIGINT, _signal.SIG_IGN if self.deaf else _signal.SIG_DFL)
            if self.deaf:
                _signal.signal(_signal.SIGQUIT, _signal.SIG_IGN)
            for number in CONTROL if self.group is not None else ():
                _signal.signal(number, _signal.SIG_DFL)
            if stdin >= 0:
                os.dup2(stdin, 0)
            if stdout >= 0:
                os.dup2(stdout, 1)
            _close(stdin, stdout, other)
            if self.in_child is not None:
                self.in_child()
            _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)
            status = stage.run()
        finally:
            os._exit(status & 255)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)


def give_terminal(descriptor: int, group: int) -> None:
    """Makes a group the one that the terminal talks to; SIGTTOU is ignored meanwhile."""
    before = _signal.signal(_signal.SIGTTOU, _signal.SIG_IGN)
    try:
        os.tcsetpgrp(descriptor, group)
    except OSError:
        pass  # the terminal is gone, or the group has ended already
    finally:
        _signal.signal(_signal.SIGTTOU, before)


def _pipe_behind(stage: Stage, following: Stage) -> tuple[int, int]:
    return pipe(SHORT_PIPE_SIZE if isinstance(stage, Forked) or isinstance(following, Forked) else PIPE_SIZE)


def pipe(size: int = PIPE_SIZE) -> tuple[int, int]:
    """A close-on-exec pipe of so many bytes where the system grants it, clear of the standard descriptors."""
    reader, writer = os.pipe()
    if reader < 3 or writer < 3:
        from kernel.feed import above_standard

        reader, writer = above_standard(reader), above_standard(writer)
    try:
        import fcntl

        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, size)
    except (AttributeError, OSError):
        pass
    return reader, writer
