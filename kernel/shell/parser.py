"""Text → a tree of commands: the compound commands, and the door to the whole grammar."""

from __future__ import annotations

from kernel.shell import refused
from kernel.shell.scanner import END, JOINT, PLAIN, is_name
from kernel.shell.simple import COMPOUND, DECLARING, Commands, is_function_name
from kernel.shell.source import Joint
from kernel.shell.tree import AndOr, Case, Command, For, Function, Group, If, List, Loop, Pipeline, Simple, Subshell, Text, Word
from kernel.shell.wording import ONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernel.shell.source import Source

THEN = frozenset(("then",))
AFTER_THEN = frozenset(("elif", "else", "fi"))
FI = frozenset(("fi",))
DO = frozenset(("do",))
DONE = frozenset(("done",))
BRACE = frozenset(("}",))
ESAC = frozenset(("esac",))
PLAIN_LINE = PLAIN + " \t\n"
UNPLAIN = frozenset([*COMPOUND, *DECLARING, *refused.COMMANDS, *refused.CLOSERS, "test", "!"])  # first words with a grammar


def parse(source: Source, aliases: Mapping[str, str] | None = None) -> List:
    """The commands of a whole text. Raises KernelError E-SYNTAX; Unfinished where more lines could mend it."""
    found = _plain_line(source, aliases)
    while found is None:
        try:
            found = Parser(source, aliases).program()
        except Joint as joint:
            at = joint.at - len(joint.source.text) + len(source.text)  # aliases have been expanded in front of it
            if at < 0 or not source.text.startswith(JOINT, at):
                source, aliases, at = joint.source, None, joint.at
            source = source.joined(at)
    return found


def _plain_line(source: Source, aliases: Mapping[str, str] | None) -> List | None:
    """One command in which every character means itself, and no word more than itself; None for any other text."""
    text = source.text
    if text.strip(PLAIN_LINE) or "\n" in text[:-1]:
        return None
    words = text.split()
    if not words or words[0] in UNPLAIN or "=" in words[0] or (aliases and words[0] in aliases):
        return None
    command = Simple()
    command.source = source
    at = 0
    for plain in words:
        start = text.find(plain, at)
        at = start + len(plain)
        word = Word([Text(plain, False)], source, start, at)
        word.literal = word.plain = plain
        command.words.append(word)
    command.start, command.end = command.words[0].start, at
    return List([(AndOr(Pipeline([command], False), [], source, command.start, at), False)])


