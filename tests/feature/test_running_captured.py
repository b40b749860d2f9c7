"""`kernel call --json`: output collected under limits, one object whatever happened (running.md, Result)."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case
from terminal import KERNEL

SH = """
    effect: read
    exec: [./run.sh, "{*}"]
    params: [{name: words, positional: true, repeatable: true}]
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def result(case: Case, line: str | list[str], **options: Any) -> tuple[int, dict[str, Any]]:
    """The exit status and the one object on stdout."""
    words = shlex.split(line) if isinstance(line, str) else line
    outcome = case.run(["call", "--json", *words], **options)
    found: dict[str, Any] = json.loads(outcome.stdout)
    assert outcome.stdout.count("\n") == 1
    return outcome.exit, found


def test_what_a_call_brings(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "cat; echo err >&2; exit 3")
    status, found = result(case, "x a", stdin=b"in\xff")
    duration = found.pop("duration_s")
    assert 0 < duration < 60
    assert (status, found) == (
        3,
        {
            "exit_code": 3,
            "signal": None,
            "status": "error",
            "stdout": "in�",
            "stderr": "err\n",
            "stdout_truncated": False,
            "stderr_truncated": False,
            "stdout_tail": None,
            "stderr_tail": None,
            "stdout_spill": None,
            "stderr_spill": None,
            "timed_out": False,
            "argv": ["./run.sh", "a"],
            "data": None,
            "error": None,
        },
    )


def test_a_signal_is_named_and_ends_the_kernel_too(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "echo part; kill -KILL $$")
    status, found = result(case, "x")
    assert status == -signal.SIGKILL
    assert (found["exit_code"], found["signal"], found["stdout"], found["error"]) == (None, "SIGKILL", "part\n", None)


def test_a_timeout_keeps_what_was_written(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "printf early; sleep 300")
    status, found = result(case, "--timeout 300ms x")
    assert status == 124
    assert (found["exit_code"], found["timed_out"], found["stdout"]) == (None, True, "early")
    assert found["error"]["code"] == "E-TIMEOUT"


@pytest.mark.parametrize(("program", "status", "code"), [("nosuch", 127, "E-NOT-FOUND"), ("./plain", 126, "E-NOT-EXECUTABLE")])
def test_what_cannot_be_started_is_the_results_error(case: Case, program: str, status: int, code: str) -> None:
    case.tool("x", f"effect: read\nexec: [{program}]").file("plain")
    got, found = result(case, "x")
    assert got == status
    assert (found["exit_code"], found["signal"], found["status"], found["error"]["code"]) == (None, None, "error", code)


@pytest.mark.parametrize(
    ("exits", "status", "expected"),
    [
        ("", 0, "ok"),
        ("", 1, "error"),
        ("exits: {0: ok, 1: empty}", 1, "empty"),
        ("exits: {1: empty}", 0, "ok"),
        ("exits: {0: empty, 2: ok}", 0, "empty"),
        ("exits: {0: empty, 2: ok}", 2, "ok"),
        ("exits: {0: error}", 0, "error"),
    ],
)
def test_the_manifest_says_what_a_status_means(case: Case, exits: str, status: int, expected: str) -> None:
    case.tool("x", SH + f"    {exits}").script("run.sh", f"exit {status}")
    got, found = result(case, "x")
    assert (got, found["exit_code"], found["status"]) == (status, status, expected)


@pytest.mark.parametrize(
    ("output", "text", "data"),
    [
        ("text", "[1]", None),
        ("json", '{"a": [1, 2.50, "é"]}\n', {"a": [1, 2.5, "é"]}),
        ("json", "{oops", None),
        ("jsonl", '{"a": 1}\n\n2\n', [{"a": 1}, 2]),
        ("lines", "a\n\nb c\n", ["a", "", "b c"]),
        ("lines", "", []),
        ("table", "NAME  SIZE\na  1 k\nb  2\n", [{"NAME": "a", "SIZE": "1 k"}, {"NAME": "b", "SIZE": "2"}]),
    ],
)
def test_the_output_is_parsed_as_the_manifest_says(case: Case, output: str, text: str, data: object) -> None:
    case.tool("x", SH + f"    output: {output}").script("run.sh", "cat out").file("out", text)
    _, found = result(case, "x")
    assert (found["stdout"], found["data"]) == (text, data)


@pytest.mark.parametrize(
    ("output", "text", "said"),
    [
        ("json", '{"a": NaN}', "`NaN` is not JSON (line 1, column 7)"),
        ("json", '{"a": 1, "a": 2}', "the key `a` is given twice (line 1, column 10)"),
        ("json", "warning: old\n{}", "`warning` is not JSON (line 1, column 1)"),
        ("jsonl", "1\n\n[2,]\n", "a comma stands before `]` (line 3, column 3)"),
        ("jsonl", "[1,\n2]\n3", ""),  # one value behind another, which no line is
        ("json", "1\n[2]\n", ""),
        ("json", "", ""),
        ("json", "null", ""),
        ("text", "{oops", ""),
    ],
)
def test_an_output_that_is_not_the_json_it_is_declared_to_be_is_told(case: Case, output: str, text: str, said: str) -> None:
    case.tool("x", SH + f"    output: {output}").script("run.sh", "cat out").file("out", text)
    ended = case.run("call --json x")
    assert (ended.exit, json.loads(ended.stdout)["data"]) == (0, None)
    warning = f"warning: the output of `x` is not the JSON that it declares, so `data` is null: {said}\n"
    assert ended.stderr == (warning if said else "")


