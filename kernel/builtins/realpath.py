"""realpath: absolute paths without links and dots."""

from __future__ import annotations

import errno
import os
import re

from kernel.builtins.guard import Failure, guarded, last_given, raw, reason
from kernel.builtins.quoting import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

_MOST_LINKS = 40
_NEEDS_DIRECTORY = re.compile(r"(?:/+\.(?=/))*/+(?:\.?$|\.\.(?:/|$))")  # what may stand behind a directory only


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when a path could not be resolved."""
    values = bound.values
    resolver = Resolver(bound, io)
    base = values.get("relative_base")
    start = values.get("relative_to", base)
    if start is not None:
        start = resolver.directory(start)
    if base is not None:
        base = resolver.directory(base)
        if start is not None and "relative_to" in values and not _is_below(start, base):
            start = base = None
    end = b"\0" if values["zero"] else b"\n"
    status = 0
    for name in values["files"]:
        try:
            path = resolver.resolved(name)
        except OSError as error:
            if not values["quiet"]:
                io.complain(f"{file_name(name)}: {reason(error)}")
            status = 1
            continue
        if start is not None and (base is None or _is_below(path, base)):
            path = os.path.relpath(path, start)
        io.write(raw(path) + end)
    return status


def _is_below(path: str, base: str) -> bool:
    return base == "/" or path == base or path.startswith(base + "/")


class Resolver:
    """How links and missing parts are treated."""

    def __init__(self, bound: Bound, io: Io) -> None:
        self.io = io
        self.need = last_given(bound, "canonicalize_existing", "canonicalize_missing")
        self.order = last_given(bound, "strip", "physical", "logical")

    def directory(self, name: str) -> str:
        try:
            path = self.resolved(name)
            if self.need == "canonicalize_existing" and not os.path.isdir(path):
                raise NotADirectoryError(errno.ENOTDIR, "")
        except OSError as error:
            raise Failure(f"{file_name(name)}: {reason(error)}", 1) from None
        return path

    def resolved(self, name: str) -> str:
        """Raises OSError for a part that is missing and should not be."""
        if not name:
            raise FileNotFoundError(errno.ENOENT, "")
        if self.order in ("strip", "logical"):
            path = self._canonical(self.io.path(name), links=False)
            return path if self.order == "strip" else self._canonical(path, links=True)
        return self._canonical(self.io.path(name), links=True)

    def _canonical(self, rest: str, *, links: bool) -> str:
        """The path part by part; without ``links`` they are kept, and what is missing is seen only where a directory must be."""
        done = ""
        followed = 0
        while rest := rest.lstrip("/"):
            part, slash, behind = rest.partition("/")
            rest = slash + behind
            if part == ".":
                continue
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            place = f"{done}/{part}"
            target = self._target(place, rest) if links else None
            if not links and self.need != "canonicalize_missing" and _NEEDS_DIRECTORY.match(rest):
                self._check_directory(place)
            if target is None:
                done = place
                continue
            followed += 1
            if followed > _MOST_LINKS:
                if self.need != "canonicalize_missing":
                    raise OSError(errno.ELOOP, "")
                done = place
                continue
            if target.startswith("/"):
                done = ""
            rest = target + rest
        if not links and self.need == "canonicalize_existing":
            os.stat(done or "/")
        return done or "/"

    def _target(self, place: str, rest: str) -> str | None:
        """What a link points to, None for what is no link. Raises OSError for what should be there."""
        try:
            return os.readlink(place)
        except OSError as error:
            if self.need == "canonicalize_missing":
                return None
            if error.errno == errno.EINVAL:  # there, and no link
                if _NEEDS_DIRECTORY.match(rest):
                    self._check_directory(place)
                return None
            last = not rest.strip("/")
            if error.errno != errno.ENOENT or self.need == "canonicalize_existing" or not last:
                raise
        return None

    def _check_directory(self, place: str) -> None:
        if not os.path.isdir(place):
            os.stat(place)
            raise NotADirectoryError(errno.ENOTDIR, "")
