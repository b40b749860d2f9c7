"""The conditions of find: each is a test on one entry."""

from __future__ import annotations

import grp
import os
import pwd
import re
import stat
import time

from kernel.builtins.date_text import Unreadable, parse
from kernel.builtins.file_mode import parse_mode
from kernel.builtins.find_entry import Unread, behind
from kernel.builtins.glob_pattern import compiled
from kernel.builtins.guard import Failure, is_utf8, reason
from kernel.builtins.posix_regex import RegexError
from kernel.builtins.quoting import quoted_name
from kernel.builtins.sed_escapes import brackets_end
from kernel.builtins.sed_regex import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.builtins.find_entry import Entry
    from kernel.builtins.io import Io

    Test = Callable[[Entry], bool]

KINDS = {
    "f": stat.S_IFREG,
    "d": stat.S_IFDIR,
    "l": stat.S_IFLNK,
    "b": stat.S_IFBLK,
    "c": stat.S_IFCHR,
    "p": stat.S_IFIFO,
    "s": stat.S_IFSOCK,
}
_UNITS = {"b": 512, "c": 1, "w": 2, "k": 1024, "M": 1048576, "G": 1073741824}
_TIMES = {"a": "st_atime_ns", "c": "st_ctime_ns", "m": "st_mtime_ns"}
_FIELDS = {"-links": "st_nlink", "-inum": "st_ino", "-uid": "st_uid", "-gid": "st_gid"}
EMACS = ("emacs", "findutils")  # whose groups have backslashes
DAY = 86400 * 10**9
# option: the method of Tests that makes its test from its name and value
WITH_VALUE = {
    **dict.fromkeys(["-name", "-iname"], "name"),
    **dict.fromkeys(["-path", "-ipath", "-wholename", "-iwholename"], "path"),
    **dict.fromkeys(["-lname", "-ilname"], "link"),
    **dict.fromkeys(["-regex", "-iregex"], "regex"),
    **dict.fromkeys(["-type", "-xtype"], "kind"),
    **dict.fromkeys(_FIELDS, "number"),
    **dict.fromkeys(["-user", "-group"], "owner"),
    **dict.fromkeys(["-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin"], "age"),
    **dict.fromkeys(["-newer", "-anewer", "-cnewer"], "newer"),
    **dict.fromkeys([f"-newer{first}{second}" for first in "acm" for second in "acmt"], "newer"),
    "-size": "size",
    "-perm": "permissions",
    "-samefile": "same",
    "-used": "used",
}
PLAIN = {
    **dict.fromkeys(["-readable", "-writable", "-executable"], "access"),
    **dict.fromkeys(["-nouser", "-nogroup"], "nobody"),
    **dict.fromkeys(["-true", "-false"], "constant"),
    "-empty": "empty",
}


