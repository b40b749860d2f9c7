"""fromjson: strict JSON in, canonical JSON out, with its numbers as they were written."""

from __future__ import annotations

from kernel import strict_json
from kernel.builtins.guard import guarded
from kernel.builtins.json_input import read_value, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for text that is not strict JSON."""
    value = read_value(bound, io)
    if bound.values["raw"] and isinstance(value, str):
        io.write(shown(value, as_json=False) + b"\n")
    else:
        text = strict_json.dumps(value, indent=bound.values.get("indent"), as_written=True)
        io.write(text.encode("utf-8", "replace") + b"\n")
    return 0
