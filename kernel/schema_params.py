"""One level's `params` (manifest.md, Param keys): nodes to ParamSpecs, every key checked."""

from __future__ import annotations

from kernel import spellings
from kernel.schema_reader import is_param_name
from kernel.schema_values import default, slot_fault, typed_text, word
from kernel.spec import ParamSpec, Slot
from kernel.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.manifest import Node
    from kernel.schema_reader import Reader

SLOT_KEYS = ("name", "type", "description", "choices", "min", "max", "pattern", "path", "complete", "allow_dash", "optional")
PARAM_KEYS = (
    *("name", "description", "aliases", "type", "required", "default", "consumes", "positional", "repeatable", "negatable"),
    *("count", "optional_value", "values", "unique_by", "on_duplicate", "choices", "min", "max", "pattern", "min_items"),
    *("max_items", "items", "env", "secret", "path", "effect", "complete", "emit", "split", "delimiter", "after", "as"),
    *("allow_dash", "program", "unused", "hidden", "deprecated"),
)
CHOICE_KEYS = ("value", "description")
TYPES = ("string", "int", "number", "bool", "array", "object", "json", "any")
TYPE_NAMES = {"integer": "int", "boolean": "bool", "float": "number"}
PATHS = ("read", "write", "dir", "new")
COMPLETES = ("path", "dir", "host", "user", "tool", "none")
EFFECTS = ("read", "write", "destructive")
EMITS = ("separate", "equals", "joined")
_ONE_WORD = ("count", "consumes", "repeatable", "optional_value", "values", "split", "delimiter", "pattern", "min", "max", "path")
_OF_SLOT = ("choices", "min", "max", "pattern", "path", "complete")


class Draft:
    """A param while its level is read: its record, its node, and what only the level can settle."""

    __slots__ = ("fields", "follow", "negatable", "node", "param", "spelled")

    def __init__(self, node: Node, param: ParamSpec, fields: dict[str, Node]) -> None:
        self.node = node
        self.param = param
        self.fields = fields
        self.spelled: list[str] = []  # declared spellings
        self.follow: list[str] = []  # spellings that follow from the name
        self.negatable = False


def read_params(reader: Reader, nodes: list[Node], level: int) -> list[Draft]:
    """The params of one level, their spellings assigned, the order of operands checked."""
    drafts = []
    for node in nodes:
        draft = _read_param(reader, node, level)
        if draft is not None:
            drafts.append(draft)
    _check_names(reader, drafts)
    _check_spellings(reader, drafts)
    for draft in drafts:
        _check_emit(reader, draft)
    _check_operands(reader, [draft for draft in drafts if draft.param.positional])
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


def _kind(reader: Reader, node: Node) -> str:
    """The type a `type` key names; `string` where it names none."""
    if node.kind == "scalar" and node.text in TYPE_NAMES:
        return TYPE_NAMES[node.text]
    return reader.word(node, "type", TYPES) or "string"


# Slots


def _read_slots(reader: Reader, draft: Draft) -> None:
    param, fields = draft.param, draft.fields
    kind = _kind(reader, fields["type"]) if "type" in fields else "string"
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
        param.slots = _slot_list(
            reader, consumes, kind, reader.flag(fields["allow_dash"], "allow_dash") if "allow_dash" in fields else False
        )
        return
    number = 1
    if consumes is not None:
        number = reader.integer(consumes, "consumes", 1) or 1
        if number > 1000:
            reader.problem(consumes, "`consumes` is more than 1000 words", "use `repeatable: true` for lists")
            number = 1
    slot = Slot(type=kind)
    _read_slot(reader, fields, slot)
    param.slots = (slot,) * number


def _slot_list(reader: Reader, node: Node, kind: str, allow_dash: bool) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    taken: set[str] = set()
    for entry in reader.sequence(node, "consumes", empty=False):
        fields = reader.fields(entry, SLOT_KEYS, "a slot")
        slot = Slot(type=_kind(reader, fields["type"]) if "type" in fields else kind, allow_dash=allow_dash)
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
        _read_slot(reader, fields, slot)
    return tuple(slots) or (Slot(type=kind),)


def _read_slot(reader: Reader, fields: dict[str, Node], slot: Slot) -> None:
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
        reader.problem(fields["min"], f"`min`, {bounds['min']}, is above `max`, {bounds['max']}")
        bounds = {}
    slot.min, slot.max = bounds.get("min", ""), bounds.get("max", "")
    if "pattern" in fields:
        _read_pattern(reader, fields["pattern"], slot)
    if "choices" in fields:
        slot.choices = _read_choices(reader, fields["choices"], kind)


def _read_pattern(reader: Reader, node: Node, slot: Slot) -> None:
    from kernel.pattern import PatternError, has_nested_repeats

    if slot.type not in ("string", "any"):
        reader.problem(node, f"`pattern` needs text, not the type `{slot.type}`", "use `min`, `max` or `choices`")
        return
    text = reader.text(node, "pattern", free=True)
    if text is None:
        return
    try:
        has_nested_repeats(text)
    except PatternError as error:
        reader.problem(node, error.message, error.hint, start=error.at, width=error.width)
        return
    slot.pattern = text


