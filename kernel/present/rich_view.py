"""Sections on a terminal, by rich: the only module that imports it. Text from outside is never read as markup."""

from __future__ import annotations

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kernel import environment
from kernel.present.printable import printable
from kernel.present.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _console(descriptor: int) -> Console:
    """A console on stdout or stderr; rich itself respects `NO_COLOR` and `TERM`."""
    stream = environment.stdout() if descriptor == 1 else environment.stderr()
    return Console(file=stream, highlight=False, emoji=False, markup=False)


def show(sections: Sequence[Section], descriptor: int = 1) -> None:
    """Draws sections with bold titles and aligned rows."""
    console = _console(descriptor)
    for number, section in enumerate(sections):
        if number:
            console.print()
        if section.title:
            console.print(Text(printable(section.title), style="bold"))
        console.print(Padding(_body(section), (0, 0, 0, 2 if section.title else 0)))


def _body(section: Section) -> Group:
    parts: list[Table | Text] = []
    grid: Table | None = None
    for row in section.rows:
        if isinstance(row, str):
            parts.append(Text(printable(row)))
            grid = None
            continue
        if grid is None:
            grid = Table.grid(padding=(0, 2))
            grid.add_column(style="cyan", max_width=36, overflow="fold")
            grid.add_column(overflow="fold")
            parts.append(grid)
        grid.add_row(Text(printable(row[0])), Text(printable("  ".join(row[1:]))))
    return Group(*parts)
