"""`[[ … ]]`: the grammar of conditions."""

from __future__ import annotations

from kernel.shell import refused
from kernel.shell.bracing import add
from kernel.shell.scanner import END, JOINT
from kernel.shell.tree import Condition, Test, Text, Word
from kernel.shell.wording import ONE, Words, finished

TYPE_CHECKING = False

UNARY = frozenset("-e -f -d -s -r -w -x -L -h -p -S -b -c -g -u -k -O -G -N -t -z -n".split())
NUMERIC = frozenset("-eq -ne -lt -le -gt -ge".split())
BINARY = NUMERIC | frozenset("== = != =~ !~ < > -nt -ot -ef in not".split())


class Conditions(Words):
    """Reads `[[ … ]]`; the position stands on it."""

    def test(self) -> Test:
        start = self.at
        self.at += 2
        condition = self._or(start)
        self._skip(start)
        if self.reserved() != "]]":
            if self.peek(3) in ("-a ", "-o "):
                way = "&&" if self.peek(2) == "-a" else "||"
                raise self.wrong(self.at, self.at + 2, f"`{self.peek(2)}` joins no conditions", f"write `{way}`")
            self.refuse_extended()
            raise self.wrong(self.at, self.at + 1, f"`{self.peek()}` stands where `]]` or an operator is wanted")
        self.at += 2
        return Test(condition)

    def _skip(self, start: int) -> None:
        self.skip_lines()
        if self.at >= self.size:
            raise self.open(start, start + 2, "[[", "`[[` is not closed by `]]`")

    def _or(self, start: int) -> Condition:
        left = self._and(start)
        while True:
            self._skip(start)
            if self.peek(2) != "||":
                return left
            self.at += 2
            left = Condition("||", left=left, right=self._and(start))

    def _and(self, start: int) -> Condition:
        left = self._not(start)
        while True:
            self._skip(start)
            if self.peek(2) != "&&":
                return left
            self.at += 2
            left = Condition("&&", left=left, right=self._not(start))

    def _not(self, start: int) -> Condition:
        self._skip(start)
        self.nest(self.at)
        if self.reserved() == "!":
            self.at += 1
            found = Condition("!", left=self._not(start))
        elif self.peek() == "(":
            opened = self.at
            self.at += 1
            found = self._or(start)
            self._skip(start)
            if self.peek() != ")":
                raise self.wrong(opened, opened + 1, "`(` is not closed by `)`")
            self.at += 1
        else:
            found = self._primary(start)
        self.depth -= 1
        return found

    def _operand(self, start: int, what: str) -> Word:
        self._skip(start)
        if self.reserved() == "]]" or self.peek() in ("&", "|", ")", "(", "<", ">", ";"):
            raise self.wrong(self.at, self.at + 1, f"{what} is missing", "an empty text is written `''`")
        return self.word(ONE)

    def _ends(self) -> bool:
        """Whether a condition may end here."""
        return self.reserved() == "]]" or self.peek(2) in ("&&", "||") or self.peek() == ")"

    def _primary(self, start: int) -> Condition:
        first = self._operand(start, "a condition")
        self._skip(start)
        if first.plain in UNARY and not self._stands_binary():
            if self._ends():
                raise self.wrong(
                    first.start, first.end, f"the operand of `{first.plain}` is missing", "an empty text is written `''`"
                )
            return Condition(first.plain or "", words=(self._operand(start, f"the operand of `{first.plain}`"),))
        if self._ends():
            return Condition("-n", words=(first,))
        if first.plain in refused.CONDITIONS and not self._stands_binary():
            raise self.wrong(first.start, first.end, f"`{first.plain}` is no test", refused.CONDITIONS[first.plain])
        at = self.at
        if self.peek() in ("<", ">") and self.text[at + 1 : at + 2] not in ("(", "<", ">", "&"):
            operator = self.peek()
            self.at += 1
        else:
            operator = self.word().plain or "" if self.peek() not in END else ""
        if operator == "not":
            self.skip_blanks()
            if self.reserved() == "in":
                self.at += 2
                operator = "not in"
        if operator not in BINARY and operator != "not in":
            if operator in ("-a", "-o"):
                way = "&&" if operator == "-a" else "||"
                raise self.wrong(at, self.at, f"`{operator}` joins no conditions", f"write `{way}`")
            raise self.wrong(at, max(self.at, at + 1), "an operator is wanted here", "as in `==`, `!=`, `-eq`, `-lt`, `=~`, `in`")
        if operator in ("=~", "!~"):
            self._skip(start)
            right = self._expression(start)
        else:
            right = self._operand(start, f"the right side of `{operator}`")
        return Condition("==" if operator == "=" else operator, words=(first, right))

    def _stands_binary(self) -> bool:
        """Whether a binary operator stands here: `[[ -f == x ]]` compares a text."""
        at = self.at
        end = self.span(at, "=!~<>")
        return end > at and self.text[at:end] in BINARY

    def _expression(self, start: int) -> Word:
        """A regular expression: up to a blank, with its parentheses and bars."""
        begin, depth = self.at, 0
        word = Word([], self.source, begin, begin)
        text = self.text
        while self.at < self.size:
            at = self.at
            character = text[at]
            if character in " \t\n" and not depth:
                break
            if character in "'\"" or text[at : at + 2] in ("$'", '$"'):
                hint = "put it into a variable: `re='…'`, then `[[ $x =~ $re ]]`"
                raise self.wrong(begin, at + 1, "a quoted regular expression is not part of the language", hint)
            if character == "\n":
                break
            if text.startswith(JOINT, at):
                self.at += 2
            elif character == "\\":
                add(word.parts, text[at : at + 2], False)
                self.at = min(at + 2, self.size)
            elif character == "$":
                part = self.dollar(False)
                if isinstance(part, Text):
                    add(word.parts, part.text, False)
                else:
                    word.parts.append(part)
            elif character == "`":
                raise self.backticks()
            else:
                depth += (character == "(") - (character == ")")
                if depth < 0:
                    break
                add(word.parts, character, False)
                self.at += 1
        if not word.parts:
            raise self.wrong(begin, begin + 1, "the regular expression is missing")
        word.end = self.at
        return finished(word)