def test_an_output_of_which_a_part_is_kept_is_no_data(case: Case) -> None:
    case.tool("x", SH + "    output: json\n    limits: {output: 3B}").script("run.sh", "echo '[1]'")
    assert case.run("call --json x").stderr.endswith("`data` is null: only its first 3 bytes are kept\n")
    case.tool("raw", "effect: read\noutput: json\nexec: [cat, out]\nparams: [{name: raw_output, type: bool, unused: true}]\n")
    case.file("out", "a text")
    assert "is not JSON" in case.run("call --json raw").stderr
    assert case.run("call --json raw --raw-output").stderr == ""


def test_a_long_output_keeps_its_head_a_tail_and_a_file(case: Case) -> None:
    case.tool("x", SH + "    limits: {output: 10B, spill: true}").script("run.sh", "seq 1 20000; echo e >&2")
    _, found = result(case, "x")
    whole = "".join([f"{number}\n" for number in range(1, 20001)])
    assert (found["stdout"], found["stdout_truncated"], found["stderr_truncated"]) == (whole[:10], True, False)
    assert found["stdout_tail"] == whole[-65536:]
    spilled = Path(found["stdout_spill"].replace("ROOT", str(case.root)))
    assert spilled.read_text() == whole
    assert spilled.is_relative_to(case.env["KERNEL_STATE_DIR"])
    assert found["stderr_spill"] is None


def test_secrets_are_masked_in_the_argv(case: Case) -> None:
    case.tool("x", 'effect: read\nexec: [echo, "{*}"]\nparams: [{name: key, secret: argv}, {name: user}]')
    _, found = result(case, "x --key hunter2 --user hunter2")
    assert found["argv"] == ["echo", "--key", "***", "--user", "hunter2"]


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_a_signal_cancels_the_call_and_its_output_is_kept(case: Case, name: str) -> None:
    case.tool("x", SH).script("run.sh", "(setsid sleep 300 & echo $! > away); echo part; echo $$ > pid; sleep 300")
    pipe = subprocess.PIPE
    child = subprocess.Popen([*KERNEL, "call", "--json", "x"], cwd=case.cwd, env=case.env, stdout=pipe, stderr=pipe)
    while not ((case.cwd / "pid").exists() and (case.cwd / "pid").read_text()):
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    child.send_signal(getattr(signal, f"SIG{name}"))
    out, err = child.communicate()
    assert child.returncode == -getattr(signal, f"SIG{name}")
    found = json.loads(out)
    assert (found["stdout"], found["exit_code"], found["signal"], err) == ("part\n", None, f"SIG{name}", b"")
    for file in ("pid", "away"):
        assert not os.path.exists(f"/proc/{(case.cwd / file).read_text().strip()}/fd/1")


def test_the_child_has_a_mark_and_a_session_of_its_own(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "echo $KERNEL_CALL; cut -d' ' -f6 /proc/$$/stat; echo $$")
    _, found = result(case, "x", env={"KERNEL_CALL": "outer"})
    mark, session, pid = found["stdout"].split()
    assert mark.startswith("outer:")
    assert session == pid


def test_a_captured_builtin_is_a_process_of_its_own(case: Case) -> None:
    status, found = result(case, "seq -w 8 10")
    assert (status, found["stdout"], found["argv"]) == (0, "08\n09\n10\n", ["seq", "-w", "8", "10"])
    status, found = result(case, "--timeout 300ms sleep 300")
    assert (status, found["timed_out"]) == (124, True)
    status, found = result(case, "cat nosuch")
    assert (status, found["stderr"]) == (1, "cat: nosuch: No such file or directory\n")


def test_a_builtin_gets_values_of_every_type(case: Case) -> None:
    case.tool(
        "x",
        """
        effect: read
        builtin: printf
        params:
          - {name: format, positional: true}
          - {name: arguments, positional: true, repeatable: true}
        """,
    )
    _, found = result(case, ["x", "%s|", "\udcff", "é", ""])
    assert found["stdout"] == "�|é||"


def test_closed_stdin_is_an_empty_one(case: Case) -> None:
    case.tool("x", SH).script("run.sh", "cat; echo done")
    command = ["sh", "-c", '"$@" <&-', "sh", *KERNEL, "call", "--json", "x"]
    done = subprocess.run(command, cwd=case.cwd, env=case.env, stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout)["stdout"] == "done\n"