class Tests:
    """Makes tests. ``day_start`` and ``syntax`` are set by options that stand before the tests they are for."""

    def __init__(self, io: Io) -> None:
        self.io = io
        self.now = time.time_ns()
        self.day_start = False
        self.syntax = "emacs"
        self.utc = False  # dates are in local time

    def make(self, name: str, value: str) -> Test:
        """The test of an option and its value. Failure for a value that is none."""
        made: Test = getattr(self, WITH_VALUE.get(name) or PLAIN[name])(name, value)
        return made

    # --- names

    def name(self, name: str, value: str) -> Test:
        match = compiled(value, fold=name == "-iname").fullmatch
        return lambda entry: match(entry.base) is not None

    def path(self, name: str, value: str) -> Test:
        match = compiled(value, fold=name.startswith("-i")).fullmatch
        return lambda entry: match(entry.path) is not None

    def link(self, name: str, value: str) -> Test:
        match = compiled(value, fold=name == "-ilname").fullmatch
        return lambda entry: (text := entry.link_text()) is not None and match(text) is not None

    def regex(self, name: str, value: str) -> Test:
        extended = self.syntax != "posix-basic"
        text = _from_emacs(value, newline=self.syntax != "emacs") if self.syntax in EMACS else value
        whole = f"^({text})$" if extended else f"^\\({text}\\)$"
        try:
            found = Expression(whole, extended=extended, fold=name == "-iregex", lines=False, utf8=is_utf8(self.io.env))
        except RegexError as error:
            raise Failure(f"failed to compile regular expression '{value}': {error}") from None
        return lambda entry: found.matches(entry.path)

    # --- kinds, sizes, owners

    def kind(self, name: str, value: str) -> Test:
        letters = value.split(",")
        wrong = [letter for letter in letters if letter not in KINDS]
        if wrong:
            raise Failure(f"Unknown argument to {name}: {wrong[0][:1] or ','}")
        kinds = {KINDS[letter] for letter in letters}
        if name == "-type":
            return lambda entry: stat.S_IFMT(entry.info().st_mode) in kinds

        def other_side(entry: Entry) -> bool:
            """What a link points to; where links are followed, the link itself."""
            info = os.lstat(entry.place) if entry.followed else behind(entry.place)
            return stat.S_IFMT(info.st_mode) in kinds

        return other_side

    def size(self, name: str, value: str) -> Test:
        found = re.fullmatch(r"([-+]?)(\d+)([bcwkMG]?)", value, re.ASCII)
        if not found:
            raise Failure(f"invalid -size type `{value[-1:]}'" if value else "invalid null argument to -size")
        unit = _UNITS[found[3] or "b"]
        compare = comparison(found[1], int(found[2]))
        return lambda entry: compare(-(-entry.info().st_size // unit))

    def compared(self, name: str, value: str) -> Callable[[int], bool]:
        found = re.fullmatch(r"([-+]?)(\d+)", value, re.ASCII)
        if not found:
            raise Failure(f"non-numeric argument to {name}: {quoted_name(value)}")
        return comparison(found[1], int(found[2]))

    def number(self, name: str, value: str) -> Test:
        field, compare = _FIELDS[name], self.compared(name, value)
        return lambda entry: compare(getattr(entry.info(), field))

    def owner(self, name: str, value: str) -> Test:
        try:
            number = pwd.getpwnam(value).pw_uid if name == "-user" else grp.getgrnam(value).gr_gid
        except KeyError:
            if not (value.isascii() and value.isdigit()):
                what = "the name of a known user" if name == "-user" else "the name of an existing group"
                raise Failure(f"{quoted_name(value)} is not {what}", 1) from None
            number = int(value)
        field = "st_uid" if name == "-user" else "st_gid"
        return lambda entry: bool(getattr(entry.info(), field) == number)

    def nobody(self, name: str, value: str) -> Test:
        known: dict[int, bool] = {}

        def is_unknown(number: int) -> bool:
            try:
                pwd.getpwuid(number) if name == "-nouser" else grp.getgrgid(number)
            except KeyError:
                return True
            return False

        def test(entry: Entry) -> bool:
            number = entry.info().st_uid if name == "-nouser" else entry.info().st_gid
            if number not in known:
                known[number] = is_unknown(number)
            return known[number]

        return test

    def access(self, name: str, value: str) -> Test:
        mode = {"-readable": os.R_OK, "-writable": os.W_OK, "-executable": os.X_OK}[name]
        return lambda entry: os.access(entry.place, mode)

    def permissions(self, name: str, value: str) -> Test:
        way = value[:1] if value[:1] in ("-", "/") else ""
        text = value[len(way) :]
        wanted = parse_mode(text, 0, directory=False, umask=0) if text else None
        if wanted is None:
            raise Failure(f"invalid mode {quoted_name(value)}")
        bits = wanted

        def test(entry: Entry) -> bool:
            mode = stat.S_IMODE(entry.info().st_mode)
            if way == "-":
                return mode & bits == bits
            return (mode & bits != 0 or not bits) if way == "/" else mode == bits

        return test

    def empty(self, name: str, value: str) -> Test:
        def test(entry: Entry) -> bool:
            if not entry.is_directory():
                return stat.S_ISREG(entry.info().st_mode) and entry.info().st_size == 0
            try:
                with os.scandir(entry.place) as found:
                    return next(found, None) is None
            except OSError as error:
                raise Unread(error) from None

        return test

    def constant(self, name: str, value: str) -> Test:
        return lambda entry: name == "-true"

    # --- times

    def age(self, name: str, value: str) -> Test:
        """-mtime drops what is less than a day; -mmin 5 is more than 4 minutes and at most 5."""
        found = re.fullmatch(r"([-+]?)(\d+(?:\.\d+)?)", value, re.ASCII)
        if not found:
            raise Failure(f"invalid argument `{value}' to `{name}'")
        field, sign, amount, origin = _TIMES[name[1]], found[1], float(found[2]), self.origin()
        if name.endswith("time"):
            compare = comparison(sign, int(amount))
            return lambda entry: compare((origin - getattr(entry.info(), field)) // DAY)
        limit = amount * 60 * 10**9
        if sign == "+":
            return lambda entry: bool(origin - getattr(entry.info(), field) > limit)
        if sign == "-":
            return lambda entry: bool(origin - getattr(entry.info(), field) < limit)
        return lambda entry: bool(limit - 60 * 10**9 < origin - getattr(entry.info(), field) <= limit)

    def origin(self) -> int:
        """What ages are counted from: now, or with -daystart the end of today."""
        if not self.day_start:
            return self.now
        today = time.localtime(self.now // 10**9)
        return int(time.mktime((today.tm_year, today.tm_mon, today.tm_mday + 1, 0, 0, 0, 0, 0, -1))) * 10**9

    def used(self, name: str, value: str) -> Test:
        compare = self.compared(name, value)
        return lambda entry: compare((entry.info().st_atime_ns - entry.info().st_ctime_ns) // DAY)

    def newer(self, name: str, value: str) -> Test:
        """-newer, -anewer, -cnewer and -newerXY: the entry's time X against the file's time Y, `t` being a date."""
        own = name[6] if len(name) == 8 else name[1] if name in ("-anewer", "-cnewer") else "m"
        other = name[7] if len(name) == 8 else "m"
        if other != "t":
            limit = getattr(self.stat(value), _TIMES[other])
        else:
            try:
                seconds, rest = parse(value, self.now // 10**9, self.now % 10**9, utc=self.utc)
            except Unreadable:
                raise Failure(f"I cannot figure out how to interpret {quoted_name(value)} as a date or time", 1) from None
            limit = seconds * 10**9 + rest
        field = _TIMES[own]
        return lambda entry: bool(getattr(entry.info(), field) > limit)

    def same(self, name: str, value: str) -> Test:
        wanted = self.stat(value)
        return lambda entry: os.path.samestat(entry.info(), wanted)

    def stat(self, name: str) -> os.stat_result:
        try:
            return os.lstat(self.io.path(name))
        except OSError as error:
            raise Failure(f"{quoted_name(name)}: {reason(error)}", 1) from None


class Shape(Tests):
    """Tests that are only read: no file is looked at, no user and no group looked up. A date is one of any zone."""

    def __init__(self, io: Io) -> None:
        super().__init__(io)
        self.utc = True

    def owner(self, name: str, value: str) -> Test:
        return lambda entry: False

    def stat(self, name: str) -> os.stat_result:
        return os.stat_result((0,) * 19)


def comparison(sign: str, number: int) -> Callable[[int], bool]:
    """`+5` is more, `-5` is less, `5` is exactly."""
    if sign == "+":
        return lambda value: value > number
    if sign == "-":
        return lambda value: value < number
    return lambda value: value == number


def _from_emacs(text: str, *, newline: bool) -> str:
    """An expression of Emacs as an extended one: there `(`, `|` and `{` are plain, and operators with a backslash.

    Without ``newline`` a `.` matches none.
    """
    out: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            following = text[at + 1]
            out.append(following if following in "(|)" else "\\" + following)
            at += 2
            continue
        if character == "[" and (end := brackets_end(text, at)) > 0:
            out.append(text[at:end])
            at = end
            continue
        out.append("\\" + character if character in "(|){}" else "[^\n]" if character == "." and not newline else character)
        at += 1
    return "".join(out)
