"""What must hold of a bound call before it is rendered: fallbacks, choices, ranges, patterns, keys, groups (T2–T4).

All problems of a call are raised together, those of `bind` included, by word and then by param (U1).
"""

from __future__ import annotations

from kernel.errors import KernelError, Problem, WordPlace
from kernel.values import KINDS, Unreadable, parse_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kernel.bound import Bound
    from kernel.places import Places
    from kernel.spec import ParamSpec, Slot, ToolSpec

    # name, param, whether it has a fallback, what stands for "none" (bool int list or None), choices, low, high,
    # and whether more is to be looked at than these three
    Row = tuple[str, ParamSpec, bool, Any, Any, Any, Any, bool]

MAX_PATTERNED = 10_000  # T2: characters of a value that a pattern is tried on


def check(bound: Bound, variables: Mapping[str, str]) -> Bound:
    """Completes a bound call with env values (``variables``) and defaults, and returns it.

    Raises one KernelError with every problem of the call. Afterwards ``bound.values`` also holds `False`, `0` and
    `[]` for the bools, counts, repeatables and N-tuples that have no value.
    """
    spec, values, texts, faulted = bound.spec, bound.values, bound.texts, bound.faulted
    if bound.problems and bound.problems[-1].code == "E-SUBCOMMAND":
        raise _all_together(bound)  # the node that would say what is required is not known
    for name, param, fallback, none, choices, low, high, more in spec.checks or _rows(spec):
        if name not in texts:
            settled = name in faulted or (fallback and _fall_back(bound, param, variables))
            if not settled and param.required:
                from kernel import faults

                bound.problems.append(faults.required_problem(param, bound.by_json))
                faulted[name] = set()
            if name not in texts:
                if none is not None:
                    values[name] = none()
                continue
        elif fallback:
            _remember_hidden(bound, param, variables)
        if more or faulted:
            _examine(bound, param)
        elif choices is not None or low is not None or high is not None:
            value = values[name]
            fits = choices is None or value in choices
            if not (fits and (low is None or value >= low) and (high is None or value <= high)):
                _examine(bound, param)
    if len(spec.positionals) > 1:
        _find_gap(bound)
    for kind, members in spec.groups:
        _check_group(bound, kind, members)
    if bound.problems:
        raise _all_together(bound)
    return bound


def _rows(spec: ToolSpec) -> list[Row]:
    rows: list[Row] = []
    for param in spec.params:
        slot = param.slots[0]
        none: Any = None
        if param.repeatable or len(param.slots) > 1:
            none = list
        elif param.count:
            none = int
        elif slot.type == "bool" and not spec.strict:
            none = bool
        one = len(param.slots) == 1 and not param.repeatable and slot.type in ("string", "int", "number", "bool")
        limited = any(s.choices or s.min or s.max or s.pattern for s in param.slots)
        counted = param.min_items >= 0 or param.max_items >= 0 or param.items or param.unique_by >= 0
        more = bool(counted or param.delimiter or param.split or (limited and not one) or slot.pattern)
        choices, low, high = _limits(slot) if one and not more else (None, None, None)
        fallback = bool(param.env) or param.default is not None
        if fallback or more or param.required or not (none is choices is low is high is None):
            rows.append((param.name, param, fallback, none, choices, low, high, more))
    spec.checks = rows
    return rows


def _limits(slot: Slot) -> tuple[Any, Any, Any]:
    """Choices as a collection of typed values, lower and upper bound; None for each that is not set."""
    choices: Any = None
    if slot.choices:
        convert = KINDS[slot.type][1]
        choices = [convert(text) for text, _ in slot.choices]
        if slot.type in ("string", "int", "number", "any"):
            choices = frozenset(choices)
    low = parse_number(slot.min) if slot.min else None
    high = parse_number(slot.max) if slot.max else None
    return choices, low, high


# Fallbacks (T3)


def _fall_back(bound: Bound, param: ParamSpec, variables: Mapping[str, str]) -> bool:
    """Takes the value of the variable, else the default. Whether the matter is settled, be it by a problem."""
    text = variables.get(param.env, "") if param.env else ""
    if text:
        _take_variable(bound, param, text)
        return True
    if param.default is None or param.default == []:
        return False
    bound.texts[param.name] = param.default
    bound.values[param.name] = _typed_default(param)
    bound.origins[param.name] = "default"
    return True


def _take_variable(bound: Bound, param: ParamSpec, text: str) -> None:
    source = f"the variable `{param.env}`"
    if param.repeatable or len(param.slots) > 1:
        from kernel.bind_json import take_text

        take_text(bound, param, text, source)
        return
    kind = "int" if param.count else param.slots[0].type
    try:
        value = KINDS[kind][1](text)
        if param.count and value < 0:
            raise Unreadable("a whole number ≥ 0")
    except Unreadable as error:
        from kernel import faults

        bound.problems.append(faults.type_problem(param, 0, text, error, None, source))
        bound.faulted[param.name] = set()
        return
    bound.values[param.name], bound.texts[param.name], bound.origins[param.name] = value, text, "env"


