"""One occurrence of a param: its pieces cut, typed and kept in the shape of the param (argv-grammar, Occurrences)."""

from __future__ import annotations

from kernel.errors import WordPlace
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
    if param.split:
        whole = pieces[0]
        pieces = whole.split(param.split, len(slots) - 1)
        if len(pieces) < sum([1 for slot in slots if not slot.optional]):
            from kernel.faults import split_problem

            problem = split_problem(param, whole, _place(index, start, 0, whole))
            typed_as = bound.words[index][: start if start >= 0 else None].removesuffix("=") if index >= 0 else ""
            if typed_as in param.spellings:
                problem.message = problem.message.replace(f"`{param.spellings[0]}`", f"`{typed_as}`", 1)
            bound.problems.append(problem)
            bound.faulted.setdefault(name, set())
            return False
    elif param.delimiter:
        pieces = pieces[0].split(param.delimiter)
    if not param.repeatable:
        bound.faulted.pop(name, None)  # O1: this occurrence takes the place of the one at fault
    try:
        if param.delimiter and "" in pieces:
            raise Unreadable("entries that are not empty")
        if len(slots) > 1:
            typed = [KINDS[slot.type][1](text) for slot, text in zip(slots, pieces)]
        else:
            convert = KINDS[slots[0].type][1]
            typed = [convert(text) for text in pieces]
    except Unreadable:
        typed = _typed_with_faults(bound, param, pieces, index, start)
    value, text = ([typed], [pieces]) if len(slots) > 1 else (typed, pieces)
    if not param.repeatable:
        bound.values[name], bound.texts[name] = value[0], text[0]
    elif name in bound.texts:
        bound.values[name] += value
        bound.texts[name] += text
    else:
        bound.values[name], bound.texts[name] = value, text
    return True


def _typed_with_faults(bound: Bound, param: ParamSpec, pieces: list[str], index: int, start: int) -> list[Any]:
    """The values of the pieces, text where one cannot be read; each of these becomes a problem."""
    shared = bool(param.split or param.delimiter)  # all pieces are parts of one word
    entry = len(bound.texts.get(param.name, ())) if param.repeatable else 0
    word = index if start >= 0 else index + 1
    offset = max(start, 0)
    typed: list[Any] = []
    for at, text in enumerate(pieces):
        slot = at if len(param.slots) > 1 else 0
        place = WordPlace(word, offset, len(text)) if shared else _place(index, start, at, text)
        offset += len(text) + len(param.split or param.delimiter)
        try:
            if param.delimiter and not text:
                raise Unreadable("entries that are not empty")
            typed.append(KINDS[param.slots[slot].type][1](text))
        except Unreadable as error:
            typed.append(text)
            unreadable(bound, param, slot, text, place, error, entry + at if param.delimiter else entry)
    return typed


def _place(index: int, start: int, piece: int, text: str) -> WordPlace:
    if start < 0:
        return WordPlace(index + 1 + piece)
    return WordPlace(index, start, len(text)) if piece == 0 else WordPlace(index + piece)


def unreadable(bound: Bound, param: ParamSpec, slot: int, text: str, place: WordPlace, error: Unreadable, entry: int) -> None:
    from kernel.faults import type_problem

    bound.problems.append(type_problem(param, slot, text, error, place))
    bound.faulted.setdefault(param.name, set()).add(entry)
