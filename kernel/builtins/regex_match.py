"""Matching of POSIX trees: Python's `re` says where, sets of positions say how long and what `re` could take for ever.

Text is str: bytes as latin-1 in the C locale, UTF-8 with surrogates for invalid bytes elsewhere.
"""

from __future__ import annotations

import re

from kernel.builtins.posix_regex import WORD_SET, walk
from kernel.builtins.regex_classes import class_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernel.builtins.posix_regex import Node

    Ends = Callable[[str, set[int]], set[int]]

LONG = 2000  # characters of a record past which time that grows with its square is felt
_NOT_TEXT = "\\udc80-\\udcff"  # invalid bytes: no pattern matches them in UTF-8


class Matcher:
    """One tree made ready to search with.

    ``utf8`` chooses the characters, ``fold`` ignores case, ``newline`` is what no `.` or negated set matches ("\\n";
    "" where records may hold newlines). ``is_risky`` says that `re` may take exponential time; ``search_lines`` must
    then not be used on long texts, ``matches`` and ``longest`` never use `re` for it.
    """

    def __init__(self, node: Node, *, utf8: bool, fold: bool, newline: str = "\n") -> None:
        self.node = node
        self.utf8 = utf8
        self.fold = fold
        self.newline = newline
        self.unmatched = ("\\n" if newline else "") + (_NOT_TEXT if utf8 else "")
        self.flags = (re.IGNORECASE if fold else 0) | (0 if utf8 else re.ASCII) | (re.MULTILINE if newline else 0)
        self.has_references = any(part[0] == "ref" for part in walk(node))
        self.is_risky = not self.has_references and _is_risky(node, fold)
        self.is_greedy = not self.has_references and _is_greedy(node)
        core = trimmed(node)
        self.is_slow = not self.has_references and _rescans(core)
        self.is_slow_to_measure = not self.has_references and _rescans(node)
        self.core = core
        self.word = re.compile(self.set_source(WORD_SET), self.flags)
        self._ends: Ends | None = None
        self._pattern: re.Pattern[str] | None = None
        self._quick: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """For where a match begins, and whether there is one; its length may be another than POSIX asks for."""
        if self._pattern is None:
            self._pattern = re.compile(self.source(self.node), self.flags)
        return self._pattern

    def existence(self) -> re.Pattern[str]:
        """A cheaper pattern that matches in the same lines: optional parts at the ends are left out."""
        return re.compile(self.source(self.core), self.flags)

    def matches(self, text: str) -> bool:
        """Whether a record holds a match."""
        if self.is_risky or (self.is_slow and len(text) > LONG):
            return bool(self.ends(text, set(range(len(text) + 1))))
        if self._quick is None:
            self._quick = self.existence()
        return self._quick.search(text) is not None

    def longest(self, text: str, start: int) -> tuple[int, int] | None:
        """The leftmost-longest match of a record from ``start`` on, as (begin, end)."""
        if self.is_risky or (self.is_slow_to_measure and len(text) - start > LONG):
            return self._by_positions(text, start)
        found = self.pattern.search(text, start)
        if found is None:
            return None
        if self.is_greedy:
            return found.span()
        begin = found.start()
        if self.has_references:
            return begin, max([end for end, _ in self.walk_ends(self.node, text, begin, {})], default=found.end())
        return begin, max(self.ends(text, {begin}))

    def _by_positions(self, text: str, start: int) -> tuple[int, int] | None:
        """First a stretch that a match begins in, twice as long each time, then the first place in it."""
        if not self.is_risky and not self.is_slow and self.existence().search(text, start) is None:
            return None
        low, size = start, 64
        while not self.ends(text, set(range(low, min(low + size, len(text) + 1)))):
            low, size = low + size, size * 2
            if low > len(text):
                return None
        high = min(low + size - 1, len(text))
        while low < high:
            middle = (low + high) // 2
            if self.ends(text, set(range(low, middle + 1))):
                high = middle
            else:
                low = middle + 1
        return low, max(self.ends(text, {low}))

    # --- trees to `re`

    def source(self, node: Node) -> str:
        kind = node[0]
        if kind == "char":
            return re.escape(str(node[1]))
        if kind == "any":
            return f"[^{self.unmatched}]" if self.unmatched else "(?s:.)"
        if kind == "set":
            return self.set_source(node)
        if kind == "seq":
            return "".join([f"(?:{self.source(part)})" if part[0] == "alt" else self.source(part) for part in node[1]])
        if kind == "alt":
            return "|".join([self.source(part) for part in node[1]])
        if kind == "group":
            inner = self.source(node[2])
            return f"(?P<g{node[1]}>{inner})" if self.has_references else f"(?:{inner})"
        if kind == "ref":
            return f"(?P=g{node[1]})"
        if kind == "rep":
            inner = self.source(node[1])
            atom = inner if node[1][0] in ("char", "any", "group") else f"(?:{inner})"
            most = "" if node[3] < 0 else str(node[3])
            return f"{atom}*" if (node[2], node[3]) == (0, -1) else f"{atom}{{{node[2]},{most}}}"
        return self.anchor(node[1])

    def anchor(self, kind: str) -> str:
        word = self.set_source(WORD_SET)
        return {
            "^": "^" if self.newline else r"\A",
            "$": "$" if self.newline else r"\Z",
            "<": f"(?<!{word})(?={word})",
            ">": f"(?<={word})(?!{word})",
            "b": f"(?:(?<!{word})(?={word})|(?<={word})(?!{word}))",
            "B": f"(?:(?<!{word})(?!{word})|(?<={word})(?={word}))",
            "w(": f"(?<!{word})",
            "w)": f"(?!{word})",
        }[kind]

    def set_source(self, node: Node) -> str:
        _, negated, ranges, classes = node
        if node[2:] == WORD_SET[2:]:  # what `re` has a name for
            return rf"[^\w{self.unmatched}]" if negated else r"\w"
        if self.fold:
            classes = ["alpha" if name in ("upper", "lower") else name for name in classes]
        every = [*ranges, *[pair for name in classes for pair in class_ranges(name, self.utf8)]]
        listed = "".join([re.escape(low) if low == high else f"{re.escape(low)}-{re.escape(high)}" for low, high in every])
        if not listed and not negated:
            return "(?!)"
        if negated:
            return f"[^{listed}{self.unmatched}]"
        if self.newline and any(low <= "\n" <= high for low, high in every):
            return f"(?!\\n)[{listed}]"
        return f"[{listed}]"

    # --- sets of positions

    def ends(self, text: str, starts: set[int]) -> set[int]:
        """Every place where a match that begins at one of ``starts`` may end. Time is bounded by the text's square."""
        if self._ends is None:
            self._ends = self.compiled(self.node)
        return self._ends(text, starts)

    def compiled(self, node: Node) -> Ends:
        kind = node[0]
        if kind in ("char", "any", "set"):
            accepts = self.acceptor(node)
            return lambda text, starts: {at + 1 for at in starts if at < len(text) and accepts(text[at])}
        if kind == "seq":
            return _sequence([self.compiled(part) for part in node[1]])
        if kind == "alt":
            branches = [self.compiled(part) for part in node[1]]
            return lambda text, starts: set().union(*[branch(text, starts) for branch in branches])
        if kind == "group":
            return self.compiled(node[2])
        if kind == "rep":
            return _repeated(self.compiled(node[1]), node[2], node[3])
        holds = self.condition(node[1])
        return lambda text, starts: {at for at in starts if holds(text, at)}

    def acceptor(self, node: Node) -> Callable[[str], bool]:
        match = re.compile(self.source(node), self.flags).fullmatch
        known: dict[str, bool] = {}

        def accepts(character: str) -> bool:
            answer = known.get(character)
            if answer is None:
                answer = known[character] = match(character) is not None
            return answer

        return accepts

    def condition(self, kind: str) -> Callable[[str, int], bool]:
        pattern = re.compile(self.anchor(kind), self.flags)
        if kind == "^":
            return lambda text, at: at == 0
        if kind == "$":
            return lambda text, at: at == len(text)
        return lambda text, at: pattern.match(text, at) is not None

    def walk_ends(self, node: Node, text: str, at: int, groups: dict[int, str]) -> Iterator[tuple[int, dict[int, str]]]:
        """The ends of all matches of a tree with back-references, each with what its groups hold."""
        kind = node[0]
        if kind == "seq":
            yield from self._walk_sequence(node[1], text, at, groups)
        elif kind == "alt":
            for part in node[1]:
                yield from self.walk_ends(part, text, at, groups)
        elif kind == "group":
            for end, inner in self.walk_ends(node[2], text, at, groups):
                yield end, {**inner, node[1]: text[at:end]}
        elif kind == "ref":
            wanted = groups.get(node[1])
            if wanted is not None:
                found = text[at : at + len(wanted)]
                if found == wanted or (self.fold and found.lower() == wanted.lower()):
                    yield at + len(wanted), groups
        elif kind == "rep":
            yield from self._walk_repeated(node, text, at, groups, 0)
        else:
            for end in self.compiled(node)(text, {at}):
                yield end, groups

    def _walk_sequence(
        self, nodes: tuple[Node, ...], text: str, at: int, groups: dict[int, str]
    ) -> Iterator[tuple[int, dict[int, str]]]:
        if not nodes:
            yield at, groups
            return
        for end, inner in self.walk_ends(nodes[0], text, at, groups):
            yield from self._walk_sequence(nodes[1:], text, end, inner)

    def _walk_repeated(
        self, node: Node, text: str, at: int, groups: dict[int, str], count: int
    ) -> Iterator[tuple[int, dict[int, str]]]:
        if count >= node[2]:
            yield at, groups
        if node[3] < 0 or count < node[3]:
            for end, inner in self.walk_ends(node[1], text, at, groups):
                if end > at or count < node[2]:
                    yield from self._walk_repeated(node, text, end, inner, count + 1)


