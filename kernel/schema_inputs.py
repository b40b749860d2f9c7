"""`input_schema` and `fields` of a manifest: an input schema in the place of `params` (input-schemas.md)."""

from __future__ import annotations

import os

from kernel.errors import Place, Problem
from kernel.input_schema import canonical, faults, json_problem, params_of, pointer_text
from kernel.schema_params import read_effect, read_secret
from kernel.schema_slots import PATHS, read_complete
from kernel.strict_json import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.manifest import Node
    from kernel.schema_reader import Reader
    from kernel.spec import ParamSpec, ToolSpec

FIELD_KEYS = ("path", "allow_dash", "program", "secret", "complete", "effect")
_MAX_BYTES = 1 << 20


def read_input_schema(
    reader: Reader, fields: dict[str, Node], spec: ToolSpec, level: int
) -> tuple[list[ParamSpec], dict[str, Node]]:
    """The params that stand for the schema's properties, and the node each is reported at.

    Sets ``strict``, ``input_schema`` and ``files`` of the spec, and what the schema says of the tool itself.
    """
    node = fields["input_schema"]
    spec.strict = True
    schema = _inline(reader, node) if node.kind == "map" else _file(reader, node, spec)
    if schema is None:
        return [], {}
    spec.input_schema = canonical(schema)
    spec.title = spec.title or schema.get("title", "")
    spec.description = spec.description or schema.get("description", "")
    params = params_of(schema)
    nodes = {}
    for param in params:
        at = _node_at(node, ("properties", param.name)) if node.kind == "map" else node
        nodes[param.name] = at
        param.place = (at.line, at.column)
        param.level = level
    if "fields" in fields:
        _read_fields(reader, fields["fields"], params)
    return params, nodes


def _inline(reader: Reader, node: Node) -> dict[str, Any] | None:
    schema: dict[str, Any] = reader.data(node)
    found = faults(schema)
    for pointer, message, hint in found:
        reader.problem(_node_at(node, pointer), message, hint, code="E-SCHEMA", pointer=pointer_text(pointer))
    return None if found else schema


def _node_at(node: Node, pointer: tuple[str, ...]) -> Node:
    """The key or entry a pointer names, or the nearest one above it."""
    found = node
    for part in pointer:
        if node.kind == "map":
            for key, value in node.items:
                if key.text == part:
                    found, node = key, value
                    break
            else:
                return found
        elif node.kind == "list" and part.isdigit() and int(part) < len(node.items):
            found = node = node.items[int(part)]
        else:
            return found
    return found


def _file(reader: Reader, node: Node, spec: ToolSpec) -> dict[str, Any] | None:
    path = reader.text(node, "input_schema")
    if path is None:
        return None
    base = os.path.realpath(spec.base or os.curdir)
    full = os.path.realpath(os.path.join(base, path))
    if os.path.isabs(path) or not full.startswith(base.rstrip("/") + "/"):
        hint = "write a path relative to the directory that holds `tools.d/`, and below it"
        reader.problem(node, f"the input schema `{path}` lies outside `{base}`", hint, code="E-SCHEMA")
        return None
    spec.files = (full,)
    try:
        with open(full, "rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
        text = data.decode("utf-8")
    except OSError as error:
        reader.problem(
            node, f"the input schema `{path}` cannot be read: {error.strerror}", f"it is looked for at `{full}`", code="E-SCHEMA"
        )
        return None
    except UnicodeDecodeError:
        reader.problem(node, f"the input schema `{path}` is not UTF-8", "save the file as UTF-8", code="E-SCHEMA")
        return None
    if len(data) > _MAX_BYTES:
        reader.problem(node, f"the input schema `{path}` is larger than {_MAX_BYTES >> 20} MiB", code="E-SCHEMA")
        return None
    try:
        schema = loads(text)
    except JsonError as error:
        reader.problems.append(json_problem(error, full, text))
        return None
    found = faults(schema)
    for pointer, message, hint in found:
        where = reader.place(node)
        at = pointer_text(pointer)
        problem = Problem(
            "E-SCHEMA", f"{message}, in `{path}` at `{at}`" if at else f"{message}, in `{path}`", where, hint, pointer=at
        )
        if where is None:
            problem.where = Place(full, 1, 1)
        reader.problems.append(problem)
    return None if found else schema


def _read_fields(reader: Reader, node: Node, params: list[ParamSpec]) -> None:
    """`fields`: what the closed schema cannot say of a property."""
    by_name = {param.name: param for param in params}
    for key, value in reader.pairs(node, "fields"):
        param = by_name.get(key.text)
        if param is None:
            hint, close = reader.near_hint(key.text, by_name)
            reader.problem(key, f"`fields` names `{key.text}`, which is no property of the input schema", hint, near=close)
            continue
        said = reader.fields(value, FIELD_KEYS, "a field")
        slot = param.slots[0]
        if "path" in said:
            slot.path = reader.word(said["path"], "path", PATHS) or ""
            if slot.type != "string":
                reader.problem(said["path"], f"a `path` is a string, not `{slot.type}`")
        if "allow_dash" in said:
            slot.allow_dash = reader.flag(said["allow_dash"], "allow_dash")
        if "program" in said:
            param.program = reader.flag(said["program"], "program")
        if "secret" in said:
            param.secret = read_secret(reader, said["secret"])
        if "complete" in said:
            slot.complete = read_complete(reader, said["complete"])
        if "effect" in said:
            param.effects = read_effect(reader, said["effect"])
