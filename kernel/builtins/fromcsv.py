"""fromcsv: rows of CSV as JSON objects or arrays."""

from __future__ import annotations

import csv

from kernel import strict_json
from kernel.builtins.guard import Failure, InputError, guarded
from kernel.builtins.json_input import decoded
from kernel.builtins.json_output import Output
from kernel.builtins.lines import blocks, close_input, open_input
from kernel.builtins.quoting import file_name, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.bound import Bound
    from kernel.builtins.io import Io

LONGEST = 1 << 28  # characters of a cell


def gives(bound: Bound) -> bool:
    return True


def usage(bound: Bound) -> None:
    """Failure for a delimiter that is none."""
    delimiter(bound)


def delimiter(bound: Bound) -> str:
    """The character between two cells, for tocsv as well."""
    mark: str = "\t" if bound.values["tabs"] else bound.values.get("delimiter", ",")
    if len(mark) != 1:
        raise Failure(f"the delimiter must be one character, not {quoted(mark)}", param="delimiter")
    if mark in '"\r\n':
        raise Failure(f"{quoted(mark)} cannot be the delimiter: it has a meaning of its own in CSV", param="delimiter")
    return mark


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Written as it is read. Status 1 for what is no CSV."""
    values = bound.values
    mark = delimiter(bound)
    name = values.get("file", "-")
    descriptor = open_input(io, name)
    if descriptor < 0:
        return 1
    csv.field_size_limit(LONGEST)
    reader = csv.reader(_lines(io, descriptor), delimiter=mark, strict=True)
    output = Output(io)
    put = output.value if values["lines"] else output.element
    try:
        for row in _rows(reader, header=not values["no_header"], typed=bool(values["numbers"])):
            put(row)
    except csv.Error as error:
        raise Failure(f"line {reader.line_num}: {error}", 1) from None
    except InputError as error:
        raise Failure(f"{file_name(name)}: {error}", 1) from None
    finally:
        close_input(io, descriptor)
    if not values["lines"]:
        output.finish()
    return 0


def _lines(io: Io, descriptor: int) -> Iterator[str]:
    first = True
    for block in blocks(io, descriptor):
        text = decoded(block, "the input")
        yield from _split(text.removeprefix("\ufeff") if first else text)
        first = False


def _split(text: str) -> list[str]:
    """Lines at newlines only: what else ends a line in Python may stand in a cell."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _rows(reader: Iterator[list[str]], *, header: bool, typed: bool) -> Iterator[object]:
    names: list[str] | None = None
    for number, row in enumerate(reader, 1):
        if not row:
            continue
        if header and names is None:
            names = row
            again = [name for index, name in enumerate(row) if name in row[:index]]
            if again:
                raise Failure(f"the column {quoted(again[0])} is there twice", 1)
            continue
        found = [_value(cell) if typed else cell for cell in row]
        if names is None:
            yield found
        elif len(found) != len(names):
            raise Failure(f"row {number} has {len(found)} cells, the header has {len(names)}", 1)
        else:
            yield dict(zip(names, found, strict=True))


def _value(cell: str) -> object:
    """A cell that is a number as JSON writes it, as that number; an empty one as null; any other as text."""
    if not cell:
        return None
    if cell[0] not in "-0123456789":
        return cell
    try:
        return strict_json.loads(cell, exact=True)
    except strict_json.JsonError:
        return cell
