"""The prompt that is drawn before the shell is loaded: what is typed meanwhile is kept for the editor."""

from __future__ import annotations

import os

from kernel import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROMPT = "kaish> "
INIT_FILE = "init.kaish"
PLAIN_TERMINALS = frozenset(("", "dumb", "unknown", "emacs"))
BRACKETED, UNBRACKETED = "\x1b[?2004h", "\x1b[?2004l"  # a terminal says where pasted text begins and ends, or not


def init_file() -> str:
    """The file that is run first, "" for none."""
    path = os.path.join(environment.config_directory(), INIT_FILE)
    return path if os.path.exists(path) else ""


def is_plain() -> bool:
    """Whether the terminal shows nothing but lines."""
    return environment.variable("TERM") in PLAIN_TERMINALS


class FirstPrompt:
    """A prompt without an editor: what is typed is kept, unseen and uninterpreted, until `hand_over`."""

    def __init__(self, text: str = PROMPT) -> None:
        import termios

        self._before: list[Any] | None = None
        self._lines = text.count("\n")
        try:
            before = termios.tcgetattr(0)
            raw = [*before[:6], list(before[6])]
            raw[0] &= ~(termios.ICRNL | termios.INLCR | termios.IXON)
            raw[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
            termios.tcsetattr(0, termios.TCSANOW, raw)
        except (OSError, termios.error):
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
