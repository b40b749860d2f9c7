"""What the two line editors share: the prompt's text, the history, the names, the file that is run first."""

from __future__ import annotations

import os

from kernel import environment
from kernel.errors import KernelError
from kernel.shell.first_prompt import PROMPT, init_file, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.session import Session

PROMPT_FUNCTION = "prompt"
UNENDED = "%"  # stands behind output whose last line has no end


class LineEditor:
    """Reads commands. A subclass says how. ``draws`` says whether it shows more than the line: menus, hints, marks."""

    draws = False

    def __init__(self, session: Session) -> None:
        from kernel.shell.history import History
        from kernel.shell.names import Names

        self.session = session
        self.names = Names(session.evaluator)
        self.history = History()
        self.history.load()
        session.history.extend([entry.text for entry in self.history.entries])

    def read(self, prompt: str) -> str | None:
        """The next text to run, "" for one that was dropped; None at the end of the input."""
        raise NotImplementedError

    def keep(self, text: str) -> None:
        """Puts a text into the history."""
        self.session.history.append(text)
        self.history.add(text, self.names)


def continued(open_construct: str) -> str:
    """The prompt of a further line, which shows what is open."""
    return f"{open_construct:>{len(PROMPT) - 2}}> "


def end_line() -> None:
    """Goes to a line's beginning. Output that did not end its line is marked, so that the prompt does not overwrite it.

    The mark and blanks fill exactly one line: behind text they go on in the next one, else they are taken back.
    """
    if is_plain():
        return
    try:
        columns = os.get_terminal_size(2).columns
    except OSError:
        return
    if columns > 1:
        environment.write_error(f"\x1b[7m{UNENDED}\x1b[m{' ' * (columns - 1)}\r\x1b[K")


def prompt_text(session: Session) -> str:
    """What the function `prompt` prints where there is one that does not fail, else `kaish> `. The last status is kept."""
    state = session.state
    if PROMPT_FUNCTION not in state.functions:
        return PROMPT
    before, statuses = state.status, state.pipe_statuses
    try:
        text = session.substituted(PROMPT_FUNCTION)
        return PROMPT if not text and session.evaluator.substituted else text  # it failed
    except KernelError as error:
        session.evaluator.report(error)
        return PROMPT
    finally:
        state.status, state.pipe_statuses = before, statuses


def run_init_file(session: Session) -> None:
    """Runs the commands of `init.kaish` in the directory of the configuration, where there is one."""
    path = init_file()
    if not path:
        return
    from kernel.shell.sourcing import read_text

    try:
        text = read_text(path)
    except KernelError as error:
        session.evaluator.report(error)
        return
    session.run_text(text, path)
