"""-printf: facts on an entry by a format."""

from __future__ import annotations

import grp
import os
import pwd
import re
import stat

from kernel.builtins.calendar_format import Moment, formatted
from kernel.builtins.escapes import SIMPLE
from kernel.builtins.find_tests import KINDS
from kernel.builtins.guard import raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.builtins.find_entry import Entry

    Part = bytes | Callable[[Entry], bytes]

_DIRECTIVE = re.compile(r"%([-+ 0#]*)(\d*)(?:\.(\d+))?([ABCT].|[^ABCT])|\\([0-7]{1,3})|\\(.)", re.DOTALL)
_LETTERS = {kind: letter for letter, kind in KINDS.items()}
_TIMES = {"A": "st_atime_ns", "C": "st_ctime_ns", "T": "st_mtime_ns", "a": "st_atime_ns", "c": "st_ctime_ns", "t": "st_mtime_ns"}


def compile_format(form: str) -> Callable[[Entry], bytes]:
    """A function that gives an entry's text. What is no directive or escape stays as it is."""
    parts: list[Part] = []
    at = 0
    for found in _DIRECTIVE.finditer(form):
        parts.append(raw(form[at : found.start()]))
        at = found.end()
        flags, width, precision, directive, octal, letter = found.groups()
        if octal:
            parts.append(bytes([int(octal, 8) & 255]))
        elif letter == "c":
            at = len(form)
            break
        elif letter:
            parts.append(SIMPLE.get(raw(letter)) or raw("\\" + letter))
        elif directive == "%":
            parts.append(b"%")
        else:
            parts.append(_directive(found.group(), flags, width, precision, directive))
    parts.append(raw(form[at:]))
    return lambda entry: b"".join([part if isinstance(part, bytes) else part(entry) for part in parts])


def _directive(text: str, flags: str, width: str, precision: str | None, directive: str) -> Part:
    fact = _FACTS.get(directive[0])
    if fact is None:
        return raw(text)

    def shown(entry: Entry) -> bytes:
        value = fact(entry, directive)
        if isinstance(value, int):
            plain = f"{value:o}" if directive == "m" else str(value)
            if "+" in flags and directive == "d":
                plain = "+" + plain
            if directive == "m" and "#" in flags:
                plain = "0" + plain
            if precision:
                plain = plain.rjust(int(precision), "0")
            elif "0" in flags and "-" not in flags:
                plain = plain.rjust(int(width or 0), "0")
        else:
            plain = value[: int(precision)] if precision is not None else value
        data = raw(plain)
        size = int(width or 0)
        return data.ljust(size) if "-" in flags else data.rjust(size)

    return shown


def _name(database: Callable[[int], str], number: int) -> str:
    try:
        return database(number)
    except KeyError:
        return str(number)


def _kind(entry: Entry, directive: str) -> str:
    if directive == "y":
        return _LETTERS.get(stat.S_IFMT(entry.info().st_mode), "U")
    try:
        info = os.stat(entry.place)
    except FileNotFoundError:
        return "N"
    except OSError as error:
        import errno

        return "L" if error.errno == errno.ELOOP else "?"
    return _LETTERS.get(stat.S_IFMT(info.st_mode), "U")


def _time(entry: Entry, directive: str) -> str:
    nanoseconds = getattr(entry.info(), _TIMES[directive[0]])
    seconds, rest = divmod(nanoseconds, 10**9)
    fraction = f".{rest:09d}0"
    moment = Moment(seconds, rest, utc=False)
    letter = directive[1:] or "long"
    if letter == "@":
        return f"{seconds}{fraction}"
    forms = {"long": f"%a %b %e %H:%M:%S{fraction} %Y", "+": f"%Y-%m-%d+%H:%M:%S{fraction}", "T": f"%H:%M:%S{fraction}"}
    forms |= {"S": f"%S{fraction}", "X": forms["T"], "c": forms["long"], "r": f"%I:%M:%S{fraction} %p"}
    return formatted(moment, forms.get(letter, "%" + letter))


def _below(entry: Entry, directive: str) -> str:
    return entry.path[len(entry.start) :].lstrip("/")


def _head(entry: Entry, directive: str) -> str:
    path = entry.path.rstrip("/") or entry.path
    head, slash, _ = path.rpartition("/")
    return head if head else ("" if slash else ".")


_FACTS: dict[str, Callable[[Entry, str], int | str]] = {
    "p": lambda entry, _: entry.path,
    "f": lambda entry, _: entry.base,
    "h": _head,
    "P": _below,
    "H": lambda entry, _: entry.start,
    "s": lambda entry, _: entry.info().st_size,
    "b": lambda entry, _: entry.info().st_blocks,
    "k": lambda entry, _: -(-entry.info().st_blocks // 2),
    "m": lambda entry, _: stat.S_IMODE(entry.info().st_mode),
    "M": lambda entry, _: stat.filemode(entry.info().st_mode),
    "u": lambda entry, _: _name(lambda number: pwd.getpwuid(number).pw_name, entry.info().st_uid),
    "U": lambda entry, _: entry.info().st_uid,
    "g": lambda entry, _: _name(lambda number: grp.getgrgid(number).gr_name, entry.info().st_gid),
    "G": lambda entry, _: entry.info().st_gid,
    "y": _kind,
    "Y": _kind,
    "l": lambda entry, _: entry.link_text() or "",
    "n": lambda entry, _: entry.info().st_nlink,
    "i": lambda entry, _: entry.info().st_ino,
    "d": lambda entry, _: entry.depth,
    "D": lambda entry, _: entry.info().st_dev,
    **dict.fromkeys("ACTact", _time),
}
