"""Lines typed on any terminal: the standard `readline` where there is one, with prompts that show what is open."""

from __future__ import annotations

import os

from kernel import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.session import Session

PROMPT = "kaish> "
KEPT = 10_000  # lines of history


class Lines:
    """Reads a command line by line."""

    def __init__(self) -> None:
        self._file = os.path.join(environment.state_directory(), "history")
        try:
            import readline
        except ImportError:
            self._readline = None
            return
        self._readline = readline
        readline.set_history_length(KEPT)
        try:
            readline.read_history_file(self._file)
        except OSError:
            pass  # the first time

    def read(self, session: Session) -> str | None:
        """The next command, with the lines that close what it opens; None at the end of the input."""
        if self._readline is not None and not session.history:
            count = self._readline.get_current_history_length()
            session.history.extend([self._readline.get_history_item(number) or "" for number in range(1, count + 1)])
        text, prompt = "", PROMPT
        while True:
            try:
                line = input(prompt)
            except EOFError:
                if not text:
                    return None
                return text  # said to be open when it is run
            text += f"{line}\n"
            open_construct = session.is_complete(text)
            if not open_construct:
                return text
            prompt = f"{open_construct:>{len(PROMPT) - 2}}> "

    def close(self) -> None:
        """Writes the history; a state that cannot be written is no error."""
        if self._readline is None:
            return
        try:
            os.makedirs(os.path.dirname(self._file), mode=0o700, exist_ok=True)
            self._readline.write_history_file(self._file)
        except OSError:
            pass
