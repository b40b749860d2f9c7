"""Records of jobs: states, servers that are gone, age, several writers at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_case import ROOT

from kernel.errors import KernelError
from kernel.serve.job_records import Records


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(str(tmp_path / "jobs"))


def test_the_life_of_a_job(records: Records) -> None:
    id = records.add("tool")
    record = records.get(id)
    assert record is not None
    assert (record.tool, record.state, record.started, record.is_open, len(id)) == ("tool", "queued", None, True, 32)
    records.begin(id)
    record = records.get(id)
    assert record is not None and record.started is not None
    assert (record.state, record.started >= record.created) == ("running", True)
    records.end(id, "done", exit_code=0, output="/x", stderr="s")
    records.end(id, "cancelled")  # too late
    record = records.get(id)
    assert record is not None and record.ended is not None
    assert (record.state, record.exit_code, record.output, record.stderr, record.is_open) == ("done", 0, "/x", "s", False)


def test_what_is_not_there(records: Records, tmp_path: Path) -> None:
    assert records.get("0" * 32) is None
    assert not (tmp_path / "jobs").exists()  # looking leaves nothing
    records.add("tool")
    assert records.get("0" * 32) is None
    assert (tmp_path / "jobs" / "jobs.sqlite").stat().st_mode & 0o077 == 0


def test_another_server_reads_the_records_and_after_a_restart_too(records: Records, tmp_path: Path) -> None:
    done, running = records.add("a"), records.add("b")
    records.end(done, "done", exit_code=0)
    records.begin(running)
    other = Records(str(tmp_path / "jobs"))
    assert [record.state for id in (done, running) if (record := other.get(id))] == ["done", "running"]
    other.unwant(running)
    assert (records.unwanted(), other.unwanted()) == ([running], [])
    records.close()
    assert [record.state for id in (done, running) if (record := other.get(id))] == ["done", "failed"]
    found = other.get(running)
    assert found is not None and found.error == "the server that ran it ended"
    assert not list((tmp_path / "jobs").glob("*.server"))


def test_a_server_that_was_killed(tmp_path: Path) -> None:
    program = """
import sys
from kernel.serve.job_records import Records
records = Records(sys.argv[1])
queued, running = records.add("q"), records.add("r")
records.begin(running)
print(queued, running, flush=True)
sys.stdin.read()
"""
    directory = str(tmp_path / "jobs")
    child = subprocess.Popen(
        [sys.executable, "-c", program, directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdin is not None and child.stdout is not None
    queued, running = child.stdout.readline().decode().split()
    records = Records(directory)
    assert [record.state for id in (queued, running) if (record := records.get(id))] == ["queued", "running"]
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdin.close()
    child.stdout.close()
    assert [record.state for id in (queued, running) if (record := records.get(id))] == ["failed", "failed"]
    assert not list((tmp_path / "jobs").glob("*.server"))


def test_records_go_with_their_output_when_they_are_old(tmp_path: Path) -> None:
    now = 1000.0
    records = Records(str(tmp_path / "jobs"), ttl=100, clock=lambda: now)
    output = tmp_path / "out"
    output.write_text("x")
    ended, running = records.add("a"), records.add("b")
    records.end(ended, "done", output=str(output))
    now += 100
    assert records.get(ended) is not None and output.exists()
    now += 1
    assert records.get(ended) is None and not output.exists()
    assert records.get(running) is not None  # however long it takes


def test_many_writers_at_once(tmp_path: Path) -> None:
    program = """
import sys
from kernel.serve.job_records import Records
records = Records(sys.argv[1])
for number in range(40):
    id = records.add("tool")
    records.begin(id)
    records.end(id, "done", exit_code=number)
    assert records.get(id).exit_code == number
    print(id)
"""
    directory = str(tmp_path / "jobs")
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, directory], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        for _ in range(4)
    ]
    ids = [id for child in children for id in child.communicate()[0].decode().split()]
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    records = Records(directory)
    assert len(set(ids)) == 160
    assert {record.state for id in ids if (record := records.get(id))} == {"done"}


def test_where_no_record_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KernelError) as caught:
        Records(str(tmp_path / "file" / "jobs")).add("tool")
    assert caught.value.code == "E-FILE"
    assert "the records of jobs cannot be kept" in str(caught.value)
    assert "make room" in caught.value.problems[0].hint


@pytest.mark.parametrize("content", [b"no database" * 100, b"SQLite format 3\0" + b"x" * 5000, None])
def test_a_file_that_holds_no_records_is_set_aside(
    tmp_path: Path, content: bytes | None, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "jobs").mkdir()
    file = tmp_path / "jobs" / "jobs.sqlite"
    if content is None:
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("CREATE TABLE jobs (id TEXT)")
    else:
        file.write_bytes(content)
    before = file.read_bytes()
    found = Records(str(tmp_path / "jobs"))
    record = found.get(found.add("tool"))
    assert record is not None and record.state == "queued"
    assert (tmp_path / "jobs" / "jobs.sqlite.damaged").read_bytes()[:16] == before[:16]
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and f"`{file}` holds no records of jobs" in said
    other = Records(str(tmp_path / "jobs"))
    assert other.get(record.id) is not None
    assert capfd.readouterr().err == ""
    found.close()
    other.close()


def test_a_file_that_is_damaged_later_is_set_aside_for_the_next_call(records: Records, tmp_path: Path) -> None:
    id = records.add("tool")
    with contextlib.closing(sqlite3.connect(tmp_path / "jobs" / "jobs.sqlite")) as database:
        database.execute("DROP TABLE jobs")
    with pytest.raises(KernelError) as caught:
        records.begin(id)
    assert "call again" in caught.value.problems[0].hint
    assert records.get(id) is None
    assert records.get(records.add("tool")) is not None
