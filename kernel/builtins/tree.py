"""tree: directories drawn as a tree."""

from __future__ import annotations

import grp
import os
import pwd
import stat

from kernel.builtins.calendar_format import Moment, formatted
from kernel.builtins.glob_pattern import compiled
from kernel.builtins.guard import Failure, guarded, last_given, raw, refuse_left_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from kernel.bound import Bound
    from kernel.builtins.io import Io

LEFT_OUT = (
    *("gitignore", "gitfile", "matchdirs", "metafirst", "info", "quote_unprintable", "quote", "du", "inodes", "device"),
    *("version_sort", "ansi_lines", "cp437_lines", "color", "xml", "json", "one_file_system", "ignore_case"),
)
LINES = ("├── ", "└── ", "│   ")
ASCII_LINES = ("|-- ", "`-- ", "|   ")
_MARKS = {stat.S_IFDIR: "/", stat.S_IFIFO: "|", stat.S_IFSOCK: "="}
UNITS = "KMGTPEZY"
DEEPEST = 500


def usage(bound: Bound) -> None:
    """Failure for what only the program does."""
    refuse_left_out(bound, "tree", LEFT_OUT)
    if bound.values.get("sort") == "version":
        raise Failure("`--sort=version` is not supported without the program `tree`", param="sort", code="E-UNSUPPORTED")


@guarded(failure=2)
def run(bound: Bound, io: Io) -> int:
    """Status 2 when a directory could not be opened."""
    usage(bound)
    values = bound.values
    tree = Tree(bound, io)
    for start in values["directories"] or ["."]:
        tree.start(start)
    if not values["noreport"]:
        tree.report()
    return 2 if tree.failed else 0


class Item:
    """An entry of a directory: its name, facts, and what is drawn below it."""

    def __init__(self, name: str, path: str, shown: str) -> None:
        self.name = name
        self.path = path
        self.shown = shown  # the path as -f prints it
        self.info = os.lstat(path)
        self.target = os.readlink(path) if stat.S_ISLNK(self.info.st_mode) else ""
        self.is_directory = os.path.isdir(path)
        self.below: list[Item] = []
        self.note = ""


