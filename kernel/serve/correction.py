"""Arguments that would be taken: those that were given, mended where they were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernel import bind_json, check, strict_json
from kernel.errors import KernelError
from kernel.values import from_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernel.spec import ParamSpec, Slot, ToolSpec

LONGEST = 400  # characters of an example

# sound values that may not be used, or not together: nobody knows which might
UNMENDED = ("E-PATH", "E-DASH", "E-EFFECT", "E-ENCODING", "E-USAGE", "E-UNSUPPORTED")

_SAMPLES: dict[str, Any] = {
    "string": "text",
    "int": 1,
    "number": 1.5,
    "bool": True,
    "object": {},
    "json": {},
    "any": "text",
}


def example(spec: ToolSpec, given: Mapping[str, Any], error: KernelError, variables: Mapping[str, str]) -> str:
    """JSON of arguments that the tool takes, as near to the given ones as can be told; "" where none is found."""
    if any(problem.secret or problem.code in UNMENDED for problem in error.problems):
        return ""
    faulty = {problem.facts.get("param") for problem in error.problems if problem.code != "E-REQUIRED"}
    renamed = {p.facts["got"]: p.facts["near"][0] for p in error.problems if p.code == "E-UNKNOWN-KEY" and p.facts.get("near")}
    keys = {param.name: param for param in spec.params} if spec.strict else bind_json.known_keys(spec)
    mended: dict[str, Any] = {}
    for key, value in given.items():
        param = keys.get(renamed.get(key, key))
        if param is not None and param.secret:
            return ""
        if param is not None and param.name not in faulty and not param.hidden:
            mended.setdefault(param.name, value)
    for param in spec.params:
        if param.name not in mended and (param.required or param.name in faulty) and not param.secret and not param.hidden:
            mended[param.name] = sample(param)
    try:
        check.check(bind_json.bind_mapping(spec, mended, by_model=True), variables)
        text = strict_json.dumps(mended)
    except (KernelError, ValueError, TypeError):
        return ""
    return text if len(text) <= LONGEST else ""


def sample(param: ParamSpec) -> Any:
    """A value of the param's shape, as the published schema describes it."""
    if param.default is not None and not param.repeatable and isinstance(param.default, str):
        return from_text(param.type, param.default)
    if param.count:
        return 1
    one: Any
    if not param.is_tuple:
        one = _of_slot(param.slots[0], param.items)
    elif param.slots[0].name:
        one = {slot.name.lower(): _of_slot(slot, param.items) for slot in param.slots if not slot.optional}
    else:
        one = [_of_slot(slot, param.items) for slot in param.slots]
    return [one] if param.repeatable else one


def _of_slot(slot: Slot, items: str) -> Any:
    if slot.choices:
        return from_text(slot.type, slot.choices[0][0])
    if slot.min or slot.max:
        return from_text(slot.type, slot.min or slot.max)
    if slot.type == "array":
        return [_SAMPLES[items]] if items and items != "array" else "[]"  # published as JSON text
    if slot.path:
        return "path/to/file"
    return _SAMPLES[slot.type]
