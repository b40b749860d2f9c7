"""What a text of commands is after parsing: plain records that are never changed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.source import Source

# Parts of a word. ``start`` and ``end`` are offsets into the word's source.


class Text:
    """Characters as they are; ``quoted`` ones are never a pattern."""

    __slots__ = ("quoted", "text")

    def __init__(self, text: str, quoted: bool) -> None:
        self.text = text
        self.quoted = quoted


class Tilde:
    """`~` or `~name` at a word's beginning; ``text`` is the prefix as written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Slice:
    """`[low:high]` behind a name; None for an end left out."""

    __slots__ = ("high", "low")

    def __init__(self, low: Word | None, high: Word | None) -> None:
        self.low = low
        self.high = high


class Param:
    """`$name`, `${name…}`. ``path`` are the keys in brackets (a Word, a Slice, or the text `@`)."""

    __slots__ = ("end", "length", "name", "operand", "operator", "path", "quoted", "start")

    def __init__(self, name: str, quoted: bool, start: int, end: int) -> None:
        self.name = name
        self.quoted = quoted
        self.start = start
        self.end = end
        self.path: tuple[Word | Slice | str, ...] = ()
        self.length = False
        self.operator = ""
        self.operand: Word | None = None

    @property
    def is_several(self) -> bool:
        """Whether it stands for one word per element: `$@`, `${x[@]}`."""
        return not self.length and (self.name in "@*" or self.path[-1:] == ("@",))


class Substitution:
    """`$(…)`."""

    __slots__ = ("body", "end", "quoted", "start")

    def __init__(self, body: List, quoted: bool, start: int, end: int) -> None:
        self.body = body
        self.quoted = quoted
        self.start = start
        self.end = end


class Arithmetic:
    """`$((…))`; the expression is expanded like quoted text and then computed."""

    __slots__ = ("end", "expression", "quoted", "start")

    def __init__(self, expression: Word, quoted: bool, start: int, end: int) -> None:
        self.expression = expression
        self.quoted = quoted
        self.start = start
        self.end = end


class Splat:
    """`...$list`: one word per element."""

    __slots__ = ("param",)

    def __init__(self, param: Param) -> None:
        self.param = param


