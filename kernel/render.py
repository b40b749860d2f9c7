"""Bound → Plan: the argument templates filled in, each argv item kept as its pieces (manifest.md, Argument templates)."""

from __future__ import annotations

import os

from kernel import environment
from kernel.errors import fail
from kernel.plan import Item, Piece, Plan
from kernel.values import from_text, int_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ParamSpec, ToolSpec

MOST_TIMES = 200_000  # a count past this makes more argv items than any system takes


def render(bound: Bound, cwd: str = "") -> Plan:
    """The plan of a checked call. Runs nothing and touches no file.

    ``cwd`` is the caller's working directory ("" for the process's own); a relative `cwd: "{P}"` starts there.
    Raises KernelError: E-ENCODING for a NUL byte or text that cannot be encoded, E-DASH for an operand that
    `order: interleaved` cannot place, E-RANGE for a count that no argv can hold.
    """
    spec = bound.spec
    plan = Plan(spec, bound)
    writer = _Writer(bound)
    if spec.has_exec:
        writer.literal(spec.program)
        writer.template(spec.exec)
    else:
        plan.builtin = spec.builtin
        for level, name in enumerate(spec.path or (spec.name,)):  # a builtin has no argv; this is what people are shown
            writer.literal(name)
            writer.rest(level)
    plan.items = writer.items
    for name, pieces in spec.env:
        if pieces is not None and writer.complete(pieces):
            plan.env[name] = writer.pieces(pieces)
    if spec.stdin == "values":
        plan.stdin = _values_text(bound)
    elif isinstance(spec.stdin, str):
        plan.stdin = spec.stdin
    else:
        plan.stdin = writer.pieces(spec.stdin) if writer.complete(spec.stdin) else "none"
    plan.cwd = _directory(bound, cwd)
    plan.timeout = spec.timeout
    plan.effect = _effect(bound)
    _check_encoding(plan)
    return plan


