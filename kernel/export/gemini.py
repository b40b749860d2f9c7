"""Tools as the Gemini API takes them: `functionDeclarations` whose `parameters` are its own subset of OpenAPI's schemas.

A field that the subset does not know makes it refuse the request, as do an object without properties, a value without
a type, choices that are no text, and names with other characters than letters, digits and `_`.
"""

from __future__ import annotations

from kernel.export.json_schema import Writer, published_name
from kernel.export.words import annotation, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.export.json_schema import Schema
    from kernel.spec import ParamSpec, Slot, ToolSpec


class Subset(Writer):
    """Schemas of function declarations."""

    as_text = frozenset({"json", "object"})

    def key(self, name: str) -> str:
        """Names with `_` for `-`, which the kernel reads alike (N5)."""
        return name.replace("-", "_")

    def given(self, schema: Schema) -> Schema:
        """The keywords of an input schema that the subset has."""
        kept = ("type", "title", "description")
        properties = {
            name: {key: value for key, value in shape.items() if key in kept} for name, shape in schema["properties"].items()
        }
        return self.closed(properties, schema.get("required", []))

    def closed(self, properties: dict[str, Schema], required: list[str]) -> Schema:
        """There is no word for `closed`; what is not declared is refused by the kernel."""
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def limited(self, found: Schema, slot: Slot) -> list[str]:
        """Choices are texts."""
        said = super().limited(found, slot)
        if slot.choices and slot.type in ("int", "number"):
            del found["enum"]
            said.append(listed(slot))
        return said

    def annotated(self, found: Schema, param: ParamSpec) -> list[str]:
        """Default and deprecation have no field."""
        return annotation(self, param)


SUBSET = Subset()


def tool(spec: ToolSpec) -> dict[str, Any]:
    """An entry of `functionDeclarations`; one without arguments has no `parameters`."""
    found: dict[str, Any] = {"name": published_name(spec), "description": SUBSET.description(spec)}
    parameters = SUBSET.root(spec)
    if parameters["properties"]:
        found["parameters"] = parameters
    return found
