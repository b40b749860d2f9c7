"""fromjsonl: JSON Lines in, one array out."""

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
    """Written as it is read. Status 1 for a line that is no JSON."""
    output = Output(io)
    for value in rows(io, bound.values.get("file", "-")):
        output.element(value)
    output.finish()
    return 0
