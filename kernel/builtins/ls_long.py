"""The long format of ls: mode, links, owner, group, size, time, name, in columns."""

from __future__ import annotations

import os
import stat
import time

from kernel.builtins.calendar_format import Moment, formatted
from kernel.builtins.guard import Failure, last_given
from kernel.builtins.quoting import quoted
from kernel.builtins.sizes import human, parse_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.ls_entries import Entry
    from kernel.builtins.ls_names import Names

HALF_YEAR = 31556952 // 2
STYLES = {
    "full-iso": ("%Y-%m-%d %H:%M:%S.%N %z",) * 2,
    "long-iso": ("%Y-%m-%d %H:%M",) * 2,
    "iso": ("%Y-%m-%d ", "%m-%d %H:%M"),
    "locale": ("%b %e  %Y", "%b %e %H:%M"),
}


class Sizes:
    """How sizes and numbers of blocks are shown. ``unit`` is bytes; 0 is for people."""

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        chosen = last_given(bound, "block_size", "human_readable", "si")
        self.base = {"human_readable": 1024, "si": 1000}.get(chosen, 0)
        self.size_unit, self.block_unit, self.suffix = 1, 1024, ""
        text = values.get("block_size", "")
        if chosen == "block_size" and text in ("human-readable", "si"):
            self.base = 1024 if text == "human-readable" else 1000
        elif chosen == "block_size":
            unit = parse_size(text if text[:1].isdigit() else "1" + text)
            if not unit:
                raise Failure(f"invalid --block-size argument {quoted(text)}", param="block_size")
            self.size_unit = self.block_unit = unit
            self.suffix = "" if text[:1].isdigit() else text

    def size(self, size: int) -> str:
        return human(size, self.base) if self.base else f"{-(-size // self.size_unit)}{self.suffix}"

    def blocks(self, blocks: int) -> str:
        """A number of 512-byte blocks."""
        return human(blocks * 512, self.base) if self.base else f"{-(-blocks * 512 // self.block_unit)}{self.suffix}"


def _is_device(status: os.stat_result) -> bool:
    return stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)


def time_forms(bound: Bound) -> tuple[str, str]:
    """The formats of old and of recent times. Failure for a style that is none."""
    style = bound.values.get("time_style", "locale")
    if bound.values["full_time"] and last_given(bound, "full_time", "time_style") == "full_time":
        style = "full-iso"
    style = style.removeprefix("posix-")
    if style.startswith("+"):
        parts = style[1:].split("\n")
        return parts[0], parts[-1]
    if style not in STYLES:
        raise Failure(f"invalid argument {quoted(style)} for 'time style'", param="time_style")
    return STYLES[style]


class Long:
    """The columns and how wide they must be."""

    def __init__(self, bound: Bound, names: Names, sizes: Sizes, time_field: str) -> None:
        values = bound.values
        self.names = names
        self.sizes = sizes
        self.time_field = time_field
        self.numeric = bool(values["numeric"])
        self.owner = not values["no_owner"]
        self.group = not values["no_group_long"] and not values["no_group"]
        self.author = bool(values["author"])
        self.inode = bool(values["inode"])
        self.blocks = bool(values["size"])
        self.forms = time_forms(bound)
        self.users: dict[int, str] = {}
        self.groups: dict[int, str] = {}
        self.now = time.time()
        self.major = self.minor = 0

    def lines(self, entries: list[Entry], beside: list[Entry]) -> list[str]:
        """A line for each entry; the columns fit those ``beside`` as well."""
        every = entries + beside
        devices = [entry.status.st_rdev for entry in every if entry.status is not None and _is_device(entry.status)]
        self.major = max([len(str(os.major(device))) for device in devices], default=0)
        self.minor = max([len(str(os.minor(device))) for device in devices], default=0)
        rows = [self.row(entry) for entry in every]
        widths = [max([len(row[column][0]) for row in rows]) for column in range(len(rows[0]))]
        names = [self.names.quoted(entry.name) for entry in entries]
        blanks = [len(aligned) - len(name) for aligned, name in zip(self.names.aligned(names), names)]
        out = []
        for row, blank in zip(rows, blanks):
            cells = [text.rjust(width) if right else text.ljust(width) for (text, right), width in zip(row[:-2], widths)]
            out.append(" ".join([*cells, row[-2][0]]) + " " * (1 + blank) + row[-1][0])
        return out

    def row(self, entry: Entry) -> list[tuple[str, bool]]:
        """(text, whether it stands to the right) for each column."""
        status = entry.status
        cells: list[tuple[str, bool]] = []
        if self.inode:
            cells.append((str(status.st_ino) if status else "?", True))
        if self.blocks:
            cells.append((self.sizes.blocks(status.st_blocks) if status else "?", True))
        name = self.names.shown(entry)
        if status is None:
            cells += [(stat.filemode(entry.kind)[0] + "?????????", False), ("?", True)]
            cells += [("?", False)] * (self.owner + self.group + self.author)
            return [*cells, ("?", True), ("?".rjust(len(formatted(Moment(0, 0, utc=False), self.forms[0]))), True), (name, False)]
        cells += [(stat.filemode(status.st_mode), False), (str(status.st_nlink), True)]
        if self.owner:
            cells.append(self.user(status.st_uid))
        if self.group:
            cells.append(self.group_of(status.st_gid))
        if self.author:
            cells.append(self.user(status.st_uid))
        if _is_device(status):
            major, minor = str(os.major(status.st_rdev)), str(os.minor(status.st_rdev))
            cells.append((f"{major.rjust(self.major)}, {minor.rjust(self.minor)}", True))
        else:
            cells.append((self.sizes.size(status.st_size), True))
        cells.append((self.when(status), False))
        if entry.target is not None:
            name = self.names.quoted(entry.name) + " -> " + self.names.quoted(entry.target)
            if entry.target_status is not None and self.names.marks != "slash":
                name += self.names.mark(entry.target_status.st_mode)
        return [*cells, (name, False)]

    def user(self, number: int) -> tuple[str, bool]:
        if self.numeric:
            return str(number), True
        if number not in self.users:
            import pwd

            try:
                self.users[number] = pwd.getpwuid(number).pw_name
            except (KeyError, OverflowError):
                self.users[number] = str(number)
        return self.users[number], False

    def group_of(self, number: int) -> tuple[str, bool]:
        if self.numeric:
            return str(number), True
        if number not in self.groups:
            import grp

            try:
                self.groups[number] = grp.getgrgid(number).gr_name
            except (KeyError, OverflowError):
                self.groups[number] = str(number)
        return self.groups[number], False

    def when(self, status: os.stat_result) -> str:
        seconds, nanoseconds = divmod(getattr(status, self.time_field), 10**9)
        is_recent = self.now - HALF_YEAR < seconds + nanoseconds / 10**9 <= self.now
        return formatted(Moment(seconds, nanoseconds, utc=False), self.forms[1 if is_recent else 0])
