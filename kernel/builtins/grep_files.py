"""Which files grep reads: operands, directories below them, globs that choose names."""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase

from kernel.builtins.guard import reason
from kernel.builtins.quoting import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.bound import Bound
    from kernel.builtins.io import Io


class Files:
    """``failed`` becomes true when something could not be opened; ``names`` tells whether lines need file names."""

    def __init__(self, bound: Bound, io: Io, operands: list[str], directories: str, follow: bool, *, silent: bool) -> None:
        values = bound.values
        self.io = io
        self.operands = operands
        self.directories = directories
        self.follow = follow
        self.silent = silent
        self.failed = False
        self.globs = _in_order(bound, "include", "exclude")
        self.exclude_directories: list[str] = [glob.rstrip("/") for glob in values["exclude_dir"]]
        self.below_directory = False

    def complain(self, message: str) -> None:
        self.failed = True
        if not self.silent:
            self.io.complain(message)

    def walk(self) -> Iterator[tuple[str, int]]:
        """(name, open descriptor); the caller closes it unless it is stdin."""
        recurse = self.directories == "recurse"
        if not self.globs and not self.exclude_directories:
            self.io.expect(self.operands or ["." if recurse else "-"], trees=recurse, follow=self.follow)
        if not self.operands:
            if recurse:
                self.below_directory = True
                yield from self.below(".", "", set())
            else:
                yield "-", self.io.stdin
            return
        for operand in self.operands:
            self.below_directory = False
            if operand == "-":
                yield operand, self.io.stdin
                continue
            yield from self.one(operand)

    def one(self, operand: str) -> Iterator[tuple[str, int]]:
        path = self.io.path(operand)
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            said = reason(error) if isinstance(error, OSError) else "No such file or directory"
            self.complain(f"{file_name(operand)}: {said}")
            return
        if stat.S_ISDIR(status.st_mode):
            if self.directories == "recurse" and not self.is_left_out(operand, is_directory=True):
                self.below_directory = True
                yield from self.below(operand, operand if operand.endswith("/") else operand + "/", set())
            if self.directories != "read":
                return  # else its reading fails, and what is counted of it is told
        if self.is_left_out(operand):
            return
        descriptor = self.opened(operand)
        if descriptor >= 0:
            yield operand, descriptor

    def opened(self, name: str) -> int:
        try:
            return os.open(self.io.path(name), os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            self.complain(f"{file_name(name)}: {reason(error)}")
            return -1

    def below(self, directory: str, prefix: str, above: set[tuple[int, int]]) -> Iterator[tuple[str, int]]:
        """Everything below a directory, names in order. Links to files and directories count only with -R."""
        try:
            status = os.stat(self.io.path(directory))
            entries = sorted(os.scandir(self.io.path(directory)), key=lambda entry: entry.name)
        except OSError as error:
            self.complain(f"{file_name(directory)}: {reason(error)}")
            return
        place = (status.st_dev, status.st_ino)
        if place in above:
            if not self.silent:
                self.io.complain(f"{file_name(directory)}: warning: recursive directory loop")
            return
        for entry in entries:
            name = prefix + entry.name
            if entry.is_symlink() and not self.follow:
                continue
            if entry.is_dir():
                if not self.is_left_out(entry.name, is_directory=True):
                    yield from self.below(name, name + "/", above | {place})
            elif entry.is_file() and not self.is_left_out(name):
                descriptor = self.opened(name)
                if descriptor >= 0:
                    yield name, descriptor
            elif entry.is_symlink() and not os.path.exists(entry.path):
                self.complain(f"{file_name(name)}: No such file or directory")

    def is_left_out(self, name: str, *, is_directory: bool = False) -> bool:
        """The last glob that matches decides; without one, a file is in unless the first glob is an --include."""
        if is_directory:
            return any(_matches(glob, name.rstrip("/")) for glob in self.exclude_directories)
        for kind, glob in reversed(self.globs):
            if _matches(glob, name):
                return kind == "exclude"
        return bool(self.globs) and self.globs[0][0] == "include"


def _matches(glob: str, name: str) -> bool:
    """A glob stands for the whole name or for what is behind any slash of it."""
    parts = name.split("/")
    return any(fnmatchcase("/".join(parts[at:]), glob) for at in range(len(parts)))


def _in_order(bound: Bound, *names: str) -> list[tuple[str, str]]:
    """(param, value) of several repeatable params in the order they were typed."""
    rest = {name: list(bound.values[name]) for name in names}
    out = []
    for trace in bound.trace:
        if rest.get(trace.param):
            out.append((trace.param, rest[trace.param].pop(0)))
    return out + [(name, value) for name in names for value in rest[name]]
