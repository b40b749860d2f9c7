"""The patterns a manifest may use (T2): what Python and ECMA-262 (with `u`) read alike, read into a tree.

A pattern is compared with a whole value, `^(?:pattern)$` in ECMA-262, whose sets `.`, `\\s` and `\\S` are meant;
`\\d`, `\\w` and `\\b` are ASCII. There are no references to groups, so ``pattern_match`` answers in a time that grows with
the value's length alone, whatever the pattern repeats.
"""

from __future__ import annotations

from kernel.pattern_sets import ANY_BUT_LINE_ENDS, Ranges, complement, merged, named_set, single

_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_SAME_ESCAPES = frozenset("tnrfvdDwWsS")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "b": "\b"}
_HEX = frozenset("0123456789abcdefABCDEF")
_MAX_DEPTH = 32
_MAX_LENGTH = 2000
MAX_REPEAT = 1000
MAX_SIZE = 20_000  # sets of characters, each as often as its repeats count
MAX_FORKS = 4_000  # alternatives and repeats, counted in the same way
_OTHER_ESCAPES = {
    "A": "a pattern is compared with the whole value; leave it out",
    "Z": "a pattern is compared with the whole value; leave it out",
    "z": "a pattern is compared with the whole value; leave it out",
    "p": "list the characters: `[A-Za-z]`",
    "P": "list the characters: `[^A-Za-z]`",
}


