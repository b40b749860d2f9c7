"""fromjson: strict JSON in, compact JSON out, with its numbers as they were written."""

from __future__ import annotations

from kernel.builtins.guard import guarded
from kernel.builtins.json_input import read_value, shown
from kernel.builtins.json_input import takes as takes
from kernel.builtins.json_output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def gives(bound: Bound) -> bool:
    return not bound.values["raw"] and "indent" not in bound.values


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for text that is not strict JSON."""
    value = read_value(bound, io)
    if bound.values["raw"] and isinstance(value, str):
        io.write(shown(value, as_json=False) + b"\n")
    else:
        Output(io, bound.values.get("indent")).value(value)
    return 0
