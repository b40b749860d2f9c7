"""The text of commands, read from left to right: blanks, comments, here-documents, names."""

from __future__ import annotations

from kernel.shell.source import Joint, Source, syntax, unfinished
from kernel.shell.tree import Redirect, Text, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.errors import KernelError

BLANK = " \t"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
DIGITS = "0123456789"
NAME = LETTERS + DIGITS
FIRST = frozenset(LETTERS)
END = frozenset(" \t\n|&;<>()")  # characters that end a word
PLAIN = NAME + "-./:,+@%^=]"  # characters that mean themselves wherever they stand in a word
JOINT = "\\\n"  # what continues a line; it is nothing wherever it stands, but in single quotes and comments
OPERATORS = "&|;<>"
CHUNK = 64


def is_name(text: str) -> bool:
    """Whether a text can name a variable: ASCII letters, digits and `_`, no digit first."""
    return text[:1] in FIRST and not text.strip(NAME) if text else False


class Scanner:
    """A position in a source, and the here-documents whose bodies are still to come."""

    def __init__(self, source: Source, start: int = 0) -> None:
        self.source = source
        self.text = source.text
        self.at = start
        self.size = len(source.text)
        self.has_joints = JOINT in source.text
        self.here_documents: list[tuple[Redirect, str, bool, bool]] = []  # delimiter, quoted, tabs stripped

    if TYPE_CHECKING:

        def here_document_word(self, source: Source) -> Word: ...

    def wrong(self, start: int, end: int, message: str, hint: str = "") -> KernelError:
        return syntax(self.source, start, end, message, hint)

    def open(self, start: int, end: int, what: str, message: str, hint: str = "") -> KernelError:
        return unfinished(self.source, start, end, what, message, hint)

    def behind_joints(self, at: int) -> int:
        """Where the text goes on that may be continued at a place."""
        while self.text.startswith(JOINT, at):
            at += 2
        return at

    def join(self, at: int, following: str = "") -> None:
        """Has the text read anew with its lines joined if one is continued at ``at``, and the next begins with one of the
        given characters; without them, with any that goes on with a word. Raises Joint."""
        text, end = self.text, self.behind_joints(at)
        character = text[end : end + 1]
        if end > at and character and (character in following if following else character not in END):
            raise Joint(self.source, at)

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def span(self, start: int, characters: str) -> int:
        """Where the run of the given characters that begins at ``start`` ends."""
        text = self.text
        while True:
            chunk = text[start : start + CHUNK]
            left = len(chunk.lstrip(characters))
            start += len(chunk) - left
            if left or len(chunk) < CHUNK:
                return start

    def skip_blanks(self) -> None:
        """Moves behind blanks, continued lines and a comment."""
        text, at, size = self.text, self.at, self.size
        while at < size:
            character = text[at]
            if character == " " or character == "\t":
                at += 1
            elif character == "\\" and text[at + 1 : at + 2] == "\n":
                at += 2
            elif character == "#" and (at == 0 or text[at - 1] in " \t\n;&|()"):
                at = text.find("\n", at)
                at = size if at < 0 else at
                if at > 0 and text[at - 1] == "\r":
                    at -= 1
            elif character == "\r" and text[at + 1 : at + 2] in ("\n", ""):
                raise self.wrong(at, at + 1, "the line ends in a carriage return (CR)", "end lines as Unix does: `tr -d '\\r'`")
            else:
                break
        self.at = at
        if self.has_joints and at < size and text[at] in OPERATORS:
            self.join_operator(at)

    def join_operator(self, at: int) -> None:
        """Joins the lines in which the characters of the operator at a place stand."""
        text, end = self.text, self.span(at, OPERATORS)
        self.join(end, OPERATORS + ("-" if text[end - 2 : end] == "<<" else "(" if text[end - 1] in "<>" else ""))

    def skip_lines(self) -> None:
        """Moves behind blanks, comments and newlines, reading here-documents where their lines begin."""
        while True:
            self.skip_blanks()
            if self.at >= self.size or self.text[self.at] != "\n":
                return
            self.newline()

    def newline(self) -> None:
        """Moves behind the newline that stands here, and behind the bodies of here-documents announced on its line."""
        self.at += 1
        if self.here_documents:
            pending, self.here_documents = self.here_documents, []
            for redirect, delimiter, quoted, stripped in pending:
                redirect.target = self._here_document_body(redirect, delimiter, quoted, stripped)

    def _here_document_body(self, redirect: Redirect, delimiter: str, quoted: bool, stripped: bool) -> Word:
        text, lines = self.text, []
        first = self.source.line(self.at)
        while True:
            if self.at >= self.size:
                message = f"the here-document has no line `{delimiter}` that ends it"
                raise self.open(redirect.start, redirect.end, f"<<{delimiter}", message)
            end = text.find("\n", self.at)
            end = self.size if end < 0 else end
            line = text[self.at : end]
            self.at = min(end + 1, self.size)
            if stripped:
                line = line.lstrip("\t")
            if line == delimiter:
                break
            lines.append(line + "\n")
            if not quoted and len(line) - len(line.rstrip("\\")) & 1:
                # a continued line: the delimiter cannot stand behind it
                end = text.find("\n", self.at)
                end = self.size if end < 0 else end
                lines.append(text[self.at : end] + ("\n" if end < self.size else ""))
                self.at = min(end + 1, self.size)
        source = Source("".join(lines), self.source.name, first)
        if not quoted:
            return self.here_document_word(source)
        word = Word([Text(source.text, True)], source, 0, len(source.text))
        word.literal = source.text
        return word

    def here_documents_must_be_closed(self) -> None:
        """Fails where a text or a `$(…)` ends before the bodies of its here-documents."""
        if self.here_documents:
            redirect, delimiter, _, _ = self.here_documents[0]
            message = f"the here-document has no line `{delimiter}` that ends it"
            raise self.open(redirect.start, redirect.end, f"<<{delimiter}", message)

    def reserved(self) -> str:
        """The unquoted word that stands here if it could be a reserved one, else ""; the position stays."""
        text, at = self.text, self.at
        first = text[at : at + 1]
        if self.has_joints and first in ("[", "]"):
            self.join(at + 1, first)
        if first in FIRST and first:
            end = self.span(at, LETTERS)
        elif first in ("{", "}", "!"):
            end = at + 1
        elif text[at : at + 2] in ("[[", "]]"):
            end = at + 2
        else:
            return ""
        if self.has_joints:
            self.join(end)
        return text[at:end] if end >= self.size or text[end] in END or text[end : end + 2] == "\\\n" else ""
