"""Names in messages and listings as GNU programs quote them: bare when harmless, else as one shell word."""

from __future__ import annotations

_SPECIAL = frozenset("!\"$&'()*;<=>?[\\^`|")
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


def _is_control(character: str) -> bool:
    """A control character, or a byte that is no text."""
    return character < " " or "\x7f" <= character <= "\x9f" or "\udc80" <= character <= "\udcff"


def shell_word(text: str, *, always: bool = False, escapes: bool = True) -> str:
    """Text as one word of a shell: bare, `'a b'`, `"it's"`, or with `'$'\\n'` pieces for control characters.

    Without ``escapes`` control characters and invalid bytes stand as they are.
    """
    has_control = escapes and any(map(_is_control, text))
    is_special = not text or text[0] in "#~" or not _SPECIAL.isdisjoint(text) or any(map(str.isspace, text))
    if not always and not has_control and not is_special:
        return text
    if not has_control:
        if "'" not in text:
            return f"'{text}'"
        if not any(character in text for character in '"$`\\!'):
            return f'"{text}"'
    out = ["'"]
    in_escape = False
    for character in text:
        if escapes and _is_control(character):
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
    return "'" + "".join([_escaped(character) if _is_control(character) else character for character in inner]) + "'"
