"""Bound → Plan: the argument templates filled in, each argv item kept as its pieces (manifest.md, Argument templates)."""

from __future__ import annotations

from kernel import environment, system
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
    writer = Writer(bound)
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


class Writer:
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
            elif kind == "rest":
                self.rest(item[1])
            else:
                from kernel import template_groups

                if kind == "splice":
                    self.items.extend(template_groups.splice(self, item[1]))
                else:
                    template_groups.group(self, item[1], item[2], item[3])

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
        written: set[str] = set()
        if passing or spec.order != "declared":
            from kernel import rest_order

            if spec.order != "declared":
                placed = operands if spec.order == "interleaved" and not passing else []
                written = rest_order.write_typed(self, flags, placed)
        for param in flags:
            if param.name not in written:
                self.flag(param)
        if passing and bound.passed:
            rest_order.write_passed(self, operands)
            operands = [param for param in operands if bound.origins[param.name] != "argv"]
        self.operands([param for param in operands if param.name not in written])

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

    @staticmethod
    def needs_marker(text: str) -> bool:
        """Whether a program could take an operand for an option."""
        return len(text) > 1 and text[0] == "-"

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
                if self.needs_marker(item.text()):
                    self.literal(marker)
                    break
        self.items.extend(before)
        if behind:
            self.literal("--")
            self.items.extend(behind)


def spec_level(spec: ToolSpec) -> int:
    """The depth of a node: 0 is the root."""
    return max(len(spec.path) - 1, 0)


def _is_letter(spelling: str) -> bool:
    return len(spelling) == 2


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
    return system.join(start or environment.working_directory(), text).rstrip("/") or "/"


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

    refuse(plan)
