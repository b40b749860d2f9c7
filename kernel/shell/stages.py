"""Processes of a shell: pipelines, subshells, `$(…)`, the background; which stage is spawned, which forked (X12)."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import errno
import os
from itertools import groupby

from kernel.errors import NOT_FOUND, KernelError, Problem, fail, refusal
from kernel.pipeline import IGNORED, SHORT_PIPE_SIZE, Forked, Program, Starter, pipe
from kernel.shell.control import Break, Exit, Return
from kernel.shell.data import captured
from kernel.shell.jobs import STOPPED, Job
from kernel.shell.redirect import Redirections
from kernel.shell.tree import Group, Simple, Subshell, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.pipeline import Stage
    from kernel.shell.adjacent import Statuses
    from kernel.shell.data import Field
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.showing import View
    from kernel.shell.tree import AndOr, Command, List, Substitution

PIPE_STATUS = 128 + int(_signal.SIGPIPE)
# builtins that change what belongs to a process, or start others
PARTED = frozenset(("cp", "date", "env", "jq", "map", "mkdir", "mv", "timeout", "touch", "write"))


class Stages:
    """Starts processes for an evaluator."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def _starter(self, background: bool = False) -> Starter:
        jobs = self.evaluator.jobs
        if jobs.controlled:
            if not background:
                jobs.note_modes()
            return Starter(0, -1 if background else jobs.terminal, in_child=self._enter, refused=self._stand_in)
        return Starter(None, deaf=background, in_child=self._enter, refused=self._stand_in)

    def _enter(self) -> None:
        """What a fork does first."""
        evaluator = self.evaluator
        evaluator.is_child = True
        evaluator.signals.in_child()
        evaluator.jobs.in_child()

    # In the foreground

    def program(self, running: Program, text: Callable[[], str]) -> int:
        """Runs a program in the foreground: its status."""
        jobs = self.evaluator.jobs
        starter = self._starter()
        try:
            if not jobs.controlled:
                return jobs.wait_one(starter.spawn(running))
            pids = starter.start([running])
        except (OSError, ValueError) as error:
            raise self._refused(running, error) from None
        return self._wait(pids, starter, text())[0]

    def forked(self, stage: Forked, text: Callable[[], str]) -> int:
        """Runs a fork in the foreground: its status."""
        starter = self._starter()
        pids = starter.start([stage])
        if not self.evaluator.jobs.controlled:
            return self.evaluator.jobs.wait_one(pids[0])
        return self._wait(pids, starter, text())[0]

    def subshell(self, node: Subshell) -> int:
        """`( … )`."""
        return self.forked(Forked(self.reporting(lambda: self._subshell(node))), lambda: _written(node))

    def _subshell(self, node: Subshell) -> int:
        redirections = Redirections()
        redirections.apply(node.redirects, self.evaluator.expander)
        return self._last(node.body)

    def pipeline(self, nodes: list[Command], view: View | None = None) -> int:
        """Runs a pipeline: its status. With ``view`` one more process shows its data on the terminal."""
        evaluator = self.evaluator
        nodes, here = (nodes[:-1], nodes[-1]) if self._runs_here(nodes[-1]) else (nodes, None)
        text = f"{nodes[0].source.text[nodes[0].start : (here or nodes[-1]).end]}"
        starter = self._starter()
        reader, writer = pipe(SHORT_PIPE_SIZE) if here is not None else (-1, -1)
        stages, shared = self._stages(nodes, reader)
        if len(stages) == 1 and isinstance(stages[0], Forked) and here is None and evaluator.is_watched():
            stages = [Forked(evaluator.in_front(stages[0].run))]
        shown = view if view is not None and (view.drawn or not isinstance(stages[-1], Program)) else None
        if shown is not None:  # for a program that was asked for text, that is as on any terminal
            from kernel.shell import showing

            stages.append(Forked(self.reporting(lambda: showing.show(shown))))
        evaluator.tools.stale()
        pids = starter.start(stages, -1, writer)
        status = self._here(here, reader) if here is not None else 0
        statuses = self._wait(pids, starter, text, shared)
        if shown is not None and len(statuses) > 1:
            statuses.pop()
        if here is not None:
            statuses.append(status)
        return self._pipe_status(statuses)

    def _pipe_status(self, statuses: list[int]) -> int:
        """The status of a pipeline whose stages ended with these."""
        state = self.evaluator.state
        state.pipe_statuses = statuses
        if state.options["pipefail"]:
            return next((status for status in reversed(statuses) if status), 0)
        return statuses[-1]

    def view(self, node: Command) -> View | None:
        """How the data that a last stage prints is shown to the person at the prompt; None where it is none, or goes elsewhere."""
        from kernel import environment

        evaluator = self.evaluator
        if evaluator.is_child or not evaluator.jobs.controlled or not environment.is_terminal(1):
            return None
        from kernel.shell import showing

        return showing.view(node, evaluator)

    def _stand_in(self, running: Program, error: Exception) -> Forked:
        """The stage instead of a program that the system refuses to start: it says so."""
        refusal = self._refused(running, error)
        return Forked(lambda: self.evaluator.report(refusal))

    def _here(self, node: Command, reader: int) -> int:
        """The last stage, in the shell itself with the pipe as its input."""
        redirections = Redirections()
        redirections.point(0, reader)
        os.close(reader)
        try:
            return self.evaluator.command(node)
        finally:
            redirections.undo()

    def _runs_here(self, node: Command) -> bool:
        """Whether a last stage runs in the shell: `read`, a function, a compound command but `( … )`."""
        if not isinstance(node, Simple):
            return not isinstance(node, Subshell)
        name = node.words[0].plain if node.words else None
        return name is not None and (name == "read" or name in self.evaluator.state.functions)

    def _wait(self, pids: list[int], starter: Starter, text: str, shared: dict[int, Statuses] | None = None) -> list[int]:
        """Waits for a pipeline: the status of each stage. ``shared`` is of its processes, by their place in ``pids``."""
        evaluator = self.evaluator
        job = Job(pids, starter.group or 0, text, _by_process(shared, pids))
        try:
            statuses = evaluator.jobs.foreground(job)
        except KeyboardInterrupt:
            evaluator.state.pipe_statuses = job.results
            raise
        if evaluator.jobs.controlled:
            from kernel import environment

            if job.state == STOPPED:
                environment.write_error(f"\n[{job.number}]+  Stopped    {text}\n")
            elif statuses[-1] > 128 and statuses[-1] not in (PIPE_STATUS, 128 + _signal.SIGINT):
                import signal

                said = signal.strsignal(statuses[-1] - 128) if statuses[-1] - 128 < signal.NSIG else None
                if said:
                    environment.write_error(f"{said}\n")
        return statuses

    # Which stage is what

    def _stages(self, nodes: list[Command], unused: int = -1) -> tuple[list[Stage], dict[int, Statuses]]:
        """The stages of a pipeline; of those that are several calls, by their place, where the statuses will be."""
        stages: list[Stage] = []
        shared: dict[int, Statuses] = {}
        for stands_together, found in groupby(nodes, self._stands_with_others if len(nodes) > 1 else lambda _: False):
            group = list(found)
            if stands_together and len(group) > 1:
                from kernel.shell.adjacent import Adjacent

                calls = Adjacent(group, self)
                shared[len(stages)] = calls.statuses
                run = self.reporting(calls.run)
                stages.append(Forked(run if unused < 0 else _closing(unused, run)))
            else:
                stages += [self._stage(node, unused) for node in group]
        return stages, shared

    def _stands_with_others(self, node: Command) -> bool:
        """Whether a stage may share a process: a builtin, by a name that is known, whose words do nothing to the shell."""
        evaluator = self.evaluator
        name = evaluator.calls.name_of(node)
        if not name or "/" in name or not isinstance(node, Simple):
            return False
        try:
            tool = evaluator.tools.find(name)
        except KernelError:
            return False
        if tool is None or not tool.plain or tool.spec.builtin in PARTED:
            return False
        operands = [assignment.value for assignment in node.assignments] + [redirect.target for redirect in node.redirects]
        return all(isinstance(word, Word) and word.is_pure for word in [*node.words, *operands])

    def _stage(self, node: Command, unused: int = -1) -> Stage:
        """A stage of a pipeline; ``unused`` is a descriptor that its process, where it is a fork, has no use for."""
        try:
            direct = self._direct(node)
        except KernelError as error:
            status = self.evaluator.report(error)
            return Forked(lambda: status)
        if direct is not None:
            return direct
        run = self.reporting(lambda: self._run_last(node))
        return Forked(run if unused < 0 else _closing(unused, run))

    def _direct(self, node: Command) -> Program | None:
        """The program that a stage is, None where the stage needs a process of the shell's own."""
        evaluator = self.evaluator
        name = evaluator.calls.name_of(node)
        if not name or not isinstance(node, Simple) or node.redirects or node.assignments:
            return None
        if "/" not in name:
            tool = evaluator.tools.find(name)
            if tool is not None and (tool.spec.builtin or any(word.literal in ("--help", "--json") for word in node.words)):
                return None
        if not all(word.is_pure for word in node.words):
            return None
        running = evaluator.calls.prepare(name, evaluator.expander.fields(node.words)[1:], node)
        return running if isinstance(running, Program) else None

    # Children

    def reporting(self, run: Callable[[], int]) -> Callable[[], int]:
        """The same for a fork: every way to leave is a status, every error is said."""

        def reported() -> int:
            evaluator = self.evaluator
            try:
                try:
                    status = run()
                except Exit as left:
                    status = left.status
                except Return as left:
                    status = left.status
                except Break:
                    status = 0
                return evaluator.leave(status)
            except KernelError as error:
                return evaluator.report(error)
            except BrokenPipeError:
                return PIPE_STATUS
            except KeyboardInterrupt:
                from kernel.launch import end_by_signal

                return end_by_signal(_signal.SIGINT)
            except RecursionError:
                return evaluator.report(fail("E-EXPAND", "the commands are nested too deeply"))
            except (OSError, MemoryError) as error:
                refused = refusal(error)
            return evaluator.report(refused)  # here, where the memory that the commands held is free again

        return reported

    def _run_last(self, node: Command) -> int:
        if isinstance(node, Subshell):
            return self._subshell(node)  # this process is one: signals and traps are its own
        self.evaluator.last = isinstance(node, Simple)
        return self.evaluator.command(node)

    def _last(self, commands: List) -> int:
        """Runs the commands of a fork; a single program becomes the fork itself."""
        evaluator = self.evaluator
        if len(commands.items) == 1:
            item, background = commands.items[0]
            if not background and not item.rest and not item.first.negated and not evaluator.state.options["errexit"]:
                node, *others = nodes = item.first.stages
                if others and all(self._stands_with_others(each) for each in nodes):
                    from kernel.shell.adjacent import Adjacent

                    calls = Adjacent(nodes, self)
                    calls.run()
                    return self._pipe_status(calls.statuses.all(0))
                if not others and isinstance(node, (Simple, Group)):
                    return self._last(node.body) if isinstance(node, Group) and not node.redirects else self._run_last(node)
        return evaluator.run(commands)

    def become(self, running: Program) -> int:
        """Replaces this process, a fork made for it, by the program. Raises KernelError."""
        for number in IGNORED:
            _signal.signal(number, _signal.SIG_DFL)
        try:
            os.execve(running.path, running.argv, running.environment)
        except (OSError, ValueError) as error:
            for number in IGNORED:
                _signal.signal(number, _signal.SIG_IGN)
            raise self._refused(running, error) from None

    def _refused(self, running: Program, error: Exception) -> KernelError:
        name, path = running.argv[0], running.path
        self.evaluator.tools.forget_program(name)
        if not isinstance(error, OSError):
            return fail("E-ENCODING", f"a word for `{name}` holds a NUL byte")
        if error.errno == errno.E2BIG:
            size = sum(len(os.fsencode(word)) + 1 for word in running.argv)
            hint = "hand long text over by a pipe or a file"
            return fail("E-NOT-EXECUTABLE", f"the {len(running.argv)} words of `{name}` are too long: {size} bytes", hint=hint)
        if error.errno == errno.ENOEXEC:
            return fail("E-NOT-EXECUTABLE", f"`{path}` is no program that the system can run", hint="a script needs a `#!` line")
        if error.errno == errno.ENOENT and os.path.exists(path):
            return fail("E-NOT-EXECUTABLE", f"the interpreter that `{path}` names does not exist", hint="see its `#!` line")
        if error.errno == errno.ENOENT:
            return KernelError([Problem("E-NOT-FOUND", f"there is no command `{name}`")], status=NOT_FOUND)
        return fail("E-NOT-EXECUTABLE", f"`{path}` cannot be started: {error.strerror}")

    # $(…)

    def substitute(self, node: Substitution) -> Field:
        """The output of the commands without its last newlines, or the data where they declare it."""
        evaluator = self.evaluator
        reader, writer = pipe()
        run = self.reporting(lambda: self._substituted(node))
        pid = Starter(None, in_child=self._enter).start([Forked(_closing(reader, run))], -1, writer)[0]
        parts = []
        try:
            while part := os.read(reader, 65536):
                parts.append(part)
        finally:
            os.close(reader)
            status = evaluator.jobs.wait_one(pid)
        evaluator.substituted = evaluator.state.status = status
        evaluator.tools.stale()
        text = b"".join(parts).replace(b"\0", b"").decode("utf-8", "surrogateescape").rstrip("\n")
        output = self._declared_output(node.body) if text and not node.quoted else ""
        return captured(text, output == "jsonl") if output else text

    def _substituted(self, node: Substitution) -> int:
        self.evaluator.state.options["errexit"] = False  # as bash: what fails in there is for the command around it
        return self._last(node.body)

    def _declared_output(self, body: List) -> str:
        """`json` or `jsonl` where what runs is one pipeline whose last stage is a tool that declares it; else ""."""
        if len(body.items) != 1 or body.items[0][0].rest:
            return ""
        node = body.items[0][0].first.stages[-1]
        name = self.evaluator.calls.name_of(node)
        if not name or not isinstance(node, Simple):
            return ""
        return self.evaluator.calls.declared_output(name, [word.literal for word in node.words[1:]])

    # The background

    def background(self, item: AndOr) -> int:
        """Starts a list in the background."""
        evaluator, state = self.evaluator, self.evaluator.state
        starter = self._starter(background=True)
        stdin = -1 if evaluator.jobs.controlled else os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        if item.rest or item.first.negated:
            stages: list[Stage] = [Forked(self.reporting(lambda: evaluator.and_or(item)))]
            shared: dict[int, Statuses] = {}
        else:
            stages, shared = self._stages(item.first.stages)
        evaluator.tools.stale()
        pids = starter.start(stages, stdin)
        state.last_background = pids[-1]
        job = Job(pids, starter.group or 0, item.source.text[item.start : item.end], _by_process(shared, pids))
        evaluator.jobs.add(job)
        if evaluator.interactive and evaluator.jobs.controlled:
            from kernel import environment

            environment.write_error(f"[{job.number}] {pids[-1]}\n")
        return 0


def _closing(descriptor: int, run: Callable[[], int]) -> Callable[[], int]:
    """``run`` in a fork that has no use for a descriptor of the parent."""

    def closed() -> int:
        os.close(descriptor)
        return run()

    return closed


def _by_process(shared: dict[int, Statuses] | None, pids: list[int]) -> dict[int, Statuses]:
    return {pids[place]: statuses for place, statuses in (shared or {}).items()}


def _written(node: Command) -> str:
    return node.source.text[node.start : node.end]
