"""Captured children: output caps, deadlines, groups, escapees (running.md X3, X4)."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kernel import feed, process, spill
from kernel.mark import marked
from kernel.stream import ROOM, TAIL

ROWS = [json.loads(line) for line in (Path(__file__).parent.parent / "corpus/run/process.jsonl").read_text().splitlines()]
ROOT = Path(__file__).resolve().parent.parent.parent


def capture(*argv: str, stdin: bytes = b"", **options: Any) -> process.Outcome:
    descriptor = feed.descriptor(stdin)
    environment = options.pop("environment", dict(os.environ))
    try:
        return process.capture(argv[0], list(argv), environment, stdin=descriptor, **options)
    finally:
        os.close(descriptor)


def shell(script: str, **options: Any) -> process.Outcome:
    return capture("/bin/sh", "-c", script, **options)


def python(script: str, **options: Any) -> process.Outcome:
    return capture(sys.executable, "-I", "-c", textwrap.dedent(script), **options)


def is_running(pid: int) -> bool:
    """Whether a process runs (one that has ended and was not waited for does not)."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(path: Path) -> str:
    """The content of a file that another process writes."""
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)
    return path.read_text()


@pytest.mark.parametrize("row", [row for row in ROWS if row["input"]["argv"][0] in ("sh", "cat")], ids=lambda row: row["id"])
def test_process_rows(row: dict[str, Any]) -> None:
    given, expected = row["input"], row["expect"]["structuredContent"]
    argv = [f"/bin/{given['argv'][0]}", *given["argv"][1:]]
    options: dict[str, Any] = {"timeout": given.get("timeout_ms", 0) / 1000}
    if "output_limit_bytes" in given:
        options["output"] = given["output_limit_bytes"]
    outcome = capture(*argv, **options)
    assert (None if outcome.ended else outcome.status) == expected["exitCode"]
    assert outcome.out.head().decode() == expected["stdout"]
    assert outcome.err.head().decode() == expected["stderr"]
    assert (outcome.ended == "timeout") == expected["timedOut"]
    assert (outcome.out.truncated, outcome.err.truncated) == (expected["stdoutTruncated"], expected["stderrTruncated"])


def test_a_program_that_cannot_be_started_is_an_os_error() -> None:
    before = set(os.listdir("/proc/self/fd"))
    for argv in (["/nowhere/program"], ["/bin/true", "y" * 140_000]):
        with pytest.raises(OSError) as caught:
            capture(*argv)
        assert caught.value.errno in (errno.ENOENT, errno.E2BIG)
    assert set(os.listdir("/proc/self/fd")) == before


def test_status_signal_and_both_streams() -> None:
    outcome = shell("echo out; echo err >&2; kill -9 $$")
    assert (outcome.status, outcome.out.head(), outcome.err.head(), outcome.ended) == (-9, b"out\n", b"err\n", "")


