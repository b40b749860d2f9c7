"""How commands leave what they stand in."""

from __future__ import annotations


class Break(Exception):
    """`break N`; with ``again`` `continue N`."""

    def __init__(self, levels: int, again: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.again = again


class Return(Exception):
    """`return`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Exit(Exception):
    """`exit`, `set -e`, and errors that end a script. ``signal`` is the one that ends the process, 0 for none."""

    def __init__(self, status: int, signal: int = 0) -> None:
        super().__init__(status)
        self.status = status
        self.signal = signal
