"""A tool's arguments as JSON Schema 2020-12 (serving.md): a closed root object with one property per param.

``Writer`` writes what MCP and Anthropic take; a dialect that takes less is a class of its own that says it otherwise.
"""

from __future__ import annotations

from kernel import strict_json
from kernel.export import rules
from kernel.input_schema import DIALECT
from kernel.spec import ParamSpec, Slot, ToolSpec
from kernel.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from kernel.bound import Bound

    Schema = dict[str, Any]

_TYPES = {"string": "string", "int": "integer", "number": "number", "bool": "boolean", "object": "object"}


class Writer:
    """Writes schemas. ``as_text`` are the types that the dialect gets as a string that holds their JSON text."""

    as_text: frozenset[str] = frozenset()

    # What dialects change

    def key(self, name: str) -> str:
        """The property's name."""
        return name

    def given(self, schema: Schema) -> Schema:
        """An input schema, which is published as it was given, canonically."""
        return schema

    def closed(self, properties: dict[str, Schema], required: list[str]) -> Schema:
        """An object of exactly these properties."""
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def limited(self, found: Schema, slot: Slot) -> list[str]:
        """Adds the keywords of a slot's limits (T2); returns in sentences what has none."""
        if slot.choices:
            found["enum"] = [from_text(slot.type, text) for text, _ in slot.choices]
        if slot.min:
            found["minimum"] = from_text("number", slot.min)
        if slot.max:
            found["maximum"] = from_text("number", slot.max)
        if slot.pattern:
            found["pattern"] = f"^(?:{slot.pattern})$"
        return []

    def optional(self, schema: Schema) -> Schema:
        """The schema of a value that may be left out."""
        return schema

    def annotated(self, found: Schema, param: ParamSpec) -> list[str]:
        """Adds a default and a deprecation; returns in sentences what has no keyword."""
        if param.default is not None:
            found["default"] = self.written(param, param.default)
        if param.deprecated:
            found["deprecated"] = True
        return []

    # What they share

    def description(self, spec: ToolSpec) -> str:
        """The tool's description, and the rules between its params."""
        said = rules.of_tool(spec, self.key)
        if spec.input_schema:  # which has no place for them
            risks = rules.dash_risks(spec)
            for param in spec.params:
                said += [
                    f"`{param.name}`: {rule}" for rule in rules.of_slot(spec, param.slots[0], at_risk=(param.name, 0) in risks)
                ]
        return rules.sentences([spec.description, *said])

    def root(self, spec: ToolSpec) -> Schema:
        """The root object: type, properties, required, additionalProperties."""
        if spec.input_schema:
            return self.given(strict_json.loads(spec.input_schema, exact=True))
        risks = rules.dash_risks(spec)
        properties: dict[str, Schema] = {}
        required = []
        for param in spec.params:
            if param.hidden:
                continue
            found = self.param(param, spec, {at for name, at in risks if name == param.name})
            if param.required and not param.env:
                required.append(self.key(param.name))
            else:
                found = self.optional(found)
            properties[self.key(param.name)] = found
        return self.closed(properties, required)

    def param(self, param: ParamSpec, spec: ToolSpec, risks: Collection[int] = ()) -> Schema:
        """The schema of one param's value; ``risks`` are its slots that the dash guard may refuse."""
        said = [param.description]
        if param.is_tuple:
            found = self.tuple(param, spec, risks)
        else:
            found = self.slot(param.slots[0], spec, items=param.items, at_risk=0 in risks)
            if param.count:
                found = {"type": "integer", "minimum": 0, **found}
            if not param.repeatable:
                said.append(found.pop("description", ""))
        said += _choices(param.slots)
        if param.repeatable:
            found = {"type": "array", "items": found}
        least = 1 if param.repeatable and param.required and not param.env else -1  # an empty list is "not given"
        counted = {"minItems": max(least, param.min_items), "maxItems": param.max_items}
        limits = {key: value for key, value in counted.items() if value >= 0}
        if found.get("type") == "array":
            found.update(limits)
        else:
            said += [f"{'At least' if key == 'minItems' else 'At most'} {value} entries." for key, value in limits.items()]
        said += rules.of_param(param, self.key)
        said += self.annotated(found, param)
        return _described(found, said)

    def tuple(self, param: ParamSpec, spec: ToolSpec, risks: Collection[int]) -> Schema:
        """An N-tuple: an object of its slot names, or an array where slots have none and are all alike."""
        slots = param.slots
        shapes = [self.slot(slot, spec, items=param.items, at_risk=at in risks) for at, slot in enumerate(slots)]
        if not slots[0].name:
            return {"type": "array", "items": shapes[0], "minItems": len(slots), "maxItems": len(slots)}
        properties = {}
        for slot, shape in zip(slots, shapes):
            shape = _described(shape, [slot.description, shape.pop("description", "")])
            properties[self.key(slot.name.lower())] = self.optional(shape) if slot.optional else shape
        return self.closed(properties, [self.key(slot.name.lower()) for slot in slots if not slot.optional])

    def slot(self, slot: Slot, spec: ToolSpec, *, items: str = "", at_risk: bool = False) -> Schema:
        """The schema of one word's value; ``items`` is the element type of an `array`."""
        found: Schema = {}
        said = []
        kind = slot.type
        if kind == "array" and items and items != "array" and items not in self.as_text:
            found = {"type": "array", "items": self.slot(Slot(type=items), spec)}
        elif kind == "array" or kind in self.as_text:
            found = {"type": "string"}
            what = {"array": f" of an array{_of(items)}", "object": " of an object"}.get(kind, "")
            said.append(f"JSON text{what}.")
        elif kind in _TYPES:
            found = {"type": _TYPES[kind]}
        elif kind == "any" and (slot.choices or slot.pattern or "json" in self.as_text):
            found = {"type": "string"}
        said += self.limited(found, slot)
        said += rules.of_slot(spec, slot, at_risk=at_risk)
        return _described(found, said)

    def written(self, param: ParamSpec, texts: Any) -> Any:
        """A value, known by its texts, in the shape that the schema describes."""
        if param.repeatable:
            return [self._entry(param, entry) for entry in texts]
        return self._entry(param, texts)

    def _entry(self, param: ParamSpec, entry: Any) -> Any:
        if param.count:
            return from_text("int", entry)
        if not param.is_tuple:
            return self._value(param.slots[0], entry, param.items)
        values = [self._value(slot, text, param.items) for slot, text in zip(param.slots, entry)]
        if param.slots[0].name:
            return {self.key(slot.name.lower()): value for slot, value in zip(param.slots, values)}
        return values

    def _value(self, slot: Slot, text: str, items: str = "") -> Any:
        as_text = slot.type in self.as_text or (slot.type == "array" and (items in ("", "array") or items in self.as_text))
        return text if as_text else from_text(slot.type, text)


