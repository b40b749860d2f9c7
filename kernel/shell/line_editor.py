"""What the two line editors share: the prompt's text, the history, the names; and the first prompt, drawn before them."""

from __future__ import annotations

import os

from kernel import environment
from kernel.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.shell.session import Session

PROMPT = "kaish> "
PROMPT_FUNCTION = "prompt"
BRACKETED, UNBRACKETED = "\x1b[?2004h", "\x1b[?2004l"  # a terminal says where pasted text begins and ends, or not
INIT_FILE = "init.kaish"


class LineEditor:
    """Reads commands. A subclass says how."""

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


def prompt_text(session: Session) -> str:
    """What the function `prompt` prints where there is one, else `kaish> `. The last status is kept."""
    state = session.state
    if PROMPT_FUNCTION not in state.functions:
        return PROMPT
    before, statuses = state.status, state.pipe_statuses
    try:
        return session.substituted(PROMPT_FUNCTION)
    except KernelError as error:
        session.evaluator.report(error)
        return PROMPT
    finally:
        state.status, state.pipe_statuses = before, statuses


def run_init_file(session: Session) -> None:
    """Runs the commands of `init.kaish` in the directory of the configuration, where there is one."""
    path = os.path.join(environment.config_directory(), INIT_FILE)
    if not os.path.exists(path):
        return
    from kernel.shell.sourcing import read_text

    try:
        text = read_text(path)
    except KernelError as error:
        session.evaluator.report(error)
        return
    session.run_text(text, path)


class FirstPrompt:
    """The prompt before there is an editor: what is typed meanwhile is kept for it, unseen and uninterpreted."""

    def __init__(self, text: str) -> None:
        self._before: list[Any] | None = None
        self._lines = text.count("\n")
        try:
            import termios

            before = termios.tcgetattr(0)
            raw = [*before[:6], list(before[6])]
            raw[0] &= ~(termios.ICRNL | termios.INLCR | termios.IXON)
            raw[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
            termios.tcsetattr(0, termios.TCSANOW, raw)
        except (ImportError, OSError, termios.error):
            return
        self._before = before
        environment.write_error(text + BRACKETED)

    def hand_over(self) -> None:
        """Gives the terminal back as it was, with the cursor where the prompt begins."""
        if self._before is None:
            return
        import termios

        termios.tcsetattr(0, termios.TCSANOW, self._before)
        environment.write_error(UNBRACKETED + "\r" + f"\x1b[{self._lines}A" * bool(self._lines))
        self._before = None
