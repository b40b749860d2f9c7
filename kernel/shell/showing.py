"""JSON on its way to the terminal: a list of records is drawn as a table, anything else gets its colours as it comes."""

from __future__ import annotations

import os
import select

from kernel import environment, present, strict_json
from kernel.present.printable import printable
from kernel.strict_json import JsonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kernel.shell.tree import Word

MOST = 1 << 20  # bytes of a list that is drawn
PAUSE = 1.0  # seconds without a byte, inside a list, after which it is shown as it comes
LINE_PAUSE = 0.05  # the same inside a line, whose rest may tell that it is no JSON
CHUNK = 65536
UNCOLOURED = ("-M", "--monochrome-output")  # jq's flags against its colours, which are those here


def show(words: Sequence[Word]) -> int:
    """Reads stdin to its end and shows it on stdout, for the command of these words. It is a stage: a fork of the shell."""
    coloured = not any(word.literal in UNCOLOURED for word in words)
    data = bytearray()
    while chunk := os.read(0, CHUNK):
        data += chunk
        begin = data.lstrip()
        if begin and (begin[:1] != b"[" or len(data) > MOST or not _ready(PAUSE)):
            return _pass_on(bytes(data), coloured, True)
    rows = records(bytes(data))
    if not rows:
        return _pass_on(bytes(data), coloured, False)
    from kernel.present import rich_view

    header, cells = columns(rows)
    rich_view.table([printable(name) for name in header], cells, {})
    environment.stdout().flush()
    return 0


def _ready(pause: float) -> bool:
    return bool(select.select([0], [], [], pause)[0])


def _pass_on(data: bytes, coloured: bool, more: bool) -> int:
    """Writes what has come and, with ``more``, what comes, coloured a line at a time; a line that stops half is not held up."""
    painter = None
    if coloured and present.coloured(1):
        from kernel.shell.json_colours import Painter, chosen

        painter = Painter(chosen())
    while data:
        while painter is not None and not painter.plain and more and data[-1] != 10 and len(data) < CHUNK and _ready(LINE_PAUSE):
            chunk = os.read(0, CHUNK)
            more = bool(chunk)
            data += chunk
        environment.write_all(1, data if painter is None else painter.paint(data))
        data = os.read(0, CHUNK) if more else b""
    if painter is not None:
        environment.write_all(1, painter.end())
    return 0


def records(data: bytes) -> list[dict[str, Any]]:
    """The records of a text that is one JSON list of them; an empty list for any other."""
    try:
        found = strict_json.loads(data.decode())
    except (JsonError, UnicodeDecodeError):
        return []
    if not isinstance(found, list) or not all(isinstance(row, dict) and row for row in found):
        return []
    return found


def columns(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The names of all members, in the order they come, and a cell for each of a row; "" where it has none."""
    header = list(dict.fromkeys([name for row in rows for name in row]))
    return header, [[_cell(row[name]) if name in row else "" for name in header] for row in rows]


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else strict_json.dumps(value)
