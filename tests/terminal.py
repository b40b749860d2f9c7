"""Runs a program on a pseudo-terminal of its own, as its session's leader, and talks to it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from kernel_case import ROOT

# the terminal that stands on descriptor 0 becomes the session's own; then the program takes over
TAKE = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
KERNEL = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.cli import main; main()"]
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
