"""stat against the GNU program. The time of birth is left out: it is not known here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builtin_case import builtin, plain, program

FORMATS = [
    "%n|%N|%a|%A|%b|%B|%d|%D|%f|%F|%g|%G|%h|%i|%m|%o|%s|%t|%T|%u|%U|%x|%X|%y|%Y|%z|%Z",
    "%10s|%-10s|%.3X|%010Y|%%|%q|%20.3Y|%.Y|%.0Y|%.12Y|%04a|%#a|%5n|%-5n|%.2n",
    "%Hd,%Ld %Hr,%Lr %r %10.10A|\\t",
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a b").write_text("text\n")
    (tmp_path / "empty").touch()
    (tmp_path / "l").symlink_to("a b")
    (tmp_path / "d").mkdir(mode=0o2755)
    os.mkfifo(tmp_path / "pipe")
    for path in tmp_path.iterdir():  # read in the future: that is kept when they are read now
        os.utime(path, (2**32, 1_600_000_000.5), follow_symlinks=False)
    return tmp_path


@pytest.mark.parametrize(
    "options", [*[["-c", form] for form in FORMATS], ["-L", "-c", "%F %N"], ["--printf=%s\\t\\x41\\101\\e|\\\\\\n"]]
)
def test_formats(place: Path, options: list[str]) -> None:
    words = [*options, "a b", "empty", "l", "d", "pipe", os.devnull, "none"]
    wanted, got = [run("stat", words, place) for run in (program, builtin)]
    assert (got.status, got.stdout, plain(got.stderr)) == (wanted.status, wanted.stdout, plain(wanted.stderr))


def test_all_facts(place: Path) -> None:
    words = ["a b", "l", "d", os.devnull]
    wanted, got = [run("stat", words, place).stdout.splitlines() for run in (program, builtin)]
    birth = [line for line in got if line.startswith(b" Birth")]
    assert birth == [b" Birth: -"] * 4
    assert [line for line in got if line not in birth] == [line for line in wanted if not line.startswith(b" Birth")]


def test_what_only_the_program_can(place: Path) -> None:
    assert b"`--file-system` is not supported" in builtin("stat", ["-f", "d"], place).stderr
