"""Values written in a manifest (defaults, choices, bare meanings), typed, checked and kept as texts (manifest.md, Param keys)."""

from __future__ import annotations

from kernel.values import KINDS, Unreadable, from_text, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.manifest import Node
    from kernel.schema_reader import Reader
    from kernel.spec import ParamSpec, Slot


def json_text(node: Node) -> str:
    """A node as JSON text; numbers keep the digits they are written with where JSON allows them."""
    from kernel import strict_json

    if node.kind == "map":
        return "{" + ",".join([f"{strict_json.dumps(key.text)}:{json_text(value)}" for key, value in node.items]) + "}"
    if node.kind == "list":
        return "[" + ",".join([json_text(entry) for entry in node.items]) + "]"
    if node.sort == "float":
        try:
            strict_json.loads(node.text)
        except strict_json.JsonError:
            return to_text(node.value)
        return str(node.text)
    return strict_json.dumps(node.value)


def typed_text(reader: Reader, node: Node, kind: str, key: str) -> str | None:
    """The text of one value of a type, None (reported) where the node is no such value."""
    wanted = KINDS[kind][0]
    if kind == "json":
        return json_text(node)
    if kind in ("string", "any"):
        return reader.text(node, key, empty=True, free=True)
    if node.kind != "scalar":
        if node.kind == {"array": "list", "object": "map"}.get(kind):
            return json_text(node)
        reader.unwanted(node, key, wanted)
        return None
    try:
        from_text(kind, node.text)
    except Unreadable as error:
        reader.unwanted(node, key, wanted, error.note)
        return None
    return str(node.text)


def slot_fault(slot: Slot, text: str) -> str:
    """Why a text of the slot's type is refused by choices, range or pattern (T2); "" when it is not."""
    if slot.choices or slot.min or slot.max:
        value = from_text(slot.type, text)
        if slot.choices and not any(from_text(slot.type, choice) == value for choice, _ in slot.choices):
            return "is not among the `choices`"
        if slot.min and value < from_text(slot.type, slot.min):
            return f"is below `min`, {slot.min}"
        if slot.max and value > from_text(slot.type, slot.max):
            return f"is above `max`, {slot.max}"
    if slot.pattern:
        from kernel.pattern_match import matches

        if not matches(slot.pattern, text):
            return f"does not match the pattern `{slot.pattern}`"
    return ""


def word(reader: Reader, node: Node, slot: Slot, key: str) -> str | None:
    """One slot's value, judged like a given one."""
    if slot.type == "bool" and node.kind == "scalar" and not node.plain and node.text in ("true", "false"):
        reader.unwanted(node, key, f"{KINDS['bool'][0]}, not text", "write it without quotes")
        return None
    text = typed_text(reader, node, slot.type, key)
    if text is None:
        return None
    fault = slot_fault(slot, text)
    if fault:
        choices = [choice for choice, _ in slot.choices]
        hint = reader.near_hint(text, choices)[0] if choices else ""
        reader.problem(node, f"the value `{text}` of `{key}` {fault}", hint)
        return None
    return text


def occurrence(reader: Reader, node: Node, param: ParamSpec, key: str) -> Any:
    """One occurrence: a text, or for an N-tuple the list of its slots' texts."""
    if not param.is_tuple:
        text = word(reader, node, param.slots[0], key)
        if text is not None and param.delimiter and (not text or param.delimiter in text):
            reader.problem(
                node, f"an entry of `{key}` is empty or holds the delimiter `{param.delimiter}`", "write one entry per list item"
            )
            return None
        return text
    most = len(param.slots)
    least = len([slot for slot in param.slots if not slot.optional])
    count = f"{most}" if least == most else f"{least} to {most}"
    if node.kind != "list" or not least <= len(node.items) <= most:
        got = f"{len(node.items)} values" if node.kind == "list" else reader.shown(node)
        reader.problem(
            node, f"`{key}` wants a list of {count} values for `{param.name}`, got {got}", wanted=f"a list of {count} values"
        )
        return None
    texts = [word(reader, entry, slot, key) for entry, slot in zip(node.items, param.slots)]
    if None in texts:
        return None
    if param.split:
        for entry, text in list(zip(node.items, texts))[: most - 1]:
            if text is not None and param.split in text:
                reader.problem(entry, f"the value `{text}` holds `{param.split}`, which cuts the word into its slots")
    return texts


def default(reader: Reader, node: Node, param: ParamSpec) -> Any:
    """The `default` of a param as texts in the value's shape; None for an empty list or a reported fault."""
    if param.count:
        number = reader.integer(node, "default")
        return None if number is None else str(number)
    if not param.repeatable:
        if node.kind == "list" and not param.is_tuple and param.type not in ("array", "json"):
            reader.unwanted(node, "default", KINDS[param.type][0], "a list is for a param that says `repeatable: true`")
            return None
        text = occurrence(reader, node, param, "default")
        if param.type == "array" and text is not None:
            _judge_length(reader, node, param, len(from_text("array", text)))
            _judge_elements(reader, node, param, text)
        return text
    hint = (
        "write a list with one N-list per occurrence: [[…], […]]"
        if param.is_tuple
        else "write a list with one entry per occurrence"
    )
    if node.kind != "list":
        reader.unwanted(node, "default", "a list, as the param is repeatable", hint)
        return None
    if not node.items:
        return None
    if param.is_tuple and not any(entry.kind == "list" for entry in node.items):
        reader.unwanted(node, "default", f"a list of lists of {len(param.slots)} values", hint)
        return None
    entries = [occurrence(reader, entry, param, "default") for entry in node.items]
    if None in entries:
        return None
    _judge_length(reader, node, param, len(entries))
    if param.unique_by >= 0:
        entries = _unique(reader, node, param, entries)
    return entries


def _judge_length(reader: Reader, node: Node, param: ParamSpec, length: int) -> None:
    if 0 <= param.max_items < length:
        reader.problem(node, f"`default` has {length} entries, more than `max_items`, {param.max_items}")
    elif length < param.min_items:
        reader.problem(node, f"`default` has {length} entries, fewer than `min_items`, {param.min_items}")


def _judge_elements(reader: Reader, node: Node, param: ParamSpec, text: str) -> None:
    """Elements of an `array` are of the type `items`."""
    if not param.items:
        return
    for element in from_text("array", text):
        if not is_of(param.items, element):
            reader.problem(node, f"an element of `default` is not of the type `{param.items}`", wanted=KINDS[param.items][0])
            return


def is_of(kind: str, value: Any) -> bool:
    """Whether a JSON value is of a type as it stands, nothing converted (a float without fraction is an int)."""
    if kind in ("json", "any"):
        return True
    if isinstance(value, bool):
        return kind == "bool"
    if isinstance(value, (str, list, dict)):
        return kind == {str: "string", list: "array", dict: "object"}[type(value)]
    return value is not None and (kind == "number" or (kind == "int" and value == int(value)))


def _unique(reader: Reader, node: Node, param: ParamSpec, entries: list[Any]) -> list[Any]:
    """O5 on the entries of a default."""
    slot = param.slots[param.unique_by]
    kept: dict[Any, Any] = {}
    for entry in entries:
        key = repr(from_text(slot.type, entry[param.unique_by])) if len(entry) > param.unique_by else None
        if key in kept and param.on_duplicate == "error":
            reader.problem(
                node, f"`default` gives the {slot.name} `{entry[param.unique_by]}` twice", "keep one, or say `on_duplicate`"
            )
        if key not in kept or param.on_duplicate == "last":
            kept[key] = entry
    return list(kept.values())
