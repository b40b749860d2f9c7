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


def run(plan: Plan, call_tool: Callable[[list[str]], int]) -> int:
    """Runs the plan's builtin on the caller's streams: its exit status, negative for a signal that ends the call."""
    for kind, pair in launch.resource_limits(plan):
        import resource

        resource.setrlimit(kind, pair)
    cwd = plan.cwd or environment.working_directory()
    if plan.cwd and not os.path.isdir(plan.cwd):
        launch.enter(plan)
    stdin = launch.input_descriptor(plan)
    variables = launch.variables(plan) if plan.env else environment.variables()
    return call(plan.builtin, plan.bound, variables, cwd, max(stdin, 0), call_tool)


def call(
    builtin: str, bound: Bound, variables: Mapping[str, str], cwd: str, stdin: int, call_tool: Callable[[list[str]], int]
) -> int:
    """Runs a builtin with its output on descriptors 1 and 2: its exit status, negative for SIGINT or SIGPIPE."""
    name = module_name(builtin)
    __import__(name)
    _complete(builtin, bound)
    io = Io(bound.spec.name, variables, cwd, call_tool, stdin, alone=True)
    try:
        status: int = sys.modules[name].run(bound, io)
        io.flush()
    except BrokenPipeError:
        return -int(_signal.SIGPIPE)
    except KeyboardInterrupt:
        return -int(_signal.SIGINT)
    return status


def _complete(builtin: str, bound: Bound) -> None:
    """Gives the builtin what its own manifest declares and the caller's leaves out: the params without a value."""
    shipped = locate.shipped_directory()
    if not shipped or bound.spec.file == os.path.join(shipped, f"{builtin}.yaml"):
        return
    from kernel import store
    from kernel.bound import Bound
    from kernel.check import check
    from kernel.spec import ToolSpec

    full = store.by_name(builtin, [locate.Directory(shipped, "shipped")])
    declared = {param.name for param in bound.spec.params}
    spec = ToolSpec(name=bound.spec.name, path=bound.spec.path, params=tuple([p for p in full.params if p.name not in declared]))
    rest = check(Bound(spec), {})
    bound.values.update(rest.values)
    bound.texts.update(rest.texts)
    bound.origins.update(rest.origins)