def test_the_child_has_a_session_of_its_own_and_default_signals() -> None:
    outcome = python(
        """
        import os, signal
        print(os.getsid(0) == os.getpid())
        print(signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set())
        status = open("/proc/self/status").read().split("SigIgn:")[1].split()[0]
        print(int(status, 16) & (1 << (signal.SIGXFSZ - 1)))
        """
    )
    # an interpreter ignores SIGXFSZ for itself, so only the first two lines are the child's own
    assert outcome.out.head().split()[:2] == [b"True", b"True"]
    assert shell("kill -PIPE $$").status == -signal.SIGPIPE


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 200_000, 3_000_000])
def test_stdin_is_given_without_being_fed(size: int) -> None:
    data = os.urandom(1000) * (size // 1000) + b"x" * (size % 1000)
    outcome = capture("/bin/cat", stdin=data, output=4_000_000)
    assert outcome.out.head() == data


@pytest.mark.parametrize("size", [0, 9, 10, 11, 70_000, 10 + TAIL, 11 + TAIL, ROOM, 2_000_001])
def test_the_head_and_the_tail_of_a_stream(size: int) -> None:
    script = f"import sys\nfor at in range(0, {size}, 1000): sys.stdout.write(str(at % 7) * min(1000, {size} - at))"
    whole = b"".join([str(at % 7).encode() * min(1000, size - at) for at in range(0, size, 1000)])
    outcome = python(script, output=10)
    assert outcome.out.head() == whole[:10]
    assert outcome.out.tail() == whole[10:][-TAIL:]
    assert (outcome.out.size, outcome.out.truncated) == (size, size > 10)


def test_many_small_writes_keep_the_tail() -> None:
    outcome = python("import os\nfor at in range(30000): os.write(1, b'%06d' % at)", output=100)
    whole = b"".join([b"%06d" % at for at in range(30000)])
    assert outcome.out.tail() == whole[-TAIL:]


def test_the_head_grows_to_its_cap() -> None:
    outcome = python("print('x' * 999_999)", output=1_000_000)
    assert outcome.out.head() == b"x" * 999_999 + b"\n"
    assert not outcome.out.truncated


def test_a_long_stream_is_spilled_whole(tmp_path: Path) -> None:
    outcome = python("print('ab' * 400_000)", output=1000, spill=str(tmp_path / "output"))
    assert outcome.out.spill is not None
    file = Path(outcome.out.spill)
    assert file.read_bytes() == b"ab" * 400_000 + b"\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert outcome.err.spill is None


def test_a_short_stream_is_not_spilled(tmp_path: Path) -> None:
    outcome = shell("echo x", output=1000, spill=str(tmp_path / "output"))
    assert outcome.out.spill is None
    assert not (tmp_path / "output").exists()


def test_spill_files_go_after_a_day_or_a_gibibyte(tmp_path: Path) -> None:
    now = time.time()
    for name, age, size in (("old", 90_000, 1), ("big", 50, 1 << 30), ("new", 10, 100), ("other", 60, 1)):
        path = tmp_path / f"{name}.out"
        with open(path, "wb") as file:
            file.truncate(size)
        os.utime(path, (now - age, now - age))
    (tmp_path / "keep.txt").touch()
    spill.clean(str(tmp_path), now)
    assert sorted(os.listdir(tmp_path)) == ["keep.txt", "new.out"]


def test_a_spill_that_finds_no_room_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spill, "TOTAL", 100_000)
    outcome = python("print('x' * 300_000)", output=1000, spill=str(tmp_path))
    assert outcome.out.spill is None
    assert os.listdir(tmp_path) == []
    assert outcome.out.size == 300_001


def test_an_unwritable_state_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = python("print('x' * 3000)", output=1000, spill=str(tmp_path / "file/output"))
    assert (outcome.out.spill, outcome.out.size) == (None, 3001)


def test_the_working_directory_in_both_ways(tmp_path: Path) -> None:
    before = os.getcwd()
    for one_shot in (True, False):
        outcome = shell("pwd; exit 3", cwd=str(tmp_path), one_shot=one_shot)
        assert (outcome.out.head().decode().strip(), outcome.status) == (os.path.realpath(tmp_path), 3)
    assert os.getcwd() == before


def test_a_descriptor_is_kept_in_both_ways(tmp_path: Path) -> None:
    for cwd, one_shot in (("", True), ("", False), (str(tmp_path), False)):
        keep = feed.descriptor(b"kept")
        outcome = capture("/bin/cat", f"/dev/fd/{keep}", keep=keep, cwd=cwd, one_shot=one_shot)
        os.close(keep)
        assert outcome.out.head() == b"kept"


def test_no_other_descriptor_reaches_the_child() -> None:
    spare = feed.descriptor(b"x")
    outcome = shell(f"test -e /dev/fd/{spare} || echo none")
    os.close(spare)
    assert outcome.out.head() == b"none\n"


def test_limits_of_the_child() -> None:
    import resource

    limits = [(resource.RLIMIT_CPU, (7, 9)), (resource.RLIMIT_DATA, (1 << 30, 1 << 30))]
    outcome = python("import time; time.sleep(0.1); print(*open('/proc/self/limits'))", limits=limits)
    lines = [line.split() for line in outcome.out.head().decode().splitlines()]
    assert ["Max", "cpu", "time", "7", "9", "seconds"] in lines
    assert ["Max", "data", "size", str(1 << 30), str(1 << 30), "bytes"] in lines


