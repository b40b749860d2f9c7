"""The JSON Schema of arguments: valid, closed, and in agreement with what the JSON door binds."""

from __future__ import annotations

from typing import Any

import pytest
from call_case import call, params
from jsonschema import Draft202012Validator

from kernel import line, locate, store
from kernel.bind_json import bind_mapping
from kernel.export import json_schema
from kernel.export.rules import sentences
from kernel.spec import ParamSpec, ToolSpec

SHIPPED = locate.scan([locate.Directory(locate.shipped_directory(), "shipped")])


def leaves(spec: ToolSpec) -> list[ToolSpec]:
    found = [leaf for packed in spec.children for leaf in leaves(ToolSpec.unpack(packed))]
    return [*([spec] if spec.has_exec or spec.builtin else []), *found]


def keys(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        return set(schema).union(*[keys(value) for value in schema.values()])
    return set().union(*[keys(value) for value in schema]) if isinstance(schema, list) else set()


def named(param: ParamSpec, value: Any) -> Any:
    """An N-tuple as the object that the schema asks for."""
    if not param.is_tuple or not all(slot.name for slot in param.slots):
        return value
    entries = value if param.repeatable else [value]
    shaped = [{slot.name.lower(): part for slot, part in zip(param.slots, entry)} for entry in entries]
    return shaped if param.repeatable else shaped[0]


@pytest.mark.parametrize("found", SHIPPED, ids=lambda found: found.name)
def test_shipped_tools(found: locate.Found) -> None:
    root = store.compile(found)
    for spec in leaves(root):
        schema = json_schema.arguments(spec)
        Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert not {"anyOf", "oneOf", "allOf", "prefixItems", "$ref"} & keys(schema)
        validator = Draft202012Validator(schema)
        for example in spec.examples:
            bound = call(root, list(example["run"][1:]))
            if bound.spec.path != spec.path or any(param.hidden and bound.has(param.name) for param in spec.params):
                continue
            arguments = {name: named(spec.param(name) or ParamSpec(), value) for name, value in line.mapping(bound).items()}
            validator.validate(arguments)
            given = {name: bound.values[name] for name, origin in bound.origins.items() if origin == "argv"}
            assert bind_mapping(bound.spec, arguments).values == given


@pytest.mark.parametrize(
    ("param", "schema"),
    [
        ("name: a", {"type": "string"}),
        ("name: a, type: any", {}),
        ("name: a, type: json", {}),
        ("name: a, type: object", {"type": "object"}),
        ("name: a, type: array", {"type": "string", "description": "JSON text of an array."}),
        ("name: a, type: array, items: int, max_items: 3", {"type": "array", "items": {"type": "integer"}, "maxItems": 3}),
        ("name: a, type: bool", {"type": "boolean"}),
        ("name: a, type: bool, count: true", {"type": "integer", "minimum": 0}),
        ("name: a, type: number, min: 0.5, max: 2", {"type": "number", "minimum": 0.5, "maximum": 2}),
        ("name: a, type: int, choices: [1, 2]", {"type": "integer", "enum": [1, 2]}),
        ("name: a, choices: [{value: x, description: X}, y]", {"type": "string", "enum": ["x", "y"], "description": "x: X"}),
        ("name: a, pattern: 'x|y'", {"type": "string", "pattern": "^(?:x|y)$"}),
        ("name: a, repeatable: true, min_items: 1", {"type": "array", "items": {"type": "string"}, "minItems": 1}),
        ("name: a, default: x, deprecated: no", {"type": "string", "default": "x", "deprecated": True}),
        (
            "name: a, consumes: 2",
            {"type": "array", "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}},
        ),
        (
            "name: a, consumes: [{name: K}, {name: V, type: int}], repeatable: false, default: [x, 1]",
            {
                "type": "object",
                "properties": {"k": {"type": "string"}, "v": {"type": "integer"}},
                "required": ["k", "v"],
                "additionalProperties": False,
                "default": {"k": "x", "v": 1},
            },
        ),
    ],
)
def test_params(param: str, schema: dict[str, Any]) -> None:
    spec = params(param.replace("deprecated: no", "deprecated: 'no'"))
    assert json_schema.PLAIN.param(spec.params[0], spec) == schema


def test_required_and_hidden() -> None:
    spec = params("name: a, required: true", "name: b", "name: c, hidden: true")
    root = json_schema.root(spec)
    assert (list(root["properties"]), root["required"]) == (["a", "b"], ["a"])


def test_mcp() -> None:
    spec = params("name: a", effect="destructive", description="Do.", title="Doer")
    tool = json_schema.mcp_tool(spec)
    assert (tool["name"], tool["title"], tool["description"]) == ("t", "Doer", "Do.")
    assert tool["annotations"] == {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}


def test_a_description_without_a_period_gets_one_before_the_rules() -> None:
    assert sentences(["many", "", "At most one of `a`, `b`.", "More"]) == "many. At most one of `a`, `b`. More"
    assert sentences([]) == ""
    assert sentences(["(An aside.)", "More."]) == "(An aside.) More."
    assert sentences(["One of:", "a; b"]) == "One of: a; b"
