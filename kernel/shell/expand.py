"""Words to values: one word is one value, but for `"$@"`, `${x[@]}`, `...$list`, braces and globs."""

from __future__ import annotations

from kernel import environment
from kernel.errors import Problem
from kernel.shell import globs, parameters
from kernel.shell.arithmetic import Expression, NoValue
from kernel.shell.data import Data, elements, scalar, text_of, to_value
from kernel.shell.source import ExpansionError
from kernel.shell.tree import Arithmetic, Braces, ListLiteral, Param, Splat, Substitution, Text, Tilde, Word
from kernel.values import int_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from kernel.shell.data import Field
    from kernel.shell.source import Source
    from kernel.shell.state import State
    from kernel.shell.tree import Part, Value

    Pieces = list[tuple[str, bool]]

MOST_WORDS = 1_000_000  # that braces may make in one command


class Expander:
    """Gives words their values in a state. ``substitute(node)`` runs `$(…)` and returns its output as a field."""

    def __init__(self, state: State, substitute: Callable[[Substitution], Field]) -> None:
        self.state = state
        self.substitute = substitute

    # Many words

    def fields(self, words: Iterable[Word]) -> list[Field]:
        """The words of a command. Raises ExpansionError."""
        out: list[Field] = []
        for word in words:
            if word.literal is not None and not word.glob:
                out.append(word.literal)
            else:
                self._word(word, word.parts, out)
        return out

    def _word(self, word: Word, parts: list[Part], out: list[Field]) -> None:
        if word.braces:
            for alternative in alternatives(parts, word):
                if alternative:  # `{a,}`: nothing, unquoted, is no word
                    self._joined(word, alternative, out)
        else:
            self._joined(word, parts, out)

    def _joined(self, word: Word, parts: list[Part], out: list[Field]) -> None:
        if len(parts) == 1:
            part = parts[0]
            if isinstance(part, Splat):
                out += self._splat(part, word.source)
                return
            if not (isinstance(part, (Text, Tilde)) or (isinstance(part, Param) and part.is_several)):
                field = self._part(part, word.source)
                out.append(field if not getattr(part, "quoted", False) or isinstance(field, str) else field.text)
                return
        groups: list[Pieces] = [[]]
        empty = False  # `"$@"` without arguments makes no word
        for part in parts:
            if isinstance(part, Param) and part.is_several:
                several = self._several(part, word.source)
                if part.name == "*" and part.quoted:
                    groups[-1].append((self._star(several), True))
                elif several:
                    groups[-1].append((text_of(several[0]), True))
                    groups += [[(text_of(field), True)] for field in several[1:]]
                else:
                    empty = len(parts) == 1
                if len(parts) == 1 and several and not (part.name == "*" and part.quoted):
                    out += several
                    return
            else:
                groups[-1].append(self._piece(part, word.source))
        if empty:
            return
        for pieces in groups:
            self._globbed(word, pieces, out)

    def _globbed(self, word: Word, pieces: Pieces, out: list[Field]) -> None:
        if word.glob:
            found = globs.expand(pieces)
            if found is not None:
                if not found:
                    raise self._no_match(word, "".join([text for text, _ in pieces]))
                out += found
                return
        out.append("".join([text for text, _ in pieces]))

    def _no_match(self, word: Word, pattern: str) -> ExpansionError:
        hint = f"quote it where it is meant as text: `'{pattern}'`; `glob --maybe '{pattern}'` where there may be none"
        place = word.source.place(word.start, word.end)
        return ExpansionError(Problem("E-EXPAND", f"no file matches `{pattern}`", place, hint))

    def _several(self, part: Param, source: Source) -> list[Field]:
        if part.name in "@*" and not part.path:
            found = list(self.state.arguments)
            if part.operator and not found:
                field = parameters.value(self, part, source)
                return [field] if field != "" else []
            return found
        field = parameters.value(self, part, source)
        return elements(field) if isinstance(field, Data) else [field] if field != "" or part.name in "@*" else []

    def _star(self, several: list[Field]) -> str:
        separator = self.state.get("IFS")
        between = " " if separator is None else text_of(separator)[:1]
        return between.join([text_of(field) for field in several])

    def _splat(self, part: Splat, source: Source) -> list[Field]:
        field = parameters.value(self, part.param, source)
        if isinstance(field, Data) and field.is_list:
            return elements(field)
        name = part.param.name
        hint = f"`$(…)` gives lines to `for`; a list is `{name}=[a b]`"
        raise parameters.problem(source, part.param.start, part.param.end, f"`{name}` is no list", hint)

    def items(self, words: list[Word]) -> list[Field]:
        """The items of a `for` head: an unquoted `$(…)` gives its lines or elements, a `$x` its elements."""
        out: list[Field] = []
        for word in words:
            part = word.parts[0] if len(word.parts) == 1 else None
            if isinstance(part, Substitution) and not part.quoted:
                field = self.substitute(part)
                if isinstance(field, Data):
                    out += elements(field)
                else:
                    out += [line for line in field.split("\n") if line.strip(" \t")]
            elif isinstance(part, Param) and not part.quoted and not part.is_several:
                field = parameters.value(self, part, word.source)
                out += elements(field) if isinstance(field, Data) else [field]
            else:
                out += self.fields([word])
        return out

    # One value

    def value(self, word: Word) -> Field:
        """The value of a word that is never several: of an assignment, a `case`, a default."""
        if word.literal is not None:
            return word.literal
        parts = word.parts
        if len(parts) == 1 and not isinstance(parts[0], (Text, Tilde)):
            part = parts[0]
            if isinstance(part, Param) and part.is_several:
                several = self._several(part, word.source)
                return self._star(several) if part.name == "*" else " ".join([text_of(field) for field in several])
            field = self._part(part, word.source)
            return field if isinstance(field, str) or not getattr(part, "quoted", False) else field.text
        return "".join([self._piece(part, word.source)[0] for part in parts])

    def text(self, word: Word) -> str:
        """The value of a word as text."""
        return word.literal if word.literal is not None else text_of(self.value(word))

    def pattern(self, word: Word) -> Pieces:
        """A word as (text, quoted) pieces of a pattern; what unquoted expansions give is pattern, too."""
        pieces: Pieces = []
        for part in word.parts:
            text, quoted = self._piece(part, word.source)
            if isinstance(part, (Param, Substitution, Arithmetic)):
                quoted = part.quoted
            elif isinstance(part, Tilde):
                quoted = True
            pieces.append((text, quoted))
        return pieces

    def literal(self, value: Value) -> Any:
        """The JSON value of the right side of an assignment inside a literal."""
        if isinstance(value, Word):
            if value.plain is not None:
                return scalar(value.plain)
            return to_value(self.value(value))
        if isinstance(value, ListLiteral):
            out: list[Any] = []
            for item in value.items:
                if isinstance(item, Word) and item.glob:
                    out += self.fields([item])  # `[*.txt]`: the names of the files
                    continue
                if isinstance(item, Word) and item.literal is None:
                    part = item.parts[0] if len(item.parts) == 1 else None
                    if isinstance(part, Splat):
                        out += [to_value(field) for field in self._splat(part, item.source)]
                        continue
                    if isinstance(part, Param) and part.is_several:
                        out += [to_value(field) for field in self._several(part, item.source)]
                        continue
                out.append(self.literal(item))
            return out
        return {self.text(key): self.literal(member) for key, member in value.members}

    def assigned(self, value: Value) -> Field:
        """The value of an assignment."""
        return self.value(value) if isinstance(value, Word) else Data(self.literal(value))

    # Parts

    def _piece(self, part: Part, source: Source) -> tuple[str, bool]:
        """(text, whether it is quoted for globs): a value never is a pattern of file names."""
        if isinstance(part, Text):
            return part.text, part.quoted
        if isinstance(part, Param) and part.is_several:
            several = self._several(part, source)
            return (self._star(several) if part.name == "*" else " ".join([text_of(field) for field in several])), True
        return text_of(self._part(part, source)), True

    def _part(self, part: Part, source: Source) -> Field:
        if isinstance(part, Param):
            if not (part.path or part.operator or part.length):
                found = self.state.get(part.name)
                if found is not None:
                    return found
            return parameters.value(self, part, source)
        if isinstance(part, Substitution):
            return self.substitute(part)
        if isinstance(part, Arithmetic):
            return self._computed(part)
        if isinstance(part, Tilde):
            return self._home(part.text)
        assert isinstance(part, Text), "braces and splats are no values"
        return part.text

    def _computed(self, part: Arithmetic) -> str:
        word = part.expression
        text = self.text(word) if word.parts else ""
        try:
            return int_text(Expression(text, self._number, self.state.assign).value())
        except NoValue as error:
            literal = word.source.text[word.start : word.end] == text
            start = word.start + error.at if literal else part.start
            place = word.source.place(start, start + 1 if literal else part.end)
            raise ExpansionError(Problem("E-EXPAND", error.message, place, error.hint)) from None

    def _number(self, name: str) -> str:
        found = self.state.get(name)
        if found is None and self.state.options["nounset"]:
            raise NoValue(f"`{name}` is not set", "give it a value first")
        return "" if found is None else text_of(found)

    def _home(self, prefix: str) -> str:
        name = prefix[1:]
        if not name:
            home = self.state.get("HOME")
            return text_of(home) if home is not None else environment.home()
        if name in ("+", "-"):
            found = self.state.get("PWD" if name == "+" else "OLDPWD")
            return prefix if found is None else text_of(found)
        import pwd

        try:
            return pwd.getpwnam(name).pw_dir
        except (KeyError, ValueError):
            return prefix


def alternatives(parts: list[Part], word: Word) -> list[list[Part]]:
    """The words that a word with braces stands for, each as its parts."""
    out: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Braces):
            choices = [each for alternative in part.alternatives for each in alternatives(alternative, word)]
            if len(out) * len(choices) > MOST_WORDS:
                message = f"the braces make more than {MOST_WORDS:,} words"
                raise ExpansionError(Problem("E-EXPAND", message, word.source.place(word.start, word.end)))
            out = [begun + choice for begun in out for choice in choices]
        else:
            for begun in out:
                begun.append(part)
    return [_settled(begun) for begun in out] if parts is word.parts else out


def _settled(parts: list[Part]) -> list[Part]:
    """A word out of braces; a `~` in it is text where it is no whole prefix: `{~,x}y`, `a=~/{x,y}`."""
    for index, part in enumerate(parts[:-1]):
        if isinstance(part, Tilde):
            behind = parts[index + 1]
            if index or not (isinstance(behind, Text) and not behind.quoted and behind.text[:1] in ("/", ":")):
                return [*parts[:index], Text(part.text, False), *parts[index + 1 :]]
    return parts
