"""The kernel stays as the parent of an attached call: for a timeout, and to run a tool for a builtin (running.md).

Same process group as the caller's job, so the terminal and job control see one job: what the terminal sends goes to
both, a child that stops stops the kernel, and the shell's `fg` continues both.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself costs a quarter of a start
import posix
import time

from kernel import launch
from kernel.errors import fail
from kernel.interrupts import ENDING
from kernel.mark import MARK, marked, new_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.plan import Plan

GRACE = 2.0  # seconds between TERM and KILL
FROM_TERMINAL = 0x80  # si_code of a signal that the system itself made (SI_KERNEL)
LONGEST = 86_400.0  # seconds of one wait: the system takes some hundred years at most
TICK = 0.01  # seconds between looks where the system cannot wait for signals with a timeout

TERMINAL = frozenset([signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP])  # what a terminal sends, to the whole job
PASSED_ON = ENDING | {signal.SIGTSTP}
WAITED_FOR = PASSED_ON | {signal.SIGCHLD, signal.SIGCONT, signal.SIGTTIN, signal.SIGTTOU}


def run(plan: Plan) -> int:
    """Runs the plan on the caller's streams: its exit status, negative for a signal that ended it.

    Raises KernelError: E-TIMEOUT after the plan's timeout, when the child and its descendants are gone; as
    ``dispatch.attached`` for what cannot be started.
    """
    if plan.builtin or plan.spec.sandbox:
        from kernel import child

        path, argv, keep = child.command(plan)
    else:
        path, argv, keep = launch.locate(plan.spec.program, plan.spec.base), plan.argv(), -1
    before_call = _terminal() if plan.timeout and posix.isatty(0) else None
    variables = launch.variables(plan)
    mark = new_mark()
    variables[MARK] = marked(variables.get(MARK, ""), mark)
    stdin = launch.input_descriptor(plan)
    actions = [(posix.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in ((stdin, 0), (keep, keep)) if ours >= 0]
    back = posix.open(".", posix.O_RDONLY | posix.O_CLOEXEC) if plan.cwd else -1
    launch.enter(plan)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would lose the child's status
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
    try:
        pid = posix.posix_spawn(
            path, argv, variables, file_actions=actions, setsigmask=before, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )
        if back >= 0:
            posix.fchdir(back)
        for descriptor in (stdin, keep, back):
            if descriptor >= 0:
                posix.close(descriptor)
        _limit(pid, plan)
        status = _attend(pid, time.monotonic() + plan.timeout if plan.timeout else None)
        if status is None:
            _end(pid, mark)
            if before_call is not None:
                from kernel import terminal

                terminal.put_back(before_call)
    except OSError as error:
        raise launch.start_error(plan, path, error) from None
    finally:
        _discard_pending(before)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if status is None:
        raise fail("E-TIMEOUT", f"`{plan.spec.full_name}` was ended after its timeout of {plan.timeout:g} s", timeout=plan.timeout)
    return status


def _terminal() -> list[Any] | None:
    from kernel import terminal

    return terminal.settings()


def _limit(pid: int, plan: Plan) -> None:
    limits = launch.resource_limits(plan)
    if not limits:
        return
    import resource

    if hasattr(resource, "prlimit"):
        for kind, pair in limits:
            try:
                resource.prlimit(pid, kind, pair)
            except OSError:
                return  # it has ended already


def _attend(pid: int, deadline: float | None) -> int | None:
    """Waits for the child and hands signals on: its exit code (negative for a signal), None at the deadline."""
    look = posix.WNOHANG | posix.WUNTRACED | posix.WCONTINUED
    woken = False  # this process had stopped with the child and has just been continued
    while True:
        changed, status = posix.waitpid(pid, look)
        if changed and posix.WIFSTOPPED(status):
            posix.kill(posix.getpid(), signal.SIGSTOP)  # the shell sees the whole job stopped
            woken = True
            continue
        if changed and not posix.WIFCONTINUED(status):
            return posix.waitstatus_to_exitcode(status)
        if woken and not changed:
            _send(pid, signal.SIGCONT)  # not the job was continued but this process alone
        woken = False
        seconds = None if deadline is None else deadline - time.monotonic()
        if seconds is not None and seconds <= 0:
            return None
        received = _next_signal(None if seconds is None else min(seconds, LONGEST))
        if received is None or received[0] not in PASSED_ON:
            continue
        if received[1] != FROM_TERMINAL or received[0] not in TERMINAL:  # an alarm is the system's too, but for us alone
            _send(pid, received[0])


def _send(pid: int, number: int) -> None:
    try:
        posix.kill(pid, number)
    except OSError:
        pass  # it has ended, or belongs to somebody else now (set-user-id)


def _next_signal(seconds: float | None) -> tuple[int, int] | None:
    """The next signal and its si_code, None when the time is over."""
    if hasattr(signal, "sigtimedwait"):
        found = signal.sigwaitinfo(WAITED_FOR) if seconds is None else signal.sigtimedwait(WAITED_FOR, seconds)
        return None if found is None else (found.si_signo, found.si_code)
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        pending = signal.sigpending() & WAITED_FOR
        if pending:
            return signal.sigwait(pending), 0
        time.sleep(TICK)
    return None


def _discard_pending(before: set[int]) -> None:
    """Takes back what was meant for the child as well and came while it ended: it must not strike the kernel now."""
    while pending := (signal.sigpending() & WAITED_FOR) - before:
        signal.sigwait(pending)


def _end(pid: int, mark: str) -> None:
    """TERM, two seconds, KILL: to the child and its descendants, never to the group, which is the caller's (X3)."""
    from kernel import descent

    family = descent.Family(pid)
    for found in descent.descendants(pid) | descent.belonging([mark]):
        family.add(found)
    family.send(signal.SIGTERM)
    family.send(signal.SIGCONT)
    family.wait(GRACE)
    for found in descent.descendants(pid):
        family.add(found)
    family.send(signal.SIGKILL)
    family.close()
    descent.sweep([mark])
    posix.waitpid(pid, 0)
