"""write: a file's content replaced as a whole, or not at all."""

from __future__ import annotations

import os
import secrets
import stat

from kernel.builtins.file_mode import mask, parse_mode
from kernel.builtins.guard import Failure, InputError, guarded, raw, reason
from kernel.builtins.lines import SIZE, read
from kernel.builtins.quoting import quoted
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for a mode that is none."""
    _mode(bound, 0, 0)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when the file could not be written; it is then as it was."""
    values = bound.values
    name = values["file"]
    path = os.path.realpath(io.path(name))
    if values["parents"]:
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise Failure(f"cannot create directory {quoted(os.path.dirname(name))}: {reason(error)}", 1) from None
    try:
        there: os.stat_result | None = os.stat(path)
    except OSError:
        there = None
    if there is not None and values["new"]:
        raise Failure(f"{quoted(name)}: File exists", 1)
    mode = _mode(bound, there.st_mode & 0o7777 if there is not None else 0o666 & ~mask(), mask())
    try:
        if there is not None and not stat.S_ISREG(there.st_mode):
            _into(bound, io, path)  # a device or a pipe has no content to replace
        else:
            _replace(bound, io, path, mode)
    except OSError as error:
        raise Failure(f"{quoted(name)}: {reason(error)}", 1) from None
    except InputError as error:
        raise Failure(f"read error: {error}", 1) from None
    return 0


def _mode(bound: Bound, before: int, umask: int) -> int:
    """The mode asked for, ``before`` where none is."""
    if "mode" not in bound.values:
        return before
    text = bound.values["mode"]
    wanted = parse_mode(text, before, directory=False, umask=umask)
    if wanted is None:
        raise Failure(f"invalid mode {quoted(text)}", param="mode")
    return wanted


def _pour(bound: Bound, io: Io, descriptor: int) -> None:
    text = bound.values.get("text")
    if text is not None:
        write_all(descriptor, raw(text) + (b"\n" if bound.values["newline"] else b""))
        return
    io.begin("-", io.stdin)
    while chunk := read(io.stdin, SIZE):
        write_all(descriptor, chunk)
    io.end(io.stdin)


def _into(bound: Bound, io: Io, path: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        _pour(bound, io, descriptor)
    finally:
        os.close(descriptor)


def _replace(bound: Bound, io: Io, path: str, mode: int) -> None:
    """The new content goes into a file beside, on disk before its name takes the old one's place."""
    beside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)[:100]}.{secrets.token_hex(6)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            _pour(bound, io, descriptor)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if bound.values["new"]:
            os.link(beside, path)  # refuses a file that came up meanwhile
            os.unlink(beside)
        else:
            os.replace(beside, path)
    except BaseException:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise
