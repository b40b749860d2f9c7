"""touch: files made, or their times set."""

from __future__ import annotations

import calendar
import contextlib
import errno
import os
import re
import time

from kernel.builtins.date_text import Unreadable, parse
from kernel.builtins.guard import Failure, guarded, last_given, reason
from kernel.builtins.quoting import quoted, quoted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

    Times = tuple[int, int]  # access, change; nanoseconds

_STAMP = re.compile(r"(\d\d)?(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?", re.ASCII)


def usage(bound: Bound) -> None:
    """Failure for times from two sources, and for text that is no time.

    A time that only one zone does not know (an hour that it leaves out) is left until the zone is known.
    """
    values = bound.values
    if "stamp" in values and ("date" in values or "reference" in values):
        raise Failure("cannot specify times from more than one source", param=last_given(bound, "stamp", "date", "reference"))
    if "stamp" in values:
        _fields(values["stamp"])
    elif "date" in values:
        with contextlib.suppress(OverflowError, OSError):
            _dated(values["date"], time.time_ns(), utc=True)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a file's times could not be set."""
    values = bound.values
    which = {"atime": "access", "use": "access", "mtime": "modify"}.get(values.get("time", ""), values.get("time", ""))
    access = bool(values["access"]) or which == "access"
    modify = bool(values["modify"]) or which == "modify"
    link = bool(values["no_dereference"])
    times = wanted(bound, io)
    status = 0
    for name in values["files"]:
        try:
            touch(io, name, times, access or not modify, modify or not access, link, create=not (values["no_create"] or link))
        except OSError as error:
            if values["no_create"] and error.errno == errno.ENOENT:
                continue
            verb = (
                "setting times of" if link or error.errno in (errno.EPERM, errno.EROFS) or values["no_create"] else "cannot touch"
            )
            io.complain(f"{verb} {quoted_name(name)}: {reason(error)}")
            status = 1
    return status


def touch(io: Io, name: str, times: Times | None, access: bool, modify: bool, link: bool, *, create: bool) -> None:
    """Sets the times that are wanted; the others stay. Raises OSError."""
    target: str | int
    opened = -1
    if name == "-":
        target = io.stdout
    else:
        target = io.path(name)
        if create and not os.path.exists(target):
            opened = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o666)
            os.close(opened)
    follow = isinstance(target, int) or not link
    if times is None and access and modify:
        os.utime(target) if follow else os.utime(target, follow_symlinks=False)
        return
    info = os.stat(target) if follow else os.stat(target, follow_symlinks=False)
    now = time.time_ns()
    new = times or (now, now)
    pair = (new[0] if access else info.st_atime_ns, new[1] if modify else info.st_mtime_ns)
    os.utime(target, ns=pair) if follow else os.utime(target, ns=pair, follow_symlinks=False)


def wanted(bound: Bound, io: Io) -> Times | None:
    """The times to set, None for now. Failure for text that is no time."""
    usage(bound)
    values = bound.values
    if "stamp" in values:
        at = _stamp(values["stamp"]) * 10**9
        return at, at
    now = time.time_ns()
    base: Times = (now, now)
    if "reference" in values:
        try:
            info = os.stat(io.path(values["reference"]), follow_symlinks=last_given(bound, "no_dereference") == "")
        except OSError as error:
            raise Failure(f"failed to get attributes of {quoted_name(values['reference'])}: {reason(error)}", 1) from None
        base = info.st_atime_ns, info.st_mtime_ns
    if "date" not in values:
        return base if "reference" in values else None
    first, second = [_dated(values["date"], each, utc=False) for each in base]
    return first, second


def _dated(text: str, now: int, *, utc: bool) -> int:
    """Nanoseconds of a date in words; ``now`` is what a relative one starts from."""
    try:
        seconds, rest = parse(text, now // 10**9, now % 10**9, utc=utc)
    except Unreadable:
        raise Failure(f"invalid date format {quoted(text)}", 1, param="date") from None
    return seconds * 10**9 + rest


def _stamp(text: str) -> int:
    """`[[CC]YY]MMDDhhmm[.ss]` in local time."""
    fields = _fields(text)
    at = int(time.mktime(fields))
    if time.localtime(at)[:6] != fields[:6]:
        raise Failure(f"invalid date format {quoted(text)}", 1, param="stamp")
    return at + (text[-3:] == ".60")


def _fields(text: str) -> tuple[int, int, int, int, int, int, int, int, int]:
    """The fields of a time that the calendar has, as the system's functions take them. A leap second is the one before it."""
    found = _STAMP.fullmatch(text)
    if not found:
        raise Failure(f"invalid date format {quoted(text)}", param="stamp")
    century, year, month, day, hour, minute, second = found.groups()
    if century and not year:
        century, year = None, century
    if year is None:
        full = time.localtime().tm_year
    elif century:
        full = int(century + year)
    else:
        full = int(year) + (1900 if int(year) >= 69 else 2000)
    fields = (full, int(month), int(day), int(hour), int(minute), min(int(second or 0), 59), 0, 0, -1)
    try:
        is_sound = time.gmtime(calendar.timegm(fields))[:6] == fields[:6] and int(second or 0) <= 60
    except (OverflowError, ValueError):
        is_sound = False
    if not is_sound:
        raise Failure(f"invalid date format {quoted(text)}", param="stamp")
    return fields
