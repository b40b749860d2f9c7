"""Backslashes in sed: in expressions, replacements and texts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.builtins.sed_script import Script

    Part = tuple[str, str | int]  # (case, text or group number)

SIMPLE = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BASES = {"d": (10, 3, "0123456789"), "o": (8, 3, "01234567"), "x": (16, 2, "0123456789abcdefABCDEF")}


def escaped_character(text: str, at: int) -> tuple[str, int] | None:
    """What the escape means whose letter stands at ``at``, and where it ends. None where it is no character's."""
    letter = text[at : at + 1]
    if not letter:
        return None
    if letter in SIMPLE:
        return SIMPLE[letter], at + 1
    if letter in _BASES:
        base, most, digits = _BASES[letter]
        end = at + 1
        while end < len(text) and end - at <= most and text[end] in digits:
            end += 1
        if end == at + 1:
            return None
        code = int(text[at + 1 : end], base) & 255
        return (chr(code) if code < 128 else bytes([code]).decode("utf-8", "surrogateescape")), end
    if letter == "c" and at + 1 < len(text):
        following = text[at + 1].upper()
        if not following.isascii():
            return None
        if following == "\\":
            return "\x1c", at + 3 if text[at + 2 : at + 3] == "\\" else at + 2
        return chr(ord(following) ^ 0x40), at + 2
    return None


def in_expression(text: str) -> str:
    """An expression with the escapes replaced that stand for characters, which may then be operators."""
    out: list[str] = []
    at = 0
    in_brackets = False
    while at < len(text):
        character = text[at]
        if character == "[" and not in_brackets:
            end = brackets_end(text, at)
            if end < 0:
                out.append(text[at:])
                break
            out.append(_in_brackets(text[at:end]))
            at = end
            continue
        if character != "\\" or at + 1 >= len(text):
            out.append(character)
            at += 1
            continue
        letter = text[at + 1]
        found = escaped_character(text, at + 1) if letter not in "bn" else None
        if letter == "n":
            found = "\n", at + 2
        if found is None:
            out.append(character + letter)
            at += 2
            continue
        made, at = found
        out.append(made)
    return "".join(out)


def brackets_end(text: str, start: int) -> int:
    """Behind the `]` of the bracket expression that begins at ``start``, -1 where there is none."""
    at = start + 1
    if text[at : at + 1] == "^":
        at += 1
    if text[at : at + 1] == "]":
        at += 1
    while at < len(text):
        if text[at] == "[" and text[at + 1 : at + 2] in (":", ".", "=") and at + 1 < len(text):
            end = text.find(text[at + 1] + "]", at + 2)
            at = end + 2 if end >= 0 else at + 1
        elif text[at] == "]":
            return at + 1
        else:
            at += 1
    return -1


def _in_brackets(text: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            found = escaped_character(text, at + 1)
            if found is not None and found[0] not in "]\\^-[":
                out.append(found[0])
                at = found[1]
                continue
        out.append(text[at])
        at += 1
    return "".join(out)


def in_replacement(text: str) -> list[Part]:
    """The parts of a replacement: literal text and groups, with the case each is to have.

    A case is "U" or "L" for the whole part, "" for as it is; a "u" or "l" before that is for its first character.
    """
    parts: list[Part] = []
    literal: list[str] = []
    lasting = case = ""

    def finish(group: int = -1) -> None:
        nonlocal case
        if literal:
            parts.append((case, "".join(literal)))
            literal.clear()
            case = lasting
        if group >= 0:
            parts.append((case, group))
            case = lasting

    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "&":
            finish(0)
        elif character != "\\" or at >= len(text):
            literal.append(character)
        elif (letter := text[at]) in "0123456789":
            finish(int(letter))
            at += 1
        elif letter in "ULE":
            finish()
            lasting = case = "" if letter == "E" else letter
            at += 1
        elif letter in "ul":
            finish()
            case = letter + lasting
            at += 1
        else:
            found = escaped_character(text, at)
            made, at = found if found is not None else (letter, at + 1)
            literal.append(made)
    finish()
    return parts


def in_text(letter: str, script: Script) -> str:
    """What a backslash and a letter mean in the text of a, i and c; the rest of a longer escape is taken."""
    if letter == "n":
        return "\n"
    found = escaped_character(script.text, script.at - 1)
    if found is None:
        return letter
    made, script.at = found
    return made
