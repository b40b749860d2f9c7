"""What a sed script is made of: commands, their addresses, what `s` does."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.builtins.sed_regex import Expression


class Address:
    """`kind` is number, step, last, expression, zero, plus or multiple; the latter two stand second only."""

    def __init__(self, kind: str, first: int = 0, step: int = 0, expression: Expression | None = None) -> None:
        self.kind = kind
        self.first = first
        self.step = step
        self.expression = expression  # None: the last one used


class Substitution:
    """What `s` does: the parts of the replacement are (case, text or group number)."""

    def __init__(self, expression: Expression | None, parts: list[tuple[str, str | int]]) -> None:
        self.expression = expression
        self.parts = parts
        self.every = False
        self.print = 0
        self.number = 1
        self.file = ""


class Command:
    """One command. ``text`` is a text, label or file name, ``number`` an exit status or width, ``jump`` an index."""

    def __init__(self, name: str, first: Address | None, second: Address | None, negated: bool) -> None:
        self.name = name
        self.first = first
        self.second = second
        self.negated = negated
        self.text = ""
        self.silent = False  # the script ends behind `a\`: nothing is printed, not even an empty line
        self.number = -1
        self.jump = -1
        self.substitution: Substitution | None = None
        self.table: dict[int, str] = {}
        self.end = 0
        self.begin_file()

    def begin_file(self) -> None:
        """Where lines are counted anew, ranges are as well."""
        self.active = self.first is not None and self.first.kind == "zero"  # inside the range of its addresses
        self.closed = False  # a range that begins at a line's number is over
