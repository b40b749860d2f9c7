"""keys: the keys of a JSON object, the indices of an array."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded
from kernel.builtins.json_input import read_value
from kernel.builtins.json_input import takes as takes
from kernel.builtins.values import gives as gives
from kernel.builtins.values import kind_of, put_each

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
    put_each(bound, io, found)
    return 0
