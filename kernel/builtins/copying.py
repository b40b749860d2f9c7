"""Copies of files and trees, for cp, and for mv between file systems."""

from __future__ import annotations

import errno
import os
import stat

from kernel.builtins.file_mode import mask
from kernel.builtins.guard import reason
from kernel.builtins.quoting import file_name, quoted_name
from kernel.builtins.targets import confirmed, is_same_entry, joined, last_part, make_backup
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

SIZE = 1 << 20


class Rules:
    """What a copy keeps and how it treats what is there."""

    def __init__(self) -> None:
        self.recursive = False
        self.follow = ""  # always, given (links among the operands only), never, or "" for what recursion implies
        self.keep: set[str] = set()  # mode ownership timestamps links xattr
        self.new_modes = False  # the modes of new files and directories, whatever the source's
        self.clobber = "force"  # force, none or ask
        self.force = False  # a destination that cannot be opened is removed first
        self.remove_first = False
        self.update = False
        self.verbose = False
        self.link = ""  # hard or symbolic: make links instead of copies
        self.one_file_system = False
        self.backup = False
        self.attributes_only = False
        self.parents = False


class Copier:
    """Copies operand by operand; ``failed`` says that something was not copied."""

    def __init__(self, bound: Bound, io: Io, rules: Rules) -> None:
        self.bound = bound
        self.io = io
        self.rules = rules
        self.failed = False
        self.umask = mask()
        self.made: dict[tuple[int, int], str] = {}  # files of this call: (device, inode) of the source to the copy
        self.written: set[tuple[int, int]] = set()  # copies made by this call
        self.directories: set[tuple[int, int]] = set()
        self.given: set[tuple[int, int, str]] = set()

    def complain(self, message: str) -> None:
        self.io.complain(message)
        self.failed = True

    def follows(self, operand: bool) -> bool:
        follow = self.rules.follow or ("never" if self.rules.recursive else "always")
        return follow == "always" or (operand and follow == "given")

    def expect(self, sources: list[str]) -> None:
        """Says what will be copied, where it is known: no links instead, and no directory that may be left out."""
        rules = self.rules
        if self.io.watch is not None and not (rules.link or rules.attributes_only or rules.one_file_system):
            paths = [self.io.path(each) for each in sources]
            follow = rules.follow == "always"
            self.io.watch.expect(paths, trees=rules.recursive, links=self.follows(True), follow=follow)

    def copy(self, source: str, target: str) -> None:
        """One operand with all below it."""
        waiting: list[tuple[str, str, bool, os.stat_result | None]] = [(source, target, True, None)]
        while waiting:
            each, place, operand, done = waiting.pop()
            if done is not None:
                self.attributes(each, place, done)
                continue
            try:
                info = os.stat(self.io.path(each), follow_symlinks=self.follows(operand))
            except OSError as error:
                self.complain(f"cannot stat {quoted_name(each)}: {reason(error)}")
                continue
            if operand and self.is_repeated(each, info):
                continue
            if stat.S_ISDIR(info.st_mode):
                if (info.st_dev, info.st_ino) in self.directories:
                    self.complain(f"cannot copy a directory, {quoted_name(source)}, into itself, {quoted_name(target)}")
                    continue
                waiting += self.directory(each, place, info, operand)
            else:
                self.file(each, place, info)

    def is_repeated(self, source: str, info: os.stat_result) -> bool:
        """Whether an operand was given before; the warning about it is said."""
        key = (info.st_dev, info.st_ino, last_part(source))
        if key in self.given:
            kind = "directory" if stat.S_ISDIR(info.st_mode) else "file"
            self.io.complain(f"warning: source {kind} {quoted_name(source)} specified more than once")
            return True
        self.given.add(key)
        return False

    def directory(
        self, source: str, target: str, info: os.stat_result, operand: bool
    ) -> list[tuple[str, str, bool, os.stat_result | None]]:
        """Makes the directory: what is to be copied into it, and its own attributes as the last thing."""
        io = self.io
        if not self.rules.recursive:
            self.complain(f"-r not specified; omitting directory {quoted_name(source)}")
            return []
        if operand:
            self.device = info.st_dev
        elif self.rules.one_file_system and info.st_dev != self.device:
            return []
        path = io.path(target)
        made = False
        try:
            there = os.stat(path) if os.path.isdir(path) else os.lstat(path)
            if not stat.S_ISDIR(there.st_mode):
                self.complain(f"cannot overwrite non-directory {quoted_name(target)} with directory {quoted_name(source)}")
                return []
            if os.path.samestat(info, there):
                self.complain(f"{quoted_name(source)} and {quoted_name(target)} are the same file")
                return []
        except OSError:
            try:
                os.mkdir(path, info.st_mode & 0o7777 & ~0o077 | 0o700)
                made = True
            except OSError as error:
                self.complain(f"cannot create directory {quoted_name(target)}: {reason(error)}")
                return []
            there = os.stat(path)
            if self.rules.verbose:
                self.say(source, target)
        self.directories.add((there.st_dev, there.st_ino))
        try:
            names = sorted(os.listdir(io.path(source)))
        except OSError as error:
            self.complain(f"cannot access {quoted_name(source)}: {reason(error)}")
            names = []
        jobs: list[tuple[str, str, bool, os.stat_result | None]] = []
        if made or self.rules.keep:
            jobs.append((source, target, False, info))
        jobs += [(joined(source, name), joined(target, name), False, None) for name in reversed(names)]
        return jobs

    def say(self, source: str, target: str, note: str = "") -> None:
        self.io.write(f"{quoted_name(source)} -> {quoted_name(target)}{note}\n".encode("utf-8", "surrogateescape"))

    def file(self, source: str, target: str, info: os.stat_result) -> None:
        """Anything but a directory."""
        rules, io = self.rules, self.io
        path = io.path(target)
        try:
            there: os.stat_result | None = os.lstat(path)
        except OSError:
            there = None
        kept = ""
        if there is not None:
            in_the_way = self.in_the_way(source, target, info, there)
            if in_the_way is None:
                self.passed(info)
                return None
            if rules.backup and not stat.S_ISDIR(in_the_way.st_mode):
                try:
                    kept = make_backup(io, target, self.bound.values)
                except OSError as error:
                    return self.complain(f"cannot backup {quoted_name(target)}: {reason(error)}")
                there = None
        if rules.verbose:
            self.say(source, target, f" (backup: {quoted_name(kept)})" if kept else "")
        try:
            self.make(source, path, target, info, there)
        except _Said as said:
            self.complain(str(said))

    def passed(self, info: os.stat_result) -> None:
        """A file of those that were expected is not copied."""
        if self.io.watch is not None and stat.S_ISREG(info.st_mode):
            self.io.watch.passed(info.st_size)

    def in_the_way(self, source: str, target: str, info: os.stat_result, there: os.stat_result) -> os.stat_result | None:
        """What stands at the destination, None where the copy is not to be made."""
        rules = self.rules
        path = self.io.path(target)
        try:
            behind = os.stat(path)
        except OSError:
            behind = there
        same = behind if stat.S_ISREG(info.st_mode) else there
        if os.path.samestat(info, same) and not (rules.link and rules.force and not os.path.samestat(info, there)):
            if rules.link == "hard":
                return None
            kept = rules.backup and not is_same_entry(self.io.path(source), path)
            if not (rules.remove_first and stat.S_ISLNK(there.st_mode)) and not kept:
                self.complain(f"{quoted_name(source)} and {quoted_name(target)} are the same file")
                return None
        if rules.clobber == "none":
            return None
        if rules.update and same.st_mtime_ns >= info.st_mtime_ns:
            return None
        if stat.S_ISDIR(behind.st_mode):
            self.complain(f"cannot overwrite directory {quoted_name(target)} with non-directory")
            return None
        if (there.st_dev, there.st_ino) in self.written:
            self.complain(f"will not overwrite just-created {quoted_name(target)} with {quoted_name(source)}")
            return None
        if rules.clobber == "ask" and not confirmed(self.io, f"overwrite {quoted_name(target)}?"):
            return None
        return there

    def make(self, source: str, path: str, target: str, info: os.stat_result, there: os.stat_result | None) -> None:
        rules = self.rules
        key = (info.st_dev, info.st_ino)
        if rules.link:
            self.make_link(source, path, target, there)
            return
        if "links" in rules.keep and info.st_nlink > 1 and key in self.made:
            if there is not None:
                _remove(path, target)
            try:
                os.link(self.made[key], path, follow_symlinks=False)
            except OSError as error:
                raise _Said(f"cannot create hard link {quoted_name(target)}: {reason(error)}") from None
            self.passed(info)
            return
        if stat.S_ISREG(info.st_mode) or (self.follows(True) and not rules.recursive and not stat.S_ISLNK(info.st_mode)):
            self.content(source, path, target, info, there)
        else:
            if there is not None:
                _remove(path, target)
            self.special(source, path, target, info)
        self.made[key] = path
        after = os.lstat(path)
        self.written.add((after.st_dev, after.st_ino))
        self.attributes(source, target, info, made=there is None)

    def make_link(self, source: str, path: str, target: str, there: os.stat_result | None) -> None:
        if there is not None:
            if not (self.rules.force or self.rules.remove_first):
                kind = "hard link" if self.rules.link == "hard" else "symbolic link"
                raise _Said(f"cannot create {kind} {quoted_name(target)}{self._to(source)}: File exists")
            _remove(path, target)
        try:
            if self.rules.link == "hard":
                existing = self.io.path(source)
                os.link(os.path.realpath(existing) if self.follows(True) else existing, path, follow_symlinks=False)
            else:
                if source[:1] != "/" and "/" in target:
                    raise _Said(f"{file_name(target)}: can make relative symbolic links only in current directory")
                os.symlink(source, path)
        except OSError as error:
            kind = "hard link" if self.rules.link == "hard" else "symbolic link"
            raise _Said(f"cannot create {kind} {quoted_name(target)}{self._to(source)}: {reason(error)}") from None

    def _to(self, source: str) -> str:
        return f" to {quoted_name(source)}"

    def content(self, source: str, path: str, target: str, info: os.stat_result, there: os.stat_result | None) -> None:
        """The bytes of a file. A file that is there keeps its inode unless it cannot be opened and --force is given."""
        rules, io = self.rules, self.io
        try:
            reading = os.open(io.path(source), os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise _Said(f"cannot open {quoted_name(source)} for reading: {reason(error)}") from None
        io.begin(source, reading)
        try:
            if there is not None and rules.remove_first:
                _remove(path, target)
                there = None
            if there is not None:
                try:
                    writing = os.open(path, os.O_WRONLY | os.O_CLOEXEC | (0 if rules.attributes_only else os.O_TRUNC))
                except OSError as error:
                    if not rules.force:
                        dangling = stat.S_ISLNK(there.st_mode) and error.errno == errno.ENOENT
                        raise _Said(
                            f"not writing through dangling symlink {quoted_name(target)}"
                            if dangling
                            else f"cannot create regular file {quoted_name(target)}: {reason(error)}"
                        ) from None
                    _remove(path, target)
                    there = None
            if there is None:
                mode = 0o666 if rules.new_modes else info.st_mode & 0o777
                try:
                    writing = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode & ~self.umask | 0o200)
                except OSError as error:
                    # the system takes a name with a slash behind it for a directory, wanted or not
                    said = "Not a directory" if error.errno == errno.EISDIR else reason(error)
                    raise _Said(f"cannot create regular file {quoted_name(target)}: {said}") from None
            try:
                if not rules.attributes_only:
                    _transfer(reading, writing)
                if there is None and not mode & 0o200:
                    os.fchmod(writing, mode & ~self.umask)
            except OSError as error:
                raise _Said(f"error writing {quoted_name(target)}: {reason(error)}") from None
            finally:
                os.close(writing)
        finally:
            io.end(reading)
            os.close(reading)

    def special(self, source: str, path: str, target: str, info: os.stat_result) -> None:
        try:
            if stat.S_ISLNK(info.st_mode):
                os.symlink(os.readlink(self.io.path(source)), path)
            elif stat.S_ISFIFO(info.st_mode):
                os.mkfifo(path, info.st_mode & 0o777 & ~self.umask)
            else:
                os.mknod(path, info.st_mode, info.st_rdev)
        except OSError as error:
            kind = "symbolic link" if stat.S_ISLNK(info.st_mode) else "special file"
            raise _Said(f"cannot create {kind} {quoted_name(target)}: {reason(error)}") from None

    def attributes(self, source: str, target: str, info: os.stat_result, made: bool = True) -> None:
        """Times, owner and mode as far as they are to be kept; a new directory gets the mode a new one would."""
        keep, path = self.rules.keep, self.io.path(target)
        link = stat.S_ISLNK(info.st_mode)
        try:
            if "ownership" in keep:
                try:
                    os.chown(path, info.st_uid, info.st_gid, follow_symlinks=False)
                except PermissionError:
                    pass  # only root gives files away
            if "xattr" in keep:
                _extended(self.io.path(source), path, link)
            if "mode" in keep and not link:
                os.chmod(path, info.st_mode & 0o7777)
            elif stat.S_ISDIR(info.st_mode) and made:
                os.chmod(path, (0o777 if self.rules.new_modes else info.st_mode & 0o777) & ~self.umask)
            if "timestamps" in keep:
                os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns), follow_symlinks=False)
        except OSError as error:
            self.complain(f"preserving attributes for {quoted_name(target)}: {reason(error)}")


