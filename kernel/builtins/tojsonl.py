"""tojsonl: the elements of an array, a line each."""

from __future__ import annotations

from kernel.builtins.guard import guarded
from kernel.builtins.json_output import Output
from kernel.builtins.json_rows import rows
from kernel.builtins.json_rows import takes as takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def gives(bound: Bound) -> bool:
    return True


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for what is no JSON."""
    output = Output(io)
    for value in rows(io, bound.values.get("file", "-")):
        output.value(value)
    return 0
