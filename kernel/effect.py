"""The effect of a call: what the tool states, raised by params, never lowered (running.md X9)."""

from __future__ import annotations

from kernel.values import to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound

EFFECTS = ("read", "write", "destructive")


def raised(bound: Bound, stated: str) -> str:
    """The highest of the stated effect and those of the params that have a value."""
    highest = EFFECTS.index(stated)
    for param in bound.spec.params:
        if param.effects and bound.has(param.name):
            texts = bound.texts.get(param.name)
            for wanted, effect in param.effects:
                if wanted == "":
                    value = bound.values[param.name]
                    counts = value is not False and not (param.count and value == 0)
                else:
                    counts = _mentions(texts, wanted) or _mentions(bound.values[param.name], wanted)
                if counts:
                    highest = max(highest, EFFECTS.index(effect))
    return EFFECTS[highest]


def _mentions(value: Any, wanted: str) -> bool:
    """Whether a value, or an entry of it, is written `wanted`."""
    if isinstance(value, list):
        return any(_mentions(entry, wanted) for entry in value)
    return (value if isinstance(value, str) else to_text(value)) == wanted
