"""tocsv: JSON rows as CSV."""

from __future__ import annotations

import csv
import io as text_io

from kernel.builtins.fromcsv import delimiter
from kernel.builtins.guard import guarded
from kernel.builtins.json_rows import cells, columns_of, rows
from kernel.builtins.json_rows import takes as takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for a delimiter that is none."""
    delimiter(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Written as it is read with --columns; else all rows are read first, to know them. Status 1 for what is no JSON or no rows."""
    values = bound.values
    mark = delimiter(bound)
    found: Iterable[Any] = rows(io, values.get("file", "-"))
    if "columns" not in values:
        found = list(found)
    columns = columns_of(found, values.get("columns"))
    buffer = text_io.StringIO()
    writer = csv.writer(buffer, delimiter=mark, lineterminator="\n")
    if columns is not None and not values["no_header"]:
        writer.writerow(columns)
    for row in found:
        writer.writerow(cells(row, columns))
        io.write(buffer.getvalue().encode("utf-8", "replace"))
        buffer.seek(0)
        buffer.truncate()
    io.write(buffer.getvalue().encode("utf-8", "replace"))
    return 0
