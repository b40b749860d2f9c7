"""A call from a working directory that was removed: nothing is found or made there, and nowhere else in its place."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kernel_case import Case
from terminal import KERNEL

from kernel import environment, system


def from_nowhere(case: Case, *words: str) -> tuple[int, str, str]:
    """Exit status, stdout and the last line of stderr (the launcher's shell may have its say before) of `kernel WORDS…`."""
    case.file("gone/x").cwd.joinpath("gone/x").unlink()
    line = 'cd gone; rmdir ../gone; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *KERNEL, *words],
        cwd=case.cwd,
        env=case.env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout, "".join(done.stderr.splitlines(keepends=True)[-1:])


@pytest.mark.parametrize(
    ("line", "status", "stdout", "stderr"),
    [
        ("call echo hi", 0, "hi\n", None),
        ("call touch kernel-was-here", 1, "", "touch: cannot touch 'kernel-was-here': No such file or directory\n"),
        ("call --yes rm -r etc", 1, "", "rm: cannot remove 'etc': No such file or directory\n"),
        ("call --workspace . cat etc/passwd", 1, "", "cat: etc/passwd: No such file or directory\n"),
        ("call pwd", 1, "", "pwd: cannot find the working directory: No such file or directory\n"),
        ("call realpath etc/passwd", 1, "", "realpath: etc/passwd: No such file or directory\n"),
    ],
)
def test_no_other_directory_stands_in(tmp_path: Path, line: str, status: int, stdout: str, stderr: str | None) -> None:
    found = from_nowhere(Case(tmp_path), *line.split())
    assert found[:2] == (status, stdout)
    assert stderr is None or found[2] == stderr


@pytest.mark.parametrize("words", [["call", "ls"], ["call", "--timeout", "60s", "ls"], ["call", "jq", "-n", "empty"]])
def test_nothing_is_in_it(tmp_path: Path, words: list[str]) -> None:
    assert from_nowhere(Case(tmp_path), *words)[:2] == (0, "")


def test_no_manifest_is_written(tmp_path: Path) -> None:
    status, stdout, stderr = from_nowhere(Case(tmp_path), "init", "kernel-was-here")
    assert (status, stdout) == (2, "")
    assert "`/proc/self/cwd/tools.d/kernel-was-here.yaml` cannot be written" in stderr


def test_its_name_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    assert environment.working_directory() == str(place.resolve())
    place.rmdir()
    assert environment.working_directory() == system.GONE
    assert system.abspath("a/../b") == f"{system.GONE}/b"