def test_a_closed_stream_does_not_end_the_wait() -> None:
    assert shell("exec >&- 2>&-; sleep 0.2; exit 5").status == 5


def test_pipes_that_a_daemon_holds_are_drained_for_a_moment_only(tmp_path: Path) -> None:
    daemon = "import os, time; os.setsid(); open('pid', 'w').write(str(os.getpid())); time.sleep(300)"
    script = f"import subprocess, sys; subprocess.Popen([sys.executable, '-I', '-c', {daemon!r}]); print('done')"
    outcome = python(script, cwd=str(tmp_path), one_shot=True)
    assert (outcome.status, outcome.out.head(), outcome.ended) == (0, b"done\n", "")
    pid = int(wait_for(tmp_path / "pid"))
    assert is_running(pid)  # it has a session of its own: a daemon that is meant to live
    os.kill(pid, signal.SIGKILL)


def test_left_over_members_of_the_group_are_killed(tmp_path: Path) -> None:
    outcome = shell("sleep 300 >/dev/null 2>&1 & echo $!")
    pid = int(outcome.out.head())
    while is_running(pid):
        time.sleep(0.01)


ESCAPE = """
    import os, sys, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if "drop" in sys.argv:
                for number in (0, 1, 2): os.close(number)
            open(sys.argv[1], "w").write(str(os.getpid()))
            time.sleep(300)
        os._exit(0)
    while not os.path.exists(sys.argv[1]): time.sleep(0.01)
    print("out", flush=True)
    time.sleep(300)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="what belongs to a call is found by /proc")
@pytest.mark.parametrize("how", ["mark", "pipes"])
def test_a_timeout_takes_a_double_fork_with_it(how: str, tmp_path: Path) -> None:
    path = tmp_path / "pid"
    script = textwrap.dedent(ESCAPE)
    argv = [sys.executable, "-I", "-c", script, str(path), *(["drop"] if how == "mark" else [])]
    if how == "pipes":  # what clears its environment is found by the pipes it holds
        argv = ["/usr/bin/env", "-i", *argv]
    outcome = capture(*argv, timeout=1.0)
    assert (outcome.ended, outcome.out.head()) == ("timeout", b"out\n")
    assert not is_running(int(path.read_text()))


def test_a_deaf_child_is_killed_after_its_grace() -> None:
    outcome = shell("trap '' TERM; printf deaf; sleep 300", timeout=0.2)
    assert (outcome.ended, outcome.status, outcome.out.head()) == ("timeout", -signal.SIGKILL, b"deaf")
    assert outcome.duration >= process.GRACE


def test_a_child_may_say_goodbye() -> None:
    outcome = shell("trap 'echo bye; exit 7' TERM; echo hello; while :; do sleep 0.05; done", timeout=0.3)
    assert (outcome.ended, outcome.status, outcome.out.head()) == ("timeout", 7, b"hello\nbye\n")


def test_a_stopped_child_can_be_ended() -> None:
    outcome = shell("kill -STOP $$", timeout=0.2)
    assert (outcome.ended, outcome.status) == ("timeout", -signal.SIGTERM)


def test_a_cancelled_call_keeps_its_output(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    ready = tmp_path / "ready"
    results: list[process.Outcome] = []
    script = f"echo part; echo x > {ready}; sleep 300"
    thread = threading.Thread(target=lambda: results.append(shell(script, cancel=reader)))
    thread.start()
    wait_for(ready)
    os.write(writer, b"!")
    thread.join()
    os.close(reader)
    os.close(writer)
    assert (results[0].ended, results[0].out.head(), results[0].status) == ("cancel", b"part\n", -signal.SIGTERM)


def test_an_interrupted_library_call_leaves_nothing_behind(tmp_path: Path) -> None:
    script = f"""
        import os, sys
        sys.path.insert(0, {str(ROOT)!r})
        from kernel import feed, process
        try:
            process.capture("/bin/sh", ["sh", "-c", "echo $$ > pid; sleep 300"], dict(os.environ), stdin=feed.descriptor(b""))
        except KeyboardInterrupt:
            print("interrupted")
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, stdout=subprocess.PIPE)
    pid = int(wait_for(tmp_path / "pid"))
    child.send_signal(signal.SIGINT)
    assert child.communicate()[0] == b"interrupted\n"
    assert not is_running(pid)


