"""Input schemas (input-schemas.md): closed flat JSON Schemas in the place of `params`, the founding contract."""

from __future__ import annotations

from kernel import spellings, strict_json
from kernel.errors import KernelError, Place, Problem
from kernel.spec import ParamSpec, Slot, ToolSpec
from kernel.template import Hole, TemplateError, is_name, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any

    Pointer = tuple[str, ...]
    Fault = tuple[Pointer, str, str]  # where in the schema, one sentence, hint

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ROOT_KEYS = ("$schema", "$comment", "title", "description", "type", "properties", "required", "additionalProperties")
PROPERTY_KEYS = ("$comment", "title", "description", "type")
TYPES = {"string": "string", "number": "number", "integer": "int", "boolean": "bool"}
_ANNOTATIONS = ("$comment", "title", "description")


# The schema


def faults(schema: Any) -> list[Fault]:
    """Everything that keeps a value from being a closed flat schema, in the order of its keys."""
    if not isinstance(schema, dict):
        return [((), "an input schema is a JSON object", 'write {"type": "object", "properties": {…}, …}')]
    found: list[Fault] = []
    for key, value in schema.items():
        if key not in ROOT_KEYS:
            found.append(
                ((key,), f"an input schema has no keyword `{key}`", f"it has {', '.join([f'`{known}`' for known in ROOT_KEYS])}")
            )
        elif key in _ANNOTATIONS and not isinstance(value, str):
            found.append(((key,), f"`{key}` wants a string", ""))
    if schema.get("$schema", DIALECT) != DIALECT:
        found.append((("$schema",), f"`$schema` is not `{DIALECT}`", "write exactly that, or leave it out"))
    if schema.get("type") != "object":
        found.append((("type",), "`type` of an input schema must be `object`", 'write "type": "object"'))
    if schema.get("additionalProperties") is not False:
        found.append((("additionalProperties",), "`additionalProperties` must be `false`", 'write "additionalProperties": false'))
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        found.append(
            (("properties",), "`properties` must be an object", 'write "properties": {…}, with one property per placeholder')
        )
        return found
    for name, value in properties.items():
        found += _property_faults(name, value)
    found += _required_faults(schema, list(properties))
    return found


def _property_faults(name: str, value: Any) -> list[Fault]:
    at = ("properties", name)
    if not is_name(name):
        return [
            (
                at,
                f"the property `{name}` has no name that a placeholder can have",
                "a name has 1 to 128 of the characters A-Z a-z 0-9 `.` `_` `-`",
            )
        ]
    if not isinstance(value, dict):
        return [(at, f"the property `{name}` must be an object", 'write {"type": "string"}')]
    found: list[Fault] = []
    for key, content in value.items():
        if key not in PROPERTY_KEYS:
            hint = f"a property has {', '.join([f'`{known}`' for known in PROPERTY_KEYS])}; use `params` for more"
            found.append(((*at, key), f"the property `{name}` has the keyword `{key}`", hint))
        elif key in _ANNOTATIONS and not isinstance(content, str):
            found.append(((*at, key), f"`{key}` of the property `{name}` wants a string", ""))
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        found.append(((*at, "type"), f"`type` of the property `{name}` must be string, number, integer or boolean", ""))
    return found


def _required_faults(schema: dict[str, Any], names: list[str]) -> list[Fault]:
    if "required" not in schema:
        return [(("required",), "`required` is missing", "list every property once")] if names else []
    required = schema["required"]
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return [(("required",), "`required` must be a list of property names", "list every property once")]
    found: list[Fault] = []
    for index, name in enumerate(required):
        if name not in names:
            found.append(
                (
                    ("required", str(index)),
                    f"`required` names `{name}`, which is no property",
                    "add the property, or leave the name out",
                )
            )
        elif name in required[:index]:
            found.append((("required", str(index)), f"`required` names `{name}` twice", "list every property once"))
    missing = [name for name in names if name not in required]
    if missing:
        found.append((("required",), f"`required` does not name {_listed(missing)}", "every property is required; list each once"))
    return found


def infer(names: Iterable[str]) -> dict[str, Any]:
    """The schema of a template without one: each placeholder is a required string, in order of first use."""
    unique = list(dict.fromkeys(names))
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in unique},
        "required": unique,
        "additionalProperties": False,
    }


def canonical(schema: dict[str, Any]) -> str:
    """A checked schema on one line: keywords in one order, properties and `required` as listed."""
    ordered = {key: schema[key] for key in ROOT_KEYS if key in schema}
    properties = schema["properties"]
    ordered["properties"] = {
        name: {key: content[key] for key in PROPERTY_KEYS if key in content} for name, content in properties.items()
    }
    return strict_json.dumps(ordered)


def published(spec: ToolSpec) -> str:
    """The schema that a tool with an input schema publishes: canonical JSON on one line, never the raw file text."""
    return spec.input_schema


