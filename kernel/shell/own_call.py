"""A call of one of the shell's own words, and the errors about it: each at the word that is wrong, where one is."""

from __future__ import annotations

from kernel.errors import KernelError, Problem
from kernel.shell.data import text_of
from kernel.shell.scanner import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernel.shell.data import Field
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Assignment, Simple, Word


class Call:
    """A call of an own word: its words as fields and as texts, less the flags that were taken off.

    ``faulty`` is the place of the word that an error was about, in all the words; -1 for none.
    """

    __slots__ = ("evaluator", "faulty", "fields", "name", "node", "operands", "taken", "words")

    def __init__(self, evaluator: Evaluator, name: str, fields: list[Field], node: Simple) -> None:
        self.evaluator = evaluator
        self.name = name
        self.fields = fields
        self.words = [text_of(field) for field in fields]
        self.node = node
        self.operands: Sequence[Word | Assignment] = _written(node, len(fields))
        self.taken = 0
        self.faulty = -1

    def wrong(self, code: str, message: str, hint: str = "", status: int | None = None, *, at: int = -1) -> KernelError:
        """An error about the word at a place in ``words``, or about the whole call."""
        source, start, end = self.node.source, self.node.start, self.node.end
        if at >= 0:
            self.faulty = self.taken + at
            if self.operands:
                word = self.operands[self.faulty]
                source, start, end = word.source, word.start, word.end
        return KernelError([Problem(code, f"`{self.name}`: {message}", source.place(start, end), hint)], status=status)

    def take(self) -> str:
        """Takes the first word off."""
        self.taken += 1
        self.fields = self.fields[1:]
        return self.words.pop(0)

    def flags(self, known: str) -> str:
        """Takes the leading one-letter flags off the words. Raises KernelError for another one."""
        given = ""
        while self.words and self.words[0][:1] == "-" and self.words[0] != "-":
            word = self.words[0]
            for letter in word[1:] if word != "--" else "":
                if letter not in known:
                    wanted = ", ".join([f"`-{each}`" for each in known]) or "none"
                    raise self.wrong("E-UNKNOWN-FLAG", f"`{word}` is no flag of it", f"its flags: {wanted}", at=0)
                given += letter
            self.take()
            if word == "--":
                break
        return given

    def at_most(self, count: int) -> None:
        """Raises KernelError for more words than that."""
        if len(self.words) > count:
            message = f"it takes at most {count} operand{'s' * (count != 1)}, not {len(self.words)}"
            raise self.wrong("E-TOO-MANY", message, at=count)

    def names(self, *, assigned: bool = False) -> None:
        """Raises KernelError for a word that is no name of a variable; where values are ``assigned``, `=` ends it."""
        for at, text in enumerate(self.words):
            name = text.partition("=")[0] if assigned else text
            if not is_name(name):
                hint = "ASCII letters, digits and `_`, no digit first"
                raise self.wrong("E-TYPE", f"`{name}` is no name of a variable", hint, at=at)


def _written(node: Simple, count: int) -> Sequence[Word | Assignment]:
    """The words behind the command's as they stand in the source, where each is one; else none, as nobody knows which is which."""
    if any(word.may_be_several for word in node.words):
        return ()
    return node.words[len(node.words) - count :] if 0 < count < len(node.words) else ()
