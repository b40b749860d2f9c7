"""table: JSON rows as aligned columns."""

from __future__ import annotations

import re

from kernel.builtins.guard import Failure, InputError, guarded
from kernel.builtins.json_rows import cells, columns_of, numeric, records_of, rows
from kernel.builtins.json_rows import takes as from_stdin
from kernel.builtins.lines import chunks, close_input, open_input
from kernel.builtins.quoting import file_name
from kernel.builtins.width import text_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.builtins.io import Io

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def takes(bound: Bound) -> bool:
    """Whether the rows come from stdin, and nothing of their text is to be kept."""
    return from_stdin(bound) and not bound.values["maybe"]


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Columns of numbers stand to the right. Status 1 for what is no JSON or no rows."""
    values = bound.values
    name = values.get("file", "-")
    found = _records_or_text(io, name) if values["maybe"] else list(rows(io, name))
    columns = columns_of(found, values.get("columns"))
    lines = [[_shown(cell) for cell in cells(row, columns)] for row in found]
    right = numeric(lines)
    if columns is not None and not values["no_header"]:
        lines.insert(0, [_shown(name) for name in columns])
        right += [False] * (len(columns) - len(right))
    widths = [max([text_width(line[at]) for line in lines if at < len(line)], default=0) for at in range(len(right))]
    for line in lines:
        out = []
        for at, cell in enumerate(line):
            pad = " " * (widths[at] - text_width(cell))
            out.append(pad + cell if right[at] else cell + pad)
        io.write("  ".join(out).rstrip().encode("utf-8", "replace") + b"\n")
    return 0


def _records_or_text(io: Io, name: str) -> list[dict[str, Any]]:
    """The records of the input, where that is one array of them; any other has been passed on as it came by then."""
    descriptor = open_input(io, name)
    if descriptor < 0:
        raise Failure("", 1)
    data = bytearray()
    begun = b""  # the first byte that is no blank
    try:
        for chunk in chunks(io, descriptor):
            data += chunk
            begun = begun or chunk.lstrip()[:1]
            if begun not in (b"", b"["):
                io.write(bytes(data))
                io.flush()  # it may come slowly
                data.clear()
    except InputError as error:
        raise Failure(f"{file_name(name)}: {error}", 1) from None
    finally:
        close_input(io, descriptor)
    found = records_of(bytes(data)) if begun == b"[" else []
    if not found:
        io.write(bytes(data))
    return found


def _shown(cell: str) -> str:
    """A cell on one line: what would break the table shows as escapes."""
    return _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode(), cell)
