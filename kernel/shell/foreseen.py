"""The error of a tool's call that no value of its unknown words could cure (L2): bound with words that stand for them.

A word that is not known stands for any value, one that may become several ends the count of operands. What a value
might cure is left until the call is reached.
"""

from __future__ import annotations

from kernel import bind, check, environment, misuse
from kernel.builtins import AS_THE_PROGRAM
from kernel.errors import KernelError, WordPlace
from kernel.shell.calls import completed
from kernel.shell.tree import Text, Tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernel.builtins.guard import Failure
    from kernel.errors import Problem
    from kernel.shell.tree import Word
    from kernel.spec import ToolSpec

    Filled = list[tuple[str, bool]]  # each word of a call, and whether it is what stands there

COUNTED = frozenset(("E-REQUIRED", "E-ARITY", "E-TOO-MANY", "E-OPERAND-GAP", "E-GROUP", "E-SUBCOMMAND", "E-RANGE"))
ANY = "1"  # what stands for what is not known: text, a number as well, and a place in a list
VALUES = (ANY, "p", "+1")  # what a flag may be given: a number or place, a script, a format


def unavoidable(spec: ToolSpec, name: str, words: list[Word]) -> KernelError | None:
    """The error of a call that no value of its unknown words could cure, None where there may be none."""
    several = any(word.may_be_several for word in words)
    found = _found(spec, name, _filled(words, (ANY,)), several)
    if found is None or not found.kept:
        return None
    error = found.error
    if all(word.is_known for word in words):
        return error
    if found.failure is not None and found.failure.joint:
        return None
    for param, stand_ins in _ways_out(found.leaf):
        if found.failure is not None and param and param == found.failure.param:
            continue  # to give the same once more is no cure: GNU's programs refuse the first all the same
        other = _found(spec, name, _filled(words, stand_ins), several)
        # of a builtin's faults one is known at a time: that a stand-in is refused then says nothing of the rest
        if other is None or (not other.kept and found.failure is None and other.failure is None):
            return None
    shown = KernelError(found.kept, status=error.status)
    shown.words = [word.literal or "" if word.is_known else word.written for word in words]
    shown.prefix = error.prefix
    return shown


class Found:
    """What is wrong with a call of ``leaf``: ``kept`` are the problems not about stand-ins, ``failure`` is the builtin's."""

    __slots__ = ("error", "failure", "kept", "leaf")

    def __init__(self, leaf: ToolSpec, error: KernelError, failure: Failure | None, kept: list[Problem]) -> None:
        self.leaf = leaf
        self.error = error
        self.failure = failure
        self.kept = kept


def _ways_out(spec: ToolSpec) -> Iterator[tuple[str, Sequence[str]]]:
    """What else may stand for an unknown word: the end of the flags, no word or two, each flag with a value or none.

    The flags come with the names of their params.
    """
    yield "", ("--",)
    yield "", ()
    yield "", (ANY, ANY)
    for spelling, at in spec.spellings.items():
        name = spec.params[at].name
        yield name, (spelling,)
        for value in VALUES:
            yield name, (f"{spelling}={value}" if spelling[:2] == "--" else spelling + value,)


def _filled(words: list[Word], stand_ins: Sequence[str]) -> Filled:
    """The words with others for those not known; only what may be several is filled with none, or with two."""
    filled: Filled = []
    for word in words:
        if word.is_known:
            filled.append((word.literal or "", True))
        elif word.may_be_several:
            filled += [(text, False) for text in stand_ins]
        elif len(stand_ins) == 1 and stand_ins[0] != ANY and not _begins_as_no_flag(word):
            filled.append((stand_ins[0], False))
        else:
            filled.append((_shape(word), False))
    return filled


def _begins_as_no_flag(word: Word) -> bool:
    """Whether what is known of a word says that it is no flag but this, or none at all: `s/$x/`, `--level=$x`."""
    first = word.parts[0] if word.parts else None
    return isinstance(first, Text) and first.text != "" and (first.text[0] != "-" or (first.text[:2] == "--" and "=" in first.text))


def _shape(word: Word) -> str:
    """A word with something in the place of what is not known of it."""
    return "".join([part.text if isinstance(part, (Text, Tilde)) else ANY for part in word.parts])


def _found(spec: ToolSpec, name: str, filled: Filled, several: bool) -> Found | None:
    """What is wrong with a call, None for nothing."""
    words = [text for text, _ in filled]
    bound = bind.bind(spec, words)
    if any(word in ("--help", "--json") for word in words) and bound.problems:
        return None
    failure: Failure | None = None
    try:
        check.check(bound, environment.variables())
        leaf = bound.spec
        # where there is a program, only what it refuses as well is certain, and not what only the builtin does not support
        if leaf.builtin and (not leaf.has_exec or leaf.builtin in AS_THE_PROGRAM):
            failure = misuse.fault(bound, leaf.builtin)
        if failure is None or (leaf.has_exec and failure.code == "E-UNSUPPORTED"):
            return None
        raise misuse.error(bound, failure)
    except KernelError as error:
        kept = [problem for problem in error.problems if _counts(problem, filled, several, spec)]
        return Found(bound.spec, completed(error, bound, name), failure, kept)


def _counts(problem: Problem, filled: Filled, several: bool, spec: ToolSpec) -> bool:
    """Whether a problem may stay whatever the unknown words are."""
    if all(is_known for _, is_known in filled):
        return True
    where = problem.where
    if isinstance(where, WordPlace) and where.index < len(filled) and not filled[where.index][1]:
        return False
    if several and (problem.code in COUNTED or (problem.code == "E-USAGE" and where is None)):
        return False
    param = spec.param(str(problem.facts.get("param", "")))
    return not (problem.code == "E-REQUIRED" and param is not None and param.env)
