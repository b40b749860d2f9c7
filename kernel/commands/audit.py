"""`kernel audit`: the recorded calls, filtered; a line each, or as JSON Lines."""

from __future__ import annotations

import datetime
from itertools import islice

from kernel import audit, environment, strict_json, words
from kernel.commands import verb
from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound

SPEC = verb.verb(
    "audit",
    "Show the record of calls: those that were served, and those made with KERNEL_AUDIT=1.",
    verb.switch("json", "Print JSON Lines: one object a call."),
    verb.option("tool", "Only calls of this tool, or of its subcommands.", "TOOL", complete="tool"),
    verb.option("status", "Only calls that ended so.", "STATUS", choices=("ok", "empty", "error")),
    verb.option("since", "Only calls from this time on: 2026-11-30, 2026-11-30T14:05, or how long ago: 90m, 12h, 7d.", "TIME"),
    verb.option("until", "Only calls before this time.", "TIME"),
    verb.option("last", "So many of the latest calls; all of them with 0. Left out, 20.", "N", between=(0, 10**9)),
)
HEADER = ("ID", "TIME", "DOOR", "STATUS", "EXIT", "SECONDS", "CALL")
STYLES = {"error": "red", "empty": "yellow", "ok": "green"}
SHOWN = 200  # characters of a call's line
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def run(bound: Bound) -> int:
    """Prints the calls, the latest last."""
    options = verb.finish(bound).values
    found = list(islice(_chosen(options), options.get("last", 20) or None))
    found.reverse()
    if options["json"]:
        environment.write_out("".join([strict_json.dumps(record) + "\n" for record in found]))
        return 0
    rows = [row(record) for record in found]
    if environment.is_terminal(1):
        from kernel.present import grid

        grid.show(HEADER, rows, styles=STYLES)
    else:
        from kernel.present import plain

        environment.write_out(plain.table([HEADER, *rows]))
    return 0


def _chosen(options: dict[str, Any]) -> Any:
    tool, status = options.get("tool", ""), options.get("status", "")
    since = _time(options["since"], "--since") if "since" in options else ""
    until = _time(options["until"], "--until") if "until" in options else ""
    for record in audit.records():
        when = record["time"]
        if since and when < since:
            return  # those that follow are older
        if (until and when >= until) or (status and record["status"] != status):
            continue
        if not tool or record["tool"] == tool or record["tool"].startswith(f"{tool} "):
            yield record


def row(record: dict[str, Any]) -> tuple[str, ...]:
    """One call as a line of the table: in local time, with its exit code, signal or error."""
    when = datetime.datetime.fromisoformat(record["time"]).astimezone()
    ended = record["exit"] if record["exit"] is not None else record["error"] or record["signal"] or ""
    line = call_line(record)
    shown = line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
    stamp = when.strftime("%Y-%m-%d %H:%M:%S")
    return record["id"], stamp, record["door"], record["status"], str(ended), f"{record['duration']:.3f}", shown


def call_line(record: dict[str, Any]) -> str:
    """The call as it would be typed: the words, or the values that came as JSON. What was too long stands as its size."""
    typed = record["words"]
    if isinstance(typed, list):
        return words.join([record["tool"].split(" ")[0], *[each if isinstance(each, str) else _size(each) for each in typed]])
    if typed is not None:
        return f"{record['tool']} {_size(typed)}"
    values = {name: _size(value) if name in record["hashed"] else value for name, value in record["values"].items()}
    return f"--args-json {words.quote(strict_json.dumps(values))} {record['tool']}"


def _size(hashed: dict[str, Any]) -> str:
    return f"<{hashed['bytes']} bytes>"


def _time(text: str, flag: str) -> str:
    """A time as records write it. Without a zone it is local; a duration counts back from now."""
    unit = _UNITS.get(text[-1:])
    try:
        if unit is not None and text[:-1].isascii() and text[:-1].isdigit():
            found = datetime.datetime.now(datetime.UTC) - datetime.timedelta(**{unit: int(text[:-1])})
        else:
            found = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
        return found.strftime("%Y-%m-%dT%H:%M:%S") + f".{found.microsecond // 1000:03}Z"
    except (ValueError, OverflowError):
        hint = f"write `{flag} 2026-11-30`, `{flag} 2026-11-30T14:05` or `{flag} 12h`"
        raise fail("E-TYPE", f"`{flag}` wants a time, got `{text}`", hint=hint) from None
