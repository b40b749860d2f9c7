"""Tools with `task: true` behind a real server: handles, states, output, cancelling, restarts, servers that die."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case
from mcp_case import Wire, gone, marked, served

pytest.importorskip("mcp", reason="the MCP SDK is not installed")

LONG = """
    description: Work.
    effect: read
    task: true
    limits: {concurrency: 2, rate: 20/1s}
    exec: [sh, -c, 'echo begun; echo careful >&2; : > "said-$$"; sleep "$1"; exit "$2"', MARK, "{seconds}", "{status}"]
    params:
      - {name: seconds, type: number, required: true}
      - {name: status, type: int, default: 0}
"""
Server = Callable[[], AbstractContextManager[Wire]]


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A word in the command line of what is started here; nothing of it is left at the end."""
    mark = f"job-{os.getpid()}-{tmp_path.name}"
    yield mark
    gone(lambda: not marked(mark), "a job's processes")


@pytest.fixture
def server(tmp_path: Path, mark: str) -> Server:
    case = Case(tmp_path).tool("long", LONG.replace("MARK", mark))
    case.tool("much", "effect: read\ntask: true\nlimits: {spill: true}\nexec: [sh, -c, 'yes | head -c 100000']\n")
    numbers = iter(range(99))
    words = ["--only", "long", "--only", "much"]
    return lambda: served(words, case.cwd, case.env, tmp_path / f"errors-{next(numbers)}")


def ask(wire: Wire, tool: str, arguments: str) -> dict[str, Any]:
    return wire.result(wire.call(tool, arguments))


def begin(wire: Wire, arguments: str, tool: str = "long") -> str:
    """Begins a job: its handle."""
    found = ask(wire, tool, arguments)
    assert found["structuredContent"]["state"] == "queued"
    handle: str = found["structuredContent"]["job"]
    assert f"`{handle}`" in found["content"][0]["text"]
    return handle


