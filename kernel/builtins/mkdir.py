"""mkdir: directories made."""

from __future__ import annotations

import errno
import os

from kernel.builtins.file_mode import mask, parse_mode
from kernel.builtins.guard import Failure, guarded, reason
from kernel.builtins.quoting import quoted, quoted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for a mode that is none."""
    _mode(bound, 0)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a directory could not be made."""
    values = bound.values
    maker = Maker(io, _mode(bound, mask()), verbose=bool(values["verbose"]))
    for name in values["directories"]:
        if values["parents"]:
            maker.with_parents(name)
        else:
            maker.make(name)
    return maker.status


def _mode(bound: Bound, umask: int) -> int | None:
    """The mode asked for, None where none is."""
    text = bound.values.get("mode")
    if text is None:
        return None
    mode = parse_mode(text, 0o777, directory=True, umask=umask)
    if mode is None:
        raise Failure(f"invalid mode {quoted(text)}", param="mode")
    return mode


class Maker:
    """Makes directory by directory; ``status`` is 1 after one that could not be made."""

    def __init__(self, io: Io, mode: int | None, *, verbose: bool) -> None:
        self.io = io
        self.mode = mode
        self.verbose = verbose
        self.status = 0

    def make(self, name: str, *, parents: bool = False) -> None:
        try:
            os.mkdir(self.io.path(name), 0o777 if self.mode is None else self.mode & 0o777)
            if self.mode is not None:
                os.chmod(self.io.path(name), self.mode)
        except OSError as error:
            if not (parents and isinstance(error, FileExistsError) and os.path.isdir(self.io.path(name))):
                self.refuse(name, error)
            return
        self.say(name)

    def refuse(self, name: str, error: OSError) -> None:
        self.io.complain(f"cannot create directory {quoted_name(name)}: {reason(error)}")
        self.status = 1

    def say(self, name: str) -> None:
        if self.verbose:
            self.io.write(f"{self.io.name}: created directory {quoted_name(name)}\n".encode("utf-8", "surrogateescape"))

    def with_parents(self, name: str) -> None:
        """The directories on the way get the usual mode, made passable for their owner."""
        if os.path.isdir(self.io.path(name)):
            return
        at = 0
        trimmed = name.rstrip("/")
        while (at := trimmed.find("/", at + 1)) > 0:
            part = trimmed[:at]
            if part.endswith("/") or os.path.isdir(self.io.path(part)):
                continue
            try:
                os.mkdir(self.io.path(part), 0o777)
                if mask() & 0o300:
                    os.chmod(self.io.path(part), 0o777 & ~mask() | 0o300)
            except FileExistsError:
                if not os.path.isdir(self.io.path(part)):
                    self.refuse(part, NotADirectoryError(errno.ENOTDIR, ""))
                    return
                continue
            except OSError as error:
                self.refuse(part, error)
                return
            self.say(part)
        self.make(name, parents=True)
