"""What is wrong with a value, as problems: wording shared by words, JSON, environment and defaults."""

from __future__ import annotations

from kernel.errors import Problem, WordPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ParamSpec
    from kernel.values import Unreadable


def label(param: ParamSpec) -> str:
    """A param as messages name it: its flag, or an operand's name in capitals."""
    return param.name.upper() if param.positional or not param.spellings else param.spellings[0]


def name_as_given(bound: Bound, problems: Iterable[Problem]) -> None:
    """Lets messages begin with the param as the caller named it: the flag as typed, the name in JSON."""
    typed: dict[tuple[str, int], str] = {}  # by param and word: the flag whose occurrence covers the word
    for name, spelling, index, _, count in bound.takes:
        if spelling:
            typed.update(dict.fromkeys([(name, at) for at in range(index, index + count + 1)], spelling))
    for problem in problems:
        param = bound.spec.param(problem.facts.get("param", ""))
        if param is None or not problem.message.startswith(usual := f"`{label(param)}`"):
            continue
        given = param.name if bound.by_json else ""
        if isinstance(problem.where, WordPlace):
            given = typed.get((param.name, problem.where.index), given)
        if given:
            problem.message = f"`{given}`{problem.message[len(usual) :]}"


def slot_names(param: ParamSpec) -> list[str]:
    """The words of one occurrence as messages name them: the declared names, else ones made of the param's."""
    if len(param.slots) == 1:
        return [(param.slots[0].name or ("VALUE" if not param.positional else param.name)).upper()]
    return [(slot.name or f"VALUE{at}").upper() for at, slot in enumerate(param.slots, 1)]


def type_problem(param: ParamSpec, slot: int, got: str, error: Unreadable, place: WordPlace | None, source: str = "") -> Problem:
    """E-TYPE for one text. ``slot`` is -1 for a whole value; ``source`` says where it came from when that is no word."""
    part = f" for `{slot_names(param)[slot]}`" if slot >= 0 and len(param.slots) > 1 else ""
    note = f": {error.note}" if error.note else ""
    behind = f" from {source}" if source else ""
    facts = {} if param.secret else {"got": got}
    message = f"`{label(param)}` wants {error.wanted}{part}, got {_shown(param, got)}{behind}{note}"
    return Problem("E-TYPE", message, place, secret=bool(param.secret), param=param.name, wanted=error.wanted, **facts)


def split_problem(param: ParamSpec, text: str, place: WordPlace | None, source: str = "") -> Problem:
    """E-ARITY for a word with too few pieces, showing the form (V10)."""
    behind = f" from {source}" if source else ""
    message = f"`{label(param)}` wants `{form(param)}`, got {_shown(param, text)}{behind}"
    names = slot_names(param)
    return Problem("E-ARITY", message, place, secret=bool(param.secret), param=param.name, wanted=names, form=form(param))


def too_few(bound: Bound, param: ParamSpec, spelling: str, index: int, got: list[str], stopper: int) -> None:
    """E-ARITY (V5): what was wanted, what was got, and the word that stands in the way with the way out (V4)."""
    names = slot_names(param)
    wanted = f"{len(names)} values ({' '.join(names)})" if len(names) > 1 else "a value"
    shown = ", ".join([f"`{'***' if param.secret else word}`" for word in got])
    had = f"got {len(got)} ({shown})" if got else "got none"
    facts: dict[str, Any] = {"param": param.name, "flag": spelling, "wanted": names, "got": [] if param.secret else got}
    hint = ""
    if stopper < len(bound.words):
        word = bound.words[stopper]
        facts["stopped_by"] = word
        had += f": the next word, `{word}`, " + ("ends the flags" if word == "--" else "is a flag of the tool")
        if not got:
            joined = f"{spelling}={word}" if len(spelling) > 2 else f"{spelling}{word}"
            facts["attached"] = joined
            hint = f"to pass that text as the value, write `{joined}`"
    else:
        had += " before the line ended"
    problem = Problem("E-ARITY", f"`{spelling}` wants {wanted}, {had}", WordPlace(index), hint, secret=bool(param.secret), **facts)
    bound.problems.append(problem)
    bound.faulted.setdefault(param.name, set())


