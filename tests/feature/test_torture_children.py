"""Children that do their worst, on real processes: nothing of them is left, the deadline holds, what they wrote is there.

Whatever a child starts is known by the mark that the test's own environment carries, or by its working directory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case
from terminal import KERNEL, Terminal

from kernel import descent
from kernel.api import Kernel

DEADLINE = 0.5  # seconds; a call may take 2.5 more (TERM, two seconds, KILL)
MERCY = 6.0  # seconds more on a machine that does much else
CHILDREN = {
    "ignores TERM": "trap '' TERM INT HUP QUIT; echo early; while :; do sleep 1; done",
    "ignores TERM in every process": "trap '' TERM; sh -c 'sleep 600' & (sh -c 'sleep 600') & echo early; wait",
    "double-forks": """(sh -c 'trap "" TERM; sleep 600; :' &)
        (setsid sh -c '(sleep 600 &) ; (sleep 600 &)' &)
        echo early; sleep 600""",
    "starts a session": "setsid sh -c 'trap \"\" TERM; setsid sleep 600; :' & echo early; exec setsid -w sleep 600",
    "clears its environment": "setsid env -i sh -c 'trap \"\" TERM; sleep 600; :' & echo early; sleep 600",
    "closes its output": "echo early; exec >&- 2>&-; sleep 600",
    "floods both streams": "echo early; cat /dev/zero >&2 & exec cat /dev/zero",
    "stops itself": "echo early; kill -STOP $$",
    "never reads": "echo early; sleep 600",
    "sends signals to its group": "trap '' TERM HUP; echo early; kill -HUP 0; kill -TERM 0; sleep 600",
}
TOOL = "description: D.\neffect: read\nexec: [./run.sh]\n"


def left_over(case: Case) -> list[str]:
    """The command lines of what runs on with the case's mark, or in its directory; a killed one takes a moment to go."""
    end = time.monotonic() + MERCY
    while (found := running(case)) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def running(case: Case) -> list[str]:
    found = []
    for pid in descent.processes():
        try:
            at = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            at = ""
        if at.startswith(str(case.cwd)) or descent.carries(pid, [case.env["KERNEL_CALL"]]):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state not in "ZX":
                found.append(line.replace(b"\0", b" ").decode())
    return found


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    found = Case(tmp_path)
    found.env["KERNEL_CALL"] = os.urandom(8).hex()
    return found


