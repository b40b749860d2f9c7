"""What a command word may be, asked while a line is typed: nothing runs, nothing is asked of the person, nothing fails."""

from __future__ import annotations

import os

from kernel import store
from kernel.errors import KernelError
from kernel.shell import own_words, refused
from kernel.shell.data import text_of
from kernel.shell.glance import KEYWORDS
from kernel.shell.parser import Parser
from kernel.shell.source import Joint, Source
from kernel.shell.tree import Param, Text, Tilde, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.state import State
    from kernel.spec import ToolSpec

_CLOSING = {"'": "'", "$'": "'", '"': '"', "${": "}"}


class Names:
    """The commands that one shell knows."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._programs: list[str] = []
        self._path: tuple[tuple[str, int], ...] = ()

    def spec(self, name: str) -> ToolSpec | None:
        """The tool of a name, accepted or not; None where there is none, or its manifest is broken."""
        if not name or "/" in name or name in own_words.TABLE or name in self.evaluator.state.functions:
            return None
        try:
            found = self.evaluator.tools.where(name)
            return None if found is None or found.broken or found.untrusted else store.load(found)
        except KernelError:
            return None

    def is_command(self, name: str) -> bool:
        """Whether a word can be run as a command."""
        state = self.evaluator.state
        if name in own_words.TABLE or name in state.functions or name in state.aliases or name in refused.COMMANDS:
            return True
        if "\0" in name:
            return False
        if "/" in name:
            path = os.path.expanduser(name)
            return os.access(path, os.X_OK) and os.path.isfile(path)
        return bool(self.evaluator.tools.program(name)) or self.spec(name) is not None or self._is_broken(name)

    def _is_broken(self, name: str) -> bool:
        return self.evaluator.tools.where(name) is not None

    def fault(self, name: str) -> str:
        """What is wrong with the manifest that a name stands for, "" for nothing."""
        found = None if "/" in name else self.evaluator.tools.where(name)
        if found is None or name in own_words.TABLE or name in self.evaluator.state.functions:
            return ""
        try:
            if not (found.broken or found.untrusted):
                store.load(found)
        except KernelError as error:
            return f"the manifest {found.file} is broken: {error.problems[0].message}"
        return found.broken or found.untrusted

    def commands(self, begin: str) -> list[tuple[str, str]]:
        """(name, kind) of the commands that begin with a text; programs of PATH only where it is not empty."""
        state = self.evaluator.state
        found = dict.fromkeys([*self.programs()] if begin else (), "program")
        found.update(dict.fromkeys(self.evaluator.tools.names(), "tool"))
        found.update(dict.fromkeys(own_words.TABLE, "word of the shell"))
        found.update(dict.fromkeys(sorted(KEYWORDS - {"!", "{", "}", "[[", "]]"}) if begin else (), "word of the language"))
        found.update(dict.fromkeys(state.functions, "function"))
        found.update({name: f"alias for `{text}`" for name, text in state.aliases.items()})
        order = {"program": 1}
        return sorted(
            [(name, kind) for name, kind in found.items() if name.startswith(begin)],
            key=lambda each: (order.get(each[1], 0), each[0]),
        )

    def programs(self) -> list[str]:
        """The names in the directories of PATH, looked up again when one of them has changed."""
        path = self.evaluator.state.variables.get("PATH", "")
        places = [place for place in text_of(path).split(":") if place[:1] == "/"]
        stamp = tuple([(place, _changed(place)) for place in places])
        if stamp != self._path:
            self._path = stamp
            found: set[str] = set()
            for place in places:
                try:
                    found.update(os.listdir(place))
                except OSError:
                    pass
            self._programs = sorted(found)
        return self._programs


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def is_private(name: str) -> bool:
    """Whether a variable's name says that its value is neither to be shown nor kept."""
    return any(part in name.upper() for part in ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL"))


def parsed(written: str, quote: str = "") -> Word | None:
    """A word as the parser reads it; ``quote`` is what is still open at its end. None where it cannot be read."""
    if quote == "\\":
        written, quote = written[:-1], ""
    text = written + _CLOSING.get(quote, "")
    reader = Parser(Source(text, "prompt"))
    try:
        word = reader.word()
    except Joint as joint:
        return parsed(joint.source.joined(joint.at).text)
    except KernelError:
        return None
    return word if reader.at == len(text) else None


def value(word: Word, state: State) -> str | None:
    """The text of a word as far as it can be known without running anything; None where it cannot."""
    texts = []
    for part in word.parts:
        if isinstance(part, Text):
            texts.append(part.text)
        elif isinstance(part, Tilde):
            texts.append(os.path.expanduser(part.text))
        elif isinstance(part, Param) and not (part.path or part.operator or part.length or part.is_several):
            field = state.get(part.name)
            texts.append("" if field is None else text_of(field))
        else:
            return None
    return "".join(texts)
