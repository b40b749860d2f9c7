"""POSIX basic and extended regular expressions, with GNU's additions, read into a tree.

A node is a tuple whose first item is its kind:
    ("char", c)  ("any",)  ("set", negated, ranges, classes)  ("seq", nodes)  ("alt", nodes)
    ("rep", node, least, most or -1)  ("group", number, node)  ("ref", number)  ("at", kind)
Kinds of "at": `^ $ < > b B` and `w(` `w)` (no word character before, none behind; made by `word`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Node = tuple[Any, ...]

CLASS_NAMES = frozenset("alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split())
MOST = 32767  # the largest count in an interval
DEEPEST = 120  # groups within groups
WORD_SET: Node = ("set", False, (("_", "_"),), ("alnum",))
EMPTY: Node = ("seq", ())


class RegexError(ValueError):
    """A pattern that is none, in the words of the C library."""


def parse(pattern: str, *, extended: bool, first_group: int = 1) -> Node:
    """The tree of one pattern. Groups are numbered from ``first_group``, back-references with them. Raises RegexError."""
    parser = Parser(pattern, extended, first_group)
    node = parser.alternatives(0)
    if parser.at < len(pattern):
        raise RegexError("Unmatched ) or \\)")
    return node


def literal(text: str) -> Node:
    """The tree of fixed text."""
    return ("seq", tuple([("char", character) for character in text]))


def literals(texts: list[str], depth: int = 0) -> Node:
    """The tree of many fixed texts; those that begin alike stand together, so that few are tried at each place."""
    if len(texts) < 8 or depth == 3 or "" in texts:
        return ("alt", tuple([literal(text) for text in texts])) if len(texts) != 1 else literal(texts[0])
    buckets: dict[str, list[str]] = {}
    for text in texts:
        buckets.setdefault(text[0], []).append(text[1:])
    return ("alt", tuple([("seq", (("char", first), literals(rest, depth + 1))) for first, rest in buckets.items()]))


def word(node: Node) -> Node:
    """Only where no word character stands before or behind (grep -w)."""
    return ("seq", (("at", "w("), node, ("at", "w)")))


def line(node: Node) -> Node:
    """Only whole lines (grep -x)."""
    return ("seq", (("at", "^"), node, ("at", "$")))


def walk(node: Node) -> Iterator[Node]:
    """Every node of a tree."""
    yield node
    if node[0] in ("seq", "alt"):
        for part in node[1]:
            yield from walk(part)
    elif node[0] == "group":
        yield from walk(node[2])
    elif node[0] == "rep":
        yield from walk(node[1])


class Parser:
    """A recursive descent over one pattern; ``at`` is the place of the next character."""

    def __init__(self, pattern: str, extended: bool, first_group: int) -> None:
        self.pattern = pattern
        self.extended = extended
        self.at = 0
        self.base = first_group - 1
        self.groups = first_group - 1
        self.closed: set[int] = set()

    def starts(self, text: str | tuple[str, ...]) -> bool:
        return self.pattern.startswith(text, self.at)

    def alternatives(self, depth: int) -> Node:
        before = set(self.closed)
        branches = [self.sequence(depth)]
        closed = set(self.closed)
        bar = "|" if self.extended else "\\|"
        while self.starts(bar):
            self.at += len(bar)
            self.closed = set(before)  # a branch cannot refer to the groups of another
            branches.append(self.sequence(depth))
            closed |= self.closed
        self.closed = closed
        return branches[0] if len(branches) == 1 else ("alt", tuple(branches))

    def ends_branch(self, depth: int) -> bool:
        if self.at >= len(self.pattern):
            return True
        if self.extended:
            return self.starts("|") or (self.starts(")") and depth > 0)
        return self.starts("\\|") or self.starts("\\)")

    def sequence(self, depth: int) -> Node:
        nodes: list[Node] = []
        while not self.ends_branch(depth):
            node = self.atom(not nodes, depth)
            if node is not None:
                nodes.append(self.repeated(node))
        return nodes[0] if len(nodes) == 1 else ("seq", tuple(nodes))

    def repeated(self, node: Node) -> Node:
        while True:
            if node[0] == "at" and not self.extended and self.starts(("*", "\\+", "\\?")):
                return node  # behind a place these are plain characters
            if self.starts("*"):
                self.at += 1
                node = ("rep", node, 0, -1)
                self.behind_repetition()
                continue
            mark = self.operator()
            if mark == "+":
                node = ("rep", node, 1, -1)
            elif mark == "?":
                node = ("rep", node, 0, 1)
            else:
                bounds = self.interval()
                if bounds is None:
                    return node
                node = ("rep", node, *bounds)
            self.behind_repetition()

    def behind_repetition(self) -> None:
        """For those who refuse some of what may follow."""

    def operator(self) -> str:
        """`+` or `?` where it is an operator here, taken; else ""."""
        for mark in "+?":
            text = mark if self.extended else "\\" + mark
            if self.starts(text):
                self.at += len(text)
                return mark
        return ""

    def interval(self) -> tuple[int, int] | None:
        """`{2,5}`, taken; None where there is none. In an extended pattern a bad one is plain text."""
        opening, closing = ("{", "}") if self.extended else ("\\{", "\\}")
        if not self.starts(opening):
            return None
        start = self.at + len(opening)
        end = self.pattern.find(closing, start)
        body = self.pattern[start:end] if end >= 0 else ""
        low, comma, high = body.partition(",")
        fits = all(part == "" or (part.isascii() and part.isdigit()) for part in (low, high)) and (low or comma)
        if not fits:
            if self.extended:
                return None
            raise RegexError("Unmatched \\{" if end < 0 else "Invalid content of \\{\\}")
        self.at = end + len(closing)
        least = int(low or "0") if len(low) < 9 else MOST + 1
        most = -1 if comma and not high else least if not comma else int(high) if len(high) < 9 else MOST + 1
        if most >= 0 and least > most:
            raise RegexError("Invalid content of \\{\\}")
        if max(least, most) > MOST:
            raise RegexError("Regular expression too big")
        return least, most

    def atom(self, is_first: bool, depth: int) -> Node | None:
        """One atom; None where an operator without operand was skipped, as GNU does."""
        character = self.pattern[self.at]
        if character == "\\":
            return self.escaped(depth)
        self.at += 1
        if character == "[":
            return self.bracket()
        if character == ".":
            return ("any",)
        if self.extended:
            if character == "(":
                return self.group(depth)
            if character in "^$":
                return ("at", character)
            if is_first and character in "*+?":
                return None
            if is_first and character == "{":
                self.at -= 1
                if self.interval() is not None:
                    return None
                self.at += 1
        elif character == "^" and is_first:
            return ("at", "^")
        elif character == "$" and (self.at == len(self.pattern) or self.starts("\\)") or self.starts("\\|")):
            return ("at", "$")
        return ("char", character)

    def group(self, depth: int) -> Node:
        if depth >= DEEPEST:
            raise RegexError("Regular expression too big")
        self.groups += 1
        number = self.groups
        node = self.alternatives(depth + 1)
        closing = ")" if self.extended else "\\)"
        if not self.starts(closing):
            raise RegexError("Unmatched ( or \\(")
        self.at += len(closing)
        self.closed.add(number)
        return ("group", number, node)

    def escaped(self, depth: int) -> Node:
        if self.at + 1 >= len(self.pattern):
            raise RegexError("Trailing backslash")
        character = self.pattern[self.at + 1]
        self.at += 2
        if character == "(" and not self.extended:
            return self.group(depth)
        if character in "123456789":
            number = int(character) + self.base
            if number not in self.closed:
                raise RegexError("Invalid back reference")
            return ("ref", number)
        if character in "wW":
            return ("set", character == "W", *WORD_SET[2:])
        if character in "sS":
            return ("set", character == "S", (), ("space",))
        if character in "<>bB":
            return ("at", character)
        if character in "`'":
            return ("at", "^" if character == "`" else "$")
        return ("char", character)

    def bracket(self) -> Node:
        """Behind the `[`: to its `]`."""
        unmatched = "Unmatched [, [^, [:, [., or [="
        start = self.at
        negated = self.starts("^")
        self.at += negated
        ranges: list[tuple[str, str]] = []
        classes: list[str] = []
        is_first = True
        while True:
            if self.at >= len(self.pattern):
                raise RegexError(unmatched)
            if self.starts("]") and not is_first:
                self.at += 1
                break
            if self.starts("-") and not is_first and self.at + 1 < len(self.pattern) and not self.starts("-]"):
                raise RegexError("Invalid range end")  # `a-c-e`: a range has two ends
            is_first = False
            if self.starts("[:"):
                end = self.pattern.find(":]", self.at + 2)
                if end < 0:
                    raise RegexError(unmatched)
                name = self.pattern[self.at + 2 : end]
                if name not in CLASS_NAMES:
                    raise RegexError("Invalid character class name")
                classes.append(name)
                self.at = end + 2
                continue
            low = self.element(unmatched)
            if self.starts("-") and not self.pattern.startswith("-]", self.at) and self.at + 1 < len(self.pattern):
                self.at += 1
                high = self.element(unmatched)
                if high < low:
                    raise RegexError("Invalid range end")
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        text = self.pattern[start : self.at]
        if not negated and not classes and len(text) > 3 and text[0] == text[-2] == ":":
            raise RegexError("character class syntax is [[:space:]], not [:space:]")
        return ("set", negated, tuple(ranges), tuple(classes))

    def element(self, unmatched: str) -> str:
        """One character of a bracket expression, perhaps as `[.x.]` or `[=x=]`."""
        for mark in ".=":
            if self.starts("[" + mark):
                end = self.pattern.find(mark + "]", self.at + 2)
                if end < 0:
                    raise RegexError(unmatched)
                body = self.pattern[self.at + 2 : end]
                if len(body) != 1:
                    raise RegexError("Invalid collation character")
                self.at = end + 2
                return body
        if self.at >= len(self.pattern):
            raise RegexError(unmatched)
        self.at += 1
        return self.pattern[self.at - 1]
