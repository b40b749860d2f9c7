"""What map is run over: lines, NUL-ended items, or the elements of JSON."""

from __future__ import annotations

import os

from kernel import strict_json
from kernel.builtins.guard import Failure
from kernel.builtins.json_input import read_text
from kernel.builtins.lines import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernel.bound import Bound
    from kernel.builtins.io import Io


def inputs(bound: Bound, io: Io, expect: Callable[[int], None]) -> Iterator[str]:
    """The items, as they come. ``expect`` is told how many there are where that is known beforehand.

    Empty lines are no items; empty items between NULs and in JSON are. Failure (status 1) for text that is no JSON.
    """
    if bound.values["json"]:
        items = [text_of(value) for value in _elements(read_text(io, "-"))]
        expect(len(items))
        yield from items
        return
    end = b"\0" if bound.values["null"] else b"\n"
    for record in records(io, io.stdin, end):
        if record or end == b"\0":
            yield os.fsdecode(record)


def _elements(text: str) -> list[object]:
    """The elements of one array, else one value for each line (JSON Lines)."""
    try:
        value = strict_json.loads(text, exact=True)
    except strict_json.JsonError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise Failure(f"line {error.line}, column {error.column}: {error.message}", 1) from None
        return [_line(number, line) for number, line in enumerate(lines, 1)]
    return value if isinstance(value, list) else [value]


def _line(number: int, line: str) -> object:
    try:
        return strict_json.loads(line, exact=True)
    except strict_json.JsonError as error:
        raise Failure(f"line {number}, column {error.column}: {error.message}", 1) from None


def text_of(value: object) -> str:
    """A string as its own text, anything else as compact JSON."""
    return value if isinstance(value, str) else strict_json.dumps(value)
