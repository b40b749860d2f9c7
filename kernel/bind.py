"""Words to values in one pass (argv-grammar.md), over a table made of the spec at its first use.

Faults are noted in ``bound.problems`` and reading goes on; ``check`` raises them all together (U1).
"""

from __future__ import annotations

from kernel.bound import Bound
from kernel.errors import Problem, WordPlace
from kernel.occurrences import store, unreadable
from kernel.operands import bind_operands
from kernel.spec import ToolSpec
from kernel.values import KINDS, Unreadable, int_text, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from kernel.spec import ParamSpec

    Entry = tuple[int, str, Any, ParamSpec]

# What a spelling asks for; the loop of `_read_flags` answers the first five itself, `_occurrence` the others.
TEXT, TYPED, LIST, SWITCH, TUPLES, OTHER, NEGATION = range(7)


def bind(spec: ToolSpec, words: list[str]) -> Bound:
    """Binds a call's words; ``bound.spec`` is the node of the subcommand tree they chose (S1).

    Never raises for what the words say: faults are in ``bound.problems``, in the order they were met.
    """
    bound = Bound(spec, words)
    operands: list[int] = []
    index = 0
    while spec.children:
        index = _read_flags(bound, spec, index, operands)
        chosen = _choose(bound, spec, index)
        if chosen is None:
            break
        bound.commands += (index,)
        bound.spec = spec = chosen
        index += 1
    else:
        if spec.flags != "none":
            index = _read_flags(bound, spec, index, operands)
        end = len(words)
        if index < end:
            if spec.flags == "anywhere" or (spec.flags != "none" and words[index] == "--"):
                bound.separator = index
                index += 1
            operands += range(index, end)
        if operands:
            bind_operands(bound, spec, operands)
        if spec.unknown_flags == "pass":
            bound.passed = [words[at] for at in sorted([*operands, bound.separator]) if at >= 0]
    bound.origins = dict.fromkeys(bound.texts, "argv")
    return bound


def flag_table(spec: ToolSpec) -> dict[str, Entry]:
    """Every spelling valid where this node's flags stand, and what it asks for.

    Before a child's name only the node's own flags may stand (S1); at a leaf its ancestors' may as well (S2).
    """
    table: dict[str, Entry] | None = spec.flags_table
    if table is not None:
        return table
    table = {}
    level = len(spec.path) - 1 if spec.children else None
    for spelling, at in spec.spellings.items():
        param = spec.params[at]
        if level is None or param.level >= level:
            mode = _mode(param)
            convert = len(param.slots) if mode == TUPLES else KINDS[param.slots[0].type][1]
            table[spelling] = (mode, param.name, convert, param)
    for spelling, at in spec.negations.items():
        param = spec.params[at]
        if level is None or param.level >= level:
            table[spelling] = (NEGATION, param.name, None, param)
    spec.flags_table = table
    return table


def _mode(param: ParamSpec) -> int:
    if param.count or param.optional_value is not None or param.verbatim or param.delimiter or param.split:
        return OTHER
    if len(param.slots) > 1:
        typed = [slot for slot in param.slots if slot.type not in ("string", "any")]
        return TUPLES if param.repeatable and not typed else OTHER
    kind = param.slots[0].type
    if param.repeatable:
        return OTHER if param.is_flag else LIST
    if param.is_flag and not param.positional:
        return SWITCH
    return TEXT if kind in ("string", "any") else TYPED


def spells_flag(word: str, table: Container[str]) -> bool:
    """Whether a value flag stops at this word (V4): `--`, or a declared spelling, whole or up to its `=`."""
    if word in table or word == "--":
        return True
    cut = word.find("=")
    return cut > 0 and word[:cut] in table


def is_operand(word: str, spec: ToolSpec) -> bool:
    """Whether a leaf reads the word as an operand where its flags stand (W3–W5)."""
    if word[:1] != "-" or word == "-":
        return True
    table = flag_table(spec)
    return word != "--" and word not in table and not _read_dashed(Bound(spec, [word]), spec, table, 0)


def _choose(bound: Bound, spec: ToolSpec, index: int) -> ToolSpec | None:
    """The subcommand that the word names (S1), or None with a problem, or with none where the node runs itself."""
    words = bound.words
    if index == len(words):
        if not (spec.has_exec or spec.builtin):
            bound.problems.append(_no_child(spec, f"`{spec.full_name}` wants a subcommand", None))
        return None
    word = words[index]
    child = spec.child(word)
    if child is None:
        if word == "--":
            message = f"`--` stands where `{spec.full_name}` wants the name of a subcommand"
        else:
            message = f"`{word}` is no subcommand of `{spec.full_name}`"
        bound.problems.append(_no_child(spec, message, WordPlace(index), got=word))
    return child


