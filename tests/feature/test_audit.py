"""The record of calls, and making one again: `kernel audit`, `kernel replay` (running.md; KERNEL_AUDIT)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case
from mcp_case import served
from shell_case import ShellCase
from terminal import KERNEL, Terminal

from kernel import audit
from kernel.api import Kernel

SH = """
    description: D.
    effect: read
    exec: [./run.sh, "{*}"]
    env: {TOKEN: "{token}"}
    params:
      - {name: words, positional: true, repeatable: true}
      - {name: n, type: int, aliases: [-n]}
      - {name: token, secret: true}
"""
ON = {"KERNEL_AUDIT": "1"}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    found = Case(tmp_path).tool("x", SH).script("run.sh", 'printf "%s|" "${TOKEN-none}" "$@"')
    found.env.update(ON)
    return found


def recorded(case: Case, words: str = "") -> list[dict[str, Any]]:
    return [json.loads(line) for line in case.run(f"audit --json --last 0 {words}").ok().stdout.splitlines()]


def test_a_call_is_recorded_only_where_that_is_wanted(case: Case) -> None:
    del case.env["KERNEL_AUDIT"]
    case.run("call x").ok()
    case.run("call --json x").ok()
    case.run("call x", env={"KERNEL_AUDIT": "0"}).ok()
    assert recorded(case) == []
    assert not (case.root / "state/audit").exists()
    case.run("call x", env=ON).ok()
    assert len(recorded(case)) == 1


def test_each_call_of_a_shell_is_recorded_as_made_there(tmp_path: Path) -> None:
    shell = ShellCase(tmp_path).tool("x", SH).file("run.sh", '#!/bin/sh\ncat > /dev/null; printf "%s|" "$@"', 0o755)
    shell.env.update(ON)
    line = "x a; echo b | cat | x -n 1; c=$(x c); x --json d > /dev/null; (x e) & wait; x f"
    shell.line(line).prints("a|-n|1|e|f|")
    records = [json.loads(line) for line in (tmp_path / "state/audit/audit.jsonl").read_text().splitlines()]
    assert {record["door"] for record in records} == {"prompt"}
    assert sorted((record["tool"], record["words"][-1:]) for record in records) == [
        ("cat", []),
        ("echo", ["b"]),
        *(("x", [word]) for word in "1acdef"),
    ]
    assert {(record["status"], record["exit"]) for record in records} == {("ok", 0)}


def test_a_shell_records_only_where_that_is_wanted(tmp_path: Path) -> None:
    shell = ShellCase(tmp_path)
    shell.line("echo a | cat").prints("a\n")
    shell.line("export KERNEL_AUDIT=1; echo b").prints("b\n")
    (record,) = (tmp_path / "state/audit/audit.jsonl").read_text().splitlines()
    assert json.loads(record)["words"] == ["b"]


@pytest.mark.parametrize(("options", "door"), [("", "call"), ("--json", "json"), ("--timeout 60s", "call")])
def test_what_is_recorded(case: Case, options: str, door: str) -> None:
    case.script("run.sh", "printf 12345; printf 12 >&2; exit 3")
    assert case.run(f"call {options} x -n 007 'a b'").exit == 3
    (found,) = recorded(case)
    assert len(found.pop("id")) == 10
    assert found.pop("time").endswith("Z")
    assert found.pop("duration") >= 0
    assert len(found.pop("manifest")) == 64
    assert found == {
        "door": door,
        "tool": "x",
        "file": "DIR/tools.d/x.yaml",
        "cwd": "DIR",
        "words": ["-n", "007", "a b"],
        "values": {"n": 7, "words": ["a b"]},
        "secrets": [],
        "hashed": [],
        "argv": ["./run.sh", "-n", "007", "a b"],
        "status": "error",
        "exit": 3,
        "signal": None,
        "error": None,
        "bytes": {"stdout": 5, "stderr": 2} if door == "json" else None,
    }


def test_builtins_signals_and_failed_starts_are_recorded(case: Case) -> None:
    case.run("call echo hello").ok().is_("exit 0\n-- stdout\nhello\n")
    case.tool("gone", "description: D.\neffect: read\nexec: [no-such-program]")
    assert case.run("call gone").exit == 127
    case.script("run.sh", "kill -KILL $$")
    assert case.run("call x").exit == -signal.SIGKILL
    found = [(row["tool"], row["status"], row["exit"], row["signal"], row["error"]) for row in recorded(case)]
    assert found == [
        ("echo", "ok", 0, None, None),
        ("gone", "error", None, None, "E-NOT-FOUND"),
        ("x", "error", None, "SIGKILL", None),
    ]


def test_bytes_past_the_cap_are_counted(case: Case) -> None:
    case.script("run.sh", "head -c 3000000 /dev/zero")
    case.run("call --json x")
    assert recorded(case)[0]["bytes"] == {"stdout": 3_000_000, "stderr": 0}


def test_a_secret_is_nowhere_in_the_record(case: Case) -> None:
    for line in ("call x --token=hunter2 a", "call x --token hunter2", "call --json x --token hunter2"):
        assert "hunter2|" in case.run(line).ok().stdout.replace("\\n", "")
    case.run(["call", "--args-json", '{"token": "hunter2"}', "x"]).ok()
    case.run("call x", env={"TOKEN": "hunter2"}).ok()
    assert b"hunter2" not in (case.root / "state/audit/audit.jsonl").read_bytes()
    assert recorded(case)[0]["words"] == ["--token=***", "a"]
    assert recorded(case)[3]["values"] == {"token": "***"}


def test_a_long_value_is_a_length_and_a_hash(case: Case) -> None:
    case.run(["call", "x", "y" * 4097, "-n", "1"]).ok()
    case.run(["call", "x", "y" * 4000]).ok()
    case.run(["call", "x", *["z" * 100] * 1000]).ok()
    first, second, third = recorded(case)
    assert first["words"][0]["bytes"] == 4097
    assert len(first["words"][0]["sha256"]) == 64
    assert first["hashed"] == ["words", "words"]
    assert first["values"]["n"] == 1
    assert second["hashed"] == []
    assert third["words"].keys() == {"bytes", "sha256"}
    assert len(json.dumps([first, third])) < 4000
    for found in (first, third):
        refused = case.run(f"replay {found['id']}")
        assert refused.exit == 2
        assert "recorded without the whole" in refused.stderr


def test_replay_runs_it_again_where_it_was_made(case: Case) -> None:
    case.script("run.sh", 'pwd; printf "%s|" "$@"; exit 4').file("deep/.keep")
    case.run("call x -n 3 'a b' -- -x", cwd="deep")
    case.run(["call", "--args-json", '{"words": ["-1", ""], "n": 5}', "x"])
    for found, output in zip(recorded(case), ["DIR/deep\n-n|3|--|a b|-x|", "DIR\n-n|5|--|-1||"], strict=True):
        again = case.run(f"replay {found['id'][:8]}", cwd="tools.d")
        assert (again.exit, again.stdout) == (4, output)
        assert again.stderr.startswith("replay: ")
        assert case.run(f"replay --dry-run {found['id']}").ok().stdout.startswith("./run.sh -n ")
    assert [row["door"] for row in recorded(case)] == ["call", "call", "replay", "replay"]


def test_replay_asks_for_a_secret_or_refuses(case: Case) -> None:
    case.run("call x --token first a").ok()
    identity = recorded(case)[0]["id"]
    child = subprocess.run(
        [*KERNEL, "replay", identity],
        cwd=case.cwd,
        env=case.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert child.returncode == 2
    assert "error[E-SECRET]: the secret `token` is not recorded" in child.stderr
    terminal = Terminal([*KERNEL, "replay", identity], case.cwd, case.env)
    terminal.expect("token: ")
    terminal.send("second\n")
    terminal.expect("second|a|")  # from the program: the terminal itself shows nothing of it
    assert terminal.wait() == 0
    assert terminal.shown.count("second") == 1


def test_replay_tells_of_a_changed_manifest(case: Case) -> None:
    case.run("call x a").ok()
    identity = recorded(case)[0]["id"]
    case.tool("x", SH + "    tags: [new]")
    assert "has changed since the call was made" in case.run(f"replay {identity}").ok().stderr
    (case.cwd / "tools.d/x.yaml").unlink()
    assert case.run(f"replay {identity}").exit == 2


def test_replay_finds_a_tool_of_another_directory(case: Case) -> None:
    (case.cwd / "tools.d").rename(case.cwd / "elsewhere")
    case.run("call --tools elsewhere x a").ok()
    (found,) = recorded(case)
    assert case.run(f"replay {found['id']}").ok().stdout == "none|a|"
    text = (case.cwd / "elsewhere/x.yaml").read_text()
    (case.cwd / "elsewhere/x.yaml").write_text(text + "    tags: [new]\n")
    refused = case.run(f"replay {found['id']}")  # nobody vouches for what it has become
    assert refused.exit == 2
    assert "E-RECORD" in refused.stderr


@pytest.mark.parametrize("wanted", ["zz", ""])
def test_replay_of_what_is_not_there(case: Case, wanted: str) -> None:
    case.run("call x a")
    case.run("call x b")
    assert "error[E-RECORD]" in case.run(["replay", wanted]).stderr


def test_filters(case: Case) -> None:
    case.tool(
        "g",
        """
        description: D.
        effect: read
        exec: ["false"]
        subcommands:
          - {name: log, description: L., exits: {1: empty}}
          - {name: at, description: A., exits: {1: empty}}
        """,
    )
    for line in ("x a", "g log", "g at", "x b"):
        case.run(f"call {line}")
    file = case.root / "state/audit/audit.jsonl"
    lines = file.read_text().splitlines()
    old = {**json.loads(lines[0]), "time": "2020-01-02T03:04:05.678Z", "id": "0" * 10}
    file.write_text("\n".join([json.dumps(old), "garbage", "{}", *lines[1:]]))

    def tools(words: str) -> list[str]:
        return [" ".join([row["tool"], *row["values"].get("words", [])]) for row in recorded(case, words)]

    assert tools("") == ["x a", "g log", "g at", "x b"]
    assert tools("--tool g") == ["g log", "g at"]
    assert tools("--tool 'g at'") == ["g at"]
    assert tools("--status empty") == ["g log", "g at"]
    assert tools("--status ok") == ["x a", "x b"]
    assert tools("--since 1h") == ["g log", "g at", "x b"]
    assert tools("--until 2021-01-01") == ["x a"]
    assert tools("--since 2020-01-02T03:04:05+00:00 --until 7d") == ["x a"]
    assert [row["tool"] for row in map(json.loads, case.run("audit --json --last 1").stdout.splitlines())] == ["x"]
    assert case.run("audit --since yesterday").exit == 2
    assert case.run("audit --last many").exit == 2
    table = case.run("audit", env={"TZ": "UTC0"}).ok().stdout.splitlines()
    assert table[0].split() == ["ID", "TIME", "DOOR", "STATUS", "EXIT", "SECONDS", "CALL"]
    assert table[1].split()[:6] == ["0" * 10, "2020-01-02", "03:04:05", "call", "ok", "0"]


def test_the_next_line_stands_by_itself_behind_half_a_line(case: Case) -> None:
    case.run("call x a")
    with open(case.root / "state/audit/audit.jsonl", "a") as file:
        file.write('{"id": "half')
    case.run("call x b")
    assert [row["values"]["words"] for row in recorded(case)] == [["a"], ["b"]]


def test_nobody_else_can_read_it(case: Case) -> None:
    case.run("call x a")
    assert (case.root / "state/audit").stat().st_mode & 0o777 == 0o700
    assert (case.root / "state/audit/audit.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_record_that_cannot_be_written_is_a_warning(case: Case) -> None:
    case.file("plain")
    done = case.run("call x a", env={"KERNEL_STATE_DIR": f"{case.cwd}/plain"})
    assert (done.exit, done.stdout) == (0, "none|a|")
    assert done.stderr.startswith("warning: the call is not recorded")


def test_files_are_moved_on_and_five_are_kept(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNEL_STATE_DIR", str(case.root / "state"))
    monkeypatch.setattr(audit, "LARGEST", 1000)
    for number in range(60):
        audit._append(b'{"id": "%03d", "pad": "%s"}\n' % (number, b"x" * 60))
    files = sorted((case.root / "state/audit").glob("audit*"))
    assert [file.name for file in files] == ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", "audit.4.jsonl", "audit.jsonl"]
    assert all(file.stat().st_size <= 1000 for file in files)
    found = [row["id"] for row in audit.records()]
    assert found == sorted(found, reverse=True)
    assert found[0] == "059"
    assert len(found) > 40


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from kernel import audit
audit.LARGEST = 20000
for number in range(100):
    audit._append(b'{"id": "%s-%d", "pad": "%s"}\\n' % (sys.argv[2].encode(), number, b"x" * (number * 7)))
"""


