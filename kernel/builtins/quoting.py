"""Names in messages and listings as GNU programs quote them: bare when harmless, else as one shell word."""

from __future__ import annotations

import re

_NEEDS = re.compile(r"[\s!\"$&'()*;<=>?\[\\^`|\x00-\x1f\x7f-\x9f\udc80-\udcff]|^$|^[#~]")
_NEEDS_PLAIN = re.compile(r"[\s!\"$&'()*;<=>?\[\\^`|]|^$|^[#~]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\udc80-\udcff]+")
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


def shell_word(text: str, *, always: bool = False, escapes: bool = True) -> str:
    """Text as one word of a shell: bare, `'a b'`, `"it's"`, or with `'$'\\n'` pieces for control characters.

    Without ``escapes`` control characters and invalid bytes stand as they are.
    """
    if not always and not (_NEEDS if escapes else _NEEDS_PLAIN).search(text):
        return text
    if not escapes or not _CONTROL.search(text):
        if "'" not in text:
            return f"'{text}'"
        if not re.search(r"[\"$`\\!]", text):
            return f'"{text}"'
    out = ["'"]
    in_escape = False
    for character in text:
        if escapes and _CONTROL.match(character):
            out.append(_escaped(character) if in_escape else "'$'" + _escaped(character))
            in_escape = True
            continue
        if character == "'":
            out.append("'\\''")
        else:
            out.append("''" + character if in_escape else character)
        in_escape = False
    return "".join(out) + "'"


def _escaped(character: str) -> str:
    code = ord(character)
    if code in _ESCAPES:
        return _ESCAPES[code]
    data = character.encode("utf-8", "surrogateescape")
    return "".join([f"\\{byte:03o}" for byte in data])


def file_name(text: str) -> str:
    """A file name for a message: bare unless it holds something that a reader could mistake."""
    if ":" in text:
        return shell_word(text, always=True)
    return shell_word(text)


def quoted_name(text: str) -> str:
    """A file name for a sentence: always in quotes, as one word of a shell."""
    return shell_word(text, always=True)


def quoted(text: str) -> str:
    """Any text for a message, always in quotes: `'x'`."""
    inner = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + _CONTROL.sub(lambda piece: "".join([_escaped(c) for c in piece.group()]), inner) + "'"
