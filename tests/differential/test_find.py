"""find against GNU find on one tree: the names in any order, as the order of a directory is the file system's."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from builtin_case import builtin, plain, program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernel import words as quoting

NOW = 1_700_000_000


def make(root: Path) -> None:
    """Files of several kinds, sizes, ages and modes."""
    for name in ("d/s/deep", "d/.hidden", "empty", "e2/x"):
        (root / name).mkdir(parents=True)
    contents = {
        "a.txt": 2,
        "b.log": 0,
        "d/c.txt": 600,
        "d/s/deep/f.c": 3000,
        "d/.hidden/g": 1,
        "sp ace": 5,
        "new\nline": 1,
        "UPPER.TXT": 70000,
    }
    for name, size in contents.items():
        (root / name).write_bytes(b"x" * size)
    (root / "l").symlink_to("d")
    (root / "broken").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    (root / "d/up").symlink_to("..")
    os.link(root / "a.txt", root / "hard")
    os.mkfifo(root / "pipe")
    (root / "a.txt").chmod(0o755)
    (root / "b.log").chmod(0o600)
    for number, name in enumerate(contents):
        os.utime(root / name, (NOW - number * 40000, NOW - number * 86400 * 2 - 3))


CASES = r"""
.
d
. -name '*.txt'
. -iname '*.txt'
. -name .hidden
. -name '*i*'
. -path '*d*'
. -path './d/*'
. -ipath '*UPPER*'
. -type f
. -type d
. -type l,p
. -xtype f
. -xtype l
. -size +1k
. -size -2
. -size 0
. -size 600c
. -size +2c -size -700c
. -empty
. -empty -type d
. -maxdepth 1
. -mindepth 2
. -maxdepth 0
. -mindepth 1 -maxdepth 1 -type d
d -depth
. -name d -prune -o -print
. -path ./d -prune -o -type f -print
. ! -name '*.txt'
. -not -name '*.txt' -type f
. -name '*.txt' -o -name '*.log'
. '(' -name '*.txt' -o -name '*.log' ')' -a -type f
. -type f -name a.txt , -type d
. -perm 600
. -perm -100 -type f
. -perm /077
. -perm u=rw,g=,o= -type f
. -perm -u+x -type f
. -links 2
. -links +1 -type f
. -samefile a.txt
. -newer b.log
. -newermt 2023-11-10
. -newermt @1699900000
. -lname '*d*'
. -ilname 'NOWHERE'
. -regex '.*\.txt'
. -regex '.*/[abc].*'
. -regextype posix-extended -regex '.*/(a|b)\..+'
. -iregex '.*upper.*'
-L .
-L . -type f
-H l
l
l/
-P l -type l
-L . -name up
. -print0
. -printf '%p %s %y\n'
. -printf '%f|%h|%P|%H|%d\n'
. -type f -printf '%m %M %n %i %u %g %U %G %b %k\n'
. -printf '%l %Y %y %p\n'
a.txt -printf '%T@ %TY-%Tm-%Td %TH:%TM:%TS %TT %T+ %t\n'
. -print -quit
none
none a.txt
. -type f -exec echo {} ';'
. -name '*.txt' -exec echo a{}b {} ';'
. -type f -exec echo {} +
. -name '*.txt' -exec false ';' -print
. -exec false {} +
. -exec no-such ';'
. -true
. -false
. -name a.txt -false -o -name b.log
. -nouser
. -nogroup
. -user root
. -uid +0
. -readable -type f
. -executable -type f
. -name '[ab]*'
. -name '[!ab]*'
. -name '[[:upper:]]*'
. -name '?'
. -name '*\n*'
. -name 'sp*'
d/ -name c.txt
d/s/ d/.hidden
. -mtime +3
. -mtime -10000
. -amin +5
. -ctime 0
. -daystart -mtime -99999
. -type f -name '*.c' -prune
. -depth -name d -prune -o -print
. -name x -o
. -o -name x
. '(' -name x
. -name x ')'
. '(' ')'
. -nosuch
. -name
. -type x
. -size x
. -maxdepth x
a.txt -name a.txt b.log
. -user nobody-at-all
. -newer none
. -perm 9
. -mtime x
. -exec
. -exec echo
-name a.txt
. -xdev -name a.txt
. -inum 1
. -name a.txt -print -print
. -print , -print
. ! ! -name a.txt
. -not ! -type d
. -path '*/s/*' -o -path '*hidden*' -printf '%p\n'
. -name a.txt -quit
a.txt -printf '%10s,%-10s,%05m,%#m,%.2f,\t\\\n\101\0'
"""


def rows(text: bytes) -> list[bytes]:
    return sorted(re.split(rb"(?<=\n)|(?<=\x00)", text))


def test_cases(tmp_path: Path) -> None:
    make(tmp_path)
    differing = []
    for line in CASES.strip().split("\n"):
        argv = [word.text for word in quoting.split(line)]
        wanted, got = [run("find", argv, tmp_path) for run in (program, builtin)]
        if wanted.status == 1 and got.status == 2 and not wanted.stdout:
            continue  # an expression that is none: 2 here
        same = rows(got.stdout) == rows(wanted.stdout) or (
            "{} +" in line and sorted(got.stdout.split()) == sorted(wanted.stdout.split())
        )
        if not same or got.status != wanted.status or rows(plain(got.stderr)) != rows(plain(wanted.stderr)):
            differing.append((line, got, wanted))
    assert differing == []


@pytest.mark.parametrize(
    "line",
    [
        ". -delete",
        ". -name '*.txt' -delete",
        "d -depth -delete",
        ". -type f -delete -print",
        "d/s -empty -delete",
        "d -name s -delete",
    ],
)
def test_delete(tmp_path: Path, line: str) -> None:
    outcomes = []
    for run in (program, builtin):
        place = tmp_path / "place"
        place.mkdir()
        make(place)
        answer = run("find", [word.text for word in quoting.split(line)], place)
        outcomes.append(
            (answer.status, rows(answer.stdout), rows(plain(answer.stderr)), sorted(str(path.name) for path in place.rglob("*")))
        )
        shutil.rmtree(place)
    assert outcomes[0] == outcomes[1]


TESTS = [
    ["-name", "*.txt"],
    ["-type", "f"],
    ["-type", "d"],
    ["-empty"],
    ["-true"],
    ["-false"],
    ["-prune"],
    ["-size", "+1k"],
    ["-print"],
    ["-path", "*d*"],
]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> list[str]:
    kind = draw(st.integers(0, 5)) if depth else 0
    if kind < 2:
        return draw(st.sampled_from(TESTS))
    if kind == 2:
        return ["!", *draw(expressions(depth - 1))]
    if kind == 3:
        return ["(", *draw(expressions(depth - 1)), ")"]
    joint = draw(st.sampled_from([[], ["-a"], ["-o"]]))
    return [*draw(expressions(depth - 1)), *joint, *draw(expressions(depth - 1))]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("find")
    make(root)
    return root


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions())
def test_generated_expressions(place: Path, expression: list[str]) -> None:
    wanted = program("find", [".", *expression], place)
    got = builtin("find", [".", *expression], place)
    assert (got.status, rows(got.stdout)) == (wanted.status, rows(wanted.stdout))


def test_effects_cannot_be_hidden(tmp_path: Path) -> None:
    """What raises the effect of a call must be seen by the binder: behind `--` it is refused."""
    make(tmp_path)
    for words in (
        [".", "--", "-delete"],
        [".", "-name", "-exec", "--", "-exec", "rm", "{}", ";"],
        ["-name", "x", "--", "-o", "-delete"],
    ):
        assert builtin("find", words, tmp_path).status == 2, words
    assert (tmp_path / "a.txt").exists()