def _value_problem(code: str, param: ParamSpec, slot: int, text: str, want: str, note: str = "", **facts: Any) -> Problem:
    part = f" for `{slot_names(param)[slot]}`" if len(param.slots) > 1 else ""
    if not param.secret:
        facts["got"] = text
    message = f"`{label(param)}` wants {want}{part}, {note or 'got ' + _shown(param, text)}"
    return Problem(code, message, None, secret=bool(param.secret), param=param.name, **facts)


def _shown(param: ParamSpec, text: str) -> str:
    """A value in a message: shortened, and hidden when secret."""
    return "`***`" if param.secret else f"`{text if len(text) <= 60 else text[:59] + '…'}`"


def choice_problem(param: ParamSpec, slot: int, text: str) -> Problem:
    """E-CHOICE, listing what there is to choose from (T2)."""
    choices = [choice for choice, _ in param.slots[slot].choices]
    listed = ", ".join([f"`{choice}`" for choice in choices[:12]]) + (f" and {len(choices) - 12} more" if len(choices) > 12 else "")
    return _value_problem("E-CHOICE", param, slot, text, f"one of {listed}", wanted=choices)


def range_problem(param: ParamSpec, slot: int, text: str) -> Problem:
    """E-RANGE for a number outside `min` and `max` (T2)."""
    low, high = param.slots[slot].min, param.slots[slot].max
    wanted = f"a number from {low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"
    return _value_problem("E-RANGE", param, slot, text, wanted, min=low, max=high)


def items_problem(param: ParamSpec, count: int) -> Problem:
    """E-RANGE for a list with too few or too many entries (T2)."""
    few, many = param.min_items, param.max_items
    wanted = f"at least {few} values" if few >= 0 else f"at most {many} values"
    if few >= 0 and many >= 0:
        wanted = f"from {few} to {many} values"
    problem = Problem("E-RANGE", f"`{label(param)}` wants {wanted}, got {count}", None, param=param.name, got=count)
    problem.facts.update({key: bound for key, bound in (("min_items", few), ("max_items", many)) if bound >= 0})
    return problem


def pattern_problem(param: ParamSpec, slot: int, text: str, note: str) -> Problem:
    """E-PATTERN; ``note`` says it when the text was not tried at all (T2)."""
    pattern = param.slots[slot].pattern
    what = f"but {_shown(param, text)} {note}" if note else ""
    return _value_problem("E-PATTERN", param, slot, text, f"text that matches `{pattern}` as a whole", what, pattern=pattern)


def required_problem(param: ParamSpec, by_json: bool = False) -> Problem:
    """E-REQUIRED, with how to give the value: as words, or as a key of the JSON arguments."""
    names = slot_names(param)
    if by_json:
        message, hint = f"`{param.name}` is required and has no value", f"add `{param.name}` to the JSON arguments"
        return Problem("E-REQUIRED", message, None, hint, param=param.name)
    if param.positional:
        hint = f"write the operand `{names[0]}`" if len(names) == 1 else f"write the operand `{form(param)}`"
    elif param.is_flag:
        hint = f"write `{label(param)}`"
    else:
        hint = f"write `{label(param)} {form(param)}`"
    if param.secret == "hidden":
        hint = ""
    if param.env:
        hint += (" or " if hint else "") + f"set the variable `{param.env}`"
    return Problem("E-REQUIRED", f"`{label(param)}` is required and has no value", None, hint, param=param.name, wanted=names)


def form(param: ParamSpec) -> str:
    """The words of one occurrence as usage lines write them: `NAME VALUE`, `SRC:DST[:MODE]` (V10)."""
    names = slot_names(param)
    if not param.split:
        return " ".join(names)
    text = ""
    for at, (slot, name) in enumerate(zip(param.slots, names)):
        piece = (param.split if at else "") + name
        text += f"[{piece}]" if slot.optional else piece
    return text
