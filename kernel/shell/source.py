"""A text that is read as commands, and errors that point into it."""

from __future__ import annotations

from kernel.errors import KernelError, Place, Problem


class Source:
    """A text with a name for messages (a file, `-c`, `stdin`). ``first_line`` is the number of its first line."""

    __slots__ = ("first_line", "name", "text")

    def __init__(self, text: str, name: str, first_line: int = 1) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line

    def place(self, start: int, end: int) -> Place:
        """The line, column and width of the characters from ``start`` to ``end``; what lies past the line's end is cut off."""
        text = self.text
        start = min(start, len(text))
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        width = max(1, min(end, stop) - start)
        return Place(self.name, text.count("\n", 0, start) + self.first_line, start - begin + 1, text[begin:stop], width)


class Unfinished(KernelError):
    """The text ends inside something that more lines could close; ``what`` names it, as in `if` or `"`."""

    def __init__(self, problem: Problem, what: str) -> None:
        super().__init__([problem])
        self.what = what


class ExpansionError(KernelError):
    """A word has no value: the command is not run and its status is 1. ``fatal`` ends a script too (`set -u`, `:?`)."""

    def __init__(self, problem: Problem, fatal: bool = False) -> None:
        super().__init__([problem])
        self.fatal = fatal


def syntax(source: Source, start: int, end: int, message: str, hint: str = "") -> KernelError:
    """E-SYNTAX with its place."""
    return KernelError([Problem("E-SYNTAX", message, source.place(start, end), hint)])


def unfinished(source: Source, start: int, end: int, what: str, message: str, hint: str = "") -> Unfinished:
    """E-SYNTAX for a text that ends too early; the place is where the open construct began."""
    return Unfinished(Problem("E-SYNTAX", message, source.place(start, end), hint), what)
