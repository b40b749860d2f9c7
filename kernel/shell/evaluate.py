"""A tree of commands, run."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]

from kernel import environment
from kernel.errors import KernelError, Problem, refusal
from kernel.pipeline import Forked, Program
from kernel.shell import own_words
from kernel.shell.calls import Builtin, Calls
from kernel.shell.control import Break, Exit, Return
from kernel.shell.data import text_of
from kernel.shell.expand import Expander
from kernel.shell.jobs import Jobs
from kernel.shell.redirect import Redirections
from kernel.shell.signals import Signals
from kernel.shell.source import ExpansionError
from kernel.shell.stages import Stages
from kernel.shell.tools import Tools
from kernel.shell.tree import Case, For, Function, Group, If, Loop, Simple, Subshell, Substitution, Test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from kernel.shell.calls import Running
    from kernel.shell.data import Field
    from kernel.shell.state import State
    from kernel.shell.tree import AndOr, Assignment, Command, List, Pipeline, Word

    T = TypeVar("T")

DEEPEST = 500  # functions within functions


class Evaluator:
    """Runs commands in a state. One for a shell; its forks go on with their own copy."""

    def __init__(self, state: State, interactive: bool = False) -> None:
        self.state = state
        self.interactive = interactive
        self.signals = Signals()
        self.jobs = Jobs(self.signals)
        self.tools = Tools(state)
        self.calls = Calls(state, self.tools)
        self.stages = Stages(self)
        self.expander = Expander(state, self.stages.substitute)
        self.guards = 0  # constructs in which a failure does not end the script (`set -e`)
        self.loops = 0
        self.depth = 0  # of functions
        self.sourced = 0
        self.substituted = 0  # status of the last `$(…)`
        self.last = False  # the command at hand is the last of this process, which it may become
        self.is_child = False
        self.is_front = False
        self.history: list[str] = []  # lines typed at the prompt
        self._runners: dict[type, Callable[[Any], int]] = {
            Simple: self.simple,
            Group: lambda node: self.run(node.body),
            Subshell: self.stages.subshell,
            If: self._if,
            Loop: self._loop,
            For: self._for,
            Case: self._case,
            Function: self._define,
            Test: self._test,
        }

    # Lists

    def run(self, commands: List) -> int:
        """Runs a list: the status of its last command."""
        state, signals = self.state, self.signals
        for item, background in commands.items:
            if background:
                state.status = self.stages.background(item)
            elif item.rest:
                self.and_or(item)
            else:
                self.pipeline(item.first)
            if signals.pending:
                self.run_traps()
            if signals.ending:
                raise Exit(128 + signals.ending, signals.ending)
        return state.status

    def and_or(self, node: AndOr) -> int:
        """Runs pipelines joined by `&&` and `||`."""
        if not node.rest:
            return self.pipeline(node.first)
        last = len(node.rest) - 1
        self.guards += 1
        try:
            status = self.pipeline(node.first)
        finally:
            self.guards -= 1
        for index, (operator, pipeline) in enumerate(node.rest):
            if (operator == "&&") is not (status == 0):
                continue
            if index == last:
                status = self.pipeline(pipeline)
            else:
                self.guards += 1
                try:
                    status = self.pipeline(pipeline)
                finally:
                    self.guards -= 1
        return status

    def pipeline(self, node: Pipeline) -> int:
        """Runs a pipeline; ends the script where its failure does (`set -e`)."""
        state, stages = self.state, node.stages
        if node.negated:
            self.guards += 1
            try:
                status = int(self._stages(stages) == 0)
            finally:
                self.guards -= 1
            state.status = status
            return status
        state.status = status = self._stages(stages)
        if status and state.options["errexit"] and not self.guards:
            first = stages[0]
            if len(stages) > 1 or isinstance(first, (Simple, Subshell, Test)):
                raise Exit(status)
        return status

    def _stages(self, stages: list[Command]) -> int:
        view = self.stages.view(stages[-1]) if self.interactive else None
        if view is not None:
            return self.stages.pipeline(stages, view)
        if len(stages) == 1:
            status = self.command(stages[0])
            self.state.pipe_statuses = [status]
            return status
        return self.stages.pipeline(stages)

    def command(self, node: Command) -> int:
        """Runs one command with its redirections: its status."""
        run = self._runners[type(node)]
        if not node.redirects or isinstance(node, (Simple, Subshell)):
            return run(node)
        redirections = Redirections()
        try:
            redirections.apply(node.redirects, self.expander)
        except KernelError as error:
            return self.failed(error)
        try:
            return run(node)
        finally:
            redirections.undo()
            self.tools.stale()

    def guarded(self, commands: List) -> int:
        """Runs a condition: a failure there is an answer."""
        self.guards += 1
        try:
            return self.run(commands)
        finally:
            self.guards -= 1

    # Errors

    def report(self, error: KernelError) -> int:
        """Says an error; its status."""
        from kernel.present import coloured, problem

        environment.write_error(problem.describe(error, colour=coloured(2)))
        return error.status

    def failed(self, error: KernelError) -> int:
        """A command that could not be run: its status. Some errors end a script."""
        status = self.report(error)
        if isinstance(error, ExpansionError) and error.fatal and not (self.interactive and not self.is_child):
            raise Exit(status)
        return status

    # Simple commands

    def simple(self, node: Simple) -> int:
        last, self.last = self.last, False
        try:
            self.substituted = 0
            if not node.words:
                return self._assignments_alone(node)
            fields = self.expander.fields(node.words)
            if not fields or (fields == [""] and _is_substitution(node.words[0])):  # `$(…)` that prints nothing
                return self._assignments_alone(node)
            if node.redirects:
                return self._redirected(node, fields, last)
            return self._called(node, fields, last)
        except KernelError as error:
            return self.failed(error)
        except BrokenPipeError:
            raise
        except OSError as error:
            return self.report(refusal(error))

    def _assignments_alone(self, node: Simple) -> int:
        for assignment in node.assignments:
            self.state.assign(assignment.name, self.expander.assigned(assignment.value))
        if node.redirects:
            redirections = Redirections()
            redirections.apply(node.redirects, self.expander)
            redirections.undo()
            self.tools.stale()
        return self.substituted

    def _redirected(self, node: Simple, fields: list[Field], last: bool) -> int:
        redirections = Redirections()
        redirections.apply(node.redirects, self.expander)
        try:
            return self._called(node, fields, last)
        except KernelError as error:
            return self.failed(error)  # on the redirected stderr
        finally:
            redirections.undo()
            self.tools.stale()

    def _called(self, node: Simple, fields: list[Field], last: bool) -> int:
        if not node.assignments:
            return self.call(node, fields, last)
        return self.assigned(node, lambda: self.call(node, fields, last))

    def assigned(self, node: Simple, call: Callable[[], T]) -> T:
        """Does something while the variables that stand in front of a command have their values."""
        state = self.state
        before = []
        try:
            for assignment in node.assignments:
                value = self.expander.assigned(assignment.value)
                before.append((assignment.name, *state.remember(assignment.name)))
                state.assign(assignment.name, value)
                state.export(assignment.name)
            return call()
        finally:
            for name, value_before, exported in reversed(before):
                state.restore(name, value_before, exported)

    def call(self, node: Simple, fields: list[Field], last: bool, programs_only: bool = False) -> int:
        """Runs the command that the first field names with the others as its words."""
        first = fields[0]
        name = first if isinstance(first, str) else first.text
        if not programs_only:
            body = self.state.functions.get(name)
            if body is not None:
                return self.function(name, body, fields[1:])
            if name in own_words.TABLE:
                return self.own(name, fields[1:], node)
        running = self.calls.prepare(name, fields[1:], node, programs_only=programs_only)
        return self.start(running, last, lambda: " ".join([text_of(field) for field in fields]))

    def own(self, name: str, fields: list[Field], node: Simple) -> int:
        """Runs one of the shell's own words."""
        return own_words.run(self, name, own_words.TABLE[name], fields, node)

    def start(self, running: Running, last: bool, text: Callable[[], str]) -> int:
        """Runs a prepared call in the foreground."""
        if isinstance(running, Builtin):
            return self._builtin(running)
        if isinstance(running, int):
            return running
        self.tools.stale()
        if isinstance(running, Program):
            if last:
                return self.stages.become(running)
            return self.stages.program(running, text)
        if last:
            return running.run()
        watched = self.is_watched()
        return self.stages.forked(Forked(self.stages.reporting(lambda: running.run(watched=watched))), text)

    def is_watched(self) -> bool:
        """Whether somebody waits at the prompt for what this process does, and is to see how far it is."""
        return self.interactive and (self.is_front or not self.is_child) and self.state.options["progress"]

    def in_front(self, run: Callable[[], int]) -> Callable[[], int]:
        """``run`` for the one child that the prompt waits for."""

        def watched() -> int:
            self.is_front = True
            return run()

        return watched

    def _builtin(self, running: Builtin) -> int:
        try:
            if self.is_watched():
                from kernel.builtins import watch

                io = running.io()
                status = watch.run(io, lambda: running.run(io))
            else:
                status = running.run()
        except BrokenPipeError:
            if self.interactive and not self.is_child:
                return 128 + int(_signal.SIGPIPE)
            raise Exit(128 + int(_signal.SIGPIPE), _signal.SIGPIPE) from None
        if running.tool.spec.effect != "read":
            self.tools.stale()
        return status

    def function(self, name: str, body: Command, arguments: list[Field]) -> int:
        """Calls a function."""
        state = self.state
        if self.depth >= DEEPEST:
            raise KernelError([Problem("E-EXPAND", f"functions call each other more than {DEEPEST} deep, `{name}` among them")])
        before, loops = state.arguments, self.loops
        state.arguments = arguments
        state.frames.append({})
        self.depth += 1
        self.loops = 0
        try:
            return self.command(body)
        except Return as returned:
            return returned.status
        finally:
            self.depth -= 1
            self.loops = loops
            state.arguments = before
            for variable, (value, exported) in state.frames.pop().items():
                state.restore(variable, value, exported)

    def declare(self, assignment: Assignment) -> Field:
        """The value of `export NAME=…` and `local NAME=…`."""
        return self.expander.assigned(assignment.value)

    # Compound commands

    def _if(self, node: If) -> int:
        for condition, body in node.clauses:
            if self.guarded(condition) == 0:
                return self.run(body)
        return self.run(node.otherwise) if node.otherwise is not None else 0

    def _loop(self, node: Loop) -> int:
        status = 0
        self.loops += 1
        try:
            while (self.guarded(node.condition) == 0) is not node.until:
                try:
                    status = self.run(node.body)
                except Break as left:
                    status = 0
                    if self._leaves(left):
                        break
        except Break as left:  # in the condition
            if not self._leaves(left):
                return self._loop(node)
        finally:
            self.loops -= 1
        return status

    def _leaves(self, left: Break) -> bool:
        """Whether a `break` or `continue` ends this loop; raises it again for the loops around."""
        if left.levels > 1 and self.loops > 1:
            raise Break(left.levels - 1, left.again)
        return not left.again

    def _for(self, node: For) -> int:
        try:
            items = list(self.state.arguments) if node.words is None else self.expander.items(node.words)
        except KernelError as error:
            return self.failed(error)
        status = 0
        self.loops += 1
        try:
            for item in items:
                self.state.assign(node.name, item)
                try:
                    status = self.run(node.body)
                except Break as left:
                    status = 0
                    if self._leaves(left):
                        break
        finally:
            self.loops -= 1
        return status

    def _case(self, node: Case) -> int:
        from kernel.shell import patterns

        try:
            text = self.expander.text(node.subject)
            for choices, body in node.clauses:
                for choice in choices:
                    if patterns.matches(patterns.compiled(self.expander.pattern(choice)), text):
                        return self.run(body) if body.items else 0
        except ExpansionError as error:
            return self.failed(error)
        return 0

    def _define(self, node: Function) -> int:
        self.state.functions[node.name] = node.body
        return 0

    def _test(self, node: Test) -> int:
        from kernel.shell import conditional

        try:
            return 0 if conditional.holds(node.condition, self.expander) else 1
        except ExpansionError as error:
            return self.failed(error)

    # Traps

    def run_traps(self) -> None:
        """Runs the commands of the trapped signals that have come; `$?` and `PIPESTATUS` are kept."""
        from kernel.shell.signals import NUMBERS

        for number in self.signals.take():
            _, commands = self.signals.traps.get(NUMBERS.get(number, ""), ("", None))
            if commands is not None:
                state, last = self.state, self.last
                status, statuses = state.status, state.pipe_statuses
                self.last = False
                self.run(commands)
                state.status, state.pipe_statuses, self.last = status, statuses, last

    def leave(self, status: int) -> int:
        """Runs the trap of EXIT, once: the status to end with."""
        self.signals.ending = 0
        _, commands = self.signals.traps.pop("EXIT", ("", None))
        if commands is None:
            return status
        self.state.status = status
        self.last = False
        try:
            self.run(commands)
        except Exit as left:
            return left.status
        return status


def _is_substitution(word: Word) -> bool:
    """Whether a word is nothing but an unquoted `$(…)`."""
    return len(word.parts) == 1 and isinstance(word.parts[0], Substitution) and not word.parts[0].quoted
