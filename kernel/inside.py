"""A builtin run in this process, alone in the foreground (running.md X12)."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import sys

from kernel import environment, launch, locate
from kernel.builtins import module_name
from kernel.builtins.io import Io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kernel.bound import Bound
    from kernel.plan import Plan


def run(plan: Plan, call_tool: Callable[[list[str]], int], *, watched: bool = False) -> int:
    """Runs the plan's builtin on the caller's streams: its exit status, negative for a signal that ends the call.

    ``watched`` draws on the terminal how far it is.
    """
    for kind, pair in launch.resource_limits(plan):
        import resource

        resource.setrlimit(kind, pair)
    cwd = plan.cwd or environment.working_directory()
    if plan.cwd and not os.path.isdir(plan.cwd):
        launch.enter(plan)
    stdin = launch.input_descriptor(plan)
    variables = launch.variables(plan) if plan.env else environment.variables()
    return call(plan.builtin, plan.bound, variables, cwd, max(stdin, 0), call_tool, watched=watched)


def call(
    builtin: str,
    bound: Bound,
    variables: Mapping[str, str],
    cwd: str,
    stdin: int,
    call_tool: Callable[[list[str]], int],
    *,
    watched: bool = False,
) -> int:
    """Runs a builtin with its output on descriptors 1 and 2: its exit status, negative for SIGINT or SIGPIPE."""
    name = module_name(builtin)
    __import__(name)
    if not locate.is_shipped(builtin, bound.spec.file):
        from kernel import misuse

        misuse.complete(builtin, bound)
    io = Io(bound.spec.name, variables, cwd, call_tool, stdin, alone=True)
    try:
        if watched:
            from kernel.builtins import watch

            return watch.run(io, lambda: _run(name, bound, io))
        return _run(name, bound, io)
    except BrokenPipeError:
        return -int(_signal.SIGPIPE)
    except KeyboardInterrupt:
        return -int(_signal.SIGINT)


def _run(module: str, bound: Bound, io: Io) -> int:
    status: int = sys.modules[module].run(bound, io)
    io.flush()
    return status
