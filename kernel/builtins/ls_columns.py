"""Names side by side, as GNU ls lays them out."""

from __future__ import annotations

LEAST = 3  # columns that even an empty name is given


def columns(names: list[str], sizes: list[int], width: int, *, across: bool, tab: int = 8) -> list[str]:
    """The lines: as many columns as fit, two blanks apart, filled downwards or ``across``; gaps are made of tabs where they can.

    ``sizes`` are the names' columns, ``width`` the line's (0 for no limit).
    """
    if not names:
        return []
    if not width:
        return ["  ".join(names)]
    count = max(1, min(len(names), width // LEAST))
    while count > 1 and not _fits(sizes, count, width, across):
        count -= 1
    rows = -(-len(names) // count)
    widths = _widths(sizes, count, across)
    lines = []
    for row in range(rows):
        line, at, column = "", 0, 0
        while True:
            index = row * count + column if across else column * rows + row
            line += names[index]
            end = at + sizes[index]
            following = index + 1 if across else index + rows
            if following >= len(names) or column + 1 >= count:
                break
            at += widths[column] + 2
            line += _gap(end, at, tab)
            column += 1
        lines.append(line)
    return lines


def _widths(sizes: list[int], count: int, across: bool) -> list[int]:
    rows = -(-len(sizes) // count)
    widths = [1] * count
    for index, size in enumerate(sizes):
        column = index % count if across else index // rows
        widths[column] = max(widths[column], size)
    return widths


def _fits(sizes: list[int], count: int, width: int, across: bool) -> bool:
    """Whether every column's names and two blanks (none behind the last) take less than the line."""
    used = 0
    for column, size in enumerate(_widths(sizes, count, across)):
        is_last = column == count - 1
        used += max(size if is_last else size + 2, LEAST)
    return used < width


def _gap(start: int, end: int, tab: int) -> str:
    out = ""
    while start < end:
        if tab and end // tab > (start + 1) // tab:
            out += "\t"
            start += tab - start % tab
        else:
            out += " "
            start += 1
    return out


def commas(names: list[str], sizes: list[int], width: int) -> list[str]:
    """One after another with commas, as many on a line as fit."""
    lines, line, used = [], "", 0
    for index, name in enumerate(names):
        size = sizes[index] + (2 if index else 0)
        if index:
            if not width or used + size < width:
                line += ", "
            else:
                lines.append(line + ",")
                line, used = "", -2
        line += name
        used += size
    return [*lines, line] if names else []
