"""A command word and its words → a tool's call through the kernel's stages, or a program with its words untouched (L4)."""

from __future__ import annotations

import os
import sys

from kernel import bind, check, environment
from kernel.builtins import module_name, usage_of
from kernel.builtins.io import Io
from kernel.errors import NOT_EXECUTABLE, NOT_FOUND, KernelError, Problem, WordPlace
from kernel.pipeline import Program
from kernel.shell import refused
from kernel.shell.data import Data, text_of
from kernel.shell.tree import Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.plan import Plan
    from kernel.shell.data import Field
    from kernel.shell.state import State
    from kernel.shell.tools import Tool, Tools
    from kernel.shell.tree import Command
    from kernel.spec import ToolSpec


NOT_OFFERED = frozenset(("E-SUBCOMMAND", "E-UNKNOWN-FLAG"))  # what a program may know and its manifest does not


class Builtin:
    """A call of a plain builtin: bound and checked, and nothing else to be asked."""

    __slots__ = ("bound", "tool")

    def __init__(self, tool: Tool, bound: Bound) -> None:
        self.tool = tool
        self.bound = bound

    def module(self) -> Any:
        """What runs it."""
        name = module_name(self.tool.spec.builtin)
        module = sys.modules.get(name)
        if module is None:
            __import__(name)
            module = sys.modules[name]
        return module

    def has(self, question: str) -> bool:
        """Whether the module says yes: it ``gives`` JSON values for this call, ``takes`` them from stdin, ``wants_process``."""
        answer = getattr(self.module(), question, None)
        return answer is not None and bool(answer(self.bound))

    def run(self, io: Io | None = None) -> int:
        """Runs it, on descriptors 0, 1 and 2 unless told otherwise. BrokenPipeError and KeyboardInterrupt are the caller's."""
        if io is None:
            io = self.io()
        status: int = self.module().run(self.bound, io)
        io.flush()
        return status

    def io(self, stdin: int = 0, stdout: int = 1, stderr: int = 2) -> Io:
        """What it may touch, with these streams and the environment of now."""
        variables = environment.variables()
        return Io(self.bound.spec.name, variables, environment.working_directory(), _call, stdin, stdout, stderr)


class Planned:
    """A judged plan that wants a process of its own: limits, a timeout, a directory, a builtin that is no plain one."""

    __slots__ = ("plan",)

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def run(self, *, watched: bool = False) -> int:
        """Runs it in this process, which is a fork made for it and may become the program.

        ``watched`` has a builtin's progress drawn.
        """
        from kernel import dispatch

        return dispatch.attached(self.plan, "prompt", watched=watched)


