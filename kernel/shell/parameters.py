"""`$name` and `${…}`: looking up, keys and slices, `:-` `:=` `:+` `:?`, lengths, cutting ends."""

from __future__ import annotations

from kernel.errors import Problem
from kernel.shell import patterns, refused
from kernel.shell.data import Data, from_value, text_of, to_value
from kernel.shell.source import ExpansionError
from kernel.shell.tree import Slice, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.shell.data import Field
    from kernel.shell.expand import Expander
    from kernel.shell.source import Source
    from kernel.shell.tree import Param

MISSING = object()


def problem(source: Source, start: int, end: int, message: str, hint: str = "", fatal: bool = False) -> ExpansionError:
    """E-EXPAND at a place."""
    return ExpansionError(Problem("E-EXPAND", message, source.place(start, end), hint), fatal)


def value(expander: Expander, param: Param, source: Source) -> Field:
    """The value that a parameter stands for. Raises ExpansionError."""
    if not (param.path or param.operator or param.length):
        found = expander.state.get(param.name)
        return _unset(expander, param, source) if found is None else found
    found = expander.state.get(param.name)
    if param.path and param.name in "@*":
        found = Data([to_value(field) for field in expander.state.arguments])
    if param.path:
        found = _follow(expander, param, source, found)
    if param.length:
        if param.name in "@*" and not param.path:
            return str(len(expander.state.arguments))
        if found is None:
            found = _unset(expander, param, source)
        sized = isinstance(found, Data) and isinstance(found.value, (list, dict))
        return str(len(found.value) if sized and isinstance(found, Data) else len(text_of(found)))
    return _operated(expander, param, source, found) if param.operator else _present(expander, param, source, found)


def _present(expander: Expander, param: Param, source: Source, found: Field | None) -> Field:
    return _unset(expander, param, source) if found is None else found


def _unset(expander: Expander, param: Param, source: Source) -> Field:
    if expander.state.options["nounset"] and param.name not in "@*":
        hint = f"give it a value, or write `${{{param.name}:-}}`"
        raise problem(source, param.start, param.end, f"`{param.name}` is not set", hint, fatal=True)
    if param.name in refused.UNSET:
        raise problem(source, param.start, param.end, f"`${param.name}` is not part of the language", refused.UNSET[param.name])
    return ""


def _operated(expander: Expander, param: Param, source: Source, found: Field | None) -> Field:
    operator, operand = param.operator, param.operand
    assert operand is not None
    if operator[0] in "#%":
        text = text_of(_present(expander, param, source, found))
        return patterns.without(patterns.compiled(expander.pattern(operand)), text, operator)
    lacks = found is None or (operator[0] == ":" and text_of(found) == "")
    kind = operator[-1]
    if kind == "+":
        return "" if lacks else expander.value(operand)
    if not lacks:
        assert found is not None
        return found
    if kind == "-":
        return expander.value(operand)
    if kind == "?":
        message = expander.text(operand) or "it is not set" if operand.parts else "it has no value"
        raise problem(source, param.start, param.end, f"`{param.name}`: {message}", fatal=True)
    if param.path or not (param.name[0].isalpha() or param.name[0] == "_"):
        raise problem(source, param.start, param.end, f"`{operator}` cannot assign to `{param.name}`", "name a variable")
    given = expander.value(operand)
    expander.state.assign(param.name, given)
    return given


def _follow(expander: Expander, param: Param, source: Source, found: Field | None) -> Field | None:
    """The value at the path; None for what a default may stand in for. A wrong key without a default is an error."""
    lenient = param.operator != "" and param.operator[-1] in "-=+?"
    for key in param.path:
        if key == "@":
            continue
        if found is None:
            if lenient:
                return None
            name = param.name
            raise problem(source, param.start, param.end, f"`{name}` is not set, so it has no elements", "`x=[a b]` makes a list")
        result = (
            _slice(expander, param, source, found, key) if isinstance(key, Slice) else _element(expander, param, source, found, key)
        )
        if result is MISSING:
            if lenient:
                return None
            raise _no_such(expander, param, source, found, key)
        found = result
    return found


def _element(expander: Expander, param: Param, source: Source, found: Field, key: Any) -> Any:
    wanted = expander.text(key)
    if isinstance(found, Data) and isinstance(found.value, dict):
        return from_value(found.value[wanted]) if wanted in found.value else MISSING
    if isinstance(found, Data) and isinstance(found.value, list):
        index = _index(expander, param, source, key, wanted)
        return from_value(found.value[index]) if -len(found.value) <= index < len(found.value) else MISSING
    name = param.name
    if wanted.lstrip("-").isdecimal():
        hint = f"characters are taken by a slice: `${{{name}[{wanted}:{int(wanted) + 1 or ''}]}}`"
    else:
        hint = f'`{name}=$(fromjson <<< "${name}")` reads JSON text'
    raise problem(source, param.start, param.end, f"`{name}` is a text here, which has no elements", hint)


def _index(expander: Expander, param: Param, source: Source, key: Any, text: str) -> int:
    digits = text.strip()
    body = digits[1:] if digits[:1] == "-" else digits
    if not (body.isascii() and body.isdigit() and len(body) < 19):
        message = f"`{text}` is no index of the list `{param.name}`"
        raise problem(source, param.start, param.end, message, "indices are 0, 1, … and -1 for the last")
    return int(digits)


def _slice(expander: Expander, param: Param, source: Source, found: Field, key: Slice) -> Field:
    low, high = [None if end is None else _index(expander, param, source, end, expander.text(end)) for end in (key.low, key.high)]
    if isinstance(found, Data):
        if isinstance(found.value, list):
            return Data(found.value[low:high])
        if isinstance(found.value, dict):
            raise problem(source, param.start, param.end, f"`{param.name}` is a record here, which has no slices", "name a key")
    return text_of(found)[low:high]


def _no_such(expander: Expander, param: Param, source: Source, found: Field, key: Any) -> ExpansionError:
    wanted = expander.text(key) if isinstance(key, Word) else ""
    assert isinstance(found, Data)
    default = f"; `${{{param.name}[{wanted}]:-…}}` gives a default"
    if isinstance(found.value, list):
        size = len(found.value)
        many = f"it has {size} elements, 0 to {size - 1}" if size else "it is empty"
        return problem(source, param.start, param.end, f"the list has no element {wanted}", many + default)
    names = ", ".join([f"`{name}`" for name in list(found.value)[:8]]) or "none"
    return problem(source, param.start, param.end, f"the record has no key `{wanted}`", f"its keys: {names}{default}")
