"""A builtin in a process of its own (running.md X12): the bound call goes to a fresh interpreter through a descriptor."""

from __future__ import annotations

import marshal
import os
import sys

from kernel.bound import Bound
from kernel.spec import ToolSpec
from kernel.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.plan import Plan
    from kernel.spec import ParamSpec

# argv of the interpreter: the directory that holds the package, the number of the descriptor
BOOT = "import sys; sys.path.append(sys.argv[1]); from kernel.builtin_process import main; main(int(sys.argv[2]))"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = (sys.prefix, sys.base_prefix, f"{ROOT}/kernel", f"{ROOT}/tools.d")  # what such a process is made of


def command(plan: Plan) -> tuple[list[str], int]:
    """The argv that runs the plan's builtin, and the descriptor it must be given under the same number."""
    from kernel import feed

    keep = feed.descriptor(pack(plan.builtin, plan.bound))
    return [sys.executable, "-I", "-c", BOOT, ROOT, str(keep)], keep


def pack(builtin: str, bound: Bound) -> bytes:
    """A bound call as bytes. Values that are no plain data stay behind: their texts say the same."""
    values = {}
    for name, value in bound.values.items():
        try:
            marshal.dumps(value)
        except ValueError:
            continue
        values[name] = value
    spec = bound.spec.pack()
    rest: tuple[Any, ...] = (
        bound.words,
        bound.texts,
        bound.origins,
        bound.takes,
        bound.commands,
        bound.passed,
        bound.separator,
        bound.dropped,
    )
    return marshal.dumps((builtin, spec, values, *rest))


def unpack(data: bytes) -> tuple[str, Bound]:
    """What `pack` packed: the builtin's name and the bound call."""
    builtin, spec, values, words, texts, origins, takes, commands, passed, separator, dropped = marshal.loads(data)
    bound = Bound(ToolSpec.unpack(spec), words)
    bound.values, bound.texts, bound.origins, bound.takes = values, texts, origins, takes
    bound.commands, bound.passed, bound.separator, bound.dropped = commands, passed, separator, dropped
    for param in bound.spec.params:
        if param.name in texts and param.name not in values:
            values[param.name] = _typed(param, texts[param.name], 0)
    return builtin, bound


def _typed(param: ParamSpec, text: Any, slot: int) -> Any:
    if isinstance(text, str):
        return from_text(param.slots[slot].type, text)
    in_slots = param.is_tuple and text and isinstance(text[0], str)
    return [_typed(param, entry, index if in_slots else 0) for index, entry in enumerate(text)]
