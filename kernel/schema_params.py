"""One level's `params` (manifest.md, Param keys): nodes to ParamSpecs, every key checked."""

from __future__ import annotations

from kernel import spellings
from kernel.schema_level import Draft, check_level
from kernel.schema_reader import is_param_name
from kernel.schema_slots import read_slot, read_slots, read_type
from kernel.schema_values import default, slot_fault, typed_text, word
from kernel.spec import ParamSpec, Slot
from kernel.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.manifest import Node
    from kernel.schema_reader import Reader

PARAM_KEYS = (
    *("name", "description", "aliases", "type", "required", "default", "consumes", "positional", "repeatable", "negatable"),
    *("count", "optional_value", "values", "unique_by", "on_duplicate", "choices", "min", "max", "pattern", "min_items"),
    *("max_items", "items", "env", "secret", "path", "effect", "complete", "emit", "split", "delimiter", "after", "as"),
    *("allow_dash", "program", "unused", "hidden", "deprecated"),
)
EFFECTS = ("read", "write", "destructive")
EMITS = ("separate", "equals", "joined")
_ONE_WORD = ("count", "consumes", "repeatable", "optional_value", "values", "split", "delimiter", "pattern", "min", "max", "path")
_OF_SLOT = ("choices", "min", "max", "pattern", "path", "complete")


def read_params(reader: Reader, nodes: list[Node], level: int) -> list[Draft]:
    """The params of one level, their spellings assigned, the order of operands checked."""
    drafts = []
    for node in nodes:
        draft = _read_param(reader, node, level)
        if draft is not None:
            drafts.append(draft)
    check_level(reader, drafts)
    return drafts


def _read_param(reader: Reader, node: Node, level: int) -> Draft | None:
    fields = reader.fields(node, PARAM_KEYS, "a param")
    if "name" not in fields:
        if node.kind == "map":
            reader.problem(node, "a param has no `name`", "write `name: NAME`")
        return None
    name = fields["name"]
    if name.kind != "scalar" or not is_param_name(name.text):
        reader.unwanted(name, "name", "a letter or `_`, then at most 63 letters, digits, `_` or `-`")
        return None
    found = len(reader.problems)
    param = ParamSpec(name=name.text, level=level, place=(node.line, node.column))
    draft = Draft(node, param, fields)
    _read_texts(reader, draft)
    for key in ("required", "positional", "count", "program", "unused", "hidden"):
        if key in fields:
            setattr(param, key, reader.flag(fields[key], key))
    _read_slots(reader, draft)
    _read_shape(reader, draft)
    _check_shape(reader, draft)
    if len(reader.problems) == found:
        _read_values(reader, draft)
    if len(reader.problems) != found and "default" in fields:
        param.default = ""  # stands for the one that could not be read, so that templates are judged as meant
    return draft


def _read_texts(reader: Reader, draft: Draft) -> None:
    param, fields = draft.param, draft.fields
    if "description" in fields:
        param.description = reader.text(fields["description"], "description", empty=True, lines=True) or ""
    if "deprecated" in fields:
        param.deprecated = reader.text(fields["deprecated"], "deprecated") or ""
    if "env" in fields:
        param.env = reader.variable(fields["env"], "env") or ""
    if "secret" in fields:
        param.secret = read_secret(reader, fields["secret"])
    if "aliases" in fields:
        for node in reader.sequence(fields["aliases"], "aliases"):
            alias = reader.text(node, "aliases")
            if alias is None:
                continue
            spelling = spellings.of_alias(alias)
            fault = spellings.alias_fault(spelling)
            if fault:
                reader.problem(node, f"the alias `{alias}` {fault}", "an alias is `-x`, `--word`, `-word` or a bare word")
            elif spelling in draft.spelled:
                reader.problem(node, f"the alias `{alias}` is given twice", "leave one out")
            else:
                draft.spelled.append(spelling)


def read_secret(reader: Reader, node: Node) -> str:
    """`secret`: "" for no, "hidden", or "argv"."""
    if node.kind == "scalar" and node.text == "argv":
        return "argv"
    if node.sort == "bool":
        return "hidden" if node.text == "true" else ""
    reader.unwanted(node, "secret", "`true` or `argv`")
    return ""


# Slots


