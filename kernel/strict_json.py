"""The one strict JSON reader and writer (input-schemas.md, JSON text).

Two readers of one language: C's scanner, with hooks for what it lets through, reads nearly everything; whatever it
refuses, or cannot be trusted with, goes to ``_Reader``, which is slow, exact, never recurses and knows the place.
"""

from __future__ import annotations

import re
import sys
from json.decoder import JSONDecodeError, JSONDecoder, scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

MAX_DEPTH: Final = 96
MAX_DIGITS: Final = 4300  # T0: of an int that is converted
_MAX_EXPONENT_DIGITS: Final = 4000  # so that an exponent can always be converted and written
_MAX_WRITTEN_DEPTH: Final = 256  # a cycle shows itself by its depth
_MAX_ADDED_ZEROS: Final = 1000
_PLAIN_BELOW: Final = 21  # powers of ten: where the ECMAScript layout begins

_blank = re.compile(r"[ \t\n\r]*")
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?").match
_number_like = re.compile(r"[-+.0-9][-+.0-9A-Za-z_]*|[A-Za-z_$][A-Za-z_$0-9]*").match
_escape = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
).finditer
_surrogate_escape = re.compile(r"\\u[dD][89a-fA-F]").search
_surrogate = re.compile("[\ud800-\udfff]")
_LITERALS: Final = {"true": True, "false": False, "null": None}
_MEANT: Final = {"True": "true", "False": "false", "None": "null", "undefined": "null", "TRUE": "true", "FALSE": "false"}


class JsonError(ValueError):
    """Text that is not strict JSON: ``message`` (one sentence), ``line`` and ``column`` (1-based, in characters)."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"{message} (line {line}, column {column})")
        self.message = message
        self.line = line
        self.column = column


class _Doubt(Exception):
    """The fast reader met what the exact one must judge."""


class Number:
    """A number as written, in JSON or in the grammar's decimal notation. Equal to another of the same decimal value."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Number({self.text!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number):
            return NotImplemented
        return self.text == other.text or self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[str, str, int]:
        """(sign, significant digits, power): the value is ``sign digits × 10**power``; zero is ("", "", 0)."""
        sign, digits, power = self._written()
        kept = digits.rstrip("0")
        return (sign, kept, power + len(digits) - len(kept)) if kept else ("", "", 0)

    def _written(self) -> tuple[str, str, int]:
        """The same with the trailing zeros that were written."""
        mantissa, _, exponent = self.text.lower().partition("e")
        sign = "-" if mantissa[0] == "-" else ""
        whole, _, fraction = mantissa.lstrip("+-").partition(".")
        return sign, (whole + fraction).lstrip("0"), int(exponent or "0") - len(fraction)

    def is_integer(self) -> bool:
        """Whether the exact value is whole: `1.0` and `12.50e1` are, `2.25` is not."""
        return self._parts()[2] >= 0

    def normalised(self, kind: str = "number") -> str:
        """The canonical text of the exact value as an ``integer`` or a ``number`` (input-schemas.md, Rendering)."""
        sign, digits, power = self._parts()
        if not digits:
            return "0"
        if kind == "integer" and power >= 0 and self._written()[2] <= _MAX_ADDED_ZEROS:
            return sign + digits + "0" * power
        point = len(digits) + power  # how many digits stand before the decimal point
        if len(digits) <= point <= _PLAIN_BELOW:
            return sign + digits + "0" * power
        if 0 < point <= _PLAIN_BELOW:
            return f"{sign}{digits[:point]}.{digits[point:]}"
        if -6 < point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        rest = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}e{point - 1:+d}"

    def plain(self) -> int | float | Decimal:
        """The value as ``loads`` gives it without ``exact``. Raises ValueError for an int of more than 4,300 digits."""
        return _plain_int(self.text) if self.is_written_whole() else _plain_float(self.text)

    def is_written_whole(self) -> bool:
        """Whether the text is digits only, behind at most a sign."""
        return self.text.lstrip("+-").isdigit()


def _plain_int(text: str) -> int:
    if len(text) - text.startswith("-") > MAX_DIGITS:
        raise ValueError(f"a whole number of more than {MAX_DIGITS:,} digits")
    try:
        return int(text)
    except ValueError:  # the interpreter's limit is set lower
        from decimal import Decimal

        return int(Decimal(text))


def _plain_float(text: str) -> float | Decimal:
    """A float when its shortest text is the same number, else a Decimal."""
    value = float(text)
    if repr(value) == text:
        return value
    import decimal

    try:
        exact = decimal.Decimal(text)
        return value if exact == decimal.Decimal(repr(value)) else exact
    except decimal.InvalidOperation:
        raise ValueError("a number with an exponent that is too large") from None


