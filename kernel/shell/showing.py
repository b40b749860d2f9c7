"""A list of records on its way to the terminal: drawn as a table. Anything else, and what comes slowly, passes as it is."""

from __future__ import annotations

import os
import select

from kernel import environment, strict_json
from kernel.present.printable import printable
from kernel.strict_json import JsonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 1 << 20  # bytes of a list that is drawn
PAUSE = 1.0  # seconds without a byte, inside a list, after which it is shown as it comes
CHUNK = 65536


def show() -> int:
    """Reads stdin to its end and shows it on stdout. It is a stage of a pipeline: a fork of the shell."""
    data = bytearray()
    while chunk := os.read(0, CHUNK):
        data += chunk
        begin = data.lstrip()
        if begin and (begin[:1] != b"[" or len(data) > MOST or not _ready()):
            return _pass_on(bytes(data))
    rows = records(bytes(data))
    if not rows:
        environment.write_all(1, bytes(data))
        return 0
    from kernel.present import rich_view

    header, cells = columns(rows)
    rich_view.table([printable(name) for name in header], cells, {})
    environment.stdout().flush()
    return 0


def _ready() -> bool:
    return bool(select.select([0], [], [], PAUSE)[0])


def _pass_on(data: bytes) -> int:
    while data:
        environment.write_all(1, data)
        data = os.read(0, CHUNK)
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
