"""What may stand at the cursor of a call: candidates for a shell, found by the binder itself.

A word that no user types is bound in the cursor's place; where the binder puts it is what is wanted there.
"""

from __future__ import annotations

from kernel.bind import bind
from kernel.errors import WordPlace
from kernel.spec import ToolSpec, first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernel.bound import Bound
    from kernel.spec import ParamSpec, Slot

_WORD = "\ue000"  # private use: no tool has a word like this
_FILES = {"path": "files", "dir": "dirs", "host": "hosts", "user": "users", "tool": "tools", "none": ""}


class Offer:
    """What to offer at the cursor.

    ``candidates`` are (text, description) pairs. ``source`` names what the shell or the caller adds by itself:
    `files`, `dirs`, `hosts`, `users`, `tools` or "". ``prefix`` is the part of the word before the candidates
    (`--name=`). ``hint`` says what is wanted there and is never inserted.
    """

    __slots__ = ("candidates", "hint", "prefix", "source")

    def __init__(self, candidates: Iterable[tuple[str, str]] = (), *, source: str = "", prefix: str = "", hint: str = "") -> None:
        self.candidates = list(candidates)
        self.source = source
        self.prefix = prefix
        self.hint = hint

    def matching(self, current: str) -> list[tuple[str, str]]:
        """The candidates that continue what is typed behind the prefix."""
        typed = current[len(self.prefix) :]
        return [(text, said) for text, said in self.candidates if text.startswith(typed)]


def offer(spec: ToolSpec, words: list[str], current: str) -> Offer:
    """What may stand behind the complete `words` of a call of the tool, where `current` is begun."""
    if current.startswith("-"):
        found = _flag_offer(spec, words, current)
        if found is not None:
            return found
    bound = bind(spec, [*words, _WORD])
    index = len(words)
    for problem in bound.problems:
        if problem.code == "E-SUBCOMMAND" and isinstance(problem.where, WordPlace) and problem.where.index == index:
            return Offer(subcommands(bound.spec))
    taker = _taker(bound, index)
    most = max([len(param.slots) for param in bound.spec.params], default=0)
    if taker is None and most > 1:  # an N-tuple that is not full at the cursor takes nothing: let it be full
        bound = bind(spec, [*words, *[_WORD] * most])
        taker = _taker(bound, index)
    if taker is not None:
        return value_offer(*taker)
    return Offer(_flags(bound)) if not current else Offer()


def _taker(bound: Bound, index: int) -> tuple[ParamSpec, Slot] | None:
    """The param and slot that took the word."""
    for name, spelling, own, attached, count in bound.takes:
        first = own + 1 if spelling else own
        if first <= index < first + count:
            param = bound.spec.param(name)
            if param is not None:
                at = index - first + attached
                return param, param.slots[min(at, len(param.slots) - 1)]
    return None


def _flag_offer(spec: ToolSpec, words: list[str], current: str) -> Offer | None:
    """Flags, or the value attached to one; None where a word that begins with a dash is a value."""
    bound = bind(spec, [*words, f"--{_WORD}"])
    index = len(words)
    if not any(
        problem.code == "E-UNKNOWN-FLAG" and isinstance(problem.where, WordPlace) and problem.where.index == index
        for problem in bound.problems
    ):
        return None if bound.spec.unknown_flags != "pass" or _taker(bound, index) is None else Offer(_flags(bound))
    name, equals, _ = current.partition("=")
    param = _spelled(bound, name)
    if equals:
        return Offer() if param is None else _attached(param, name + equals)
    return Offer(_flags(bound))


def _spelled(bound: Bound, spelling: str) -> ParamSpec | None:
    at = bound.spec.spellings.get(spelling)
    return None if at is None else bound.spec.params[at]


def _attached(param: ParamSpec, prefix: str) -> Offer:
    if param.is_flag:
        return Offer([] if param.count else [("true", ""), ("false", "")], prefix=prefix)
    found = value_offer(param, param.slots[0])
    found.prefix = prefix
    return found


def value_offer(param: ParamSpec, slot: Slot) -> Offer:
    """What a value of the slot may be: its choices, its declared words, or what the shell knows."""
    hint = slot.name or param.name.upper()
    said = slot.description or first_sentence(param.description)
    hint = f"{hint}: {said}" if said else hint
    if slot.choices:
        return Offer(slot.choices, hint=hint)
    if slot.complete and slot.complete[0].startswith("@"):
        return Offer(source=_FILES.get(slot.complete[0][1:], ""), hint=hint)
    if slot.complete:
        return Offer([(word, "") for word in slot.complete], hint=hint)
    if slot.type == "bool":
        return Offer([("true", ""), ("false", "")], hint=hint)
    return Offer(source="dirs" if slot.path == "dir" else "files" if slot.path else "", hint=hint)


def subcommands(spec: ToolSpec) -> list[tuple[str, str]]:
    """The subcommands as candidates."""
    children = [ToolSpec.unpack(packed) for packed in spec.children]
    return [(child.name, first_sentence(child.description)) for child in children if not child.hidden]


def _flags(bound: Bound) -> list[tuple[str, str]]:
    """The flags that may still come, declared spellings and the first derived one of each."""
    spec = bound.spec
    level = len(spec.path) - 1 if spec.children else 0
    found = []
    for param in spec.params:
        if param.hidden or not param.spellings or (spec.children and param.level < level):
            continue
        if param.name in bound.origins and not (param.repeatable or param.count):
            continue
        said = first_sentence(param.description)
        found += [(name, said) for name in (*param.shown_spellings, *param.negations[:1])]
    if "--help" not in spec.spellings:
        found.append(("--help", "Show how it is used"))
    return found
