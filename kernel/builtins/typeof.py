"""typeof: what kind of JSON value it is."""

from __future__ import annotations

from kernel.builtins.guard import guarded
from kernel.builtins.json_input import read_value
from kernel.builtins.json_input import takes as takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """object, array, string, number, boolean or null. Status 1 for what is no JSON."""
    value = read_value(bound, io)
    kinds = ((dict, "object"), (list, "array"), (str, "string"), (bool, "boolean"), (type(None), "null"))
    io.write(next((name for kind, name in kinds if isinstance(value, kind)), "number").encode() + b"\n")
    return 0