def params_of(schema: dict[str, Any]) -> list[ParamSpec]:
    """The params that stand for a checked schema's properties ("From words"): each a required flag."""
    properties = schema["properties"]
    taken = {f"--{name}" for name in properties}
    params = []
    for name, content in properties.items():
        spelled = []
        for spelling in spellings.of_property(name):
            if spelling == f"--{name}" or spelling not in taken:
                spelled.append(spelling)
                taken.add(spelling)
        description = content.get("description") or content.get("title") or ""
        params.append(
            ParamSpec(
                name=name,
                description=description,
                slots=(Slot(type=TYPES[content["type"]]),),
                required=True,
                spellings=tuple(spelled),
            )
        )
    return params


def contract_faults(named: Collection[str], properties: Collection[str]) -> list[tuple[str, str, str]]:
    """(property or placeholder, message, hint) where placeholders and properties are not the same set."""
    found = []
    for name in named:
        if name not in properties:
            found.append(
                (
                    name,
                    f"the placeholder `{{{name}}}` is no property of the input schema",
                    "add it to `properties` and `required`, or write `{{` for a brace",
                )
            )
    for name in properties:
        if name not in named:
            found.append(
                (
                    name,
                    f"the property `{name}` is used by no argument",
                    f"write `{{{name}}}` where its value belongs, or leave the property out",
                )
            )
    return found


# The door of `--exec`


def ad_hoc(argv: Sequence[str], schema: str | None, allow_dash: Iterable[str] = ()) -> ToolSpec:
    """The tool of `kernel call --exec COMMAND ARG…`: argv[0] is the command, the rest are templates.

    ``schema`` is the JSON text of the input schema; None infers one. ``allow_dash`` names fields the dash guard
    lets through. Raises KernelError: E-SCHEMA, E-TEMPLATE, E-JSON, all breaches together.
    """
    if not argv or not argv[0]:
        raise KernelError([Problem("E-TEMPLATE", "there is no command to run", None, "write it behind `--exec`")])
    problems: list[Problem] = []
    items, named = _items(argv[1:], problems)
    read = infer(named) if schema is None else _read(schema, problems)
    if read is None or problems:
        raise KernelError(problems)
    problems += [
        Problem("E-SCHEMA", message, None, hint, field=name) for name, message, hint in contract_faults(named, read["properties"])
    ]
    params = params_of(read)
    by_name = {param.name: param for param in params}
    for field in allow_dash:
        if field in by_name:
            by_name[field].slots = (Slot(type=by_name[field].type, allow_dash=True),)
        else:
            problems.append(
                Problem(
                    "E-SCHEMA",
                    f"`--allow-dash` names `{field}`, which is no field",
                    None,
                    f"the fields are {_listed(by_name)}" if by_name else "",
                    field=field,
                )
            )
    if problems:
        raise KernelError(problems)
    name = argv[0].rstrip("/").rpartition("/")[2] or argv[0]
    flags, negations = spellings.tables(params)
    return ToolSpec(
        name=name,
        path=(name,),
        title=read.get("title", ""),
        description=read.get("description", ""),
        params=tuple(params),
        spellings=flags,
        negations=negations,
        strict=True,
        exec=tuple(items),
        has_exec=True,
        program=argv[0],
        input_schema=canonical(read),
    )


def _items(arguments: Sequence[str], problems: list[Problem]) -> tuple[list[Any], list[str]]:
    """Compiled items, and the placeholders' names in order of first use."""
    items: list[Any] = []
    named: dict[str, None] = {}
    for index, text in enumerate(arguments):
        try:
            parts = parse(text, extended=False)
        except TemplateError as error:
            where = Place(f"argument {index + 1}", 1, error.start + 1, text, max(error.width, 1))
            problems.append(Problem("E-TEMPLATE", error.message, where, error.hint))
            continue
        named.update(dict.fromkeys([part.name for part in parts if isinstance(part, Hole)]))
        items.append(("text", tuple([(part.name, -1) if isinstance(part, Hole) else part for part in parts])))
    return items, list(named)


def _read(text: str, problems: list[Problem]) -> dict[str, Any] | None:
    """A schema's JSON text; None with problems."""
    try:
        read = strict_json.loads(text)
    except strict_json.JsonError as error:
        problems.append(json_problem(error, "the input schema", text))
        return None
    found = faults(read)
    problems += [Problem("E-SCHEMA", message, None, hint, pointer=pointer_text(pointer)) for pointer, message, hint in found]
    return None if found else read


def json_problem(error: strict_json.JsonError, file: str, text: str) -> Problem:
    """A schema's text that is not strict JSON, with the line it breaks in."""
    lines = text.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    return Problem("E-SCHEMA", f"an input schema is strict JSON: {error.message}", Place(file, error.line, error.column, line))


def pointer_text(pointer: Pointer) -> str:
    """A JSON pointer (RFC 6901), "" for the root."""
    return "".join(["/" + part.replace("~", "~0").replace("/", "~1") for part in pointer])


def _listed(names: Iterable[str]) -> str:
    return ", ".join([f"`{name}`" for name in names])
