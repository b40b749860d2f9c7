"""The process of a builtin that does not run in the caller's: it is started with a descriptor that describes the call."""

from __future__ import annotations

import os

from kernel import dispatch, environment, inside
from kernel.builtins import remote
from kernel.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main(descriptor: int) -> NoReturn:
    """Runs the builtin that the descriptor describes, and ends the process."""
    with open(descriptor, "rb") as file:
        builtin, bound = remote.unpack(file.read())
    try:
        status = inside.call(builtin, bound, dict(environment.variables()), environment.working_directory(), 0, dispatch.call)
    except KernelError as error:
        from kernel.present import coloured, problem

        environment.write_error(problem.describe(error, colour=coloured(2)))
        status = error.status
    except Exception as error:
        from kernel.present import fault

        status = fault.report(error)
    os._exit(dispatch.end_by_signal(-status) if status < 0 else status)
