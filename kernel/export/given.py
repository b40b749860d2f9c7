"""Arguments as a model gave them after a dialect's schema, turned into the JSON arguments that `bind_json` takes."""

from __future__ import annotations

from kernel import strict_json
from kernel.bind_json import known_keys
from kernel.errors import KernelError, Problem
from kernel.strict_json import JsonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.spec import ParamSpec, Slot, ToolSpec


def natural(spec: ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call in the openai, openai-strict or gemini dialect.

    Null stands for what is left out, also in a tuple; a value of the type `json` is text, read as JSON here. Raises
    KernelError (E-TYPE) with every text that is none. What fits no param is left for the binder to refuse.
    """
    if spec.strict:
        return arguments
    keys = known_keys(spec)
    problems: list[Problem] = []
    found: dict[str, Any] = {}
    for key, value in arguments.items():
        param = keys.get(key.replace("-", "_")) or keys.get(key)
        if param is None:
            found[key] = value
        elif value is not None or (param.required and not param.env):
            found[key] = _value(param, value, problems)
    if problems:
        raise KernelError(problems)
    return found


def _value(param: ParamSpec, value: Any, problems: list[Problem]) -> Any:
    if param.repeatable and isinstance(value, list):
        return [_entry(param, entry, problems) for entry in value]
    return _entry(param, value, problems)


def _entry(param: ParamSpec, entry: Any, problems: list[Problem]) -> Any:
    if not param.is_tuple:
        return _word(param, param.slots[0], entry, problems)
    if not isinstance(entry, dict):
        return entry
    slots = {_folded(slot.name): slot for slot in param.slots}
    found = {}
    for key, part in entry.items():
        slot = slots.get(_folded(key))
        if slot is None or part is not None or not slot.optional:
            found[key] = part if slot is None else _word(param, slot, part, problems)
    return found


def _word(param: ParamSpec, slot: Slot, value: Any, problems: list[Problem]) -> Any:
    if slot.type != "json" or not isinstance(value, str):
        return value
    try:
        return strict_json.loads(value)
    except JsonError as error:
        message = f"`{param.name}` wants JSON text, and this is none: {error}"
        problems.append(Problem("E-TYPE", message, None, 'a text is written `"\\"…\\""`', param=param.name, wanted="JSON text"))
        return value


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")
