"""Prints how fast the kernel is, as ratios taken in one run (the rows T1 … T18).

    python tests/bench/bench.py [--only T1,T2] [--rounds N] [--gate]

B is `python -I -c pass` with the same environment's interpreter. Commands run interleaved in random order; a row is the
median of the ratios of each round. `--gate` exits 1 when a row is past its gate. Run it by hand or at night: its
answers are about the machine too.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import place

LEAST_ROUNDS = 21
Row = tuple[str, str, float, float, float, str]  # id, what, value, gate, goal, unit (gates of "x at least" end in ">")


class Command:
    """A command line that is timed from spawn to wait, with its output into a pipe that is read, or to nowhere."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str], *, piped: bool = False, before: str = "") -> None:
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.piped = piped
        self.fresh_cache = before == "cold"

    def check(self) -> None:
        """Fails unless the command works: a command that fails early is fast."""
        done = subprocess.run(self.argv, cwd=self.cwd, env=self.env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{self.argv} ended with {done.returncode}:\n{done.stderr}")

    def time(self) -> float:
        """Seconds of one run."""
        env = self.env
        if self.fresh_cache:
            env = {**env, "KERNEL_CACHE_DIR": tempfile.mkdtemp(dir=env["KERNEL_CACHE_DIR"])}
        os.chdir(self.cwd)
        reader, writer = os.pipe() if self.piped else (-1, os.open("/dev/null", os.O_WRONLY))
        begin = time.perf_counter()
        child = os.posix_spawn(self.argv[0], self.argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
        os.close(writer)
        if self.piped:
            while os.read(reader, 65536):
                pass
        status = os.waitpid(child, 0)[1]
        took = time.perf_counter() - begin
        if self.piped:
            os.close(reader)
        if status:
            raise SystemExit(f"{self.argv} ended with {status}")
        return took


def race(commands: dict[str, Command], rounds: int) -> dict[str, list[float]]:
    """The times of each command, round by round, in a random order within a round."""
    for command in commands.values():
        command.check()
        command.time()
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        order = list(commands)
        random.shuffle(order)
        for name in order:
            times[name].append(commands[name].time())
    return times


def ratio(times: dict[str, list[float]], name: str, base: str = "B") -> float:
    """The median of the ratios of each round."""
    return statistics.median([mine / other for mine, other in zip(times[name], times[base], strict=True)])


class Bench:
    """The directories and environments of one run, made when a row wants them."""

    def __init__(self, root: Path, rounds: int) -> None:
        from installed import Environment

        self.root = root
        self.rounds = rounds
        self.environment = Environment(root / "the venv").install()
        self.few = place.lay_tools(root / "few", 10)
        (root / "cache").mkdir(mode=0o700)
        (root / "home").mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(root / "home"),
            "LC_ALL": "C.UTF-8",
            "KERNEL_CACHE_DIR": str(root / "cache"),
            "KERNEL_STATE_DIR": str(root / "state"),
        }
        self._many: Path | None = None

    @property
    def many(self) -> Path:
        if self._many is None:
            self._many = place.lay_tools(self.root / "many", 5000)
        return self._many

    def kernel(self, *words: str, cwd: Path | None = None, piped: bool = False, before: str = "") -> Command:
        return Command([self.environment.launcher, *words], cwd or self.few, self.env, piped=piped, before=before)

    def base(self) -> Command:
        return Command([self.environment.python, "-I", "-c", "pass"], self.few, self.env)

    def calls(self) -> Iterable[Row]:
        """T1 to T4 in one race."""
        many = self.many
        place.age(self.few, many)
        times = race(
            {
                "B": self.base(),
                "warm": self.kernel("call", "bench", *place.WORDS),
                "many": self.kernel("call", "bench", *place.WORDS, cwd=many),
                "cold": self.kernel("call", "bench", *place.WORDS, before="cold"),
                "kept": self.kernel("call", "--timeout", "60s", "bench", *place.WORDS),
                "options": self.kernel("call", "--yes", "bench", *place.WORDS),
            },
            self.rounds,
        )
        yield "T1", "warm call of an 8-param tool that execs /bin/true", ratio(times, "warm"), 1.40, 1.25, "B"
        yield "T2", "the same among 5,000 manifests against among 10", ratio(times, "many", "warm"), 1.10, 1.03, "x"
        yield "T3", "cold call, no compiled spec yet", ratio(times, "cold"), 3.8, 3.3, "B"
        added = statistics.median([(a - b) / c for a, b, c in zip(times["kept"], times["options"], times["B"], strict=True)])
        yield "T4", "a timeout, with which the kernel stays as the parent", added, 0.15, 0.10, "B"
        yield "T4", "processes that an attached call adds", self.added(), 0, 0, ""
        yield "T4", "the same with a timeout", self.added("--timeout", "60s"), 1, 1, ""

    def added(self, *options: str) -> int:
        """How many processes stand between the one that was started and the program."""
        command = self.kernel("call", *options, "--exec", "sh", "-c", "echo $$ $PPID")
        with subprocess.Popen(command.argv, cwd=command.cwd, env=command.env, stdout=subprocess.PIPE, text=True) as started:
            own, parent = map(int, started.communicate()[0].split())
        return 0 if own == started.pid else 1 if parent == started.pid else 2

    def doors(self) -> Iterable[Row]:
        """T9: list, completion, help."""
        many = self.many
        place.age(self.few, many)
        times = race(
            {
                "B": self.base(),
                "list": self.kernel("list", cwd=many, piped=True),
                "complete": self.kernel("completion", "--words", "bash", "call", "bench", "--f", piped=True),
                "help": self.kernel("help", "bench", piped=True),
            },
            self.rounds,
        )
        yield "T9", "list of 5,000 manifests into a pipe", ratio(times, "list"), 5.0, 4.0, "B"
        yield "T9", "completion of a flag", ratio(times, "complete"), 1.7, 1.5, "B"
        yield "T9", "help TOOL into a pipe", ratio(times, "help"), 1.6, 1.35, "B"

    def reading(self) -> Iterable[Row]:
        """T8: manifest text to a tree with places, against yaml's loaders, over the shipped manifests."""
        import yaml

        from kernel import manifest, yaml_pure

        def without_libyaml() -> None:
            with_libyaml, manifest._parser = manifest._parser, yaml_pure.event_source
            try:
                ours()
            finally:
                manifest._parser = with_libyaml

        files = sorted((Path(__file__).resolve().parent.parent.parent / "tools.d").glob("*.yaml"))
        texts = [file.read_bytes() for file in files]

        def ours() -> None:
            for file, data in zip(files, texts, strict=True):
                manifest.read(data, str(file))

        def theirs(loader: object) -> Callable[[], None]:
            def load() -> None:
                for data in texts:
                    yaml.load(data, Loader=loader)  # type: ignore[arg-type]

            return load

        if yaml.__with_libyaml__:
            times = race_functions({"ours": ours, "theirs": theirs(yaml.CSafeLoader)}, self.rounds)
            yield "T8", "manifest text to a tree, against CSafeLoader", ratio(times, "theirs", "ours"), 1.3, 1.5, "x>"
        times = race_functions({"ours": without_libyaml, "theirs": theirs(yaml.SafeLoader)}, self.rounds)
        yield "T8", "the same without libyaml, against SafeLoader", ratio(times, "theirs", "ours"), 1.2, 1.3, "x>"

    def imports(self) -> Iterable[Row]:
        """T17: how many modules beyond the allowed ones a warm call imports."""
        from imported import surplus

        place.age(self.few)
        command = self.kernel("call", "bench", *place.WORDS)
        command.check()
        found = surplus(
            self.environment.python, str(self.environment.packages), ["call", "bench", *place.WORDS], self.few, self.env
        )
        yield "T17", "modules a warm call imports beyond the allowed ones" + "".join(f" {n}" for n in found), len(found), 0, 0, ""

    def launcher(self) -> Iterable[Row]:
        """T18: the launcher with a main that returns."""
        from installed import Environment

        fresh = Environment(self.root / "stub").install_stub("def main():\n    pass\n")
        times = race(
            {
                "B": Command([fresh.python, "-I", "-c", "pass"], self.few, self.env),
                "launcher": Command([fresh.launcher], self.few, self.env),
            },
            self.rounds,
        )
        yield "T18", "the launcher with a main that returns", ratio(times, "launcher"), 1.3, 1.2, "B"

    def binding(self) -> Iterable[Row]:
        """T5 to T7."""
        import binding

        yield from binding.rows()

    def running(self) -> Iterable[Row]:
        """T10 and T11."""
        import running

        yield from running.rows()

    def shell(self) -> Iterable[Row]:
        """T12 to T15."""
        import shell

        yield from shell.rows(self.environment.python, Path(self.environment.packages), self.few, self.env, self.rounds)

    def serving(self) -> Iterable[Row]:
        """T16, where the MCP SDK is installed."""
        import importlib.util

        if importlib.util.find_spec("mcp"):
            import serving

            yield from serving.rows()

    def peers(self) -> Iterable[Row]:
        """What T1 is compared with, where it is installed: the time of a small program of another library."""
        import importlib.util

        programs = {
            "argparse": "import argparse; p = argparse.ArgumentParser(); p.add_argument('-v'); p.parse_args(['-v', '1'])",
            "click": "import click; click.command()(click.option('-v')(lambda v: None)).main(['-v', '1'], standalone_mode=False)",
        }
        commands = {"B": Command([sys.executable, "-I", "-c", "pass"], self.few, self.env)}
        for name, program in programs.items():
            if importlib.util.find_spec(name):
                commands[name] = Command([sys.executable, "-I", "-c", program], self.few, self.env)
        times = race(commands, self.rounds)
        for name in commands:
            if name != "B":
                yield "peer", f"one option with {name}", ratio(times, name), 0, 0, "B"


def race_functions(functions: dict[str, Callable[[], None]], rounds: int) -> dict[str, list[float]]:
    """The times of each function, round by round, in a random order within a round."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(rounds):
        order = list(functions)
        random.shuffle(order)
        for name in order:
            begin = time.perf_counter()
            functions[name]()
            times[name].append(time.perf_counter() - begin)
    return times


PARTS: list[tuple[tuple[str, ...], Callable[[Bench], Iterable[Row]]]] = [
    (("T1", "T2", "T3", "T4"), Bench.calls),
    (("T5", "T6", "T7"), Bench.binding),
    (("T8",), Bench.reading),
    (("T9",), Bench.doors),
    (("T10", "T11"), Bench.running),
    (("T12", "T13", "T14", "T15"), Bench.shell),
    (("T16",), Bench.serving),
    (("T17",), Bench.imports),
    (("T18",), Bench.launcher),
    (("peer",), Bench.peers),
]


def show(row: Row) -> bool:
    """Prints a row; whether it is within its gate. One without a number says itself why."""
    name, what, value, gate, goal, unit = row
    if math.isnan(value):
        print(f"{name:<5} {what}", flush=True)
        return True
    at_least = unit.endswith(">")
    good = (not gate and unit != "") or (value >= gate if at_least else value <= gate)
    bounds = f"gate {gate:g}  goal {goal:g}" if gate or unit == "" else ""
    verdict = "" if not bounds else "ok" if good else "PAST THE GATE"
    print(f"{name:<5} {what:<58} {value:8.3g} {unit.rstrip('>'):<3} {bounds:<22} {verdict}".rstrip(), flush=True)
    return good


def main(words: list[str]) -> int:
    """The exit status: 1 with `--gate` when a row is past its gate."""
    here = Path(__file__).resolve().parent
    sys.path[:0] = [str(here.parent), str(here.parent.parent)]
    only: set[str] = set()
    rounds = LEAST_ROUNDS
    gate = False
    rest = iter(words)
    for word in rest:
        if word == "--only":
            only = set(next(rest).split(","))
        elif word == "--rounds":
            rounds = max(int(next(rest)), LEAST_ROUNDS)
        elif word == "--gate":
            gate = True
        else:
            print(__doc__, file=sys.stderr)
            return 2
    good = True
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), rounds)
        for ids, part in PARTS:
            if not only or only & set(ids):
                for row in part(bench):
                    if not only or row[0] in only:
                        good = show(row) and good
        os.chdir("/")
    return 0 if good or not gate else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
