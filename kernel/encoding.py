"""Text that no argv, environment or stdin can carry."""

from __future__ import annotations

import os

from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.plan import Plan


def refuse(plan: Plan) -> None:
    """Raises E-ENCODING for the first text of a plan's argv and variables that cannot be handed over, naming its param."""
    parts = [(f"argument {index}", item.pieces) for index, item in enumerate(plan.items) if not plan.builtin]
    parts += [(f"variable `{name}`", pieces) for name, pieces in plan.env.items()]
    for part, pieces in parts:
        for piece in pieces:
            name = f"`{piece.param}`" if piece.param else part
            facts: dict[str, Any] = {"param": piece.param} if piece.param else {}
            if "\0" in piece.text:
                message = f"{name} holds a NUL byte, which no program can be given"
                raise fail("E-ENCODING", message, hint="leave the byte out", **facts)
            encodable(name, piece.text, **facts)


def encodable(name: str, text: str, **facts: Any) -> None:
    """Raises E-ENCODING for text with a surrogate that stands for no byte."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X}"
        message = f"{name} holds {character}, which cannot be encoded"
        raise fail("E-ENCODING", message, hint="leave the character out", **facts) from None
