"""Words: quotes, escapes, `~`, braces, globs, and the list and record literals of assignments."""

from __future__ import annotations

from kernel.shell import refused
from kernel.shell.bracing import Bracing, add
from kernel.shell.scanner import END, FIRST, NAME, PLAIN
from kernel.shell.source import Joint
from kernel.shell.tree import ListLiteral, Param, RecordLiteral, Splat, Text, Tilde, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.source import Source
    from kernel.shell.tree import Part, Value

_TILDE = PLAIN.replace("/", "").replace(":", "").replace("=", "").replace("]", "")
_ITEM_ENDS = frozenset(" \t\n,[]{}")
_KEY_ENDS = frozenset(" \t\n,:[]{}")
ONE = frozenset([*END])  # ends a word where only one can stand


class Words(Bracing):
    """Reads words. A word ends at one of ``ends``; nothing is read behind it."""

    def word(self, ends: frozenset[str] = END) -> Word:
        """The word that begins here, up to a blank or an operator; with ``ONE`` braces and `...$x` are text in it."""
        text, start = self.text, self.at
        end = self.span(start, PLAIN)
        if end > start and (end >= self.size or text[end] in END):
            # most words: nothing in them has a meaning of its own
            self.at = end
            plain = text[start:end]
            word = Word([Text(plain, False)], self.source, start, end)
            word.literal = word.plain = plain
            return word
        return self.word_until(ends)

    def word_until(self, ends: frozenset[str], quoted: bool = False, assigned: bool = False) -> Word:
        """A word up to one of the characters ``ends``, or the end of the text.

        ``quoted`` reads it as inside double quotes (an operand of `"${x:-…}"`); ``assigned`` as the right side of `=`,
        where `~` also stands behind `:` and braces are text.
        """
        start = self.at
        parts: list[Part] = []
        word = Word(parts, self.source, start, start)
        if ends is END and self.peek(4) == "...$" and self._splat(word):
            return word
        before = self._begins, self._close
        self._looked_at = self._looked_at if self._close >= 0 else 0
        self._begins, self._close = True, -1
        self._parts(word, parts, ends, quoted, assigned)
        self._begins, self._close = before
        word.end = self.at
        return finished(word)

    def _parts(self, word: Word, parts: list[Part], ends: frozenset[str], quoted: bool, assigned: bool) -> None:
        text, size = self.text, self.size
        braces = ends is END and not assigned
        equals = self._equals() if braces else -1  # `~` stands behind it in an argument, too: `of=~/file`
        while self.at < size:
            at = self.at
            end = self.span(at, PLAIN)
            if end > at:
                for stop in ends.intersection("]:=,"):
                    found = text.find(stop, at, end)
                    end = found if found >= 0 else end
                if assigned:
                    found = text.find(":", at, end)
                    end = found + 1 if found >= 0 else end
                if end > at:
                    add(parts, text[at:end], quoted)
                    self.at = end
                    listed = (assigned or equals >= 0) and text[end - 1] == ":"
                    if (listed or end - 1 == equals) and text[end : end + 1] == "~":
                        self._tilde(parts, ends, True)
                    continue
            character = text[at]
            if character in ends:
                return
            if character == "'" and not quoted:
                end = text.find("'", at + 1)
                if end < 0:
                    raise self.open(at, at + 1, "'", "the quote `'` is not closed")
                parts.append(Text(text[at + 1 : end], True))
                self.at = end + 1
            elif character == '"':
                self.at = at + 1
                if quoted:
                    parts += self.double_quoted_parts('"', at)  # "${x:-"a b"}": the inner quotes are quotes of their own
                else:
                    inner = self.double_quoted_parts('"', at)
                    parts += inner or [Text("", True)]
                self.at += 1
            elif character == "\\":
                self._escape(parts, quoted)
            elif character == "$":
                parts.append(self.dollar(quoted))
            elif character == "`":
                raise self.backticks()
            elif character == "{" and braces and at not in self._no_braces and self._braces(word, parts):
                word.braces = True
            elif character == "~" and not parts and not quoted and self._begins:
                self._tilde(parts, ends, assigned)
            elif character == "\r" and text[at + 1 : at + 2] in ("\n", ""):
                self.skip_blanks()  # says that the line ends in CR
            else:
                if character in "*?[" and not quoted:
                    word.glob = True
                add(parts, character, quoted)
                self.at += 1

    def _escape(self, parts: list[Part], quoted: bool) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if following == "\n":
            return
        if quoted and following not in ("$", "`", '"', "\\", "}"):
            add(parts, "\\" + following, True)
        else:
            parts.append(Text(following or "\\", True))
        self.at = min(self.at, self.size)

    def double_quoted_parts(self, stop: str, start: int) -> list[Part]:
        """Parts up to ``stop``: `"`, `)` for `$((…))` (parentheses inside pair, quotes mean nothing), "" for the text's end."""
        text, size = self.text, self.size
        parts: list[Part] = []
        special = ("\\", "$", "`", stop, "(", '"') if stop == ")" else ("\\", "$", "`", stop) if stop else ("\\", "$", "`")
        depth = 0
        while True:
            at = self.at
            ends = [found for character in special if (found := text.find(character, at)) >= 0]
            end = min(ends) if ends else size
            if end > at:
                add(parts, text[at:end], True)
                self.at = at = end
            if at >= size:
                if stop:
                    what = "$((" if stop == ")" else stop
                    raise self.open(start, start + len(what), what, f"the quote `{what}` is not closed")
                return parts
            character = text[at]
            if character == stop and not depth:
                return parts
            if character == '"':
                self.at += 1
            elif character in "()":
                depth += 1 if character == "(" else -1
                add(parts, character, True)
                self.at += 1
            elif character == "\\":
                following = text[at + 1 : at + 2]
                self.at = min(at + 2, size)
                if following == "\n":
                    continue
                taken = "$`\\" + (stop if stop == '"' else "")
                add(parts, following if following and following in taken else "\\" + following, True)
            elif character == "$":
                parts.append(self.dollar(True))
            else:
                raise self.backticks()

    def refuse_extended(self) -> None:
        """Says of a `(` that stands where none can that it belongs to a pattern like `@(a|b)`, where it does."""
        if self.peek() == "(" and self.at and self.text[self.at - 1] in "@+!?*":
            raise self.wrong(self.at - 1, self.at + 1, *refused.EXTENDED)

    def here_document_word(self, source: Source) -> Word:
        """The body of a here-document that expands."""
        reader = type(self)(source)
        reader.depth = self.depth
        try:
            parts = reader.double_quoted_parts("", 0)
        except Joint as joint:
            return self.here_document_word(joint.source.joined(joint.at))
        return finished(Word(parts, source, 0, len(source.text)))

    def _equals(self) -> int:
        """Where the `=` of a word that looks like an assignment stands; -1 for another one."""
        end = self.span(self.at, NAME)
        return end if self.text[end : end + 1] == "=" and self.text[self.at] in FIRST else -1

    def _tilde(self, parts: list[Part], ends: frozenset[str], listed: bool) -> None:
        text = self.text
        end = self.span(self.at + 1, _TILDE)
        if "," in ends:
            end = min(end, self.at + len(text[self.at : end].partition(",")[0]))
        self.join(end, _TILDE)
        behind = self.behind_joints(end)
        following = text[behind : behind + 1]
        stop = self.span(end, PLAIN) if following == ":" and not listed else end
        plain = stop >= self.size or text[stop] in END  # outside of a list like PATH's, `~:` is for bash a plain word's
        if not following or following == "/" or (following == ":" and (listed or plain)) or following in ends:
            parts.append(Tilde(text[self.at : end]))
        else:
            add(parts, text[self.at : end], False)
        self.at = end

    def _splat(self, word: Word, ends: frozenset[str] = END) -> bool:
        start = self.at
        self.at += 3
        part = self.dollar(False)
        if isinstance(part, Param) and not part.is_several and (self.at >= self.size or self.peek() in ends):
            word.parts.append(Splat(part))
            word.end = self.at
            return True
        self.at = start
        return False

    # Literals

    def literal(self) -> Value:
        """The list or record literal that begins here."""
        start = self.at
        self.nest(start)
        found = self._list(start) if self.peek() == "[" else self._record(start)
        self.depth -= 1
        return found

    def _list(self, start: int) -> ListLiteral:
        self.at += 1
        items: list[Value] = []
        while self._skip_to_item(start, "]"):
            items.append(self._item())
        return ListLiteral(items)

    def _record(self, start: int) -> RecordLiteral:
        self.at += 1
        members: list[tuple[Word, Value]] = []
        while self._skip_to_item(start, "}"):
            at = self.at
            key = self.word_until(_KEY_ENDS)
            self.skip_lines()
            if not key.parts or self.peek() != ":":
                raise self.wrong(at, max(self.at, at + 1), "a record wants `key: value`", "text is quoted: `x='{a,b}'`")
            self.at += 1
            self.skip_lines()
            if self.at >= self.size:
                raise self.open(start, start + 1, "{", "`{` is not closed")
            members.append((key, self._item()))
        return RecordLiteral(members)

    def _item(self) -> Value:
        if self.peek() in ("[", "{"):
            return self.literal()
        at = self.at
        word = Word([], self.source, at, at)
        if self.peek(4) == "...$" and self._splat(word, _ITEM_ENDS):
            return word
        word = self.word_until(_ITEM_ENDS)
        if not word.parts:
            raise self.wrong(at, at + 1, f"`{self.peek()}` stands where a value is wanted", "text is quoted: `x='…'`")
        return word

    def _skip_to_item(self, start: int, closer: str) -> bool:
        """Moves to the next item; False behind the closer."""
        while True:
            self.skip_lines()
            if self.at >= self.size:
                raise self.open(start, start + 1, self.text[start], f"`{self.text[start]}` is not closed")
            character = self.text[self.at]
            if character == ",":
                self.at += 1
            elif character == closer:
                self.at += 1
                return False
            else:
                return True


def finished(word: Word) -> Word:
    """Notes what of a word is known without running anything."""
    texts = []
    for part in word.parts:
        if not isinstance(part, Text):
            return word
        texts.append(part.text)
        word.quoted = word.quoted or part.quoted
    word.literal = "".join(texts)
    if not word.quoted and word.parts:
        word.plain = word.literal
    return word
