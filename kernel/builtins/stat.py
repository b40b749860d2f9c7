"""stat: facts on files."""

from __future__ import annotations

import grp
import os
import pwd
import re
import stat

from kernel.builtins.calendar_format import Moment, formatted
from kernel.builtins.escapes import SIMPLE
from kernel.builtins.file_mode import kind
from kernel.builtins.guard import guarded, raw, reason, refuse_left_out
from kernel.builtins.quoting import quoted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.bound import Bound
    from kernel.builtins.io import Io

_DIRECTIVE = re.compile(r"%([-#+ 0']*)(\d*)(?:\.(\d*))?([HL]?.)|\\([0-7]{1,3})|\\x([0-9a-fA-F]{1,2})|\\(.)", re.DOTALL)
_TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o"
_TIMES = {"X": "st_atime_ns", "Y": "st_mtime_ns", "Z": "st_ctime_ns"}


def usage(bound: Bound) -> None:
    """Failure for what only the program does."""
    refuse_left_out(bound, "stat", ("file_system", "cached"))


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file could not be looked at. The time of a file's birth is not known here."""
    usage(bound)
    values = bound.values
    form, escapes, end = values.get("format"), False, "\n"
    if "printf" in values:
        form, escapes, end = values["printf"], True, ""
    elif values["terse"]:
        form = _TERSE
    status = 0
    for name in values["files"]:
        try:
            follow = bool(values["dereference"])
            info = os.fstat(io.stdin) if name == "-" else os.stat(io.path(name), follow_symlinks=follow)
        except OSError as error:
            io.complain(f"cannot statx {quoted_name(name)}: {reason(error)}")
            status = 1
            continue
        facts = Facts(name, io.path(name), info)
        text = facts.filled(form, escapes) + raw(end) if form is not None else facts.whole()
        io.write(text)
    return status


class Facts:
    """One file, and what each directive says of it."""

    def __init__(self, name: str, path: str, info: os.stat_result) -> None:
        self.name = name
        self.path = path
        self.info = info

    def whole(self) -> bytes:
        """All that is known, as without options."""
        device = stat.S_ISBLK(self.info.st_mode) or stat.S_ISCHR(self.info.st_mode)
        link = f" -> {os.readlink(self.path)}" if stat.S_ISLNK(self.info.st_mode) else ""
        links = "%-5h Device type: %Hr,%Lr" if device else "%h"
        form = (
            "  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: " + links + "\n"
            "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
        )
        return raw(f"  File: {self.name}{link}\n") + self.filled(form, False)

    def filled(self, form: str, escapes: bool) -> bytes:
        out: list[bytes] = []
        at = 0
        for found in _DIRECTIVE.finditer(form):
            flags, width, precision, directive, octal, hexadecimal, letter = found.groups()
            if directive is None and not escapes:
                continue
            out.append(raw(form[at : found.start()]))
            at = found.end()
            if octal or hexadecimal:
                out.append(bytes([int(octal or hexadecimal, 8 if octal else 16) & 255]))
            elif letter:
                out.append(SIMPLE.get(raw(letter)) or raw(letter))
            elif directive[-1] == "%":
                out.append(b"%")
            else:
                if directive[0] in "HL" and directive[1:] not in ("d", "r"):
                    directive, at = directive[0], at - len(directive) + 1
                out.append(self.shown(flags, int(width or 0), precision, directive))
        out.append(raw(form[at:]))
        return b"".join(out)

    def shown(self, flags: str, width: int, precision: str | None, directive: str) -> bytes:
        fact = _FACTS.get(directive)
        if fact is None:
            return b"?"
        value = fact(self)
        if directive in _TIMES:
            text = _seconds(getattr(self.info, _TIMES[directive]), precision)
        elif isinstance(value, int):
            text = f"{value:o}" if directive == "a" else f"{value:x}" if directive in ("D", "f", "t", "T") else str(value)
            if "#" in flags and directive == "a":
                text = "0" + text
            text = text.rjust(int(precision or 0), "0")
        else:
            text = value[: int(precision or 0)] if precision is not None else value
        data = raw(text)
        if "-" in flags:
            return data.ljust(width)
        return data.rjust(width, b"0" if "0" in flags and not (isinstance(value, str) and directive not in _TIMES) else b" ")


def _seconds(nanoseconds: int, precision: str | None) -> str:
    """Whole seconds, or with a precision so many digits behind the point (nine for a bare one)."""
    seconds, rest = divmod(nanoseconds, 10**9)
    if precision is None or precision == "0":
        return str(seconds)
    digits = int(precision or 9)
    return f"{seconds}.{f'{rest:09d}'[:digits].ljust(digits, '0')}"


def _named(database: Callable[[int], str], number: int) -> str:
    try:
        return database(number)
    except KeyError:
        return "UNKNOWN"


def _time(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    return formatted(Moment(seconds, rest, utc=False), f"%Y-%m-%d %H:%M:%S.{rest:09d} %z")


def _mount_point(facts: Facts) -> str:
    path = os.path.realpath(facts.path)
    while not os.path.ismount(path):
        path = os.path.dirname(path)
    return path


def _quoted(facts: Facts) -> str:
    link = f" -> {quoted_name(os.readlink(facts.path))}" if stat.S_ISLNK(facts.info.st_mode) else ""
    return quoted_name(facts.name) + link


_FACTS: dict[str, Callable[[Facts], int | str]] = {
    "a": lambda facts: stat.S_IMODE(facts.info.st_mode),
    "A": lambda facts: stat.filemode(facts.info.st_mode),
    "b": lambda facts: facts.info.st_blocks,
    "B": lambda facts: 512,
    "d": lambda facts: facts.info.st_dev,
    "D": lambda facts: facts.info.st_dev,
    "Hd": lambda facts: os.major(facts.info.st_dev),
    "Ld": lambda facts: os.minor(facts.info.st_dev),
    "f": lambda facts: facts.info.st_mode,
    "F": lambda facts: kind(facts.info),
    "g": lambda facts: facts.info.st_gid,
    "G": lambda facts: _named(lambda number: grp.getgrgid(number).gr_name, facts.info.st_gid),
    "h": lambda facts: facts.info.st_nlink,
    "i": lambda facts: facts.info.st_ino,
    "m": _mount_point,
    "n": lambda facts: facts.name,
    "N": _quoted,
    "o": lambda facts: facts.info.st_blksize,
    "r": lambda facts: facts.info.st_rdev,
    "Hr": lambda facts: os.major(facts.info.st_rdev),
    "Lr": lambda facts: os.minor(facts.info.st_rdev),
    "s": lambda facts: facts.info.st_size,
    "t": lambda facts: os.major(facts.info.st_rdev),
    "T": lambda facts: os.minor(facts.info.st_rdev),
    "u": lambda facts: facts.info.st_uid,
    "U": lambda facts: _named(lambda number: pwd.getpwuid(number).pw_name, facts.info.st_uid),
    "w": lambda facts: "-",
    "W": lambda facts: 0,
    "x": lambda facts: _time(facts.info.st_atime_ns),
    "X": lambda facts: facts.info.st_atime_ns // 10**9,
    "y": lambda facts: _time(facts.info.st_mtime_ns),
    "Y": lambda facts: facts.info.st_mtime_ns // 10**9,
    "z": lambda facts: _time(facts.info.st_ctime_ns),
    "Z": lambda facts: facts.info.st_ctime_ns // 10**9,
}
