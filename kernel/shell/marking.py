"""What is wrong in a line while it is typed. Nothing runs, and what may still become right is left alone."""

from __future__ import annotations

from kernel.errors import KernelError, Place, WordPlace
from kernel.present.printable import printable
from kernel.shell import own_words
from kernel.shell.foreseen import unavoidable
from kernel.shell.glance import Glance
from kernel.shell.names import parsed
from kernel.shell.source import Unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.errors import Problem
    from kernel.shell.glance import Command
    from kernel.shell.names import Names
    from kernel.shell.session import Session
    from kernel.shell.tree import Word
    from kernel.spec import ToolSpec

# what further words may cure, where the command still goes on
_GROWING = frozenset(("E-REQUIRED", "E-ARITY", "E-OPERAND-GAP", "E-GROUP", "E-SUBCOMMAND", "E-USAGE"))
_BEGUN = frozenset(("E-UNKNOWN-FLAG", "E-CHOICE", "E-SUBCOMMAND", "E-AMBIGUOUS"))  # what more letters of the word may cure


class Mark:
    """A span of the text that is wrong, and why."""

    __slots__ = ("end", "message", "start")

    def __init__(self, start: int, end: int, message: str) -> None:
        self.start = start
        self.end = end
        self.message = message


def marks(text: str, cursor: int, session: Session, names: Names) -> list[Mark]:
    """The faults of a text, in its order."""
    glance = Glance(text)
    found = _syntax(text, cursor, session)
    if found:
        return found
    for command in glance.commands:
        found += _command(glance, command, cursor, names)
    return found


def _syntax(text: str, cursor: int, session: Session) -> list[Mark]:
    try:
        session.parse(text, "prompt")
    except Unfinished:
        return []
    except KernelError as error:
        return [mark for problem in error.problems if (mark := _placed(problem, text, cursor)) is not None]
    return []


def _placed(problem: Problem, text: str, cursor: int) -> Mark | None:
    place = problem.where
    lines = text.split("\n")
    if not isinstance(place, Place) or not place.line <= len(lines) or lines[place.line - 1] != place.text:
        return None  # it stands in what an alias became
    start = sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1
    if start >= len(text.rstrip()) or (start + place.width >= len(text) and cursor == len(text) and text[start:] in "([{<>&;"):
        return None  # the next letters decide
    return Mark(start, start + place.width, _said(problem))


def _said(problem: Problem) -> str:
    return printable(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)


def _command(glance: Glance, command: Command, cursor: int, names: Names) -> list[Mark]:
    text, first = glance.text, command.words[0]
    word = parsed(text[first.start : first.end])
    name = word.literal if word is not None else None
    if name is None or word is None or word.glob:
        return []
    begun = glance.begun if cursor == len(text) else None
    if name in glance.functions:
        return []
    if not names.is_command(name):
        if first is begun and names.commands(name):
            return []  # something begins like this
        return [Mark(first.start, first.end, f"there is no command `{printable(name)}`")]
    if fault := names.fault(name):
        return [Mark(first.start, first.end, printable(fault))]
    spec = None if name in own_words.TABLE or name in names.evaluator.state.aliases else names.spec(name)
    return [] if spec is None else _call(glance, command, name, spec, begun is not None)


def _call(glance: Glance, command: Command, name: str, spec: ToolSpec, typing: bool) -> list[Mark]:
    text = glance.text
    pieces = command.words
    words = [parsed(text[piece.start : piece.end]) for piece in pieces[1:]]
    known = [each for each in words if each is not None]
    if len(known) < len(words):
        return []  # a quote is open: it is looked at when it is closed
    error = unavoidable(spec, name, known)
    if error is None:
        return []
    found = []
    growing = command.last
    for problem in error.problems:
        index = problem.where.index + 1 if isinstance(problem.where, WordPlace) else len(pieces)
        if growing and (problem.code in _GROWING or index >= len(pieces)):
            continue
        piece = pieces[index] if index < len(pieces) else pieces[0]
        begun = piece is glance.begun and typing and problem.code in _BEGUN
        if begun and _may_grow(problem, text[piece.start : piece.end], spec, known):
            continue
        found.append(Mark(piece.start, piece.end, _said(problem)))
    return found


def _may_grow(problem: Problem, written: str, spec: ToolSpec, words: list[Word]) -> bool:
    """Whether something that is known begins like the word that is being typed."""
    from kernel.export.completion import offer

    before = [word.literal or "" for word in words[:-1]]
    if problem.code == "E-UNKNOWN-FLAG" and written in ("-", "--"):
        return True
    offered = offer(spec, before, written)
    return any(text != written and (offered.prefix + text).startswith(written) for text, _ in offered.candidates)
