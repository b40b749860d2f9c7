"""Commands as they stand while they are typed: words, strings, what is open; the text need not be whole, or right.

The parser says what a text is; this says what it looks like, for completion, colours and marks. It never fails.
"""

from __future__ import annotations

from kernel.shell.scanner import DIGITS, END, FIRST, NAME

OPENING = frozenset(("if", "then", "elif", "else", "while", "until", "do", "!", "{"))  # a command stands behind them
CLOSING = frozenset(("fi", "done", "}"))
DEEPEST = 100  # commands within commands that are looked at
KEYWORDS = OPENING | CLOSING | {"for", "case", "esac", "in", "function", "[[", "]]"}


class Piece:
    """A span of the text. Words are `command`, `argument`, `assignment`, `target` (of a redirection), `function` or
    `word` (of a loop, a pattern, a test); the rest is `keyword`, `operator`, `comment`, `string`, `variable` or `document`."""

    __slots__ = ("end", "kind", "start")

    def __init__(self, start: int, end: int, kind: str) -> None:
        self.start = start
        self.end = end
        self.kind = kind


class Command:
    """A simple command: the word that names it and its arguments. ``last`` says that the text ends in it."""

    __slots__ = ("assignments", "last", "words")

    def __init__(self) -> None:
        self.words: list[Piece] = []
        self.assignments: list[Piece] = []
        self.last = False


