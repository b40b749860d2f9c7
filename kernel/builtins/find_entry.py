"""What find looks at: one file or directory of the walk."""

from __future__ import annotations

import os
import stat


class Entry:
    """``path`` is as printed, ``place`` as this process reaches it; ``start`` is the operand below which it was found."""

    __slots__ = ("_info", "depth", "followed", "path", "place", "pruned", "start")

    def __init__(self, path: str, place: str, start: str, depth: int, followed: bool) -> None:
        self.path = path
        self.place = place
        self.start = start
        self.depth = depth
        self.followed = followed  # whether links are followed here
        self.pruned = False
        self._info: os.stat_result | None = None

    def info(self) -> os.stat_result:
        """The file's facts; those of a link where it leads nowhere. Raises OSError."""
        if self._info is None:
            if self.followed:
                self._info = behind(self.place)
            else:
                self._info = os.lstat(self.place)
        return self._info

    @property
    def base(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2] or ("/" if self.path.startswith("/") else "")

    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.info().st_mode)

    def link_text(self) -> str | None:
        """What a link points to, None for what is no link."""
        if not stat.S_ISLNK(self.info().st_mode):
            return None
        return os.readlink(self.place)


def behind(place: str) -> os.stat_result:
    """The facts of what a link points to, of the link itself where it leads nowhere. Raises OSError, for a loop too."""
    try:
        return os.stat(place)
    except (FileNotFoundError, NotADirectoryError):
        return os.lstat(place)


class Unread(Exception):
    """A test could not look at a file; ``error`` says why."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error
