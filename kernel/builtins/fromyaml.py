"""fromyaml: YAML in, JSON out."""

from __future__ import annotations

from kernel.builtins.guard import guarded
from kernel.builtins.json_input import read_text
from kernel.builtins.json_output import Output
from kernel.builtins.yaml_data import documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def gives(bound: Bound) -> bool:
    return "indent" not in bound.values


@guarded()
def run(bound: Bound, io: Io) -> int:
    """One value a line for each document. Status 1 for what is no YAML."""
    output = Output(io, bound.values.get("indent"))
    for value in documents(read_text(io, bound.values.get("file", "-"))):
        output.value(value)
    return 0