def _of(items: str) -> str:
    return f" of {'arrays' if items == 'array' else 'objects'}" if items in ("array", "object") else ""


def _choices(slots: Iterable[Slot]) -> list[str]:
    """What choices mean, for which enum has no place."""
    told = [[f"{text}: {description}" for text, description in slot.choices if description] for slot in slots]
    return ["; ".join(texts) for texts in told if texts]


def _described(schema: Schema, said: Iterable[str]) -> Schema:
    text = rules.sentences(said)
    return {**schema, "description": text} if text else schema


PLAIN = Writer()


def arguments(spec: ToolSpec) -> Schema:
    """The schema of the arguments, by itself."""
    if spec.input_schema:
        return PLAIN.root(spec)
    described = PLAIN.description(spec)
    about = {"title": spec.title or spec.full_name, **({"description": described} if described else {})}
    return {"$schema": DIALECT, **about, **PLAIN.root(spec)}


def root(spec: ToolSpec) -> Schema:
    """The root object alone."""
    return PLAIN.root(spec)


def canonical(bound: Bound) -> dict[str, Any]:
    """A call's arguments as ``arguments`` describes them: what was given in words, JSON or a variable, secrets masked."""
    found = {}
    for param in bound.spec.params:
        if bound.origins.get(param.name, "default") != "default":
            found[param.name] = "***" if param.secret else PLAIN.written(param, bound.texts[param.name])
    return found


def published_name(spec: ToolSpec) -> str:
    """The name at JSON doors: `git_log` (S4)."""
    return "_".join(spec.path or (spec.name,))


def mcp_tool(spec: ToolSpec) -> Schema:
    """The tool as `tools/list` of MCP shows it; annotations follow from the effect."""
    found: Schema = {"name": published_name(spec)}
    if spec.title:
        found["title"] = spec.title
    found["description"] = PLAIN.description(spec)
    found["inputSchema"] = PLAIN.root(spec)
    found["annotations"] = {
        "readOnlyHint": spec.effect == "read",
        "destructiveHint": spec.effect == "destructive",
        "idempotentHint": spec.effect == "read",
        "openWorldHint": True,
    }
    return found
