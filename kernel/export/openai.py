"""Tools as OpenAI's APIs take them: `tools` of Chat Completions; ``Strict`` is for `strict: true` (Structured Outputs).

Both read no regular expression that looks around, and get a value of any JSON type as text, so that one reader of
calls (``given``) does for both. Strict schemas require every property, and know neither defaults nor open objects.
"""

from __future__ import annotations

from kernel.export.json_schema import Writer, published_name
from kernel.export.words import annotation, looks_around, matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.export.json_schema import Schema
    from kernel.spec import ParamSpec, Slot, ToolSpec


class Lenient(Writer):
    """Schemas of functions without `strict`."""

    as_text = frozenset({"json"})

    def limited(self, found: Schema, slot: Slot) -> list[str]:
        """All but patterns that look around."""
        said = super().limited(found, slot)
        if looks_around(slot.pattern):
            del found["pattern"]
            said.append(matching(slot))
        return said


class Strict(Lenient):
    """Schemas of functions with `strict`."""

    as_text = frozenset({"json", "object"})

    def given(self, schema: Schema) -> Schema:
        """An input schema is strict already, but for keywords about itself."""
        properties = {name: _without_comments(shape) for name, shape in schema["properties"].items()}
        return self.closed(properties, list(properties))

    def closed(self, properties: dict[str, Schema], required: list[str]) -> Schema:
        """Every property is required."""
        return super().closed(properties, list(properties))

    def optional(self, schema: Schema) -> Schema:
        """What may be left out may be null."""
        if schema["type"] in ("object", "array"):
            described = {key: value for key, value in schema.items() if key == "description"}
            bare = {key: value for key, value in schema.items() if key != "description"}
            return {"anyOf": [bare, {"type": "null"}], **described}
        choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [schema["type"], "null"], **choices}

    def annotated(self, found: Schema, param: ParamSpec) -> list[str]:
        """Default and deprecation have no keyword."""
        return annotation(self, param)


def _without_comments(shape: Schema) -> Schema:
    return {key: value for key, value in shape.items() if key in ("type", "description")}


LENIENT, STRICT = Lenient(), Strict()


def tool(spec: ToolSpec) -> dict[str, Any]:
    """An entry of `tools`."""
    return {"type": "function", "function": _function(spec, LENIENT)}


def strict_tool(spec: ToolSpec) -> dict[str, Any]:
    """An entry of `tools` whose calls are made to fit its schema."""
    return {"type": "function", "function": {**_function(spec, STRICT), "strict": True}}


def _function(spec: ToolSpec, writer: Writer) -> dict[str, Any]:
    return {"name": published_name(spec), "description": writer.description(spec), "parameters": writer.root(spec)}