def _no_child(spec: ToolSpec, message: str, place: WordPlace | None, **facts: Any) -> Problem:
    children = [ToolSpec.unpack(packed) for packed in spec.children]
    names = [child.name for child in children if not child.hidden]
    return Problem("E-SUBCOMMAND", message, place, f"one of {_listed(names)}", wanted=names, **facts)


def _listed(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names[:12]]
    return ", ".join(shown) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _read_flags(bound: Bound, spec: ToolSpec, index: int, operands: list[int]) -> int:
    """Reads flags, and collects the operands between them, up to `--` or the end.

    Where flags stand before operands only, or a child's name comes first, the first operand ends it too.
    Returns the index of the word that ended it.
    """
    words, values, texts, takes, faulted = bound.words, bound.values, bound.texts, bound.takes, bound.faulted
    table = spec.flags_table or flag_table(spec)
    lookup = table.get
    stay = spec.flags == "anywhere" and not spec.children
    end = len(words)
    while index < end:
        word = words[index]
        entry = lookup(word)
        if entry is None:
            if word[:1] == "-" and word != "-":
                if word == "--":
                    return index
                after = _read_dashed(bound, spec, table, index)
                if after:
                    index = after
                    continue
            if not stay:
                return index
            operands.append(index)
            index += 1
            continue
        mode, name, convert, param = entry
        if mode <= LIST:
            place = index + 1
            if place == end or ((text := words[place])[:1] == "-" and spells_flag(text, table)):
                from kernel.faults import too_few

                too_few(bound, param, word, index, [], place)
                index = place
                continue
            if mode == LIST:
                value = text
                if convert is not str:
                    try:
                        value = convert(text)
                    except Unreadable as error:
                        unreadable(bound, param, 0, text, WordPlace(place), error, len(texts.get(name, ())))
                if name in texts:
                    texts[name].append(text)
                    values[name].append(value)
                else:
                    texts[name], values[name] = [text], [value]
            else:
                if faulted and name in faulted:
                    del faulted[name]  # O1: this occurrence takes the place of the one at fault
                texts[name] = values[name] = text
                if mode == TYPED:
                    try:
                        values[name] = convert(text)
                    except Unreadable as error:
                        unreadable(bound, param, 0, text, WordPlace(place), error, 0)
            takes.append((name, word, index, False, 1))
            index += 2
        elif mode == SWITCH:
            if faulted and name in faulted:
                del faulted[name]
            values[name] = True
            texts[name] = "true"
            takes.append((name, word, index, False, 0))
            index += 1
        else:
            if mode == TUPLES:
                pieces = words[index + 1 : index + 1 + convert]
                for text in pieces:
                    if text[:1] == "-" and spells_flag(text, table):
                        break
                else:
                    if len(pieces) == convert:
                        if name in texts:
                            texts[name].append(pieces)
                            values[name].append(pieces[:])
                        else:
                            texts[name], values[name] = [pieces], [pieces[:]]
                        takes.append((name, word, index, False, convert))
                        index += 1 + convert
                        continue
            index = _occurrence(bound, table, entry, word, index)
    return index


def _read_dashed(bound: Bound, spec: ToolSpec, table: dict[str, Entry], index: int) -> int:
    """A word that begins with a dash and is no spelling as it stands: the index behind it, or 0 for an operand."""
    word = bound.words[index]
    if word[1] in "0123456789.":
        digits = word[1:]
        if spec.number_flag >= 0 and digits.isdigit() and digits.isascii():  # V9
            param = spec.params[spec.number_flag]
            return _occurrence(bound, table, (OTHER, param.name, None, param), word, index, digits, 1)
        if not spec.digit_flags and is_number(word):  # W4
            return 0
    cut = word.find("=")
    if cut > 2 and (entry := table.get(word[:cut])) is not None:
        return _occurrence(bound, table, entry, word[:cut], index, word[cut + 1 :], cut + 1)
    wrong = 1
    if word[1] != "-":  # V7: letter by letter, once to see whether all are declared, once to bind
        wrong = _undeclared_letter(word, table)
        if not wrong:
            return _read_letters(bound, table, index)
    if spec.unknown_flags == "pass" and not spec.children:  # U2
        return 0
    flag = word if word[1] == "-" or len(word) == 2 else f"-{word[wrong]}"
    if word[1] == "-" and cut > 0:
        flag = word[:cut]
    shown = word
    if any(param.secret for param in spec.params):
        from kernel import masking

        shown = masking.unread(spec, word)
    within = f" in `{shown}`" if flag not in (word, word[:cut]) else ""
    message = f"`{flag}`{within} is no flag of `{spec.full_name}`"
    place = WordPlace(index, wrong, 1) if within else WordPlace(index, 0, len(flag))
    bound.problems.append(Problem("E-UNKNOWN-FLAG", message, place, flag=flag, got=shown, tool=spec.full_name))
    return index + 1


