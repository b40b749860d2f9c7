"""Chooses how sections are drawn: rich on a terminal, plain text everywhere else."""

from __future__ import annotations

from kernel import environment
from kernel.present.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def show(sections: Sequence[Section], descriptor: int = 1) -> None:
    """Draws sections on stdout (1) or stderr (2)."""
    if environment.is_terminal(descriptor):
        from kernel.present import rich_view

        rich_view.show(sections, descriptor)
        return
    from kernel.present import plain

    text = plain.draw(sections)
    if descriptor == 1:
        environment.write_out(text)
    else:
        environment.write_error(text)
