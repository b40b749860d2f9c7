"""`kernel call`, attached: the kernel becomes the program, or stays as its parent (running.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from kernel_case import Case
from terminal import KERNEL, Terminal

SH = """
    effect: read
    exec: [./run.sh, "{*}"]
    params: [{name: words, positional: true, repeatable: true}]
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def start(case: Case, *words: str, **options: int) -> subprocess.Popen[bytes]:
    """A kernel of its own, not waited for."""
    pipe = subprocess.PIPE
    command = [*KERNEL, *words]
    return subprocess.Popen(command, cwd=case.cwd, env=case.env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, **options)


def wait_for(path: Path) -> str:
    while not (path.exists() and path.read_text().endswith("\n")):
        time.sleep(0.01)
    return path.read_text().strip()


def state_of(pid: int) -> str:
    """The letter of a process's state, "Z" for one that is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def is_running(pid: int) -> bool:
    return state_of(pid) != "Z"


# ---- becoming the program -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 1, 7, 124, 255])
def test_the_exit_status_is_the_childs(case: Case, status: int) -> None:
    case.tool("x", SH).script("run.sh", f"exit {status}")
    assert case.run("call x").exit == status


def test_the_kernel_becomes_the_program(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "echo $$; echo ${KERNEL_CALL-unmarked}")
    child = start(case, "call", "x")
    out, _ = child.communicate()
    assert out.decode().split() == [str(child.pid), "unmarked"]


def test_the_streams_are_the_callers(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "cat; echo err >&2")
    case.run("call x", stdin=b"a\xffb").is_(
        """
        exit 0
        -- stdout
        a\udcffb\\
        -- stderr
        err
        """
    )


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV", "INT"])
@pytest.mark.parametrize("options", ["", "--timeout 60s"])
def test_ended_by_a_signal_the_kernel_ends_by_the_same(case: Case, name: str, options: str) -> None:
    case.tool("x", SH).script("run.sh", f"kill -{name} $$; sleep 60")
    assert case.run(f"call {options} x").exit == -getattr(signal, f"SIG{name}")


def test_signals_that_the_interpreter_ignores_are_as_they_were(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "grep SigIgn /proc/self/status")
    ignored = int(case.run("call x").ok().stdout.split()[1], 16)
    assert not ignored & (1 << (signal.SIGPIPE - 1))
    assert not ignored & (1 << (signal.SIGXFSZ - 1))


def test_a_reader_that_went_away_is_silent(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "exec yes")
    for tool, words in (("x", []), ("seq", ["1", "10000000"])):
        child = start(case, "call", tool, *words)
        assert child.stdout is not None
        assert child.stdout.readline()
        child.stdout.close()
        child.stdout = None
        assert child.communicate()[1] == b""
        assert child.returncode == -signal.SIGPIPE


# ---- finding it ------------------------------------------------------------------------------------------------


def test_not_found_and_not_executable_say_where_it_was_looked_for(case: Case) -> None:
    case.tool("x", "effect: read\nexec: [no-such-program]").file("bin/plain", "x")
    missing = case.run("call x", env={"PATH": f"{case.cwd}/bin:/nowhere"})
    assert missing.exit == 127
    assert "`no-such-program`" in missing.stderr
    assert "`DIR/bin`, `/nowhere`" in missing.stderr
    case.tool("x", "effect: read\nexec: [plain]")
    refused = case.run("call x", env={"PATH": f"/nowhere:{case.cwd}/bin"})
    assert refused.exit == 126
    assert "`DIR/bin/plain`" in refused.stderr


def test_a_later_executable_wins_over_a_plain_file(case: Case) -> None:
    case.tool("x", "effect: read\nexec: [prog]").file("a/prog").script("b/prog", "echo b")
    (case.cwd / "dir/prog").mkdir(parents=True)
    path = f"{case.cwd}/dir:{case.cwd}/a:{case.cwd}/b:/bin"
    assert case.run("call x", env={"PATH": path}).ok().stdout == "b\n"


@pytest.mark.parametrize("path", ["", ":", ".", "bin", ":/nowhere:.:bin:"])
def test_empty_and_relative_path_entries_are_skipped(case: Case, path: str) -> None:
    case.tool("x", "effect: read\nexec: [prog]").script("prog", "echo here").script("bin/prog", "echo there")
    assert case.run("call x", env={"PATH": path}).exit == 127


def test_a_command_with_a_slash_starts_at_the_directory_of_tools_d(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "pwd")
    (case.cwd / "deep/er").mkdir(parents=True)
    assert case.run("call x", cwd="deep/er").ok().stdout == "DIR/deep/er\n"
    case.tool("x", SH + "    cwd: tools")
    assert case.run("call x", cwd="deep/er").ok().stdout == "DIR\n"


def test_an_argument_that_is_too_long_is_named(case: Case) -> None:
    case.tool("x", 'effect: read\nexec: [/bin/true, a, "{text}"]\nparams: [{name: text, required: true}]')
    for options in ("", "--timeout 9s"):
        refused = case.run(["call", *options.split(), "x", "--text", "y" * 140_000])
        assert refused.exit == 126
        assert "argument 2 (`text`) has 140000 bytes" in refused.stderr


def test_a_script_that_may_not_be_executed_says_how_it_may(case: Case) -> None:
    case.tool("x", "effect: read\nexec: [./bin/x]").file("bin/x", "#!/bin/sh\n").file("sub/y")
    for cwd, shown in (("", "bin/x"), ("sub", "DIR/bin/x")):
        for options in ("", "--timeout 9s"):
            refused = case.run(f"call {options} x", cwd=cwd)
            assert refused.exit == 126
            assert f"  hint: found `DIR/bin/x`, which may not be executed: `chmod +x {shown}`\n" in refused.stderr
    case.tool("y", "effect: read\nexec: [./bin/y]")
    assert "  hint: it was looked for at `DIR/bin/y`\n" in case.run("call y").stderr


@pytest.mark.parametrize(("content", "word"), [("no program", "#!"), ("#!/no/such/interpreter\n", "interpreter")])
def test_a_file_that_cannot_run(case: Case, content: str, word: str) -> None:
    case.tool("x", "effect: read\nexec: [./x]").file("x", content)
    (case.cwd / "x").chmod(0o755)
    for options in ("", "--timeout 9s"):
        refused = case.run(f"call {options} x")
        assert refused.exit == 126
        assert word in refused.stderr


# ---- what the plan says ------------------------------------------------------------------------------------------


def test_environment_directory_and_stdin_of_the_plan(case: Case) -> None:
    case.tool(
        "x",
        """
        effect: read
        exec: [./run.sh]
        env: {TOKEN: "Bearer {token}", UNSET: "{other}"}
        stdin: "{text}"
        cwd: sub
        params: [{name: token, secret: true}, {name: other}, {name: text}]
        """,
    ).script("run.sh", 'cat; echo "$TOKEN|${UNSET-unset}"; pwd').file("sub/.keep")
    for options in ("", "--timeout 60s"):
        out = case.run(["call", *options.split(), "x", "--token", "t", "--text", "é\n"]).ok().stdout
        assert out == "é\nBearer t|unset\nDIR/sub\n"
    assert case.run("call x --token t", stdin="not this").ok().stdout == "Bearer t|unset\nDIR/sub\n"


def test_a_directory_that_cannot_be_entered(case: Case) -> None:
    case.tool("x", "effect: read\nexec: [/bin/true]\ncwd: missing")
    for options in ("", "--timeout 9s"):
        refused = case.run(f"call {options} x")
        assert refused.exit == 2
        assert "DIR/missing" in refused.stderr


def test_long_stdin_needs_nobody_to_feed_it(case: Case) -> None:
    case.tool("x", "effect: read\nexec: [wc, -c]\nstdin: values\nparams: [{name: text}]")
    case.file("args.json", '{"text": "' + "x" * 500_000 + '"}')
    assert case.run("call --args-json @args.json x").ok().stdout.strip() == str(500_000 + len('{"text":""}\n'))


def test_limits_survive_becoming_the_program(case: Case) -> None:
    case.tool("x", SH + "    limits: {cpu: 7s, memory: 1GiB}").script("run.sh", "sleep 0.1; cat /proc/self/limits")
    for options in ("", "--timeout 60s"):
        lines = [line.split() for line in case.run(f"call {options} x").ok().stdout.splitlines()]
        assert ["Max", "cpu", "time", "7", "9", "seconds"] in lines
        assert ["Max", "data", "size", str(1 << 30), str(1 << 30), "bytes"] in lines


# ---- staying for a timeout ---------------------------------------------------------------------------------------


def test_at_the_deadline_the_child_and_its_descendants_end_and_the_group_lives(case: Case) -> None:
    script = "sh -c 'trap \"\" TERM; echo $$ > deaf; sleep 300' & (setsid sleep 300 & echo $! > away); echo $$ > pid; sleep 300"
    case.tool("x", SH).script("run.sh", script)
    neighbour = subprocess.Popen(["sleep", "300"], process_group=0)
    child = start(case, "call", "--timeout", "500ms", "x", process_group=neighbour.pid)
    assert b"timeout of 0.5 s" in child.communicate()[1]
    assert child.returncode == 124
    for name in ("deaf", "away", "pid"):
        assert not is_running(int(wait_for(case.cwd / name))), name
    assert neighbour.poll() is None
    neighbour.kill()
    neighbour.wait()


def test_the_manifests_timeout_holds_and_the_option_wins(case: Case) -> None:
    case.tool("x", SH + "    timeout: 100ms").script("run.sh", "sleep ${1-300}")
    assert case.run("call x").exit == 124
    assert case.run("call --timeout 60s x 0.3").exit == 0


def test_the_kernel_stays_in_the_callers_group(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "cut -d' ' -f5 /proc/self/stat; echo $KERNEL_CALL")
    child = start(case, "call", "--timeout", "60s", "x")
    group, mark = child.communicate()[0].decode().split()
    assert int(group) == os.getpgrp()
    assert mark


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "USR1"])
def test_a_signal_is_passed_on_to_the_child(case: Case, name: str) -> None:
    case.tool("x", SH).script("run.sh", f"trap 'echo got; exit 9' {name}; echo $$ > pid; while :; do sleep 0.02; done")
    child = start(case, "call", "--timeout", "60s", "x")
    wait_for(case.cwd / "pid")
    child.send_signal(getattr(signal, f"SIG{name}"))
    assert child.communicate() == (b"got\n", b"")
    assert child.returncode == 9


def test_a_timed_builtin_is_ended_too(case: Case) -> None:
    case.run("call --timeout 200ms sleep 300").is_(
        """
        exit 124
        -- stderr
        error[E-TIMEOUT]: `sleep` was ended after its timeout of 0.2 s
        """
    )
    assert case.run("call --timeout 60s seq 3").ok().stdout == "1\n2\n3\n"


# ---- on a terminal --------------------------------------------------------------------------------------------------

# a shell reduced to one job: starts argv in a group of its own, in the foreground, and says what it sees
JOB = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    os.setpgid(job, job)
except PermissionError:
    pass
while True:
    status = os.waitpid(job, os.WUNTRACED)[1]
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        break
    print("job stopped", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, job)
    os.killpg(job, signal.SIGCONT)
    print("job continued", flush=True)
print("job ended", os.waitstatus_to_exitcode(status), flush=True)
"""


