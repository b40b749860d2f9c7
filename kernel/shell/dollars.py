"""What begins with `$`: parameters, substitutions, arithmetic, `$'…'`; and what of bash is left out there."""

from __future__ import annotations

from kernel.shell import refused
from kernel.shell.scanner import DIGITS, FIRST, NAME, Scanner
from kernel.shell.tree import Arithmetic, Param, Simple, Slice, Substitution, Text, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.tree import List, Part

SPECIAL = "@*#?!$"
_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
BACKTICKS = "backticks are not part of the language"
DEEPEST = 60  # constructs within constructs, so that no text can exhaust the stack


class Dollars(Scanner):
    """Reads the expansions of a word. ``self.at`` stands on the `$`."""

    depth = 0

    if TYPE_CHECKING:

        def command_list(self, ends: frozenset[str], closer: str = "") -> List: ...

        def word_until(self, ends: frozenset[str], quoted: bool = False) -> Word: ...

        def double_quoted_parts(self, stop: str, start: int) -> list[Part]: ...

    def nest(self, start: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(start, start + 1, f"more than {DEEPEST} constructs stand within each other")

    def backticks(self) -> Exception:
        end = self.text.find("`", self.at + 1)
        end = end + 1 if end > 0 else self.at + 1
        inside = self.text[self.at + 1 : end - 1]
        hint = f"write `$({inside})`" if 0 < len(inside) < 60 and "\n" not in inside else "write `$(command)`"
        return self.wrong(self.at, end, BACKTICKS, hint)

    def dollar(self, quoted: bool) -> Part:
        """The part that begins at the `$` that stands here; a `$` that begins nothing is text."""
        text, start = self.text, self.at
        following = text[start + 1 : start + 2]
        if following == "\\":
            self.join(start + 1, NAME + SPECIAL + "{([-'\"")
        if following in FIRST and following:
            self.at = end = self.span(start + 1, NAME)
            if self.has_joints:
                self.join(end, NAME + "{")
            return self._named(text[start + 1 : end], quoted, start)
        if following == "{":
            return self._braced(quoted)
        if following == "(":
            return self._parenthesis(quoted)
        if following and following in DIGITS + SPECIAL:
            self.at = start + 2
            return Param(following, quoted, start, start + 2)
        if following == "-":
            raise self._options(start, start + 2)
        if following == "[":
            raise self.wrong(start, start + 2, "`$[…]` is not part of the language", "write `$((…))`")
        if not quoted and following == "'":
            return self._ansi_quoted()
        if not quoted and following == '"':
            raise self.wrong(start, start + 2, '`$"…"` is not part of the language', 'write `"…"`')
        self.at = start + 1
        return Text("$", quoted)

    def _options(self, start: int, end: int) -> Exception:
        return self.wrong(start, end, "`$-` is not part of the language", "`set -o` prints the options that are on")

    def _named(self, name: str, quoted: bool, start: int) -> Param:
        if name in refused.VARIABLES:
            raise self.wrong(start, self.at, f"`${name}` is not part of the language", refused.VARIABLES[name])
        return Param(name, quoted, start, self.at)

    def _ansi_quoted(self) -> Text:
        text, start = self.text, self.at
        at, out = start + 2, []
        while True:
            character = text[at : at + 1]
            if not character:
                raise self.open(start, start + 2, "$'", "the quote `$'` is not closed")
            if character == "'":
                break
            if character != "\\":
                out.append(character)
                at += 1
                continue
            letter = text[at + 1 : at + 2]
            at += 2
            if letter in _ESCAPES and letter:
                out.append(_ESCAPES[letter])
            elif letter and letter in "01234567":
                end = min(self.span(at - 1, "01234567"), at + 2)
                out.append(_byte(int(text[at - 1 : end], 8) & 255))
                at = end
            elif letter and letter in "xuU":
                end = min(self.span(at, DIGITS + "abcdefABCDEF"), at + {"x": 2, "u": 4, "U": 8}[letter])
                if end == at:
                    out.append("\\" + letter)
                else:
                    code = int(text[at:end], 16)
                    if letter != "x" and (code > 0x10FFFF or 0xD800 <= code < 0xE000):
                        raise self.wrong(at - 2, end, f"there is no character U+{code:04X}")
                    out.append(_byte(code) if letter == "x" else chr(code))
                    at = end
            elif letter == "c" and text[at : at + 1] not in ("", "'"):
                out.append(chr(ord(text[at]) & 31))
                at += 1
            else:
                out.append("\\" + letter)
        self.at = at + 1
        value = "".join(out)
        cut = value.find("\0")
        return Text(joined_bytes(value if cut < 0 else value[:cut]), True)

    # ${…}

    def _braced(self, quoted: bool) -> Param:
        text, start = self.text, self.at
        self.nest(start)
        self.at = at = start + 2
        if self.has_joints:
            self.join(at)
            self.join(at + 1)  # behind `#`
        length = text[at : at + 1] == "#" and text[at + 1 : at + 2] not in ("}", ":", "-", "=", "+", "?", "%", "")
        if length and text[at + 1 : at + 3] == "#}":
            length = True  # ${##}: the length of $#
        if text[at : at + 1] == "!" and text[at + 1 : at + 2] not in ("}", ":", "-", "+"):
            raise self._left_out(start, refused.indirection(text[at + 1 : self._closer()]))
        if length:
            at += 1
        first = text[at : at + 1]
        if first in FIRST and first:
            end = self.span(at, NAME)
        elif first and first in DIGITS:
            end = self.span(at, DIGITS)
        elif first and first in SPECIAL:
            end = at + 1
        else:
            if not first:
                raise self._unclosed(start)
            if first == "-":
                raise self._options(start, at + 2)
            raise self.wrong(start, at + 1, "`${` wants the name of a variable", "write `${name}`")
        if self.has_joints:
            self.join(end)
        self.at = end
        param = self._named(text[at:end], quoted, start)
        param.length = length
        while self.peek() == "[":
            param.path += (self._key(start),)
        if not length:
            self._operation(param, start)
        if self.peek() != "}":
            if self.at >= self.size:
                raise self._unclosed(start)
            raise self._left_out(start, refused.expansion(text[start + 2 : self.at], text[self.at : self._closer()]))
        self.at += 1
        param.end = self.at
        self.depth -= 1
        return param

    def _unclosed(self, start: int) -> Exception:
        return self.open(start, start + 2, "${", "`${` is not closed")

    def _left_out(self, start: int, found: tuple[str, str]) -> Exception:
        """The error about a `${…}` of bash: what it is, what to write instead."""
        end = self._closer()
        form, hint = found
        return self.wrong(start, min(end + 1, self.size), f"{form} is not part of the language", hint)

    def _closer(self) -> int:
        """Where the `}` stands that closes what is being read, or the text ends."""
        end = self.text.find("}", self.at)
        return end if end > 0 else self.size

    def _key(self, start: int) -> Word | Slice | str:
        """One `[…]` behind a name."""
        opened = self.at
        self.at += 1
        if self.peek(2) in ("@]", "*]"):
            self.at += 2
            return "@"
        stops = frozenset("]:}\n")
        low = self.word_until(stops)
        if self.peek() == ":":
            self.at += 1
            high = self.word_until(stops)
            self._close_key(opened)
            return Slice(low if low.parts else None, high if high.parts else None)
        self._close_key(opened)
        if not low.parts:
            raise self.wrong(opened, self.at, "`[]` holds no key", "write `${list[0]}` or `${record[key]}`")
        return low

    def _close_key(self, opened: int) -> None:
        if self.at >= self.size:
            raise self.open(opened, opened + 1, "[", "`[` is not closed")
        if self.peek() != "]":
            raise self.wrong(opened, self.at + 1, "`[` is not closed by `]`")
        self.at += 1

    def _operation(self, param: Param, start: int) -> None:
        self.join(self.at + 1, "-=+?#%")
        two = self.peek(2)
        first = two[:1]
        if two in (":-", ":=", ":+", ":?"):
            self._operator_word(param, two)
        elif first in ("-", "=", "+", "?"):
            self._operator_word(param, first)
        elif first in ("#", "%"):
            self._operator_word(param, two if two in ("##", "%%") else first)

    def _operator_word(self, param: Param, operator: str) -> None:
        param.operator = operator
        self.at += len(operator)
        quoted = param.quoted and operator[-1] not in "#%"  # bash: a pattern's own quotes count inside quotes, too
        param.operand = self.word_until(frozenset("}"), quoted)

    # $(…) and $((…))

    def _parenthesis(self, quoted: bool) -> Part:
        start = self.at
        self.nest(start)
        part: Part | None = None
        self.join(start + 2, "(")
        if self.text[start + 2 : start + 3] == "(":
            part = self._arithmetic(quoted)
        if part is None:
            self.at = start + 2
            pending, self.here_documents = self.here_documents, []
            body = self.command_list(frozenset(), ")")
            if self.at >= self.size:
                raise self.open(start, start + 2, "$(", "`$(` is not closed")
            self.here_documents_must_be_closed()
            self.here_documents = pending
            self.at += 1
            self._refuse_bare_file(body, start)
            part = Substitution(body, quoted, start, self.at)
        self.depth -= 1
        return part

    def _refuse_bare_file(self, body: List, start: int) -> None:
        only = body.items[0][0].first.stages[0] if len(body.items) == 1 else None
        if isinstance(only, Simple) and not (only.words or only.assignments):
            raise self.wrong(start, self.at, "`$(< FILE)` is not part of the language", "write `$(cat FILE)`")

    def _arithmetic(self, quoted: bool) -> Arithmetic | None:
        """`$((…))`, or None where the parentheses are those of a subshell."""
        start = self.at
        inner = self._closing(start + 3)
        if inner < 0:
            return None
        self.at = start + 3
        parts = self.double_quoted_parts(")", start)
        word = Word(parts, self.source, start + 3, self.at)
        if self.peek(2) != "))":
            return None
        self.at += 2
        return Arithmetic(word, quoted, start, self.at)

    def _closing(self, at: int) -> int:
        """Where the `))` stands that closes the arithmetic opened before ``at``; -1 if its parentheses do not pair so."""
        text, depth, size = self.text, 0, self.size
        while at < size:
            character = text[at]
            if character == "\\":
                at += 1
            elif character == "(":
                depth += 1
            elif character == ")":
                if depth == 0:
                    self.join(at + 1, ")")
                    return at if text[at + 1 : at + 2] == ")" else -1
                depth -= 1
            elif character == "'":
                end = text.find("'", at + 1)
                at = end if end > 0 else at
            at += 1
        raise self.open(self.at, self.at + 3, "$((", "`$((` is not closed")


def _byte(code: int) -> str:
    """A byte as the character that stands for it in text (surrogateescape)."""
    return chr(code) if code < 128 else chr(0xDC00 + code)


def joined_bytes(text: str) -> str:
    """Text in which bytes that together are UTF-8 have become characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") if not text.isascii() else text
