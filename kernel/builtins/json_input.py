"""The JSON value that a data builtin works on: from an operand, a file or stdin."""

from __future__ import annotations

import os

from kernel import strict_json
from kernel.builtins.guard import Failure, InputError
from kernel.builtins.json_output import written
from kernel.builtins.lines import chunks, close_input, open_input
from kernel.builtins.link import ELEMENTS
from kernel.builtins.quoting import file_name
from kernel.words import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.builtins.io import Io
    from kernel.builtins.link import Link


CUT_SHORT = "the array breaks off: what was to write it has failed"


def read_text(io: Io, name: str) -> str:
    """The whole of a file, or of stdin for `-`, as text. Failure (status 1) for what cannot be read or is not UTF-8."""
    descriptor = open_input(io, name)
    if descriptor < 0:
        raise Failure("", 1)
    try:
        data = b"".join(chunks(io, descriptor))
    except InputError as error:
        raise Failure(f"{file_name(name)}: {error}", 1) from None
    finally:
        close_input(io, descriptor)
    return decoded(data, "the input")


def decoded(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Failure(f"{what} is not UTF-8: byte {error.start + 1} is 0x{data[error.start]:02x}", 1) from None


def takes(bound: Bound) -> bool:
    """Whether the value comes from stdin."""
    return "text" not in bound.values and bound.values.get("file", "-") == "-"


def read_value(bound: Bound, io: Io) -> Any:
    """The value, with numbers exactly as written. Failure (status 1) for text that is not strict JSON."""
    values = bound.values
    if "text" in values and "file" in values:
        raise Failure("a text and a file are two inputs: give one of them")
    if "text" in values:
        text = decoded(values["text"].encode("utf-8", "surrogateescape"), "the text")
    elif io.source is not None:
        found = handed(io.source)
        if len(found) == 1:
            return found[0]
        text = "\n".join([written(each).decode() for each in found])
    else:
        text = read_text(io, values.get("file", "-"))
    try:
        return strict_json.loads(text, exact=True)
    except strict_json.JsonError as error:
        raise Failure(f"line {error.line}, column {error.column}: {error.message}", 1, advice=_advice(values, io, text)) from None


def _advice(values: dict[str, Any], io: Io, text: str) -> str:
    if "text" not in values:
        return way_to_json(text)
    return f"`-f {quote(text)}` reads the file of that name" if os.path.isfile(io.path(text)) else ""


def way_to_json(text: str) -> str:
    """What helps where a text is no JSON from its beginning on; "" where it has begun as JSON."""
    if text.lstrip()[:1] in ("", "{", "[", '"'):
        return ""
    return "JSON is wanted: `fromcsv` makes it of CSV (`--tabs`: of cells between tabs), `fromyaml` of YAML, `tojson` of text"


def handed(source: Link) -> list[Any]:
    """The values that the builtin before hands over; the elements of an array are one. Failure for half an array."""
    is_array = source.kind() == ELEMENTS
    found = list(source.taken())
    if source.is_cut_short():
        raise Failure(CUT_SHORT, 1)
    return [found] if is_array else found


def shown(value: Any, *, as_json: bool) -> bytes:
    """A string as its own text unless ``as_json``, anything else as compact JSON with its numbers as they were written."""
    return value.encode("utf-8", "replace") if isinstance(value, str) and not as_json else written(value)
