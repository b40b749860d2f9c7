"""fromjsonl: JSON Lines in, one array out."""

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
    """Written as it is read. Status 1 for a line that is no JSON."""
    before = b"["
    for value in rows(io, bound.values.get("file", "-")):
        io.write(before + strict_json.dumps(value).encode("utf-8", "replace"))
        before = b","
    io.write((b"[]" if before == b"[" else b"]") + b"\n")
    return 0
