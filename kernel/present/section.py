"""The one shape of what is shown to a person: titled sections of paragraphs and of rows. Text in it is raw."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Section:
    """A title ("" for none) and rows: a string is a line of its own, a tuple is cells in columns."""

    __slots__ = ("rows", "title")

    def __init__(self, title: str, rows: Sequence[str | tuple[str, ...]]) -> None:
        self.title = title
        self.rows = list(rows)
