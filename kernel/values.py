"""The value kinds in one table: text to value, JSON to value, value to canonical text (argv-grammar, Types)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DIGITS = frozenset("0123456789")
MAX_DIGITS = 4300  # T0: the longest int that is converted


class Unreadable(ValueError):
    """Text or JSON that is no value of a type; ``wanted`` says what would be."""

    def __init__(self, wanted: str, note: str = "") -> None:
        super().__init__(note or f"wanted {wanted}")
        self.wanted = wanted
        self.note = note


def _is_digits(text: str) -> bool:
    return bool(text) and text.isascii() and text.isdigit()


def parse_int(text: str) -> int:
    """`[+-]?digits`, ASCII only, any size."""
    if text.isdigit() and text.isascii() and len(text) <= MAX_DIGITS:
        return int(text)
    body = text[1:] if text[:1] in ("+", "-") else text
    if not _is_digits(body):
        raise Unreadable("a whole number")
    if len(body) > MAX_DIGITS:
        return _long_int(text)
    return int(text)


def _long_int(text: str) -> int:
    """An int past the interpreter's digit limit, by halves, so that the limit need not be lifted."""
    negative = text[:1] == "-"
    body = text.lstrip("+-")

    def build(digits: str) -> int:
        if len(digits) <= 4000:
            return int(digits)
        middle = len(digits) // 2
        return int(build(digits[:-middle]) * 10**middle + build(digits[-middle:]))

    value = build(body)
    return -value if negative else value


def is_number(text: str) -> bool:
    """Whether text is decimal notation: sign, digits with at most one point (`5.`, `.5`), optional exponent."""
    body = text[1:] if text[:1] in ("+", "-") else text
    mark = body.find("e")
    if mark < 0:
        mark = body.find("E")
    if mark >= 0:
        exponent = body[mark + 1 :]
        if exponent[:1] in ("+", "-"):
            exponent = exponent[1:]
        if not _is_digits(exponent):
            return False
        body = body[:mark]
    whole, point, rest = body.partition(".")
    if not point:
        return _is_digits(whole)
    return (_is_digits(whole) or not whole) and (_is_digits(rest) or not rest) and bool(whole or rest)


def parse_number(text: str) -> int | float:
    """An int if written as one, else a float; overflow, `nan`, `inf`, `1_000`, hex and blanks are refused."""
    whole, point, rest = text.partition(".")
    if point and whole.isdigit() and rest.isdigit() and text.isascii():
        value = float(text)
        if value != float("inf"):
            return value
    if not is_number(text):
        raise Unreadable("a number")
    body = text[1:] if text[:1] in ("+", "-") else text
    if _is_digits(body):
        return parse_int(text)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Unreadable("a number", "the number is too large")
    return value


def parse_bool(text: str) -> bool:
    if text == "true":
        return True
    if text == "false":
        return False
    raise Unreadable("`true` or `false`")


def _parse_json(text: str) -> Any:
    from kernel import strict_json

    try:
        return strict_json.loads(text)
    except strict_json.JsonError as error:
        raise Unreadable("JSON text", str(error)) from None


def parse_array(text: str) -> list[Any]:
    value = _parse_json(text)
    if not isinstance(value, list):
        raise Unreadable("a JSON array")
    return value


def parse_object(text: str) -> dict[str, Any]:
    value = _parse_json(text)
    if not isinstance(value, dict):
        raise Unreadable("a JSON object")
    return value


# type -> (what a person is told is wanted, text -> value)
KINDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "string": ("text", str),
    "int": ("a whole number", parse_int),
    "number": ("a number", parse_number),
    "bool": ("`true` or `false`", parse_bool),
    "array": ("a JSON array", parse_array),
    "object": ("a JSON object", parse_object),
    "json": ("JSON text", _parse_json),
    "any": ("text", str),
}


def from_text(kind: str, text: str) -> Any:
    """The value that `text` is in the type `kind`. Raises Unreadable."""
    return KINDS[kind][1](text)


def int_text(value: int) -> str:
    """The digits of an int of any size."""
    if -(10**MAX_DIGITS) < value < 10**MAX_DIGITS:
        return str(value)
    sign, rest, parts = ("-" if value < 0 else ""), abs(value), []
    block = 10**4000
    while rest:
        rest, low = divmod(rest, block)
        parts.append(low)
    digits = [str(parts[-1])] + [str(part).rjust(4000, "0") for part in reversed(parts[:-1])]
    return sign + "".join(digits)


def to_text(value: Any) -> str:
    """Canonical text of a value that came by JSON or from Python (T0)."""
    if isinstance(value, str):
        return value
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return int_text(value)
    from kernel import strict_json

    return strict_json.dumps(value)
