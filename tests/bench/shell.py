"""How fast the shell is (performance.md T12 to T15): against bash, and at its prompt in a terminal."""

from __future__ import annotations

import importlib.util
import math
import os
import pty
import random
import select
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import place

LINES = 1000
SIZE = 1 << 30  # bytes through a pipeline
FEW = 7  # rounds of what takes long
COMMANDS = 20  # that are timed at one prompt
WORDS = "some words"  # what a line of T13 writes
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

    def run(self, argv: list[str], stdin: str = "", answers: int = 0) -> float:
        """Seconds of a program with a text as its input. It has to write WORDS so many times: what stops early is fast."""
        output = self.cwd / "output"
        with open(output, "wb") as file:
            begin = time.perf_counter()
            subprocess.run(
                argv, cwd=self.cwd, env=self.env, input=stdin.encode(), stdout=file, stderr=subprocess.DEVNULL, check=True
            )
            took = time.perf_counter() - begin
        found = output.read_bytes().count(WORDS.encode())
        if found != answers:
            raise SystemExit(f"{argv} answered {found} lines of {answers}")
        return took

    def marginal(self, argv: list[str], line: str, *, before: str = "", count: int = LINES) -> float:
        """Seconds that a thousand lines on stdin add to one, by ``count`` of them. Those with WORDS answer with them."""
        answers = WORDS in line
        many = self.run(argv, before + line * (count + 1), answers * (count + 1))
        return (many - self.run(argv, before + line, int(answers))) * LINES / count

    def builtin_lines(self) -> Iterable[Row]:
        """T13: a builtin's line in each shell; of xonsh its own alias `echo`, and nothing that it compiled before.

        To xonsh a line of bare words is a syntax error first, after which it parses all of its input anew. So its lines
        cost more the more there are, a thousand of them minutes: it is asked a hundred, which is to its advantage.
        """
        peers: dict[str, Callable[[], float]] = {}
        missing: dict[str, str] = {}

        def install(name: str) -> str:
            try:
                return place.peer(self.cwd / f"peer {name}", name)
            except place.Missing as error:
                missing[name] = str(error)
                return ""

        if python := install("ipython"):
            ipython = [python, "-m", "IPython", "--simple-prompt", "--no-banner"]
            peers["ipython"] = lambda: self.marginal(ipython, f"print('{WORDS}')\n")
        if python := install("xonsh"):
            xonsh = [python, "-m", "xonsh", "--no-rc", "--no-script-cache"]
            peers["xonsh"] = lambda: self.marginal(xonsh, f"echo {WORDS}\n", before="xontrib load coreutils\n", count=100)
        times = race({"B": self.base, "kaish": lambda: self.marginal([self.kaish], f"echo {WORDS}\n"), **peers}, FEW)
        yield "T13", "1,000 builtin lines on stdin, marginal", ratio(times, "kaish", "B"), 5, 3.5, "B"
        for name, what, gate, goal in (
            ("ipython", f"IPython, `print('{WORDS}')` on stdin / the same", 8, 15),
            ("xonsh", f"xonsh, 10 times 100 `echo {WORDS}` on stdin / the same", 80, 150),
        ):
            if name in missing:
                yield skipped("T13", what, missing[name])
            else:
                yield "T13", what, ratio(times, name, "kaish"), gate, goal, "x>"

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


def skipped(name: str, what: str, reason: str) -> Row:
    """A row that has no number, and why."""
    return name, f"{what}: skipped, {reason}", math.nan, 0, 0, "x"


def race(functions: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The seconds that each gives, round by round, in a random order within a round."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name in random.sample(list(functions), len(functions)):
            times[name].append(functions[name]())
    return times


def ratio(times: dict[str, list[float]], name: str, base: str) -> float:
    """The median of the ratios of each round."""
    return statistics.median([mine / other for mine, other in zip(times[name], times[base], strict=True)])


def write_text(file: Path) -> None:
    """SIZE bytes of lines of 20 to 80 bytes; the lengths of a mebibyte of them, which no processor learns, come again."""
    lengths = random.Random(1)
    block = bytearray()
    while len(block) < 1 << 20:
        block += b"word " * 16
        del block[-lengths.randint(1, 61) :]
        block += b"\n"
    with open(file, "wb") as out:
        while out.tell() < SIZE:
            out.write(block)
        out.truncate(SIZE)


def rows(python: str, packages: Path, cwd: Path, env: dict[str, str], rounds: int) -> Iterable[Row]:
    """T12 to T15; those against bash where it is installed."""
    shells = Shells(python, packages, cwd, env, rounds)
    bash = shutil.which("bash")
    if bash:
        yield from pipeline(shells, bash)
    else:
        yield skipped("T12", "`cat 1GiB | wc -l`, throughput against bash", "there is no bash")
    yield from shells.builtin_lines()
    if bash:
        line = "/bin/true\n"
        times = race({"kaish": lambda: shells.marginal([shells.kaish], line), "bash": lambda: shells.marginal([bash], line)}, FEW)
        yield "T14", "1,000 external lines on stdin, marginal against bash", ratio(times, "kaish", "bash"), 1.15, 1.0, "x"
    else:
        yield skipped("T14", "1,000 external lines on stdin, marginal against bash", "there is no bash")
    if importlib.util.find_spec("prompt_toolkit"):
        found = []
        for _ in range(rounds):
            base = (shells.base() + shells.base()) / 2
            found.append([seconds / base for seconds in shells.prompt()])
        visible, first, each = [statistics.median(column) for column in zip(*found, strict=True)]
        yield "T15", "the prompt is visible", visible, 1.4, 1.2, "B"
        yield "T15", "the first answer", first, 16, 12, "B"
        yield "T15", "each further command", each, 0.8, 0.6, "B"
    else:
        yield skipped("T15", "the prompt", "prompt_toolkit is not installed")


def pipeline(shells: Shells, bash: str) -> Iterable[Row]:
    """T12, of a file without a newline and of text.

    GNU's `wc` compares 32 bytes at once. Of what the interpreter has, `bytes.count` looks at each byte and is wrong
    about each newline beforehand (until 3.14), so that text has a gate of its own.
    """
    big = shells.cwd / "big"
    line = "cat big | wc -l"
    for what, fill, gate, goal in (
        ("no newline in it", lambda: os.truncate(big, SIZE), 1.0, 1.8),
        ("lines of 20 to 80 bytes", lambda: write_text(big), 0.3, 1.0),
    ):
        big.touch()
        fill()
        times = race({"kaish": lambda: shells.run([shells.kaish, "-c", line]), "bash": lambda: shells.run([bash, "-c", line])}, FEW)
        yield "T12", f"`cat 1GiB | wc -l`, {what}, against bash", ratio(times, "bash", "kaish"), gate, goal, "x>"
        big.unlink()