def _read_choices(reader: Reader, node: Node, kind: str) -> tuple[tuple[str, str], ...]:
    if kind not in ("string", "int", "number", "any"):
        reader.problem(node, f"`choices` need the type string, int or number, not `{kind}`")
        return ()
    choices: list[tuple[str, str]] = []
    values: list[Any] = []
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
        values.append(from_text(kind, text))
        choices.append((text, description))
    return tuple(choices)


def read_complete(reader: Reader, node: Node) -> tuple[str, ...]:
    """`complete`: a kind behind `@`, or plain words."""
    if node.kind == "list":
        return reader.texts(node, "complete")
    kind = reader.word(node, "complete", COMPLETES)
    return (f"@{kind}",) if kind else ()


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
        param.items = _kind(reader, fields["items"])
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
    elif draft.negatable:
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


# The level


def _check_names(reader: Reader, drafts: list[Draft]) -> None:
    """N5: names are unique after folding `-` to `_`."""
    taken: dict[str, str] = {}
    for draft in drafts:
        folded = draft.param.name.replace("-", "_")
        if folded in taken:
            reader.problem(
                draft.fields["name"], f"two params are called `{taken[folded]}`", "names are the same with `-` and `_`; rename one"
            )
        taken.setdefault(folded, draft.param.name)


def _check_spellings(reader: Reader, drafts: list[Draft]) -> None:
    """N1, N2: gives every param its spellings."""
    params = [draft.param for draft in drafts]
    for draft in drafts:
        draft.follow = [] if draft.param.positional and not draft.spelled else spellings.of_name(draft.param.name)
    for first, second, spelling in spellings.assign(
        params, [draft.spelled for draft in drafts], [draft.follow for draft in drafts], [draft.negatable for draft in drafts]
    ):
        one, other = params[first], drafts[second]
        if one.name == other.param.name:
            if first == second:
                reader.problem(
                    other.node,
                    f"`{one.name}` is spelled `{spelling}` both as itself and negated",
                    "leave out the alias or `negatable`",
                )
            continue
        node = other.fields.get("aliases") if spelling in other.spelled else other.fields["name"]
        reader.problem(
            node or other.node,
            f"`{one.name}` and `{other.param.name}` are both spelled `{spelling}`",
            "rename one, or give one of them an alias of its own",
            params=[one.name, other.param.name],
        )
    for draft in drafts:
        if not draft.param.spellings and not draft.param.positional:
            reader.problem(
                draft.node,
                f"`{draft.param.name}` has no spelling left, as other params' aliases take all that follow from its name",
                "give it an alias",
            )


def _check_emit(reader: Reader, draft: Draft) -> None:
    """`equals` needs a long spelling and one word, `joined` a one-letter spelling and one word."""
    param = draft.param
    if param.emit == "separate":
        return
    node = draft.fields["emit"]
    if param.is_flag or not param.spellings:
        reader.problem(node, f"`emit: {param.emit}` is for flags that take a word, which `{param.name}` is not", "leave it out")
    elif param.is_tuple and not param.split:
        reader.problem(node, f"`emit: {param.emit}` attaches one word, but `{param.name}` takes {len(param.slots)}", "leave it out")
    elif not emitted(param):
        wanted = "a long spelling" if param.emit == "equals" else "a one-letter spelling"
        reader.problem(
            node, f"`emit: {param.emit}` needs {wanted}, which `{param.name}` does not have", "give it one under `aliases`"
        )


def emitted(param: ParamSpec) -> str:
    """The spelling `{*}` attaches the value to; "" where the params has none that fits its `emit`."""
    for spelling in param.spellings:
        if len(spelling) == 2 if param.emit == "joined" else spelling.startswith("--"):
            return spelling
    return ""


def _check_operands(reader: Reader, drafts: list[Draft]) -> None:
    """P1, P5: at most one repeatable; nothing required behind an optional one; `after` on the last only."""
    repeatable: Draft | None = None
    optional: Draft | None = None
    for draft in drafts:
        param = draft.param
        if param.after:
            if draft is not drafts[-1]:
                reader.problem(
                    draft.fields["after"], f"`{param.name}` has `after`, but is not the last positional", "move it to the end"
                )
            continue
        if param.repeatable:
            if repeatable is not None:
                reader.problem(
                    draft.node,
                    f"`{repeatable.param.name}` and `{param.name}` are both repeatable positionals",
                    "only one can take all remaining operands",
                )
            repeatable = repeatable or draft
        if optional is not None and param.required:
            reader.problem(
                draft.node,
                f"the required positional `{param.name}` follows the optional `{optional.param.name}`",
                f"make `{optional.param.name}` required, or move `{param.name}` before it",
            )
        if not param.required:
            optional = optional or draft
