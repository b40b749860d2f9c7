"""The kernel itself ended in the middle of a call: its child goes with it, and what was written is delivered (X11)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from kernel_case import Case
from terminal import KERNEL

from kernel import descent

PATIENCE = 60.0  # seconds after which a test is stuck
TOOL = "description: D.\neffect: read\nexec: [./run.sh]\n"
# a deaf child with a deaf one of its own, one in a session of its own, and one that is forked twice
STUBBORN = """
trap '' TERM INT HUP
(setsid sh -c 'trap "" TERM; sleep 600; :' &)
sh -c 'sleep 600; :' &
echo early
echo ready > ready
while :; do sleep 1; done
"""
POLITE = "trap 'echo late; exit 7' TERM INT HUP; echo early; echo ready >> ready; while :; do sleep 0.05; done"


@pytest.fixture
def case(tmp_path: Path) -> Case:
    found = Case(tmp_path).tool("x", TOOL)
    found.env["KERNEL_CALL"] = os.urandom(8).hex()
    return found


def start(case: Case, *words: str) -> subprocess.Popen[bytes]:
    """A kernel whose child has said that it runs."""
    ready, pipe = case.cwd / "ready", subprocess.PIPE
    before = ready.stat().st_size if ready.exists() else 0
    command = [*KERNEL, "call", *words]
    child = subprocess.Popen(
        command, cwd=case.cwd, env=case.env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, process_group=0
    )
    end = time.monotonic() + PATIENCE
    while not (ready.exists() and ready.stat().st_size > before):
        assert time.monotonic() < end
        time.sleep(0.01)
    return child


def none_is_left(case: Case) -> bool:
    """Waits until nothing with the case's mark runs; False when something stays."""
    end = time.monotonic() + 6
    while found := descent.belonging([case.env["KERNEL_CALL"]]):
        alive = [pid for pid in found if _state(pid) not in ("", "Z", "X")]
        if not alive:
            return True
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "QUIT", "USR1", "ALRM", "PROF", "XCPU", "ABRT"])
def test_a_captured_call_ends_with_the_kernel(case: Case, name: str) -> None:
    case.script("run.sh", STUBBORN)
    child = start(case, "--json", "x")
    child.send_signal(getattr(signal, f"SIG{name}"))
    out, err = child.communicate()
    found = json.loads(out)
    assert (found["stdout"], found["signal"], found["exit_code"]) == ("early\n", f"SIG{name}", None)
    assert child.returncode == -getattr(signal, f"SIG{name}")
    assert err == b""
    assert none_is_left(case)


def test_a_child_that_says_goodbye_is_heard(case: Case) -> None:
    case.script("run.sh", POLITE)
    child = start(case, "--json", "x")
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate()
    assert json.loads(out)["stdout"] == "early\nlate\n"
    assert none_is_left(case)


def test_signals_again_and_again_change_nothing(case: Case) -> None:
    case.script("run.sh", STUBBORN)
    child = start(case, "--json", "x")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        child.send_signal(number)
        time.sleep(0.05)
    out, _ = child.communicate()
    assert json.loads(out)["signal"] == "SIGTERM"
    assert none_is_left(case)


def test_a_reader_that_goes_away_ends_a_captured_call(case: Case) -> None:
    """Nobody is left to read the object, however long the program would go on."""
    case.script("run.sh", STUBBORN)
    child = start(case, "--json", "x")
    assert child.stdout is not None
    child.stdout.close()
    child.stdout = None
    assert child.communicate()[1] == b""
    assert child.returncode == -signal.SIGPIPE
    assert none_is_left(case)


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP"])
@pytest.mark.parametrize("audited", ["0", "1"])
def test_an_attached_call_gets_the_signal(case: Case, name: str, audited: str) -> None:
    case.env["KERNEL_AUDIT"] = audited
    case.script("run.sh", POLITE)
    child = start(case, "--timeout", "60s", "x")
    child.send_signal(getattr(signal, f"SIG{name}"))
    out, err = child.communicate()
    assert (out, err, child.returncode) == (b"early\nlate\n", b"", 7)
    assert none_is_left(case)


@pytest.mark.parametrize("options", [[], ["--timeout", "60s"]])
def test_a_reader_that_goes_away_ends_an_attached_call_silently(case: Case, options: list[str]) -> None:
    case.script("run.sh", "echo ready > ready; while echo early; do :; done")
    child = start(case, *options, "x")
    assert child.stdout is not None
    assert child.stdout.readline() == b"early\n"
    child.stdout.close()
    child.stdout = None
    assert child.communicate()[1] in (b"", b"./run.sh: 1: echo: echo: I/O error\n")
    assert child.returncode in (0, -signal.SIGPIPE)
    assert none_is_left(case)


def test_a_builtin_that_is_ended_in_the_middle(case: Case) -> None:
    child = subprocess.Popen(
        [*KERNEL, "call", "--json", "sleep", "600"], cwd=case.cwd, env=case.env, stdout=subprocess.PIPE, process_group=0
    )
    end = time.monotonic() + PATIENCE
    while len(descent.belonging([case.env["KERNEL_CALL"]])) < 2:  # the kernel, and the process of the builtin
        assert time.monotonic() < end
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    out, _ = child.communicate()
    assert json.loads(out)["signal"] == "SIGTERM"
    assert none_is_left(case)


INTERRUPTED = """
import sys
sys.path.insert(0, sys.argv[1])
from kernel import Kernel
kernel = Kernel.load()
try:
    kernel.call("x")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_a_library_that_is_interrupted_leaves_nothing(case: Case) -> None:
    import sys

    from kernel_case import ROOT

    case.script("run.sh", STUBBORN)
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(ROOT)], cwd=case.cwd, env=case.env, stdout=subprocess.PIPE, process_group=0
    )
    while not (case.cwd / "ready").exists():
        time.sleep(0.01)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate()
    assert out == b"interrupted\n"
    assert none_is_left(case)


def test_many_kernels_ended_at_once(case: Case) -> None:
    case.script("run.sh", POLITE)
    children = [start(case, "--json", "x") for _ in range(12)]
    results: list[str] = []

    def end(child: subprocess.Popen[bytes]) -> None:
        child.send_signal(signal.SIGTERM)
        results.append(json.loads(child.communicate()[0])["signal"])

    threads = [threading.Thread(target=end, args=(child,)) for child in children]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["SIGTERM"] * 12
    assert none_is_left(case)
