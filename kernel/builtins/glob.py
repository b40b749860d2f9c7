"""glob: the files that match patterns."""

from __future__ import annotations

import os

from kernel.builtins.glob_pattern import compiled
from kernel.builtins.guard import Failure, guarded, raw
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Sorted within each pattern. Status 1 when a pattern matches nothing, unless that is allowed by --maybe."""
    values = bound.values
    end = b"\0" if values["null"] else b"\n"
    for pattern in values["patterns"]:
        found = sorted(matches(pattern, io, hidden=bool(values["all"])))
        if not found and not values["maybe"]:
            raise Failure(f"nothing matches {quoted(pattern)}; `--maybe` allows that", 1)
        for name in found:
            io.write(raw(name) + end)
    return 0


def matches(pattern: str, io: Io, *, hidden: bool) -> set[str]:
    """The paths that a pattern matches. `**` is any number of directories, none entered through links."""
    parts = [part for part in pattern.split("/") if part]
    start = "/" if pattern.startswith("/") else ""
    found = set(_below(start, parts, io, hidden))
    if pattern.endswith("/") and parts:
        found = {name + "/" for name in found if os.path.isdir(io.path(name))}
    return found


def _below(base: str, parts: list[str], io: Io, hidden: bool) -> Iterator[str]:
    if not parts:
        if base:
            yield base
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _below(base, rest, io, hidden)
        for name in _names(base, io):
            path = base + name if base in ("", "/") else f"{base}/{name}"
            if (hidden or not name.startswith(".")) and os.path.isdir(io.path(path)) and not os.path.islink(io.path(path)):
                yield from _below(path, parts, io, hidden)
            elif not rest and (hidden or not name.startswith(".")):
                yield path
        return
    if not any(mark in part for mark in "*?[\\"):
        path = base + part if base in ("", "/") else f"{base}/{part}"
        if os.path.lexists(io.path(path)):
            yield from _below(path, rest, io, hidden)
        return
    match = compiled(part, slash=False, dot=hidden).fullmatch
    for name in _names(base, io):
        if match(name):
            path = base + name if base in ("", "/") else f"{base}/{name}"
            if not rest or os.path.isdir(io.path(path)):
                yield from _below(path, rest, io, hidden)


def _names(base: str, io: Io) -> list[str]:
    try:
        return os.listdir(io.path(base) if base else io.cwd)
    except OSError:
        return []
