"""keys: the keys of a JSON object, the indices of an array."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded
from kernel.builtins.json_input import read_value, shown
from kernel.builtins.values import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """One a line, in their order. Status 1 for a value that has none."""
    value = read_value(bound, io)
    if not isinstance(value, (dict, list)):
        raise Failure(f"{kind_of(value)} has no keys: an object or array is wanted", 1)
    found = list(value) if isinstance(value, dict) else list(range(len(value)))
    end = b"\0" if bound.values["zero"] else b"\n"
    io.write(b"".join([shown(key, as_json=bound.values["as_json"]) + end for key in found]))
    return 0
