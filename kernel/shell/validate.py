"""A whole text checked before anything of it runs (L2): every call of a tool is bound with the words known so far.

Only an error that no value of the unknown words could cure is one here; the rest is found when the call is reached.
"""

from __future__ import annotations

from kernel.errors import KernelError, Problem
from kernel.shell import foreseen, own_words
from kernel.shell.arithmetic import Expression, NoValue
from kernel.shell.tree import (
    Arithmetic,
    Assignment,
    Braces,
    Case,
    For,
    Function,
    Group,
    If,
    ListLiteral,
    Loop,
    Param,
    Simple,
    Subshell,
    Substitution,
    Test,
    Text,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Command, Condition, List, Part, Value


def problems(commands: List, evaluator: Evaluator) -> list[KernelError]:
    """The errors of a text, in its order; each is about one call."""
    simple = _alone(commands)
    if simple is not None and _binds_at_once(simple):
        return []
    return Validation(evaluator).walk(commands)


def _binds_at_once(simple: Simple) -> bool:
    """Whether a command that stands alone is bound before anything of it runs anyway."""
    if simple.redirects or simple.assignments or simple.declared is not None:
        return False
    return all(word.is_known for word in simple.words)


def _alone(commands: List) -> Simple | None:
    if len(commands.items) == 1:
        item = commands.items[0][0]
        if not item.rest and len(item.first.stages) == 1:
            found = item.first.stages[0]
            return found if isinstance(found, Simple) else None
    return None


class Validation:
    """One walk over a text."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.functions = set(evaluator.state.functions)
        self.sourced = False  # another file may have defined any function
        self.errors: list[KernelError] = []

    def walk(self, commands: List) -> list[KernelError]:
        """Looks at all commands: the errors found."""
        self.functions.update(_defined(commands))
        self._list(commands)
        return self.errors

    def _list(self, commands: List) -> None:
        for item, _ in commands.items:
            for pipeline in (item.first, *[pipeline for _, pipeline in item.rest]):
                for stage in pipeline.stages:
                    self._command(stage)

    def _command(self, node: Command) -> None:
        for word in _words(node):
            self._parts(word.parts, word)
        if isinstance(node, (Group, Subshell)):
            self._list(node.body)
        elif isinstance(node, If):
            for condition, body in node.clauses:
                self._list(condition)
                self._list(body)
            if node.otherwise is not None:
                self._list(node.otherwise)
        elif isinstance(node, Loop):
            self._list(node.condition)
            self._list(node.body)
        elif isinstance(node, For):
            self._list(node.body)
        elif isinstance(node, Case):
            for _, body in node.clauses:
                self._list(body)
        elif isinstance(node, Function):
            self._command(node.body)
        elif not isinstance(node, Test):
            self._call(node)  # type: ignore[arg-type]

    def _parts(self, parts: list[Part], word: Word) -> None:
        for part in parts:
            if isinstance(part, Substitution):
                self._list(part.body)
            elif isinstance(part, Arithmetic):
                self._arithmetic(part)
                self._parts(part.expression.parts, part.expression)
            elif isinstance(part, Param):
                if part.operand is not None:
                    self._parts(part.operand.parts, part.operand)
            elif isinstance(part, Braces):
                for alternative in part.alternatives:
                    self._parts(alternative, word)

    def _arithmetic(self, part: Arithmetic) -> None:
        word = part.expression
        if not all(isinstance(each, Text) for each in word.parts):
            return
        text = "".join([each.text for each in word.parts if isinstance(each, Text)])
        try:
            Expression(text, lambda name: "", lambda name, value: None).check()
        except NoValue as error:
            place = word.source.place(word.start + error.at, word.start + error.at + 1)
            self.errors.append(KernelError([Problem("E-SYNTAX", error.message, place, error.hint)]))

    # Calls

    def _call(self, node: Simple) -> None:
        if not node.words:
            return
        name = node.words[0].literal
        if name is None or node.words[0].glob or name in self.functions or self.sourced or "/" in name:
            return
        if name in own_words.TABLE:
            from kernel.shell import own_check

            wrong = own_check.unavoidable(self.evaluator, node, name)
            if wrong is not None:
                self.errors.append(wrong)
            self.sourced = self.sourced or name in (".", "source")
            return
        try:
            tool = self.evaluator.tools.find(name)
        except KernelError as error:
            self.errors.append(error)
            return
        if tool is None:
            return
        found = foreseen.unavoidable(tool.spec, name, node.words[1:])
        if found is not None:
            self.errors.append(found)


def _defined(commands: List) -> Iterator[str]:
    """The names of the functions that a text defines anywhere."""
    for item, _ in commands.items:
        for pipeline in (item.first, *[pipeline for _, pipeline in item.rest]):
            for stage in pipeline.stages:
                yield from _defined_in(stage)


def _defined_in(node: Command) -> Iterator[str]:
    if isinstance(node, Function):
        yield node.name
        yield from _defined_in(node.body)
    elif isinstance(node, (Group, Subshell, For)):
        yield from _defined(node.body)
    elif isinstance(node, If):
        for condition, body in node.clauses:
            yield from _defined(condition)
            yield from _defined(body)
        if node.otherwise is not None:
            yield from _defined(node.otherwise)
    elif isinstance(node, Loop):
        yield from _defined(node.condition)
        yield from _defined(node.body)
    elif isinstance(node, Case):
        for _, body in node.clauses:
            yield from _defined(body)


def _words(node: Command) -> Iterator[Word]:
    """The words of a command itself, not of those inside it."""
    for redirect in node.redirects:
        yield redirect.target
    if isinstance(node, For):
        yield from node.words or ()
    elif isinstance(node, Case):
        yield node.subject
        for patterns, _ in node.clauses:
            yield from patterns
    elif isinstance(node, Test):
        yield from _tested(node.condition)
    elif hasattr(node, "assignments"):
        yield from node.words  # type: ignore[attr-defined]
        for operand in (*node.assignments, *(node.declared or ())):  # type: ignore[attr-defined]
            if isinstance(operand, Assignment):
                yield from _valued(operand.value)
            else:
                yield operand


def _valued(value: Value) -> Iterator[Word]:
    if isinstance(value, Word):
        yield value
    elif isinstance(value, ListLiteral):
        for item in value.items:
            yield from _valued(item)
    else:
        for key, member in value.members:
            yield key
            yield from _valued(member)


def _tested(condition: Condition) -> Iterator[Word]:
    yield from condition.words
    for inner in (condition.left, condition.right):
        if inner is not None:
            yield from _tested(inner)
