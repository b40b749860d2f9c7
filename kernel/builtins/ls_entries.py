"""What ls lists: entries with their facts, in the order asked for."""

from __future__ import annotations

import os
import stat

from kernel.builtins.glob_pattern import compiled
from kernel.builtins.guard import last_given, raw
from kernel.builtins.sort_keys import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kernel.bound import Bound

TIMES = {
    "mtime": "st_mtime_ns",
    "modification": "st_mtime_ns",
    "atime": "st_atime_ns",
    "access": "st_atime_ns",
    "use": "st_atime_ns",
}
TIMES |= {"ctime": "st_ctime_ns", "status": "st_ctime_ns"}


class Entry:
    """A name as it is shown, its path, and its facts (None where they could not be had)."""

    __slots__ = ("is_operand", "kind", "name", "path", "status", "target", "target_status")

    def __init__(self, name: str, path: str, status: os.stat_result | None, *, is_operand: bool = False) -> None:
        self.name = name
        self.path = path
        self.status = status
        self.is_operand = is_operand
        self.kind = 0  # the type bits of a mode, where that is all that is known
        self.target: str | None = None
        self.target_status: os.stat_result | None = None

    def read_link(self) -> None:
        """Fills in where a link points to."""
        if self.status is None or not stat.S_ISLNK(self.status.st_mode):
            return
        try:
            self.target = os.readlink(self.path)
            self.target_status = os.stat(self.path)
        except OSError:
            pass

    @property
    def mode(self) -> int:
        return self.status.st_mode if self.status is not None else self.kind

    @property
    def leads_to_directory(self) -> bool:
        """Whether it is a directory or a link to one."""
        status = self.target_status or self.status
        return status is not None and stat.S_ISDIR(status.st_mode)

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)


class Order:
    """How entries are sorted, and which of a directory's are shown."""

    def __init__(self, bound: Bound, width: Callable[[str], int], *, is_long: bool) -> None:
        values = bound.values
        self.width = width
        flags = {
            "sort_time": "time",
            "sort_size": "size",
            "sort_extension": "extension",
            "unsorted": "none",
            "sort_version": "version",
        }
        chosen = last_given(bound, "sort", *flags, "everything_unsorted")
        self.by: str = values["sort"] if chosen == "sort" else flags.get(chosen, "none" if chosen else "name")
        which = last_given(bound, "time", "change_time", "access_time")
        word = values["time"] if which == "time" else {"change_time": "ctime", "access_time": "atime"}.get(which, "mtime")
        self.time = TIMES[word]
        if which and not is_long and not chosen:
            self.by = "time"
        self.reverse = bool(values["reverse"])
        self.directories_first = bool(values["group_directories_first"])
        self.all = last_given(bound, "all", "almost_all", "everything_unsorted")
        backups = ["*~", ".*~"] if values["ignore_backups"] else []
        self.ignored = [compiled(glob, dot=False) for glob in [*values["ignore"], *backups]]
        self.hidden = [compiled(glob, dot=False) for glob in values["hide"]]

    def is_shown(self, name: str) -> bool:
        if any(glob.fullmatch(name) for glob in self.ignored):
            return False
        if self.all:
            return self.all != "almost_all" or name not in (".", "..")
        return not name.startswith(".") and not any(glob.fullmatch(name) for glob in self.hidden)

    def sorted(self, entries: list[Entry]) -> list[Entry]:
        if self.by != "none":
            entries.sort(key=lambda entry: raw(entry.name), reverse=self.reverse)
            key = self.key()
            if key is not None:
                entries.sort(key=key, reverse=self.reverse)
        if self.directories_first and self.by != "none":
            entries.sort(key=lambda entry: not entry.leads_to_directory)
        return entries

    def key(self) -> Any:
        if self.by == "time":
            return lambda entry: -getattr(entry.status, self.time) if entry.status is not None else 0
        if self.by == "size":
            return lambda entry: -entry.status.st_size if entry.status is not None else 0
        if self.by == "extension":
            return lambda entry: raw(entry.name[entry.name.rfind(".") :]) if "." in entry.name else b""
        if self.by == "version":
            return lambda entry: version(raw(entry.name))
        if self.by == "width":
            return lambda entry: self.width(entry.name)
        return None