def on_terminal(case: Case, *words: str) -> Terminal:
    return Terminal([*KERNEL[:1], "-c", JOB, *KERNEL, *words], case.cwd, case.env)


@pytest.mark.parametrize("options", [[], ["--timeout", "60s"]])
def test_ctrl_z_stops_the_job_and_the_shell_continues_it(case: Case, options: list[str]) -> None:
    case.tool("x", SH).script("run.sh", "echo ready; read line; echo got $line")
    terminal = on_terminal(case, "call", *options, "x")
    terminal.expect("ready")
    for _ in range(3):
        terminal.send("\x1a")
        terminal.expect("job stopped")
        terminal.send("fg\n")
        terminal.expect("job continued")
    terminal.send("hello\n")
    terminal.expect("got hello")
    terminal.expect("job ended 0")
    assert terminal.wait() == 0


def test_a_kernel_that_is_stopped_and_continued_alone_takes_the_child_with_it(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done; echo done")
    child = start(case, "call", "--timeout", "60s", "x")
    script = int(wait_for(case.cwd / "pid"))
    for _ in range(3):
        child.send_signal(signal.SIGTSTP)
        while state_of(script) != "T" or state_of(child.pid) != "T":
            time.sleep(0.01)
        child.send_signal(signal.SIGCONT)
        while state_of(script) == "T" or state_of(child.pid) == "T":
            time.sleep(0.01)
    case.file("go")
    assert child.communicate() == (b"done\n", b"")
    assert child.returncode == 0


@pytest.mark.parametrize("options", [[], ["--timeout", "60s"]])
def test_ctrl_c_reaches_the_child_once(case: Case, options: list[str]) -> None:
    script = "n=0; trap 'n=$((n+1))' INT; echo ready; while [ $n = 0 ]; do sleep 0.02; done; sleep 0.2; echo got $n; exit 5"
    case.tool("x", SH).script("run.sh", script)
    terminal = on_terminal(case, "call", *options, "x")
    terminal.expect("ready")
    terminal.send("\x03")
    terminal.expect("got 1")
    terminal.expect("job ended 5")
    assert terminal.wait() == 0


def test_a_destructive_call_asks_on_the_terminal_and_never_reads_stdin(case: Case) -> None:
    case.tool("x", 'effect: destructive\nexec: [./run.sh, "{*}"]\nparams: [{name: what, positional: true}]').script(
        "run.sh", "cat; echo ran $1"
    )
    case.file("in", "y\ny\n")

    def ask(what: str, answer: str) -> str:
        terminal = Terminal(["sh", "-c", '"$@" < in', "sh", *KERNEL, "call", "x", what], case.cwd, case.env)
        terminal.expect(f"run.sh {what}")
        terminal.expect("[N]o: ")
        terminal.send(answer)
        terminal.wait()
        return terminal.shown

    assert "ran one" in ask("one", "y\n")
    assert "E-EFFECT" in ask("one", "\n")
    assert "ran two" in ask("two", "a\n")
    assert case.run("call x two", stdin="in").ok().stdout == "inran two\n"
    assert case.run("call x one").exit == 2
    assert case.run("call --yes x one").ok().stdout == "ran one\n"


# ---- needs -----------------------------------------------------------------------------------------------------------

BOTH = """
    effect: read
    exec: [seq, "{*}"]
    builtin: seq
    needs: {programs: [{seq: ">=2.5"}]}
    params: [{name: numbers, positional: true, repeatable: true}]
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [("seq 2.5", "program 3\n"), ("seq (x) 2.10.1", "program 3\n"), ("seq 2.4.9", "1\n2\n3\n"), ("no", "1\n2\n3\n")],
)
def test_the_program_or_the_builtin_by_version(case: Case, version: str, expected: str) -> None:
    script = f'[ "$1" = --version ] && {{ echo x >> asked; echo "{version}"; exit; }}; echo program "$@"'
    case.tool("x", BOTH).script("bin/seq", script)
    env = {"PATH": f"{case.cwd}/bin:/bin:/usr/bin"}
    for _ in range(3):
        assert case.run("call x 3", env=env).ok().stdout == expected
    assert (case.cwd / "asked").read_text() == "x\n"
    case.script("bin/seq", script + " # changed")
    case.run("call x 3", env=env).ok()
    assert (case.cwd / "asked").read_text() == "x\nx\n"


def test_the_builtin_where_the_program_is_missing(case: Case) -> None:
    case.tool("x", BOTH)
    assert case.run("call x 3", env={"PATH": "/nowhere"}).ok().stdout == "1\n2\n3\n"


def test_what_is_missing_is_said(case: Case) -> None:
    case.tool("a", "effect: read\nexec: [/bin/true]\nneeds: {programs: [nosuch, sh], env: [SOME_TOKEN]}")
    missing = case.run("call a")
    assert missing.exit == 127
    assert "`nosuch`" in missing.stderr
    assert "`SOME_TOKEN`" in missing.stderr
    case.tool("b", "effect: read\nexec: [/bin/true]\nneeds: {env: [SOME_TOKEN], os: [linux, macos]}")
    assert case.run("call b").exit == 2
    assert case.run("call b", env={"SOME_TOKEN": ""}).exit == 0


# ---- builtins ----------------------------------------------------------------------------------------------------------


def test_a_builtin_runs_in_the_kernels_own_process(case: Case) -> None:
    case.run("call seq 3").is_("exit 0\n-- stdout\n1\n2\n3\n")
    assert case.run("call false").exit == 1


def test_an_interrupted_builtin_ends_by_the_signal(case: Case) -> None:
    os.mkfifo(case.cwd / "slow.fifo")
    child = start(case, "call", "cat", "slow.fifo")
    writer = os.open(case.cwd / "slow.fifo", os.O_WRONLY)  # returns when the builtin reads
    child.send_signal(signal.SIGINT)
    assert child.communicate()[1] == b""
    assert child.returncode == -signal.SIGINT
    os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that takes no byte")
def test_an_output_that_cannot_be_written_is_an_error(case: Case) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*KERNEL, "call", "seq", "3"], cwd=case.cwd, env=case.env, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"seq: write error: No space left on device\n"


def test_no_shell_reads_a_value(case: Case) -> None:
    case.tool("x", 'effect: read\nexec: [./run.sh, "{*}"]\nparams: [{name: file, positional: true}]').script(
        "run.sh", 'printf "%s" "$1"'
    )
    text = "x; touch PWNED; $(touch PWNED) `touch PWNED` && touch PWNED"
    assert case.run(["call", "x", text]).ok().stdout == text
    assert not (case.cwd / "PWNED").exists()
