"""tojsonl: the elements of an array, a line each."""

from __future__ import annotations

from kernel import strict_json
from kernel.builtins.guard import guarded
from kernel.builtins.json_rows import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for what is no JSON."""
    for value in rows(io, bound.values.get("file", "-")):
        io.write(strict_json.dumps(value).encode("utf-8", "replace") + b"\n")
    return 0
