"""What is started for a plan that gets a process of its own: its program, or the process of its builtin; in its sandbox."""

from __future__ import annotations

from kernel import launch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.plan import Plan


def command(plan: Plan) -> tuple[str, list[str], int]:
    """(path, argv, a descriptor that the process needs under the same number, -1 for none).

    Raises KernelError: E-NOT-FOUND (127), E-NOT-EXECUTABLE (126), E-SANDBOX.
    """
    keep = -1
    needed: tuple[str, ...]
    if plan.builtin:
        from kernel.builtins import remote

        argv, keep = remote.command(plan)
        path, needed = argv[0], remote.FILES
    else:
        path, argv = launch.locate(plan.spec.program, plan.spec.base), plan.argv()
        needed = (path,)
    if plan.spec.sandbox:
        from kernel import sandbox

        try:
            path, argv = sandbox.command(plan, path, argv, needed)
        except BaseException:
            if keep >= 0:
                import os

                os.close(keep)
            raise
    return path, argv, keep
