"""What a call needs of the operating system, straight from `posix`, by the names of `os`.

Importing `os` costs an eighth of a start, most of it for what a call never uses. The modules on the path of a call use
this one; all others may use `os`.
"""

from __future__ import annotations

import sys
from posix import (
    O_CLOEXEC,
    O_CREAT,
    O_EXCL,
    O_NOFOLLOW,
    O_NONBLOCK,
    O_RDONLY,
    O_WRONLY,
    X_OK,
    _exit,
    access,
    chdir,
    close,
    dup2,
    execv,
    execve,
    fstat,
    getcwd,
    geteuid,
    getpid,
    isatty,
    kill,
    lstat,
    mkdir,
    open,
    pipe,
    read,
    replace,
    scandir,
    stat,
    stat_result,
    unlink,
    write,
)

__all__ = [
    "GONE",
    "O_CLOEXEC",
    "O_CREAT",
    "O_EXCL",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_RDONLY",
    "O_WRONLY",
    "X_OK",
    "_exit",
    "abspath",
    "access",
    "basename",
    "chdir",
    "close",
    "dirname",
    "dup2",
    "execv",
    "execve",
    "exists",
    "fsdecode",
    "fsencode",
    "fstat",
    "getcwd",
    "geteuid",
    "getpid",
    "here",
    "isatty",
    "isdir",
    "isfile",
    "join",
    "kill",
    "lstat",
    "makedirs",
    "normpath",
    "open",
    "pipe",
    "read",
    "replace",
    "samestat",
    "scandir",
    "stat",
    "stat_result",
    "unlink",
    "write",
]

_ENCODING = sys.getfilesystemencoding()
_ERRORS = sys.getfilesystemencodeerrors()
_TYPE, _DIRECTORY, _REGULAR = 0o170000, 0o040000, 0o100000
GONE = "/proc/self/cwd"  # the name that a removed working directory still has; without /proc it is nothing's name


def fsencode(text: str) -> bytes:
    """Text as the bytes the system knows it by."""
    return text.encode(_ENCODING, _ERRORS)


def fsdecode(data: bytes) -> str:
    return data.decode(_ENCODING, _ERRORS)


def join(first: str, second: str) -> str:
    """Two parts of a path; an absolute second part stands alone."""
    if second[:1] == "/":
        return second
    return first + second if not first or first[-1] == "/" else f"{first}/{second}"


def dirname(path: str) -> str:
    head = path[: path.rfind("/") + 1]
    return head.rstrip("/") or head


def basename(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def normpath(path: str) -> str:
    """A path without empty parts, `.` and `part/..`; links are not asked for."""
    root = "//" if path[:2] == "//" and path[:3] != "///" else "/" if path[:1] == "/" else ""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", ".", "..") or (part == ".." and not root):
            parts.append(part)
    return root + "/".join(parts) or "."


def here() -> str:
    """The working directory; GONE when it no longer exists."""
    try:
        return getcwd()
    except OSError:
        return GONE


def abspath(path: str) -> str:
    return normpath(path if path[:1] == "/" else join(here(), path))


def makedirs(path: str, mode: int) -> None:
    """A directory with this mode, those above it too; one that is there already is no error."""
    try:
        mkdir(path, mode)
    except FileExistsError:
        pass
    except FileNotFoundError:
        if not dirname(path) or dirname(path) == path:
            raise
        makedirs(dirname(path), mode)
        mkdir(path, mode)


def _kind(path: str) -> int:
    try:
        return stat(path).st_mode & _TYPE
    except (OSError, ValueError):
        return 0


def exists(path: str) -> bool:
    return _kind(path) != 0


def isfile(path: str) -> bool:
    return _kind(path) == _REGULAR


def isdir(path: str) -> bool:
    return _kind(path) == _DIRECTORY


def samestat(first: stat_result, second: stat_result) -> bool:
    return first.st_ino == second.st_ino and first.st_dev == second.st_dev
