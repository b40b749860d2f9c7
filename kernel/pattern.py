"""The patterns a manifest may use (T2): what Python and ECMA-262 (with `u`) read alike.

A pattern is compared with a whole value, `^(?:pattern)$` in ECMA-262. Where Python reads another set of characters
(`.`, `\\s`, `\\S`, and `\\d`, `\\w`, `\\b` without ``re.ASCII``), ``matches`` spells ECMA-262's out.
"""

from __future__ import annotations

_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_SAME_ESCAPES = frozenset("tnrfvdDwWsS")
_LINE_ENDS = "\\n\\r\\u2028\\u2029"
_BLANK = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NOT_BLANK = (
    r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\ufefe\uff00-\U0010ffff"
)
_HEX = frozenset("0123456789abcdefABCDEF")
_MAX_DEPTH = 32
_MAX_LENGTH = 2000
_MAX_REPEAT = 1000
_OTHER_ESCAPES = {
    "A": "a pattern is compared with the whole value; leave it out",
    "Z": "a pattern is compared with the whole value; leave it out",
    "z": "a pattern is compared with the whole value; leave it out",
    "p": "list the characters: `[A-Za-z]`",
    "P": "list the characters: `[^A-Za-z]`",
}
_OPENINGS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")


class PatternError(ValueError):
    """A pattern that is refused: ``at`` and ``width`` mark what in it, ``hint`` says what to write."""

    def __init__(self, message: str, at: int, width: int = 1, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.width = width
        self.hint = hint


class _Group:
    __slots__ = ("assertion", "at", "unbounded")

    def __init__(self, at: int, assertion: bool) -> None:
        self.at = at
        self.assertion = assertion
        self.unbounded = False


def matches(pattern: str, text: str) -> bool:
    """Whether a checked pattern matches the whole of a text, as ECMA-262 reads it."""
    import re

    return re.fullmatch(_for_python(pattern), text, re.ASCII) is not None


def begins_without(pattern: str, character: str) -> bool:
    """Whether it is plain that nothing a checked pattern matches begins with the character."""
    if not pattern or "|" in pattern:
        return False
    pattern = pattern.removeprefix("^")
    end = _class(pattern, 0) if pattern[:1] == "[" else 2 if pattern[:1] == "\\" else 1
    if pattern[:1] in ("(", "", "$") or pattern[:2] in ("\\b", "\\B") or pattern[end : end + 1] in ("*", "?", "{"):
        return False
    return not matches(pattern[:end], character)


def _for_python(pattern: str) -> str:
    """A checked pattern with the sets of characters spelled out that Python would read otherwise."""
    parts = []
    in_class = False
    at = 0
    while at < len(pattern):
        part = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        at += len(part)
        if part in ("\\s", "\\S"):
            ranges = _BLANK if part == "\\s" else _NOT_BLANK
            parts.append(ranges if in_class else f"[{ranges}]")
        elif part == "." and not in_class:
            parts.append(f"[^{_LINE_ENDS}]")
        else:
            in_class = part == "[" or (in_class and part != "]")
            parts.append(part)
    return "".join(parts)


def has_nested_repeats(pattern: str) -> bool:
    """Checks a pattern; whether an unbounded repeat stands in another one. Raises PatternError.

    Such a pattern may take a time that grows exponentially with the value.
    """
    if len(pattern) > _MAX_LENGTH:
        raise PatternError(f"a pattern has at most {_MAX_LENGTH} characters", 0, 1, "use `choices`, or check it in the program")
    groups = [_Group(0, False)]
    nested = lookbehind = False
    repeatable = False  # whether a repeat may follow here
    inner_unbounded = False  # whether the atom before holds an unbounded repeat
    at, end = 0, len(pattern)
    while at < end:
        character = pattern[at]
        start = at
        if character in "*+?" or character == "{":
            at, unbounded = _repeat(pattern, at)
            if not repeatable:
                raise PatternError(
                    f"`{pattern[start:at]}` repeats nothing that can be repeated",
                    start,
                    at - start,
                    "put what it repeats before it",
                )
            nested = nested or (unbounded and inner_unbounded)
            groups[-1].unbounded = groups[-1].unbounded or unbounded or inner_unbounded
            repeatable = False
            if pattern[at : at + 1] == "?":
                at += 1
            elif pattern[at : at + 1] == "+":
                raise PatternError(
                    "possessive repeats are not read alike by Python and ECMA-262", start, at + 1 - start, "drop the second `+`"
                )
            continue
        groups[-1].unbounded = groups[-1].unbounded or inner_unbounded
        inner_unbounded = False
        repeatable = True
        if character == "(":
            at, group = _opening(pattern, at)
            lookbehind = lookbehind or pattern.startswith("(?<", start)
            if len(groups) > _MAX_DEPTH:
                raise PatternError(f"groups are nested deeper than {_MAX_DEPTH}", start)
            groups.append(group)
            repeatable = False
        elif character == ")":
            if len(groups) == 1:
                raise PatternError("`)` closes no group", start, 1, "write `\\)` for the character")
            group = groups.pop()
            repeatable, inner_unbounded = not group.assertion, group.unbounded
            at += 1
        elif character == "[":
            at = _class(pattern, at)
        elif character == "\\":
            at, repeatable = _escape(pattern, at, in_class=False)
        elif character in "]}":
            raise PatternError(f"`{character}` closes nothing", start, 1, f"write `\\{character}` for the character")
        else:
            if character == "$" and (pattern[at + 1 : at + 2] != "|" or len(groups) > 1) and pattern[at + 1 :].strip(")"):
                raise PatternError(
                    "`$` inside a pattern is not read alike by Python and ECMA-262",
                    start,
                    1,
                    "use it at the end only, or `\\$` for the character",
                )
            repeatable = character not in "^$|"
            at += 1
    if len(groups) > 1:
        raise PatternError("a group is not closed", groups[-1].at, 1, "add `)`, or write `\\(` for the character")
    if lookbehind:
        _compile(pattern)
    return nested


def _compile(pattern: str) -> None:
    """Python's own word on look-behind, which must have a fixed width."""
    import re

    try:
        re.compile(pattern, re.ASCII)
    except re.error as error:
        raise PatternError(f"Python refuses the pattern: {error.msg}", error.pos or 0) from None


def _repeat(pattern: str, at: int) -> tuple[int, bool]:
    """The end of a repeat that begins at `at`, and whether it has no upper bound."""
    if pattern[at] != "{":
        return at + 1, pattern[at] != "?"
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
    if len(low) > 4 or len(high) > 4 or int(low) > _MAX_REPEAT or int(high or 0) > _MAX_REPEAT:
        raise PatternError(f"a repeat counts to at most {_MAX_REPEAT}", at, width)
    if high and int(high) < int(low):
        raise PatternError("a repeat's upper bound is below its lower one", at, width)
    return closing + 1, bool(comma) and not high


def _opening(pattern: str, at: int) -> tuple[int, _Group]:
    if pattern[at + 1 : at + 2] != "?":
        return at + 1, _Group(at, False)
    for opening in _OPENINGS:
        if pattern.startswith(opening, at):
            return at + len(opening), _Group(at, opening != "(?:")
    raise PatternError(
        f"`{pattern[at : at + 3]}` is not read alike by Python and ECMA-262",
        at,
        3,
        "groups are `(…)`, `(?:…)`, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`",
    )


def _escape(pattern: str, at: int, *, in_class: bool) -> tuple[int, bool]:
    """The end of an escape, and whether it can be repeated."""
    character = pattern[at + 1 : at + 2]
    if not character:
        raise PatternError("a lone `\\` ends the pattern", at, 1, "write `\\\\` for the character")
    if character in _SAME_ESCAPES or character in _SYNTAX or (in_class and character in "-b"):
        return at + 2, True
    if character in "bB" and not in_class:
        return at + 2, False
    if character in "xu":
        digits = pattern[at + 2 : at + (4 if character == "x" else 6)]
        if len(digits) == (2 if character == "x" else 4) and _HEX.issuperset(digits) and not 0xD800 <= int(digits, 16) <= 0xDFFF:
            return at + 2 + len(digits), True
    hint = _OTHER_ESCAPES.get(character, "")
    if not hint and character.isdigit():
        hint = "references to groups differ; write the text out"
    elif not hint and not character.isalnum():
        hint = f"write `{character}` without the backslash"
    raise PatternError(f"`\\{character}` is not read alike by Python and ECMA-262", at, 2, hint)


def _class(pattern: str, at: int) -> int:
    """The end of a character class."""
    start = at
    at += 2 if pattern[at + 1 : at + 2] == "^" else 1
    if pattern[at : at + 1] == "]":
        raise PatternError(
            "an empty class, or a `]` first in one, is not read alike by Python and ECMA-262",
            start,
            at + 1 - start,
            "write `\\]` for the character",
        )
    low = -1  # the code of a character that may begin a range, -1 for none
    first = True
    while at < len(pattern):
        character = pattern[at]
        if character == "]":
            return at + 1
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
            high_at = at + 1
            at, high = _member(pattern, high_at)
            if high < low:
                raise PatternError(
                    "a range ends with no single character, or before it begins", start, at - start, "write `\\-` for the character"
                )
            low = -1
        else:
            at, low = _member(pattern, at)
        first = False
    raise PatternError("a class is not closed", start, 1, "add `]`, or write `\\[` for the character")


def _member(pattern: str, at: int) -> tuple[int, int]:
    """The end of one class member and its code, -1 for a set such as `\\d`."""
    if pattern[at] != "\\":
        return at + 1, ord(pattern[at])
    end, _ = _escape(pattern, at, in_class=True)
    letter = pattern[at + 1]
    if letter in "dDwWsS":
        return end, -1
    if letter in "xu":
        return end, int(pattern[at + 2 : end], 16)
    return end, ord({"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "b": "\b"}.get(letter, letter))


# Ambiguity: two ways to read the same text, again and again, are tried in every combination where the text does not match

_MANY = 20  # repeats: with two ways each, a million combinations
_SAMPLES = "".join([chr(code) for code in range(0x180)]) + "\u03b1\u2028\u2029\u3000\ud7ff\U0001f600"
_Atom = tuple[str, int, int]  # its pattern ("" for what is more than one character of a set), and how often


def repeats_ambiguously(pattern: str) -> bool:
    """Whether a checked pattern plainly repeats, 20 times or more, what can match the same text in two ways.

    Found are alternatives of plain characters and sets, `(a|a)*` and `(\\w|\\d\\d)+`, and counted repeats of optional
    ones, `(?:a?){30}`; `has_nested_repeats` finds others. What is not found may be slow all the same.
    """
    levels: list[list[list[_Atom]]] = [[[]]]
    assertions: list[bool] = []
    at = 0
    while at < len(pattern):
        start, character = at, pattern[at]
        if character == "(":
            at, group = _opening(pattern, at)
            levels.append([[]])
            assertions.append(group.assertion)
            continue
        if character == "|":
            levels[-1].append([])
            at += 1
            continue
        if character == "[":
            at = _class(pattern, at)
        elif character == "\\":
            at, _ = _escape(pattern, at, in_class=False)
        else:
            at += 1
        text = "" if character in "^$)" or pattern[start:at] in ("\\b", "\\B") else pattern[start:at]
        at, low, high = _count(pattern, at)
        if character == ")":
            alternatives = levels.pop()
            if not assertions.pop() and high >= _MANY and _is_ambiguous(alternatives, high > _MAX_REPEAT):
                return True
            if len(alternatives) == 1 and low == high == 1:
                levels[-1][-1] += alternatives[0]
                continue
        levels[-1][-1].append((text, low, high))
    return False


def _count(pattern: str, at: int) -> tuple[int, int, int]:
    """The end of the repeat at a place, if one is there, and its bounds; no upper bound is more than any other."""
    if pattern[at : at + 1] not in ("*", "+", "?", "{"):
        return at, 1, 1
    end, unbounded = _repeat(pattern, at)
    if pattern[at] == "{":
        low, _, high = pattern[at + 1 : end - 1].partition(",")
        least, most = int(low), int(high or low)
    else:
        least, most = int(pattern[at] == "+"), 1
    return end + (pattern[end : end + 1] == "?"), least, _MAX_REPEAT + 1 if unbounded else most


def _is_ambiguous(alternatives: list[list[_Atom]], unbounded: bool) -> bool:
    if len(alternatives) == 1 and not unbounded:
        # a repeat without end stops by itself at the first empty match
        return bool(alternatives[0]) and all(text and low == 0 for text, low, _ in alternatives[0])
    plain = [
        [text for text, *_ in one] for one in alternatives if one and all(text and low == high == 1 for text, low, high in one)
    ]
    plain.sort(key=len)
    for index, short in enumerate(plain):
        for long in plain[index + 1 :]:
            if len(long) % len(short) == 0 and all(_overlap(short[at % len(short)], atom) for at, atom in enumerate(long)):
                return True
    return False


def _overlap(one: str, other: str) -> bool:
    """Whether two sets share a character, as far as a sample of characters tells."""
    if one == other:
        return True
    return any(matches(one, character) and matches(other, character) for character in _SAMPLES)
