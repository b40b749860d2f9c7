"""The manual of a tool: usage, params, groups, subcommands, examples, what it does to the world, where it is from."""

from __future__ import annotations

from kernel import words
from kernel.present.problem import short_path
from kernel.present.section import Section
from kernel.present.view import show as show_sections
from kernel.spec import ParamSpec, Slot, ToolSpec, first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_VALUES = {"string": "TEXT", "any": "TEXT", "int": "INT", "number": "NUMBER", "bool": "BOOL"}
_PATHS = {"read": "FILE", "write": "FILE", "dir": "DIR", "new": "FILE"}
_EFFECTS = {
    "read": "read: changes nothing",
    "write": "write: may change files or state",
    "destructive": "destructive: asks before it runs",
    "": "not stated, which counts as write",
}
_GROUPS = {"exclusive": "at most one of", "required": "at least one of", "together": "all or none of"}
CALL = ("kernel", "call")  # what stands in front of a tool's name where it is called; nothing in the shell
SHORT_CHOICES = 28  # columns of choices that stand in the flag's own column


def show(spec: ToolSpec, descriptor: int = 1, before: tuple[str, ...] = CALL) -> None:
    """The manual on stdout, or on stderr (2), with ``before`` in front of each call."""
    show_sections(sections(spec, before), descriptor)


def sections(spec: ToolSpec, before: tuple[str, ...] = CALL) -> list[Section]:
    """The manual as data."""
    found = [Section(spec.title or called(spec, before), _description(spec)), Section("usage", [usage(spec, before)])]
    own = len(spec.path) - 1 if spec.path[:1] != ("kernel",) else 0
    shown = [param for param in spec.params if _is_shown(param, spec)]
    found.append(Section("operands", _rows([param for param in shown if param.positional])))
    flags = [param for param in shown if param.spellings and not param.positional]
    found.append(Section("flags", _rows([param for param in flags if param.level >= own])))
    found.append(Section("flags of the commands above", _rows([param for param in flags if param.level < own])))
    found.append(Section("rules", _rules(spec)))
    found.append(Section("subcommands", [(_names(child), first_sentence(child.description)) for child in children(spec)]))
    found.append(Section("examples", examples(spec, before)))
    found.append(Section("about", about(spec)))
    return [section for section in found if section.rows]


def _is_shown(param: ParamSpec, spec: ToolSpec) -> bool:
    """Whether help shows a param: of the hidden ones a tool's operands, without which no call is made."""
    return not param.hidden or (param.positional and spec.path[:1] != ("kernel",))


def called(spec: ToolSpec, before: tuple[str, ...] = CALL) -> str:
    """How the tool or verb is called: `kernel call git log`, `kernel list`."""
    path = spec.path or (spec.name,)
    return " ".join(path if path[0] == "kernel" else (*before, *path))


def usage(spec: ToolSpec, before: tuple[str, ...] = CALL) -> str:
    """The one line of usage."""
    parts = [called(spec, before)]
    flags = [param for param in spec.params if param.spellings and not param.positional and not param.hidden]
    parts += [_flag_usage(param) for param in flags if param.required]
    if any(not param.required for param in flags):
        parts.append("[FLAGS]")
    if spec.children:
        parts.append("[SUBCOMMAND …]" if spec.has_exec or spec.builtin else "SUBCOMMAND …")
    for index in spec.positionals:
        param = spec.params[index]
        if not _is_shown(param, spec):
            continue
        name = operand_name(param)
        text = f"{name}…" if param.repeatable else name
        text = f"-- {text}" if param.after else text
        parts.append(text if param.required else f"[{text}]")
    return " ".join(parts)


def operand_name(param: ParamSpec) -> str:
    """What help calls an operand."""
    return param.name.upper() if not param.is_tuple else _form(param)


def children(spec: ToolSpec) -> list[ToolSpec]:
    """The subcommands that are shown, in order."""
    found = [ToolSpec.unpack(packed) for packed in spec.children]
    return [child for child in found if not child.hidden]