def trimmed(node: Node) -> Node:
    """The tree without optional parts at either end: it matches in the same lines."""
    if node[0] != "seq" or any(part[0] == "ref" for part in walk(node)):
        return node
    parts = list(node[1])
    while parts and parts[0][0] == "rep":
        if parts[0][2] == 0:
            parts.pop(0)
        else:
            parts[0] = ("rep", parts[0][1], parts[0][2], parts[0][2])
            break
    while parts and parts[-1][0] == "rep":
        if parts[-1][2] == 0:
            parts.pop()
        else:
            parts[-1] = ("rep", parts[-1][1], parts[-1][2], parts[-1][2])
            break
    return ("seq", tuple(parts))


def _sequence(parts: list[Ends]) -> Ends:
    def ends(text: str, starts: set[int]) -> set[int]:
        for part in parts:
            if not starts:
                break
            starts = part(text, starts)
        return starts

    return ends


def _repeated(part: Ends, least: int, most: int) -> Ends:
    def ends(text: str, starts: set[int]) -> set[int]:
        for _ in range(least):
            after = part(text, starts)
            if after == starts:
                break
            starts = after
            if not starts:
                return starts
        reached, fresh, count = set(starts), starts, least
        while fresh and (most < 0 or count < most):
            fresh = part(text, fresh) - reached
            reached |= fresh
            count += 1
        return reached

    return ends


