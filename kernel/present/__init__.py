"""What a person sees: text made from data, last of all. Nothing here decides anything."""

from __future__ import annotations

from kernel import environment


def coloured(descriptor: int) -> bool:
    """Whether colour is wanted on a descriptor: a terminal that has it, and no `NO_COLOR`."""
    return (
        environment.is_terminal(descriptor)
        and not environment.variable("NO_COLOR")
        and environment.variable("TERM") not in ("", "dumb")
    )