def _read_slots(reader: Reader, draft: Draft) -> None:
    param, fields = draft.param, draft.fields
    kind = read_type(reader, fields["type"]) if "type" in fields else "string"
    if param.count:
        if "type" in fields and kind not in ("bool", "int"):
            reader.problem(fields["type"], f"a `count` is an int, not `{kind}`", "leave `type` out")
        kind = "int"
    consumes = fields.get("consumes")
    if kind == "bool" and consumes is not None:
        reader.problem(
            consumes,
            f"`{param.name}` is a bool, which takes no word, but has `consumes`",
            "leave out `consumes`, or give a `type` that takes words",
        )
        consumes = None
    if consumes is not None and consumes.kind == "list":
        for key in _OF_SLOT:
            if key in fields:
                reader.problem(fields[key], f"`{key}` stands beside a list of slots", "say it in the slot it is meant for")
        param.slots = read_slots(
            reader, consumes, kind, reader.flag(fields["allow_dash"], "allow_dash") if "allow_dash" in fields else False
        )
        return
    number = 1
    if consumes is not None:
        number = reader.integer(consumes, "consumes", 1, "a flag that takes no word is a bool: write `type: bool`") or 1
        if number > 1000:
            reader.problem(consumes, "`consumes` is more than 1000 words", "use `repeatable: true` for lists")
            number = 1
    slot = Slot(type=kind)
    read_slot(reader, fields, slot)
    param.slots = (slot,) * number


# Shape


def _read_shape(reader: Reader, draft: Draft) -> None:
    """How often and in what form values come: everything that does not depend on them."""
    param, fields = draft.param, draft.fields
    param.repeatable = reader.flag(fields["repeatable"], "repeatable") if "repeatable" in fields else param.is_tuple
    if "negatable" in fields:
        draft.negatable = reader.flag(fields["negatable"], "negatable")
    if "values" in fields:
        param.verbatim = reader.word(fields["values"], "values", ("verbatim",)) is not None
    for key in ("split", "delimiter"):
        if key in fields:
            setattr(param, key, reader.text(fields[key], key, free=True) or "")
    if "after" in fields:
        param.after = reader.word(fields["after"], "after", ("--",)) is not None
    for key in ("min_items", "max_items"):
        if key in fields:
            number = reader.integer(fields[key], key)
            setattr(param, key, -1 if number is None else number)
    if "items" in fields:
        param.items = read_type(reader, fields["items"])
    if "on_duplicate" in fields:
        param.on_duplicate = reader.word(fields["on_duplicate"], "on_duplicate", ("error", "first", "last")) or "error"
    if "emit" in fields:
        param.emit = reader.word(fields["emit"], "emit", EMITS) or "separate"
    if "unique_by" in fields:
        names = [slot.name for slot in param.slots if slot.name]
        if not param.repeatable or not names:
            reader.problem(
                fields["unique_by"], "`unique_by` needs a repeatable param with named slots", "write `consumes: [{name: NAME}, …]`"
            )
        else:
            name = reader.word(fields["unique_by"], "unique_by", names)
            param.unique_by = -1 if name is None else [slot.name for slot in param.slots].index(name)


def _check_shape(reader: Reader, draft: Draft) -> None:
    """Keys that do not go together."""
    param, fields = draft.param, draft.fields
    name = param.name

    def refuse(key: str, message: str, hint: str = "") -> None:
        if key in fields:
            reader.problem(fields[key], message, hint)

    if param.is_flag and not param.positional:
        what = "a count" if param.count else "a bool"
        for key in _ONE_WORD:
            if key != "count" and (key, what) not in (("min", "a count"), ("max", "a count"), ("consumes", "a bool")):
                hint = "use `count: true` to count occurrences" if key == "repeatable" and not param.count else "leave it out"
                if key != "repeatable" or param.repeatable:
                    refuse(key, f"`{name}` is {what}, which takes no word, but has `{key}`", hint)
    elif draft.negatable and not param.positional:
        refuse("negatable", f"`{name}` is not a bool or a count, but is `negatable`", "say `type: bool`")
    if param.positional:
        for key in ("negatable", "optional_value", "count"):
            if key != "count" or param.count:
                refuse(key, f"`{name}` is positional, but has `{key}`, which is for flags", "leave out `positional`")
        if param.is_tuple and not param.split:
            reader.problem(
                fields.get("consumes", draft.node),
                f"`{name}` is positional, but takes {len(param.slots)} words",
                "use `split`, or `repeatable: true`",
            )
    elif param.after:
        refuse("after", f"`{name}` has `after`, but is not positional", "say `positional: true`")
    if param.split and not param.is_tuple:
        refuse("split", f"`{name}` has `split`, but only one slot", "write `consumes: [{name: NAME}, {name: VALUE}]`")
    if param.delimiter and (param.is_tuple or not param.repeatable):
        refuse(
            "delimiter",
            f"`delimiter` cuts one word into entries, but `{name}` is not a repeatable one-word param",
            "say `repeatable: true`",
        )
    _check_optional_slots(reader, draft)
    if "optional_value" in fields and param.is_tuple:
        refuse("optional_value", f"`{name}` takes {len(param.slots)} words, so it cannot stand bare")
    if "on_duplicate" in fields and "unique_by" not in fields:
        refuse("on_duplicate", "`on_duplicate` needs `unique_by`", "say which slot is the key")
    if "items" in fields and param.type != "array":
        refuse("items", f"`items` is for the type array, not `{param.type}`")
    for key in ("min_items", "max_items"):
        if not param.repeatable and param.type != "array":
            refuse(key, f"`{key}` is for repeatable params and arrays", "use `min` and `max` for numbers")
    if 0 <= param.max_items < param.min_items:
        refuse("min_items", f"`min_items`, {param.min_items}, is above `max_items`, {param.max_items}")
    if param.required and "default" in fields:
        refuse("default", f"`{name}` is required, so its `default` is never used", "leave out `required` or `default`")


