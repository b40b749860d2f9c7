"""Plan → a running program or builtin: attached to the caller's streams, or captured into a Result (running.md)."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]

from kernel import environment, launch, system
from kernel.launch import end_by_signal as end_by_signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from kernel.plan import Plan
    from kernel.result import Result


def attached(plan: Plan, door: str = "call", *, watched: bool = False) -> int:
    """Runs a judged plan on the caller's own streams and returns its exit status.

    Becomes the program (and never returns) when nothing has to happen afterwards; with a timeout it stays as its
    parent, and so it does where KERNEL_AUDIT is 1: the call is then recorded as made at ``door``. When a signal
    ended the child, the same signal ends this process. ``watched`` draws how far a builtin in this process is.
    Raises KernelError: E-NOT-FOUND (127), E-NOT-EXECUTABLE (126), E-NEEDS, E-SANDBOX, E-TIMEOUT (124), E-FILE.
    """
    choose(plan)
    audited = environment.variable("KERNEL_AUDIT") == "1"
    if plan.timeout or audited:
        from kernel import supervise

        if audited:
            from kernel import audit

            status = audit.attend(plan, supervise.run, door)
        else:
            status = supervise.run(plan)
    elif plan.builtin and not plan.spec.sandbox:
        from kernel import inside

        status = inside.run(plan, call, watched=watched)
    else:
        _become(plan)
    return end_by_signal(-status) if status < 0 else status


def captured(plan: Plan, *, stdin: int | bytes = 0, cancel: int = -1, one_shot: bool = True, served: bool = False) -> Result:
    """Runs a judged plan, collects its output under its limits and returns the Result, whatever the child did.

    ``stdin`` is what the child reads where the plan says "caller": a descriptor, or bytes (none: the null device).
    The call is cancelled when the descriptor ``cancel`` becomes readable. ``one_shot`` says that this process makes
    this one call: it may then change directory, and turns SIGINT, SIGTERM and SIGHUP into a cancellation (X3, X11).
    ``served`` calls see the few variables of X5 only.
    What kept the program from being started, or a timeout, is the result's ``error``.
    """
    from kernel import collect
    from kernel.errors import KernelError
    from kernel.result import Result

    try:
        choose(plan)
    except KernelError as error:
        result = Result()
        result.argv = plan.masked()
        result.error = error
        return result
    return collect.run(plan, stdin=stdin, cancel=cancel, one_shot=one_shot, served=served)


def choose(plan: Plan) -> None:
    """Decides between program and builtin, and refuses a tool that lacks what it needs (manifest.md, `needs`)."""
    spec = plan.spec
    if spec.needs_programs or spec.needs_env or spec.needs_os or (spec.builtin and spec.has_exec):
        from kernel import needs

        needs.settle(plan)


def call(words: list[str]) -> int:
    """Runs another tool for a builtin, on the same streams: its exit status, 128+n for a signal.

    Raises KernelError as the stages do, E-EFFECT for a call that would have to be confirmed.
    """
    from kernel import bind, check, locate, policy, render, store, supervise

    bound = bind.bind(store.by_name(words[0], locate.search_path()), words[1:])
    check.check(bound, environment.variables())
    plan = render.render(bound)
    policy.judge(plan)
    choose(plan)
    status = supervise.run(plan)
    return status if status >= 0 else 128 - status


def _become(plan: Plan) -> NoReturn:
    """Replaces this process by the program."""
    if plan.spec.sandbox:
        import os

        from kernel import child

        path, argv, keep = child.command(plan)
        if keep >= 0:
            os.set_inheritable(keep, True)
    else:
        path, argv = launch.locate(plan.spec.program, plan.spec.base), plan.argv()
    descriptor = launch.input_descriptor(plan)
    launch.enter(plan)
    if descriptor >= 0:
        system.dup2(descriptor, 0)
    for kind, pair in launch.resource_limits(plan):
        import resource

        resource.setrlimit(kind, pair)
    # Python ignores these two for itself; the program is to find them as they were
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
    try:
        if plan.env:
            system.execve(path, argv, launch.variables(plan))
        system.execv(path, argv)
    except OSError as error:
        _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
        raise launch.start_error(plan, path, error) from None
