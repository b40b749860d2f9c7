"""tee: stdin to stdout and to files."""

from __future__ import annotations

import os
import signal

from kernel.builtins.guard import guarded, reason
from kernel.builtins.lines import read
from kernel.builtins.quoting import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def wants_process(bound: Bound) -> bool:
    """`-i` changes what a signal does to a whole process."""
    return bool(bound.values["ignore_interrupts"])


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when one of the outputs could not be written; the others get everything all the same."""
    values = bound.values
    status = 0
    mode = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_APPEND if values["append"] else os.O_TRUNC)
    outputs = [("standard output", io.stdout)]
    for name in values["files"]:
        try:
            outputs.append((file_name(name), os.open(io.path(name), mode, 0o666)))
        except OSError as error:
            io.complain(f"{file_name(name)}: {reason(error)}")
            status = 1
            if str(values.get("output_error")).startswith("exit"):
                break
    if status and len(outputs) <= len(values["files"]) and str(values.get("output_error")).startswith("exit"):
        return 1
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if values["ignore_interrupts"] else None
    try:
        return copy(bound, io, outputs) or status
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        for name, descriptor in outputs:
            if name != "standard output":
                os.close(descriptor)


def copy(bound: Bound, io: Io, outputs: list[tuple[str, int]]) -> int:
    """Each chunk to each output that still takes it, at once and without a buffer. Closes none of them."""
    mode = bound.values.get("output_error") or ("warn-nopipe" if bound.values["pipe_errors"] else "")
    live, status = list(outputs), 0
    io.begin("-", io.stdin)
    while live and (chunk := read(io.stdin)):
        for output in list(live):
            name, descriptor = output
            try:
                io.put(descriptor, chunk)
            except OSError as error:
                is_pipe = isinstance(error, BrokenPipeError)
                if is_pipe and not mode:
                    raise
                live.remove(output)
                if is_pipe and mode.endswith("-nopipe"):
                    continue
                io.complain(f"{name}: {reason(error)}")
                status = 1
                if mode.startswith("exit"):
                    return status
    io.end(io.stdin)
    return status
