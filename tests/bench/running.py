"""How fast children are started and their output taken (performance.md T10, T11), in this process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from kernel import feed, process

ROUNDS = 101
BIG = 100 * 1024 * 1024  # bytes
BIG_ROUNDS = 7
# the child of the memory row: captures BIG bytes and prints by how many bytes its peak grew (VmHWM is of this program
# alone; ru_maxrss starts with what the parent used)
GROWTH = f"""
import os, sys
from kernel import feed, process
stdin = feed.descriptor(b"")
def peak():
    with open("/proc/self/status") as status:
        return [int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")][0]
process.capture("/bin/true", ["true"], dict(os.environ), stdin=stdin)
before = peak()
outcome = process.capture(sys.argv[1], ["head", "-c", "{BIG}", "/dev/zero"], dict(os.environ), stdin=stdin)
assert outcome.out.size == {BIG}
print(peak() - before)
"""


def _program(name: str) -> str:
    for place in ("/bin", "/usr/bin"):
        if os.access(f"{place}/{name}", os.X_OK):
            return f"{place}/{name}"
    raise FileNotFoundError(name)


def _time(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def spawn_ratio() -> float:
    """T10: spawn and wait with two pipes against bare posix_spawn, the median of per-round ratios."""
    true = _program("true")
    environment = dict(os.environ)

    def bare() -> None:
        os.waitpid(os.posix_spawn(true, ["true"], environment), 0)

    def captured() -> None:
        stdin = feed.descriptor(b"")
        outcome = process.capture(true, ["true"], environment, stdin=stdin)
        os.close(stdin)
        assert outcome.status == 0

    ratios = []
    for round in range(ROUNDS):
        first, second = (bare, captured) if round % 2 else (captured, bare)
        times = {first: _time(first), second: _time(second)}
        ratios.append(times[captured] / times[bare])
    return statistics.median(ratios)


def capture_ratio() -> float:
    """T11: how many times faster 100 MiB are captured than by subprocess.run."""
    head = _program("head")
    argv = ["head", "-c", str(BIG), "/dev/zero"]
    environment = dict(os.environ)
    stdin = feed.descriptor(b"")
    ratios = []
    for _ in range(BIG_ROUNDS):
        ours = _time(lambda: process.capture(head, argv, environment, stdin=stdin))
        theirs = _time(lambda: subprocess.run([head, *argv[1:]], capture_output=True, stdin=stdin, check=True))
        ratios.append(theirs / ours)
    os.close(stdin)
    return statistics.median(ratios)


def capture_growth() -> float:
    """T11: by how many MB the peak of a process grows that captures 100 MiB."""
    script = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(process.__file__))!r})\n{GROWTH}"
    done = subprocess.run([sys.executable, "-c", script, _program("head")], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1e6


def rows() -> list[tuple[str, str, float, float, float, str]]:
    """(id, what, value, gate, goal, unit); a unit that ends in `>` is "at least"."""
    return [
        ("T10", "spawn and wait with two pipes / bare posix_spawn", spawn_ratio(), 1.25, 1.20, "x"),
        ("T11", "capture 100 MiB: subprocess.run / ours", capture_ratio(), 3.0, 4.0, "x>"),
        ("T11", "memory growth over 100 MiB", capture_growth(), 8.0, 4.0, "MB"),
    ]


if __name__ == "__main__":
    for row in rows():
        print(*row)