def value_name(param: ParamSpec, slot: Slot) -> str:
    """What help calls one word of a value."""
    if slot.name:
        return slot.name
    choices = "|".join([text for text, _ in slot.choices])
    if choices and len(choices) <= SHORT_CHOICES:
        return choices
    if slot.path:
        return _PATHS[slot.path]
    return _VALUES.get(slot.type, "JSON")


def _form(param: ParamSpec) -> str:
    names = [value_name(param, slot) for slot in param.slots]
    if not param.split:
        return " ".join(names)
    text = names[0]
    for name, slot in zip(names[1:], param.slots[1:]):
        text += f"[{param.split}{name}]" if slot.optional else param.split + name
    return text


def _flag_usage(param: ParamSpec) -> str:
    return param.spelling if param.is_flag else f"{param.spelling} {_form(param)}"


def flag_names(param: ParamSpec) -> str:
    """The spellings that help shows, then the value."""
    text = ", ".join([*param.shown_spellings, *param.negations[:1]])
    if param.is_flag:
        return text
    if param.optional_value is not None:
        return f"{text}[={_form(param)}]"
    return f"{text} {_form(param)}"


def _rows(params: list[ParamSpec]) -> list[str | tuple[str, ...]]:
    rows: list[str | tuple[str, ...]] = []
    for param in params:
        names = operand_name(param) + ("…" if param.repeatable else "") if param.positional else flag_names(param)
        if param.positional and param.spellings:
            names += f" ({flag_names(param)})"
        said = param.description.replace("\n", " ")
        facts = "; ".join(facts_of(param))
        if facts:
            said = f"{said} ({facts})" if said else f"({facts})"
        rows.append((names, said))
        for slot in param.slots:
            if param.is_tuple and slot.description:
                rows.append((f"  {slot.name}", slot.description))
            if any(description for _, description in slot.choices):
                rows += [(f"  {text}", description) for text, description in slot.choices]
    return rows


def facts_of(param: ParamSpec) -> list[str]:
    """What else there is to know of a param, in few words."""
    facts = []
    if param.required:
        facts.append("required")
    for slot in param.slots:
        before = f"{slot.name}: " if param.is_tuple and slot.name else ""
        facts += [before + fact for fact in _slot_facts(param, slot)]
    if param.repeatable and not param.positional:
        facts.append(f"repeatable, or a list separated by `{param.delimiter}`" if param.delimiter else "repeatable")
    if param.count:
        facts.append("counts")
    if param.min_items >= 0:
        facts.append(f"at least {param.min_items}")
    if param.max_items >= 0:
        facts.append(f"at most {param.max_items}")
    if param.unique_by >= 0:
        key = param.slots[param.unique_by].name or str(param.unique_by)
        kept = {"error": "must differ", "first": "the first of a kind counts", "last": "the last of a kind counts"}
        facts.append(f"{key}: {kept[param.on_duplicate]}")
    if param.optional_value is not None:
        facts.append(f"alone it means {param.optional_value}")
    if param.default is not None:
        facts.append(f"default {_default(param.default)}")
    if param.env:
        facts.append(f"else from ${param.env}")
    if param.secret:
        facts.append("secret")
    facts += [f"effect {effect} when {value or 'given'}" for value, effect in param.effects]
    if param.deprecated:
        facts.append(f"deprecated: {param.deprecated}")
    return facts


def _slot_facts(param: ParamSpec, slot: Slot) -> list[str]:
    facts = []
    named = value_name(param, slot) if param.is_tuple or not param.positional else operand_name(param)
    if not param.is_flag and slot.type not in ("string", "any") and named not in (_VALUES.get(slot.type), slot.type.upper()):
        facts.append(slot.type)
    if slot.choices and named != "|".join([text for text, _ in slot.choices]):
        facts.append("one of " + ", ".join([text for text, _ in slot.choices]))
    if slot.min and slot.max:
        facts.append(f"{slot.min} to {slot.max}")
    elif slot.min or slot.max:
        facts.append(f"at least {slot.min}" if slot.min else f"at most {slot.max}")
    if slot.pattern:
        facts.append(f"matches {slot.pattern}")
    if slot.path == "dir" and named != "DIR":
        facts.append("a directory")
    return facts


