"""The canonical line of a bound call (R1): words that bind to the same values again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernel.bind import flag_table, is_operand, spells_flag
from kernel.values import MAX_DIGITS, is_number, to_text

if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.spec import ParamSpec


class NoSpelling(ValueError):
    """A value that no words can say; ``param`` is the param's name."""

    def __init__(self, param: str, why: str) -> None:
        super().__init__(f"the value of `{param}` has no spelling in words: {why}")
        self.param = param


def call_words(bound: Bound) -> list[str]:
    """The words behind `kernel call`: `TOOL WORDS…`, or `--args-json JSON TOOL` where words cannot say a value."""
    try:
        return [bound.spec.path[0], *words(bound)]
    except NoSpelling:
        from kernel import strict_json

        return ["--args-json", strict_json.dumps(mapping(bound)), "_".join(bound.spec.path)]


def mapping(bound: Bound) -> dict[str, Any]:
    """The call as JSON arguments, by param name; numbers whose text is not canonical as that text."""
    out: dict[str, Any] = {}
    for param in _given(bound):
        value, text = bound.values[param.name], bound.texts[param.name]
        kinds = ["int"] if param.count else [slot.type for slot in param.slots]

        def entry(value: Any, text: Any, kinds: list[str] = kinds) -> Any:
            if len(kinds) > 1:
                return [_json(kind, part, piece) for kind, part, piece in zip(kinds, value, text)]
            return _json(kinds[0], value, text)

        out[param.name] = [entry(*pair) for pair in zip(value, text)] if param.repeatable else entry(value, text)
    return out


def _json(kind: str, value: Any, text: str) -> Any:
    if kind not in ("int", "number"):
        return value
    return text if to_text(value) != text or len(text) > MAX_DIGITS else value


def words(bound: Bound) -> list[str]:
    """The words behind the tool's name. Raises NoSpelling.

    Values of argv and JSON are written, and of the environment unless secret; defaults follow again by themselves.
    Each node's flags stand right behind its name, operands last (`order: interleaved` keeps them in their places).
    """
    spec = bound.spec
    depth = len(spec.path) - 1
    out: list[str] = []
    for level in range(depth):
        table = {
            spelling: param for param in spec.params if param.level == level for spelling in (*param.spellings, *param.negations)
        }
        for param in _given(bound):
            if param.level == level:
                for entry in _entries(bound, param):
                    out += _flag(param, entry, table, spec.digit_flags or spec.number_flag >= 0)
        out.append(spec.path[level + 1])
    return out + _leaf(bound, depth)


def _given(bound: Bound) -> list[ParamSpec]:
    shown = ("argv", "json", "env")
    return [
        param
        for param in bound.spec.params
        if (origin := bound.origins.get(param.name)) in shown and not (origin == "env" and param.secret)
    ]


def _entries(bound: Bound, param: ParamSpec) -> list[Any]:
    """The texts of each occurrence to write; the whole list is one where a delimiter joins it."""
    name = param.name
    for value in bound.values[name] if param.repeatable else (bound.values[name],):
        for slot, part in zip(param.slots, value if param.is_tuple else (value,)):
            if slot.type == "any" and not isinstance(part, str):
                raise NoSpelling(name, "it is typed, and words are text")
    text = bound.texts[name]
    if param.delimiter:
        return [param.delimiter.join(text)]
    return list(text) if param.repeatable else [text]


def _leaf(bound: Bound, depth: int) -> list[str]:
    """The leaf's own flags and operands."""
    spec = bound.spec
    table = {spelling: entry[3] for spelling, entry in flag_table(spec).items()}
    params = {param.name: param for param in _given(bound) if param.level == depth}
    if spec.flags == "none":
        for param in params.values():
            if not param.positional:
                raise NoSpelling(param.name, "no word is a flag here")
    by_flag = _beyond_operands(bound, params)
    before, behind = _operands(bound, {name: param for name, param in params.items() if name not in by_flag})
    flags: list[list[str]] = []
    in_place: list[str] = []
    left = {name: _entries(bound, param) for name, param in params.items() if not param.positional or name in by_flag}
    digits = spec.digit_flags or spec.number_flag >= 0
    marks = 0
    if spec.order != "declared":
        for trace in bound.trace:
            if bound.passed and not marks and -1 < bound.separator < trace.words[-1]:
                in_place.append("--")  # U2: only where it was typed
                marks = 1
            if trace.param in params and not trace.hidden and left.get(trace.param):
                flags.append(_flag(params[trace.param], left[trace.param].pop(0), table, digits))
                in_place += flags[-1]
            elif not trace.spelling and trace.param in params:
                in_place.append(bound.words[trace.words[-1]])
    for name, entries in left.items():
        flags += [_flag(params[name], entry, table, digits) for entry in entries]
    written = [word for flag in flags for word in flag]
    whole = spec.order == "interleaved" and not behind and len(in_place) == len(written) + len(before) + marks
    if whole and (marks or "--" not in bound.passed) and (marks or all(is_operand(word, spec) for word in before)):
        return in_place
    return written + _behind_flags(bound, before, behind)


