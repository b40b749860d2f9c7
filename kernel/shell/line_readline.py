"""Lines typed on any terminal: the standard `readline` where there is one, with completion and prompts that show what is open."""

from __future__ import annotations

import re

from kernel import environment
from kernel.shell.line_editor import LineEditor, continued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.session import Session

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class ReadlineEditor(LineEditor):
    """Reads a command line by line."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._before = ""  # the lines of the command in front of the one that is typed
        self._found: list[str] = []
        try:
            import readline
        except ImportError:
            self._readline = None
            return
        self._readline = readline
        self._mode = ""
        readline.set_auto_history(False)
        for text in reversed(self.history.newest_first(environment.working_directory())):
            readline.add_history(text)
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._complete)
        readline.parse_and_bind("tab: complete")
        readline.parse_and_bind("set enable-bracketed-paste off")

    def read(self, prompt: str) -> str | None:
        self._before = text = ""
        self._choose_keys()
        try:
            while True:
                try:
                    line = input(_ESCAPES.sub(lambda found: f"\x01{found.group()}\x02", prompt))
                except EOFError:
                    return text or None  # what is open is said to be so when it is run
                text = self._before = f"{text}{line}\n"
                open_construct = self.session.is_complete(text)
                if not open_construct:
                    return text
                prompt = continued(open_construct)
        except KeyboardInterrupt:
            environment.write_error("\n")
            self.session.state.status = 130
            return ""

    def keep(self, text: str) -> None:
        super().keep(text)
        if self._readline is not None:
            self._readline.add_history(text)

    def _choose_keys(self) -> None:
        mode = "vi" if self.session.state.options["vi"] else "emacs"
        if self._readline is not None and mode != self._mode:
            self._mode = mode
            self._readline.parse_and_bind(f"set editing-mode {mode}")

    def _complete(self, word: str, number: int) -> str | None:
        """The candidates for readline, one by one: the word with what would be inserted behind it."""
        if number == 0 and self._readline is not None:
            from kernel.shell.offering import offering

            line = self._readline.get_line_buffer()[: self._readline.get_endidx()]
            found = offering(self._before + line, self.names)
            self._found = [word + candidate.rest for candidate in found.candidates]
        return self._found[number] if number < len(self._found) else None
