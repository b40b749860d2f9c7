"""JSON text in the colours that `jq` gives it. Nothing but colours is added; what is no JSON passes as it is."""

from __future__ import annotations

import re

from kernel import environment

RESET = b"\x1b[0m"
KINDS = ("null", "false", "true", "number", "string", "list", "record", "key")  # in the order of `JQ_COLORS`
COLOURS = ("0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1")
BLANK = b" \t\r\n"
RECORD, COLON, COMMA = b"{:,"
_BODY = rb'(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*(?P<close>")?'
_TOKEN = re.compile(rb'(?P<string>"' + _BODY + rb")|(?P<marks>(?:[][{}:,][ \t\r\n]*)+)|(?P<word>[0-9A-Za-z+.-]+)|[ \t\r\n]+")
_STRING_REST = re.compile(_BODY)
_WORD_REST = re.compile(rb"[0-9A-Za-z+.-]*")
_NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_KEYWORDS = {b"null": "null", b"true": "true", b"false": "false"}


def chosen() -> dict[str, bytes]:
    """The colour of each kind: jq's own, or those of `JQ_COLORS`; jq ignores a list that it cannot read."""
    wanted = environment.variable("JQ_COLORS").split(":")
    readable = len(wanted) <= len(KINDS) and all(not text.strip("0123456789;") for text in wanted)
    texts = [*wanted, *COLOURS[len(wanted) :]] if readable and wanted != [""] else COLOURS
    return {kind: f"\x1b[0;{text}m".encode() for kind, text in zip(KINDS, texts)}


class Painter:
    """Colours a text that comes in pieces of any size. A piece that is not JSON, and all behind it, is left alone."""

    def __init__(self, colours: dict[str, bytes]) -> None:
        self._colours = colours
        self._alike = colours["list"] == colours["record"]
        self._open: list[int] = []  # the brackets that are open
        self._wants_key = False
        self._unfinished = b""  # the string or word in which the last piece ended; of a string only its quote
        self._kind = ""  # of that
        self._held = b""  # a backslash at the end of a piece, whose meaning comes with the next
        self.plain = False  # no more colours

    def paint(self, piece: bytes) -> bytes:
        """The piece with its colours; a string that it ends in stays coloured until the next."""
        piece, self._held = self._held + piece, b""
        if self.plain:
            return piece
        begun = self._unfinished != b""
        out: list[bytes] = []
        if self._read(piece, out):
            return b"".join(out)
        self.plain = True
        return (RESET if begun else b"") + piece

    def end(self) -> bytes:
        """What is to be written behind the last piece."""
        return (b"" if self.plain or not self._unfinished else RESET) + self._held

    def _read(self, piece: bytes, out: list[bytes]) -> bool:
        """Whether the piece goes on as JSON does; fills ``out`` with it, coloured."""
        colours, size = self._colours, len(piece)
        at = self._go_on(piece, out) if self._unfinished else 0
        while 0 <= at < size:
            found = _TOKEN.match(piece, at)
            if found is None:
                return False
            token, name, at = found[0], found.lastgroup, found.end()
            if name == "marks":
                if not self._marks(token, out):
                    return False
            elif name == "string":
                kind = "key" if self._wants_key else "string"
                at = self._string(found, kind, colours[kind], piece, out)
            elif name is None:
                out.append(token)
            elif at < size or not _may_go_on(token):
                kind = _kind_of_word(token)
                if not kind:
                    return False
                out.append(colours[kind] + token)
            else:
                self._unfinished, self._kind = token, "word"
                out.append(colours[_kind_of_beginning(token)] + token)
        if not self._unfinished:
            out.append(RESET)
        return at >= 0

    def _go_on(self, piece: bytes, out: list[bytes]) -> int:
        """Reads the rest of what the last piece ended in: where it ends, -1 where it is no JSON."""
        if self._kind == "word":
            found = _WORD_REST.match(piece)
            assert found is not None
            self._unfinished += found[0]
            if found.end() < len(piece) and not _kind_of_word(self._unfinished):
                return -1
            if found.end() == len(piece) and not _may_go_on(self._unfinished) and not _kind_of_word(self._unfinished):
                return -1
            out.append(found[0])
            if found.end() < len(piece):
                self._unfinished = b""
            return found.end()
        found = _STRING_REST.match(piece)
        assert found is not None
        return self._string(found, self._kind, b"", piece, out)

    def _string(self, found: re.Match[bytes], kind: str, colour: bytes, piece: bytes, out: list[bytes]) -> int:
        """One string, or the part of it that is here: where it ends, -1 where it is no JSON. ``colour`` is written in front."""
        self._wants_key = False
        if found["close"]:
            out.append(colour + found[0])
            self._unfinished = b""
            return found.end()
        rest = piece[found.end() :]
        if rest not in (b"", b"\\"):
            return -1
        self._unfinished, self._kind, self._held = b'"', kind, rest
        out.append(colour + found[0])
        return len(piece)

    def _marks(self, token: bytes, out: list[bytes]) -> bool:
        """A run of `[]{}:,` with blanks between: whether they can stand here."""
        opened, before = self._open, b""
        for code in token.translate(None, BLANK) if self._alike else token:
            inside = opened[-1] if opened else 0
            if code in b"[{":
                opened.append(code)
                inside = code
                self._wants_key = code == RECORD
            elif code in b"]}":
                if inside != code - 2:  # the codes of a pair are two apart
                    return False
                opened.pop()
                self._wants_key = False
            elif code == COLON:
                if inside != RECORD:
                    return False
            elif code == COMMA:
                if not inside:
                    return False
                self._wants_key = inside == RECORD
            if not self._alike:
                colour = self._colours["record" if inside == RECORD else "list"]
                out.append((colour if colour != before else b"") + bytes((code,)))
                before = colour
        if self._alike:
            out.append(self._colours["list"] + token)
        return True


def _kind_of_word(word: bytes) -> str:
    """What a whole word is; "" for none of JSON."""
    return _KEYWORDS.get(word) or ("number" if _NUMBER.fullmatch(word) else "")


def _may_go_on(word: bytes) -> bool:
    """Whether a word may be the beginning of a longer one of JSON."""
    return word[:1] in b"-0123456789" or any(keyword.startswith(word) and keyword != word for keyword in _KEYWORDS)


def _kind_of_beginning(word: bytes) -> str:
    return next((kind for keyword, kind in _KEYWORDS.items() if keyword[:1] == word[:1]), "number")