class Parser(Commands):
    """The whole grammar."""

    def compound(self, word: str) -> Command:
        start = self.at
        if word == "[[":
            return self.test()
        self.at += len(word)
        if word == "if":
            return self._if(start)
        if word in ("while", "until"):
            condition = self._body(DO, start, word)
            return Loop(condition, self._until_done(start, word), word == "until")
        if word == "for":
            return self._for(start)
        if word == "case":
            return self._case(start)
        if word == "function":
            self.skip_blanks()
            if self.at >= self.size or self.peek() in END:
                raise self.wrong(start, self.at, "the name of the function is missing")
            return self.function(self.word(), start)
        return Group(self._body(BRACE, start, "{"))

    def _body(self, ends: frozenset[str], start: int, what: str) -> List:
        """Commands up to one of the words ``ends``, which is left behind."""
        found = self.command_list(ends)
        word = self.reserved()
        if self.at >= self.size or word not in ends:
            closer = " or ".join([f"`{end}`" for end in sorted(ends)])
            hint = "a `;` or a new line stands in front of `}`" if what == "{" and "}" in self.text[start:] else ""
            raise self.open(start, start + len(what), what, f"`{what}` is not closed by {closer}", hint)
        if not found.items:
            raise self.wrong(self.at, self.at + len(word), f"a command is missing in front of `{word}`", "`:` does nothing")
        self.at += len(word)
        return found

    def _until_done(self, start: int, what: str) -> List:
        return self._body(DONE, start, what)

    def _if(self, start: int) -> If:
        clauses: list[tuple[List, List]] = []
        while True:
            condition = self._body(THEN, start, "if")
            body = self.command_list(AFTER_THEN)
            word = self.reserved()
            if self.at >= self.size or word not in AFTER_THEN:
                raise self.open(start, start + 2, "if", "`if` is not closed by `fi`")
            if not body.items:
                raise self.wrong(self.at, self.at + len(word), f"a command is missing in front of `{word}`", "`:` does nothing")
            clauses.append((condition, body))
            self.at += len(word)
            if word == "fi":
                return If(clauses, None)
            if word == "else":
                return If(clauses, self._body(FI, start, "if"))

    def _for(self, start: int) -> For:
        self.skip_blanks()
        if self.peek(2) == "((":
            hint = "write `for i in $(seq 0 9)`, or `while [[ $i -lt 10 ]]; do …; i=$((i + 1)); done`"
            raise self.wrong(start, self.at + 2, "`for ((…))` is not part of the language", hint)
        if self.at >= self.size:
            raise self.open(start, start + 3, "for", "the name behind `for` is missing")
        at = self.at
        name = self.word().plain or "" if self.peek() not in END else ""
        if not is_name(name):
            raise self.wrong(at, max(self.at, at + 1), "`for` wants the name of a variable")
        words: list[Word] | None = None
        self.skip_lines()
        if self.reserved() == "in":
            self.at += 2
            words = []
            while True:
                self.skip_blanks()
                if self.at >= self.size or self.text[self.at] in END:
                    break
                words.append(self.word())
        self.skip_blanks()
        if self.peek() == ";":
            self.at += 1
        elif words is not None and self.at < self.size and self.peek() != "\n":
            raise self.wrong(self.at, self.at + 1, f"`{self.peek()}` is not expected here", "quote it, or end the words with `;`")
        self.skip_lines()
        if self.at >= self.size:
            raise self.open(start, start + 3, "for", "`for` is not closed by `done`")
        if self.reserved() != "do":
            raise self.wrong(self.at, self.at + 1, "`do` is wanted here")
        self.at += 2
        return For(name, words, self._until_done(start, "for"))

    def _case(self, start: int) -> Case:
        def skip() -> None:
            self.skip_lines()
            if self.at >= self.size:
                raise self.open(start, start + 4, "case", "`case` is not closed by `esac`")

        self.skip_blanks()
        if self.at >= self.size or self.peek() in END:
            raise self.open(start, start + 4, "case", "the word behind `case` is missing")
        subject = self.word(ONE)
        skip()
        if self.reserved() != "in":
            raise self.wrong(self.at, self.at + 1, "`in` is wanted here")
        self.at += 2
        clauses: list[tuple[list[Word], List]] = []
        while True:
            skip()
            if self.reserved() == "esac":
                self.at += 4
                return Case(subject, clauses)
            if self.peek() == "(":
                self.at += 1
                skip()
            patterns = []
            while True:
                self.skip_blanks()
                if self.peek() in END:
                    raise self.wrong(self.at, self.at + 1, "a pattern is missing here")
                patterns.append(self.word(ONE))
                skip()
                if self.peek() != "|":
                    break
                self.at += 1
            if self.peek() != ")":
                self.refuse_extended()
                raise self.wrong(self.at, self.at + 1, "`)` is wanted behind the pattern")
            self.at += 1
            body = self.command_list(ESAC)
            skip()
            clauses.append((patterns, body))
            if self.peek(2) == ";;":
                self.at += 2
            elif self.reserved() != "esac":
                raise self.wrong(self.at, self.at + 1, "`;;` or `esac` is wanted here")

    def subshell(self) -> Command:
        start = self.at
        self.join(start + 1, "(")
        if self.peek(2) == "((" and self._closing(start + 2) >= 0:
            raise self.wrong(start, start + 2, "`((…))` is not part of the language", "write `x=$((…))` or `[[ $x -lt 3 ]]`")
        self.at += 1
        body = self.command_list(frozenset(), ")")
        if self.at >= self.size:
            raise self.open(start, start + 1, "(", "`(` is not closed by `)`")
        if not body.items:
            raise self.wrong(start, self.at + 1, "a command is missing between the parentheses")
        self.at += 1
        return Subshell(body)

    def function(self, name: Word, start: int) -> Command:
        """The definition whose name has been read; `()` may stand here."""
        called = name.plain or ""
        if not is_function_name(called):
            raise self.wrong(name.start, name.end, "a function's name is letters, digits, `_` and `-`")
        if called in refused.OWN or called in refused.COMMANDS or called in refused.CLOSERS:
            raise self.wrong(name.start, name.end, f"`{called}` is a word of the shell and cannot be replaced")
        self.skip_blanks()
        if self.peek() == "(":
            self.at += 1
            self.skip_blanks()
            if self.peek() != ")":
                raise self.wrong(self.at, self.at + 1, "`()` holds nothing", 'the arguments are `$1`, `$2` … `"$@"`')
            self.at += 1
        self.skip_lines()
        if self.at >= self.size:
            raise self.open(start, name.end, f"{called}()", f"the body of the function `{called}` is missing")
        if self.reserved() not in ("{", "[[", "if", "while", "until", "for", "case") and self.peek() != "(":
            raise self.wrong(self.at, self.at + 1, "the body of a function stands in braces", f"write `{called}() {{ …; }}`")
        found = Function(called, self.command())
        found.source, found.start, found.end = self.source, start, self.at
        return found
