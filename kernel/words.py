"""Text → words with places, and words → text, by sh's quoting; nothing is expanded (manifest examples, docs, hints)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_BLANKS = " \t\n"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")
_ESCAPES = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "'": 39, '"': 34}
_NAMED = {7: "a", 8: "b", 27: "e", 12: "f", 10: "n", 13: "r", 9: "t", 11: "v", 92: "\\", 39: "'"}


class Word:
    """One word of a text: what it says, the 0-based span it takes there, and whether any of it was quoted."""

    __slots__ = ("end", "quoted", "start", "text")

    def __init__(self, text: str, start: int, end: int, quoted: bool = False) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.quoted = quoted

    def __repr__(self) -> str:
        return f"Word({self.text!r}, {self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and (self.text, self.start, self.end) == (other.text, other.start, other.end)

    __hash__ = None  # type: ignore[assignment]


class WordsError(ValueError):
    """A text whose quoting does not end; ``message``, and the 0-based place ``at`` where it begins."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def split(text: str) -> list[Word]:
    """The words of a line: blanks between them; `'…'`, `"…"`, `\\` and `$'…'` quote. Raises WordsError."""
    words: list[Word] = []
    at = 0
    while True:
        while at < len(text) and text[at] in _BLANKS:
            at += 1
        if text.startswith("\\\n", at):  # the line goes on
            at += 2
            continue
        if at == len(text):
            return words
        word = _word(text, at)
        words.append(word)
        at = word.end


def _word(text: str, start: int) -> Word:
    parts: list[str] = []
    quoted = False
    at = start
    while at < len(text) and text[at] not in _BLANKS:
        character = text[at]
        if character == "'":
            end = _closing(text, at, "'")
            parts.append(text[at + 1 : end])
        elif character == '"':
            end = _double(text, at, parts)
        elif character == "$" and text.startswith("'", at + 1):
            end = _dollar(text, at, parts)
        elif character == "\\":
            if at + 1 == len(text):
                raise WordsError("nothing follows the backslash", at)
            end = at + 1
            if text[end] != "\n":
                parts.append(text[end])
        else:
            parts.append(character)
            at += 1
            continue
        quoted = True
        at = end + 1
    return Word("".join(parts), start, at, quoted)


def _closing(text: str, at: int, quote: str) -> int:
    end = text.find(quote, at + 1)
    if end < 0:
        raise WordsError(f"the quote `{text[at]}` is never closed", at)
    return end


def _double(text: str, start: int, parts: list[str]) -> int:
    """Reads `"…"`, where a backslash quotes only `$`, a backtick, `"`, itself and a line break; its closing quote's place."""
    at = start + 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and text[at + 1 : at + 2] in ("$", "`", '"', "\\", "\n"):
            at += 1
            if text[at] != "\n":
                parts.append(text[at])
        else:
            parts.append(text[at])
        at += 1
    if at >= len(text):
        raise WordsError('the quote `"` is never closed', start)
    return at


def _dollar(text: str, start: int, parts: list[str]) -> int:
    """Reads `$'…'`: the escapes of C for single characters, and `\\xHH` for a byte; its closing quote's place."""
    data = bytearray()
    at = start + 2
    while at < len(text) and text[at] != "'":
        if text[at] != "\\":
            data += text[at].encode("utf-8", "surrogatepass")
            at += 1
            continue
        letter = text[at + 1 : at + 2]
        digits = text[at + 2 : at + 4]
        if letter == "x" and len(digits) == 2 and _is_hex(digits):
            data.append(int(digits, 16))
            at += 4
        elif letter in _ESCAPES:
            data.append(_ESCAPES[letter])
            at += 2
        else:
            raise WordsError(f"`\\{letter}` is no escape that `$'…'` has here", at)
    if at >= len(text):
        raise WordsError("the quote `$'` is never closed", start)
    parts.append(data.decode("utf-8", "surrogateescape"))
    return at


def _is_hex(text: str) -> bool:
    return all(character in "0123456789abcdefABCDEF" for character in text)


def quote(word: str) -> str:
    """A word as one that can be pasted into a shell: as it is where that is safe, else quoted.

    `$'…'` stands for what cannot be seen on a terminal: control characters and bytes that are no text.
    """
    if word and word[0] != "=" and _PLAIN.issuperset(word):
        return word
    if not word.isprintable():
        return f"$'{_escaped(word)}'"
    if "'" not in word:
        return f"'{word}'"
    if not any(character in word for character in '"$`\\!'):
        return f'"{word}"'
    return "'" + word.replace("'", "'\\''") + "'"


def _escaped(word: str) -> str:
    out = []
    for character in word:
        code = ord(character)
        if code in _NAMED:
            out.append("\\" + _NAMED[code])
        elif character.isprintable():
            out.append(character)
        else:
            try:
                data = character.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:  # half of a pair, which no argv can carry
                data = b"\xef\xbf\xbd"
            out.append("".join([f"\\x{byte:02x}" for byte in data]))
    return "".join(out)


def join(words: Iterable[str]) -> str:
    """Words as one line that a shell, or ``split``, reads as the same words."""
    return " ".join([quote(word) for word in words])