class _Writer:
    """Fills templates: appends to ``items``."""

    __slots__ = ("bound", "items", "params", "spec")

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.spec: ToolSpec = bound.spec
        self.params: dict[str, ParamSpec] = {param.name: param for param in bound.spec.params}
        self.items: list[Item] = []

    # ---- templates -------------------------------------------------------------------------------------------

    def template(self, items: Iterable[Any]) -> None:
        for item in items:
            kind = item[0]
            if kind == "text":
                self.items.append(Item(self.pieces(item[1])))
            elif kind == "splice":
                self.items.extend(self.splice(item[1]))
            elif kind == "rest":
                self.rest(item[1])
            else:
                self.group(item[1], item[2], item[3])

    def literal(self, text: str) -> None:
        self.items.append(Item([Piece(text)]))

    def complete(self, pieces: Iterable[Any], repeated: str = "", entry: Any = None) -> bool:
        """Whether every param that the pieces name has a value, and every optional slot of theirs (V10) is written."""
        for piece in pieces:
            if not isinstance(piece, str):
                name, slot = piece
                if not self.bound.has(name):
                    return False
                if slot >= 0 and self.params[name].split:
                    text = entry if name == repeated else None if self.params[name].repeatable else self.bound.texts[name]
                    if text is not None and slot >= len(text):
                        return False
        return True

    def pieces(self, pieces: Iterable[Any], repeated: str = "", entry: Any = None) -> list[Piece]:
        """One item's pieces; ``entry`` is the current occurrence of the param ``repeated``."""
        out = []
        for piece in pieces:
            if isinstance(piece, str):
                out.append(Piece(piece))
            else:
                name, slot = piece
                out.extend(self.value(self.params[name], slot, entry if name == repeated else None))
        return out

    def value(self, param: ParamSpec, slot: int, entry: Any = None) -> list[Piece]:
        """The pieces that stand for `{name}` or `{name[SLOT]}`."""
        if entry is None:
            entry = self.bound.texts.get(param.name)
            if entry is None:
                raise fail("E-REQUIRED", f"`{param.name}` has no value, and the template of `{self.spec.full_name}` needs one")
        if isinstance(entry, str):
            return [Piece(self.replaced(param, entry), param.name)]
        if param.count:
            return [Piece(int_text(self.bound.values[param.name]), param.name)]
        if slot < 0:
            return self.word(param, entry)
        if slot >= len(entry):
            raise fail("E-REQUIRED", f"`{param.name}` has no `{param.slots[slot].name}`, and the template needs it")
        return [Piece(entry[slot], param.name, slot)]

    def word(self, param: ParamSpec, entry: Any) -> list[Piece]:
        """One entry, or all entries of a `delimiter` param, as the pieces of one word."""
        if isinstance(entry, str):
            return [Piece(self.replaced(param, entry), param.name)]
        out: list[Piece] = []
        for index, text in enumerate(entry):
            if out:
                out.append(Piece(param.split or param.delimiter))
            out.append(Piece(text, param.name, index if param.split else 0))
        return out

    def replacement(self, param: ParamSpec, text: str) -> str | tuple[str, ...] | None:
        """What `as` says the child gets instead of a value, or None."""
        for wanted, given in param.replace:
            if wanted == text or (param.type in ("int", "number") and from_text(param.type, wanted) == from_text(param.type, text)):
                return given
        return None

    def replaced(self, param: ParamSpec, text: str) -> str:
        given = self.replacement(param, text) if param.replace else None
        return given if isinstance(given, str) else text

    def splice(self, name: str) -> list[Item]:
        """`{name*}`: one item per value, or the words that `as` gives."""
        if not self.bound.has(name):
            return []
        param = self.params[name]
        text = self.bound.texts[name]
        items = []
        for entry in text if param.repeatable else [text]:
            given = self.replacement(param, entry) if param.replace else None
            if isinstance(given, tuple):
                items.extend([Item([Piece(word)]) for word in given])
            elif isinstance(entry, str) or param.split:
                items.append(Item(self.word(param, entry)))
            else:
                items.extend([Item([Piece(part, name, slot)]) for slot, part in enumerate(entry)])
        return items

    def group(self, items: Sequence[Any], conditions: Sequence[tuple[bool, str]], repeated: str) -> None:
        """A nested list: written when all it mentions has a value, once per occurrence of ``repeated``."""
        for wanted, name in conditions:
            if self.holds(name) is not wanted:
                return
        for item in items:
            if not (self.complete(item[1]) if item[0] == "text" else self.bound.has(item[1])):
                return
        if not repeated:
            self.round(items, "", None)
            return
        param = self.params[repeated]
        if param.count:
            for _ in range(self.times(param)):
                self.round(items, "", None)
            return
        texts = self.bound.texts[repeated]
        for entry in texts if param.repeatable else [texts]:
            if all(item[0] != "text" or self.complete(item[1], repeated, entry) for item in items):
                self.round(items, repeated, entry)

    def round(self, items: Sequence[Any], repeated: str, entry: Any) -> None:
        """A group once. An item right behind the literal spelling of its own param is its value (X8)."""
        before = ""
        for item in items:
            new = [Item(self.pieces(item[1], repeated, entry))] if item[0] == "text" else self.splice(item[1])
            if before and new and new[0].pieces:
                name = new[0].pieces[0].param
                if name and before in self.params[name].spellings:
                    new[0].judged = False
            self.items.extend(new)
            before = item[1][0] if item[0] == "text" and len(item[1]) == 1 and isinstance(item[1][0], str) else ""

    def holds(self, name: str) -> bool:
        """`{?name}`: a bool is true, a count above 0, anything else has a value."""
        if not self.bound.has(name):
            return False
        value = self.bound.values[name]
        param = self.params[name]
        if param.count:
            return bool(value > 0)
        return value is True if param.type == "bool" and not param.repeatable else True

    def times(self, param: ParamSpec) -> int:
        count: int = self.bound.values[param.name]
        if count > MOST_TIMES:
            raise fail("E-RANGE", f"`{param.name}` is given {int_text(count)} times: no command line can hold that")
        return count

    # ---- {*} -------------------------------------------------------------------------------------------------

    def rest(self, level: int) -> None:
        """`{*}`: every param of the level that nothing else names: flags in `order`, operands last."""
        bound, spec = self.bound, self.spec
        typed = {take[0] for take in bound.takes if take[1]}
        shown = not spec.has_exec
        flags: list[ParamSpec] = []
        operands: list[ParamSpec] = []
        for param in spec.params:
            if param.level == level and (param.in_rest or shown) and param.secret != "hidden" and bound.has(param.name):
                # a positional that was given by its spelling is written back as a flag: it took no operand
                is_operand = param.positional and param.name not in typed
                (operands if is_operand else flags).append(param)
        passing = spec.unknown_flags == "pass" and level == spec_level(spec)
        if spec.order == "declared":
            written: set[str] = set()
        else:
            written = self.in_order(flags, [] if passing or spec.order != "interleaved" else operands)
        for param in flags:
            if param.name not in written:
                self.flag(param)
        if passing and bound.passed:
            self.passed(operands)
            operands = [param for param in operands if bound.origins[param.name] != "argv"]
        self.operands([param for param in operands if param.name not in written])

    def in_order(self, flags: list[ParamSpec], operands: list[ParamSpec]) -> set[str]:
        """Writes what came from words in their order; returns the names of what is now written."""
        flag_names = {param.name for param in flags}
        operand_names = {param.name for param in operands if not param.after}
        written: set[str] = set()
        for trace in self.bound.trace:
            name = trace.param
            if trace.hidden or (name in written and not self.by_entry(name)) or self.bound.origins.get(name) != "argv":
                continue
            if name in flag_names:
                self.flag(self.params[name], trace.entry if self.by_entry(name) else -1)
            elif name in operand_names:
                items = self.operand(self.params[name], trace.entry if self.by_entry(name) else -1)
                for item in items:
                    self.refuse_dash(item)
                self.items.extend(items)
            else:
                continue
            written.add(name)
        return written

    def by_entry(self, name: str) -> bool:
        """Whether each occurrence of the param is written where it was typed."""
        param = self.params[name]
        return param.repeatable and not param.delimiter

    def refuse_dash(self, item: Item) -> None:
        text = item.text()
        if _needs_marker(text) and self.spec.flags != "none" and not self.spec.builtin:  # `policy` asks which of them runs
            param = self.params.get(item.pieces[0].param)
            if param is None or not param.slots[item.pieces[0].slot].allow_dash:
                raise fail(
                    "E-DASH",
                    f"operand `{text}` would reach `{self.spec.program}` as an option: `order: interleaved` has no place for `--`",
                    hint=f"write `./{text}` when it is a file",
                )

    def flag(self, param: ParamSpec, entry: int = -1) -> None:
        """A param as flags: all its occurrences, or the one numbered ``entry``."""
        if param.count:
            self.items.extend([Item([Piece(param.spelling)]) for _ in range(self.times(param))])
        else:
            for text in self.entries(param, entry):
                self.occurrence(param, text)

    def entries(self, param: ParamSpec, entry: int) -> Sequence[Any]:
        """The texts that are written one by one: each occurrence, or the one numbered ``entry``."""
        text = self.bound.texts[param.name]
        if param.delimiter or not param.repeatable:
            return (text,)
        return text if entry < 0 else text[entry : entry + 1]  # type: ignore[no-any-return]

    def occurrence(self, param: ParamSpec, text: Any) -> None:
        given = self.replacement(param, text) if param.replace and isinstance(text, str) else None
        if isinstance(given, tuple):
            self.items.extend([Item([Piece(word)]) for word in given])
        elif param.type == "bool" and not param.is_tuple:
            if text == "true":
                self.literal(param.spelling)
            elif param.negations:
                self.literal(param.negations[0])
        elif param.optional_value is not None:
            if text == param.optional_value:
                self.literal(param.spelling)
            else:
                self.attached(param, param.spellings, self.word(param, text))
        elif param.emit == "equals":
            self.attached(param, [name for name in param.spellings if name.startswith("--")], self.word(param, text))
        elif param.emit == "joined":
            self.attached(param, [name for name in param.spellings if _is_letter(name)], self.word(param, text))
        else:
            self.literal(param.spelling)
            if param.is_tuple and not param.split:
                self.items.extend([Item([Piece(part, param.name, slot)], judged=False) for slot, part in enumerate(text)])
            else:
                self.items.append(Item(self.word(param, text), judged=False))

    def attached(self, param: ParamSpec, spellings: Sequence[str], word: list[Piece]) -> None:
        """`--name=v` or `-nv` by the first spelling that can say it: a letter cannot carry an empty value."""
        empty = not any(piece.text for piece in word)
        for spelling in spellings:
            if not _is_letter(spelling):
                self.items.append(Item([Piece(spelling + "="), *word]))
                return
            if not empty:
                self.items.append(Item([Piece(spelling), *word]))
                return
        raise fail(
            "E-ENCODING",
            f"`{param.name}` is written as `{param.spelling}VALUE`, which cannot be an empty value",
            hint="give a value that is not empty, or leave the flag out",
            param=param.name,
        )

    def operand(self, param: ParamSpec, entry: int = -1) -> list[Item]:
        """The words of a positional: all of them, or the entry numbered ``entry``."""
        items: list[Item] = []
        for one in self.entries(param, entry):
            given = self.replacement(param, one) if param.replace and isinstance(one, str) else None
            if isinstance(given, tuple):
                items.extend([Item([Piece(word)]) for word in given])
            elif isinstance(one, str) or param.split or param.delimiter:
                items.append(Item(self.word(param, one)))
            else:
                items.extend([Item([Piece(part, param.name, slot)]) for slot, part in enumerate(one)])
        return items

    def operands(self, params: list[ParamSpec]) -> None:
        """Operands in declaration order, behind `end_of_options` when one needs it; `after` ones behind `--` (P5)."""
        spec = self.spec
        before: list[Item] = []
        behind: list[Item] = []
        for param in params:
            (behind if param.after else before).extend(self.operand(param))
        marker = spec.end_of_options
        if marker and spec.flags != "none" and not any(spec.params[index].after for index in spec.positionals):
            for item in before:
                if _needs_marker(item.text()):
                    self.literal(marker)
                    break
        self.items.extend(before)
        if behind:
            self.literal("--")
            self.items.extend(behind)

    def passed(self, operands: list[ParamSpec]) -> None:
        """The words of an `unknown_flags: pass` tool as they were typed (U2), but for operands that are named elsewhere."""
        bound = self.bound
        own = {param.name for param in operands}
        owners: dict[int, str] = {}
        taken = set(bound.commands)
        for trace in bound.trace:
            if trace.spelling:
                taken.update(trace.words)
            else:
                owners.update(dict.fromkeys(trace.words[1:], trace.param))
        places = [index for index in range(len(bound.words)) if index not in taken]
        for word, index in zip(bound.passed, places, strict=True):
            owner = owners.get(index, "")
            if not owner or owner in own:
                self.items.append(Item([Piece(word, owner)], judged=False))


