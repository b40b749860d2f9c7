"""JSON values handed from one builtin to the next in the same process, in place of their text.

A module that writes JSON has ``gives(bound)``, one that reads it ``takes(bound)``: whether this call does so.
"""

from __future__ import annotations

import threading
from collections import deque

from kernel.strict_json import Number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST = 1024  # values that wait for their reader before the writer does
FEW = 16  # of them are not weighed
ROOM = 1 << 20  # what the others may weigh together
VALUES, ELEMENTS = "values", "elements"


class Link:
    """Values one after another, or the elements of one array; whether they are the one or the other is ``kind``.

    The writer's side raises BrokenPipeError once the reader has gone, as a pipe does.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Any] = deque()
        self._weight = 0
        self._kind = ""
        self._ended = False
        self._is_whole = False
        self._is_read = True

    # The writer's side

    def give(self, kind: str, value: Any) -> None:
        """One more value. Raises BrokenPipeError."""
        weight = weighed(value) if len(self._waiting) >= FEW else 0
        with self._changed:
            while self._is_read and self._waiting and (len(self._waiting) >= MOST or self._weight + weight > ROOM):
                self._changed.wait()
            if not self._is_read:
                raise BrokenPipeError
            self._kind = kind
            self._waiting.append(value)
            self._weight += weight
            self._changed.notify()

    def finish(self, kind: str) -> None:
        """Says that what was given is all there is, if only an empty array."""
        with self._changed:
            self._kind = kind
            self._is_whole = True

    def end(self) -> None:
        """The writer has gone, whether it had finished or not."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    # The reader's side

    def kind(self) -> str:
        """VALUES or ELEMENTS as soon as that is known, "" where the writer went without a word."""
        with self._changed:
            while not self._waiting and not self._ended:
                self._changed.wait()
            return self._kind

    def taken(self) -> Iterator[Any]:
        """What is given, as it comes."""
        waiting, changed = self._waiting, self._changed
        while True:
            with changed:
                while not waiting:
                    if self._ended:
                        return
                    changed.wait()
                some = list(waiting)
                waiting.clear()
                self._weight = 0
                changed.notify()
            yield from some

    def is_cut_short(self) -> bool:
        """After the last of ``taken``: whether the end of the array is missing."""
        return self._kind == ELEMENTS and not self._is_whole

    def leave(self) -> None:
        """The reader has gone."""
        with self._changed:
            self._is_read = False
            self._waiting.clear()
            self._changed.notify()


def weighed(value: Any) -> int:
    """About how many characters a value has as JSON."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum([len(name) + weighed(each) for name, each in value.items()])
    if isinstance(value, list):
        return sum([weighed(each) for each in value])
    return len(value.text) if isinstance(value, Number) else 4
