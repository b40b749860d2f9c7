"""date: a moment in a format."""

from __future__ import annotations

import contextlib
import os
import time

from kernel.builtins import date_text
from kernel.builtins.calendar_format import DEFAULT, Moment, formatted
from kernel.builtins.guard import Failure, guarded, last_given, raw, reason
from kernel.builtins.quoting import file_name, quoted
from kernel.environment import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernel.bound import Bound
    from kernel.builtins.io import Io

ISO = {
    "date": "%Y-%m-%d",
    "hours": "%Y-%m-%dT%H%:z",
    "minutes": "%Y-%m-%dT%H:%M%:z",
    "seconds": "%Y-%m-%dT%H:%M:%S%:z",
    "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
}
RFC_3339 = {"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}
RFC_EMAIL = "%a, %d %b %Y %H:%M:%S %z"


def usage(bound: Bound) -> None:
    """Failure for options that exclude each other, a format or a date that is none.

    A date that only one time zone does not know (an hour that it leaves out) is left until the zone is known.
    """
    _format(bound)
    if "date" in bound.values:
        with contextlib.suppress(OverflowError, OSError):
            _read(bound, divmod(time.time_ns(), 10**9), utc=True)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for a moment that the zone does not know, or a file that is not there."""
    values = bound.values
    form = _format(bound)
    utc = bool(values["utc"])
    with zone_of(io.env):
        try:
            moment = Moment(*instant(bound, io, utc), utc=utc)
        except (OverflowError, OSError, ValueError):
            raise Failure("time is out of range", 1) from None
        io.write(raw(formatted(moment, form)) + b"\n")
    return 0


def _format(bound: Bound) -> str:
    """The one format asked for."""
    values = bound.values
    if "date" in values and "reference" in values:
        message = "the options to specify dates for printing are mutually exclusive"
        raise Failure(message, param=last_given(bound, "date", "reference"))
    forms = []
    if "format" in values:
        if not values["format"].startswith("+"):
            message = f"a format begins with `+`, and the clock cannot be set: {quoted(values['format'])}"
            raise Failure(message, param="format")
        forms.append(values["format"][1:])
    if "iso_8601" in values:
        forms.append(ISO[values["iso_8601"]])
    if "rfc_3339" in values:
        forms.append(RFC_3339[values["rfc_3339"]])
    if values["rfc_email"]:
        forms.append(RFC_EMAIL)
    if len(forms) > 1:
        chosen = last_given(bound, "format", "iso_8601", "rfc_3339", "rfc_email")
        raise Failure("multiple output formats specified", param=chosen)
    return forms[0] if forms else DEFAULT


def instant(bound: Bound, io: Io, utc: bool) -> tuple[int, int]:
    """(seconds, nanoseconds) of what is to be shown."""
    values = bound.values
    if "reference" in values:
        try:
            found = os.stat(io.path(values["reference"])).st_mtime_ns
        except OSError as error:
            raise Failure(f"{file_name(values['reference'])}: {reason(error)}", 1) from None
        return divmod(found, 10**9)
    now = divmod(time.time_ns(), 10**9)
    return _read(bound, now, utc=utc) if "date" in values else now


def _read(bound: Bound, now: tuple[int, int], *, utc: bool) -> tuple[int, int]:
    """The moment that --date says."""
    text = bound.values["date"]
    try:
        return date_text.parse(text, *now, utc=utc)
    except date_text.Unreadable:
        raise Failure(f"invalid date {quoted(text)}", 1, param="date") from None


@contextlib.contextmanager
def zone_of(env: Mapping[str, str]) -> Iterator[None]:
    """The process's time zone is that of the call's environment meanwhile."""
    own = variables()
    before, wanted = own.get("TZ"), env.get("TZ")
    if before == wanted:
        yield
        return
    _set_zone(wanted)
    try:
        yield
    finally:
        _set_zone(before)


def _set_zone(zone: str | None) -> None:
    own = variables()
    if zone is None:
        own.pop("TZ", None)
    else:
        own["TZ"] = zone
    time.tzset()
