"""The progress line in a real terminal: it comes, follows the size, goes, and damages nothing.

What keeps a call waiting in the middle of its input is a pipe among its outputs that nobody reads yet.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell_case import START, ShellCase
from terminal import Screen

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
LINES = b"".join([b"line %d\n" % number for number in range(300_000)])
PIECE = 1_000_000


class Shell:
    """A prompt, and the files in its directory."""

    def __init__(self, root: Path) -> None:
        self.case = ShellCase(root).file("big", LINES)
        self.screen = Screen(root, self.case.cwd, self.case.env, [sys.executable, "-c", START])
        self.prompts = 0
        self.ready()

    def ready(self) -> str:
        """The screen at the next prompt, where no progress line is left."""
        self.prompts += 1
        shown = self.screen.until(
            lambda shown: shown.count("kaish>") == self.prompts and shown.rstrip().endswith("kaish>"), "the prompt"
        )
        assert "%" not in shown
        return shown

    def row(self, words: str) -> str:
        """The progress line, as soon as these words are in it. There is one only."""
        shown = self.screen.until(lambda shown: words in shown and shown.count("%") == 1, repr(words))
        return next(row for row in shown.split("\n") if "%" in row)

    def pipe(self, name: str) -> Path:
        path = self.case.cwd / name
        os.mkfifo(path)
        return path


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    found = Shell(tmp_path)
    yield found
    found.screen.close()


def test_the_line_comes_follows_the_terminals_size_and_goes(shell: Shell) -> None:
    waiting = shell.pipe("pab")
    shell.screen.type("printf abc; split -n3 big p; echo def", enter=True)
    row = shell.row("MiB of 3.3 MiB")
    assert row.startswith("big  [#######.....") and " 33%  1.1 MiB of 3.3 MiB" in row
    assert shell.screen.text().split(row)[0].endswith("\nabc\n")  # it stands below what was written before
    shell.screen.resize(50, 30)
    shell.screen.until(
        lambda shown: shown.count("%") == 1 and "[###.......]  33%  1.1 MiB of 3.3 MiB  0 B/s\n" in shown, "a narrow line"
    )
    shell.screen.resize(100, 30)
    shell.row("[#######.................]  33%  1.1 MiB of 3.3 MiB  0 B/s")
    shell.prompts = shell.screen.text().count("kaish>")  # a narrower terminal may have moved it up, out of sight
    piece = waiting.read_bytes()
    assert "abcdef\nkaish>" in shell.ready()
    assert (shell.case.cwd / "paa").read_bytes() + piece + (shell.case.cwd / "pac").read_bytes() == LINES


def test_an_interrupt_takes_the_line_away(shell: Shell) -> None:
    for name in ("one", "three"):
        shell.case.file(name, b"x" * 100_000)
    (shell.case.cwd / "d").mkdir()
    shell.pipe("d/big")
    shell.screen.type("cp one big three d", enter=True)
    row = shell.row("KiB of 3.5 MiB")
    assert row.startswith("big (2 of 3)  [") and "  2%  97.7 KiB of 3.5 MiB" in row  # all files count together
    shell.screen.key("C-c")
    shell.ready()
    shell.pipe("part_ab")
    shell.screen.type(f"cat < big | split -b {PIECE} - part_", enter=True)  # another process
    assert shell.row("MiB of 3.3 MiB").startswith("standard input  [####")
    shell.screen.key("C-c")
    shell.ready()
    shell.screen.type("echo status $?", enter=True)
    assert "\nstatus 130\n" in shell.ready()


def test_a_stopped_call_leaves_no_line_and_draws_it_again_when_continued(shell: Shell) -> None:
    waiting = shell.pipe("unique")
    shell.screen.type("uniq big unique", enter=True)
    assert shell.row("0 B of 3.3 MiB").startswith("big  [....")
    shell.screen.key("C-z")
    assert "Stopped    uniq big unique" in shell.ready()
    shell.screen.type("fg", enter=True)
    shell.row("0 B of 3.3 MiB")
    assert waiting.read_bytes() == LINES
    shell.ready()


def test_the_runs_of_map_are_counted(shell: Shell) -> None:
    first, second = shell.pipe("one"), shell.pipe("two")
    shell.screen.type("printf 'one\\ntwo\\n' | map cat", enter=True)
    shell.screen.expect("\n0 done, 2 running\n")
    second.write_bytes(b"from two\n")
    shell.screen.expect("\n1 done, 1 running\n")
    first.write_bytes(b"from one\n")
    shown = shell.ready()
    assert "\nfrom one\nfrom two\n" in shown and "running" not in shown
