"""strftime as GNU date has it: flags, widths, `%N`, `%:z`, in the C locale and with any year."""

from __future__ import annotations

import re
import time

_DIRECTIVE = re.compile(r"%([-_0^#+]*)(\d*)[EO]?(:{0,3}z|[^:])", re.DOTALL)
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_COMPOSED = {
    "c": "%a %b %e %H:%M:%S %Y",
    "D": "%m/%d/%y",
    "x": "%m/%d/%y",
    "R": "%H:%M",
    "r": "%I:%M:%S %p",
    "T": "%H:%M:%S",
    "X": "%H:%M:%S",
}
DEFAULT = "%a %b %e %H:%M:%S %Z %Y"


class Moment:
    """A point in time with its fields in a zone: seconds since 1970 (may be negative), nanoseconds 0 to 999999999."""

    __slots__ = ("fields", "nanoseconds", "offset", "seconds", "zone")

    def __init__(self, seconds: int, nanoseconds: int, *, utc: bool) -> None:
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.fields = time.gmtime(seconds) if utc else time.localtime(seconds)
        self.zone = "UTC" if utc else self.fields.tm_zone
        self.offset = 0 if utc else self.fields.tm_gmtoff


def formatted(moment: Moment, form: str) -> str:
    """The text that a format gives. What is no directive stays as it is."""
    return _DIRECTIVE.sub(lambda found: _one(moment, found), form)


def _one(moment: Moment, found: re.Match[str]) -> str:
    flags, width_text, letter = found.groups()
    width = int(width_text[:6]) if width_text else 0
    pad = next((flag for flag in reversed(flags) if flag in "-_0+"), "")
    if letter == "F":
        return _number_text(moment, "Y", pad or ("" if width else "+"), max(width - 6, 0)) + formatted(moment, "-%m-%d")
    if letter[-1] == "z":
        return _offset(moment.offset, len(letter) - 1, width, pad)
    if letter == "N":
        return _nanoseconds(moment, width, pad)
    text: str | None
    if letter in _COMPOSED:
        form = _COMPOSED[letter]
        text = formatted(moment, form[:-1] + pad + form[-1] if letter == "D" else form)
        text = text.upper() if "^" in flags else text
    elif letter == "%" and found.group() != "%%":
        text, width = found.group(), width + bool(width)
    else:
        number = _number_text(moment, letter, pad, width)
        if number:
            return number
        text = _text(moment, letter)
        text = _cased(found.group() if text is None else text, flags, letter)
    return text if pad == "-" else text.rjust(width, "0" if pad in ("0", "+") else " ")


def _number_text(moment: Moment, letter: str, pad: str, width: int) -> str:
    """The text of a numeric directive, "" for another one."""
    found = _number(moment, letter)
    if found is None:
        return ""
    value, digits, filler = found
    if pad == "-":
        return str(value)
    sign = "-" if value < 0 else ""
    if pad == "+" and letter in "CGgYy" and not sign and (value > (99 if digits == 2 else 9999) or digits < width):
        sign = "+"
    filler = {"_": " ", "0": "0", "+": "0"}.get(pad, filler)
    body, size = str(abs(value)), width or digits
    return sign + body.rjust(size - len(sign), "0") if filler == "0" else (sign + body).rjust(size, filler)


def _cased(text: str, flags: str, letter: str) -> str:
    if letter == "P":
        return text
    if "^" in flags:
        return text.upper()
    if "#" in flags and letter in "aAbBhpZ":
        return text.lower() if letter in "pZ" else text.upper()
    return text


def _text(moment: Moment, letter: str) -> str | None:
    fields = moment.fields
    if letter in "aA":
        name = DAYS[(fields.tm_wday + 1) % 7]
        return name if letter == "A" else name[:3]
    if letter in "bBh":
        name = MONTHS[fields.tm_mon - 1]
        return name if letter == "B" else name[:3]
    if letter in "pP":
        half = "AM" if fields.tm_hour < 12 else "PM"
        return half if letter == "p" else half.lower()
    return {"n": "\n", "t": "\t", "%": "%", "Z": moment.zone}.get(letter)


def _number(moment: Moment, letter: str) -> tuple[int, int, str] | None:
    """(value, digits to pad to, what with)."""
    fields = moment.fields
    sunday = (fields.tm_wday + 1) % 7
    day_of_year = fields.tm_yday - 1
    table: dict[str, tuple[int, int, str]] = {
        "C": (fields.tm_year // 100, 2, "0"),
        "d": (fields.tm_mday, 2, "0"),
        "e": (fields.tm_mday, 2, " "),
        "H": (fields.tm_hour, 2, "0"),
        "I": (fields.tm_hour % 12 or 12, 2, "0"),
        "j": (fields.tm_yday, 3, "0"),
        "k": (fields.tm_hour, 2, " "),
        "l": (fields.tm_hour % 12 or 12, 2, " "),
        "m": (fields.tm_mon, 2, "0"),
        "M": (fields.tm_min, 2, "0"),
        "q": ((fields.tm_mon - 1) // 3 + 1, 1, "0"),
        "s": (moment.seconds, 1, "0"),
        "S": (fields.tm_sec, 2, "0"),
        "u": (sunday or 7, 1, "0"),
        "U": ((day_of_year + 7 - sunday) // 7, 2, "0"),
        "w": (sunday, 1, "0"),
        "W": ((day_of_year + 7 - fields.tm_wday) // 7, 2, "0"),
        "y": (fields.tm_year % 100, 2, "0"),
        "Y": (fields.tm_year, 4, "0"),
    }
    if letter in "GgV":
        year, week = _iso_week(fields.tm_year, day_of_year, fields.tm_wday)
        return {"G": (year, 4, "0"), "g": (year % 100, 2, "0"), "V": (week, 2, "0")}[letter]
    return table.get(letter)


def _iso_week(year: int, day_of_year: int, monday: int) -> tuple[int, int]:
    """ISO year and week: week 1 holds the year's first Thursday."""
    week = (day_of_year - monday + 10) // 7
    if week < 1:
        return year - 1, _weeks(year - 1)
    if week > _weeks(year):
        return year + 1, 1
    return year, week


def _weeks(year: int) -> int:
    def last_weekday(of: int) -> int:
        return (of + of // 4 - of // 100 + of // 400) % 7

    return 53 if last_weekday(year) == 4 or last_weekday(year - 1) == 3 else 52


def _offset(offset: int, colons: int, width: int, pad: str) -> str:
    sign = "-" if offset < 0 else "+"
    hours, rest = divmod(abs(offset), 3600)
    minutes, seconds = divmod(rest, 60)
    if colons == 3:
        colons = 2 if seconds else 1 if minutes else 3
    body = {
        0: str(hours * 100 + minutes),
        1: f"{hours}:{minutes:02}",
        2: f"{hours}:{minutes:02}:{seconds:02}",
        3: str(hours),
    }[colons]
    size = width or {0: 5, 1: 6, 2: 9, 3: 3}[colons]
    if pad == "-":
        return sign + body
    return (sign + body).rjust(size) if pad == "_" else sign + body.rjust(size - 1, "0")


def _nanoseconds(moment: Moment, width: int, pad: str) -> str:
    """The first ``width`` digits; `_` puts blanks for final zeros, `-` drops them where a width is given."""
    digits = f"{moment.nanoseconds:09}"
    size = width or 9
    kept = digits[:size].ljust(size, "0")
    stripped = kept.rstrip("0") or "0"
    if pad == "_":
        return stripped.ljust(size)
    if pad == "-":
        return stripped if width else kept
    return kept
