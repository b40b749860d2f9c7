"""mv: files and directories under another name or in another place."""

from __future__ import annotations

import errno
import os
import stat

from kernel.builtins.copying import Copier, Rules
from kernel.builtins.guard import guarded, last_given, reason
from kernel.builtins.quoting import quoted_name
from kernel.builtins.removing import Remover
from kernel.builtins.targets import asks_for_backup, confirmed, is_same_entry, make_backup, pairs
from kernel.builtins.targets import usage as usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when something was not moved."""
    if bound.values["strip_trailing_slashes"]:
        bound.values["files"] = [name.rstrip("/") or "/" for name in bound.values["files"]]
    moves = list(pairs(bound, io))
    mover = Mover(bound, io, [source for source, _ in moves])
    for source, target in moves:
        mover.move(source, target)
    return 1 if mover.failed else 0


class Mover:
    """Moves operand by operand; ``failed`` says that something was not moved."""

    def __init__(self, bound: Bound, io: Io, sources: list[str]) -> None:
        values = bound.values
        self.sources = sources
        self.copied = False  # something was not only renamed
        self.bound = bound
        self.io = io
        self.failed = False
        self.asked = last_given(bound, "interactive", "no_clobber", "force")
        self.backup = asks_for_backup(values)
        self.made: set[tuple[int, int]] = set()

    def complain(self, message: str) -> None:
        self.io.complain(message)
        self.failed = True

    def move(self, source: str, target: str) -> None:
        io = self.io
        try:
            info = os.lstat(io.path(source))
        except OSError as error:
            return self.complain(f"cannot stat {quoted_name(source)}: {reason(error)}")
        there = self.what_is_at(target)
        kept = ""
        if there is not None:
            if not self.may_replace(source, target, info, there):
                return None
            if self.backup:
                try:
                    kept = make_backup(io, target, self.bound.values)
                except OSError as error:
                    return self.complain(f"cannot backup {quoted_name(target)}: {reason(error)}")
        try:
            os.rename(io.path(source), io.path(target))
        except OSError as error:
            if error.errno == errno.EXDEV:
                return self.copy(source, target, there)
            if error.errno == errno.EINVAL:
                return self.complain(f"cannot move {quoted_name(source)} to a subdirectory of itself, {quoted_name(target)}")
            return self.complain(f"cannot move {quoted_name(source)} to {quoted_name(target)}: {reason(error)}")
        self.made.add((info.st_dev, info.st_ino))
        self.say("renamed", source, target, kept)
        return None

    def say(self, verb: str, source: str, target: str, kept: str = "") -> None:
        if self.bound.values["verbose"]:
            note = f" (backup: {quoted_name(kept)})" if kept else ""
            self.io.write(f"{verb} {quoted_name(source)} -> {quoted_name(target)}{note}\n".encode("utf-8", "surrogateescape"))

    def what_is_at(self, target: str) -> os.stat_result | None:
        try:
            return os.lstat(self.io.path(target))
        except OSError:
            return None

    def may_replace(self, source: str, target: str, info: os.stat_result, there: os.stat_result) -> bool:
        """Whether what is at the target may go; says why not."""
        values = self.bound.values
        if self.asked == "no_clobber":
            return False
        if self.is_same(source, info, there) or is_same_entry(self.io.path(source), self.io.path(target)):
            self.complain(f"{quoted_name(source)} and {quoted_name(target)} are the same file")
            return False
        if values["update"] and not stat.S_ISDIR(info.st_mode) and there.st_mtime_ns >= info.st_mtime_ns:
            return False
        return self.is_agreed(target, there) and self.fits(source, target, info, there)

    def fits(self, source: str, target: str, info: os.stat_result, there: os.stat_result) -> bool:
        """Whether one can stand in the other's place, a directory in that of a file where that is kept; says why not."""
        if stat.S_ISDIR(there.st_mode) and not stat.S_ISDIR(info.st_mode) and not self.backup:
            self.complain(f"cannot overwrite directory {quoted_name(target)} with non-directory")
            return False
        if stat.S_ISDIR(info.st_mode) and not stat.S_ISDIR(there.st_mode) and not self.backup:
            self.complain(f"cannot overwrite non-directory {quoted_name(target)} with directory {quoted_name(source)}")
            return False
        if (there.st_dev, there.st_ino) in self.made:
            self.complain(f"will not overwrite just-created {quoted_name(target)} with {quoted_name(source)}")
            return False
        return True

    def is_agreed(self, target: str, there: os.stat_result) -> bool:
        """Asks, where it is to be asked."""
        if self.asked == "interactive":
            return confirmed(self.io, f"overwrite {quoted_name(target)}?")
        guarded_file = not stat.S_ISLNK(there.st_mode) and not os.access(self.io.path(target), os.W_OK)
        if self.asked != "force" and guarded_file and os.isatty(self.io.stdin):
            mode = f"{stat.S_IMODE(there.st_mode):04o} ({stat.filemode(there.st_mode)[1:]})"
            return confirmed(self.io, f"replace {quoted_name(target)}, overriding mode {mode}?")
        return True

    def is_same(self, source: str, info: os.stat_result, there: os.stat_result) -> bool:
        """Whether both are one file, or the target is the file that the source is a link to."""
        if os.path.samestat(info, there):
            return not self.backup or info.st_nlink < 2
        if not stat.S_ISLNK(info.st_mode) or self.backup:
            return False
        try:
            return os.path.samestat(os.stat(self.io.path(source)), there)
        except OSError:
            return False

    def copy(self, source: str, target: str, there: os.stat_result | None) -> None:
        """Between file systems: a copy, then the original goes."""
        if there is not None:
            try:
                (os.rmdir if stat.S_ISDIR(there.st_mode) else os.unlink)(self.io.path(target))
            except OSError as error:
                message = f"inter-device move failed: {quoted_name(source)} to {quoted_name(target)}; unable to remove target"
                return self.complain(f"{message}: {reason(error)}")
        rules = Rules()
        rules.recursive = True
        rules.keep = {"mode", "ownership", "timestamps", "links", "xattr"}
        copier = Copier(self.bound, self.io, rules)
        if not self.copied:
            self.copied = True
            copier.expect(self.sources[self.sources.index(source) :])  # those behind it go the same way, as a rule
        copier.copy(source, target)
        if copier.failed:
            self.failed = True
            return None
        self.say("copied", source, target)
        remover = Remover(self.io, recursive=True, verbose=bool(self.bound.values["verbose"]))
        remover.remove(source)
        self.failed = self.failed or remover.failed
        return None
