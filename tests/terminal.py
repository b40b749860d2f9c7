"""Programs on a terminal: a bare pseudo-terminal of their own (`Terminal`), or the screen of a real one (`Screen`)."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kernel_case import ROOT

# the terminal that stands on descriptor 0 becomes the session's own; then the program takes over
TAKE = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
KERNEL = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.cli import main; main()"]
SHELL = ("env", "PS1=$ ", "bash", "--norc", "--noprofile", "-i")
PATIENCE = 60.0  # seconds after which a test is stuck


class Terminal:
    """A program on a terminal. ``expect`` reads until a text appears, ``send`` types, ``wait`` returns the exit code."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self.master, slave = pty.openpty()
        self.child = subprocess.Popen(
            [sys.executable, "-c", TAKE, *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
        )
        os.close(slave)
        self.shown = ""
        self._read = 0

    def expect(self, text: str) -> str:
        """What was shown up to and with ``text``, since the last call."""
        end = time.monotonic() + PATIENCE
        while (at := self.shown.find(text, self._read)) < 0:
            ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{text!r} did not appear in {self.shown!r}"
            assert self._more(), f"{text!r} did not appear before the end of {self.shown!r}"
        start, self._read = self._read, at + len(text)
        return self.shown[start : self._read]

    def send(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait(self) -> int:
        """Reads to the end; the exit code, negative for a signal."""
        while self._more():
            pass
        os.close(self.master)
        return self.child.wait()

    def _more(self) -> bool:
        try:
            data = os.read(self.master, 65536)
        except OSError:  # nobody holds the other side any more
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)


class Screen:
    """A shell (or another program) in a real terminal emulator, tmux, on a server of its own.

    ``text`` is what a person sees, ``expect`` waits until a text is on it, ``type`` and ``key`` are the keyboard.
    """

    def __init__(
        self, root: Path, cwd: Path, env: Mapping[str, str], argv: Sequence[str] = SHELL, *, columns: int = 100, lines: int = 30
    ) -> None:
        self.socket = str(root / "tmux")
        settings = {name: value for name, value in env.items() if name not in ("TMUX", "TMUX_PANE")}
        self.env = {**settings, "TERM": "xterm-256color", "TMUX_TMPDIR": str(root)}
        size = ["-x", str(columns), "-y", str(lines)]
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(cwd), *argv)

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-S", self.socket, *words], env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"tmux {words}: {done.stderr}"
        return done.stdout

    def text(self) -> str:
        """The screen, a line a row, without blanks at the ends of lines."""
        return self._tmux("capture-pane", "-p")

    def styled(self) -> str:
        """The same with its colours, as escape sequences."""
        return self._tmux("capture-pane", "-p", "-e")

    def resize(self, columns: int, lines: int) -> None:
        """Gives the terminal another size."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def paste(self, text: str) -> None:
        """Pastes a text as a terminal does that was asked to say where pasted text begins and ends."""
        self._tmux("set-buffer", "--", text)
        self._tmux("paste-buffer", "-p")

    def fact(self, name: str) -> str:
        """A variable of tmux: `alternate_on`, `cursor_x`, `pane_current_command` …"""
        return self._tmux("display-message", "-p", f"#{{{name}}}").rstrip("\n")

    def type(self, text: str, *, enter: bool = False) -> None:
        """Types a text as it is, and Enter behind it on wish."""
        self._tmux("send-keys", "-l", "--", text)
        if enter:
            self.key("Enter")

    def key(self, *names: str) -> None:
        """Presses keys by their tmux names: `Enter`, `C-c`, `Up`, `Tab` …"""
        self._tmux("send-keys", *names)

    def expect(self, text: str) -> str:
        """The screen as soon as ``text`` is on it."""
        return self.until(lambda shown: text in shown, repr(text))

    def until(self, holds: Callable[[str], bool], what: str) -> str:
        """The screen as soon as ``holds`` says yes of it."""
        end = time.monotonic() + PATIENCE
        while not holds(shown := self.text()):
            assert time.monotonic() < end, f"{what} did not come about on\n{shown}"
            time.sleep(0.02)
        return shown

    def close(self) -> None:
        """Ends the server and with it whatever runs in the terminal."""
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.env, capture_output=True, check=False)
