"""Lists, pipelines, simple commands, redirections. What the language leaves out is an error that says what to write."""

from __future__ import annotations

from kernel.shell import refused
from kernel.shell.conditions import BINARY, Conditions
from kernel.shell.scanner import DIGITS, END, FIRST, NAME, is_name
from kernel.shell.source import Source
from kernel.shell.tree import AndOr, Assignment, List, Pipeline, Redirect, Simple, Splat, Text, Word
from kernel.shell.wording import ONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernel.shell.tree import Command

NOTHING: frozenset[str] = frozenset()
DECLARING = frozenset(("export", "local"))
COMPOUND = frozenset(("if", "while", "until", "for", "case", "function", "{", "[["))


class Commands(Conditions):
    """Lists, pipelines, simple commands and redirections; the compound commands are in `parser`."""

    def __init__(self, source: Source, aliases: Mapping[str, str] | None = None) -> None:
        super().__init__(source)
        self.aliases = aliases
        self._expanded_to = 0  # text in front of this came from aliases, which are not looked up in it again

    if TYPE_CHECKING:

        def compound(self, word: str) -> Command: ...

        def subshell(self) -> Command: ...

        def function(self, name: Word, start: int) -> Command: ...

    def program(self) -> List:
        found = self.command_list(NOTHING)
        if self.at < self.size:
            raise self._unexpected()
        self.here_documents_must_be_closed()
        return found

    def command_list(self, ends: frozenset[str], closer: str = "") -> List:
        """Commands up to one of the reserved words ``ends``, the character ``closer``, `;;`, or the end of the text."""
        items: list[tuple[AndOr, bool]] = []
        while True:
            self.skip_lines()
            if self.at >= self.size:
                break
            character = self.text[self.at]
            if character == ")":
                if closer:
                    break
                raise self._unexpected()
            if character == ";" and self.peek(2) == ";;" and "esac" in ends:
                break
            if ends and self.reserved() in ends:
                break
            item = self.and_or()
            self.skip_blanks()
            character = self.peek()
            if self.peek(2) == ";&" or self.peek(3) == ";;&":
                raise self.wrong(self.at, self.at + 2, "a clause ends with `;;`", "write the shared commands as a function")
            background = character == "&"
            if background or (character == ";" and self.peek(2) != ";;"):
                self.at += 1
            elif character and character != "\n" and not (character == ")" and closer) and self.peek(2) != ";;":
                closed = ends and self.reserved() in ends  # as in `if (a) then`: no `;` is needed behind `)`
                if not closed:
                    raise self._unexpected()
            items.append((item, background))
        return List(items)

    def _unexpected(self) -> Exception:
        at = self.at
        word = self.reserved()
        if word in refused.CLOSERS:
            return self.wrong(at, at + len(word), f"`{word}` stands without `{refused.CLOSERS[word]}` before it")
        end = max(self.span(at, "|&;()"), at + 1)
        shown = self.text[at:end]
        hint = ""
        if shown[:1] == "(":
            self.refuse_extended()
            hint = "parentheses in a word are quoted: `'(…)'`; a list is `x=[a b]`"
        elif shown[:1] == ";":
            hint = "a command is missing in front of it"
        return self.wrong(at, end, f"`{shown}` is not expected here", hint)

    def and_or(self) -> AndOr:
        start = self.at
        first = self.pipeline()
        rest: list[tuple[str, Pipeline]] = []
        while True:
            self.skip_blanks()
            operator = self.peek(2)
            if operator not in ("&&", "||"):
                return AndOr(first, rest, self.source, start, self.at)
            at = self.at
            self.at += 2
            self.skip_lines()
            if self.at >= self.size:
                raise self.open(at, at + 2, operator, f"a command is missing behind `{operator}`")
            rest.append((operator, self.pipeline()))

    def pipeline(self) -> Pipeline:
        negated = False
        while self.reserved() == "!":
            negated = not negated
            at = self.at
            self.at += 1
            self.skip_blanks()
            if self.at >= self.size or self.peek() in ("\n", ";", "&", "|"):
                raise self.wrong(at, at + 1, "a command is missing behind `!`")
        stages = [self.command()]
        while True:
            self.skip_blanks()
            at = self.at
            if self.peek() != "|" or self.peek(2) == "||":
                return Pipeline(stages, negated)
            self.at += 1
            if self.peek() == "&":
                self.at += 1
                target = Word([Text("1", False)], self.source, at, self.at)
                target.literal = target.plain = "1"
                stages[-1].redirects.append(Redirect(2, ">&", target, self.source, at, self.at))
            end = self.at
            self.skip_lines()
            if self.at >= self.size:
                raise self.open(at, end, "|", f"a command is missing behind `{self.text[at:end]}`")
            stages.append(self.command())

    def command(self) -> Command:
        self.skip_blanks()
        start = self.at
        self.nest(start)
        if self.peek() == "(":
            found = self.subshell()
        else:
            word = self.reserved()
            if word in COMPOUND:
                found = self.compound(word)
            elif word in refused.CLOSERS and word != "in":
                raise self._unexpected()
            else:
                self._expand_alias()
                found = self.simple()
                found.end = self.at
                self.depth -= 1
                return found
        found.source, found.start, found.end = self.source, start, self.at
        self._redirects(found)
        self.depth -= 1
        self.skip_blanks()
        if self.at < self.size and self.text[self.at] not in END and self.reserved() not in refused.CLOSERS:
            raise self._unexpected()
        return found

    def _redirects(self, command: Command) -> None:
        """The redirections behind a compound command."""
        while True:
            self.skip_blanks()
            digits = self.span(self.at, DIGITS)
            if (
                self.peek() not in ("<", ">")
                and self.peek(2) != "&>"
                and not (digits > self.at and self.text[digits : digits + 1] in ("<", ">"))
            ):
                return
            command.redirects.append(self.redirect(self.at))
            self._one_input(command)

    def _expand_alias(self) -> None:
        """Puts the text of an alias where its name stands as a command."""
        seen: set[str] = set()
        while self.aliases and self.at >= self._expanded_to:
            end = self.span(self.at, NAME + "-.+@%:,")
            name = self.text[self.at : end]
            if name not in self.aliases or name in seen or (end < self.size and self.text[end] not in END):
                return
            seen.add(name)
            self.text = f"{self.text[: self.at]}{self.aliases[name]}{self.text[end:]}"
            self.size = len(self.text)
            self.source = Source(self.text, self.source.name, self.source.first_line)
            if self.aliases[name].split()[:1] == [name]:
                self._expanded_to = self.at + len(self.aliases[name])

    # Simple commands

    def simple(self) -> Simple:
        command = Simple()
        source, words = self.source, command.words
        command.source, command.start = source, self.at
        text = self.text
        while True:
            self.skip_blanks()
            at = self.at
            if at >= self.size:
                break
            character = text[at]
            if character in END:
                if character in ("<", ">") or (character == "&" and text[at + 1 : at + 2] == ">"):
                    command.redirects.append(self.redirect(at))
                    self._one_input(command)
                    continue
                if character == "(":
                    self.join(at + 1, ")")
                    if len(words) == 1 and not command.assignments and text[self.at :].lstrip("( \t")[:1] == ")":
                        return self.function(words[0], command.start)  # type: ignore[return-value]
                    raise self._unexpected()
                break
            if character in FIRST and (not words or command.declared is not None):
                assignment = self._assignment()
                if assignment is not None:
                    (command.assignments if command.declared is None else command.declared).append(assignment)
                    continue
            elif character in DIGITS:
                end = self.span(at, DIGITS)
                if self.has_joints:
                    self.join(end, DIGITS + "<>")
                if text[end : end + 1] in ("<", ">"):
                    command.redirects.append(self.redirect(at))
                    self._one_input(command)
                    continue
            word = self.word()
            if self.peek() in ("<", ">") and is_name(text[at + 1 : self.at - 1]) and text[at] + text[self.at - 1] == "{}":
                hint = "0 is read with `<`, 1 and 2 are written with `>` and `2>`"
                raise self.wrong(at, self.at + 1, f"`{text[at : self.at + 1]}` is not part of the language", hint)
            if command.declared is not None:
                command.declared.append(word)
                continue
            words.append(word)
            if len(words) == 1 and word.plain is not None:
                if word.plain in refused.COMMANDS:
                    message = f"`{word.plain}` is not part of the language"
                    raise self.wrong(word.start, word.end, message, refused.COMMANDS[word.plain])
                if word.plain in DECLARING:
                    command.declared = []
        if not (words or command.assignments or command.redirects):
            raise self._unexpected() if self.at < self.size else self.wrong(at, at + 1, "a command is missing")
        if words and words[0].plain == "test":
            self._check_test(words)
        elif len(words) > 1 and words[0].plain == "printf" and words[1].plain == "-v":
            start, end = words[1].start, words[1].end
            raise self.wrong(start, end, "`printf -v` is not part of the language", "write `name=$(printf …)`")
        return command

    def _check_test(self, words: list[Word]) -> None:
        """`test` knows no joined conditions."""
        last = len(words) - 1
        for index, word in enumerate(words[1:], 1):
            joins = word.plain in ("-a", "-o") and (
                (last >= 5 and index < last) or (last == 3 and index == 2) or (last == 4 and index == 3)
            )
            if word.plain in ("-v", "-R") and last == index + 1 and index < 3:
                raise self.wrong(word.start, word.end, f"`{word.plain}` is no test", 'write `test -n "${NAME+set}"`')
            grouped = last == 3 and words[1].literal == "(" and words[3].literal == ")" and words[2].literal not in BINARY
            if joins or (word.literal in ("(", ")") and (last > 3 or grouped)):
                hint = "join whole conditions: `[[ a && b ]]`, `[[ a || b ]]`, `test a && test b`"
                raise self.wrong(word.start, word.end, f"`{word.written}` in `test` is not part of the language", hint)

    def _assignment(self) -> Assignment | None:
        """The assignment that begins here, None where a word does."""
        text, start = self.text, self.at
        end = self.span(start, NAME)
        following = text[end : end + 1]
        if following == "\\":
            self.join(end, NAME + "=+[")
        if following != "=":
            if text[end : end + 2] == "+=":
                name = text[start:end]
                way = f"{name}=[...${name} …]" if text[end + 2 : end + 3] == "(" else f"{name}=${name}…"
                raise self.wrong(start, end + 2, "`+=` is not part of the language", f"write `{way}`")
            if following == "[":
                closing = text.find("]", end)
                if closing > 0 and text[closing + 1 : closing + 2] == "=" and "\n" not in text[end:closing]:
                    hint = "make the whole list: `x=[a b]`, a record: `u={key: value}`"
                    raise self.wrong(start, closing + 2, "setting one element is not part of the language", hint)
            return None
        self.at = end + 1
        self.join(end + 1, "([{")
        following = self.peek()
        if following == "(":
            hint = f"write `{text[start:end]}=[a b c]`"
            raise self.wrong(end + 1, end + 2, "`name=( … )` is not part of the language", hint)
        if following in ("[", "{"):
            value = self.literal()
            if self.at < self.size and self.text[self.at] not in END:
                hint = f"text is quoted: `{text[start : end + 1]}'…'`"
                raise self.wrong(self.at, self.at + 1, "the literal ends here, but the word goes on", hint)
            return Assignment(text[start:end], value, self.source, start, self.at)
        word = self.word_until(END, assigned=True)
        return Assignment(text[start:end], word, self.source, start, self.at)

    # Redirections

    def redirect(self, start: int) -> Redirect:
        """The redirection that begins at ``start``, perhaps with a digit."""
        text = self.text
        at = self.span(start, DIGITS)
        if self.has_joints:
            self.join_operator(at)
        digits = text[start:at]
        both = text[at : at + 2] == "&>"
        operator = "&>" if both else ""
        for known in ("<<<", "<<-", "<<", "<&", "<>", "<(", "<", ">>", ">&", ">|", ">(", ">"):
            if not both and text.startswith(known, at):
                operator = known
                break
        end = at + len(operator)
        self._refuse(start, end, operator, digits)
        descriptor = int(digits) if digits else 0 if operator[0] == "<" else 1
        if operator in ("<<", "<<-"):
            return self._here_document(start, end, operator, descriptor)
        self.at = end
        self.skip_blanks()
        if self.at >= self.size or self.peek() in END:
            if self.peek(2) in ("<(", ">("):
                self._refuse(self.at, self.at + 2, self.peek(2), "")
            raise self.wrong(start, end, f"a file is missing behind `{text[start:end]}`")
        target = self.word(ONE if operator == "<<<" else END)
        if target.braces or any(isinstance(part, Splat) for part in target.parts):
            raise self.wrong(target.start, target.end, "a redirection takes one file", "quote braces that are meant as text")
        if operator == ">&" and target.plain not in ("1", "2"):
            if target.plain == "-":
                raise self.wrong(start, self.at, "closing a descriptor is not part of the language", "write `> /dev/null`")
            raise self.wrong(
                start, self.at, f"`{text[start : self.at]}` is not part of the language", "write `&> FILE`, `>&2` or `2>&1`"
            )
        return Redirect(descriptor, ">" if operator == ">|" else operator, target, self.source, start, self.at)

    def _refuse(self, start: int, end: int, operator: str, digits: str) -> None:
        shown = self.text[start:end]
        if operator in ("<(", ">("):
            hint = "use a pipe, or write the output to a file first: `command > FILE`"
            raise self.wrong(start, end, "process substitution is not part of the language", hint)
        if operator in ("<>", "<&") or (operator == "&>" and self.text[end : end + 1] == ">"):
            hint = "write `>> FILE 2>&1`" if operator == "&>" else "write `< FILE`"
            raise self.wrong(
                start, end + (operator == "&>"), f"`{shown}{'>' * (operator == '&>')}` is not part of the language", hint
            )
        if digits and (
            len(digits) > 1
            or digits not in "012"
            or (operator[0] == "<" and digits != "0")
            or (operator[0] == ">" and digits == "0")
        ):
            hint = "0 is read with `<`, 1 and 2 are written with `>` and `2>`"
            raise self.wrong(start, end, f"descriptor {digits} cannot be redirected by `{operator}`", hint)

    def _here_document(self, start: int, end: int, operator: str, descriptor: int) -> Redirect:
        self.at = end
        self.skip_blanks()
        if self.at >= self.size or self.peek() in END:
            raise self.wrong(start, end, f"the word that ends the here-document is missing behind `{operator}`")
        first = self.at
        word = self.word(ONE)
        delimiter = word.literal
        if delimiter is None:
            raise self.wrong(first, self.at, "the word that ends a here-document is no expansion", "write `<<EOF`")
        redirect = Redirect(descriptor, "<<", word, self.source, start, self.at)
        self.here_documents.append((redirect, delimiter, word.quoted, operator == "<<-"))
        return redirect

    def _one_input(self, command: Command) -> None:
        inputs = [redirect for redirect in command.redirects if redirect.descriptor == 0]
        if len(inputs) > 1:
            again = inputs[-1]
            message = "standard input has two sources"
            raise self.wrong(again.start, again.end, message, "keep one of them; `cat A B |` reads several files")


def is_function_name(name: str) -> bool:
    """Whether a function may have this name."""
    return is_name(name.replace("-", "_").replace(".", "_").replace("+", "_").replace(":", "_")) if name else False
