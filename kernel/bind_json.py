"""JSON arguments, and Python values, to the same Bound that words give (argv-grammar T1, input-schemas.md Calls)."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kernel import strict_json
from kernel.bound import Bound
from kernel.errors import Place, Problem, fail
from kernel.faults import slot_names, type_problem
from kernel.strict_json import JsonError, Number
from kernel.values import KINDS, MAX_DIGITS, Unreadable, int_text, parse_bool, parse_int, parse_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernel.spec import ParamSpec, ToolSpec

_TOO_LONG = 10**MAX_DIGITS
_FORM = 'write `{"NAME": VALUE, …}`, names and texts in double quotes'


def bind_text(spec: ToolSpec, text: str, source: str = "arguments") -> Bound:
    """Binds the JSON object in ``text``. Raises KernelError (E-JSON, with the place in ``source``) when it is none."""
    try:
        given = strict_json.loads(text, exact=spec.strict)
    except JsonError as error:
        lines = text.split("\n")
        line = lines[error.line - 1] if error.line <= len(lines) else ""
        raise fail("E-JSON", error.message, Place(source, error.line, error.column, line), hint=_FORM) from None
    if not isinstance(given, dict):
        message = f"the arguments of `{spec.full_name}` must be a JSON object, got {_shown(given)}"
        raise fail("E-JSON", message, Place(source, 1, 1, text.split("\n", 1)[0]), hint=_FORM)
    return bind_mapping(spec, given)


def bind_mapping(spec: ToolSpec, mapping: Mapping[str, Any], *, escapes: bool = False, by_model: bool = False) -> Bound:
    """Binds named values: JSON natives (``strict_json.Number`` too), or Python's, where a tuple is a list.

    ``spec`` is the node to call. With ``escapes`` strings may hold the surrogates that stand for bytes which are no
    UTF-8 (file names from `os.listdir`), and bytes and paths are texts; otherwise lone surrogates are refused (W1).
    ``by_model`` refuses params that are hidden: they are for people who know them, and no schema shows them.
    Never raises for what the mapping says: faults are in ``bound.problems``.
    """
    bound = Bound(spec)
    bound.by_json = True
    keys = _exact_keys(spec) if spec.strict else known_keys(spec)
    seen: dict[str, str] = {}
    for key, given in mapping.items():
        if not isinstance(key, str):
            bound.problems.append(_unknown_key(spec, repr(key)))
            continue
        param = keys.get(key if spec.strict else key.replace("-", "_")) or keys.get(key)
        if param is None or (by_model and param.hidden):
            bound.problems.append(_unknown_key(spec, key))
        elif param.name in seen:
            message = f"`{seen[param.name]}` and `{key}` are both the param `{param.name}`"
            bound.problems.append(Problem("E-DUPLICATE", message, None, "give one of them", param=param.name, got=key))
        else:
            seen[param.name] = key
            take(bound, param, given, escapes=escapes)
    if spec.children and not (spec.has_exec or spec.builtin):
        names = [name for name, at in spec.child_names.items() if spec.children[at][0] == name]
        hint = f"call one of {', '.join([f'`{spec.full_name} {name}`' for name in names])}"
        bound.problems.append(Problem("E-SUBCOMMAND", f"`{spec.full_name}` is called by its subcommands", None, hint, wanted=names))
    return bound


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def _exact_keys(spec: ToolSpec) -> dict[str, ParamSpec]:
    return {param.name: param for param in spec.params}


def known_keys(spec: ToolSpec) -> dict[str, ParamSpec]:
    """JSON keys of a tool's params (N5): names with `_` for `-`, and declared aliases without their dashes.

    A key that two aliases would share belongs to neither.
    """
    aliases: dict[str, ParamSpec | None] = {}
    for param in spec.params:
        for spelling in param.spellings[: param.declared]:
            key = spelling.lstrip("-")
            aliases[key] = param if aliases.get(key, param) is param else None
    keys = {key: param for key, param in aliases.items() if param is not None}
    keys.update({param.name.replace("-", "_"): param for param in spec.params})
    return keys


def _unknown_key(spec: ToolSpec, key: str) -> Problem:
    names = [param.name for param in spec.params if not param.hidden]
    listed = ", ".join([f"`{name}`" for name in names[:20]]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    hint = f"it takes {listed}" if names else "it takes no arguments"
    return Problem("E-UNKNOWN-KEY", f"`{key}` is no argument of `{spec.full_name}`", None, hint, got=key, known=names)


def take_text(bound: Bound, param: ParamSpec, text: str, source: str) -> None:
    """The JSON text of a variable as the value of a list or tuple param (T3); ``source`` names the variable."""
    try:
        given = strict_json.loads(text)
    except JsonError as error:
        wanted = Unreadable("a JSON array", str(error))
        _report(bound, param, type_problem(param, -1, text, wanted, None, source))
        return
    take(bound, param, given, origin="env", source=source)


def take(bound: Bound, param: ParamSpec, given: Any, *, origin: str = "json", source: str = "", escapes: bool = False) -> None:
    """Types one given value in the shape of its param and keeps it; a fault becomes a problem of ``bound``."""
    name = param.name
    strict = bound.spec.strict
    if given is None and not strict and not param.required and param.type != "json":
        return  # T1: "not given"
    reader = _Reader(bound, param, source, strict, escapes)
    if param.repeatable:
        if not isinstance(given, (list, tuple)):
            hint = "" if param.secret or given is None else "one entry is an array of one as well"
            reader.wrong("an array with one entry per occurrence", given, hint=hint)
            return
        if not given:
            return
        pairs = [reader.entry(item, at) for at, item in enumerate(given)]
    else:
        pairs = [reader.entry(given, 0)]
    if reader.failed:
        bound.faulted.setdefault(name, set())
        return
    bound.origins[name] = origin
    if param.repeatable:
        bound.values[name] = [value for value, _ in pairs]
        bound.texts[name] = [text for _, text in pairs]
    else:
        bound.values[name], bound.texts[name] = pairs[0]


def _report(bound: Bound, param: ParamSpec, problem: Problem) -> None:
    bound.problems.append(problem)
    bound.faulted.setdefault(param.name, set())


class _Reader:
    """Reads the occurrences of one param, noting faults in the call."""

    def __init__(self, bound: Bound, param: ParamSpec, source: str, strict: bool, escapes: bool) -> None:
        self.bound = bound
        self.param = param
        self.source = source
        self.strict = strict
        self.escapes = escapes
        self.failed = False
        self.at = -1  # which entry of a repeatable param is read

    def wrong(self, wanted: str, given: Any, slot: int = -1, note: str = "", hint: str = "") -> tuple[Any, Any]:
        param = self.param
        slots = param.slots
        part = f" for `{slot_names(param)[slot]}`" if slot >= 0 and len(slots) > 1 else ""
        got = "***" if param.secret else _shown(given)
        behind = f" from {self.source}" if self.source else ""
        entry = f"[{self.at}]" if self.at >= 0 else ""
        message = f"`{param.name}{entry}` wants {wanted}{part}, got {got}{behind}" + (f": {note}" if note else "")
        facts: dict[str, Any] = {} if param.secret else {"got": got}
        problem = Problem("E-TYPE", message, None, hint, secret=bool(param.secret), param=param.name, wanted=wanted, **facts)
        _report(self.bound, param, problem)
        self.failed = True
        return None, None

    def entry(self, given: Any, at: int) -> tuple[Any, Any]:
        """Value and text of one occurrence."""
        param = self.param
        self.at = at if param.repeatable else -1
        if param.count:
            return self._count(given)
        if len(param.slots) == 1:
            value, text = self.slot(given, 0)
            if param.delimiter and not self.failed and (not text or param.delimiter in text):
                return self.wrong(f"entries that are not empty and hold no `{param.delimiter}`", given)
            return value, text
        parts = self._parts(given)
        if parts is None:
            return None, None
        pairs = [self.slot(part, slot) for slot, part in enumerate(parts)]
        texts = [text for _, text in pairs]
        if param.split and not self.failed:
            for slot, text in enumerate(texts[: len(param.slots) - 1]):
                if param.split in text:
                    return self.wrong(f"text without `{param.split}`", text, slot)
        return [value for value, _ in pairs], texts

    def _count(self, given: Any) -> tuple[Any, Any]:
        value, text = self.slot(given, 0, "int")
        if not self.failed and value < 0:
            return self.wrong("a whole number ≥ 0", given)
        return value, text

    def _parts(self, given: Any) -> list[Any] | None:
        """The parts of an N-tuple: a list of them, or an object of slot names in any case."""
        param = self.param
        slots = param.slots
        least = sum([1 for slot in slots if not slot.optional])
        names = [_folded(slot.name) for slot in slots]
        if isinstance(given, dict):
            by_name = {_folded(str(key)): part for key, part in given.items()}
            known = [name for name in names if name and name in by_name]
            if len(by_name) == len(given) == len(known) and known == names[: len(known)] and len(known) >= least:
                return [by_name[name] for name in known]
        elif isinstance(given, (list, tuple)) and least <= len(given) <= len(slots):
            return list(given)
        listed = ", ".join([f"`{name}`" for name in slot_names(param)])
        how_many = f"{len(slots)} values" if least == len(slots) else f"{least} to {len(slots)} values"
        self.wrong(f"a list of {how_many} ({listed}), or an object of these names", given)
        return None

    def slot(self, given: Any, at: int, kind: str = "") -> tuple[Any, str]:
        """Value and text of one part."""
        kind = kind or self.param.slots[at].type
        if self.escapes and isinstance(given, (bytes, os.PathLike)):
            given = os.fsdecode(given)  # file names as Python has them
        try:
            return typed_strictly(kind, given, self.escapes) if self.strict else typed(kind, given, self.escapes)
        except Unreadable as error:
            value, text = self.wrong(error.wanted, given, at, error.note)
            return value, text


def typed(kind: str, given: Any, escapes: bool = False) -> tuple[Any, str]:
    """Value and text of a JSON or Python value in the type ``kind`` (T1). Raises Unreadable.

    The right JSON kind passes; text that converts without loss is taken for int, number, bool, array and object, and
    is then the text that the child gets.
    """
    if isinstance(given, Number):
        try:
            given = given.plain()
        except ValueError as error:
            raise Unreadable(KINDS[kind][0], str(error)) from None
    wanted = KINDS[kind][0]
    if isinstance(given, str):
        _judge_text(given, wanted, escapes)
        if kind in ("string", "any"):
            return given, given
        if kind == "json":
            return given, strict_json.dumps(given)
        return _lossless(kind, given), given
    if kind in ("json", "any"):
        value = plain(given, wanted, escapes)
        return value, strict_json.dumps(value)
    if kind == "bool" and isinstance(given, bool):
        return given, "true" if given else "false"
    if kind == "int" or kind == "number":
        return _number(kind, given)
    if (kind == "array" and isinstance(given, (list, tuple))) or (kind == "object" and isinstance(given, dict)):
        value = plain(given, wanted, escapes)
        return value, strict_json.dumps(value)
    raise Unreadable(wanted)


def _lossless(kind: str, text: str) -> Any:
    if kind == "int":
        return parse_int(text)
    if kind == "bool":
        return parse_bool(text)
    value = KINDS[kind][1](text)
    if kind == "number" and isinstance(value, float) and Decimal(text) != Decimal(repr(value)):
        raise Unreadable("a number", "the text has more digits than a number keeps")
    return value


def _number(kind: str, given: Any) -> tuple[int | float, str]:
    wanted = KINDS[kind][0]
    if isinstance(given, bool) or not isinstance(given, (int, float, Decimal)):
        raise Unreadable(wanted)
    if isinstance(given, int):
        if given.bit_length() > 14_000 and abs(given) >= _TOO_LONG:
            raise Unreadable(wanted, f"it has more than {MAX_DIGITS:,} digits")
        return given, int_text(given)
    exact = Decimal(repr(given)) if isinstance(given, float) else given
    if not exact.is_finite():
        raise Unreadable(wanted)
    if kind == "int":
        if exact.adjusted() >= MAX_DIGITS:
            raise Unreadable(wanted, f"it has more than {MAX_DIGITS:,} digits")
        whole = int(exact)
        if whole != exact:
            raise Unreadable(wanted)
        return whole, int_text(whole)
    value = given if isinstance(given, float) else parse_number(str(given))
    return value, strict_json.dumps(given)


def typed_strictly(kind: str, given: Any, escapes: bool = False) -> tuple[Any, str]:
    """The same under an input schema: no conversion at all, numbers exact, their text normalised."""
    wanted = KINDS[kind][0]
    if kind == "string" and isinstance(given, str):
        _judge_text(given, wanted, escapes)
        return given, given
    if kind == "bool" and isinstance(given, bool):
        return given, "true" if given else "false"
    if kind in ("int", "number") and isinstance(given, (Number, int, float, Decimal)) and not isinstance(given, bool):
        number = given if isinstance(given, Number) else Number(_number_text(given, wanted))
        if kind == "int" and not number.is_integer():
            raise Unreadable(wanted)
        text = number.normalised("integer" if kind == "int" else "number")
        return _as_plain(text, number), text
    raise Unreadable(wanted)


def _number_text(given: int | float | Decimal, wanted: str) -> str:
    if not isinstance(given, int) and not Decimal(given).is_finite():
        raise Unreadable(wanted)
    return strict_json.dumps(given)


def _as_plain(text: str, number: Number) -> Any:
    """A Python number where one holds the exact value, the Number itself otherwise."""
    digits = text[1:] if text[:1] == "-" else text
    if digits.isdigit():
        return int(text) if len(digits) <= MAX_DIGITS else number
    try:
        return number.plain()
    except ValueError:
        return number


def _judge_text(text: str, wanted: str, escapes: bool) -> None:
    """W1: text that no argv can carry."""
    try:
        text.encode("utf-8", "surrogateescape" if escapes else "strict")
    except UnicodeEncodeError as error:
        raise Unreadable(wanted, f"the surrogate U+{ord(text[error.start]):04X} stands alone") from None


def plain(given: Any, wanted: str, escapes: bool = False, depth: int = 0) -> Any:
    """A JSON value of Python's natives, checked at every level: tuples become lists, anything odd is Unreadable."""
    if depth > strict_json.MAX_DEPTH:
        raise Unreadable(wanted, f"it is nested deeper than {strict_json.MAX_DEPTH}")
    if given is None or isinstance(given, (bool, int)):
        return given
    if isinstance(given, str):
        _judge_text(given, wanted, escapes)
        return given
    if isinstance(given, (list, tuple)):
        return [plain(item, wanted, escapes, depth + 1) for item in given]
    if isinstance(given, dict):
        for key in given:
            if not isinstance(key, str):
                raise Unreadable(wanted, f"the key {key!r} is no text")
            _judge_text(key, wanted, escapes)
        return {key: plain(item, wanted, escapes, depth + 1) for key, item in given.items()}
    if isinstance(given, Number):
        try:
            return given.plain()
        except ValueError as error:
            raise Unreadable(wanted, str(error)) from None
    if isinstance(given, (float, Decimal)) and Decimal(given).is_finite():
        return given
    raise Unreadable(wanted, f"{given} is no JSON number" if isinstance(given, (float, Decimal)) else "that is no JSON value")


def _shown(given: Any) -> str:
    """A given value in a message, shortened; a number as it was written where that is known."""
    try:
        text = given.text if isinstance(given, Number) else strict_json.dumps(plain(given, "", escapes=True))
    except (Unreadable, ValueError, RecursionError):
        if not isinstance(given, (str, float, Decimal)):
            return f"a value of the Python type `{type(given).__name__}`"
        text = strict_json.dumps(given) if isinstance(given, str) else str(given)
    return f"`{text if len(text) <= 60 else text[:59] + '…'}`"
