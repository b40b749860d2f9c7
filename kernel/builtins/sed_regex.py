"""Regular expressions of sed: what was matched and by which group, `^` and `$` with and without the M flag."""

from __future__ import annotations

import re

from kernel.builtins.posix_regex import Parser, RegexError, walk
from kernel.builtins.regex_match import Matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.builtins.posix_regex import Node

    Spans = list[tuple[int, int]]

_SINGLE = ("char", "any", "set")


class Expression:
    """One compiled expression. ``groups`` is how many groups it has."""

    def __init__(self, text: str, *, extended: bool, fold: bool, lines: bool, utf8: bool) -> None:
        parser = _Parser(text, extended, 1)
        node = parser.alternatives(0)
        if parser.at < len(text):
            raise RegexError("Unmatched ) or \\)")
        self.groups = parser.groups
        self.matcher = _Matcher(node, lines, utf8=utf8, fold=fold)
        self.first_is_longest = not self.matcher.is_risky and (self.matcher.is_greedy or _is_plain(node))
        self.names = [f"g{number}" for number in range(1, parser.groups + 1)]

    def matches(self, text: str) -> bool:
        """Whether a text holds a match."""
        return self.matcher.matches(text)

    def search(self, text: str, start: int) -> Spans | None:
        """The leftmost-longest match from ``start`` on: its span, then those of its groups, (-1, -1) for one unused."""
        pattern = self.matcher.pattern
        if self.first_is_longest:
            found = pattern.search(text, start)
        else:
            span = self.matcher.longest(text, start)
            if span is None:
                return None
            found = pattern.match(text, span[0]) if self.names and not self.matcher.is_risky else None
            if found is None or found.end() != span[1]:
                found = pattern.fullmatch(text, *span) if self.names else None
            if found is None:
                return [span, *[(-1, -1)] * len(self.names)]
        if found is None:
            return None
        return [found.span(), *[found.span(name) for name in self.names]]


class _Parser(Parser):
    """Tells the ends of the buffer from those of its lines, and is stricter than grep about operators without operands."""

    def atom(self, is_first: bool, depth: int) -> Node | None:
        if is_first and self.operator_is_next():
            raise RegexError("Invalid preceding regular expression")
        return super().atom(is_first, depth)

    def operator_is_next(self) -> bool:
        return self.pattern[self.at] in "*+?{" if self.extended else self.starts("\\{")

    def repeated(self, node: Node) -> Node:
        at_end = self.at >= len(self.pattern)
        if not at_end and node[0] == "at" and node[1] in "^$" and self.operator_is_next():
            raise RegexError("Invalid preceding regular expression")
        return super().repeated(node)

    def behind_repetition(self) -> None:
        if not self.extended and self.starts(("*", "\\{")):
            raise RegexError("Invalid preceding regular expression")

    def interval(self) -> tuple[int, int] | None:
        found = super().interval()
        if found is None and self.extended and self.starts("{"):
            inside = self.pattern[self.at + 1 :].lstrip("0123456789,")
            raise RegexError("Unmatched \\{" if "}" not in inside else "Invalid content of \\{\\}")
        return found

    def escaped(self, depth: int) -> Node:
        mark = self.pattern[self.at + 1 : self.at + 2]
        if mark in ("`", "'"):
            self.at += 2
            return ("at", mark)
        return super().escaped(depth)


class _Matcher(Matcher):
    def __init__(self, node: Node, lines: bool, *, utf8: bool, fold: bool) -> None:
        self.lines = lines
        super().__init__(node, utf8=utf8, fold=fold, newline="\n" if lines else "")

    def source(self, node: Node) -> str:
        if node[0] == "group":
            return f"(?P<g{node[1]}>{self.source(node[2])})"
        return super().source(node)

    def anchor(self, kind: str) -> str:
        if kind in "^$":
            return f"(?m:{kind})" if self.lines else r"\A" if kind == "^" else r"\Z"
        if kind in "`'":
            return r"\A" if kind == "`" else r"\Z"
        return super().anchor(kind)

    def condition(self, kind: str) -> Callable[[str, int], bool]:
        pattern = re.compile(self.anchor(kind), self.flags)
        return lambda text, at: pattern.match(text, at) is not None


def _is_plain(node: Node) -> bool:
    """Whether repeats of single characters are all that varies: trying the longest first then finds the longest."""
    return all(
        part[0] != "alt" and part[0] != "ref" and (part[0] != "rep" or part[1][0] in _SINGLE or part[2] == part[3] == 1)
        for part in walk(node)
    )