def _exact_float(text: str) -> Number:
    if len(text) > _MAX_EXPONENT_DIGITS:
        exponent = text.lower().partition("e")[2]
        if len(exponent.lstrip("+-")) > _MAX_EXPONENT_DIGITS:
            raise ValueError(f"a number with an exponent of more than {_MAX_EXPONENT_DIGITS:,} digits")
    return Number(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Doubt
    return value


def _constant(text: str) -> NoReturn:
    raise _Doubt


def _scanner(parse_int: Callable[[str], Any] | None, parse_float: Callable[[str], Any]) -> Callable[[str, int], tuple[Any, int]]:
    decoder = JSONDecoder(object_pairs_hook=_object, parse_int=parse_int, parse_float=parse_float, parse_constant=_constant)
    scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once  # type: ignore[attr-defined]
    return scan


# Without a hook C converts ints itself, and refuses those of more than 4,300 digits as long as the interpreter's limit
# is left alone.
_scan_plain = _scanner(None if sys.get_int_max_str_digits() == MAX_DIGITS else _plain_int, _plain_float)
_scan_exact = _scanner(Number, _exact_float)


def loads(text: str, *, exact: bool = False, depth: int = MAX_DEPTH) -> Any:
    """The value of a JSON text: str, bool, None, list, dict, and numbers.

    A number is an int when written as one (at most 4,300 digits), a float when that is exact, else a Decimal; with
    ``exact`` every number is a ``Number`` of any size. ``depth`` is how many containers may stand inside each other.
    Raises JsonError.
    """
    try:
        value, end = (_scan_exact if exact else _scan_plain)(text, _past_blanks(text, 0))
        if _past_blanks(text, end) == len(text) and not _doubtful(text, value, depth):
            return value
    except (StopIteration, ValueError, RecursionError, _Doubt):
        pass
    return _Reader(text, exact, depth).read()


def is_several(text: str) -> bool:
    """Whether a text is JSON values one behind another, none too."""
    at = _past_blanks(text, 0)
    try:
        while at < len(text):
            _, end = _scan_plain(text, at)
            at = _past_blanks(text, end)
    except (StopIteration, ValueError, RecursionError, _Doubt):
        return False
    return True


def _past_blanks(text: str, at: int) -> int:
    found = _blank.match(text, at)
    return found.end() if found else at


def _doubtful(text: str, value: Any, depth: int) -> bool:
    """Whether text that C has read may hold a lone surrogate or nest too deeply."""
    if not text.isascii() and _surrogate.search(text):
        return True
    if _surrogate_escape(text):
        return True
    if text.count("[") + text.count("{") <= depth:
        return False
    level = [value]
    for _ in range(depth):
        containers = [outer.values() if type(outer) is dict else outer for outer in level]
        level = [inner for outer in containers for inner in outer if type(inner) is dict or type(inner) is list]
        if not level:
            return False
    return True


class _Reader:
    """Reads a text container by container, with a stack of its own."""

    def __init__(self, text: str, exact: bool, depth: int) -> None:
        self.depth = depth
        self.text = text
        self.exact = exact
        self.at = 0
        self.open: list[dict[str, Any] | list[Any]] = []
        self.keys: list[str] = []  # of the entries being read, one for each open object

    def fail(self, message: str, at: int) -> NoReturn:
        before = self.text.rfind("\n", 0, at)
        raise JsonError(message, self.text.count("\n", 0, at) + 1, at - before)

    def peek(self) -> str:
        """The next character that is not blank, "" at the end."""
        self.at = _past_blanks(self.text, self.at)
        return self.text[self.at : self.at + 1]

    def read(self) -> Any:
        if self.text.startswith("\ufeff"):
            self.fail("the text begins with a byte order mark", 0)
        while True:
            value = self.value()
            while True:  # a finished value: into its container, which may finish that
                if not self.open:
                    if self.peek():
                        self.fail(f"text follows the end of the JSON value: `{self.shown(self.at)}`", self.at)
                    return value
                container = self.open[-1]
                if value is not container:
                    if isinstance(container, dict):
                        container[self.keys.pop()] = value
                    else:
                        container.append(value)
                if not self.closes(container, first=value is container):
                    break
                value = self.open.pop()

    def closes(self, container: dict[str, Any] | list[Any], first: bool) -> bool:
        """Reads up to the container's next value; True when the container ends here instead."""
        ends = "}" if isinstance(container, dict) else "]"
        found = self.peek()
        if found == ends:
            self.at += 1
            return True
        if not first:
            if found != ",":
                self.unfinished(f"`,` or `{ends}`")
            comma = self.at
            self.at += 1
            if self.peek() == ends:
                self.fail(f"a comma stands before `{ends}`", comma)
        if isinstance(container, dict):
            self.key(container)
        return False

    def key(self, container: dict[str, Any]) -> None:
        if self.peek() != '"':
            self.unfinished("a key in double quotes")
        place = self.at
        key = self.string()
        if key in container:
            self.fail(f"the key `{key[:60]}` is given twice", place)
        if self.peek() != ":":
            self.unfinished("`:` after the key")
        self.at += 1
        self.keys.append(key)

    def value(self) -> Any:
        """A scalar, or a container that has just been opened."""
        found = self.peek()
        if found == '"':
            return self.string()
        if found and found in "[{":
            if len(self.open) == self.depth:
                self.fail(f"the text is nested deeper than {self.depth} levels", self.at)
            self.at += 1
            container: dict[str, Any] | list[Any] = {} if found == "{" else []
            self.open.append(container)
            return container
        word = _number_like(self.text, self.at)
        if word is None:
            self.unfinished("a value")
        if word[0] in _LITERALS:
            self.at = word.end()
            return _LITERALS[word[0]]
        number = _number(word[0])
        if number is None or number.end() != len(word[0]):
            if word[0] in _MEANT:
                self.fail(f"`{word[0]}` is not JSON: write `{_MEANT[word[0]]}`", self.at)
            self.fail(f"`{word[0][:60]}` is not {'a JSON number' if found in '+-.0123456789' else 'JSON'}", self.at)
        whole = number[1] is None and number[2] is None
        make = (Number if whole else _exact_float) if self.exact else (_plain_int if whole else _plain_float)
        try:
            value = make(word[0])
        except ValueError as error:
            self.fail(f"{error} cannot be read", self.at)
        self.at = word.end()
        return value

    def string(self) -> str:
        start = self.at
        try:
            value: str
            value, self.at = scanstring(self.text, start + 1, True)
        except JSONDecodeError as error:
            self.bad_string(start, error)
        written = self.text[start : self.at]
        if not written.isascii() and (raw := _surrogate.search(written)):
            self.fail("a string holds a byte that is not UTF-8", start + raw.start())
        if _surrogate_escape(written):
            for escape in _escape(written):
                if escape[1]:
                    self.fail(f"`\\{escape[1]}` is half of a surrogate pair", start + escape.start())
        return value

    def bad_string(self, start: int, error: JSONDecodeError) -> NoReturn:
        at = error.pos
        if error.msg.startswith("Unterminated"):
            self.fail("a string has no closing quote", start)
        if error.msg.startswith("Invalid control"):
            code = ord(self.text[at])
            self.fail(f"a control character stands raw in a string: write it as `\\u{code:04x}`", at)
        while self.text[at] != "\\":  # the place of a bad escape is reported a few characters off, by its kind
            at -= 1
        self.fail(f"`{self.text[at : at + 2]}` is no complete escape of a JSON string", at)

    def unfinished(self, wanted: str) -> NoReturn:
        if self.at >= len(self.text):
            self.fail(f"the text ends where {wanted} was expected", self.at)
        hint = " (strings stand in double quotes)" if self.text[self.at] == "'" else ""
        self.fail(f"expected {wanted}, found `{self.shown(self.at)}`{hint}", self.at)

    def shown(self, at: int) -> str:
        """A few characters of the text, to the end of the line or of the word."""
        return self.text[at : at + 20].split("\n")[0].split(" ")[0] or self.text[at]


def dumps(value: Any, *, indent: int | None = None, as_written: bool = False) -> str:
    """Canonical JSON of str, bool, None, numbers, lists, tuples and dicts with text keys, in the order given.

    On one line without blanks, or indented by so many. Numbers are exact and normalised (``as_written``: each `Number`
    as its text is), non-ASCII text is kept, a lone surrogate becomes U+FFFD. Raises ValueError for NaN, infinities and
    what nests without end, TypeError for anything else.
    """
    parts: list[str] = []
    _write(value, parts.append, "" if indent is None else "\n", " " * (indent or 0), 0, as_written)
    text = "".join(parts)
    return text if text.isascii() else _surrogate.sub("\ufffd", text)


def _write(value: Any, put: Callable[[str], None], line: str, step: str, depth: int, as_written: bool) -> None:
    """One value; ``line`` is the line break with the indentation here, "" for the compact form."""
    if isinstance(value, str):
        put(encode_basestring(value))
    elif value is None:
        put("null")
    elif value is True:
        put("true")
    elif value is False:
        put("false")
    elif isinstance(value, (dict, list, tuple)):
        if depth > _MAX_WRITTEN_DEPTH:
            raise ValueError("a value nests too deeply for JSON, or holds itself")
        inner = line and line + step
        before = inner
        if isinstance(value, dict):
            put("{")
            for key, item in value.items():
                if not isinstance(key, str):
                    raise TypeError(f"a JSON key must be text, not {type(key).__name__}")
                put(before + encode_basestring(key) + (": " if line else ":"))
                _write(item, put, inner, step, depth + 1, as_written)
                before = "," + inner
            put(line + "}" if value else "}")
        else:
            put("[")
            for item in value:
                put(before)
                _write(item, put, inner, step, depth + 1, as_written)
                before = "," + inner
            put(line + "]" if value else "]")
    elif as_written and isinstance(value, Number):
        put(value.text)
    else:
        put(_number_text(value))


def _number_text(value: object) -> str:
    if isinstance(value, int):
        try:
            return repr(int(value))
        except ValueError:  # past the interpreter's limit, which does not bind Decimal
            from decimal import Decimal

            return str(Decimal(value))
    if isinstance(value, Number):
        return value.normalised("integer" if value.is_written_whole() else "number")
    if isinstance(value, float):
        text = float.__repr__(value)
    else:
        from decimal import Decimal

        if not isinstance(value, Decimal):
            raise TypeError(f"a {type(value).__name__} has no JSON form")
        text = str(value)
    if "n" in text.lower():  # nan, inf
        raise ValueError(f"`{text}` has no JSON form")
    return Number(text).normalised()
