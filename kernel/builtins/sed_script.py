"""A sed script read into commands."""

from __future__ import annotations

from kernel.builtins.guard import Failure
from kernel.builtins.posix_regex import RegexError
from kernel.builtins.sed_commands import Address, Command, Substitution
from kernel.builtins.sed_escapes import brackets_end, escaped_character, in_expression, in_replacement, in_text
from kernel.builtins.sed_regex import Expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    Part = tuple[str, str, int]  # file or "", text, word of the call or -1

PLAIN = "=dDgGhHnNpPxzF"
DEEPEST = 1000
VERSION = (4, 9)  # of GNU sed, for the `v` command


class Script:
    """The pieces of a script, each from a -e or a -f, read as one text. Failure for what is none, 1 for that of a file."""

    def __init__(self, pieces: list[Part], *, extended: bool, posix: bool, sandbox: bool, utf8: bool) -> None:
        self.pieces = pieces
        self.text = "\n".join([text for _, text, _ in pieces])
        self.extended = extended
        self.posix = posix
        self.sandbox = sandbox
        self.utf8 = utf8
        self.at = 0
        self.commands: list[Command] = []
        self.labels: dict[str, int] = {}
        self.open: list[int] = []
        self.quiet = self.text[:2] == "#n" and self.text[2:3] in ("", "\n")
        self.read()

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Says where, in GNU's words: the piece, and the character or line in it."""
        at = self.at if at is None else at
        start = 0
        expressions = 0
        for piece in self.pieces:
            name, text, word = piece
            expressions += not name
            if at <= start + len(text) or piece is self.pieces[-1]:
                break
            start += len(text) + 1
        inside = text[: at - start]
        if name:
            raise Failure(f"file {name} line {inside.count(chr(10)) + (not inside.endswith(chr(10)) or not inside)}: {message}", 1)
        raise Failure(f"-e expression #{expressions}, char {min(at - start, len(text))}: {message}", param="script", word=word)

    # --- characters

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        found = self.text[self.at : self.at + 1]
        self.at += 1
        return found

    def skip(self, characters: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in characters:
            self.at += 1

    def digits(self) -> str:
        start = self.at
        self.skip("0123456789")
        return self.text[start : self.at]

    # --- commands

    def read(self) -> None:
        while True:
            self.skip(" \t\n\r\v\f;")
            if self.at >= len(self.text):
                break
            if self.peek() == "#":
                self.comment()
                continue
            self.command()
        if self.open:
            self.fail("unmatched `{'", 0)
        for command in self.commands:
            if command.name in "btT":
                if command.text and command.text not in self.labels:
                    status = 4 if any(name for name, _, _ in self.pieces) else 2
                    word = self.pieces[0][2] if len(self.pieces) == 1 else -1
                    raise Failure(f"can't find label for jump to `{command.text}'", status, param="script", word=word)
                command.jump = self.labels.get(command.text, len(self.commands))

    def comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def command(self) -> None:
        if self.peek() in ("+", "~"):
            self.at += 2
            self.fail("invalid usage of +N or ~N as first address")
        first = self.address()
        second = None
        if first is not None:
            self.skip(" \t")
            if self.peek() == ",":
                self.at += 1
                self.skip(" \t")
                second = self.address(second=True)
                if second is None:
                    self.at += 1
                    self.fail("unexpected `,'")
        self.skip(" \t\n\r\v\f;" if first is None else " \t")
        if first is not None and first.kind == "zero":
            in_front = second is None and self.peek() == "r"  # its file comes before the first line
            if not in_front and (second is None or second.kind != "expression"):
                self.at += 1
                self.fail("invalid usage of line address 0")
        negated = False
        while self.peek() == "!":
            negated = True
            self.at += 1
            self.skip(" \t")
            if self.peek() == "!":
                self.at += 1
                self.fail("multiple `!'s")
        name = self.take()
        if not name:
            self.fail("missing command")
        command = Command(name, first, second, negated)
        if name == "}":
            return self.close(command)
        if name == ":":
            return self.label(command)
        self.commands.append(command)
        return self.arguments(command)

    def close(self, command: Command) -> None:
        if not self.open:
            self.fail("unexpected `}'")
        if command.first:
            self.fail("} doesn't want any addresses")
        index = self.open.pop()
        self.commands[index].jump = len(self.commands)
        self.end()

    def label(self, command: Command) -> None:
        if command.first:
            self.fail(": doesn't want any addresses")
        self.skip(" \t\n\r\v\f")
        name = self.label_name()
        if not name:
            self.fail('":" lacks a label')
        self.labels.setdefault(name, len(self.commands))

    def label_name(self) -> str:
        """Up to a blank or what ends a command, "" for nothing."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in " \t\n\r\v\f;}#":
            self.at += 1
        return self.text[start : self.at]

    def arguments(self, command: Command) -> None:
        name = command.name
        if name == "{":
            self.open.append(len(self.commands) - 1)
            if len(self.open) > DEEPEST:
                self.fail("too many nested blocks")
        elif name in "aic":
            self.text_argument(command)
        elif name in "btT":
            self.skip(" \t")
            command.text = self.label_name()  # behind it another command may stand at once
        elif name in "rRwW":
            self.forbid(name)
            command.text = self.file_name()
        elif name in "qQlL":
            if name in "qQ" and command.second:
                self.fail("command only uses one address")
            self.skip(" \t")
            number = self.digits()
            command.number = int(number) if number else -1
            self.end()
        elif name == "s":
            self.substitution(command)
        elif name == "y":
            self.transliteration(command)
        elif name == "v":
            self.skip(" \t")
            if _version(self.label_name()) > VERSION:
                self.fail("expected newer version of sed")
            self.end()
        elif name == "e":
            self.fail("the `e` command, which runs programs, is not supported here; pipe into the program instead")
        elif name in PLAIN:
            self.end()
        else:
            self.fail(f"unknown command: `{name}'")

    def forbid(self, name: str) -> None:
        if self.sandbox:
            self.fail("e/r/w commands disabled in sandbox mode")

    def end(self) -> None:
        """The end of a command: a newline, `;`, `}`, `#` or the end of the script."""
        self.skip(" \t\r\v\f")
        if self.at >= len(self.text) or self.peek() in "}#":
            return
        if self.take() not in "\n;":
            self.fail("extra characters after command")

    def file_name(self) -> str:
        self.skip(" \t")
        start = self.at
        self.at = self.text.find("\n", start)
        if self.at < 0:
            self.at = len(self.text)
        name = self.text[start : self.at]
        if not name:
            self.fail("missing filename in r/R/w/W commands")
        return name

    def text_argument(self, command: Command) -> None:
        """`a text`, `a\\` and the text on the next lines; a backslash before a newline keeps it."""
        self.skip(" \t")
        if self.at >= len(self.text):
            self.fail("expected \\ after `a', `c' or `i'")
        if self.peek() == "\\":
            self.at += 1
            command.silent = self.at >= len(self.text)
            start = self.at
            self.skip(" \t")
            if self.peek() == "\n":
                self.at += 1
            else:
                self.at = start
        elif self.peek() == "\n":
            self.fail("expected \\ after `a', `c' or `i'")
        out: list[str] = []
        while self.at < len(self.text):
            character = self.take()
            if character == "\\":
                following = self.take()
                out.append(in_text(following, self) if following else "")
            elif character == "\n":
                break
            else:
                out.append(character)
        command.text = "".join(out)

    # --- addresses

    def address(self, second: bool = False) -> Address | None:
        character = self.peek()
        if character and character in "/\\":
            self.at += 1
            mark = "/"
            if character == "\\":
                mark = self.take()
                if not mark or mark in "\n\\":
                    self.fail("unexpected `,'" if second else "unterminated address regex")
            pattern = self.delimited(mark, expression=True)
            if pattern is None:
                self.fail("unterminated address regex")
            fold = lines = False
            while self.peek() and self.peek() in "IM":
                fold |= self.peek() == "I"
                lines |= self.peek() == "M"
                self.at += 1
            return Address("expression", expression=self.compiled(pattern, fold, lines))
        if character == "$":
            self.at += 1
            return Address("last")
        if second and character and character in "+~":
            self.at += 1
            number = self.digits()
            if not number:
                self.fail("unexpected `,'")
            return Address("plus" if character == "+" else "multiple", int(number))
        number = self.digits()
        if not number:
            return None
        self.skip(" \t")
        if self.peek() == "~":
            self.at += 1
            self.skip(" \t")
            step = int(self.digits() or "0")
            return Address("number", int(number)) if second and not step else Address("step", int(number), step)
        if int(number) == 0 and not second:
            return Address("zero")
        return Address("number", int(number))

    def delimited(self, mark: str, *, expression: bool) -> str | None:
        """Up to the next ``mark``, taken. A backslash before the mark goes, `\\n` in an expression is a newline."""
        out: list[str] = []
        while self.at < len(self.text):
            character = self.take()
            if character == mark:
                return "".join(out)
            if character == "[" and expression:
                end = brackets_end(self.text, self.at - 1)
                if end < 0:
                    self.at = len(self.text)
                    return None
                out.append(self.text[self.at - 1 : end])
                self.at = end
                continue
            if character == "\\":
                following = self.take()
                if following == mark:
                    out.append(following)
                    continue
                if following == "n" and expression:
                    out.append("\n")
                    continue
                out.append("\\" + following)
                continue
            out.append(character)
        return None

    def compiled(self, pattern: str, fold: bool, lines: bool) -> Expression | None:
        if not pattern:
            if fold or lines:
                self.fail("cannot specify modifiers on empty regexp")
            return None
        try:
            text = in_expression(pattern)
            return Expression(text, extended=self.extended, fold=fold, lines=lines, utf8=self.utf8)
        except RegexError as error:
            self.fail(str(error))

    # --- s and y

    def substitution(self, command: Command) -> None:
        mark = self.take()
        if not mark or mark in "\n\\":
            self.fail("unterminated `s' command")
        pattern = self.delimited(mark, expression=True)
        replacement = self.delimited(mark, expression=False) if pattern is not None else None
        if pattern is None or replacement is None:
            self.fail("unterminated `s' command")
        parts = in_replacement(replacement)
        what = Substitution(None, parts)
        fold, lines = self.flags(what)
        what.expression = self.compiled(pattern, fold, lines)
        most = max([part for _, part in parts if isinstance(part, int)], default=0)
        if what.expression is not None and most > what.expression.groups:
            self.fail(f"invalid reference \\{most} on `s' command's RHS")
        command.substitution = what

    def flags(self, what: Substitution) -> tuple[bool, bool]:
        fold = lines = numbered = False
        while True:
            flag = self.take()
            if flag and flag in "iI":
                fold = True
            elif flag and flag in "mM":
                lines = True
            elif flag == "g":
                if what.every:
                    self.fail("multiple `g' options to `s' command")
                what.every = True
            elif flag == "p":
                if what.print:
                    self.fail("multiple `p' options to `s' command")
                what.print = 1
            elif flag and flag in "0123456789":
                self.at -= 1
                if numbered:
                    self.fail("multiple number options to `s' command", self.at + 1)
                what.number = int(self.digits())
                numbered = True
                if not what.number:
                    self.fail("number option to `s' command may not be zero")
            elif flag == "w":
                self.forbid("w")
                what.file = self.file_name()
                return fold, lines
            elif flag == "e":
                self.fail("the `e` flag of `s`, which runs programs, is not supported here")
            elif flag in ("}", "#"):
                self.at -= 1
                return fold, lines
            elif flag in ("", "\n", ";"):
                return fold, lines
            elif flag not in " \t\r":
                self.fail("unknown option to `s'")

    def transliteration(self, command: Command) -> None:
        mark = self.take()
        if not mark or mark in "\n\\":
            self.fail("unterminated `y' command")
        source = self.delimited(mark, expression=False)
        target = self.delimited(mark, expression=False) if source is not None else None
        if source is None or target is None:
            self.fail("unterminated `y' command")
        before, after = self.characters(source), self.characters(target)
        if len(before) != len(after):
            self.fail("strings for `y' command are different lengths")
        for old, new in zip(before, after, strict=True):
            command.table.setdefault(ord(old), new)
        self.end()

    def characters(self, text: str) -> str:
        out: list[str] = []
        at = 0
        while at < len(text):
            character = text[at]
            at += 1
            if character == "\\":
                following = text[at : at + 1]
                found = escaped_character(text, at)
                if following and following in "\\\n":
                    character, at = following, at + 1
                elif found is not None:
                    character, at = found
            out.append(character)
        return "".join(out)


def _version(text: str) -> tuple[int, ...]:
    """`4.2` as numbers, () for what is none."""
    parts = text.split(".")
    return tuple(int(part) for part in parts) if all(part.isascii() and part.isdigit() for part in parts) else ()
