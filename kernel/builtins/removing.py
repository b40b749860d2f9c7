"""Removal of files and trees: by descriptors, so that no link put in the way leads out of the tree."""

from __future__ import annotations

import errno
import os
import stat

from kernel.builtins.guard import reason
from kernel.builtins.quoting import quoted_name
from kernel.builtins.targets import confirmed, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.builtins.io import Io

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Level:
    """An open directory on the way down, and the names in it that are still to go."""

    def __init__(self, descriptor: int, shown: str, name: str) -> None:
        self.descriptor = descriptor
        self.shown = shown
        self.name = name  # in the directory above
        self.names = sorted(os.listdir(descriptor), reverse=True)
        self.failed = False


class Remover:
    """Removes operand by operand; ``failed`` says that something stayed that was to go."""

    def __init__(
        self,
        io: Io,
        *,
        recursive: bool,
        verbose: bool = False,
        force: bool = False,
        ask: bool = False,
        empty: bool = False,
        one_file_system: bool = False,
    ) -> None:
        self.io = io
        self.recursive = recursive
        self.verbose = verbose
        self.force = force
        self.ask = ask
        self.empty = empty  # rm -d
        self.one_file_system = one_file_system
        self.failed = False

    def complain(self, message: str) -> None:
        self.io.complain(message)
        self.failed = True

    def refuse(self, shown: str, error: OSError) -> None:
        self.complain(f"cannot remove {quoted_name(shown)}: {reason(error)}")

    def say(self, shown: str, what: str = "") -> None:
        if self.verbose:
            self.io.write(f"removed {what}{quoted_name(shown)}\n".encode("utf-8", "surrogateescape"))

    def remove(self, operand: str) -> None:
        """One operand, with all below it where that is asked for."""
        path = self.io.path(operand)
        try:
            info = os.lstat(path)
        except OSError as error:
            if not (self.force and error.errno in (errno.ENOENT, errno.ENOTDIR)):
                self.refuse(operand, error)
            return
        if not stat.S_ISDIR(info.st_mode):
            if self.agreed(operand, info, None, path):
                self.unlink(path, None, operand)
            return
        if not self.recursive and not self.empty:
            self.complain(f"cannot remove {quoted_name(operand)}: Is a directory")
            return
        if not self.recursive:
            if self.agreed(operand, info, None, path):
                self.rmdir(path, None, operand)
            return
        self.tree(path, operand, info)

    def tree(self, path: str, operand: str, info: os.stat_result) -> None:
        top = self.enter(path, None, operand, path, info)
        stack = [top] if top is not None else []
        device = info.st_dev
        while stack:
            level = stack[-1]
            if level.names:
                name = level.names.pop()
                shown = joined(level.shown, name)
                try:
                    below = os.stat(name, dir_fd=level.descriptor, follow_symlinks=False)
                except OSError as error:
                    self.refuse(shown, error)
                    level.failed = True
                    continue
                if not stat.S_ISDIR(below.st_mode):
                    if not self.agreed(shown, below, level.descriptor, name) or not self.unlink(name, level.descriptor, shown):
                        level.failed = True
                    continue
                if self.one_file_system and below.st_dev != device:
                    self.complain(f"skipping {quoted_name(shown)}, since it's on a different device")
                    level.failed = True
                    continue
                inner = self.enter(name, level.descriptor, shown, name, below)
                if inner is None:
                    level.failed = level.failed or self.exists(name, level.descriptor)
                else:
                    stack.append(inner)
                continue
            stack.pop()
            os.close(level.descriptor)
            above = stack[-1].descriptor if stack else None
            kept = level.failed
            if not kept:
                agreed = not self.ask or confirmed(self.io, f"remove directory {quoted_name(level.shown)}?")
                kept = not agreed or not self.rmdir(level.name, above, level.shown)
            if kept and stack:
                stack[-1].failed = True

    def exists(self, name: str, above: int) -> bool:
        try:
            os.stat(name, dir_fd=above, follow_symlinks=False)
        except OSError:
            return False
        return True

    def enter(self, path: str, above: int | None, shown: str, name: str, info: os.stat_result) -> Level | None:
        """The directory opened; None where it is not to be entered, or was empty and is gone."""
        try:
            descriptor = os.open(path, _DIRECTORY, dir_fd=above)
        except OSError as error:
            if error.errno == errno.EACCES and not self.ask:
                try:
                    os.rmdir(path, dir_fd=above)  # an empty one needs no reading
                    self.say(shown, "directory ")
                    return None
                except OSError:
                    pass
            self.refuse(shown, error)
            return None
        level = Level(descriptor, shown, name)
        if self.ask and level.names and not confirmed(self.io, f"descend into directory {quoted_name(shown)}?"):
            os.close(descriptor)
            return None
        return level

    def agreed(self, shown: str, info: os.stat_result, above: int | None, name: str) -> bool:
        """Whether a file may go: asked with -i, and on a terminal for a file that is protected."""
        protected = False
        if not self.force and not self.ask and not stat.S_ISLNK(info.st_mode) and os.isatty(self.io.stdin):
            protected = not os.access(name, os.W_OK, dir_fd=above)
        if not self.ask and not protected:
            return True
        from kernel.builtins.file_mode import kind

        guard = "write-protected " if protected else ""
        return confirmed(self.io, f"remove {guard}{kind(info)} {quoted_name(shown)}?")

    def unlink(self, name: str, above: int | None, shown: str) -> bool:
        try:
            os.unlink(name, dir_fd=above)
        except OSError as error:
            if self.force and error.errno == errno.ENOENT:
                return True
            self.refuse(shown, error)
            return False
        self.say(shown)
        return True

    def rmdir(self, name: str, above: int | None, shown: str) -> bool:
        try:
            os.rmdir(name, dir_fd=above)
        except OSError as error:
            self.refuse(shown, error)
            return False
        self.say(shown, "directory ")
        return True