def _is_variable(node: Node, fold: bool) -> bool:
    """Whether a node can match the same text in several ways or lengths: repeating such a node may take for ever."""
    if node[0] == "rep":
        return node[2] != node[3] or _is_variable(node[1], fold)
    if node[0] == "alt":
        firsts = [_first(part) for part in node[1]]
        if fold:
            firsts = [first.lower() for first in firsts]
        return "" in firsts or len(set(firsts)) < len(firsts) or any(_is_variable(part, fold) for part in node[1])
    if node[0] == "seq":
        return any(_is_variable(part, fold) for part in node[1])
    return node[0] == "group" and _is_variable(node[2], fold)


def _first(node: Node) -> str:
    """The character a node must begin with, "" when that is not one."""
    if node[0] == "char":
        return str(node[1])
    if node[0] == "seq" and node[1]:
        return _first(node[1][0])
    return _first(node[2]) if node[0] == "group" else ""


def _is_risky(node: Node, fold: bool) -> bool:
    return any(part[0] == "rep" and part[3] not in (0, 1) and _is_variable(part[1], fold) for part in walk(node))


def _rescans(node: Node) -> bool:
    """Whether an unbounded part stands before something else: `re` may then walk the rest of a record from every place."""
    parts = node[1] if node[0] == "seq" else (node,)
    if any(part[0] == "rep" and part[3] < 0 for leading in parts[:-1] for part in walk(leading)):
        return True
    last = parts[-1] if parts else node
    if last[0] == "alt":
        return any(_rescans(part) for part in last[1])
    if last[0] == "group":
        return _rescans(last[2])
    return last[0] == "rep" and any(part[0] == "rep" and part[3] < 0 for part in walk(last[1]))


def _is_greedy(node: Node) -> bool:
    """Whether the first match that backtracking finds is the longest: at most one part of variable length."""
    variable = 0
    for part in walk(node):
        if part[0] == "alt":
            return False
        if part[0] == "rep" and part[2] != part[3]:
            if part[1][0] not in ("char", "any", "set"):
                return False
            variable += 1
    return variable <= 1
