"""Rows in columns for a terminal of any width: cells are folded, and no column is ever left out."""

from __future__ import annotations

import os
from itertools import zip_longest

from kernel import environment, present
from kernel.present.printable import columns as size_of
from kernel.present.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Paint = Callable[[str, str], str]

BETWEEN = "  "
NARROWEST = 12  # what a column keeps of its width; where that is too much for all, each row is a block of lines
WIDTH = 80  # where the terminal does not say
CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33"}


def show(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[bool] = (),
    styles: Mapping[str, str] | None = None,
) -> None:
    """A table on stdout, which is a terminal. ``right`` are the columns of numbers, ``styles`` colours a cell by its text."""
    paint = _painted if present.coloured(1) else _bare
    environment.write_out(draw(header, rows, _screen_width(), right=right, styles=styles or {}, paint=paint))


def _bare(text: str, style: str) -> str:
    return text


def _painted(text: str, style: str) -> str:
    return f"\x1b[{CODES[style]}m{text}\x1b[0m" if style and text else text


def _screen_width() -> int:
    wanted = environment.variable("COLUMNS")
    if wanted.isascii() and wanted.isdigit() and int(wanted):
        return int(wanted)
    try:
        return os.get_terminal_size(1).columns or WIDTH
    except OSError:
        return WIDTH


def draw(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    right: Sequence[bool] = (),
    styles: Mapping[str, str] | None = None,
    paint: Paint = _bare,
) -> str:
    """The text of a table of at most ``width`` columns, its header in front; escapes stand for what cannot be shown."""
    names = [printable(name) for name in header]
    cells = [[printable(cell) for cell in row] for row in rows]
    wanted = [max(map(size_of, column)) for column in zip(names, *cells)]
    found = shared_out(wanted, width - len(BETWEEN) * (len(names) - 1))
    if not found:
        return _blocks(names, cells, max(map(size_of, names)), width, paint)
    sides = list(right) or [False] * len(names)
    colours = styles or {}
    lines = _lines(names, found, sides, ["bold"] * len(names), paint)
    for row in cells:
        lines += _lines(row, found, sides, [colours.get(cell, "") for cell in row], paint)
    return "".join([f"{line}\n" for line in lines])


def shared_out(wanted: list[int], room: int) -> list[int]:
    """The columns' widths: as wanted where there is room, else the widest cut down alike; none where that is not enough."""
    if sum(wanted) <= room:
        return wanted
    if sum([min(size, NARROWEST) for size in wanted]) > room:
        return []
    most, left, count = 0, room, len(wanted)
    for size in sorted(wanted):
        most = left // count
        if size > most:
            break
        left -= size
        count -= 1
    spare = left - most * count  # fewer than the columns that were cut down
    found = []
    for size in wanted:
        more = size > most and spare > 0
        found.append(min(size, most + more))
        spare -= more
    return found


def _lines(row: list[str], widths: list[int], right: list[bool], styles: list[str], paint: Paint) -> list[str]:
    """The lines of one row: as many as its longest cell has."""
    columns = [folded(cell, width) for cell, width in zip(row, widths)]
    lines = []
    for texts in zip_longest(*columns, fillvalue=""):
        out, end = "", 0  # ``end`` is where the last text ends: no blanks stand behind it
        for text, width, is_right, style in zip(texts, widths, right, styles):
            blanks = " " * (width - size_of(text))
            out += blanks + paint(text, style) if is_right else paint(text, style)
            end = len(out) if text else end
            out += BETWEEN if is_right else blanks + BETWEEN
        lines.append(out[:end])
    return lines


def folded(text: str, width: int) -> list[str]:
    """A printable text in lines of at most ``width`` columns, broken at blanks where there are any."""
    lines, at = [], 0
    while (end := _end_of_line(text, at, width)) < len(text):
        blank = end if text[end] == " " else text.rfind(" ", at, end)
        if blank > at and text[at:blank].strip(" "):
            lines.append(text[at:blank])
            at = blank + 1
        else:
            lines.append(text[at:end])
            at = end
    if at < len(text) or not lines:
        lines.append(text[at:])
    return lines


def _end_of_line(text: str, at: int, width: int) -> int:
    """Where the line that begins at a place has to end; at least one character behind."""
    width = max(width, 1)  # what takes no columns may stand in a column of none
    if text[at : at + width].isascii():
        return min(at + width, len(text))
    size = 0
    for end in range(at, len(text)):
        size += size_of(text[end])
        if size > width:
            return max(end, at + 1)
    return len(text)


def _blocks(names: list[str], rows: list[list[str]], longest: int, width: int, paint: Paint) -> str:
    """Each row as lines of a name and a cell, the empty ones left out, and an empty line between two rows."""
    first = min(longest, max(NARROWEST, width // 3))
    sizes = [first, max(NARROWEST, width - first - len(BETWEEN))]
    blocks = []
    for row in rows:
        lines: list[str] = []
        for name, cell in zip(names, row):
            if cell:
                lines += _lines([name, cell], sizes, [False, False], ["bold", ""], paint)
        blocks.append("".join([f"{line}\n" for line in lines]))
    return "\n".join(blocks)