def _check_optional_slots(reader: Reader, draft: Draft) -> None:
    """V10: only the last slots of a `split` param may be left out, and never all of them."""
    optional = [slot.optional for slot in draft.param.slots]
    if not any(optional):
        return
    node = draft.fields["consumes"]
    if not draft.param.split:
        reader.problem(node, "an `optional` slot needs `split`", "words of a flag cannot be left out; say `split: TEXT`")
    elif optional[0] or optional != sorted(optional):
        reader.problem(node, "only the last slots may be `optional`, not the first", "put the optional slots at the end")


# Values


def _read_values(reader: Reader, draft: Draft) -> None:
    """What is written in the param's own type: default, bare meaning, `as`, effects."""
    param, fields = draft.param, draft.fields
    if "default" in fields and not param.required:
        param.default = default(reader, fields["default"], param)
    if "optional_value" in fields:
        param.optional_value = word(reader, fields["optional_value"], param.slots[0], "optional_value")
    if "effect" in fields:
        param.effects = _read_effects(reader, fields["effect"], param)
    if "as" in fields:
        param.replace = _read_replacements(reader, fields["as"], param)


def _read_effects(reader: Reader, node: Node, param: ParamSpec) -> tuple[tuple[str, str], ...]:
    if node.kind != "map":
        return read_effect(reader, node)
    effects = []
    for key, value in node.items:
        text = _value_key(reader, key, param, "effect")
        effect = reader.word(value, "effect", EFFECTS)
        if text is not None and effect is not None:
            effects.append((text, effect))
    return tuple(effects)


def read_effect(reader: Reader, node: Node) -> tuple[tuple[str, str], ...]:
    """`effect: EFFECT` of a param: raised when it is true or given."""
    effect = reader.word(node, "effect", EFFECTS[1:])
    return (("", effect),) if effect else ()


def _value_key(reader: Reader, key: Node, param: ParamSpec, what: str) -> str | None:
    """A mapping's key that is a value of the param."""
    slot = param.slots[0]
    if param.is_tuple or param.count:
        reader.problem(key, f"`{what}` by value needs a bool or a param of one word")
        return None
    text = typed_text(reader, key, slot.type, what)
    if text is None:
        return None
    if slot.choices:
        value = from_text(slot.type, text)
        for choice, _ in slot.choices:
            if from_text(slot.type, choice) == value:
                return choice
    fault = slot_fault(slot, text)
    if fault:
        reader.problem(
            key,
            f"the value `{text}` of `{what}` {fault}",
            f"`{param.name}` is {', '.join([choice for choice, _ in slot.choices])}" if slot.choices else "",
        )
        return None
    return text


def _read_replacements(reader: Reader, node: Node, param: ParamSpec) -> tuple[tuple[str, str | tuple[str, ...]], ...]:
    slot = param.slots[0]
    if param.count or param.is_tuple or not (slot.type == "bool" or slot.choices):
        reader.problem(
            node, f"`as` needs a bool or a param with `choices`, which `{param.name}` is not", "list the values under `choices`"
        )
        return ()
    replacements: list[tuple[str, str | tuple[str, ...]]] = []
    for key, value in reader.pairs(node, "as"):
        text = _value_key(reader, key, param, "as")
        given: str | tuple[str, ...] | None
        if value.kind == "list":
            given = reader.texts(value, "as", empty=True, free=True)
        else:
            given = reader.text(value, "as", empty=True, free=True)
        if text is not None and given is not None:
            replacements.append((text, given))
    return tuple(replacements)