def spec_level(spec: ToolSpec) -> int:
    """The depth of a node: 0 is the root."""
    return max(len(spec.path) - 1, 0)


def _is_letter(spelling: str) -> bool:
    return len(spelling) == 2


def _needs_marker(text: str) -> bool:
    """Whether a program could take an operand for an option."""
    return len(text) > 1 and text[0] == "-"


def _effect(bound: Bound) -> str:
    """The spec's effect (`write` when it states none), raised by params that have a value (X9)."""
    stated = bound.spec.effect or "write"
    if not any(param.effects for param in bound.spec.params):
        return stated
    from kernel.effect import raised

    return raised(bound, stated)


def _values_text(bound: Bound) -> list[Piece]:
    """`stdin: values`: all values as one JSON object on a line, each value a piece of its own (X6)."""
    from kernel import strict_json

    pieces = []
    opening = "{"
    for param in bound.spec.params:
        if param.name in bound.values:
            pieces.append(Piece(f"{opening}{strict_json.dumps(param.name)}:"))
            pieces.append(Piece(strict_json.dumps(bound.values[param.name]), param.name))
            opening = ","
    pieces.append(Piece("}\n" if pieces else "{}\n"))
    return pieces


def _directory(bound: Bound, cwd: str) -> str:
    """The child's working directory, absolute, or "" for the caller's."""
    spec = bound.spec
    wanted = spec.cwd
    if wanted == "caller":
        return cwd
    if wanted.startswith("{") and wanted.endswith("}"):
        start, text = cwd, bound.texts.get(wanted[1:-1], "")
    else:
        start, text = spec.base, "" if wanted == "tools" else wanted
    return os.path.join(start or environment.working_directory(), text).rstrip("/") or "/"


def _check_encoding(plan: Plan) -> None:
    """Refuses NUL bytes in argv and environment, and text that no encoding of the system can carry."""
    texts = [] if plan.builtin else plan.argv()
    for pieces in plan.env.values():
        texts.append("".join([piece.text for piece in pieces]))
    if not isinstance(plan.stdin, str):
        from kernel.encoding import encodable

        encodable("stdin", "".join([piece.text for piece in plan.stdin]))
    whole = "\0".join(texts)
    if whole.count("\0") == len(texts) - 1 and whole.isascii():
        return
    from kernel.encoding import refuse

    refuse(plan, texts)
