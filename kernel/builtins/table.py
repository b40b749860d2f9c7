"""table: JSON rows as aligned columns."""

from __future__ import annotations

import re

from kernel.builtins.guard import guarded
from kernel.builtins.json_rows import cells, columns_of, rows
from kernel.builtins.json_rows import takes as takes
from kernel.builtins.width import text_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Columns of numbers stand to the right. Status 1 for what is no JSON or no rows."""
    values = bound.values
    found = list(rows(io, values.get("file", "-")))
    columns = columns_of(found, values.get("columns"))
    lines = [[_shown(cell) for cell in cells(row, columns)] for row in found]
    count = max([len(line) for line in lines], default=0)
    right = [all(_NUMBER.fullmatch(line[at]) or not line[at] for line in lines if at < len(line)) for at in range(count)]
    if columns is not None and not values["no_header"]:
        lines.insert(0, [_shown(name) for name in columns])
        count = max(count, len(columns))
        right += [False] * (count - len(right))
    widths = [max([text_width(line[at]) for line in lines if at < len(line)], default=0) for at in range(count)]
    for line in lines:
        out = []
        for at, cell in enumerate(line):
            pad = " " * (widths[at] - text_width(cell))
            out.append(pad + cell if right[at] else cell + pad)
        io.write("  ".join(out).rstrip().encode("utf-8", "replace") + b"\n")
    return 0


def _shown(cell: str) -> str:
    """A cell on one line: what would break the table shows as escapes."""
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), cell)