def test_many_processes_write_at_once(case: Case) -> None:
    import sys

    from kernel_case import ROOT

    command = [sys.executable, "-c", WRITER, str(ROOT)]
    writers = [subprocess.Popen([*command, str(number)], env=case.env) for number in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    lines = [line for file in (case.root / "state/audit").glob("audit*") for line in file.read_text().splitlines()]
    assert len(lines) > 100
    assert all(len(json.loads(line)["pad"]) == int(json.loads(line)["id"].split("-")[1]) * 7 for line in lines)


def test_calls_from_python(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.env.items():
        monkeypatch.setenv(name, value)
    kernel = Kernel.load(cwd=case.cwd)
    threads = [threading.Thread(target=kernel.call, args=("x", {"n": number})) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = recorded(case)
    assert sorted(row["values"]["n"] for row in found) == list(range(8))
    assert {(row["door"], row["words"], row["cwd"]) for row in found} == {("python", None, "DIR")}
    assert case.run(f"replay {found[0]['id']}").ok().stdout.startswith("none|-n|")


def test_recorded_calls_keep_their_job_and_pass_signals_on(case: Case) -> None:
    case.script("run.sh", "trap 'echo got; exit 9' TERM; ps -o pgid= $$ > group; echo ready; while :; do sleep 0.02; done")
    child = subprocess.Popen([*KERNEL, "call", "x"], cwd=case.cwd, env=case.env, stdout=subprocess.PIPE, process_group=0)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        assert int((case.cwd / "group").read_text()) == child.pid
        child.send_signal(signal.SIGTERM)
        assert child.stdout.read() == b"got\n"
    assert child.returncode == 9
    assert recorded(case)[0]["exit"] == 9


def test_a_recorded_call_stops_and_goes_on_as_a_job(case: Case) -> None:
    case.script("run.sh", "echo $$ > pid; while :; do echo on >> alive; sleep 0.02; done")
    child = subprocess.Popen([*KERNEL, "call", "x"], cwd=case.cwd, env=case.env, process_group=0)
    while not (case.cwd / "alive").exists():
        time.sleep(0.01)
    os.kill(int((case.cwd / "pid").read_text()), signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
    size = (case.cwd / "alive").stat().st_size
    child.send_signal(signal.SIGCONT)
    while (case.cwd / "alive").stat().st_size == size:
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    assert child.wait() == -signal.SIGTERM


def test_served_calls_are_recorded_unless_that_is_turned_off(case: Case) -> None:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed")
    del case.env["KERNEL_AUDIT"]
    for env, count in (({"KERNEL_AUDIT": "0"}, 0), ({}, 1)):
        with served([], case.cwd, {**case.env, **env}, case.root / "errors") as wire:
            wire.shake().result(wire.call("x", '{"words": ["a"], "token": "hunter2"}'))
            wire.close()
        assert len(recorded(case)) == count
    (found,) = recorded(case)
    assert (found["door"], found["values"], found["bytes"]["stdout"]) == (
        "mcp",
        {"words": ["a"], "token": "***"},
        len("hunter2|a|"),
    )


def test_what_agents_are_refused_is_recorded(case: Case) -> None:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed")
    del case.env["KERNEL_AUDIT"]
    case.tool("peek", "effect: read\nexec: [cat, --, '{file}']\nparams: [{name: file, required: true, path: read}]")
    case.tool("once", "effect: read\nexec: [echo]\nlimits: {rate: 1/60s}")
    with served([], case.cwd, case.env, case.root / "errors") as wire:
        wire.shake()
        for name, arguments in (
            ("peek", '{"file": "../../secret"}'),
            ("peek", '{"fil": "x"}'),
            ("x", '{"words": 3, "token": "hunter2"}'),
            ("once", "{}"),
            ("once", "{}"),
        ):
            wire.result(wire.call(name, arguments))
        wire.close()
    assert [(row["door"], row["tool"], row["status"], row["error"], row["values"], row["exit"]) for row in recorded(case)] == [
        ("mcp", "peek", "error", "E-PATH", {"file": "../../secret"}, None),
        ("mcp", "peek", "error", "E-REQUIRED", {}, None),
        ("mcp", "x", "error", "E-TYPE", {"token": "***"}, None),
        ("mcp", "once", "ok", None, {}, 0),
        ("mcp", "once", "error", "E-RATE", {}, None),
    ]
    table = case.run("audit").ok().stdout
    assert "E-PATH" in table and "hunter2" not in table


def test_what_a_model_is_refused_is_recorded(case: Case) -> None:
    asked = {"type": "tool_use", "id": "a", "name": "x", "input": {"words": 3}}
    assert case.run(["call", "--anthropic", json.dumps(asked)]).exit == 2
    assert case.run(["call", "--dry-run", "--anthropic", json.dumps(asked)]).exit == 2
    assert [(row["door"], row["tool"], row["error"]) for row in recorded(case)] == [("anthropic", "x", "E-TYPE")]
