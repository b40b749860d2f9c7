"""Dates as people write them: `@0`, `2024-02-29 12:00 UTC`, `yesterday`, `2 days ago`, `next monday`, `10:30pm`."""

from __future__ import annotations

import calendar
import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_TOKEN = re.compile(
    r"\s*(?:(?P<iso>[+-]?\d+-\d{1,2}-\d{1,2})(?:(?P<t>[Tt])(?=\d))?|(?P<slash>\d+/\d+(?:/\d+)?)"
    r"|(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)|(?P<offset>[+-]\d{1,2}:\d{2}(?!\d))"
    r"|(?P<number>[+-]?\s*\d+)|(?P<word>[A-Za-z]+\.?(?:[A-Za-z]\.)?)|(?P<comma>,)|(?P<note>\([^()]*\)))(?P<dash>-(?=[A-Za-z\d]))?",
    re.ASCII,
)
_MONTHS = {name.lower(): index for index, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name[:3]: index for name, index in _MONTHS.items()} | {"sept": 9}
_DAYS = {"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6}
_DAYS |= {name[:3]: index for name, index in _DAYS.items()} | {"tues": 2, "wednes": 3, "thur": 4, "thurs": 4}
_UNITS = {
    "year": ("month", 12),
    "month": ("month", 1),
    "fortnight": ("day", 14),
    "week": ("day", 7),
    "day": ("day", 1),
    "hour": ("second", 3600),
    "minute": ("second", 60),
    "min": ("second", 60),
    "second": ("second", 1),
    "sec": ("second", 1),
}
_ORDINALS = {"last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
_ORDINALS |= {"eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12}
_SHIFTS = {"today": 0, "now": 0, "tomorrow": 1, "yesterday": -1}
_ZONES = {"utc": 0, "gmt": 0, "z": 0, "ut": 0, "wet": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6}
_ZONES |= {"pst": -8, "pdt": -7, "cet": 1, "cest": 2, "met": 1, "bst": 1, "west": 1, "eet": 2, "eest": 3, "msk": 3, "jst": 9}
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = re.compile(r"\s*@\s*([+-]?)(\d+)(?:[.,](\d+))?\s*$", re.ASCII)


class Unreadable(ValueError):
    """Text that is no date here."""


def parse(text: str, now: int, nanoseconds: int, *, utc: bool) -> tuple[int, int]:
    """(seconds since 1970, nanoseconds). ``now`` is what relative dates start from. Raises Unreadable."""
    found = _EPOCH.match(text)
    if found:
        sign, digits, rest = found.groups()
        if len(digits) > 17:
            raise Unreadable(text)
        part = int((rest or "0").ljust(9, "0")[:9])
        if sign != "-":
            return int(digits), part
        return (-int(digits) - 1, 10**9 - part) if part else (-int(digits), 0)
    return Reader(text, now, nanoseconds, utc).result()


class Reader:
    """What the words have said so far. Each of date, time, zone and day may be said once; shifts add up."""

    def __init__(self, text: str, now: int, nanoseconds: int, utc: bool) -> None:
        self.text = text
        self.utc = utc
        start = time.gmtime(now) if utc else time.localtime(now)
        self.now = start
        self.nanoseconds = nanoseconds
        self.date: tuple[int, int, int] | None = None
        self.clock: tuple[int, int, int, int] | None = None
        self.zone: int | None = None
        self.day: tuple[int, int] | None = None
        self.shifts = {"month": 0, "day": 0, "second": 0}
        self.shifted = False
        self.last_shift: tuple[str, int] | None = None
        self.tokens = self.split()
        self.at = 0
        while self.at < len(self.tokens):
            self.take()

    def fail(self) -> NoReturn:
        raise Unreadable(self.text)

    def split(self) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        at, end = 0, len(self.text.rstrip())
        while at < end:
            found = _TOKEN.match(self.text, at)
            if found is None or len(tokens) > 200:
                self.fail()
            kind = next(
                name for name in ("iso", "slash", "clock", "offset", "number", "word", "comma", "note") if found.group(name)
            )
            if kind not in ("comma", "note"):
                tokens.append((kind, re.sub(r"\s", "", found.group(kind)).lower()))
            if found.group("t"):
                tokens.append(("word", "t"))
            at = found.end()
        return tokens

    def peek(self, ahead: int = 0) -> tuple[str, str]:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("", "")

    def take(self) -> None:
        kind, text = self.peek()
        self.at += 1
        if kind == "iso":
            year, month, day = text.lstrip("+-").split("-")
            self.set_date(self.year(year) * (-1 if text.startswith("-") else 1), int(month), int(day))
        elif kind == "slash":
            parts = [int(part) for part in text.split("/")]
            if len(parts) == 3 and len(text.split("/")[0]) >= 4:
                self.set_date(*parts)
            else:
                self.set_date(self.year(text.split("/")[2]) if len(parts) == 3 else self.now.tm_year, parts[0], parts[1])
        elif kind == "clock":
            self.take_clock(text)
        elif kind == "offset":
            hours, minutes = text[1:].split(":")
            self.set_zone((int(hours) * 3600 + int(minutes) * 60) * (-1 if text[0] == "-" else 1))
        elif kind == "number":
            self.take_number(text)
        else:
            self.take_word(text.rstrip("."))

    def year(self, digits: str) -> int:
        number = int(digits)
        if len(digits) <= 2:
            return number + (2000 if number < 69 else 1900)
        return number

    def set_date(self, year: int, month: int, day: int) -> None:
        if self.date is not None or not 1 <= month <= 12 or not 1 <= day <= 31 or abs(year) > 10**8:
            self.fail()
        self.date = (year, month, day)

    def set_clock(self, hour: int, minute: int, second: int, fraction: int) -> None:
        if self.clock is not None or hour > 23 or minute > 59 or second > 59:
            self.fail()
        self.clock = (hour, minute, second, fraction)

    def set_zone(self, offset: int) -> None:
        if self.zone is not None or abs(offset) > 24 * 3600:
            self.fail()
        self.zone = offset

    def take_clock(self, text: str) -> None:
        hour, minute, *rest = text.replace(",", ".").split(":")
        second, _, fraction = (rest[0] if rest else "0").partition(".")
        self.set_clock(self.half(int(hour)), int(minute), int(second), int(fraction.ljust(9, "0")[:9] or "0"))
        kind, sign = self.peek()
        if kind == "number" and sign[0] in "+-":
            self.at += 1  # of the zone, whatever follows: in `12:00 +1 day` the day is one and +1 the zone
            self.take_offset(sign)

    def take_offset(self, text: str) -> None:
        digits = text[1:]
        if len(digits) > 4:
            self.fail()
        hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
        if minutes > 59:
            self.fail()
        self.set_zone((hours * 3600 + minutes * 60) * (-1 if text[0] == "-" else 1))

    def half(self, hour: int) -> int:
        """An hour with the `am` or `pm` that may follow."""
        kind, text = self.peek()
        half = text.replace(".", "") if kind == "word" else ""
        if half not in ("am", "pm"):
            return hour
        self.at += 1
        if not 1 <= hour <= 12:
            self.fail()
        return hour % 12 + (12 if half == "pm" else 0)

    def take_number(self, text: str) -> None:
        kind, word = self.peek()
        name = word.rstrip(".")
        if kind == "word" and self.unit(name) is not None:
            self.at += 1
            self.shift(name, int(text))
        elif kind == "word" and name in _MONTHS and text.isdigit():  # 29 Feb 2024, 29-Feb-2024
            self.at += 1
            kind, year = self.peek()
            behind = self.peek(1)[1].replace(".", "")
            if kind == "number" and year[0] != "+" and self.unit(behind) is None and behind not in ("am", "pm"):
                self.at += 1
                self.set_date(self.year(year.lstrip("-")), _MONTHS[name], int(text))
            else:
                self.set_date(self.now.tm_year, _MONTHS[name], int(text))
        elif kind == "word" and name.replace(".", "") in ("am", "pm") and text.isdigit():
            self.set_clock(self.half(int(text)), 0, 0, 0)
        elif kind == "word" and name in _DAYS and text.isdigit():
            self.at += 1
            self.set_day(_DAYS[name], int(text))
        elif text[0] in "+-":
            self.fail()
        elif self.date is not None and self.clock is not None and len(text) == 4 and not self.shifted:
            self.date = (int(text), *self.date[1:])
        elif len(text) in (6, 7, 8) and self.date is None:
            full = self.year(text[:-4]) if len(text) == 6 else int(text[:-4])
            self.set_date(full, int(text[-4:-2]), int(text[-2:]))
        elif len(text) <= 2:
            self.set_clock(int(text), 0, 0, 0)
        elif len(text) <= 4:
            self.set_clock(int(text[:-2]), int(text[-2:]), 0, 0)
        else:
            self.fail()

    def unit(self, word: str) -> tuple[str, int] | None:
        return _UNITS.get(word) or (_UNITS.get(word[:-1]) if word.endswith("s") else None)

    def shift(self, name: str, count: int) -> None:
        unit = self.unit(name)
        if unit is None or abs(count) > 10**9:
            self.fail()
        if self.peek() == ("word", "ago"):
            self.at += 1
            count = -count
        elif self.peek() == ("word", "hence"):
            self.at += 1
        self.shifts[unit[0]] += unit[1] * count
        self.shifted = True

    def set_day(self, day: int, ordinal: int) -> None:
        if self.day is not None:
            self.fail()
        self.day = (day, ordinal)

    def take_word(self, word: str) -> None:
        kind, following = self.peek()
        if word == "t":
            if kind != "clock":
                self.fail()
        elif word in _SHIFTS:
            self.shifts["day"] += _SHIFTS[word]
            self.shifted = True
        elif word in _ORDINALS and kind == "word":
            self.at += 1
            if following.rstrip(".") in _DAYS:
                self.set_day(_DAYS[following.rstrip(".")], _ORDINALS[word])
            else:
                self.shift(following, _ORDINALS[word])
        elif word in _MONTHS:
            self.take_month(_MONTHS[word])
        elif word in _DAYS:
            self.set_day(_DAYS[word], 0)
        elif self.unit(word) is not None:
            self.shift(word, 1)
        elif word in _ZONES:
            self.set_zone(_ZONES[word] * 3600)
            if kind == "number" and following[0] in "+-" and self.unit(self.peek(1)[1]) is None:
                self.zone = None
                self.at += 1
                self.take_offset(following)
        else:
            self.fail()

    def take_month(self, month: int) -> None:
        """`Feb 29`, `Feb 29, 2024`, `Feb 29 12:00:00 2024`."""
        kind, day = self.peek()
        if kind != "number" or not day.isdigit():
            self.fail()
        self.at += 1
        kind, year = self.peek()
        if kind == "number" and year.isdigit() and len(year) == 4 and self.unit(self.peek(1)[1]) is None:
            self.at += 1
            self.set_date(int(year), month, int(day))
        else:
            self.set_date(self.now.tm_year, month, int(day))

    def result(self) -> tuple[int, int]:
        now = self.now
        year, month, day = self.date or (now.tm_year, now.tm_mon, now.tm_mday)
        if self.date and day > _month_length(year, month):
            self.fail()
        if self.clock is not None:
            hour, minute, second, nanoseconds = self.clock
        elif self.shifted and self.date is None and self.day is None:
            hour, minute, second, nanoseconds = now.tm_hour, now.tm_min, now.tm_sec, self.nanoseconds
        else:
            hour = minute = second = nanoseconds = 0
        if self.day is not None and self.date is None:
            wanted, ordinal = self.day
            today = (now.tm_wday + 1) % 7
            day += (wanted - today) % 7 + 7 * (ordinal - (1 if ordinal > 0 and today != wanted else 0))
        month += self.shifts["month"]
        day += self.shifts["day"]
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
        if not -(10**7) < year < 10**7 or abs(self.shifts["second"]) > 10**14:
            self.fail()
        wall = _days(year, month) * 86400 + (day - 1) * 86400 + hour * 3600 + minute * 60 + second
        if self.zone is not None:
            return wall - self.zone + self.shifts["second"], nanoseconds
        if self.utc:
            return wall + self.shifts["second"], nanoseconds
        return self.local(wall) + self.shifts["second"], nanoseconds

    def local(self, wall: int) -> int:
        """The moment of a local clock's reading; of two, where a clock is set back, the first."""
        try:
            found = int(time.mktime((*time.gmtime(wall)[:8], -1)))
            earlier = time.localtime(found - 3600)
            return found - 3600 if earlier[:6] == time.localtime(found)[:6] else found
        except (OverflowError, OSError, ValueError):
            self.fail()


def _month_length(year: int, month: int) -> int:
    return 29 if month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)) else _LENGTHS[month - 1]


def _days(year: int, month: int) -> int:
    """Days from 1970-01-01 to the first of a month, in the Gregorian calendar of any year."""
    year, month = (year - 1, month + 12) if month <= 2 else (year, month)
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month - 3) + 2) // 5
    return int(era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468)