def _beyond_operands(bound: Bound, params: dict[str, ParamSpec]) -> set[str]:
    """The positionals to write as flags: a repeatable one takes every operand from an optional one behind it (P1)."""
    repeatable: ParamSpec | None = None
    names: set[str] = set()
    for at in bound.spec.positionals:
        param = bound.spec.params[at]
        if param.repeatable:
            repeatable = param
        elif repeatable and not param.required and not param.after and param.name in params:
            if bound.spec.flags != "none" and repeatable.spellings:
                names.add(repeatable.name)
            elif bound.spec.flags != "none" and param.spellings:
                names.add(param.name)
            else:
                raise NoSpelling(param.name, f"`{repeatable.name}` takes every operand")
    return names


def _operands(bound: Bound, params: dict[str, ParamSpec]) -> tuple[list[str], list[str]]:
    """The operands, and those that stand behind `--` alone (P5)."""
    before: list[str] = []
    behind: list[str] = []
    for at in bound.spec.positionals:
        param = bound.spec.params[at]
        if param.name in params:
            entries = _entries(bound, param)
            (behind if param.after else before).extend([param.split.join(entry) if param.split else entry for entry in entries])
    return before, behind


def _behind_flags(bound: Bound, before: list[str], behind: list[str]) -> list[str]:
    spec = bound.spec
    if spec.flags == "none":
        if behind:
            raise NoSpelling(spec.params[spec.positionals[-1]].name, "no word ends the flags here")
        return before
    typed = list(bound.passed)
    if "--" in typed:
        typed.remove("--")  # the first ends the flags, others are operands
    if bound.passed and typed == before:
        return list(bound.passed)  # U2: `--` only where it was typed
    start = before[:1] if spec.flags == "before-operands" else before
    plain = all(is_operand(word, spec) for word in start)
    after = bool(spec.positionals) and spec.params[spec.positionals[-1]].after
    if not after:
        return before if plain else ["--", *before]
    if before and (not plain or (behind and spec.flags == "before-operands")):
        raise NoSpelling(spec.params[spec.positionals[0]].name, "`--` gives what follows it to another operand")
    return [*before, "--", *behind] if behind else before


def _flag(param: ParamSpec, text: Any, table: dict[str, ParamSpec], digits: bool) -> list[str]:
    """One occurrence as words."""
    spelling = param.spellings[0] if param.spellings else ""
    if not spelling:
        raise NoSpelling(param.name, "it is no flag")
    if param.count:
        if text in ("1", "2", "3"):
            return [spelling] * int(text)
        return [_attached(param, text, table, digits)]
    if param.is_flag and not param.positional:
        if text == "true":
            return [spelling]
        return [param.negations[0] if param.negations else _attached(param, "false", table, digits)]
    if param.optional_value is not None:
        return [spelling] if text == param.optional_value else [_attached(param, text, table, digits)]
    pieces = [param.split.join(text)] if param.split else list(text) if param.is_tuple else [text]
    stops = [not param.verbatim and piece[:1] == "-" and spells_flag(piece, table) for piece in pieces]
    if any(stops[1:]):
        raise NoSpelling(param.name, "a value behind the first spells a flag")
    if stops[0]:
        return [_attached(param, pieces[0], table, digits), *pieces[1:]]
    return [spelling, *pieces]


def _attached(param: ParamSpec, text: str, table: dict[str, ParamSpec], digits: bool) -> str:
    """The occurrence as one word: `--name=text`, else `-ntext`."""
    for spelling in param.spellings:
        if len(spelling) > 2:
            return f"{spelling}={text}"
    for spelling in param.spellings:
        word = f"{spelling}={text}" if param.is_flag and not param.positional else spelling + text
        cut = word.find("=")
        taken = word in table or (cut > 2 and word[:cut] in table) or (digits and word[1:].isdigit())
        taken = taken or (not digits and is_number(word))  # W4
        if text and not taken:
            return word
    raise NoSpelling(param.name, f"nothing can be attached to `{param.spellings[0]}`")