class Calls:
    """Makes calls of tools and programs for one shell."""

    def __init__(self, state: State, tools: Tools) -> None:
        self.state = state
        self.tools = tools
        self._silent: set[str] = set()  # builtins that have nothing to say of words alone

    def name_of(self, node: Command) -> str:
        """The name of the tool or program that a command runs; "" where that is not known beforehand, or neither is run."""
        if not isinstance(node, Simple) or not node.words or node.words[0].glob:
            return ""
        name = node.words[0].literal
        return "" if name is None or name in self.state.functions or name in refused.OWN else name

    def prepare(self, name: str, fields: list[Field], node: Simple, *, programs_only: bool = False) -> Running:
        """What runs for a command; an int is the status of a call that is over (its help was shown).

        Raises KernelError: usage errors (2), refusals, E-NOT-FOUND (127), E-NOT-EXECUTABLE (126).
        """
        if "/" not in name and not programs_only:
            tool = self.tools.find(name)
            if tool is not None:
                return self._tool(tool, name, [text_of(field) for field in fields], fields)
        return Program(self._path(name, node), self._words(name, fields, node), self.state.spawn_environment())

    # Programs

    def _path(self, name: str, node: Simple) -> str:
        word = node.words[0]
        place = word.source.place(word.start, word.end)
        if "/" in name:
            if os.path.isdir(name):
                problem = Problem("E-NOT-EXECUTABLE", f"`{name}` is a directory", place, f"`cd {name}` goes there")
                raise KernelError([problem], status=NOT_EXECUTABLE)
            if os.access(name, os.X_OK):
                return name
            if os.path.lexists(name):
                raise KernelError([Problem("E-NOT-EXECUTABLE", f"`{name}` is not executable", place, f"`chmod +x {name}`")])
            raise KernelError([Problem("E-NOT-FOUND", f"`{name}` does not exist", place)])
        path = self.tools.program(name)
        if path:
            return path
        hint = ""
        if " " in name:
            hint = f"one word is one command; written without quotes it would be: `{name}`"
        elif environment.is_terminal(2):
            from kernel.near import near

            known = [*self.tools.names(), *self.state.functions]
            hint = " or ".join([f"did you mean `{other}`?" for other in near(name, known, 1)])
        raise KernelError([Problem("E-NOT-FOUND", f"there is no command `{name}`", place, hint)], status=NOT_FOUND)

    def _words(self, name: str, fields: list[Field], node: Simple) -> list[str]:
        for field in fields:
            if isinstance(field, Data) and field.is_list:
                word = next((word for word in node.words[1:] if word.written[:1] == "$"), node.words[-1])
                written = word.written
                hint = f'`...{written}` passes one word per element, `"{written}"` its JSON text'
                place = word.source.place(word.start, word.end)
                raise KernelError([Problem("E-EXPAND", f"a list is no word for the program `{name}`", place, hint)])
        return [name, *[text_of(field) for field in fields]]

    # Tools

    def _tool(self, tool: Tool, name: str, words: list[str], fields: list[Field]) -> Running:
        bound = bind.bind(tool.spec, words)
        plan: Plan | None = None
        try:
            if bound.problems and (door := _asks_for(bound)):
                return _help(bound.spec) if door == "--help" else self._as_json(tool, bound)
            check.check(bound, environment.variables())
            audited = environment.variable("KERNEL_AUDIT") == "1"  # a record is made where the call ends: of a plan
            if tool.plain and not audited and not any(bound.origins.get(name, "default") != "default" for name in tool.raising):
                if tool.spec.builtin not in self._silent:
                    self._ask_builtin(bound)
                if tool.spec.builtin == "pwd":
                    bound.values["logical"] = True  # as `$PWD`, unless `-P` says otherwise: where `cd` went
                return Builtin(tool, bound)
            _warn(bound)
            plan = self._judged(bound)
        except KernelError as error:
            raise completed(error, bound, name) from None
        if plan.builtin or not _is_direct(plan):
            return Planned(plan)
        for field in fields:
            if isinstance(field, Data) and field.is_list:
                hint = '`...$list` passes one word per element, `"$list"` its JSON text'
                raise KernelError([Problem("E-EXPAND", f"a list is no word for the program that `{name}` runs", hint=hint)])
        if audited:
            return Planned(plan)
        from kernel import launch

        path = launch.locate(plan.spec.program, plan.spec.base)
        return Program(path, plan.argv(), self.state.spawn_environment())

    def _ask_builtin(self, bound: Bound) -> None:
        builtin = bound.spec.builtin
        if usage_of(builtin) is None:
            self._silent.add(builtin)
            return
        from kernel import misuse

        misuse.refuse(bound, builtin)

    def _judged(self, bound: Bound) -> Plan:
        from kernel import dispatch, policy, render

        plan = render.render(bound)
        policy.judge(plan)
        dispatch.choose(plan)
        return plan

    def _as_json(self, tool: Tool, bound: Bound) -> int:
        """`--json` of a tool that does not know it: the result as one JSON object (X0)."""
        from kernel.present import json

        words = list(bound.words)
        words.remove("--json")
        again = bind.bind(tool.spec, words)
        try:
            check.check(again, environment.variables())
            plan = self._judged(again)
        except KernelError as error:
            raise completed(error, again, tool.spec.name) from None
        from kernel import audit, dispatch

        result = dispatch.captured(plan, one_shot=False)
        audit.note("prompt", plan.bound, result, plan)
        json.write(json.result(result))
        if result.error is not None:
            raise result.error
        if result.signal is not None:
            from kernel.shell.signals import NAMES

            return 128 + int(NAMES.get(result.signal[3:], 0))
        return result.exit_code or 0

    def declared_output(self, name: str, words: list[str | None]) -> str:
        """`json` or `jsonl` where a command's output is that by its manifest, and not asked to be raw text; else "".

        None is a word that is not known.
        """
        if "/" in name:
            return ""
        try:
            tool = self.tools.find(name)
        except KernelError:
            return ""
        if tool is None:
            return ""
        bound = bind.bind(tool.spec, [word if word is not None else "" for word in words])
        return bound.output if bound.output in ("json", "jsonl") else ""


def _call(words: list[str]) -> int:
    """Another tool, for a builtin."""
    from kernel import dispatch

    return dispatch.call(words)


def _is_direct(plan: Plan) -> bool:
    spec = plan.spec
    limited = "cpu" in spec.limits or "memory" in spec.limits
    return not (plan.env or plan.cwd or plan.stdin != "caller" or plan.timeout or limited or spec.sandbox)


def _asks_for(bound: Bound) -> str:
    """`--help` or `--json` where it stands as a flag that the tool does not know, else ""."""
    for problem in bound.problems:
        where = problem.where
        if problem.code == "E-UNKNOWN-FLAG" and isinstance(where, WordPlace) and bound.words[where.index] in ("--help", "--json"):
            return bound.words[where.index]
    return ""


def _help(spec: ToolSpec) -> int:
    from kernel.present import manual

    manual.show(spec, before=())
    return 0


def _warn(bound: Bound) -> None:
    spec = bound.spec
    if spec.deprecated:
        environment.write_error(f"warning: `{spec.full_name}` is deprecated: {spec.deprecated}\n")
    for param in spec.params:
        if param.deprecated and bound.origins.get(param.name, "default") != "default":
            environment.write_error(f"warning: `{param.name}` is deprecated: {param.deprecated}\n")


def completed(error: KernelError, bound: Bound, name: str) -> KernelError:
    """The error with near names, a corrected line, and the words as typed, those of secrets masked."""
    from kernel import explain, masking

    error.words, error.prefix = masking.words(bound), (name,)
    explain.complete(error, bound.spec)
    for problem in error.problems:
        if problem.code == "E-UNKNOWN-FLAG" and not problem.hint:
            problem.hint = f"`{bound.spec.full_name} --help` lists its flags"
        elif problem.code == "E-USAGE" and not problem.hint:
            problem.hint = f"`{bound.spec.full_name} --help` shows its usage"
        if problem.code in NOT_OFFERED and _stands_for(bound.spec, name):
            way_out = f"`command {name} …` is the program itself, unchecked"
            problem.hint = f"{problem.hint}; {way_out}" if problem.hint else way_out
    return error


def _stands_for(spec: ToolSpec, name: str) -> bool:
    """Whether a tool runs the program of its own name on PATH, of which its manifest may offer a part."""
    return any(each.program == name for each in (spec, *map(type(spec).unpack, spec.children)))


Running = Program | Builtin | Planned | int
