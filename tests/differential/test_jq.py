"""The jq driver against jq: recorded answers of jq 1.8.2, and the installed program where there is one.

`python tests/differential/test_jq.py PROGRAM [OLDER]` records the answers of a jq anew in `tests/corpus/jq/answers.jsonl`.
A row's `since` is the oldest of the two that gave the same answer.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT / "tests/corpus/jq/answers.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in CORPUS.read_text().splitlines()]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nowhere"}

SERVER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from kernel.builtins import jq_program
orders = os.fdopen(os.dup(0), "rb", 0)
for line in orders:
    order = json.loads(line)
    if os.fork() == 0:
        os.chdir(order["cwd"])
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
            os.dup2(os.open("../" + name, flags, 0o600), number)
        try:
            sys.argv[1:] = order["argv"]
            jq_program.main()
        except SystemExit as end:
            os._exit(end.code)
        finally:
            os._exit(99)
    sys.stdout.write(f"{os.waitstatus_to_exitcode(os.wait()[1])}\\n")
    sys.stdout.flush()
"""


class Directory:
    """A directory laid out for one row, its stdin beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cwd = root / "work"
        self.clean = False

    def lay(self, row: dict[str, Any]) -> None:
        if row.get("files") or not self.clean:
            shutil.rmtree(self.cwd, ignore_errors=True)
            self.cwd.mkdir()
        self.clean = not row.get("files")
        for name, content in row.get("files", {}).items():
            path = self.cwd / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(os.fsencode(content))
        (self.root / "stdin").write_bytes(os.fsencode(row["stdin"]))

    def answer(self, status: int) -> dict[str, Any]:
        texts = [os.fsdecode((self.root / name).read_bytes()) for name in ("stdout", "stderr")]
        return {"status": status, "stdout": texts[0], "stderr": texts[1]}

    def run(self, program: str, row: dict[str, Any]) -> dict[str, Any]:
        """The answer of a jq program."""
        self.lay(row)
        with (
            open(self.root / "stdin", "rb") as stdin,
            open(self.root / "stdout", "wb") as out,
            open(self.root / "stderr", "wb") as err,
        ):
            argv = [b"jq", *[os.fsencode(word) for word in row["argv"]]]
            done = subprocess.run(
                argv, executable=program, cwd=self.cwd, env=ENVIRONMENT, stdin=stdin, stdout=out, stderr=err, check=False
            )
        return self.answer(done.returncode)


class Driver:
    """The driver in forks of one process that has libjq loaded."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self.server = subprocess.Popen(
            [sys.executable, "-I", "-c", SERVER, str(ROOT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
        )

    def run(self, row: dict[str, Any]) -> dict[str, Any]:
        assert self.server.stdin is not None and self.server.stdout is not None
        self.directory.lay(row)
        self.server.stdin.write(json.dumps({"argv": row["argv"], "cwd": str(self.directory.cwd)}).encode() + b"\n")
        self.server.stdin.flush()
        return self.directory.answer(int(self.server.stdout.readline()))

    def close(self) -> None:
        self.server.communicate()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Directory:
    return Directory(tmp_path_factory.mktemp("jq"))


@pytest.fixture(scope="module")
def driver(directory: Directory) -> Iterator[Driver]:
    made = Driver(directory)
    yield made
    made.close()


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what is a program's own: after a usage error the example and the pointer to its manual."""
    stderr = re.sub(r"\n(Use jq --help|or see the jq manpage)[^\n]*| \(e\.g\.[^\n]*\)", "", answer["stderr"])
    return {**answer, "stderr": stderr}


def test_the_driver_answers_as_jq_does(driver: Driver) -> None:
    differing = []
    for row in ROWS:
        wanted = row["jq"]
        got = driver.run(row)
        if comparable(got) != comparable(wanted):
            differing.append(f"{row['argv']} {row['stdin']!r}\n  wanted {wanted}\n  got    {got}")
    assert not differing, f"{len(differing)} of {len(ROWS)} rows differ:\n" + "\n".join(differing)


def test_the_installed_jq_gives_the_recorded_answers(directory: Directory) -> None:
    """What was recorded is what jq does, on the rows that its version shares with 1.8."""
    program = shutil.which("jq")
    if program is None:
        pytest.skip("no jq is installed")
    version = installed_version(program)
    shared = [row for row in ROWS if version >= tuple(row["since"])]
    if version < (1, 8):
        shared = shared[::3]
    assert len(shared) > 50
    for row in shared:
        answer = directory.run(program, row)
        assert (answer["status"], answer["stdout"]) == (row["jq"]["status"], row["jq"]["stdout"]), row["argv"]


def installed_version(program: str) -> tuple[int, ...]:
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def record(program: str, old: str = "") -> None:
    """Writes the answers of `program`; `old` is a jq 1.6 to find the rows that both agree on."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        directory = Directory(Path(name))
        for row in ROWS:
            row["jq"] = directory.run(program, row)
            other = directory.run(old, row) if old else {}
            same = all(other.get(key) == row["jq"][key] for key in ("status", "stdout"))
            row["since"] = list(installed_version(old if same else program))
    CORPUS.write_text("".join([json.dumps(row) + "\n" for row in ROWS]))


if __name__ == "__main__":
    record(*sys.argv[1:])
