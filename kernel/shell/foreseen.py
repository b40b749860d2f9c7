"""The error of a tool's call that no value of its unknown words could cure (L2): bound with words that stand for them.

A word that is not known stands for any value, one that may become several ends the count of operands. What a value
might cure is left until the call is reached.
"""

from __future__ import annotations

from kernel import bind, check, environment, misuse, needs
from kernel.errors import KernelError, WordPlace
from kernel.shell.calls import completed
from kernel.shell.tree import Text, Tilde

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernel.errors import Problem
    from kernel.shell.tree import Word
    from kernel.spec import ToolSpec

    Filled = list[tuple[str, bool]]  # each word of a call, and whether it is what stands there

COUNTED = frozenset(("E-REQUIRED", "E-ARITY", "E-TOO-MANY", "E-OPERAND-GAP", "E-GROUP", "E-SUBCOMMAND", "E-RANGE"))
ANY = "1"  # what stands for what is not known: text, a number as well, and a place in a list
VALUES = (ANY, "p", "+1")  # what a flag may be given: a number or place, a script, a format


def unavoidable(spec: ToolSpec, name: str, words: list[Word]) -> KernelError | None:
    """The error of a call that no value of its unknown words could cure, None where there may be none."""
    error: KernelError | None = None
    kept: list[Problem] = []
    for stand_ins in _ways_out(spec):
        filled = _filled(words, stand_ins)
        found = _error(spec, name, filled, any(word.may_be_several for word in words))
        if found is None:
            return None
        if error is None:
            error, kept = found
            if all(word.is_known for word in words):
                return error
    assert error is not None  # there is more than one way
    shown = KernelError(kept, status=error.status)
    shown.words = [word.literal or "" if word.is_known else word.written for word in words]
    shown.prefix = error.prefix
    return shown


def _ways_out(spec: ToolSpec) -> Iterator[Sequence[str]]:
    """What may stand for an unknown word: any value, the end of the flags, each flag with a value or none; no word, or two."""
    yield (ANY,)
    yield ("--",)
    yield ()
    yield (ANY, ANY)
    for spelling in spec.spellings:
        yield (spelling,)
        for value in VALUES:
            yield (f"{spelling}={value}" if spelling[:2] == "--" else spelling + value,)


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


def _error(spec: ToolSpec, name: str, filled: Filled, several: bool) -> tuple[KernelError, list[Problem]] | None:
    """The error of a call, with the problems that are not about stand-ins; None for no such problem."""
    words = [text for text, _ in filled]
    bound = bind.bind(spec, words)
    if any(word in ("--help", "--json") for word in words) and bound.problems:
        return None
    joint = False
    try:
        check.check(bound, environment.variables())
        leaf = bound.spec
        failure = misuse.fault(bound, leaf.builtin) if leaf.builtin else None
        if failure is None or (failure.code == "E-UNSUPPORTED" and leaf.has_exec and not needs.falls_back(leaf)):
            return None
        joint = failure.joint
        raise misuse.error(bound, failure)
    except KernelError as error:
        is_whole = all(is_known for _, is_known in filled)
        kept = [problem for problem in error.problems if is_whole or _counts(problem, filled, several, spec)]
        if not kept or (joint and not is_whole):
            return None
        return completed(error, bound, name), kept


def _counts(problem: Problem, filled: Filled, several: bool, spec: ToolSpec) -> bool:
    """Whether a problem may stay whatever the unknown words are."""
    where = problem.where
    if isinstance(where, WordPlace) and where.index < len(filled) and not filled[where.index][1]:
        return False
    if several and (problem.code in COUNTED or (problem.code == "E-USAGE" and where is None)):
        return False
    param = spec.param(str(problem.facts.get("param", "")))
    return not (problem.code == "E-REQUIRED" and param is not None and param.env)
