"""The sorted temporary files of sort, never more than a few at once."""

from __future__ import annotations

import heapq
from tempfile import TemporaryFile

from kernel.builtins.guard import Failure, reason
from kernel.builtins.lines import blocks, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from kernel.builtins.io import Io

MOST = 16  # files of one level: then they become one of the next
SIZE = 32768  # bytes of each that are held while they are merged


class Runs:
    """Sorted lines in files. Equal lines stay in the order in which their runs were added.

    As soon as MOST files of a level are there they become one of the next level. So with n runs no more than MOST times
    log(n) files are open, and a line is written log(n) times, both to the base MOST. ``key`` is a line's in comparisons,
    None for the line itself.
    """

    def __init__(self, io: Io, directory: str | None, end: bytes, key: Callable[[bytes], Any] | None) -> None:
        self.io = io
        self.directory = directory
        self.end = end
        self.key = key
        self.levels: list[list[Any]] = []

    def add(self, lines: Iterable[bytes]) -> None:
        """One more run, of lines in order. Failure when it cannot be written."""
        added = self._written(lines)
        for level in self.levels:
            level.append(added)
            if len(level) < MOST:
                return
            added = self._written(self._merged(level))
            self._close(level)
        self.levels.append([added])

    def merged(self, last: Iterable[bytes]) -> Iterable[bytes]:
        """All lines in order; ``last`` are those of a run that was not added."""
        return self._merged([file for level in reversed(self.levels) for file in level], last)

    def close(self) -> None:
        for level in self.levels:
            self._close(level)

    def _merged(self, files: list[Any], *last: Iterable[bytes]) -> Iterable[bytes]:
        return heapq.merge(*[self._lines(file) for file in files], *last, key=self.key)

    def _written(self, lines: Iterable[bytes]) -> Any:
        try:
            file = TemporaryFile(dir=self.directory)  # noqa: SIM115 (closed by `close`)
            file.writelines(line + self.end for line in lines)
            file.seek(0)
        except OSError as error:
            raise Failure(f"cannot write a temporary file: {reason(error)}") from None
        return file

    def _lines(self, file: Any) -> Iterator[bytes]:
        for block in blocks(self.io, file.fileno(), self.end, SIZE):
            yield from split(block, self.end)

    @staticmethod
    def _close(level: list[Any]) -> None:
        for file in level:
            file.close()
        level.clear()
