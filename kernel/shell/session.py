"""A shell: a state and an evaluator, fed with texts by the doors (`-c`, a file, a pipe, the prompt)."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import sys

from kernel.errors import KernelError, fail, refusal
from kernel.shell import parser
from kernel.shell.control import Break, Exit, Return
from kernel.shell.data import text_of
from kernel.shell.evaluate import Evaluator
from kernel.shell.source import Source, Unfinished
from kernel.shell.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.shell.tree import List

FRAMES = 12_000  # Python's frames: enough for the deepest functions that are allowed
SYNTAX_STATUS = 2
INTERRUPT = 128 + int(_signal.SIGINT)


class Session:
    """One shell. ``name`` is `$0`, ``arguments`` are `$1` and so on."""

    def __init__(self, name: str = "kaish", arguments: list[str] | None = None, interactive: bool = False) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
        self.state = State(name, arguments or [])
        self.evaluator = Evaluator(self.state, interactive)
        self.interactive = interactive
        if interactive:
            for name in ("emacs", "tables", "progress"):
                self.state.options[name] = True
        self.evaluator.signals.install()

    @property
    def history(self) -> list[str]:
        """The lines typed before, oldest first; a line editor appends to it."""
        return self.evaluator.history

    def parse(self, text: str, name: str, first_line: int = 1) -> List:
        """The commands of a text. Raises KernelError; Unfinished where more lines could mend it."""
        return parser.parse(Source(text, name, first_line), self.state.aliases)

    def is_complete(self, text: str) -> str:
        """What is still open at the end of a text (`if`, `"`, `|`, `<<EOF` …); "" where it could be run, or is wrong."""
        if text.endswith(("\\\n", "\\")):
            return "\\"
        try:
            self.parse(text, "prompt")
        except Unfinished as error:
            return error.what
        except KernelError:
            return ""
        return ""

    def substituted(self, command: str) -> str:
        """What a command prints, without its last newlines: the value of `$(command)`."""
        found = self.parse(f'x="$({command})"', "prompt").items[0][0].first.stages[0]
        return text_of(self.evaluator.expander.assigned(found.assignments[0].value))  # type: ignore[attr-defined]

    def run_text(self, text: str, name: str, first_line: int = 1) -> int:
        """Parses a text, checks the whole of it and runs it: its status.

        Says every error itself. Raises Exit where the shell is to end, KeyboardInterrupt where SIGINT ended a command.
        """
        try:
            commands = self.parse(text, name, first_line)
        except KernelError as error:
            self.state.status = self.evaluator.report(error)
            return self.state.status
        return self.run(commands)

    def run(self, commands: List) -> int:
        """Checks commands and runs them: their status."""
        from kernel.shell import validate

        found = validate.problems(commands, self.evaluator)
        if found:
            for error in found:
                self.evaluator.report(error)
            self.state.status = SYNTAX_STATUS
            return SYNTAX_STATUS
        try:
            return self.evaluator.run(commands)
        except (Break, Return):
            return self.state.status
        except RecursionError:
            self.state.status = self.evaluator.report(fail("E-EXPAND", "the commands are nested too deeply"))
            return self.state.status
        except KernelError as error:
            self.state.status = self.evaluator.report(error)
            return self.state.status
        except BrokenPipeError:
            raise
        except (OSError, MemoryError) as error:  # no more processes, descriptors, memory: the prompt goes on
            refused = refusal(error)
        self.state.status = self.evaluator.report(refused)  # here, where the memory that the commands held is free again
        return self.state.status

    def run_script(self, text: str, name: str) -> int:
        """Runs a whole text as a script, traps of EXIT included: the status that the process ends with."""
        return self.ended(lambda: self.run_text(text, name))

    def ended(self, run: Callable[[], int]) -> int:
        """Runs ``run()`` to the shell's end: the status; where a signal ended it, this process is ended by it."""
        signal = 0
        try:
            status = run()
        except Exit as left:
            status, signal = left.status, left.signal
        except KeyboardInterrupt:
            status, signal = INTERRUPT, int(_signal.SIGINT)
        status = self.evaluator.leave(status)
        if signal:
            from kernel.launch import end_by_signal

            return end_by_signal(signal)
        return status
