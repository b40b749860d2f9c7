"""The lines typed before: kept in a file with the directory where each was typed, and without the values of secrets.

A line of the file is the time, the directory and the text, separated by tabs; a backslash stands before what is special.
"""

from __future__ import annotations

import os
import stat

from kernel import bind, environment, masking
from kernel.shell.glance import Glance
from kernel.shell.names import is_private, parsed, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.shell.glance import Command, Piece
    from kernel.shell.names import Names

KEPT = 10_000  # lines; the file is shortened when it holds twice as many
OFFERED = 3_000  # lines that are searched and suggested
READ = 32 << 20  # bytes of the file, of its end
WRITTEN = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK  # no waiting for who reads a FIFO


class Entry:
    """One text, and the directory where it was typed."""

    __slots__ = ("directory", "text")

    def __init__(self, directory: str, text: str) -> None:
        self.directory = directory
        self.text = text


class History:
    """The history of all shells of this user, as this one knows it."""

    def __init__(self, file: str = "") -> None:
        self.file = file or os.path.join(environment.state_directory(), "history")
        self.entries: list[Entry] = []
        self._own = 0  # how many of the entries were typed in this shell
        self._order: tuple[str, int, list[str]] = ("", -1, [])

    def load(self) -> None:
        """Reads the file; one that cannot be read, or is none that has an end, is an empty one."""
        try:
            with open(os.open(self.file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    return
                file.seek(max(status.st_size - READ, 0))
                lines = file.read().decode("utf-8", "surrogateescape").split("\n")
        except OSError:
            return
        kept = []
        for line in lines[-KEPT - 1 :]:
            fields = line.split("\t", 2)
            if len(fields) == 3:
                self.entries.append(Entry(_unescaped(fields[1]), _unescaped(fields[2])))
                kept.append(f"{line}\n")
        if len(lines) > 2 * KEPT or status.st_size > READ:
            self._shorten(kept)

    def add(self, text: str, names: Names) -> None:
        """Keeps a text. The file gets it without the values of secrets; one that begins with a blank is not kept there."""
        directory = environment.working_directory()
        self.entries.append(Entry(directory, text))
        self._own += 1
        stored = without_secrets(text, names)
        if stored is None or text[:1] in (" ", "\t"):
            return
        import time

        line = f"{int(time.time())}\t{_escaped(directory)}\t{_escaped(stored)}\n".encode("utf-8", "surrogateescape")
        try:
            os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
            descriptor = os.open(self.file, WRITTEN, 0o600)
        except OSError:
            return  # a history that cannot be written is no error
        try:
            environment.write_all(descriptor, line)
        except OSError:
            pass
        finally:
            os.close(descriptor)

    def newest_first(self, directory: str) -> list[str]:
        """The texts to search: those of this shell, then those typed in the directory, then all others; each once."""
        if self._order[:2] != (directory, len(self.entries)):
            self._order = (directory, len(self.entries), list(dict.fromkeys(self._ordered(directory))))
        return self._order[2]

    def _ordered(self, directory: str) -> Iterator[str]:
        older = self.entries[-OFFERED - self._own : len(self.entries) - self._own]
        yield from (entry.text for entry in reversed(self.entries[len(self.entries) - self._own :]))
        yield from (entry.text for entry in reversed(older) if entry.directory == directory)
        yield from (entry.text for entry in reversed(older) if entry.directory != directory)

    def suggestion(self, begun: str, directory: str) -> str:
        """What a text that begins so went on with, "" where there was none: here first, then anywhere."""
        if not begun.strip():
            return ""
        elsewhere = ""
        for entry in reversed(self.entries[-OFFERED:]):
            if entry.text.startswith(begun) and len(entry.text) > len(begun):
                if entry.directory == directory:
                    return entry.text[len(begun) :]
                elsewhere = elsewhere or entry.text[len(begun) :]
        return elsewhere

    def _shorten(self, lines: list[str]) -> None:
        temporary = f"{self.file}.{os.getpid()}"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                environment.write_all(descriptor, "".join(lines).encode("utf-8", "surrogateescape"))
            finally:
                os.close(descriptor)
            os.replace(temporary, self.file)
        except OSError:
            pass


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    parts = text.split("\\\\")
    return "\\".join([part.replace("\\n", "\n").replace("\\t", "\t") for part in parts])


def without_secrets(text: str, names: Names) -> str | None:
    """The text with `***` for the values of secret params, of the words and of the variables that give them.

    None where it cannot be told what is secret: in a text that is still open, or behind an alias.
    """
    glance = Glance(text)
    if glance.quote:
        return None
    spans: list[tuple[int, int, str]] = []
    for command in glance.commands:
        found = _secrets(glance, command, names)
        if found is None:
            return None
        spans += found
    assigned = [piece for piece in glance.pieces if piece.kind == "assignment"]
    spans += _assigned(glance, assigned, _secret_variables(glance, names))
    for start, end, masked in sorted(spans, reverse=True):
        text = text[:start] + masked + text[end:]
    return text


def _secrets(glance: Glance, command: Command, names: Names) -> list[tuple[int, int, str]] | None:
    """The spans of a command's secrets with what is to stand there."""
    state = names.evaluator.state
    words = [parsed(glance.text[piece.start : piece.end]) for piece in command.words]
    texts = [value(word, state) if word is not None else None for word in words]
    name, extra = texts[0], []
    if name is not None and name in state.aliases:
        name, *extra = state.aliases[name].split() or [""]
    if name in ("export", "local"):
        return _assigned(glance, command.words[1:], set())
    spec = names.spec(name) if name is not None else None
    if spec is None:
        return []
    given = [*extra, *["0" if text is None else text for text in texts[1:]]]
    bound = bind.bind(spec, given)
    spans = []
    for index, (before, after) in enumerate(zip(given, masking.words(bound))):
        if before == after:
            continue
        if index < len(extra):
            return None
        piece = command.words[index - len(extra) + 1]
        spans.append((piece.start, piece.end, after))
    return spans


def _secret_variables(glance: Glance, names: Names) -> set[str]:
    """The variables that give secret params of the tools in the text."""
    found: set[str] = set()
    for command in glance.commands:
        piece = command.words[0]
        spec = names.spec(glance.text[piece.start : piece.end])
        if spec is not None:
            found.update(param.env for param in spec.params if param.secret and param.env)
    return found


def _assigned(glance: Glance, pieces: list[Piece], secret: set[str]) -> list[tuple[int, int, str]]:
    """The spans of the assignments whose values are not to be kept."""
    found = []
    for piece in pieces:
        variable, equals, _ = glance.text[piece.start : piece.end].partition("=")
        if equals and (variable in secret or is_private(variable)):
            found.append((piece.start, piece.end, f"{variable}=***"))
    return found
