"""JSON values one after another: the elements of an array, or JSON Lines as they come."""

from __future__ import annotations

import re
from itertools import islice

from kernel import strict_json
from kernel.builtins.guard import Failure, InputError
from kernel.builtins.json_input import CUT_SHORT, decoded, way_to_json
from kernel.builtins.lines import close_input, open_input, records
from kernel.builtins.link import ELEMENTS
from kernel.builtins.quoting import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from kernel.bound import Bound
    from kernel.builtins.io import Io
    from kernel.builtins.link import Link

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


def takes(bound: Bound) -> bool:
    """Whether the rows come from stdin."""
    return bool(bound.values.get("file", "-") == "-")


def rows(io: Io, name: str) -> Iterator[Any]:
    """The elements of one array, which may go over many lines, or the value of each line that is not blank.

    JSON Lines are read line by line; an array is held as a whole. Failure (status 1) for what is neither.
    """
    if name == "-" and io.source is not None:
        yield from _handed(io.source)
        return
    descriptor = open_input(io, name)
    if descriptor < 0:
        raise Failure("", 1)
    try:
        lines = _lines(io, descriptor)
        number, text = next(_filled(lines), (0, ""))
        if not number:
            return
        try:
            value = strict_json.loads(text, exact=True)
        except strict_json.JsonError:
            if text.lstrip()[:1] not in ("[", "{"):  # nothing else goes over many lines: the rest may be without end
                _line(text, number, way_to_json(text))
            yield from _whole("\n".join([text, *[rest for _, rest in lines]]), number)
            return
        second = next(_filled(lines), None)
        if isinstance(value, list) and second is None:
            yield from value
            return
        yield value
        if second is not None:
            yield _line(second[1], second[0])
        for number, text in _filled(lines):
            yield _line(text, number)
    except InputError as error:
        raise Failure(f"{file_name(name)}: {error}", 1) from None
    finally:
        close_input(io, descriptor)


def _handed(source: Link) -> Iterator[Any]:
    """The same of what the builtin before hands over; the elements of an array come one by one."""
    is_array = source.kind() == ELEMENTS
    values = source.taken()
    if not is_array:
        first = list(islice(values, 2))
        if len(first) == 1 and isinstance(first[0], list):
            first = first[0]
        yield from first
    yield from values
    if source.is_cut_short():
        raise Failure(CUT_SHORT, 1)


def _lines(io: Io, descriptor: int) -> Iterator[tuple[int, str]]:
    for number, record in enumerate(records(io, descriptor), 1):
        yield number, decoded(record, f"line {number}")


def _filled(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Those that are not blank."""
    for number, text in lines:
        if text.strip():
            yield number, text


def _whole(text: str, first: int) -> list[Any]:
    """The elements of an array that goes over many lines, of which the first that is not blank is the ``first``."""
    try:
        value = strict_json.loads(text, exact=True)
    except strict_json.JsonError as error:
        message = f"line {error.line + first - 1}, column {error.column}: {error.message}"
        raise Failure(message, 1, advice=way_to_json(text)) from None
    return value if isinstance(value, list) else [value]


def _line(text: str, number: int, advice: str = "") -> Any:
    try:
        return strict_json.loads(text, exact=True)
    except strict_json.JsonError as error:
        raise Failure(f"line {number}, column {error.column}: {error.message}", 1, advice=advice) from None


def records_of(data: bytes) -> list[dict[str, Any]]:
    """The records of a text that is one JSON array of them, none of them empty; an empty list for any other text."""
    try:
        found = strict_json.loads(data.decode(), exact=True)
    except (strict_json.JsonError, UnicodeDecodeError):
        return []
    return found if isinstance(found, list) and all(isinstance(row, dict) and row for row in found) else []


def columns_of(found: Iterable[Any], chosen: str | None) -> list[str] | None:
    """The columns of rows that are objects: the chosen ones, else their keys as they come up; None where rows are arrays."""
    if chosen is not None:
        return chosen.split(",")
    names: dict[str, None] = {}
    for row in found:
        if isinstance(row, dict):
            names.update(dict.fromkeys(row))
        elif names:
            raise Failure("rows are objects or arrays, not both", 1)
    return list(names) if names else None


def cells(row: Any, columns: list[str] | None) -> list[str]:
    """A row's texts: strings as they are, null as nothing, anything else as JSON, numbers as they were written."""
    if columns is None:
        found = row if isinstance(row, list) else [row]
    elif isinstance(row, dict):
        found = [row.get(name) for name in columns]
    else:
        raise Failure("rows are objects or arrays, not both", 1)
    return [
        "" if value is None else value if isinstance(value, str) else strict_json.dumps(value, as_written=True) for value in found
    ]


def numeric(lines: list[list[str]]) -> list[bool]:
    """Which columns hold numbers and empty cells only; these stand to the right."""
    count = max([len(line) for line in lines], default=0)
    return [all(_NUMBER.fullmatch(line[at]) or not line[at] for line in lines if at < len(line)) for at in range(count)]