def _undeclared_letter(word: str, table: dict[str, Entry]) -> int:
    """The position of the first letter of a short word that spells nothing, 0 when the whole word can be read."""
    for at in range(1, len(word)):
        entry = table.get("-" + word[at])
        if entry is None:
            return 0 if at > 1 and word[at] == "=" else at
        if not entry[3].is_flag:
            return 0
    return 0


def _read_letters(bound: Bound, table: dict[str, Entry], index: int) -> int:
    word = bound.words[index]
    at, end = 1, len(word)
    while at < end:
        spelling = "-" + word[at]
        entry = table[spelling]
        at += 1
        if at == end:
            return _occurrence(bound, table, entry, spelling, index)
        param = entry[3]
        if not param.is_flag:
            if word[at] == "=" and param.slots[0].type not in ("string", "any"):  # V3
                at += 1
            return _occurrence(bound, table, entry, spelling, index, word[at:], at)
        if word[at] == "=" and "-=" not in table:
            return _occurrence(bound, table, entry, spelling, index, word[at + 1 :], at + 1)
        _occurrence(bound, table, entry, spelling, index)
    return index + 1


def _occurrence(
    bound: Bound, table: dict[str, Entry], entry: Entry, spelling: str, index: int, attached: str | None = None, start: int = 0
) -> int:
    """One occurrence of a flag: takes its words (V2–V6), returns the index behind the last.

    ``attached`` is the text in the flag's own word, ``start`` where it begins there.
    """
    mode, _, _, param = entry
    if mode == NEGATION:
        return _negate(bound, param, spelling, index, attached, start)
    if param.is_flag and not param.positional:
        return _switch(bound, param, spelling, index, attached, start)
    words = bound.words
    after = index + 1
    if attached is not None:
        pieces = [attached]
    elif param.optional_value is not None:  # V8
        store(bound, param, [param.optional_value], index, -1)
        bound.takes.append((param.name, spelling, index, False, 0))
        return after
    else:
        pieces = []
    wanted = 1 if param.split else len(param.slots)
    while len(pieces) < wanted:
        if after == len(words) or (not param.verbatim and words[after][:1] == "-" and spells_flag(words[after], table)):
            from kernel.faults import too_few

            too_few(bound, param, spelling, index, pieces, after)
            return after
        pieces.append(words[after])
        after += 1
    if store(bound, param, pieces, index, start if attached is not None else -1):
        bound.takes.append((param.name, spelling, index, attached is not None, after - index - 1))
    return after


def _switch(bound: Bound, param: ParamSpec, spelling: str, index: int, attached: str | None, start: int) -> int:
    """A bool or count flag (V1)."""
    name = param.name
    if param.count:
        if attached is None:
            number = bound.values.get(name, 0) + 1
        elif attached.isdigit() and attached.isascii():
            number = KINDS["int"][1](attached)
        else:
            return _no_such_text(bound, param, spelling, index, attached, start, "a whole number ≥ 0")
        bound.values[name] = number
        bound.texts[name] = int_text(number)
    else:
        text = "true" if attached is None else attached
        if text not in ("true", "false"):
            return _no_such_text(bound, param, spelling, index, text, start, "`true` or `false`")
        store(bound, param, [text], index, start)
    bound.takes.append((name, spelling, index, attached is not None, 0))
    return index + 1


def _negate(bound: Bound, param: ParamSpec, spelling: str, index: int, attached: str | None, start: int) -> int:
    if attached is not None:
        return _no_such_text(bound, param, spelling, index, attached, start, "")
    if param.count:
        bound.values[param.name], bound.texts[param.name] = 0, "0"
    else:
        store(bound, param, ["false"], index, -1)
    bound.takes.append((param.name, spelling, index, False, 0))
    return index + 1


def _no_such_text(bound: Bound, param: ParamSpec, spelling: str, index: int, text: str, start: int, wanted: str) -> int:
    takes = f"takes no text but {wanted}" if wanted else "takes no value"
    hint = f"write `{spelling}` alone"
    place = WordPlace(index, start, len(text))
    facts: dict[str, Any] = {"param": param.name, "flag": spelling, "wanted": wanted, "got": text}
    bound.problems.append(Problem("E-UNEXPECTED-VALUE", f"`{spelling}` {takes}, got `{text}`", place, hint, **facts))
    bound.faulted.setdefault(param.name, set())
    return index + 1
