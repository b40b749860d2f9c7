"""tree against the program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builtin_case import builtin, program

CASES = [
    *("", "-a", "-aF", "-L 1", "--noreport -L 2", "-d", "-f", "-fi", "-i", "-P *.log", "-P *.log --prune", "-I d|e", "-I d*|*.txt"),
    *("--dirsfirst", "--filesfirst", "-r", "-t", "-tr", "--sort=size", "--sort=name", "-s", "-h", "-p", "-ug", "-pugs", "-sh d"),
    *("--timefmt %F", "-D --timefmt %s", "none", "--charset ascii", "d e", "d", "--filelimit 1", "-l", "-F d/", "d/s none"),
    *("--charset=utf-8 e", "e", "d/s/../s"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, size in {"a.txt": 3, "d/b.log": 1500, "d/s/c": 10, ".hid": 1, "e/.keep": 0, "sp ace": 70000}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
        os.utime(tmp_path / name, (10**9 + size, 10**9 + size))
    (tmp_path / "l").symlink_to("a.txt")
    (tmp_path / "dl").symlink_to("d")
    (tmp_path / "broken").symlink_to("none")
    (tmp_path / "a.txt").chmod(0o755)
    for name in ("d/s", "d", "e", "."):
        os.utime(tmp_path / name, (10**9, 10**9 + len(name)))
    for name in ("l", "dl", "broken"):
        os.utime(tmp_path / name, (10**9, 10**9 + len(name) * 10), follow_symlinks=False)
    return tmp_path


@pytest.mark.parametrize("line", CASES)
def test_cases(place: Path, line: str) -> None:
    words = line.split()
    wanted, got = [run("tree", words, place) for run in (program, builtin)]
    assert (got.status, got.stdout) == (wanted.status, wanted.stdout.replace("\u00a0".encode(), b" "))


def test_what_only_the_program_can(place: Path) -> None:
    assert b"`--json` is not supported" in builtin("tree", ["-J"], place).stderr
