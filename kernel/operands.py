"""Operands to positionals (argv-grammar P1–P5)."""

from __future__ import annotations

from kernel.errors import Problem, WordPlace
from kernel.occurrences import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.spec import ParamSpec, ToolSpec


def bind_operands(bound: Bound, spec: ToolSpec, operands: list[int]) -> None:
    """Gives each operand (an index into the words) to its positional; one that has no place is a problem (P2)."""
    # N1: a positional that was given by a flag spelling takes no operand
    params = [spec.params[at] for at in spec.positionals]
    free = [param for param in params if param.name not in bound.texts and param.name not in bound.faulted]
    behind: list[int] = []
    if spec.positionals and spec.params[spec.positionals[-1]].after:  # P5
        last = spec.params[spec.positionals[-1]]
        if bound.separator >= 0:
            behind = [index for index in operands if index > bound.separator]
            operands = [index for index in operands if index < bound.separator]
        takes_behind = [last] if last in free else []
        free = [param for param in free if param is not last]
        _too_many(bound, spec, _hand_out(bound, takes_behind, behind))
    _too_many(bound, spec, _map_to_flags(bound, spec, _hand_out(bound, free, operands)))


def allot(params: list[ParamSpec], count: int) -> list[int]:
    """How many of ``count`` operands each positional takes: required ones first, the rest from the left (P1)."""
    spare = count - sum([1 for param in params if param.required])
    unmet = max(-spare, 0)  # required ones that go without, from the right
    shares = []
    for param in reversed(params):
        share = 1 if param.required else 0
        if share and unmet:
            share, unmet = 0, unmet - 1
        shares.append(share)
    shares.reverse()
    for at, param in enumerate(params):
        if spare <= 0:
            break
        more = spare if param.repeatable else 1 - shares[at]
        shares[at] += more
        spare -= more
    return shares


def _hand_out(bound: Bound, params: list[ParamSpec], operands: list[int]) -> list[int]:
    """Fills the params and returns the operands that are left over."""
    shares = allot(params, len(operands))
    surplus = len(operands) - sum(shares)
    if surplus and bound.problems:  # U1: the word behind an unknown flag may have been its value
        flags = {p.where.index for p in bound.problems if p.code == "E-UNKNOWN-FLAG" and isinstance(p.where, WordPlace)}
        doubtful = set([index for index in operands if index - 1 in flags][:surplus])
        operands = [index for index in operands if index not in doubtful]
        shares = allot(params, len(operands))
    start = 0
    for param, share in zip(params, shares):
        _fill(bound, param, operands[start : start + share])
        start += share
    return operands[start:]


def _fill(bound: Bound, param: ParamSpec, operands: list[int]) -> None:
    words, name = bound.words, param.name
    plain = len(param.slots) == 1 and param.slots[0].type in ("string", "any") and not param.delimiter
    if operands and param.repeatable and plain:
        bound.texts[name] = [words[index] for index in operands]
        bound.values[name] = list(bound.texts[name])
        bound.takes += [(name, "", index, False, 1) for index in operands]
        return
    for index in operands:
        if store(bound, param, [words[index]], index - 1, -1):
            bound.takes.append((name, "", index, False, 1))


def _map_to_flags(bound: Bound, spec: ToolSpec, left: list[int]) -> list[int]:
    """P3: left-over operands fill flag params of this node that have no value, never past `--`."""
    if not (left and spec.map_positionals):
        return left
    level = len(spec.path) - 1
    open_params = [
        param
        for param in spec.params
        if not (param.positional or param.repeatable or param.is_flag or param.secret)
        and len(param.slots) == 1
        and param.level >= level
        and param.name not in bound.texts
        and param.name not in bound.faulted
    ]
    taken = 0
    for param, index in zip(open_params, left):
        if 0 <= bound.separator < index:
            break
        _fill(bound, param, [index])
        taken += 1
    return left[taken:]


def _too_many(bound: Bound, spec: ToolSpec, left: list[int]) -> None:
    if not left:
        return
    word = bound.words[left[0]]
    form = operand_form(spec)
    more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
    takes = f"takes only `{form}`" if form else "takes no operands"
    message = f"`{word}`{more} is an operand too many: `{spec.full_name}` {takes}"
    bound.problems.append(Problem("E-TOO-MANY", message, WordPlace(left[0]), got=word, surplus=len(left), wanted=form))


def operand_form(spec: ToolSpec) -> str:
    """The operands a node takes, as usage lines write them: `SRC… DEST [MODE]`."""
    from kernel.faults import label

    parts = []
    for at in spec.positionals:
        param = spec.params[at]
        name = label(param) + ("…" if param.repeatable else "")
        parts.append(("-- " if param.after else "") + (name if param.required else f"[{name}]"))
    return " ".join(parts)
