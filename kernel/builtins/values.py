"""values: the values of a JSON object, the items of an array."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded
from kernel.builtins.json_input import read_value, shown
from kernel.builtins.json_input import takes as takes
from kernel.builtins.json_output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.builtins.io import Io


def gives(bound: Bound) -> bool:
    return bool(bound.values["as_json"]) and not bound.values["zero"]


@guarded()
def run(bound: Bound, io: Io) -> int:
    """One a line, in their order. Status 1 for a value that has none."""
    value = read_value(bound, io)
    if not isinstance(value, (dict, list)):
        raise Failure(f"{kind_of(value)} has no values: an object or array is wanted", 1)
    found = list(value.values()) if isinstance(value, dict) else value
    put_each(bound, io, found)
    return 0


def put_each(bound: Bound, io: Io, found: list[Any]) -> None:
    """One a line: as JSON, or strings as their text."""
    output = Output(io)
    end = b"\0" if bound.values["zero"] else b"\n"
    for item in found:
        if gives(bound):
            output.value(item)
        else:
            io.write(shown(item, as_json=bound.values["as_json"]) + end)


def kind_of(value: Any) -> str:
    """What a scalar is, for messages."""
    if isinstance(value, str):
        return "a string"
    if value is None:
        return "null"
    return "a boolean" if isinstance(value, bool) else "a number"