def _default(default: Any) -> str:
    if isinstance(default, (list, tuple)):
        return " ".join([_default(item) for item in default]) or "empty"
    return words.quote(str(default))


def _rules(spec: ToolSpec) -> list[str | tuple[str, ...]]:
    by_name = {param.name: param for param in spec.params}
    rules: list[str | tuple[str, ...]] = []
    for kind, members in spec.groups:
        named = [by_name[name].spelling if name in by_name else name for name in members]
        rules.append(f"{_GROUPS[kind]}: {', '.join(named)}")
    if spec.number_flag >= 0:
        rules.append(f"-NUM is {spec.params[spec.number_flag].spelling} NUM")
    if spec.flags == "before-operands":
        rules.append("flags stand before the first operand")
    if spec.flags == "none":
        rules.append("no word is a flag")
    if spec.unknown_flags == "pass":
        rules.append("other flags are passed on as they are")
    return rules


def examples(spec: ToolSpec, before: tuple[str, ...] = CALL) -> list[str | tuple[str, ...]]:
    """The examples as lines to paste."""
    rows: list[str | tuple[str, ...]] = []
    for example in spec.examples:
        line = words.join([*(before if spec.path[:1] != ("kernel",) else ("kernel",)), *example["run"]])
        rows.append(line)
        if example.get("says"):
            rows.append(f"    {example['says']}")
    return rows


def about(spec: ToolSpec) -> list[str | tuple[str, ...]]:
    """Effect, what runs, what it needs and where it is from."""
    if spec.path[:1] == ("kernel",):
        return []
    rows: list[str | tuple[str, ...]] = [("effect", _EFFECTS[spec.effect])]
    if spec.has_exec:
        rows.append(("runs", words.join([spec.program, *template_words(spec.exec)]).replace("'{*}'", "{*}")))
    if spec.builtin:
        rows.append(("builtin", spec.builtin))
    needs = [f"{program} {version}".strip() for program, version in spec.needs_programs]
    needs += [f"${name}" for name in spec.needs_env] + list(spec.needs_os)
    if needs:
        rows.append(("needs", ", ".join(needs)))
    if spec.cwd != "caller":
        rows.append(("directory", f"{_directory(spec)}; relative paths start there"))
    if spec.timeout:
        rows.append(("timeout", f"{spec.timeout:g} s"))
    if spec.tags:
        rows.append(("tags", ", ".join(spec.tags)))
    if spec.deprecated:
        rows.append(("deprecated", spec.deprecated))
    if spec.file:
        rows.append(("from", short_path(spec.file)))
    return rows


def _directory(spec: ToolSpec) -> str:
    """Where the program runs, as the manifest says it."""
    if spec.cwd == "tools":
        return "the one that holds tools.d"
    return spec.cwd[1:-1].upper() if spec.cwd[:1] == "{" else f"{spec.cwd} in the one that holds tools.d"


def template_words(items: tuple[Any, ...]) -> list[str]:
    """A compiled template as the manifest writes it, groups in brackets."""
    shown = []
    for item in items:
        kind = item[0]
        if kind == "text":
            shown.append(pieces_text(item[1]))
        elif kind == "splice":
            shown.append(f"{{{item[1]}*}}")
        elif kind == "rest":
            shown.append("{*}")
        else:
            conditions = [f"{{{'?' if wanted else '!'}{name}}}" for wanted, name in item[2]]
            shown.append(f"[{' '.join([*conditions, *template_words(item[1])])}]")
    return shown


def pieces_text(pieces: tuple[Any, ...]) -> str:
    """The pieces of one item as the manifest writes them."""
    shown = []
    for piece in pieces:
        if isinstance(piece, str):
            shown.append(piece.replace("{", "{{").replace("}", "}}"))
        else:
            shown.append(f"{{{piece[0]}}}" if piece[1] < 0 else f"{{{piece[0]}[{piece[1]}]}}")
    return "".join(shown)


def _names(spec: ToolSpec) -> str:
    return ", ".join([spec.name, *spec.aliases])


def _description(spec: ToolSpec) -> list[str | tuple[str, ...]]:
    return [line for line in spec.description.split("\n") if line] or ["(no description)"]
