"""ls: names in directories."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from kernel.builtins.date import zone_of
from kernel.builtins.guard import guarded, is_utf8, last_given, raw, reason
from kernel.builtins.ls_columns import columns, commas
from kernel.builtins.ls_entries import Entry, Order
from kernel.builtins.ls_long import Long, Sizes, time_forms
from kernel.builtins.ls_names import Names
from kernel.builtins.quoting import quoted
from kernel.environment import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

FORMATS = {
    "long": "long",
    "no_owner": "long",
    "no_group_long": "long",
    "numeric": "long",
    "full_time": "long",
    "one": "single-column",
    "zero": "single-column",
    "columns": "vertical",
    "across": "across",
    "commas": "commas",
}


def usage(bound: Bound) -> None:
    """Failure for a size of blocks that is none, and in a long format for a style of times."""
    Sizes(bound)
    if chosen_format(bound, terminal=False) == "long":
        time_forms(bound)


def chosen_format(bound: Bound, *, terminal: bool) -> str:
    """`long`, `single-column`, `vertical`, `across` or `commas`."""
    # -1 and --zero behind a long format leave that as it is
    chosen = last_given(bound, "format", *[name for name, form in FORMATS.items() if form != "single-column"])
    word = bound.values["format"] if chosen == "format" else FORMATS.get(chosen, "")
    word = {"verbose": "long", "horizontal": "across"}.get(word, word)
    if last_given(bound, "format", *FORMATS) in ("one", "zero") and word != "long":
        return "single-column"
    return word or ("vertical" if terminal else "single-column")


@guarded(failure=2)
def run(bound: Bound, io: Io) -> int:
    """Status 1 for trouble below a directory, 2 for an operand that cannot be read."""
    with zone_of(io.env):
        return Lister(bound, io).run()


class Lister:
    """One call: what is asked for, and the status so far."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        self.io = io
        self.status = 0
        self.terminal = is_terminal(io.stdout)
        self.names = Names(bound, terminal=self.terminal, utf8=is_utf8(io.env))
        self.sizes = Sizes(bound)
        self.format = chosen_format(bound, terminal=self.terminal)
        self.order = Order(bound, lambda name: self.names.width(self.names.quoted(name)), is_long=self.format == "long")
        self.long = Long(bound, self.names, self.sizes, self.order.time) if self.format == "long" else None
        self.inode, self.blocks = bool(values["inode"]), bool(values["size"])
        self.recursive = bool(values["recursive"])
        self.as_entries = bool(values["directory"])
        self.follow = last_given(bound, "dereference", "dereference_command_line", "dereference_command_line_symlink_to_dir")
        if not self.follow and not self.as_entries and self.format != "long" and self.names.marks != "classify":
            self.follow = "dereference_command_line_symlink_to_dir"
        self.width = self.line_width(values.get("width"))
        self.operands: list[str] = list(values["files"])
        self.end = "\0" if values["zero"] else "\n"
        self.said_any = False
        self.needs_status = (
            self.format == "long"
            or self.inode
            or self.blocks
            or self.recursive
            or self.names.marks != "none"
            or self.order.by in ("time", "size")
            or self.order.directories_first
        )

    def line_width(self, given: int | None) -> int:
        if given is not None:
            return given
        text = self.io.env.get("COLUMNS", "")
        if text.isascii() and text.isdigit() and len(text) < 9 and int(text):
            return int(text)
        try:
            return os.get_terminal_size(self.io.stdout).columns or 80
        except OSError:
            return 80

    def run(self) -> int:
        files: list[Entry] = []
        directories: list[Entry] = []
        for operand in self.operands or ["."]:
            entry = self.operand(operand)
            if entry is not None:
                (directories if entry.is_directory and not self.as_entries else files).append(entry)
        self.show(self.order.sorted(files), directories)
        self.said_any = bool(files)
        headed = len(self.operands) > 1 or self.recursive
        for entry in self.order.sorted(directories):
            self.directory(entry, headed, set(), operand=True)
        return self.status

    def trouble(self, message: str, *, serious: bool) -> None:
        self.io.complain(message)
        self.status = max(self.status, 2 if serious else 1)

    def operand(self, name: str) -> Entry | None:
        path = self.io.path(name)
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode) and self.follow:
                try:
                    target = os.stat(path)
                    if self.follow != "dereference_command_line_symlink_to_dir" or stat.S_ISDIR(target.st_mode):
                        status = target
                except OSError as error:
                    if self.follow != "dereference_command_line_symlink_to_dir" or error.errno != errno.ENOENT:
                        raise
        except (OSError, ValueError) as error:
            said = reason(error) if isinstance(error, OSError) else "No such file or directory"
            self.trouble(f"cannot access {quoted(name)}: {said}", serious=True)
            return None
        entry = Entry(name, path, status, is_operand=True)
        entry.read_link()
        return entry

    def directory(self, entry: Entry, headed: bool, above: set[tuple[int, int]], *, operand: bool = False) -> None:
        try:
            found = [*([".", ".."] if self.order.all in ("all", "everything_unsorted") else []), *os.listdir(entry.path)]
            status = os.stat(entry.path)
        except OSError as error:
            verb = "open" if not isinstance(error, NotADirectoryError) else "read"
            self.trouble(f"cannot {verb} directory {quoted(entry.name)}: {reason(error)}", serious=operand)
            return
        place = (status.st_dev, status.st_ino)
        if place in above:
            self.trouble(f"{entry.name}: not listing already-listed directory", serious=True)
            return
        if headed:
            lead = "\n" if self.said_any else ""
            self.put(f"{lead}{self.names.quoted(entry.name)}:\n")
        self.said_any = True
        entries = []
        for name in found:
            if self.order.is_shown(name):
                child = self.child(entry, name)
                if child is not None:
                    entries.append(child)
        entries = self.order.sorted(entries)
        if self.format == "long" or self.blocks:
            total = sum([child.status.st_blocks for child in entries if child.status is not None])
            self.put(f"total {self.sizes.blocks(total)}{self.end}")
        self.show(entries)
        if self.recursive:
            for child in entries:
                if child.is_directory and child.name not in (".", ".."):
                    joined = entry.name + child.name if entry.name.endswith("/") else f"{entry.name}/{child.name}"
                    self.directory(Entry(joined, child.path, child.status), True, above | {place})

    def child(self, parent: Entry, name: str) -> Entry | None:
        path = os.path.join(parent.path, name)
        if not self.needs_status:
            return Entry(name, path, None)
        shown = name if parent.name == "." else parent.name + name if parent.name.endswith("/") else f"{parent.name}/{name}"
        try:
            status = os.stat(path) if self.follow == "dereference" else os.lstat(path)
        except OSError as error:
            self.trouble(f"cannot access {quoted(shown)}: {reason(error)}", serious=False)
            entry = Entry(name, path, None)
            with contextlib.suppress(OSError):
                entry.kind = stat.S_IFMT(os.lstat(path).st_mode)
            return entry
        entry = Entry(name, path, status)
        entry.read_link()
        return entry

    def show(self, entries: list[Entry], beside: list[Entry] | None = None) -> None:
        """The entries' lines; the long format's columns are as wide as those ``beside`` need too."""
        if not entries:
            return
        if self.long is not None:
            lines = self.long.lines(entries, beside or [])
        else:
            names = self.cells(entries)
            if self.format == "commas":
                lines = commas(names, list(map(self.names.width, names)), self.width)
            elif self.format in ("vertical", "across"):
                lines = columns(names, list(map(self.names.width, names)), self.width, across=self.format == "across")
            else:
                lines = names
        self.put("".join([line + self.end for line in lines]))

    def cells(self, entries: list[Entry]) -> list[str]:
        """The names with inode and blocks before them, these in columns unless names are separated by commas."""
        names = [self.names.shown(entry) for entry in entries]
        if self.format in ("vertical", "across") and self.width:
            names = self.names.aligned(names)
        for wanted, text in ((self.blocks, self.block_text), (self.inode, self.inode_text)):
            if wanted:
                before = [text(entry) for entry in entries]
                width = 0 if self.format == "commas" else max(map(len, before))
                names = [number.rjust(width) + " " + name for number, name in zip(before, names)]
        return names

    def block_text(self, entry: Entry) -> str:
        return self.sizes.blocks(entry.status.st_blocks) if entry.status is not None else "?"

    def inode_text(self, entry: Entry) -> str:
        return str(entry.status.st_ino) if entry.status is not None else "?"

    def put(self, text: str) -> None:
        self.io.write(raw(text))