def _typed_default(param: ParamSpec) -> Any:
    """The default's value; its texts were checked when the manifest was loaded."""
    if param.count:
        return KINDS["int"][1](param.default)
    converts = [KINDS[slot.type][1] for slot in param.slots]

    def entry(texts: Any) -> Any:
        return [convert(text) for convert, text in zip(converts, texts)] if len(converts) > 1 else converts[0](texts)

    return [entry(texts) for texts in param.default] if param.repeatable else entry(param.default)


def _remember_hidden(bound: Bound, param: ParamSpec, variables: Mapping[str, str]) -> None:
    """Notes the variable and the default that a given value hides."""
    text = variables.get(param.env, "") if param.env else ""
    if bound.origins.get(param.name) in ("env", "default"):
        return
    hidden = bound.hidden.setdefault(param.name, [])
    if text:
        hidden.append(("env", text))
    if param.default is not None:
        hidden.append(("default", param.default))


# Values (T2, O5)


def _examine(bound: Bound, param: ParamSpec) -> None:
    name = param.name
    value = bound.values[name]
    texts = bound.texts[name]
    bad = bound.faulted.get(name, ())
    slots = param.slots
    limits = [_limits(slot) for slot in slots]
    places: Places | None = None  # looked for when something is wrong
    for entry, (item, text) in enumerate(zip(value, texts) if param.repeatable else ((value, texts),)):
        if entry in bad:
            continue
        parts, pieces = (item, text) if len(slots) > 1 else ((item,), (text,))
        for at, (part, piece) in enumerate(zip(parts, pieces)):
            problem = _fault(param, at, part, piece, limits[at])
            if problem is not None:
                places = places or _places(bound, param)
                problem.where = places.of(entry, at)
                places.tell(problem, entry)
                bound.problems.append(problem)
                bound.faulted.setdefault(name, set()).add(entry)
    counted = value if param.repeatable or slots[0].type == "array" else None
    if counted is not None and not bad:
        few, many = param.min_items, param.max_items
        if (few >= 0 and len(counted) < few) or (0 <= many < len(counted)):
            from kernel import faults

            problem = faults.items_problem(param, len(counted))
            places = places or _places(bound, param)
            problem.where = places.of(len(counted) - 1 if param.repeatable else 0, 0)
            places.tell(problem)
            bound.problems.append(problem)
    if param.unique_by >= 0 and not bad:
        _keep_unique(bound, param, places)


def _places(bound: Bound, param: ParamSpec) -> Places:
    from kernel.places import Places

    return Places(bound, param)


def _fault(param: ParamSpec, at: int, value: Any, text: str, limits: tuple[Any, Any, Any]) -> Problem | None:
    slot = param.slots[at]
    choices, low, high = limits
    if choices is not None and not _among(value, text, choices, slot):
        from kernel.faults import choice_problem

        return choice_problem(param, at, text)
    if (low is not None and value < low) or (high is not None and value > high):
        from kernel.faults import range_problem

        return range_problem(param, at, text)
    if slot.pattern:
        from kernel.pattern_match import matches

        note = f"is longer than {MAX_PATTERNED:,} characters" if len(text) > MAX_PATTERNED else ""
        if note or not matches(slot.pattern, text):
            from kernel.faults import pattern_problem

            return pattern_problem(param, at, text, note)
    if param.items and isinstance(value, list):
        for position, item in enumerate(value):
            if not _is_kind(item, param.items):
                from kernel.faults import type_problem

                wanted = Unreadable(f"{KINDS[param.items][0]} at every place", f"entry {position} is none")
                return type_problem(param, at, text, wanted, None)
    return None


def _among(value: Any, text: str, choices: Any, slot: Slot) -> bool:
    if slot.type == "any":
        return text in choices
    if slot.type in ("array", "object", "json"):
        return any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices)
    return value in choices


def _is_kind(item: Any, kind: str) -> bool:
    """Whether a JSON value inside an array is of a kind; nothing is converted there."""
    if kind in ("json", "any"):
        return True
    if kind == "bool":
        return isinstance(item, bool)
    if kind in ("int", "number"):
        if isinstance(item, (str, bool, list, dict)) or item is None:
            return False
        return kind == "number" or item == int(item)
    return isinstance(item, {"string": str, "array": list, "object": dict}[kind])


def _keep_unique(bound: Bound, param: ParamSpec, places: Places | None) -> None:
    """O5: decides entries that share a key."""
    name, slot = param.name, param.unique_by
    last = param.on_duplicate == "last"
    pairs = list(enumerate(zip(bound.values[name], bound.texts[name])))
    keys: dict[Any, int] = {}
    dropped: set[int] = set()
    for entry, (value, text) in reversed(pairs) if last else pairs:
        key: Any = value[slot] if len(param.slots) > 1 else value
        if isinstance(key, (list, dict)):
            key = text[slot] if len(param.slots) > 1 else text
        key = (isinstance(key, bool), key)
        if key not in keys:
            keys[key] = entry
            continue
        dropped.add(entry)
        if param.on_duplicate == "error":
            places = places or _places(bound, param)
            bound.problems.append(_duplicate(bound, param, keys[key], entry, places))
    if not dropped:
        return
    if param.on_duplicate != "error":
        kept = [(value, text) for entry, (value, text) in pairs if entry not in dropped]
        bound.values[name] = [value for value, _ in kept]
        bound.texts[name] = [text for _, text in kept]
        bound.dropped = {**bound.dropped, name: dropped}


