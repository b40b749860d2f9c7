"""Where cp, mv and ln put things: `SOURCE DEST`, `SOURCE… DIRECTORY`, `-t DIRECTORY SOURCE…`, `-T SOURCE DEST`."""

from __future__ import annotations

import os
import stat

from kernel.builtins.guard import Failure, raw, reason
from kernel.builtins.quoting import quoted_name
from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for operands that name no source and destination, whatever files there are."""
    values = bound.values
    files: list[str] = values["files"]
    if not files:
        raise Failure("missing file operand", param="files")
    if sum(trace.param == "target_directory" for trace in bound.trace) > 1:
        raise Failure("multiple target directories specified", param="target_directory")
    if values["no_target_directory"]:
        if values.get("target_directory") is not None:
            message = "cannot combine --target-directory (-t) and --no-target-directory (-T)"
            raise Failure(message, param="no_target_directory")
        if len(files) > 2:
            raise Failure(f"extra operand {quoted_name(files[2])}", param="files", entry=2)
    if len(files) == 1 and values.get("target_directory") is None:
        raise Failure(f"missing destination file operand after {quoted_name(files[0])}", param="files")


def pairs(bound: Bound, io: Io, *, is_directory: bool = True) -> Iterator[tuple[str, str]]:
    """(source, destination) as the words say. Failure for words that say nothing, status 1 for a bad directory.

    A destination that is a link to a directory is one unless ``is_directory`` is False (ln -n).
    """
    values = bound.values
    files: list[str] = list(values["files"])
    directory = values.get("target_directory")
    usage(bound)
    if values["no_target_directory"]:
        yield files[0], files[1]
        return
    if directory is None:
        last = files.pop()
        if len(files) == 1 and not _leads_into(io, last, is_directory):
            yield files[0], last
            return
        directory = last
    try:
        info = os.stat(io.path(directory))
    except OSError as error:
        given = "target directory" if values.get("target_directory") is not None else "target"
        raise Failure(f"{given} {quoted_name(directory)}: {reason(error)}", 1) from None
    if not stat.S_ISDIR(info.st_mode):
        given = "target directory" if values.get("target_directory") is not None else "target"
        raise Failure(f"{given} {quoted_name(directory)}: Not a directory", 1)
    for source in files:
        yield source, joined(directory, last_part(source))


def _leads_into(io: Io, name: str, is_directory: bool) -> bool:
    path = io.path(name)
    if not is_directory and os.path.islink(path) and not name.endswith("/"):
        return False
    return os.path.isdir(path)


def last_part(name: str) -> str:
    """The last component of a path; `.` and `..` stay as they are, `/` is nothing."""
    return name.rstrip("/").rpartition("/")[2]


def joined(directory: str, part: str) -> str:
    """`d/x`, with one slash between."""
    if not part:
        return directory
    return directory + part if directory.endswith("/") else f"{directory}/{part}"


def confirmed(io: Io, question: str) -> bool:
    """Asks on stderr and reads one line of stdin: whether it begins with `y` or `Y`."""
    io.flush()
    io.hold()
    try:
        write_all(io.stderr, raw(f"{io.name}: {question} "))
        answer = b""
        while not answer.endswith(b"\n"):
            byte = os.read(io.stdin, 1)
            if not byte:
                break
            answer += byte
    finally:
        io.release()
    return answer[:1] in (b"y", b"Y")


def is_same_entry(one: str, other: str) -> bool:
    """Whether two paths are one name in one directory: what is renamed out of the way is then the source itself."""
    parts = [os.path.split(path.rstrip("/")) for path in (one, other)]
    return parts[0][1] == parts[1][1] and os.path.realpath(parts[0][0]) == os.path.realpath(parts[1][0])


def asks_for_backup(values: dict[str, object]) -> bool:
    """Whether what is in the way is kept: --backup, -b, or a suffix for it alone."""
    control = values.get("backup")
    if control is None:
        return bool(values["backup_existing"]) or values.get("suffix") is not None
    return control not in ("none", "off") or bool(values["backup_existing"])


def make_backup(io: Io, name: str, values: dict[str, object]) -> str:
    """Renames what is in the way, as --backup and --suffix say: the new name."""
    suffix = str(values.get("suffix") or io.env.get("SIMPLE_BACKUP_SUFFIX") or "~")
    if "/" in suffix:
        suffix = "~"  # a suffix leads nowhere else
    control = str(values.get("backup") or io.env.get("VERSION_CONTROL") or "existing")
    numbers = _numbers(io, name)
    if control in ("numbered", "t") or (control in ("existing", "nil") and numbers):
        kept = f"{name}.~{max(numbers, default=0) + 1}~"
    else:
        kept = name + suffix
    os.rename(io.path(name), io.path(kept))
    return kept


def _numbers(io: Io, name: str) -> list[int]:
    head, part = os.path.split(name)
    start = part + ".~"
    found = []
    for entry in os.listdir(io.path(head) if head else io.cwd):
        number = entry[len(start) : -1]
        if entry.startswith(start) and entry.endswith("~") and number.isascii() and number.isdigit():
            found.append(int(number))
    return found
