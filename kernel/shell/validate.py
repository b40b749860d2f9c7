"""A whole text checked before anything of it runs (L2): every call of a tool is bound with the words known so far.

A word that is not known stands for any value, one that may become several ends the count of operands. Only an error
that no value could cure is one here; the rest is found when the call is reached.
"""

from __future__ import annotations

from kernel import bind, check, environment, misuse, needs
from kernel.errors import KernelError, Problem, WordPlace
from kernel.shell import own_words
from kernel.shell.arithmetic import Expression, NoValue
from kernel.shell.calls import completed
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
    Splat,
    Subshell,
    Substitution,
    Test,
    Text,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernel.builtins.guard import Failure
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Command, Condition, List, Part, Value
    from kernel.spec import ToolSpec

COUNTED = frozenset(("E-REQUIRED", "E-ARITY", "E-TOO-MANY", "E-OPERAND-GAP", "E-GROUP", "E-SUBCOMMAND", "E-RANGE"))
ANY = "1"  # what stands for a word that is not known: text, a number as well, and a place in a list
VALUES = ("1", "p", "+1")  # what a flag may be given: a number or place, a script, a format


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
    return all(_is_known(word) for word in simple.words) and not (simple.words and simple.words[0].plain == "set")


def _alone(commands: List) -> Simple | None:
    if len(commands.items) == 1:
        item = commands.items[0][0]
        if not item.rest and len(item.first.stages) == 1:
            found = item.first.stages[0]
            return found if isinstance(found, Simple) else None
    return None


def _is_known(word: Word) -> bool:
    return word.literal is not None and not word.glob


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
        if name in (".", "source"):
            self.sourced = True
        if name in own_words.TABLE:
            if name == "set":
                self._set(node)
            return
        try:
            tool = self.evaluator.tools.find(name)
        except KernelError as error:
            self.errors.append(error)
            return
        if tool is None:
            return
        found = unavoidable(tool.spec, name, node.words[1:])
        if found is not None:
            self.errors.append(found)

    def _set(self, node: Simple) -> None:
        if all(_is_known(word) for word in node.words):
            words = [word.literal or "" for word in node.words[1:]]
            for option, _ in own_words.option_changes(words)[0]:
                if option != "?" and option not in self.evaluator.state.options:
                    call = own_words.Call(self.evaluator, "set", list(words), node)
                    self.errors.append(own_words.unknown_option(call, option))


def unavoidable(spec: ToolSpec, name: str, words: list[Word]) -> KernelError | None:
    """The error of a call that no value of its unknown words could cure, None where there may be none."""
    known = [word.literal if _is_known(word) else None for word in words]
    found = _bound(spec, name, [ANY if text is None else text for text in known])
    if found is None or all(text is not None for text in known):
        return found[0] if found is not None else None
    error, failure = found
    several = {index for index, word in enumerate(words) if known[index] is None and _may_be_several(word)}
    kept = [problem for problem in error.problems if _counts(problem, known, bool(several), spec)]
    if not kept or (failure is not None and failure.joint):
        return None
    for stand_ins in (("--",), *([flag] for flag in _value_flags(spec)), *(_ways_out(spec) if failure is not None else ())):
        if _bound(spec, name, _filled(known, stand_ins, several)) is None:
            return None
    shown = KernelError(kept, status=error.status)
    shown.words = [word.written if text is None else text for text, word in zip(known, words)]
    shown.prefix = error.prefix
    return shown


def _filled(known: list[str | None], stand_ins: Sequence[str], several: set[int]) -> list[str]:
    """The words with others for those not known: where these are not one, only what may be several stands for them."""
    filled: list[str] = []
    for index, text in enumerate(known):
        filled += [text] if text is not None else stand_ins if len(stand_ins) == 1 or index in several else [ANY]
    return filled


def _ways_out(spec: ToolSpec) -> Iterator[Sequence[str]]:
    """What might cure words that a builtin calls wrong: none at all or two in a word's place, any flag, with a value or none."""
    yield ()
    yield (ANY, ANY)
    for spelling in spec.spellings:
        yield (spelling,)
        for value in VALUES:
            yield (f"{spelling}={value}" if spelling[:2] == "--" else spelling + value,)


def _bound(spec: ToolSpec, name: str, words: list[str]) -> tuple[KernelError, Failure | None] | None:
    """The error of a call, and what the builtin itself said where that is it; None for a call that is well."""
    bound = bind.bind(spec, words)
    if any(word in ("--help", "--json") for word in words) and bound.problems:
        return None
    try:
        check.check(bound, environment.variables())
    except KernelError as error:
        return completed(error, bound, name), None
    leaf = bound.spec
    failure = misuse.fault(bound, leaf.builtin) if leaf.builtin else None
    if failure is None or (failure.code == "E-UNSUPPORTED" and leaf.has_exec and not needs.falls_back(leaf)):
        return None
    return completed(misuse.error(bound, failure), bound, name), failure


def _counts(problem: Problem, known: list[str | None], several: bool, spec: ToolSpec) -> bool:
    """Whether a problem may stay whatever the unknown words are."""
    where = problem.where
    if isinstance(where, WordPlace) and where.index < len(known) and known[where.index] is None:
        return False
    if several and (problem.code in COUNTED or (problem.code == "E-USAGE" and where is None)):
        return False
    param = spec.param(str(problem.facts.get("param", "")))
    return not (problem.code == "E-REQUIRED" and param is not None and param.env)


def _may_be_several(word: Word) -> bool:
    if word.glob or word.braces:
        return True
    return any(isinstance(part, Splat) or (isinstance(part, Param) and part.is_several) for part in word.parts)


def _value_flags(spec: ToolSpec) -> list[str]:
    """A flag that takes the word behind it, where the tool has one."""
    return [param.spellings[0] for param in spec.params if param.spellings and not param.is_flag][:1]


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
