"""What one word of a value may be (manifest.md, Param keys): type, choices, range, pattern, path, completion."""

from __future__ import annotations

from kernel.schema_reader import is_param_name
from kernel.schema_values import typed_text
from kernel.spec import Slot
from kernel.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.manifest import Node
    from kernel.schema_reader import Reader

SLOT_KEYS = ("name", "type", "description", "choices", "min", "max", "pattern", "path", "complete", "allow_dash", "optional")
CHOICE_KEYS = ("value", "description")
TYPES = ("string", "int", "number", "bool", "array", "object", "json", "any")
TYPE_NAMES = {"integer": "int", "boolean": "bool", "float": "number"}
PATHS = ("read", "write", "dir", "new")
COMPLETES = ("path", "dir", "host", "user", "tool", "none")


def read_type(reader: Reader, node: Node) -> str:
    """The type a `type` key names; `string` where it names none."""
    if node.kind == "scalar" and node.text in TYPE_NAMES:
        return TYPE_NAMES[node.text]
    if node.kind == "scalar" and node.text in ("flag", "switch"):
        reader.problem(node, f"`type` knows no `{node.text}`", "a flag without a value is `type: bool`")
        return "bool"
    return reader.word(node, "type", TYPES) or "string"


def read_slots(reader: Reader, node: Node, kind: str, allow_dash: bool) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    taken: set[str] = set()
    for entry in reader.sequence(node, "consumes", empty=False):
        fields = reader.fields(entry, SLOT_KEYS, "a slot")
        slot = Slot(type=read_type(reader, fields["type"]) if "type" in fields else kind, allow_dash=allow_dash)
        slots.append(slot)
        if "name" not in fields:
            if entry.kind == "map":
                reader.problem(entry, "a slot has no `name`", "write `{name: NAME, type: TYPE}`")
            continue
        name = fields["name"]
        if name.kind != "scalar" or not is_param_name(name.text):
            reader.unwanted(name, "name", "a word that names the slot (letters, digits, `_`, `-`; no digit first)")
        elif name.text.lower().replace("-", "_") in taken:
            reader.problem(name, f"two slots are called `{name.text}`", "slot names differ in more than case")
        else:
            slot.name = name.text
            taken.add(name.text.lower().replace("-", "_"))
        if "description" in fields:
            slot.description = reader.text(fields["description"], "description", empty=True, lines=True) or ""
        if "optional" in fields:
            slot.optional = reader.flag(fields["optional"], "optional")
        read_slot(reader, fields, slot)
    return tuple(slots) or (Slot(type=kind),)


def read_slot(reader: Reader, fields: dict[str, Node], slot: Slot) -> None:
    """What a param says of its one slot, or a slot of itself: choices, range, pattern, path, complete, allow_dash."""
    kind = slot.type
    if "allow_dash" in fields:
        slot.allow_dash = reader.flag(fields["allow_dash"], "allow_dash")
    if "path" in fields:
        slot.path = reader.word(fields["path"], "path", PATHS) or ""
        if kind not in ("string", "any"):
            reader.problem(fields["path"], f"a `path` is text, not `{kind}`", "leave `type` out")
    if "complete" in fields:
        slot.complete = read_complete(reader, fields["complete"])
    bounds = {}
    for key in ("min", "max"):
        if key in fields:
            if kind not in ("int", "number"):
                reader.problem(
                    fields[key],
                    f"`{key}` needs the type int or number, not `{kind}`",
                    "use `min_items` and `max_items` for counts of entries",
                )
                continue
            text = typed_text(reader, fields[key], kind, key)
            if text is not None:
                bounds[key] = text
    if len(bounds) == 2 and from_text(kind, bounds["min"]) > from_text(kind, bounds["max"]):
        reader.problem(fields["min"], f"`min`, {bounds['min']}, is above `max`, {bounds['max']}", "swap them")
        bounds = {}
    slot.min, slot.max = bounds.get("min", ""), bounds.get("max", "")
    if "pattern" in fields:
        _read_pattern(reader, fields["pattern"], slot)
    if "choices" in fields:
        slot.choices = _read_choices(reader, fields["choices"], kind)


def _read_pattern(reader: Reader, node: Node, slot: Slot) -> None:
    from kernel.pattern import PatternError, read

    if slot.type not in ("string", "any"):
        reader.problem(node, f"`pattern` needs text, not the type `{slot.type}`", "use `min`, `max` or `choices`")
        return
    text = reader.text(node, "pattern", free=True)
    if text is None:
        return
    try:
        read(text)
    except PatternError as error:
        reader.problem(node, error.message, error.hint, start=error.at, width=error.width)
        return
    slot.pattern = text


def _read_choices(reader: Reader, node: Node, kind: str) -> tuple[tuple[str, str], ...]:
    if kind not in ("string", "int", "number", "any"):
        reader.problem(node, f"`choices` need the type string, int or number, not `{kind}`")
        return ()
    choices: list[tuple[str, str]] = []
    values: set[Any] = set()
    for entry in reader.sequence(node, "choices", empty=False):
        value, description = entry, ""
        if entry.kind == "map":
            fields = reader.fields(entry, CHOICE_KEYS, "a choice")
            if "value" not in fields:
                reader.problem(entry, "a choice has no `value`", "write `{value: VALUE, description: TEXT}`")
                continue
            value = fields["value"]
            if "description" in fields:
                description = reader.text(fields["description"], "description", empty=True) or ""
        text = typed_text(reader, value, kind, "choices")
        if text is None:
            continue
        if from_text(kind, text) in values:
            reader.problem(value, f"the choice `{text}` is listed twice", "leave one out")
            continue
        values.add(from_text(kind, text))
        choices.append((text, description))
    return tuple(choices)


def read_complete(reader: Reader, node: Node) -> tuple[str, ...]:
    """`complete`: a kind behind `@`, or plain words."""
    if node.kind == "list":
        return reader.texts(node, "complete")
    kind = reader.word(node, "complete", COMPLETES)
    return (f"@{kind}",) if kind else ()
