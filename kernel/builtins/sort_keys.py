"""What sort compares: parts of lines, and the values by which each ordering puts them."""

from __future__ import annotations

import os
import re

from kernel.builtins import long_double
from kernel.builtins.guard import Failure
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any

BLANK = b" \t\n"
MONTHS = {name: index for index, name in enumerate(b"JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(), 1)}
UPPER = bytes(range(97)) + bytes(range(65, 91)) + bytes(range(123, 256))
UNITS = {letter: power for power, letter in enumerate(b"KMGTPEZY", 1)} | {107: 1}
_NOT_DICTIONARY = bytes([b for b in range(256) if not (48 <= b < 58 or 65 <= b < 91 or 97 <= b < 123 or b in BLANK)])
_NOT_PRINTING = bytes([b for b in range(256) if not 32 <= b < 127])
_NUMBER = re.compile(rb"[ \t\n]*(-?)([0-9]*)(?:\.([0-9]*))?")
_SUFFIX = re.compile(rb"(.+?)(?:\.[A-Za-z~][A-Za-z0-9~]*)*\Z", re.DOTALL)
_VERSION = re.compile(rb"([^0-9]*)([0-9]*)")
_COMMA = r"\d+(?:\.\d+)?[bdfgiMhnRrV]*,"
ORDERINGS = {"g": "general_numeric", "h": "human_numeric", "M": "month", "n": "numeric", "R": "random", "V": "version"}


class Reversed:
    """A value that compares the other way round."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Reversed) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reversed) and bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment]


class Key:
    """One key: where it begins and ends in a line, its ordering, and its modifiers.

    ``letters`` are the options of the key: `b d f i r` and one of ORDERINGS. ``start_blanks`` and ``end_blanks`` say
    at which end leading blanks of a field are skipped.
    """

    def __init__(self) -> None:
        self.first_field = 0
        self.first_character = 0
        self.last_field = -1  # none: to the end of the line
        self.last_character = 0  # 0: the whole field
        self.start_blanks = False
        self.end_blanks = False
        self.letters = ""

    @property
    def reverse(self) -> bool:
        return "r" in self.letters

    def take_options(self, letters: str) -> None:
        self.letters = "".join([letter for letter in letters if letter != "b"])
        self.start_blanks = self.end_blanks = "b" in letters


def parse_key(text: str) -> Key:
    """`F[.C][OPTIONS][,F[.C][OPTIONS]]`."""
    found = re.match(r"(\d+)(?:\.(\d+))?([bdfgiMhnRrV]*)(?:(,)(\d+)(?:\.(\d+))?([bdfgiMhnRrV]*))?$", text, re.ASCII)
    if found is None:
        raise Failure(_key_fault(text))
    field, character, options, comma, end_field, end_character, end_options = found.groups()
    key = Key()
    if not int(field[:12]):
        raise Failure(f"field number is zero: invalid field specification {quoted(text)}")
    if character is not None and not int(character[:12]):
        raise Failure(f"character offset is zero: invalid field specification {quoted(text)}")
    key.first_field = min(int(field[:12]), 10**9) - 1
    key.first_character = int((character or "1")[:12]) - 1
    key.start_blanks = "b" in options
    if comma:
        if not int(end_field[:12]):
            raise Failure(f"field number is zero: invalid field specification {quoted(text)}")
        key.last_field = min(int(end_field[:12]), 10**9) - 1
        key.last_character = int((end_character or "0")[:12])
        key.end_blanks = "b" in end_options
    key.letters = "".join([letter for letter in options + (end_options or "") if letter != "b"])
    return key


def _key_fault(text: str) -> str:
    for pattern, where in ((r"(?=\d)", "at field start"), (r"\d+\.(?=\d)", "after '.'"), (_COMMA + r"(?=\d)", "after ','")):
        lead = pattern.partition("(?=")[0]
        begun = re.match(lead, text, re.ASCII)
        if begun and not re.match(pattern, text, re.ASCII):
            return f"invalid number {where}: invalid count at start of {quoted(text[begun.end() :])}"
    return f"stray character in field spec: invalid field specification {quoted(text)}"


def check_letters(letters: str) -> None:
    """Orderings exclude each other; -d and -i go only with text, -V and -R."""
    kinds = {letter for letter in letters if letter in "nghM"}
    texts = {letter for letter in letters if letter in "VRdi"}
    if len(kinds) + bool(texts) > 1 or {"V", "R"} <= texts:
        shown = "".join(sorted(kinds | texts, key="bdfghiMnRrV".index))
        raise Failure(f"options '-{shown}' are incompatible")


def extractor(key: Key, separator: bytes | None) -> Callable[[bytes], bytes]:
    """line -> the part of it that the key compares."""
    field = rb"[ \t\n]*[^ \t\n]*"
    if separator is not None:
        inside = b"[^" + re.escape(separator) + b"]*"
        field = b"(?:" + inside + b"(?:" + re.escape(separator) + rb"|\Z))"
    many = 65535  # more fields than a pattern can count are taken one by one as none
    begin = re.compile(b"(?:" + field + b"){%d}" % min(key.first_field, many), re.DOTALL)
    finish = None
    if key.last_field >= 0:
        fields = key.last_field + (key.last_character == 0)
        pattern = b"(?:" + field + b"){%d}" % min(fields, many)
        if separator is not None and not key.last_character:
            pattern = b"(?:" + field + b"){%d}" % min(fields - 1, many) + b"[^" + re.escape(separator) + b"]*"
        finish = re.compile(pattern, re.DOTALL)
    first, last = key.first_character, key.last_character

    def extract(line: bytes) -> bytes:
        found = begin.match(line)
        start = found.end() if found else len(line)
        if key.start_blanks:
            start = _skip(line, start)
        start += first
        if finish is None:
            return line[start:]
        ended = finish.match(line)
        end = ended.end() if ended else len(line)
        if last:
            end = (_skip(line, end) if key.end_blanks else end) + last
        return line[start:end] if end > start else b""

    whole = not key.first_field and not first and finish is None
    if whole:
        return (lambda line: line.lstrip(BLANK)) if key.start_blanks else (lambda line: line)
    return extract


def _skip(line: bytes, at: int) -> int:
    while at < len(line) and line[at] in BLANK:
        at += 1
    return at


def value_function(letters: str) -> Callable[[bytes], Any]:
    """part of a line -> the value that sorts as GNU sort compares it."""
    table = UPPER if "f" in letters else None
    deleted = _NOT_DICTIONARY if "d" in letters else _NOT_PRINTING if "i" in letters else b""
    ordering = next((ORDERINGS[letter] for letter in letters if letter in ORDERINGS), "")
    convert = _VALUES.get(ordering)
    if ordering == "random":
        convert = _random()
    if table is None and not deleted:
        return convert or (lambda part: part)
    if convert is None:
        return lambda part: part.translate(table, deleted)
    return lambda part: convert(part.translate(table, deleted))


def numeric(part: bytes) -> int | Decimal:
    """Leading blanks, a minus sign, digits with a point; anything else is 0."""
    found = _NUMBER.match(part)
    assert found is not None  # matches the empty text
    sign, whole, rest = found.groups()
    if not rest and len(whole) < 4000:
        number = int(whole or b"0")
        return -number if sign else number
    from decimal import Decimal

    exact = Decimal(f"{whole.decode() or '0'}.{(rest or b'0').decode()}")
    return exact.copy_negate() if sign else exact


def general_numeric(part: bytes) -> tuple[int, Any]:
    """As strtold reads it: what is no number first, then NaN, then from -infinity to infinity."""
    number, problem = long_double.parse(part.decode("latin-1"))
    if "expected" in problem:
        return (0, 0)
    if number.word == "nan":
        return (1, 0)
    if number.magnitude is None:
        return (2, 0) if number.negative else (4, 0)
    return (3, -number.magnitude if number.negative else number.magnitude)


def human_numeric(part: bytes) -> tuple[int, Any]:
    """By sign and unit letter first, then by number."""
    found = _NUMBER.match(part)
    assert found is not None  # matches the empty text
    sign, whole, rest = found.groups()
    if not (whole + (rest or b"")).strip(b"0"):
        return (0, 0)
    order = UNITS.get(part[found.end()], 0) if found.end() < len(part) else 0
    return (-order if sign else order, numeric(part))


def month(part: bytes) -> int:
    """1 to 12 by the first three letters, 0 for no month."""
    return MONTHS.get(part.lstrip(BLANK)[:3].upper(), 0)


def version(text: bytes) -> tuple[Any, ...]:
    """GNU's order of names with version numbers: hidden ones first, a file's suffix last of all."""
    if not text:
        return (0,)
    if text in (b".", b".."):
        return (1, len(text))
    found = _SUFFIX.match(text)
    prefix = found.group(1) if found else text
    if text[:1] == b".":
        return (1, 3, _version(prefix), _version(text))
    return (2, 0, _version(prefix), _version(text))


def _version(text: bytes) -> tuple[Any, ...]:
    out: list[Any] = []
    at = 0
    while at < len(text):
        found = _VERSION.match(text, at)
        assert found is not None  # matches the empty text
        letters, digits = found.groups()
        out.append((*[-1 if b == 126 else b if chr(b).isascii() and chr(b).isalpha() else b + 256 for b in letters], 0))
        stripped = digits.lstrip(b"0")
        out.append((len(stripped), stripped))
        at = found.end()
    out.append((0,))
    return tuple(out)


def _random() -> Callable[[bytes], bytes]:
    """A new order for each run, the same for equal parts."""
    import hashlib

    salt = os.urandom(16)
    return lambda part: hashlib.blake2b(part, key=salt, digest_size=16).digest()


_VALUES: dict[str, Callable[[bytes], Any]] = {
    "numeric": numeric,
    "general_numeric": general_numeric,
    "human_numeric": human_numeric,
    "month": month,
    "version": version,
}