class _Said(Exception):
    """What keeps one file from being copied."""


def _remove(path: str, target: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        raise _Said(f"cannot remove {quoted_name(target)}: {reason(error)}") from None


def _extended(source: str, target: str, link: bool) -> None:
    if not hasattr(os, "listxattr"):
        return
    try:
        for name in os.listxattr(source, follow_symlinks=not link):
            os.setxattr(target, name, os.getxattr(source, name, follow_symlinks=not link), follow_symlinks=not link)
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.EPERM, errno.ENODATA, errno.EACCES):
            raise


def _transfer(reading: int, writing: int) -> None:
    """All bytes; holes stay holes where the system says where they are."""
    size = os.fstat(reading).st_size
    if size > SIZE and os.fstat(reading).st_blocks * 512 < size and hasattr(os, "SEEK_DATA"):
        _with_holes(reading, writing, size)
        return
    while chunk := os.read(reading, SIZE):
        write_all(writing, chunk)


def _with_holes(reading: int, writing: int, size: int) -> None:
    at = 0
    while at < size:
        try:
            at = os.lseek(reading, at, os.SEEK_DATA)
        except OSError:
            break  # nothing but a hole up to the end
        end = os.lseek(reading, at, os.SEEK_HOLE)
        os.lseek(reading, at, os.SEEK_SET)
        os.lseek(writing, at, os.SEEK_SET)
        while at < end and (chunk := os.read(reading, min(SIZE, end - at))):
            write_all(writing, chunk)
            at += len(chunk)
    os.ftruncate(writing, size)


def parented(source: str, directory: str) -> str:
    """Where --parents puts a source."""
    return joined(directory, source.strip("/")) if source.strip("/") else joined(directory, last_part(source))
