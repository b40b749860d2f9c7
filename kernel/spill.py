"""Files that keep the whole of a long output, under the state directory, for a day or 1 GiB (running.md X4)."""

from __future__ import annotations

import os
import time

AGE = 24 * 3600  # seconds a spill file lives
TOTAL = 1 << 30  # bytes that all of them together may take


def create(directory: str) -> tuple[int, str] | None:
    """A new file, 0600, with a name nobody can guess: (descriptor, path); None where none can be made.

    Files past their age are removed first, then the oldest ones of more than TOTAL bytes.
    """
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        clean(directory)
        path = os.path.join(directory, f"{os.urandom(16).hex()}.out")
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600), path
    except OSError:
        return None


def write(descriptor: int, data: memoryview) -> bool:
    """Adds bytes; False when there is no room for them, on the disk or below TOTAL."""
    try:
        if os.fstat(descriptor).st_size + len(data) > TOTAL:
            return False
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False
    return True


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def clean(directory: str, now: float | None = None) -> None:
    """Removes files past their age, then the oldest until the rest takes no more than TOTAL bytes."""
    files = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".out") and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, entry.path))
    oldest = (time.time() if now is None else now) - AGE
    room = TOTAL
    for modified, size, path in sorted(files, reverse=True):
        room -= size
        if modified < oldest or room < 0:
            remove(path)
