"""Text that no argv, environment or stdin can carry."""

from __future__ import annotations

import os

from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.plan import Plan


def refuse(plan: Plan, texts: list[str]) -> None:
    """Raises E-ENCODING for the first of a plan's argv items and variables that cannot be handed over."""
    names = [f"argument {index}" for index in range(len(texts) - len(plan.env))] + [f"variable `{name}`" for name in plan.env]
    for name, text in zip(names, texts, strict=True):
        if "\0" in text:
            raise fail("E-ENCODING", f"{name} holds a NUL byte, which no program can be given", hint="leave the byte out")
        encodable(name, text)


def encodable(name: str, text: str) -> None:
    """Raises E-ENCODING for text with a surrogate that stands for no byte."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X}"
        raise fail("E-ENCODING", f"{name} holds {character}, which cannot be encoded", hint="leave the character out") from None
