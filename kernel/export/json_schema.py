"""A tool's arguments as JSON Schema 2020-12 (serving.md): a closed root object with one property per param."""

from __future__ import annotations

from kernel import strict_json
from kernel.spec import ParamSpec, Slot, ToolSpec
from kernel.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {"string": "string", "int": "integer", "number": "number", "bool": "boolean", "object": "object"}


def arguments(spec: ToolSpec) -> dict[str, Any]:
    """The schema of the arguments; an input schema is published as it was given, canonically."""
    if spec.input_schema:
        given: dict[str, Any] = strict_json.loads(spec.input_schema, exact=True)
        return given
    about = {"title": spec.title or spec.full_name, **({"description": spec.description} if spec.description else {})}
    return {"$schema": DIALECT, **about, **root(spec)}


def root(spec: ToolSpec) -> dict[str, Any]:
    """The root object alone: type, properties, required, additionalProperties."""
    if spec.input_schema:
        return arguments(spec)
    shown = [param for param in spec.params if not param.hidden]
    return {
        "type": "object",
        "properties": {param.name: of_param(param) for param in shown},
        "required": [param.name for param in shown if param.required],
        "additionalProperties": False,
    }


def mcp_tool(spec: ToolSpec) -> dict[str, Any]:
    """The tool as `tools/list` of MCP shows it; annotations follow from the effect."""
    found: dict[str, Any] = {"name": "_".join(spec.path or (spec.name,))}
    if spec.title:
        found["title"] = spec.title
    found["description"] = spec.description
    found["inputSchema"] = root(spec)
    found["annotations"] = {
        "readOnlyHint": spec.effect == "read",
        "destructiveHint": spec.effect == "destructive",
        "idempotentHint": spec.effect == "read",
        "openWorldHint": True,
    }
    return found


def of_param(param: ParamSpec) -> dict[str, Any]:
    """The schema of one param's value."""
    found = _tuple(param) if param.is_tuple else of_slot(param.slots[0], param.items)
    if param.count:
        found = {"type": "integer", "minimum": 0}
    items = {"minItems": param.min_items, "maxItems": param.max_items}
    limits = {key: value for key, value in items.items() if value >= 0}
    if param.repeatable:
        found = {"type": "array", "items": found, **limits}
    elif found.get("type") == "array" and not param.is_tuple:
        found.update(limits)
    said = _said(param, found)
    if said:
        found = {**found, "description": said}
    if param.default is not None:
        found["default"] = _default(param, param.default)
    if param.deprecated:
        found["deprecated"] = True
    return found


def _said(param: ParamSpec, found: dict[str, Any]) -> str:
    """The param's description with what the schema's keywords cannot say."""
    parts = [param.description] if param.description else []
    for slot in param.slots:
        told = [f"{text}: {description}" for text, description in slot.choices if description]
        if told:
            parts.append("; ".join(told))
    if param.type in ("array",) and not param.items and not param.is_tuple:
        parts.append("JSON text of an array.")
    return " ".join(parts)


def _tuple(param: ParamSpec) -> dict[str, Any]:
    """An N-tuple: an object of its slot names, or an array where slots have none."""
    slots = param.slots
    if all(slot.name for slot in slots):
        return {
            "type": "object",
            "properties": {slot.name.lower(): _named(slot) for slot in slots},
            "required": [slot.name.lower() for slot in slots if not slot.optional],
            "additionalProperties": False,
        }
    shapes = [of_slot(slot) for slot in slots]
    least = len([slot for slot in slots if not slot.optional])
    one = shapes[0] if all(shape == shapes[0] for shape in shapes) else {}
    return {"type": "array", "items": one, "minItems": least, "maxItems": len(slots)}


def _named(slot: Slot) -> dict[str, Any]:
    found = of_slot(slot)
    return {**found, "description": slot.description} if slot.description else found


def of_slot(slot: Slot, items: str = "") -> dict[str, Any]:
    """The schema of one word's value; ``items`` is the element type of an `array`."""
    if slot.type == "array":
        found: dict[str, Any] = {"type": "array", "items": of_slot(Slot(type=items))} if items else {"type": "string"}
    elif slot.type in _TYPES:
        found = {"type": _TYPES[slot.type]}
    else:
        found = {}  # json and any: whatever JSON there is
    if slot.choices:
        found["enum"] = [from_text(slot.type, text) for text, _ in slot.choices]
    if slot.min:
        found["minimum"] = from_text("number", slot.min)
    if slot.max:
        found["maximum"] = from_text("number", slot.max)
    if slot.pattern:
        found["pattern"] = f"^(?:{slot.pattern})$"
    return found


def _default(param: ParamSpec, default: Any) -> Any:
    """A default in the shape that the schema describes."""
    if param.repeatable:
        return [_entry(param, entry) for entry in default]
    return _entry(param, default)


def _entry(param: ParamSpec, entry: Any) -> Any:
    if param.count:
        return from_text("int", entry)
    if not param.is_tuple:
        slot = param.slots[0]
        return entry if slot.type == "array" and not param.items else from_text(slot.type, entry)
    values = [from_text(slot.type, text) for slot, text in zip(param.slots, entry)]
    if all(slot.name for slot in param.slots):
        return {slot.name.lower(): value for slot, value in zip(param.slots, values)}
    return values
