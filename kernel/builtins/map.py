"""map: a tool run once for each input, several at a time."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded
from kernel.builtins.map_inputs import inputs
from kernel.builtins.map_jobs import Jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

MOST = 125  # the largest count of failures that a status tells


def usage(bound: Bound) -> None:
    """Failure for a tool whose name would come from the input."""
    if "{}" in bound.values["words"][0]:
        raise Failure("the tool's name cannot come from the input", param="words")


@guarded()
def run(bound: Bound, io: Io) -> int:
    """How many runs failed, 125 for that many or more; 0 when there was no input."""
    words: list[str] = bound.values["words"]
    if not any("{}" in word for word in words[1:]):
        words = [*words, "{}"]
    usage(bound)
    io.tell_nothing()  # the runs are what takes time
    jobs = Jobs(bound, io, words)
    try:
        for item in inputs(bound, io, jobs.expect):
            jobs.add(item)
        jobs.finish()
    except BaseException:
        jobs.stop()
        raise
    return min(jobs.failed, MOST)