class Glance:
    """What a text looks like.

    ``pieces`` lie over each other: what comes later is drawn over what came before. ``here`` is the command in which
    the text ends, ``begun`` the word in which it ends (None behind a blank), ``quote`` what is open there (`'`, `"`,
    `$'`, `${`, or a backslash that nothing follows).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.size = len(text)
        self.at = 0
        self.pieces: list[Piece] = []
        self.commands: list[Command] = []
        self.functions: set[str] = set()
        self.here = Command()
        self.begun: Piece | None = None
        self.quote = ""
        self._settled = False
        self._documents: list[str] = []
        self._depth = 0
        while self.at < self.size or not self._settled:
            self._list()

    def _settle(self, command: Command, piece: Piece | None, quote: str = "") -> None:
        """Notes where the text ends: what is innermost comes first."""
        if not self._settled:
            self._settled = True
            self.here, self.begun, self.quote = command, piece, quote
            command.last = True

    def _piece(self, start: int, end: int, kind: str) -> Piece:
        piece = Piece(start, end, kind)
        self.pieces.append(piece)
        return piece

    def _take(self, length: int, kind: str) -> None:
        self._piece(self.at, self.at + length, kind)
        self.at += length

    def _plain(self) -> str:
        """The characters up to the next blank or operator; the position stays."""
        end = self.at
        while end < self.size and self.text[end] not in END:
            end += 1
        return self.text[self.at : end]

    # Lists

    def _list(self) -> None:
        """Commands up to a `)` that closes them, or the end."""
        self._depth += 1
        if self._depth > DEEPEST:
            self.at = self.size
            self._settle(Command(), None, "#")
        self._commands()
        self._depth -= 1

    def _commands(self) -> None:
        text = self.text
        command = Command()
        expects = ""  # `name`, `in`, `items` of `for`; `subject`, `case in`, `pattern` of `case`; `test`; `function`
        cases = 0
        while True:
            while self.at < self.size and (text[self.at] in " \t" or text.startswith("\\\n", self.at)):
                self.at += 1 if text[self.at] != "\\" else 2
            if self.at >= self.size:
                self._settle(command, None)
                return
            character = text[self.at]
            if character == "#":
                end = text.find("\n", self.at)
                self._take((self.size if end < 0 else end) - self.at, "comment")
                if self.at >= self.size:
                    self._settle(Command(), None, "#")
            elif character == "\n":
                self.at += 1
                self._here_documents()
                command = Command()
                expects = expects if expects in ("pattern", "case in", "test") else ""
            elif character in "<>" or text.startswith("&>", self.at) or self._descriptor():
                if expects == "test":
                    self._take(1, "operator")
                else:
                    self._redirect(command)
            elif character == ")":
                self._take(1, "operator")
                if expects == "pattern":
                    expects = ""
                elif expects != "test":
                    return
                command = Command()
            elif character == "(":
                self._take(1, "operator")
                if expects in ("pattern", "test"):
                    continue
                if len(command.words) == 1:  # a function
                    piece = command.words.pop()
                    piece.kind = "function"
                    self.functions.add(text[piece.start : piece.end])
                    self.commands.remove(command)
                    continue
                self._list()
                command = Command()
            elif character in ";&|":
                double = text[self.at : self.at + 2]
                self._take(2 if double in (";;", "&&", "||", "|&") else 1, "operator")
                if double == ";;" and cases:
                    expects = "pattern"
                elif expects not in ("pattern", "test"):
                    expects = ""
                command = Command()
            else:
                expects, cases = self._word_of(command, expects, cases)
                if expects == "new":
                    command, expects = Command(), ""

    def _word_of(self, command: Command, expects: str, cases: int) -> tuple[str, int]:
        """Reads a word: what is expected behind it (`new`: a command), and how many `case` are open."""
        plain = self._plain()
        if plain in KEYWORDS and (not command.words or expects):
            step = self._keyword(plain, expects, cases)
            if step is not None:
                start = self.at
                self._take(len(plain), "keyword")
                if self.at >= self.size:
                    self._settle(command, Piece(start, self.at, "command" if not expects else "word"))
                return step
        kind = "word" if expects else self._kind(command)
        piece = self._piece(self.at, self.at, kind)
        if kind in ("command", "argument"):
            if kind == "command":
                self.commands.append(command)
            command.words.append(piece)
        elif kind == "assignment":
            command.assignments.append(piece)
        self._word(command, piece)
        following = {"name": "in", "in": "items", "subject": "case in", "function": "new"}
        return following.get(expects, expects), cases

    def _keyword(self, plain: str, expects: str, cases: int) -> tuple[str, int] | None:
        """What is expected behind a keyword; None where the word is none."""
        if expects == "test":
            return ("new", cases) if plain == "]]" else None
        if expects == "pattern":
            return ("new", cases - 1) if plain == "esac" else None
        if expects:
            return {"in": ("items", cases), "case in": ("pattern", cases + 1)}.get(expects) if plain == "in" else None
        if plain in ("for", "case", "[[", "function"):
            return {"for": "name", "case": "subject", "[[": "test", "function": "function"}[plain], cases
        if plain == "esac":
            return "new", max(cases - 1, 0)
        return None if plain in ("in", "]]") else ("new", cases)

    def _kind(self, command: Command) -> str:
        if command.words:
            return "argument"
        end = self.at
        if self.text[end] in FIRST:
            while end < self.size and self.text[end] in NAME:
                end += 1
            if self.text[end : end + 1] == "=":
                return "assignment"
        return "command"

    def _descriptor(self) -> bool:
        at = self.at
        while at < self.size and self.text[at] in DIGITS:
            at += 1
        return at > self.at and self.text[at : at + 1] in ("<", ">")

    def _redirect(self, command: Command) -> None:
        text, start = self.text, self.at
        while self.at < self.size and (text[self.at] in DIGITS or text[self.at] in "<>&|-"):
            self.at += 1
        self._piece(start, self.at, "operator")
        written = text[start : self.at].lstrip(DIGITS)
        if written[-1:] in DIGITS or written.endswith(("&1", "&2")):
            return
        while self.at < self.size and text[self.at] in " \t":
            self.at += 1
        if self.at >= self.size:
            self._settle(command, Piece(self.at, self.at, "target"))
            return
        if text[self.at] in END:
            return
        piece = self._piece(self.at, self.at, "target")
        self._word(command, piece)
        if written.startswith("<<") and not written.startswith("<<<"):
            delimiter = text[piece.start : piece.end].replace("'", "").replace('"', "").replace("\\", "")
            self._documents.append(("\t" if written.endswith("-") else "") + delimiter)

    def _here_documents(self) -> None:
        """Moves behind the bodies that begin on this line."""
        text, start = self.text, self.at
        documents, self._documents = self._documents, []
        for delimiter in documents:
            while self.at < self.size:
                end = text.find("\n", self.at)
                end = self.size if end < 0 else end
                line = text[self.at : end]
                self.at = min(end + 1, self.size)
                if delimiter == (line if delimiter[:1] != "\t" else "\t" + line.lstrip("\t")):
                    break
            else:
                self._settle(Command(), None, "<<")
        if documents:
            self._piece(start, self.at, "document")

    # Words

    def _word(self, command: Command, piece: Piece) -> None:
        """Moves to the end of the word; sets the piece's own."""
        text = self.text
        if piece.kind == "assignment":
            self.at = text.index("=", self.at) + 1
            if text[self.at : self.at + 1] in ("[", "{"):
                self._literal(command, piece)
        while self.at < self.size and text[self.at] not in END:
            character = text[self.at]
            if character == "\\":
                if self.at + 1 >= self.size:
                    piece.end = self.size
                    self._settle(command, piece, "\\")
                self.at = min(self.at + 2, self.size)
            elif character == "'":
                self._single(command, piece, "'")
            elif character == '"':
                self._double(command, piece)
            elif character == "$":
                self._dollar(command, piece)
            else:
                self.at += 1
            piece.end = self.at
        piece.end = self.at
        if self.at >= self.size:
            self._settle(command, piece)

    def _literal(self, command: Command, piece: Piece) -> None:
        depth = 0
        while self.at < self.size:
            character = self.text[self.at]
            if character == "'":
                self._single(command, piece, "'")
            elif character == '"':
                self._double(command, piece)
            elif character == "$":
                self._dollar(command, piece)
            else:
                depth += 1 if character in "[{" else -1 if character in "]}" else 0
                self.at += 1
                if not depth:
                    break
        piece.end = self.at

    def _ended(self, command: Command, piece: Piece, quote: str) -> None:
        self.at = piece.end = self.size
        self._settle(command, piece, quote)

    def _single(self, command: Command, piece: Piece, quote: str) -> None:
        start = self.at
        self.at += len(quote)
        while self.at < self.size and self.text[self.at] != "'":
            self.at += 2 if quote == "$'" and self.text[self.at] == "\\" else 1
        if self.at >= self.size:
            self._piece(start, self.size, "string")
            self._ended(command, piece, quote)
            return
        self.at += 1
        self._piece(start, self.at, "string")

    def _double(self, command: Command, piece: Piece) -> None:
        text = self.text
        string = self._piece(self.at, self.size, "string")
        self.at += 1
        while self.at < self.size:
            character = text[self.at]
            if character == '"':
                self.at += 1
                string.end = self.at
                return
            if character == "$":
                self._dollar(command, piece, '"')
            else:
                self.at = min(self.at + (2 if character == "\\" else 1), self.size)
        self._ended(command, piece, '"')

    def _dollar(self, command: Command, piece: Piece, quote: str = "") -> None:
        text, start = self.text, self.at
        if text.startswith("$((", start):
            depth = 0
            self.at += 1
            while self.at < self.size:
                depth += {"(": 1, ")": -1}.get(text[self.at], 0)
                self.at += 1
                if not depth:
                    break
            self._piece(start, self.at, "variable")
            if depth:
                self._ended(command, piece, "$((")
        elif text.startswith("$(", start):
            self._take(2, "operator")
            self._list()
        elif text.startswith("${", start):
            depth = 0
            while self.at < self.size:
                depth += {"{": 1, "}": -1}.get(text[self.at], 0)
                self.at += 1
                if not depth and text[self.at - 1] == "}":
                    break
            self._piece(start, self.at, "variable")
            if depth:
                self._ended(command, piece, "${")
        elif text.startswith("$'", start) and not quote:
            self._single(command, piece, "$'")
        else:
            self.at += 1
            if text[self.at : self.at + 1] in FIRST and self.at < self.size:
                while self.at < self.size and text[self.at] in NAME:
                    self.at += 1
            elif text[self.at : self.at + 1] in ("?", "!", "$", "#", "@", "*", "-") or text[self.at : self.at + 1].isdigit():
                self.at += 1
            if self.at - start > 1:
                self._piece(start, self.at, "variable")