class Tree:
    """What is drawn, and the counts of the report."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        self.values = values
        self.io = io
        self.failed = False
        self.seen: set[str] = set()  # directories that were entered
        self.directories = self.files = self.opened = 0
        self.patterns = self.globs(values["pattern"])
        self.ignored = self.globs(values["ignore"])
        charset = str(values.get("charset", "utf-8")).lower()
        self.lines = LINES if charset.replace("-", "") == "utf8" else ASCII_LINES
        self.order = last_given(bound, "by_time", "by_status", "unsorted", "sort")
        if self.order == "sort":
            self.order = {"mtime": "by_time", "ctime": "by_status", "size": "size", "name": ""}[values["sort"]]

    def globs(self, given: list[str]) -> list[re.Pattern[str]]:
        return [compiled(glob, dot=True) for each in given for glob in each.split("|")]

    def start(self, name: str) -> None:
        path = self.io.path(name)
        if not os.path.isdir(path):
            self.io.write(raw(f"{name}  [error opening dir]\n"))
            self.failed = True
            return
        top = Item(name, path, name)
        self.seen.add(os.path.realpath(path))
        top.below = self.entries(top, 1)
        if top.below or top.note:
            self.opened = 1
        self.io.write(raw(self.facts(top) + self.label(top, name) + top.note + "\n"))
        self.draw(top.below, "")

    # --- gathering

    def entries(self, item: Item, depth: int) -> list[Item]:
        """What is shown of a directory, in order, with all below it."""
        if depth > self.values.get("level", DEEPEST):
            return []
        try:
            names = os.listdir(item.path)
        except OSError:
            item.note = "  [error opening dir]"
            self.failed = True
            return []
        if not self.values["all"]:
            names = [name for name in names if not name.startswith(".")]
        limit = self.values.get("filelimit", 0)
        if limit and len(names) > limit:
            item.note = f"  [{len(names)} entries exceeds filelimit, not opening dir]"
            return []
        found: list[Item] = []
        for name in names:
            try:
                inner = Item(name, os.path.join(item.path, name), f"{item.shown.rstrip('/')}/{name}")
            except OSError:
                continue
            if self.is_shown(inner):
                found.append(inner)
        found = self.sorted(found)
        for inner in found:
            self.descend(inner, depth)
        return [each for each in found if not (self.values["prune"] and each.is_directory and not each.below)]

    def is_shown(self, item: Item) -> bool:
        if self.values["directories_only"] and not item.is_directory:
            return False
        if any(glob.fullmatch(item.name) for glob in self.ignored):
            return False
        is_own = item.is_directory and not item.target
        return is_own or not self.patterns or any(glob.fullmatch(item.name) for glob in self.patterns)

    def descend(self, item: Item, depth: int) -> None:
        if not item.is_directory or (item.target and not self.values["follow"]):
            return
        place = os.path.realpath(item.path)
        if item.target and place in self.seen:
            item.note = "  [recursive, not followed]"
            return
        self.seen.add(place)
        item.below = self.entries(item, depth + 1)

    def sorted(self, found: list[Item]) -> list[Item]:
        reverse = bool(self.values["reverse"])
        if self.order != "unsorted":
            found.sort(key=lambda item: item.name, reverse=reverse)
        if self.order in ("by_time", "by_status"):
            field = "st_mtime_ns" if self.order == "by_time" else "st_ctime_ns"
            found.sort(key=lambda item: getattr(item.info, field), reverse=reverse)
        elif self.order == "size":
            found.sort(key=lambda item: item.info.st_size, reverse=not reverse)
        if self.values["dirsfirst"] or self.values["filesfirst"]:
            found.sort(key=lambda item: item.is_directory != bool(self.values["dirsfirst"]))
        return found

    # --- drawing

    def draw(self, items: list[Item], lead: str) -> None:
        flat = bool(self.values["no_indent"])
        for at, item in enumerate(items):
            if item.is_directory:
                self.directories += 1
            else:
                self.files += 1
            is_last = at == len(items) - 1
            branch = "" if flat else lead + (self.lines[1] if is_last else self.lines[0])
            name = item.shown if self.values["full_path"] else item.name
            self.io.write(raw(branch + self.facts(item) + self.label(item, name) + item.note + "\n"))
            self.draw(item.below, lead + ("    " if is_last else self.lines[2]))

    def label(self, item: Item, name: str) -> str:
        if item.target:
            return f"{name} -> {item.target}{self.mark(item)}"
        return name + self.mark(item)

    def mark(self, item: Item) -> str:
        """-F: the kind of a file, of a link what it points to."""
        if not self.values["classify"]:
            return ""
        try:
            mode = os.stat(item.path).st_mode
        except OSError:
            return ""
        return _MARKS.get(stat.S_IFMT(mode)) or ("*" if stat.S_ISREG(mode) and mode & 0o111 else "")

    def facts(self, item: Item) -> str:
        """The columns before a name, in brackets."""
        values, info = self.values, item.info
        parts: list[str] = []
        if values["permissions"]:
            parts.append(stat.filemode(info.st_mode))
        if values["user"]:
            parts.append(f"{_user(info.st_uid):<8.32}")
        if values["group"]:
            parts.append(f"{_group(info.st_gid):<8.32}")
        if values["human_readable"] or values["si"]:
            parts.append(f"{_human(info.st_size, 1000 if values['si'] else 1024):>4}")
        elif values["size"]:
            parts.append(f"{info.st_size:>11}")
        if values["date"] or "timefmt" in values:
            seconds, rest = divmod(info.st_mtime_ns, 10**9)
            parts.append(formatted(Moment(seconds, rest, utc=False), values.get("timefmt") or "%b %e %H:%M"))
        return f"[{' '.join(parts)}]  " if parts else ""

    def report(self) -> None:
        directories = self.directories + self.opened
        text = f"\n{directories} director{'y' if directories == 1 else 'ies'}"
        if not self.values["directories_only"]:
            text += f", {self.files} file{'' if self.files == 1 else 's'}"
        self.io.write(raw(text + "\n"))


def _human(size: int, base: int) -> str:
    """A size for people, rounded to the nearest as the program does."""
    unit = 0
    while size >= base * base:
        size //= base
        unit += 1
    if size < base:
        return str(size)
    return f"{size / base:.0f}{UNITS[unit]}" if size // base >= 10 else f"{size / base:.1f}{UNITS[unit]}"


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
