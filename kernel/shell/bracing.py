"""Brace expressions: `{a,b}`, `{1..5}`; where they end, and what of a word they are."""

from __future__ import annotations

from kernel.shell.dollars import DEEPEST, Dollars
from kernel.shell.scanner import END, JOINT, NAME
from kernel.shell.tree import Braces, Param, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.source import Source
    from kernel.shell.tree import Part, Word

MOST_LOOKED_AT = 500_000  # characters of one word, each time that it is looked through for the end of a brace
MOST_WORDS = 100_000  # that one brace expression may make


class Bracing(Dollars):
    """Reads brace expressions. ``self.at`` stands on the `{`."""

    def __init__(self, source: Source, start: int = 0) -> None:
        super().__init__(source, start)
        self._begins = True  # what is read stands at the beginning of its word
        self._close = -1  # the `}` of the innermost brace expression that is being read
        self._looked_at = 0  # characters, for the ends of braces in this word
        self._no_braces: set[int] = set()  # places of a `{` that begins no brace expression

    if TYPE_CHECKING:

        def _parts(self, word: Word, parts: list[Part], ends: frozenset[str], quoted: bool, assigned: bool) -> None: ...

    def _braces(self, word: Word, parts: list[Part]) -> bool:
        """Adds the brace expression that begins here, if one does; else the position stays."""
        start, close = self.at, self._close
        empty = start == word.start and self.text[start + 1 : start + 2] == "}"  # `{}` at the beginning is text
        found, closes = (start, False) if empty else self._brace_end(start)
        self._looked_at += found - start
        if self._looked_at > MOST_LOOKED_AT:
            raise self.wrong(start, start + 1, "the word holds too many braces", "quote them where they are text")
        if not closes or 0 <= close <= found:
            self._no_braces.add(start)
            return False
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(start, start + 1, f"more than {DEEPEST} braces stand within each other")
        alternatives: list[list[Part]] = []
        begins, self._begins = self._begins, self._begins and not parts
        inner = frozenset([*END, ",", "}"])
        glob, self._close = word.glob, found
        while not alternatives or self.peek() == ",":
            self.at += 1
            alternative: list[Part] = []
            self._alternative(word, alternative, inner)
            alternatives.append(alternative)
        self.depth -= 1
        self._begins, self._close = begins, close
        if self.at == found:
            if len(alternatives) == 1:
                alternatives = _sequence(self, start, found, alternatives[0]) or []
            if alternatives:
                self._refuse_joined_name(parts, start)
                self.at += 1
                parts.append(Braces(alternatives))
                return True
        self._no_braces.add(start)
        word.glob = glob
        self.at = start
        return False

    def _brace_end(self, start: int) -> tuple[int, bool]:
        """Where the `}` stands that closes the `{` at a place, as bash finds it: behind a comma or `..`.

        (where it was looked for last, False) where there is none.
        """
        text, at, level, parted = self.text, start + 1, 0, False
        if text.find("}", start) < 0:
            return start, False
        while at < self.size:
            character = text[at]
            if character == "\\":
                at += 1
            elif character in "'\"" or text[at : at + 2] in ("${", "$(", "$'"):
                at = self._behind(at) - 1
                if at < 0:
                    return self.size, False
            elif character in END:
                break
            elif character == ".":
                self.join(at + 1, ".")
                parted = parted or (not level and text[at + 1 : at + 2] == "." and text[at + 2 : at + 3] != "}")
            elif character == "{":
                level += 1
            elif character == "}":
                if not level and parted:
                    return at, True
                level -= level > 0
            elif character == "," and not level:
                parted = True
            at += 1
        return at, False

    def _behind(self, at: int) -> int:
        """Where the text goes on behind the quotes, `${…}` or `$(…)` at a place; 0 where they are not closed."""
        text = self.text
        opened: list[str] = []  # what closes them
        while at < self.size:
            character, inner = text[at], opened[-1] if opened else ""
            if inner == "'":
                if character == "'":
                    opened.pop()
            elif character == "\\":
                at += 1
            elif character == inner[-1:]:
                opened.pop()
            elif inner == "$'":
                pass
            elif text[at : at + 2] == "$'" and inner != '"':
                opened.append("$'")
                at += 1
            elif text[at : at + 2] in ("${", "$("):
                opened.append("}" if text[at + 1] == "{" else ")")
                at += 1
            elif character == '"' or (character == "'" and inner != '"'):
                opened.append(character)
            elif character == "(" and inner == ")":
                opened.append(")")
            at += 1
            if not opened:
                return at
        return 0

    def _refuse_joined_name(self, parts: list[Part], start: int) -> None:
        """`$x{a,b}` is `$xa $xb` in bash."""
        last = parts[-1] if parts else None
        if isinstance(last, Param) and last.end == start and self.text[start - 1] != "}" and self.text[start - 1] in NAME:
            hint = f"write `${{{last.name}}}{{…}}`"
            raise self.wrong(last.start, self.at + 1, f"braces directly behind `${last.name}` would become part of its name", hint)

    def _alternative(self, word: Word, parts: list[Part], ends: frozenset[str]) -> None:
        stops = frozenset([*ends, "{"])
        while self.at < self.size:
            character = self.peek()
            if character == "{":
                if self.at in self._no_braces or not self._braces(word, parts):
                    add(parts, "{", False)
                    self.at += 1
            elif character == "}" and self.at != self._close:
                add(parts, "}", False)
                self.at += 1
            elif character in ends:
                return
            else:
                self._parts(word, parts, stops, False, False)


def add(parts: list[Part], text: str, quoted: bool) -> None:
    """Appends text, joined with what stands before it where both are alike."""
    last = parts[-1] if parts else None
    if isinstance(last, Text) and last.quoted == quoted:
        parts[-1] = Text(last.text + text, quoted)
    else:
        parts.append(Text(text, quoted))


def _sequence(reader: Bracing, start: int, end: int, parts: list[Part]) -> list[list[Part]] | None:
    """The alternatives of `{1..5}`, `{a..e}`, `{01..10..3}`; None for any other text."""
    if len(parts) != 1 or not isinstance(parts[0], Text) or parts[0].quoted:
        return None
    ends = parts[0].text.split("..")
    if len(ends) > 1 and reader.has_joints and (joint := reader.text.find(JOINT, start, end)) >= 0:
        reader.join(joint)
    if len(ends) not in (2, 3) or reader.text[start + 1 : end] != parts[0].text:
        return None
    step = _whole(ends[2]) if len(ends) == 3 else 1
    if step is None:
        return None
    low, high = _whole(ends[0]), _whole(ends[1])
    width = 0
    if low is not None and high is not None:
        padded = any(text.lstrip("+-")[:1] == "0" and len(text.lstrip("+-")) > 1 for text in ends[:2])
        width = max(len(ends[0]), len(ends[1])) if padded else 0
    elif len(ends[0]) == len(ends[1]) == 1 and (ends[0] + ends[1]).isascii() and (ends[0] + ends[1]).isalpha():
        low, high = ord(ends[0]), ord(ends[1])
    else:
        return None
    letters = _whole(ends[0]) is None
    size = abs(step) or 1
    if abs(high - low) // size >= MOST_WORDS:
        raise reader.wrong(start, end + 1, f"the braces make more than {MOST_WORDS:,} words", "loop over `$(seq FROM TO)`")
    numbers = range(low, high + 1, size) if high >= low else range(low, high - 1, -size)
    return [[Text(chr(number) if letters else f"{number:0{width}d}", False)] for number in numbers]


def _whole(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 18 else None
