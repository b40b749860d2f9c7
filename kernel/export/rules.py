"""What a schema has no keyword for, in sentences for its descriptions (serving.md): groups, gaps, keys, paths, dashes."""

from __future__ import annotations

from kernel.pattern_match import begins_without
from kernel.spec import ParamSpec, Slot, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    Key = Callable[[str], str]  # how a dialect spells a name

_GROUPS = {"exclusive": "At most one of", "required": "At least one of", "together": "All or none of"}


def is_for_people(spec: ToolSpec) -> str:
    """The required param that its schema does not show, so that nobody who goes by the schema can call the tool; "" for none."""
    return next((param.name for param in spec.params if param.hidden and param.required and not param.env), "")


def sentences(said: Iterable[str]) -> str:
    """Texts one behind another, with the period that one lacks before the next."""
    text = ""
    for sentence in said:
        if sentence:
            text += ("" if not text else " " if text.rstrip(")\"'")[-1:] in ".!?:…" else ". ") + sentence
    return text


def of_tool(spec: ToolSpec, key: Key) -> list[str]:
    """The rules between params: groups (T4), and operands that need the one before them (P4)."""
    shown = {param.name for param in spec.params if not param.hidden}
    said = []
    for kind, members in spec.groups:
        names = [f"`{key(name)}`" for name in members if name in shown]
        if len(names) > (kind != "required"):
            said.append(f"{_GROUPS[kind]} {', '.join(names)}.")
    before: ParamSpec | None = None  # the last operand that may be without a value
    for at in spec.positionals:
        param = spec.params[at]
        if before is not None and not param.after and not param.hidden:
            said.append(f"`{key(param.name)}` only together with `{key(before.name)}`.")
        if not param.required and param.default is None:
            before = param
    return said


def of_param(param: ParamSpec, key: Key) -> list[str]:
    """The rules of a param's value as a whole: what it raises the effect to (X9), source, keys (O5), separators (O6, V10)."""
    said = [f"{f'`{text}` makes' if text else 'Makes'} the call `{effect}`." for text, effect in param.effects if effect != "read"]
    if param.required and param.env:
        said.append(f"Left out, it is the value of the environment variable `{param.env}`, which must then be set.")
    if param.unique_by >= 0:
        name = key(param.slots[param.unique_by].name.lower())
        if param.on_duplicate == "error":
            said.append(f"Each `{name}` is given once.")
        else:
            said.append(f"Of several with the same `{name}` the {param.on_duplicate} counts.")
    if param.delimiter and param.type in ("string", "any"):
        said.append(f"An entry is not empty and holds no `{param.delimiter}`.")
    by_letter = param.optional_value is not None and not any(name[:2] == "--" for name in param.spellings)
    if param.emit == "joined" or by_letter:
        said.append("Not empty.")
    if param.split and any(slot.type in ("string", "any") for slot in param.slots[:-1]):
        said.append(f"Only the last part may hold `{param.split}`.")
    return said


def of_slot(spec: ToolSpec, slot: Slot, *, at_risk: bool) -> list[str]:
    """The rules of one word: paths (X7), and the dash guard (X8) where ``at_risk``."""
    said = []
    if slot.path:
        said.append(f"A path inside the {'allowed directories' if spec.roots else 'workspace'}.")
    if at_risk:
        said.append("Does not begin with `-`.")
    return said


def dash_risks(spec: ToolSpec) -> set[tuple[str, int]]:
    """(param, slot) of each word that the dash guard may refuse at its place in the program's argv."""
    if not spec.has_exec:
        return set()
    params = {param.name: param for param in spec.params}
    found: set[tuple[str, int]] = set()
    for item in spec.exec:
        if item[0] == "text" and len(item[1]) == 1 and item[1][0] in ("--", spec.end_of_options):
            break
        if item[0] == "rest":
            found.update((param.name, at) for param in _bare_operands(spec, item[1]) for at in range(len(param.slots)))
        else:
            found.update(_leading(item, params))
    return {(name, at) for name, at in found if _is_free(params[name].slots[at])}


def _leading(item: tuple[Any, ...], params: dict[str, ParamSpec]) -> Iterator[tuple[str, int]]:
    """The values that an item of the template, or of a group, may begin with."""
    before: Sequence[str] = ()  # what an item of a group follows
    for part in item[1] if item[0] == "group" else (item,):
        if part[0] == "splice":
            yield from ((part[1], at) for at in range(len(params[part[1]].slots)))
        if part[0] != "text":
            before = ()
            continue
        literal = len(part[1]) == 1 and isinstance(part[1][0], str)
        for piece in part[1]:
            if isinstance(piece, str):
                break
            name, at = piece
            if name not in params or not before or before[0] not in params[name].spellings:
                yield name, max(at, 0)
        before = part[1] if literal else ()


def _bare_operands(spec: ToolSpec, level: int) -> Iterator[ParamSpec]:
    """The operands that `{*}` writes without a marker before them."""
    operands = [spec.params[at] for at in spec.positionals]
    if spec.end_of_options and spec.flags != "none" and not any(param.after for param in operands):
        return
    for param in operands:
        if param.level == level and param.in_rest and not param.after:
            yield param


def _is_free(slot: Slot) -> bool:
    """Whether the word is text of the caller's own making."""
    return slot.type in ("string", "any") and not (slot.allow_dash or slot.choices or begins_without(slot.pattern, "-"))