def _duplicate(bound: Bound, param: ParamSpec, first: int, second: int, places: Places) -> Problem:
    from kernel import faults

    text = bound.texts[param.name][second]
    key = text[param.unique_by] if len(param.slots) > 1 else text
    slot = param.slots[param.unique_by].name if len(param.slots) > 1 else "value"
    where, before = places.of(second, param.unique_by), places.of(first, param.unique_by)
    shown = "***" if param.secret else key
    at = f"{before} and {where}" if where is not None and before is not None else f"in the entries {first} and {second}"
    facts = {} if param.secret else {"got": key}
    message = f"`{faults.label(param)}` has the {slot} `{shown}` twice, {at}"
    problem = Problem("E-DUPLICATE", message, where, "give it once", secret=bool(param.secret), param=param.name, **facts)
    places.tell(problem)
    return problem


# Between params (P4, T4)


def _find_gap(bound: Bound) -> None:
    """P4: a positional with a value behind an optional one without."""
    spec = bound.spec
    empty: ParamSpec | None = None
    for at in spec.positionals:
        param = spec.params[at]
        if bound.has(param.name):
            if empty is not None and not param.after:
                from kernel.faults import label

                first, second = (empty.name, param.name) if bound.by_json else (label(empty), label(param))
                message = f"`{second}` has a value while `{first}`, which stands before it, has none"
                hint = f"give `{first}` too"
                bound.problems.append(Problem("E-OPERAND-GAP", message, None, hint, param=param.name, missing=empty.name))
                return
        elif not param.required and empty is None and param.name not in bound.faulted:
            empty = param


def _check_group(bound: Bound, kind: str, members: tuple[str, ...]) -> None:
    given = [name for name in members if name in bound.faulted or (name in bound.origins and _is_given(bound, name))]
    number = len(given)
    if number <= 1 if kind == "exclusive" else number if kind == "required" else number in (0, len(members)):
        return
    if kind == "exclusive" and any(p.facts.get("group") == kind and p.facts.get("given") == given for p in bound.problems):
        return  # another group refuses the same params for the same reason
    from kernel.faults import label

    typed = {name: spelling for name, spelling, *_ in reversed(bound.takes) if spelling}  # the first of each

    def named(name: str) -> str:
        param = bound.spec.param(name)
        return name if bound.by_json or param is None else typed.get(name, "") or label(param)

    listed = ", ".join([f"`{named(name)}`" + (" (given)" if name in given else "") for name in members])
    wanted = {"exclusive": "at most one", "required": "at least one", "together": "all or none"}[kind]
    message = f"{wanted} of {listed} {'may' if kind == 'exclusive' else 'must'} be given"
    place: WordPlace | None = None
    if kind == "exclusive":
        takes = sorted([(take[2], take[0]) for take in bound.takes if take[0] in given])
        later = [index for index, name in takes if name != takes[0][1]]
        place = WordPlace(later[0]) if later else None
    bound.problems.append(Problem("E-GROUP", message, place, members=list(members), given=given, group=kind))


def _is_given(bound: Bound, name: str) -> bool:
    """Whether a param counts in a group: defaults, `false` and a count of 0 do not."""
    value = bound.values[name]
    if bound.origins[name] == "default" or value is False:
        return False
    return value != 0 or not (param := bound.spec.param(name)) or not param.count


def _all_together(bound: Bound) -> KernelError:
    order = {param.name: at for at, param in enumerate(bound.spec.params)}

    def position(problem: Problem) -> tuple[int, int, int]:
        where = problem.where
        if isinstance(where, WordPlace):
            return (0, where.index, where.start)
        return (1, order.get(problem.facts.get("param", ""), len(order)), 0)

    from kernel.faults import name_as_given

    problems = sorted(bound.problems, key=position)
    name_as_given(bound, problems)
    taken = _flags_taken_verbatim(bound)
    if taken:
        problems[0].hint = f"{problems[0].hint}; {taken}" if problems[0].hint else taken
    error = KernelError(problems)
    error.words = bound.words
    return error


def _flags_taken_verbatim(bound: Bound) -> str:
    """V4: a value that spells a flag is worth a word when the line fails."""
    from kernel.bind import flag_table, spells_flag

    verbatim = {param.name for param in bound.spec.params if param.verbatim}
    if not verbatim or not bound.words:
        return ""
    table = flag_table(bound.spec)
    for name, spelling, index, _, count in bound.takes:
        for word in bound.words[index + 1 : index + 1 + count] if name in verbatim and spelling else ():
            if word[:1] == "-" and spells_flag(word, table):
                return f"note that `{spelling}` took `{word}`, which spells a flag, as its value"
    return ""
