"""A text that is read as commands, and errors that point into it."""

from __future__ import annotations

from kernel.errors import KernelError, Place, Problem


class Source:
    """A text with a name for messages (a file, `-c`, `stdin`). ``first_line`` is the number of its first line, ``joints``
    are the places where lines of it have been joined."""

    __slots__ = ("first_line", "joints", "name", "text")

    def __init__(self, text: str, name: str, first_line: int = 1, joints: tuple[int, ...] = ()) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line
        self.joints = joints

    def joined(self, at: int) -> Source:
        """The same without the backslash and the newline at a place."""
        joints = [joint if joint <= at else joint - 2 for joint in self.joints]
        return Source(self.text[:at] + self.text[at + 2 :], self.name, self.first_line, (*joints, at))

    def line(self, at: int) -> int:
        """The number of the line in which a place lies."""
        return self.text.count("\n", 0, at) + self.first_line + sum([joint <= at for joint in self.joints])

    def place(self, start: int, end: int) -> Place:
        """The line, column and width of the characters from ``start`` to ``end``; what lies past the line's end is cut off."""
        text = self.text
        start = min(start, len(text))
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        width = max(1, min(end, stop) - start)
        return Place(self.name, self.line(start), start - begin + 1, text[begin:stop], width)


class Joint(Exception):
    """A continued line at a place where the characters around it mean something together: to be read anew, joined."""

    def __init__(self, source: Source, at: int) -> None:
        super().__init__(at)
        self.source = source
        self.at = at


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
