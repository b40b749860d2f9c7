"""One occurrence of a param: its pieces cut, typed and kept in the shape of the param (argv-grammar, Occurrences)."""

from __future__ import annotations

from kernel.errors import WordPlace
from kernel.faults import split_problem, type_problem
from kernel.values import KINDS, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ParamSpec


def store(bound: Bound, param: ParamSpec, pieces: list[str], index: int, start: int) -> bool:
    """Cuts (V10, O6), types and keeps one occurrence; False when it had too few pieces and was not kept.

    The pieces are the words behind the word at ``index``; with ``start`` ≥ 0 the first one is in that word, there.
    For an operand ``index`` is one before its word.
    """
    slots = param.slots
    name = param.name
    shared = True  # whether all pieces are parts of one word
    if param.split:
        whole = pieces[0]
        pieces = whole.split(param.split, len(slots) - 1)
        if len(pieces) < sum(1 for slot in slots if not slot.optional):
            bound.problems.append(split_problem(param, whole, _place(index, start, 0, whole)))
            bound.faulted.setdefault(name, set())
            return False
    elif param.delimiter:
        pieces = pieces[0].split(param.delimiter)
    else:
        shared = False
    typed: list[Any] = []
    entry = len(bound.values.get(name, ())) if param.repeatable else 0
    if name in bound.texts and not param.repeatable:
        hide(bound, name)
    offset = max(start, 0)
    for at, text in enumerate(pieces):
        slot = at if len(slots) > 1 else 0
        place = WordPlace(index if start >= 0 else index + 1, offset, len(text)) if shared else _place(index, start, at, text)
        offset += len(text) + len(param.split or param.delimiter)
        try:
            if param.delimiter and not text:
                raise Unreadable("a text", "it is empty")
            typed.append(KINDS[slots[slot].type][1](text))
        except Unreadable as error:
            typed.append(text)
            unreadable(bound, param, slot, text, place, error, entry + at if param.delimiter else entry)
    if param.delimiter:
        bound.values.setdefault(name, []).extend(typed)
        bound.texts.setdefault(name, []).extend(pieces)
        return True
    value, text_value = (typed, pieces) if len(slots) > 1 else (typed[0], pieces[0])
    if param.repeatable:
        bound.values.setdefault(name, []).append(value)
        bound.texts.setdefault(name, []).append(text_value)
    else:
        bound.values[name], bound.texts[name] = value, text_value
    return True


def _place(index: int, start: int, piece: int, text: str) -> WordPlace:
    if start < 0:
        return WordPlace(index + 1 + piece)
    return WordPlace(index, start, len(text)) if piece == 0 else WordPlace(index + piece)


def hide(bound: Bound, name: str) -> None:
    """O1: the occurrence so far gives way to a later one."""
    bound.hidden.setdefault(name, []).append(("argv", bound.texts[name]))
    bound.faulted.pop(name, None)


def unreadable(bound: Bound, param: ParamSpec, slot: int, text: str, place: WordPlace, error: Unreadable, entry: int) -> None:
    bound.problems.append(type_problem(param, slot, text, error, place))
    bound.faulted.setdefault(param.name, set()).add(entry)
