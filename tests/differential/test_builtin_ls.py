"""ls beside GNU ls."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, UTF8, both_refuse, need, quick, same
from hypothesis import given, settings
from hypothesis import strategies as st

need("ls")
FLAGS = """-a -A -d -l -1 -R -r -t -S -X -v -F -p -h -i -s -n -g -o -G -m -x -C -Q -b -N -q -k -L -H -c -B --si --full-time
--time-style=long-iso --time-style=iso --time-style=+%s --sort=size --group-directories-first --file-type --quoting-style=shell
--quoting-style=shell-always --quoting-style=shell-escape --quoting-style=c
--format=across --format=commas -w40 -w0 -w20 --hide=x* -Ib*
--indicator-style=classify --zero --author --block-size=1 --block-size=K --sort=version --sort=width --classify""".split()
OPERANDS = [
    [],
    ["d"],
    ["a", "d"],
    ["dlink"],
    ["link", "dangling"],
    ["nofile", "a"],
    ["many"],
    ["."],
    ["d/"],
    ["fifo", "prog"],
    ["/dev/null", "a"],
]
NAMES = [
    "x1.10",
    "x1.9",
    "back~",
    "sp ace",
    "it's",
    "new\nline",
    "tab\there",
    'q"uote',
    "bad\udcff",
    "é日本",
    "back\\slash",
    "$dollar",
    "#hash",
    "~tilde",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("ls")

    def make(name: str, size: int = 0, mode: int = 0o644, age: float = 0) -> None:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        path.chmod(mode)
        os.utime(path, (time.time() - age, time.time() - age))

    for number, name in enumerate(NAMES):
        make(name, 0, 0o644, 1000 * number)
    for row in (
        ("a", 10, 0o600, 9e8),
        ("b.c", 5000),
        ("B.a", 0, 0o644, 1000),
        ("prog", 2, 0o755, 1e7),
        (".hid", 1),
        ("big", 1234567),
    ):
        make(*row)
    for row in (("d/x", 1), ("d/s/y", 2), ("d/.h",), ("suid", 0, 0o4755), ("sticky/z",)):
        make(*row)
    for number in range(20):
        make(f"many/f{number}{'x' * (number * 7 % 20)}")
    os.chmod(top / "sticky", 0o1777)
    for name, target in (("link", "a"), ("dlink", "d"), ("dangling", "nowhere")):
        (top / name).symlink_to(target)
    os.mkfifo(top / "fifo")
    return top


@settings(quick, max_examples=120)
@given(flags=st.lists(st.sampled_from(FLAGS), max_size=3, unique=True), operands=st.sampled_from(OPERANDS), utf8=st.booleans())
def test_any_options(flags: list[str], operands: list[str], utf8: bool, place: Path) -> None:
    same(["ls", *flags, *operands], cwd=place, env={**(UTF8 if utf8 else ENVIRONMENT), "TZ": "America/New_York"})


@pytest.mark.parametrize("flag", FLAGS)
def test_an_option(flag: str, place: Path) -> None:
    same(["ls", flag], cwd=place)
    same(["ls", "-l", flag, "a", "d", "link"], cwd=place)
    same(["ls", "-C", flag], cwd=place, env=UTF8)


def test_the_time_of_the_last_access(place: Path) -> None:
    for words in (["-u"], ["-lu"], ["-lut"], ["--time=atime", "-l"], ["-num"]):  # reading a link changes it
        same(["ls", *words, "a", "b.c", "prog", "suid"], cwd=place)


def test_what_cannot_be_read_is_said(place: Path) -> None:
    assert same(["ls", "nofile", "a"], cwd=place, messages=True).status == 2
    assert same(["ls", ""], cwd=place, messages=True).status == 2


@pytest.mark.parametrize("words", [["--sort=x"], ["--time-style=x", "-l"], ["-w", "x"], ["--nothing"]])
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["ls", *words])
