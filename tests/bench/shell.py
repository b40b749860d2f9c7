"""How fast the shell is (performance.md T12 to T15): against bash, and at its prompt in a terminal."""

from __future__ import annotations

import importlib.util
import os
import pty
import select
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

LINES = 1000
SIZE = 1 << 30  # bytes through a pipeline
FEW = 7  # rounds of what takes long
COMMANDS = 20  # that are timed at one prompt
Row = tuple[str, str, float, float, float, str]


class Shells:
    """`kaish` installed beside the kernel, and how long things take in it."""

    def __init__(self, python: str, packages: Path, cwd: Path, env: dict[str, str], rounds: int) -> None:
        root = Path(__file__).resolve().parent.parent.parent
        self.python = python
        self.kaish = str(Path(python).parent / "kaish")
        shutil.copy(root / "kernel/_bin/kaish", self.kaish)
        os.chmod(self.kaish, 0o755)
        for name in ("prompt_toolkit", "wcwidth"):
            found = importlib.util.find_spec(name)
            if found is not None and found.submodule_search_locations and not (packages / name).exists():
                (packages / name).symlink_to(found.submodule_search_locations[0])
        self.cwd = cwd
        self.env = {**env, "TERM": "xterm-256color"}
        self.rounds = rounds

    def base(self) -> float:
        """Seconds of B."""
        return self.run([self.python, "-I", "-c", "pass"])

    def run(self, argv: list[str], stdin: str = "") -> float:
        """Seconds of a program with a text as its input."""
        begin = time.perf_counter()
        subprocess.run(argv, cwd=self.cwd, env=self.env, input=stdin.encode(), stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin

    def marginal(self, argv: list[str], line: str) -> float:
        """Seconds that a thousand lines on stdin add to one."""
        return self.run(argv, line * (LINES + 1)) - self.run(argv, line)

    def prompt(self) -> tuple[float, float, float]:
        """Seconds until the prompt is seen, until a first command has answered, and of each further one (the median)."""
        begin = time.perf_counter()
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.cwd)
            os.execve(self.kaish, [self.kaish], self.env)
        shown = b""

        def until(text: bytes) -> None:
            nonlocal shown
            while text not in shown:
                ready, _, _ = select.select([terminal], [], [], 60)
                if not ready:
                    raise SystemExit(f"{text!r} did not come: {shown[-200:]!r}")
                shown += os.read(terminal, 65536)
            shown = shown[shown.index(text) + len(text) :]

        until(b"kaish>")
        visible = time.perf_counter() - begin
        os.write(terminal, b"echo a$((0 + 1))z\r")
        until(b"a1z")
        first = time.perf_counter() - begin
        until(b"kaish>")
        times = []
        for number in range(COMMANDS):
            time.sleep(0.05)
            begin = time.perf_counter()
            os.write(terminal, b"echo a$((%d + 1))z\r" % (number + 10))
            until(b"a%dz" % (number + 11))
            until(b"kaish>")
            times.append(time.perf_counter() - begin)
        os.write(terminal, b"exit\r")
        while select.select([terminal], [], [], 60)[0]:
            try:
                if not os.read(terminal, 65536):
                    break
            except OSError:
                break
        os.waitpid(child, 0)
        os.close(terminal)
        return visible, first, statistics.median(times)


def rows(python: str, packages: Path, cwd: Path, env: dict[str, str], rounds: int) -> Iterable[Row]:
    """T12 to T15; those against bash where it is installed."""
    shells = Shells(python, packages, cwd, env, rounds)
    bash = shutil.which("bash")
    if bash:
        big = cwd / "big"
        with open(big, "wb") as file:
            file.truncate(SIZE)
        faster = [
            shells.run([bash, "-c", "cat big | wc -l"]) / shells.run([shells.kaish, "-c", "cat big | wc -l"]) for _ in range(FEW)
        ]
        big.unlink()
        yield "T12", "`cat 1GiB | wc -l`, throughput against bash", statistics.median(faster), 1.0, 1.8, "x>"
    lines = [shells.marginal([shells.kaish], "echo some words\n") / shells.base() for _ in range(FEW)]
    yield "T13", "1,000 builtin lines on stdin, marginal", statistics.median(lines), 5, 3.5, "B"
    if bash:
        programs = [shells.marginal([shells.kaish], "/bin/true\n") / shells.marginal([bash], "/bin/true\n") for _ in range(FEW)]
        yield "T14", "1,000 external lines on stdin, marginal against bash", statistics.median(programs), 1.15, 1.0, "x"
    if importlib.util.find_spec("prompt_toolkit"):
        found = []
        for _ in range(rounds):
            base = (shells.base() + shells.base()) / 2
            found.append([seconds / base for seconds in shells.prompt()])
        visible, first, each = [statistics.median(column) for column in zip(*found, strict=True)]
        yield "T15", "the prompt is visible", visible, 1.4, 1.2, "B"
        yield "T15", "the first answer", first, 16, 12, "B"
        yield "T15", "each further command", each, 0.8, 0.6, "B"
