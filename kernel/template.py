"""Argument templates (manifest.md): the text of an argv item to pieces, the items of `exec` to compiled items.

The seed's grammar is the core: `{name}` is a placeholder, `{{` and `}}` are braces, one pass from left to right.
What it refuses carries the further forms: `{name*}`, `{arg[SLOT]}`, `{?name}`, `{!name}`, `{*}`. The compiled forms
are described at the head of ``spec``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from kernel.spec import ParamSpec

NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
MAX_NAME = 128
MAX_COMPARED = 500  # names that a misspelt one is compared with
MAX_NEAR = 20  # misspelt names of one file that are compared
_FORMS = {"value": "{%s}", "splice": "{%s*}", "when": "{?%s}", "unless": "{!%s}", "rest": "{*}%s"}


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """At most three of `names` that `name` may have been meant for; none where there are too many to compare."""
    from kernel.near import near

    known = list(names)
    return near(name, known) if len(known) <= MAX_COMPARED else []


class TemplateError(ValueError):
    """What is wrong with a template; ``start`` and ``width`` mark it in the item's text (0 wide: the whole item)."""

    def __init__(self, message: str, start: int = 0, width: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.width = width
        self.hint = hint


class Hole:
    """One placeholder. ``form`` is value, splice (`{n*}`), when (`{?n}`), unless (`{!n}`) or rest (`{*}`)."""

    __slots__ = ("form", "name", "slot", "start", "width")

    def __init__(self, form: str, name: str, slot: str, start: int, width: int) -> None:
        self.form = form
        self.name = name
        self.slot = slot  # text between brackets, "" for none
        self.start = start
        self.width = width

    def __str__(self) -> str:
        return _FORMS[self.form] % (f"{self.name}[{self.slot}]" if self.slot else self.name)

    def error(self, message: str, hint: str = "") -> TemplateError:
        """A TemplateError that marks this placeholder."""
        return TemplateError(message, self.start, self.width, hint)


def is_name(text: str) -> bool:
    """Whether text is a placeholder's name: 1 to 128 of `A-Z a-z 0-9 . _ -`."""
    return 0 < len(text) <= MAX_NAME and NAME_CHARACTERS.issuperset(text)


def parse(text: str, *, extended: bool = True) -> list[str | Hole]:
    """The literal runs and placeholders of one item. ``extended=False`` reads the seed's grammar alone.

    Raises TemplateError for a lone `}`, an unclosed `{` or a bad name.
    """
    parts: list[str | Hole] = []
    literal = ""
    at = 0
    while True:
        opening, closing = text.find("{", at), text.find("}", at)
        brace = min(opening, closing) if opening >= 0 and closing >= 0 else max(opening, closing)
        if brace < 0:
            literal += text[at:]
            break
        literal += text[at:brace]
        if text[brace + 1 : brace + 2] == text[brace]:
            literal += text[brace]
            at = brace + 2
            continue
        if brace == closing:
            raise TemplateError("a lone `}` is no literal brace", brace, 1, "write `}}` for one literal brace")
        if closing < 0:
            raise TemplateError("a `{` is not closed", brace, 1, "write `{{` for one literal brace")
        hole = _hole(text[brace + 1 : closing], brace, extended)
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(hole)
        at = closing + 1
    if literal:
        parts.append(literal)
    return parts


def _hole(inside: str, start: int, extended: bool) -> Hole:
    width = len(inside) + 2
    if is_name(inside):
        return Hole("value", inside, "", start, width)
    if extended:
        if inside == "*":
            return Hole("rest", "", "", start, width)
        if inside[:1] in ("?", "!") and is_name(inside[1:]):
            return Hole("when" if inside[0] == "?" else "unless", inside[1:], "", start, width)
        if inside[-1:] == "*" and is_name(inside[:-1]):
            return Hole("splice", inside[:-1], "", start, width)
        name, bracket, slot = inside.partition("[")
        if bracket and slot[-1:] == "]" and is_name(name) and is_name(slot[:-1]):
            return Hole("value", name, slot[:-1], start, width)
    hint = "a name has 1 to 128 of the characters A-Z a-z 0-9 `.` `_` `-`"
    if "{" in inside or not inside:
        hint += "; write `{{` for one literal brace"
    raise TemplateError(f"`{{{inside}}}` is no placeholder", start, width, hint)


def placeholders(text: str) -> list[str]:
    """The names in one item of the seed's grammar, in order of first use. Raises TemplateError."""
    return list(dict.fromkeys([part.name for part in parse(text, extended=False) if isinstance(part, Hole)]))


def pieces(text: str) -> tuple[Any, ...]:
    """One item of the seed's grammar as pieces: literal text or (name, -1). Raises TemplateError."""
    return tuple([part if isinstance(part, str) else (part.name, -1) for part in parse(text, extended=False)])


class Compiler:
    """Compiles the templates of one tool against its params.

    ``params`` are all params valid at the node, by name; ``level`` is the node's depth. ``fault(where, error)`` is
    told of every breach; ``where`` is whatever the caller gave with the text. ``rest`` says
    whether `{*}` was met.
    """

    def __init__(self, params: Mapping[str, ParamSpec], level: int, fault: Callable[[Any, TemplateError], None]) -> None:
        self.params = params
        self.level = level
        self.fault = fault
        self.unknown = 0
        self.rest = False

    def items(self, sources: Iterable[tuple[Any, Any]]) -> tuple[Any, ...]:
        """The items after the program: each source is (text, where) or, for a group, ([(text, where), …], where)."""
        compiled = []
        for content, where in sources:
            try:
                compiled.append(self.item(content) if isinstance(content, str) else self.group(content))
            except TemplateError as error:
                self.fault(where, error)
        return tuple(compiled)

    def item(self, text: str) -> tuple[Any, ...]:
        """One top-level item."""
        parts = parse(text)
        whole = self._whole(parts)
        if whole is None:
            return ("text", self._pieces(parts, in_group=False))
        if whole.form == "rest":
            if self.rest:
                raise whole.error("`{*}` stands twice in one `exec`", "it writes every param that is not named elsewhere; keep one")
            self.rest = True
            return ("rest", self.level)
        if whole.form == "splice":
            return self._splice(whole)
        self._param(whole)
        raise whole.error(
            f"`{whole}` stands outside a group", f'put it into a nested list with the items it decides on: [--flag, "{whole}"]'
        )

    def group(self, sources: Sequence[tuple[Any, Any]]) -> tuple[Any, ...]:
        """A nested list: its items, conditions, and the param whose occurrences repeat it."""
        items: list[Any] = []
        conditions: list[tuple[bool, str]] = []
        multipliers: dict[str, None] = {}
        names = False
        broken = False
        for text, where in sources:
            try:
                parts = parse(text)
                whole = self._whole(parts)
                if whole is not None and whole.form == "rest":
                    raise whole.error("`{*}` stands in a group", "give it an item of its own, outside the nested list")
                names = names or any(isinstance(part, Hole) for part in parts)
                for part in parts:
                    param = self.params.get(part.name) if isinstance(part, Hole) else None
                    if param is None or not isinstance(part, Hole):
                        continue
                    if (part.form == "value" and multiplies(param)) or (part.form == "when" and param.count):
                        multipliers[param.name] = None
                if whole is None:
                    items.append(("text", self._pieces(parts, in_group=True)))
                elif whole.form == "splice":
                    items.append(self._splice(whole))
                else:
                    self._param(whole)
                    conditions.append((whole.form == "when", whole.name))
            except TemplateError as error:
                broken = True
                self.fault(where, error)
        if not names and not broken:
            raise TemplateError(
                "a group names no param", hint='write the words as items of their own, or name a param: [--flag, "{name}"]'
            )
        if len(multipliers) > 1:
            first, second = list(multipliers)[:2]
            raise TemplateError(
                f"a group is repeated by both `{first}` and `{second}`",
                hint=f'splice one of them: "{{{second}*}}", or use two groups',
            )
        return ("group", tuple(items), tuple(conditions), next(iter(multipliers), ""))

    def words(self, text: str) -> tuple[Any, ...]:
        """The template of an `env` entry or of `stdin` as pieces; params without a value are allowed there."""
        parts = parse(text)
        whole = self._whole(parts)
        if whole is not None:
            raise whole.error(f"`{whole}` stands outside `exec`", "only `{name}` and `{name[SLOT]}` are read here")
        return self._pieces(parts, in_group=False, optional=True, secret=True)

    def _whole(self, parts: list[str | Hole]) -> Hole | None:
        """The one placeholder of an item that is more than a value; a TemplateError where such a one is not alone."""
        for part in parts:
            if isinstance(part, Hole) and part.form != "value":
                if len(parts) > 1:
                    raise part.error(f"`{part}` is only part of an item", "give it an item of its own")
                return part
        return None

    def _param(self, hole: Hole) -> ParamSpec:
        param = self.params.get(hole.name)
        if param is None:
            self.unknown += 1
            near = nearest(hole.name, self.params) if self.unknown <= MAX_NEAR else []
            hint = f"write `{{{near[0]}}}`" if near else "declare it, or write `{{` and `}}` for literal braces"
            raise hole.error(f"`{hole}` names no param of the tool", hint)
        return param

    def _splice(self, hole: Hole) -> tuple[Any, ...]:
        param = self._param(hole)
        self._may_be_shown(param, hole)
        if param.is_tuple and not param.split:
            raise hole.error(f"`{hole}` splices an N-tuple", f"use a group: [--flag, {_slots(param)}]")
        if not param.repeatable and not has_word_lists(param):
            raise hole.error(f"`{hole}` splices a param that is not repeatable", f"write `{{{param.name}}}`")
        return ("splice", param.name)

    def _pieces(self, parts: list[str | Hole], *, in_group: bool, optional: bool = False, secret: bool = False) -> tuple[Any, ...]:
        compiled: list[Any] = []
        for part in parts:
            if isinstance(part, str):
                compiled.append(part)
                continue
            param = self._param(part)
            if not secret:
                self._may_be_shown(param, part)
            compiled.append((param.name, self._slot(param, part)))
            if multiplies(param) and not param.count and not in_group:
                hint = "hand it over in `exec`, or say `stdin: values`" if optional else _several(param)
                raise part.error(f"`{part}` is one text, but `{param.name}` can have several values", hint)
            if has_word_lists(param) and not part.slot:
                raise part.error(
                    f"`as` gives `{param.name}` a list of words, which is no text",
                    f"splice it: an item `{{{param.name}*}}` of its own",
                )
            if not (in_group or optional or param.required or param.default is not None):
                raise part.error(
                    f"`{part}` stands in a plain item, but `{param.name}` may have no value",
                    f"put the item into a group, give `{param.name}` a `default`, or make it `required`",
                )
        return tuple(compiled)

    def _may_be_shown(self, param: ParamSpec, hole: Hole) -> None:
        if param.secret == "hidden":
            raise hole.error(
                f"`{hole}` would show the secret `{param.name}` in the argv",
                "hand it over by `env` or `stdin`, or say `secret: argv` to allow it",
            )

    def _slot(self, param: ParamSpec, hole: Hole) -> int:
        """The index of a tuple's slot, -1 for a whole value."""
        if not hole.slot:
            if param.is_tuple and not param.split:
                raise hole.error(f"`{hole}` is a whole N-tuple, which is no text", f"name its slots: {_slots(param)}")
            return -1
        if not param.is_tuple:
            raise hole.error(f"`{hole}` names a slot, but `{param.name}` has none", f"write `{{{param.name}}}`")
        names = [slot.name for slot in param.slots]
        if hole.slot in names:
            return names.index(hole.slot)
        if hole.slot.isdigit() and hole.slot.isascii() and len(hole.slot) < 5 and int(hole.slot) < len(names):
            return int(hole.slot)
        raise hole.error(f"`{param.name}` has no slot `{hole.slot}`", f"its slots are {_slots(param)}")


def multiplies(param: ParamSpec) -> bool:
    """Whether a group that names the param repeats with its occurrences (a `delimiter` joins them to one word)."""
    return param.count or (param.repeatable and not param.delimiter)


def has_word_lists(param: ParamSpec) -> bool:
    """Whether `as` turns a value of the param into a list of words."""
    return any(not isinstance(text, str) for _, text in param.replace)


def _slots(param: ParamSpec) -> str:
    return ", ".join([f'"{{{param.name}[{slot.name or index}]}}"' for index, slot in enumerate(param.slots)])


def _several(param: ParamSpec) -> str:
    if param.is_tuple and not param.split:
        return f"use a group, which is repeated: [--flag, {_slots(param)}]"
    return f'write an item `{{{param.name}*}}` of its own, or a group, which is repeated: [--flag, "{{{param.name}}}"]'