def run_to_the_end(tmp_path: Path, lines: str) -> bytes:
    """Runs a program in which `run()` is a call that writes its process id, and which ends after ``lines``."""
    script = f"""
import atexit, os, sys, threading, time
sys.path.insert(0, {str(ROOT)!r})
from kernel import feed, process
argv = ["sh", "-c", "echo $$ > pid; sleep 300"]
def run(argv=argv):
    return process.capture("/bin/sh", argv, dict(os.environ), stdin=feed.descriptor(b""))
def written():
    return os.path.exists("pid") and os.path.getsize("pid")
"""
    code = script + textwrap.dedent(lines)
    return subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, stdout=subprocess.PIPE).stdout


def test_calls_that_run_end_with_the_interpreter(tmp_path: Path) -> None:
    run_to_the_end(
        tmp_path,
        """
        threading.Thread(target=run, daemon=True).start()
        while not (process._live and written()): time.sleep(0.01)
        """,
    )
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_a_call_that_is_just_beginning_ends_with_the_interpreter(tmp_path: Path) -> None:
    run_to_the_end(
        tmp_path,
        """
        begun, spawn = threading.Event(), process._spawn
        def slow(*words):
            pid = spawn(*words)
            while not written(): time.sleep(0.01)
            begun.set()
            while not process._last: time.sleep(0.01)  # until the interpreter ends
            return pid
        process._spawn = slow
        threading.Thread(target=run, daemon=True).start()
        begun.wait()
        """,
    )
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_at_the_interpreters_end_only_its_own_thread_begins_calls(tmp_path: Path) -> None:
    said = run_to_the_end(
        tmp_path,
        """
        tried = threading.Event()
        def late():
            while not process._last: time.sleep(0.01)
            try:
                run()
            except OSError as error:
                print(error.strerror)
            tried.set()
        threading.Thread(target=late, daemon=True).start()
        def last():
            tried.wait()
            print(run(["sh", "-c", "echo cleaned"]).out.head().decode(), end="", flush=True)
        atexit.unregister(process._end)
        atexit.register(last)  # what is registered first is done last
        atexit.register(process._end)
        """,
    )
    assert said == b"the interpreter is ending\ncleaned\n"
    assert not (tmp_path / "pid").exists()


def test_marks_nest() -> None:
    outer = marked("", "a")
    assert marked(outer, "b") == "a:b"
    outcome = shell("echo $KERNEL_CALL", environment={"KERNEL_CALL": "outer", "PATH": "/bin"})
    assert outcome.out.head().startswith(b"outer:")


def test_many_calls_at_once_are_told_apart() -> None:
    results: dict[int, bytes] = {}

    def run(number: int) -> None:
        results[number] = shell(f"sleep 0.0{number % 5}; echo {number}").out.head()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: f"{number}\n".encode() for number in range(20)}


def test_nothing_is_left_open() -> None:
    before = set(os.listdir("/proc/self/fd"))
    shell("head -c 3000000 /dev/zero", output=100)
    shell("sleep 300", timeout=0.05)
    assert set(os.listdir("/proc/self/fd")) == before


def test_standard_numbers_may_be_closed() -> None:
    script = f"""
        import os, sys
        sys.path.insert(0, {str(ROOT)!r})
        from kernel import feed, process
        os.close(0); os.close(1)
        outcome = process.capture("/bin/cat", ["cat"], dict(os.environ), stdin=feed.descriptor(b"hello"))
        os.write(2, outcome.out.head())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], stderr=subprocess.PIPE, check=True)
    assert done.stderr == b"hello"


def test_a_lost_status_is_unknown() -> None:
    script = f"""
        import os, signal, sys
        sys.path.insert(0, {str(ROOT)!r})
        from kernel import feed, process
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        outcome = process.capture("/bin/sh", ["sh", "-c", "echo x; exit 3"], dict(os.environ), stdin=feed.descriptor(b""))
        print(outcome.status, outcome.out.head())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "None b'x\\n'\n"
