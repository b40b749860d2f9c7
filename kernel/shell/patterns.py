"""Glob patterns on text: `case`, `[[ x == p ]]`, `${x#p}`, file names. Matching takes no more than size times size steps."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STAR = "*"
ANY = "?"


class Set:
    """One character of a set: `[a-z]`, `[!x]`, `[[:digit:]]`."""

    __slots__ = ("classes", "negated", "ranges")

    def __init__(self, negated: bool, ranges: list[tuple[str, str]], classes: list[str]) -> None:
        self.negated = negated
        self.ranges = ranges
        self.classes = classes

    def holds(self, character: str) -> bool:
        found = any(low <= character <= high for low, high in self.ranges) or any(in_class(character, c) for c in self.classes)
        return found is not self.negated


class Literal:
    """One character that stands for itself."""

    __slots__ = ("character",)

    def __init__(self, character: str) -> None:
        self.character = character


Item = str | Set | Literal  # a str is STAR or ANY
CLASSES = frozenset("alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split())


def in_class(character: str, name: str) -> bool:
    """Whether a character is in a POSIX class."""
    if name == "alpha":
        return character.isalpha()
    if name == "digit":
        return "0" <= character <= "9"
    if name == "alnum":
        return character.isalnum()
    if name == "lower":
        return character.islower()
    if name == "upper":
        return character.isupper()
    if name == "space":
        return character.isspace()
    if name == "blank":
        return character in " \t"
    if name == "xdigit":
        return character in "0123456789abcdefABCDEF"
    if name == "cntrl":
        return ord(character) < 32 or ord(character) == 127
    if name == "print":
        return character.isprintable()
    if name == "graph":
        return character.isprintable() and not character.isspace()
    return character.isprintable() and not character.isalnum() and not character.isspace()


def compiled(pieces: Sequence[tuple[str, bool]]) -> list[Item]:
    """The pattern of (text, quoted) pieces; characters of quoted ones stand for themselves."""
    characters = [(character, quoted) for text, quoted in pieces for character in text]
    items: list[Item] = []
    at, size = 0, len(characters)
    while at < size:
        character, quoted = characters[at]
        at += 1
        if quoted:
            items.append(Literal(character))
        elif character == "*":
            if not items or items[-1] is not STAR:
                items.append(STAR)
        elif character == "?":
            items.append(ANY)
        elif character == "\\" and at < size:
            items.append(Literal(characters[at][0]))
            at += 1
        elif character == "[" and (found := _set(characters, at)) is not None:
            items.append(found[0])
            at = found[1]
        else:
            items.append(Literal(character))
    return items


def _set(characters: list[tuple[str, bool]], at: int) -> tuple[Set, int] | None:
    """The set that begins behind `[`, and where it ends; None where nothing closes it."""
    size = len(characters)
    negated = at < size and characters[at] in (("!", False), ("^", False))
    at += negated
    ranges: list[tuple[str, str]] = []
    classes: list[str] = []
    first = True
    while at < size:
        character, quoted = characters[at]
        if character == "]" and not quoted and not first:
            return Set(negated, ranges, classes), at + 1
        first = False
        if character == "[" and not quoted and at + 1 < size and characters[at + 1][0] == ":":
            text = "".join([each for each, _ in characters[at + 2 : at + 12]])
            name, closed, _ = text.partition(":]")
            if closed and name in CLASSES:
                classes.append(name)
                at += len(name) + 4
                continue
        if character == "\\" and not quoted and at + 1 < size:
            at += 1
            character = characters[at][0]
        at += 1
        if at + 1 < size and characters[at] == ("-", False) and characters[at + 1] != ("]", False):
            high = characters[at + 1][0]
            at += 2
            if high == "\\" and not characters[at - 1][1] and at < size:
                high = characters[at][0]
                at += 1
            ranges.append((character, high))
        else:
            ranges.append((character, character))
    return None


def is_active(items: Sequence[Item]) -> bool:
    """Whether a pattern can match anything but one text."""
    return any(not isinstance(item, Literal) for item in items)


def fixed(items: Sequence[Item]) -> str:
    """The one text that a pattern without active items matches."""
    return "".join([item.character for item in items if isinstance(item, Literal)])


def _fits(item: Item, character: str) -> bool:
    if isinstance(item, Literal):
        return item.character == character
    return item is ANY or (isinstance(item, Set) and item.holds(character))


def matches(items: Sequence[Item], text: str) -> bool:
    """Whether the pattern matches the whole text."""
    at, place, size, length = 0, 0, len(items), len(text)
    star, retry = -1, 0
    while place < length:
        if at < size and items[at] is STAR:
            star, retry = at, place
            at += 1
        elif at < size and _fits(items[at], text[place]):
            at += 1
            place += 1
        elif star >= 0:
            retry += 1
            at, place = star + 1, retry
        else:
            return False
    while at < size and items[at] is STAR:
        at += 1
    return at == size


def prefix_lengths(items: Sequence[Item], text: str) -> list[int]:
    """The lengths of the text's beginnings that the pattern matches, in order."""
    found = []
    states = _closure(items, {0})
    size = len(items)
    if size in states:
        found.append(0)
    for place, character in enumerate(text):
        following = set()
        for state in states:
            if state < size:
                if items[state] is STAR:
                    following.add(state)
                elif _fits(items[state], character):
                    following.add(state + 1)
        states = _closure(items, following)
        if size in states:
            found.append(place + 1)
        if not states:
            break
    return found


def _closure(items: Sequence[Item], states: set[int]) -> set[int]:
    out = set(states)
    for state in states:
        while state < len(items) and items[state] is STAR:
            state += 1
            out.add(state)
    return out


def without(items: list[Item], text: str, operator: str) -> str:
    """The text less what `#` `##` (a beginning) or `%` `%%` (an end) of it matches; the doubled ones take the longest."""
    if operator[0] == "#":
        lengths = prefix_lengths(items, text)
        return text[(lengths[-1] if operator == "##" else lengths[0]) :] if lengths else text
    lengths = prefix_lengths(items[::-1], text[::-1])
    return text[: len(text) - (lengths[-1] if operator == "%%" else lengths[0])] if lengths else text
