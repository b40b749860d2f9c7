"""ln: another name for a file, or a link to it."""

from __future__ import annotations

import errno
import os
import stat

from kernel.builtins import targets
from kernel.builtins.guard import Failure, guarded, last_given, reason
from kernel.builtins.quoting import file_name, quoted_name
from kernel.builtins.targets import asks_for_backup, confirmed, last_part, make_backup, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for flags and operands that say no link, whatever files there are."""
    if bound.values["relative"] and not bound.values["symbolic"]:
        raise Failure("cannot do --relative without --symbolic", param="relative")
    if not _is_one(bound):
        targets.usage(bound)


def _is_one(bound: Bound) -> bool:
    """Whether the one operand gets its link in the working directory."""
    values = bound.values
    return len(values["files"]) == 1 and "target_directory" not in values and not values["no_target_directory"]


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a link was not made."""
    usage(bound)
    values = bound.values
    if _is_one(bound):
        name = values["files"][0]
        wanted = [(name, last_part(name) or ".")]
    else:
        wanted = list(pairs(bound, io, is_directory=not values["no_dereference"]))
    maker = Maker(bound, io)
    for source, target in wanted:
        maker.make(source, target)
    return 1 if maker.failed else 0


class Maker:
    """Makes link by link; ``failed`` says that one was not made."""

    def __init__(self, bound: Bound, io: Io) -> None:
        values = bound.values
        self.bound = bound
        self.io = io
        self.failed = False
        self.symbolic = bool(values["symbolic"])
        self.kind = "symbolic link" if self.symbolic else "hard link"
        self.follow = last_given(bound, "logical", "physical") == "logical"
        self.asked = last_given(bound, "interactive", "force")
        self.backup = asks_for_backup(values)

    def complain(self, message: str) -> None:
        self.io.complain(message)
        self.failed = True

    def make(self, source: str, target: str) -> None:
        io = self.io
        path = io.path(target)
        if not self.symbolic:
            try:
                info = os.stat(io.path(source), follow_symlinks=self.follow)
            except OSError as error:
                return self.complain(f"failed to access {quoted_name(source)}: {reason(error)}")
            if stat.S_ISDIR(info.st_mode):
                return self.complain(f"{file_name(source)}: hard link not allowed for directory")
        kept = ""
        try:
            there: os.stat_result | None = os.lstat(path)
        except OSError:
            there = None
        if there is not None and (self.asked or self.backup):
            if stat.S_ISDIR(there.st_mode):
                return self.complain(f"{quoted_name(target)}: cannot overwrite directory")
            if not self.symbolic and os.path.samestat(info, there) and _is_same_entry(io.path(source), path):
                return self.complain(f"{quoted_name(source)} and {quoted_name(target)} are the same file")
            if self.symbolic and self.asked == "force" and _is_same_entry(io.path(source), path):
                return self.complain(f"{quoted_name(source)} and {quoted_name(target)} are the same file")
            if self.asked == "interactive" and not confirmed(io, f"replace {quoted_name(target)}?"):
                return None
            try:
                if self.backup:
                    kept = make_backup(io, target, self.bound.values)
            except OSError as error:
                return self.complain(f"cannot backup {quoted_name(target)}: {reason(error)}")
        text = source
        if self.bound.values["relative"]:
            text = os.path.relpath(os.path.realpath(io.path(source)), os.path.realpath(os.path.dirname(path)))
        try:
            self.link(source, text, path, replace=there is not None and not kept and bool(self.asked))
        except OSError as error:
            return self.complain(f"failed to create {self.kind} {quoted_name(target)}{self.to(source, error)}: {reason(error)}")
        if self.bound.values["verbose"]:
            arrow = "->" if self.symbolic else "=>"
            note = f"{quoted_name(kept)} ~ " if kept else ""
            io.write(f"{note}{quoted_name(target)} {arrow} {quoted_name(text)}\n".encode("utf-8", "surrogateescape"))
        return None

    def to(self, source: str, error: OSError) -> str:
        """The other end, in messages about errors that it may have a part in."""
        if self.symbolic:
            return f" -> {quoted_name(source)}" if error.errno == errno.ENAMETOOLONG else ""
        alone = (errno.EEXIST, errno.ENOSPC, errno.EROFS, errno.EDQUOT)
        return "" if error.errno in alone else f" => {quoted_name(source)}"

    def link(self, source: str, text: str, path: str, *, replace: bool) -> None:
        """Replacing is one step: the new link is made beside the old file and renamed over it."""
        place = path
        if replace:
            place = os.path.join(os.path.dirname(path), f".{os.path.basename(path)[:200]}.{os.getpid()}.link")
        if self.symbolic:
            os.symlink(text, place)
        else:
            existing = self.io.path(source)
            os.link(os.path.realpath(existing) if self.follow else existing, place, follow_symlinks=False)
        if replace:
            try:
                os.rename(place, path)
            except OSError:
                os.unlink(place)
                raise
            if os.path.lexists(place):  # both were names of one file: rename does nothing then
                os.unlink(place)


def _is_same_entry(first: str, second: str) -> bool:
    """Whether two paths are one name in one directory."""
    directories = [os.path.realpath(os.path.dirname(each) or ".") for each in (first, second)]
    return directories[0] == directories[1] and os.path.basename(first) == os.path.basename(second)