def state(wire: Wire, job: str, wait: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = ask(wire, "job_status", f'{{"job": "{job}", "wait": {wait}}}')["structuredContent"]
    return found


def until(wire: Wire, job: str, wanted: str) -> None:
    gone(lambda: state(wire, job)["state"] == wanted, f"a job that is not {wanted}")


def test_from_the_handle_to_the_output(server: Server) -> None:
    with server() as wire:
        wire.shake()
        names = [tool["name"] for tool in wire.result(wire.request("tools/list"))["tools"]]
        assert names == ["job_cancel", "job_output", "job_status", "long", "much", "read_output"]
        job = begin(wire, '{"seconds": 0.3}')
        found = ask(wire, "job_output", f'{{"job": "{job}"}}')
        assert "can be read when it has ended" in found["content"][0]["text"]
        found = state(wire, job, wait=45)
        assert (found["state"], found["exitCode"], found["tool"], "error" in found) == ("done", 0, "long", False)
        assert found["startedAt"] <= found["endedAt"]
        texts = [part["text"] for part in ask(wire, "job_output", f'{{"job": "{job}"}}')["content"]]
        assert texts[0].startswith("[long: done, exit status 0, 0.")
        assert texts[1:] == ["begun\n\n[the end]", "[stderr]\ncareful\n"]
        failed = begin(wire, '{"seconds": 0, "status": 3}')
        found = state(wire, failed, wait=45)
        assert (found["state"], found["exitCode"]) == ("failed", 3)
        assert wire.close() == 0


def test_pages_and_what_is_wrong(server: Server) -> None:
    with server() as wire:
        wire.shake()
        job = begin(wire, "{}", "much")
        found = ask(wire, "long", "{}")
        assert found["isError"] is True and "`seconds` is required" in found["content"][0]["text"]
        found = ask(wire, "job_status", '{"job": "none"}')
        assert found["isError"] is True and "there is no job `none`" in found["content"][0]["text"]
        assert ask(wire, "job_status", '{"job": "x", "wait": 100}')["isError"] is True
        assert state(wire, job, wait=45)["state"] == "done"
        offset, whole = 0, ""
        while True:
            page = ask(wire, "job_output", f'{{"job": "{job}", "offset": {offset}}}')["content"][1]["text"]
            text, _, note = page.rpartition("\n[")
            whole += text
            if note == "the end]":
                break
            offset = int(note.rpartition(" ")[2].rstrip("]"))
        assert whole.replace("\n", "") == "y" * 50_000


def test_jobs_wait_for_room_and_are_cancelled(server: Server, mark: str, tmp_path: Path) -> None:
    with server() as wire:
        wire.shake()
        jobs = [begin(wire, '{"seconds": 600}') for _ in range(3)]
        until(wire, jobs[1], "running")
        assert [state(wire, job)["state"] for job in jobs] == ["running", "running", "queued"]
        gone(lambda: len(marked(mark)) == 2, "two shells")
        gone(lambda: len(list((tmp_path / "work").glob("said-*"))) == 2, "shells that have written")
        found = ask(wire, "job_cancel", f'{{"job": "{jobs[0]}"}}')["structuredContent"]
        assert found["state"] == "cancelled"
        until(wire, jobs[2], "running")
        assert ask(wire, "job_cancel", f'{{"job": "{jobs[0]}"}}')["structuredContent"]["state"] == "cancelled"
        texts = [part["text"] for part in ask(wire, "job_output", f'{{"job": "{jobs[0]}"}}')["content"]]
        assert texts[0].startswith("[long: cancelled, ")
        assert texts[1:] == ["begun\n\n[the end]", "[stderr]\ncareful\n"]  # what it wrote until then
        waiting = begin(wire, '{"seconds": 600}')
        assert ask(wire, "job_cancel", f'{{"job": "{waiting}"}}')["structuredContent"]["state"] == "cancelled"
        assert ask(wire, "job_output", f'{{"job": "{waiting}"}}')["content"][1]["text"] == "[it wrote nothing]"
        refused = [ask(wire, "long", '{"seconds": 600}') for _ in range(25)]
        assert any(answer["isError"] and "E-RATE" in answer["content"][0]["text"] for answer in refused)


def test_records_survive_a_restart(server: Server, tmp_path: Path) -> None:
    with server() as wire:
        wire.shake()
        ended, running = begin(wire, '{"seconds": 0}'), begin(wire, '{"seconds": 600}')
        assert state(wire, ended, wait=45)["state"] == "done"
        until(wire, running, "running")
        gone(lambda: len(list((tmp_path / "work").glob("said-*"))) == 2, "a shell that has written")
        assert wire.close() == 0
    with server() as wire:
        wire.shake()
        assert ask(wire, "job_output", f'{{"job": "{ended}"}}')["content"][1]["text"] == "begun\n\n[the end]"
        found = state(wire, running)
        assert (found["state"], found["error"]) == ("failed", "the server that ran it ended")
        assert ask(wire, "job_output", f'{{"job": "{running}"}}')["content"][1]["text"] == "begun\n\n[the end]"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_job_whose_server_died_has_failed(server: Server, number: signal.Signals) -> None:
    with server() as other, server() as wire:
        other.shake()
        wire.shake()
        jobs = [begin(wire, '{"seconds": 600}') for _ in range(3)]
        until(wire, jobs[1], "running")
        assert [state(other, job)["state"] for job in jobs] == ["running", "running", "queued"]
        wire.process.send_signal(number)
        wire.ended()
        assert {state(other, job)["state"] for job in jobs} == {"failed"}
        again = begin(other, '{"seconds": 0}')  # nothing is run again, and there is room
        assert state(other, again, wait=45)["state"] == "done"


def test_another_server_cancels(server: Server) -> None:
    with server() as one, server() as two:
        one.shake()
        two.shake()
        job = begin(one, '{"seconds": 600}')
        until(two, job, "running")
        found = ask(two, "job_cancel", f'{{"job": "{job}"}}')["structuredContent"]
        assert found["state"] == "cancelled"
        assert state(one, job)["state"] == "cancelled"
