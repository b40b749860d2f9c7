"""JSON values as a data builtin puts them out: a line of text each, or handed on to the next builtin of the pipeline."""

from __future__ import annotations

from kernel import strict_json
from kernel.builtins.link import ELEMENTS, VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.builtins.io import Io


class Output:
    """Values one after another by ``value``, or one array by ``element`` and ``finish``. Numbers stay as they were written."""

    def __init__(self, io: Io, indent: int | None = None) -> None:
        self._io = io
        self._sink = io.sink
        self._indent = indent
        self._before = b"["

    def value(self, value: Any) -> None:
        """One value, with a newline behind it."""
        if self._sink is not None:
            self._sink.give(VALUES, value)
        else:
            self._io.write(written(value, self._indent) + b"\n")

    def element(self, value: Any) -> None:
        """One more element of the array."""
        if self._sink is not None:
            self._sink.give(ELEMENTS, value)
        else:
            self._io.write(self._before + written(value))
            self._before = b","

    def finish(self) -> None:
        """Ends the array."""
        if self._sink is not None:
            self._sink.finish(ELEMENTS)
        else:
            self._io.write(b"[]\n" if self._before == b"[" else b"]\n")


def written(value: Any, indent: int | None = None) -> bytes:
    """A value as JSON, its numbers as they were written."""
    return strict_json.dumps(value, indent=indent, as_written=True).encode("utf-8", "replace")
