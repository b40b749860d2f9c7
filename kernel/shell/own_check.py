"""The shell's own words checked before anything runs (L2): by what each reads of its words, known ones and stand-ins."""

from __future__ import annotations

from kernel.errors import KernelError
from kernel.shell.own_call import Call
from kernel.shell.own_words import READERS
from kernel.shell.tree import Assignment, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Simple, Word

    Operand = Word | Assignment

# what a word that is not known may be: a number, a name, a signal, a job, each flag that any of the words has
STAND_INS = ("1", "--", "-", "a", "a=b", "INT", "%1", *[f"-{letter}" for letter in "LPVadeflnoprstuv0"])


def unavoidable(evaluator: Evaluator, node: Simple, name: str) -> KernelError | None:
    """The error of a call of an own word that no value of its unknown words could cure, None where there may be none."""
    is_declaring = node.declared is not None and node.words[0].plain == name
    return _checked(evaluator, node, name, node.declared or () if is_declaring else node.words[1:])


def _checked(evaluator: Evaluator, node: Simple, name: str, operands: Sequence[Operand]) -> KernelError | None:
    if name not in READERS:
        return None
    known = [_text(operand, assigned=name in ("export", "local", "alias")) for operand in operands]
    if known == ["--help"]:
        return None
    if name == "command" and (inner := _own_behind(known)) >= 0:
        return _checked(evaluator, node, known[inner] or "", operands[inner + 1 :])
    found: KernelError | None = None
    for filled in _fillings(known, operands):
        call = Call(evaluator, name, [text for text, _ in filled], node)
        call.operands = [operands[at] for _, at in filled]
        try:
            READERS[name](call)
        except KernelError as error:
            is_certain = call.faulty < 0 or known[filled[call.faulty][1]] is not None
            found = found or (error if is_certain else None)
        else:
            return None
    return found


def _text(operand: Operand, *, assigned: bool) -> str | None:
    """What is known of an operand; the name is enough where a value is assigned."""
    if isinstance(operand, Assignment):
        return f"{operand.name}="
    if operand.is_known:
        return operand.literal
    first = operand.parts[0] if operand.parts else None
    return first.text if assigned and isinstance(first, Text) and "=" in first.text else None


def _own_behind(known: list[str | None]) -> int:
    """The place of the own word that `command` runs, -1 for none."""
    at = 1 if known[:1] in (["-p"], ["--"]) else 0
    return at if at < len(known) and known[at] in READERS else -1


def _fillings(known: list[str | None], operands: Sequence[Operand]) -> list[list[tuple[str, int]]]:
    """The words to try, each with the place of its operand."""
    whole = [(text, at) for at, text in enumerate(known) if text is not None]
    if len(whole) == len(known):
        return [whole]
    several = {at for at, operand in enumerate(operands) if not isinstance(operand, Assignment) and operand.may_be_several}
    out = []
    for stand_ins in ([], *([each] for each in STAND_INS), ["1", "1"]):
        filled: list[tuple[str, int]] = []
        for at, text in enumerate(known):
            if text is not None:
                filled.append((text, at))
            elif at in several:
                filled += [(stand_in, at) for stand_in in stand_ins]
            else:
                filled.append((stand_ins[0] if stand_ins else "1", at))
        out.append(filled)
    return out