class PatternError(ValueError):
    """A pattern that is refused: ``at`` and ``width`` mark what in it, ``hint`` says what to write."""

    def __init__(self, message: str, at: int, width: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.width = width
        self.hint = hint


class Node:
    """A part of a pattern. ``size`` and ``forks`` are counted with its repeats written out; ``least`` and ``most`` are the
    lengths of what it matches, ``most`` None when there is no end."""

    __slots__ = ("forks", "least", "most", "size")

    def __init__(self, size: int, forks: int, least: int, most: int | None) -> None:
        self.size = size
        self.forks = forks
        self.least = least
        self.most = most


class Characters(Node):
    """One character of a set."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: Ranges) -> None:
        super().__init__(1, 0, 1, 1)
        self.ranges = ranges


class Sequence(Node):
    """Parts, one after another."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Node]) -> None:
        mosts = [part.most for part in parts if part.most is not None]
        super().__init__(
            sum(part.size for part in parts),
            sum(part.forks for part in parts),
            sum(part.least for part in parts),
            sum(mosts) if len(mosts) == len(parts) else None,
        )
        self.parts = parts


class Choice(Node):
    """Two or more alternatives."""

    __slots__ = ("branches",)

    def __init__(self, branches: list[Node]) -> None:
        mosts = [branch.most for branch in branches if branch.most is not None]
        super().__init__(
            sum(branch.size + 1 for branch in branches),
            sum(branch.forks + 1 for branch in branches),
            min(branch.least for branch in branches),
            max(mosts) if len(mosts) == len(branches) else None,
        )
        self.branches = branches


class Repeat(Node):
    """A part ``low`` to ``high`` times, ``high`` None for no end."""

    __slots__ = ("high", "low", "part")

    def __init__(self, part: Node, low: int, high: int | None) -> None:
        times = low + 1 if high is None else high
        super().__init__(
            part.size * times + (2 if isinstance(part, Characters) else times + 2),
            part.forks * times + (2 if high is None else 1),
            part.least * low,
            0 if part.most == 0 else None if high is None or part.most is None else part.most * high,
        )
        self.part = part
        self.low = low
        self.high = high


class Spot(Node):
    """A place between two characters: ``kind`` is `^`, `$`, `b` or `B`."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        super().__init__(1, 1, 0, 0)
        self.kind = kind


class Look(Node):
    """What must stand behind (``ahead``) or before a place, or must not (``negative``)."""

    __slots__ = ("ahead", "negative", "part")

    def __init__(self, part: Node, *, ahead: bool, negative: bool) -> None:
        super().__init__(part.size + 1, part.forks + 1, 0, 0)
        self.part = part
        self.ahead = ahead
        self.negative = negative


def read(pattern: str) -> Node:
    """A pattern as a tree. Raises PatternError."""
    if len(pattern) > _MAX_LENGTH:
        raise PatternError(f"a pattern has at most {_MAX_LENGTH} characters", 0, 1, "use `choices`, or check it in the program")
    reader = _Reader(pattern)
    tree = reader.choice(-1, 0)
    if tree.size > MAX_SIZE or tree.forks > MAX_FORKS:
        raise PatternError(
            "the pattern is too large when its repeats are written out",
            0,
            len(pattern),
            "let repeats count to less or leave their end open, or check it in the program",
        )
    return tree


class _Reader:
    """Reads a pattern from left to right; ``at`` is the place of the next character."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def choice(self, opened: int, depth: int) -> Node:
        """All up to the end of the pattern, or of the group whose `(` stands at ``opened``."""
        pattern = self.pattern
        branches: list[list[Node]] = [[]]
        repeatable = False  # whether a repeat may follow here
        while self.at < len(pattern):
            character, start = pattern[self.at], self.at
            if character in "*+?{":
                low, high = self.repeat(repeatable)
                branches[-1][-1] = Repeat(branches[-1][-1], low, high)
                repeatable = False
                continue
            if character == ")":
                if not depth:
                    raise PatternError("`)` closes no group", start, 1, "write `\\)` for the character")
                self.at += 1
                return _choice(branches)
            if character == "|":
                self.at += 1
                branches.append([])
                repeatable = False
                continue
            if character == "(":
                if depth >= _MAX_DEPTH:
                    raise PatternError(f"groups are nested deeper than {_MAX_DEPTH}", start)
                part = self.group(depth)
            elif character == "[":
                part = self.characters()
            elif character == "\\":
                part = self.escape()
            elif character in "]}":
                raise PatternError(f"`{character}` closes nothing", start, 1, f"write `\\{character}` for the character")
            else:
                part = self.plain(depth)
            branches[-1].append(part)
            repeatable = not isinstance(part, (Spot, Look))
        if depth:
            raise PatternError("a group is not closed", opened, 1, "add `)`, or write `\\(` for the character")
        return _choice(branches)

    def repeat(self, repeatable: bool) -> tuple[int, int | None]:
        """The bounds of a repeat."""
        pattern, start = self.pattern, self.at
        self.at, low, high = _bounds(pattern, start)
        if not repeatable:
            message = f"`{pattern[start : self.at]}` repeats nothing that can be repeated"
            raise PatternError(message, start, self.at - start, "put what it repeats before it")
        following = pattern[self.at : self.at + 1]
        if following == "+":
            message = "possessive repeats are not read alike by Python and ECMA-262"
            raise PatternError(message, start, self.at + 1 - start, "drop the second `+`")
        self.at += following == "?"
        return low, high

    def group(self, depth: int) -> Node:
        start = self.at
        self.at += 1
        opening = ""
        if self.pattern.startswith("?", self.at):
            opening = next((known for known in ("?:", "?=", "?!", "?<=", "?<!") if self.pattern.startswith(known, self.at)), "")
            if not opening:
                raise PatternError(
                    f"`{self.pattern[start : start + 3]}` is not read alike by Python and ECMA-262",
                    start,
                    3,
                    "groups are `(…)`, `(?:…)`, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`",
                )
        self.at += len(opening)
        part = self.choice(start, depth + 1)
        if opening in ("", "?:"):
            return Sequence([part]) if isinstance(part, (Spot, Look)) else part  # a group can be repeated, whatever it holds
        if "<" in opening and part.least != part.most:
            message = "Python refuses a look-behind at texts of several lengths"
            raise PatternError(message, start, self.at - start, "let all it matches have one length")
        return Look(part, ahead="<" not in opening, negative="!" in opening)

    def plain(self, depth: int) -> Node:
        pattern, start = self.pattern, self.at
        character = pattern[start]
        self.at += 1
        if character == "$" and (pattern[self.at : self.at + 1] != "|" or depth) and pattern[self.at :].strip(")"):
            message = "`$` inside a pattern is not read alike by Python and ECMA-262"
            raise PatternError(message, start, 1, "use it at the end only, or `\\$` for the character")
        if character in "^$":
            return Spot(character)
        return Characters(ANY_BUT_LINE_ENDS if character == "." else single(character))

    def escape(self) -> Node:
        """An escape outside a class."""
        start = self.at
        self.at, code = _escape(self.pattern, start, in_class=False)
        letter = self.pattern[start + 1]
        if letter in "bB":
            return Spot(letter)
        return Characters(named_set(letter) if code < 0 else single(chr(code)))

    def characters(self) -> Node:
        """A character class."""
        pattern, start = self.pattern, self.at
        at = start + 1
        negative = pattern.startswith("^", at)
        at += negative
        if pattern[at : at + 1] == "]":
            raise PatternError(
                "an empty class, or a `]` first in one, is not read alike by Python and ECMA-262",
                start,
                at + 1 - start,
                "write `\\]` for the character",
            )
        found: list[tuple[int, int]] = []
        low = -1  # the code of a character that may begin a range, -1 for none
        first = True
        while at < len(pattern):
            character = pattern[at]
            if character == "]":
                self.at = at + 1
                return Characters(complement(merged(found)) if negative else merged(found))
            if character == "[" or (character in "-&~|" and pattern[at + 1 : at + 2] == character):
                raise PatternError(
                    f"`{character}` here is not read alike by Python and ECMA-262",
                    at,
                    1,
                    f"write `\\{character}`" if character in "[-|" else "write it once",
                )
            if character == "-" and not first and pattern[at + 1 : at + 2] not in ("]", ""):
                if low < 0:
                    raise PatternError("a range begins with no single character", at, 1, "write `\\-` for the character")
                at, high = _member(pattern, at + 1)
                if high < low:
                    message = "a range ends with no single character, or before it begins"
                    raise PatternError(message, start, at - start, "write `\\-` for the character")
                found.append((low, high))
                low = -1
            else:
                member = at
                at, low = _member(pattern, at)
                found += [(low, low)] if low >= 0 else named_set(pattern[member + 1])
            first = False
        raise PatternError("a class is not closed", start, 1, "add `]`, or write `\\[` for the character")


def _choice(branches: list[list[Node]]) -> Node:
    parts = [branch[0] if len(branch) == 1 else Sequence(branch) for branch in branches]
    return parts[0] if len(parts) == 1 else Choice(parts)


def _bounds(pattern: str, at: int) -> tuple[int, int, int | None]:
    """The end of a repeat that begins at ``at``, and its bounds."""
    if pattern[at] != "{":
        return at + 1, int(pattern[at] == "+"), 1 if pattern[at] == "?" else None
    closing = pattern.find("}", at)
    body = pattern[at + 1 : closing] if closing > 0 else ""
    low, comma, high = body.partition(",")
    if not (low.isascii() and low.isdigit() and (not high or (high.isascii() and high.isdigit()))):
        raise PatternError(
            "a `{` that begins no repeat is not read alike by Python and ECMA-262",
            at,
            1,
            "write `{2}`, `{2,}` or `{2,5}`, or `\\{` for the character",
        )
    width = closing + 1 - at
    if len(low) > 4 or len(high) > 4 or int(low) > MAX_REPEAT or int(high or 0) > MAX_REPEAT:
        raise PatternError(f"a repeat counts to at most {MAX_REPEAT}", at, width)
    if high and int(high) < int(low):
        raise PatternError("a repeat's upper bound is below its lower one", at, width)
    return closing + 1, int(low), int(high or low) if high or not comma else None


def _escape(pattern: str, at: int, *, in_class: bool) -> tuple[int, int]:
    """The end of an escape and the code of its character, -1 for a set or a spot."""
    character = pattern[at + 1 : at + 2]
    if not character:
        raise PatternError("a lone `\\` ends the pattern", at, 1, "write `\\\\` for the character")
    if character in "dDwWsS" or (character in "bB" and not in_class):
        return at + 2, -1
    if character in _SAME_ESCAPES or character in _SYNTAX or (in_class and character in "-b"):
        return at + 2, ord(_CONTROLS.get(character, character))
    if character in "xu":
        digits = pattern[at + 2 : at + (4 if character == "x" else 6)]
        if len(digits) == (2 if character == "x" else 4) and _HEX.issuperset(digits) and not 0xD800 <= int(digits, 16) <= 0xDFFF:
            return at + 2 + len(digits), int(digits, 16)
    hint = _OTHER_ESCAPES.get(character, "")
    if not hint and character.isdigit():
        hint = "references to groups differ; write the text out"
    elif not hint and not character.isalnum():
        hint = f"write `{character}` without the backslash"
    raise PatternError(f"`\\{character}` is not read alike by Python and ECMA-262", at, 2, hint)


def _member(pattern: str, at: int) -> tuple[int, int]:
    """The end of one class member and its code, -1 for a set such as `\\d`."""
    return _escape(pattern, at, in_class=True) if pattern[at] == "\\" else (at + 1, ord(pattern[at]))
