"""toyaml: JSON in, YAML out."""

from __future__ import annotations

from kernel.builtins.guard import guarded
from kernel.builtins.json_input import read_value
from kernel.builtins.json_input import takes as takes
from kernel.builtins.yaml_data import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for what is no JSON."""
    for line in written(read_value(bound, io)):
        io.write(line.encode("utf-8", "replace") + b"\n")
    return 0