def start(case: Case, *words: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    command = [*KERNEL, "call", *words]
    return subprocess.Popen(command, cwd=case.cwd, env=case.env, stdin=stdin, stdout=pipe, stderr=pipe, process_group=0)


@pytest.mark.parametrize("child", CHILDREN)
def test_a_deadline_ends_it_at_every_door(case: Case, child: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--json`, attached with a timeout, and the library, all at once."""
    for name, value in case.env.items():
        monkeypatch.setenv(name, value)
    case.tool("x", TOOL).script("run.sh", CHILDREN[child])
    before = open_files()
    captured = start(case, "--json", "--timeout", f"{DEADLINE * 1000:.0f}ms", "x")
    floods = "floods" in child
    alone = floods or "stops" in child  # attached, the flood is the reader's affair, and a stopped child is a stopped job
    if not alone:
        attached = start(case, "--timeout", f"{DEADLINE * 1000:.0f}ms", "x")
    result = Kernel.load(cwd=case.cwd).using(timeout=DEADLINE).call("x")
    assert result.timed_out
    assert result.duration_s < DEADLINE + 2.5 + MERCY
    assert result.stdout.startswith("early\n")
    assert result.stdout_truncated == floods
    out, _ = captured.communicate()
    found = json.loads(out)
    assert (captured.returncode, found["timed_out"], found["error"]["code"]) == (124, True, "E-TIMEOUT")
    assert found["duration_s"] < DEADLINE + 2.5 + MERCY
    assert found["stdout"].startswith("early\n")
    if not alone:
        out, err = attached.communicate()
        # a child that signals its group strikes the kernel as well: attached, they are one job
        assert attached.returncode in ((124,) if "group" not in child else (124, -1, -15))
        assert out == b"early\n"
        assert b"Traceback" not in err
    assert not left_over(case)
    assert open_files() == before


QUICK = {
    "exits while a child of its own holds the pipes": ("sleep 600 & echo early; exit 5", 5),
    "exits while a deaf grandchild holds the pipes": ("(trap '' TERM; sleep 600; :) & echo early; exit 5", 5),
    "never reads its stdin": ("exec <&-; echo early; exit 5", 5),
    "kills itself": ("sleep 600 & echo early; kill -KILL $$", None),
}


@pytest.mark.parametrize("child", QUICK)
def test_without_a_deadline_its_end_is_the_end(case: Case, child: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.env.items():
        monkeypatch.setenv(name, value)
    script, status = QUICK[child]
    text = TOOL + 'stdin: "{text}"\nparams: [{name: text, default: x}]\n'
    case.tool("x", text).script("run.sh", script)
    before = open_files()
    result = Kernel.load(cwd=case.cwd).call("x", {"text": "y" * 1_000_000})
    assert (result.stdout, result.exit_code, result.timed_out) == ("early\n", status, False)
    assert result.duration_s < MERCY
    assert not left_over(case)
    assert open_files() == before


def test_a_caller_who_never_writes_or_ends_the_input(case: Case) -> None:
    case.tool("x", TOOL).script("run.sh", "echo early; cat")
    reader, writer = os.pipe()
    child = start(case, "--json", "--timeout", "300ms", "x", stdin=reader)
    out, _ = child.communicate()
    assert json.loads(out)["stdout"] == "early\n"
    assert child.returncode == 124
    os.close(reader)
    os.close(writer)
    assert not left_over(case)


def test_a_daemon_that_is_started_on_purpose_lives_on(case: Case) -> None:
    script = "setsid sh -c 'echo $$ > pid; exec sleep 600' & while [ ! -s pid ]; do sleep 0.01; done; echo early"
    case.tool("x", TOOL).script("run.sh", script)
    child = start(case, "--json", "x")
    out, _ = child.communicate()
    assert json.loads(out)["exit_code"] == 0
    daemon = int((case.cwd / "pid").read_text())
    os.kill(daemon, 9)  # raises when it has not lived on


@pytest.mark.parametrize("size", [128 << 20, pytest.param(512 << 20, marks=pytest.mark.nightly)])
def test_a_flood_of_both_streams_takes_no_memory(case: Case, size: int) -> None:
    case.tool("x", TOOL).script("run.sh", f"head -c {size} /dev/zero >&2 & head -c {size} /dev/zero; wait")
    case.tool("small", "description: D.\neffect: read\nexec: [echo, early]\n")
    peaks = []
    for tool in ("small", "x"):
        child = start(case, "--json", tool)
        assert child.stdout is not None and child.stderr is not None
        read = threading.Thread(target=child.stdout.read)
        read.start()
        _, status, used = os.wait4(child.pid, 0)
        read.join()
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stdout.close()
        child.stderr.close()
        assert child.returncode == 0
        peaks.append(used.ru_maxrss * 1024)
    # two streams of 1 MiB each, their text as a result and as JSON, where a NUL is six characters
    assert peaks[1] - peaks[0] < 64 << 20
    assert not left_over(case)


def test_a_flood_keeps_the_beginning_and_a_tail(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.env.items():
        monkeypatch.setenv(name, value)
    script = "(echo first >&2; head -c 20000000 /dev/zero; printf last) | tee /dev/stderr"
    case.tool("x", TOOL).script("run.sh", script)
    result = Kernel.load(cwd=case.cwd).call("x")
    assert result.exit_code == 0
    for text, tail, size in (
        (result.stdout, result.stdout_tail, result.stdout_size),
        (result.stderr, result.stderr_tail, result.stderr_size),
    ):
        assert len(text) == 1 << 20
        assert tail is not None and tail.endswith("last") and len(tail) == 64 << 10
        assert size >= 20_000_004
    assert result.stderr.startswith("first\n")


@pytest.mark.parametrize("options", ["--json --timeout 500ms", "--timeout 500ms"])
def test_a_child_that_changes_the_terminal_and_is_ended(case: Case, options: str) -> None:
    """The kernel puts back what the child cannot any more."""
    case.tool("x", TOOL).script("run.sh", "stty raw -echo -isig; echo early > seen; sleep 600")
    line = " ".join(KERNEL[:1]) + ' -c "$KERNEL_CODE" call ' + options + " x"
    case.env["KERNEL_CODE"] = KERNEL[2]
    terminal = Terminal(["sh", "-c", f"stty -g > before; {line}; stty -g > after"], case.cwd, case.env)
    terminal.wait()
    assert (case.cwd / "seen").exists()
    assert (case.cwd / "after").read_text() == (case.cwd / "before").read_text()
    assert not left_over(case)


def test_two_hundred_calls_at_once(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.env.items():
        monkeypatch.setenv(name, value)
    case.tool("x", TOOL + 'params: [{name: n, type: int}]\nenv: {N: "{n}"}\n')
    case.script("run.sh", 'exec 3< go; echo >> ready; read line <&3; printf "%s" "$N"; sleep 600 &')
    os.mkfifo(case.cwd / "go")
    kernel = Kernel.load(cwd=case.cwd)
    results: dict[int, Any] = {}
    before = open_files()
    gate = os.open(case.cwd / "go", os.O_RDWR | os.O_CLOEXEC)  # while it is open, nobody's read comes to the end

    def run(number: int) -> None:
        try:
            results[number] = kernel.call("x", n=number).stdout
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    ready = case.cwd / "ready"
    while not results and not (ready.exists() and ready.stat().st_size == 200):
        time.sleep(0.02)
    os.close(gate)  # all of them run now
    for thread in threads:
        thread.join()
    assert results == {number: str(number) for number in range(200)}
    assert not left_over(case)
    assert open_files() == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20  # KiB