class Braces:
    """`{a,b}` or `{1..5}`: one word for each of the alternatives (lists of parts)."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: list[list[Part]]) -> None:
        self.alternatives = alternatives


Part = Text | Tilde | Param | Substitution | Arithmetic | Splat | Braces


class Word:
    """One word. ``literal`` is its text where that is known beforehand; ``plain`` the same where nothing is quoted."""

    __slots__ = ("braces", "end", "glob", "literal", "parts", "plain", "quoted", "source", "start")

    def __init__(self, parts: list[Part], source: Source, start: int, end: int) -> None:
        self.parts = parts
        self.source = source
        self.start = start
        self.end = end
        self.literal: str | None = None
        self.plain: str | None = None
        self.glob = False
        self.braces = False
        self.quoted = False

    @property
    def written(self) -> str:
        """The word as it stands in the source."""
        return self.source.text[self.start : self.end]

    @property
    def is_known(self) -> bool:
        """Whether the text of it, and that it is one word, is known before anything runs."""
        return self.literal is not None and not self.glob

    @property
    def may_be_several(self) -> bool:
        """Whether it may stand for no word, or for several."""
        if self.glob or self.braces:
            return True
        return any(isinstance(part, Splat) or (isinstance(part, Param) and part.is_several) for part in self.parts)

    @property
    def is_pure(self) -> bool:
        """Whether expanding it changes nothing and runs nothing, so that it does not matter which process does it, and when."""
        return all(_is_pure(part) for part in self.parts)


def _is_pure(part: Part | Slice | Word | str | None) -> bool:
    if isinstance(part, Param):
        return part.operator not in ("=", ":=") and all(_is_pure(inner) for inner in (*part.path, part.operand))
    if isinstance(part, Splat):
        return _is_pure(part.param)
    if isinstance(part, Braces):
        return all(_is_pure(inner) for alternative in part.alternatives for inner in alternative)
    if isinstance(part, Slice):
        return _is_pure(part.low) and _is_pure(part.high)
    return part.is_pure if isinstance(part, Word) else not isinstance(part, (Substitution, Arithmetic))


class ListLiteral:
    """`[a b]` on the right of `=`."""

    __slots__ = ("items",)

    def __init__(self, items: list[Value]) -> None:
        self.items = items


class RecordLiteral:
    """`{k: v}` on the right of `=`."""

    __slots__ = ("members",)

    def __init__(self, members: list[tuple[Word, Value]]) -> None:
        self.members = members


Value = Word | ListLiteral | RecordLiteral


class Assignment:
    """`name=value`."""

    __slots__ = ("end", "name", "source", "start", "value")

    def __init__(self, name: str, value: Value, source: Source, start: int, end: int) -> None:
        self.name = name
        self.value = value
        self.source = source
        self.start = start
        self.end = end


class Redirect:
    """A redirection of ``descriptor``. ``kind`` is `<` `>` `>>` `>&` `&>` `<<` or `<<<`; for `<<` the target is the body."""

    __slots__ = ("descriptor", "end", "kind", "source", "start", "target")

    def __init__(self, descriptor: int, kind: str, target: Word, source: Source, start: int, end: int) -> None:
        self.descriptor = descriptor
        self.kind = kind
        self.target = target
        self.source = source
        self.start = start
        self.end = end


# Commands


class Command:
    """Base of the commands: each may be redirected."""

    __slots__ = ("end", "redirects", "source", "start")

    def __init__(self) -> None:
        self.redirects: list[Redirect] = []
        self.source: Source
        self.start = 0
        self.end = 0


class Simple(Command):
    """Assignments, words. ``declared`` are the operands of `export` and `local`, whose values are no words."""

    __slots__ = ("assignments", "declared", "words")

    def __init__(self) -> None:
        super().__init__()
        self.assignments: list[Assignment] = []
        self.words: list[Word] = []
        self.declared: list[Word | Assignment] | None = None


class Group(Command):
    """`{ …; }`."""

    __slots__ = ("body",)

    def __init__(self, body: List) -> None:
        super().__init__()
        self.body = body


class Subshell(Command):
    """`( … )`."""

    __slots__ = ("body",)

    def __init__(self, body: List) -> None:
        super().__init__()
        self.body = body


class If(Command):
    """Pairs of condition and body, and what is run otherwise."""

    __slots__ = ("clauses", "otherwise")

    def __init__(self, clauses: list[tuple[List, List]], otherwise: List | None) -> None:
        super().__init__()
        self.clauses = clauses
        self.otherwise = otherwise


class Loop(Command):
    """`while`, and with ``until`` `until`."""

    __slots__ = ("body", "condition", "until")

    def __init__(self, condition: List, body: List, until: bool) -> None:
        super().__init__()
        self.condition = condition
        self.body = body
        self.until = until


class For(Command):
    """`for`; ``words`` is None where `in` is left out."""

    __slots__ = ("body", "name", "words")

    def __init__(self, name: str, words: list[Word] | None, body: List) -> None:
        super().__init__()
        self.name = name
        self.words = words
        self.body = body


class Case(Command):
    """`case`: the subject, and (patterns, body) for each clause."""

    __slots__ = ("clauses", "subject")

    def __init__(self, subject: Word, clauses: list[tuple[list[Word], List]]) -> None:
        super().__init__()
        self.subject = subject
        self.clauses = clauses


class Function(Command):
    """The definition of a function."""

    __slots__ = ("body", "name")

    def __init__(self, name: str, body: Command) -> None:
        super().__init__()
        self.name = name
        self.body = body


class Condition:
    """A node of `[[ … ]]`: ``operator`` is `&&` `||` `!` (operands are conditions), a unary or a binary test (words)."""

    __slots__ = ("left", "operator", "right", "words")

    def __init__(
        self, operator: str, *, left: Condition | None = None, right: Condition | None = None, words: tuple[Word, ...] = ()
    ) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.words = words


class Test(Command):
    """`[[ … ]]`."""

    __slots__ = ("condition",)

    def __init__(self, condition: Condition) -> None:
        super().__init__()
        self.condition = condition


class Pipeline:
    """Commands joined by `|`; ``negated`` by `!`."""

    __slots__ = ("negated", "stages")

    def __init__(self, stages: list[Command], negated: bool) -> None:
        self.stages = stages
        self.negated = negated


class AndOr:
    """A pipeline, and (`&&` or `||`, pipeline) pairs behind it. ``start`` and ``end`` are where it stands in the source."""

    __slots__ = ("end", "first", "rest", "source", "start")

    def __init__(self, first: Pipeline, rest: list[tuple[str, Pipeline]], source: Source, start: int, end: int) -> None:
        self.first = first
        self.rest = rest
        self.source = source
        self.start = start
        self.end = end


class List:
    """Items in order, each with whether it runs in the background."""

    __slots__ = ("items",)

    def __init__(self, items: list[tuple[AndOr, bool]]) -> None:
        self.items = items
