"""Sections as plain text, for pipes, files and terminals without colour."""

from __future__ import annotations

from kernel.present.printable import columns, printable, wrapped
from kernel.present.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 100
WIDEST = 34  # columns of the first cell of a pair; a longer one stands on a line of its own


def draw(sections: Sequence[Section], width: int = WIDTH) -> str:
    """The text of sections, an empty line between two."""
    return "\n".join(["".join([f"{line}\n" for line in _lines(section, width)]) for section in sections])


def _lines(section: Section, width: int) -> list[str]:
    lines = [printable(section.title)] if section.title else []
    indent = "  " if section.title else ""
    pairs = [row for row in section.rows if isinstance(row, tuple) and len(row) == 2]
    widths = [columns(printable(row[0])) for row in pairs]
    column = max([size for size in widths if size <= WIDEST], default=WIDEST) + 2
    for row in section.rows:
        if isinstance(row, str):
            text = row.lstrip(" ")
            own = indent + " " * (len(row) - len(text))
            lines += [own + line for line in wrapped(printable(text), width - len(own))]
        else:
            lines += [indent + line for line in _pair(row, column, width - len(indent))]
    return lines


def _pair(row: tuple[str, ...], column: int, width: int) -> list[str]:
    term = printable(row[0])
    said = wrapped(printable("  ".join(row[1:])), max(20, width - column))
    if said == [""]:
        return [term]
    size = columns(term)
    lines = [term + " " * (column - size) + said.pop(0)] if size + 2 <= column else [term]
    return lines + [" " * column + line for line in said]


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows in aligned columns, one line each, the last column as long as it is. There is at least one row."""
    shown = [tuple(row) for row in rows]
    odd: dict[int, list[int]] = {}  # the rare rows where a character may be no column, or is escaped
    for index, row in enumerate(shown):
        text = "".join(row)
        if not (text.isascii() and text.isprintable()):
            shown[index] = cells = tuple([printable(cell) for cell in row])
            odd[index] = [columns(cell) - len(cell) for cell in cells]
    widths = [max(map(len, column)) for column in zip(*shown)]
    for index, wider in odd.items():
        widths = [max(width, len(cell) + more) for width, cell, more in zip(widths, shown[index], wider)]
    form = "".join([f"%-{width}s  " for width in widths[:-1]]) + "%s\n"
    lines = [form % row for row in shown]
    for index, wider in odd.items():
        row = shown[index]
        padded = [cell + " " * (width - len(cell) - more) for cell, width, more in zip(row[:-1], widths, wider)]
        lines[index] = "  ".join([*padded, row[-1]]) + "\n"
    return "".join(lines)
