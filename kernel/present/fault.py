"""A fault of the kernel itself: one message, never a traceback unless KERNEL_TRACEBACK asks for it."""

from __future__ import annotations

from kernel import environment
from kernel.errors import INTERNAL, fail
from kernel.present import coloured, problem


def report(error: Exception) -> int:
    """Says the fault on stderr; the exit status (125)."""
    if environment.variable("KERNEL_TRACEBACK"):
        import traceback

        environment.write_error("".join(traceback.format_exception(error)))
    place = ""
    trace = error.__traceback__
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    said = fail(
        "E-INTERNAL",
        f"internal error: {type(error).__name__}: {error} (at {place})",
        hint="this is a fault of the kernel: report it with the output of the same line under `KERNEL_TRACEBACK=1`",
    )
    environment.write_error(problem.describe(said, colour=coloured(2)))
    return INTERNAL
