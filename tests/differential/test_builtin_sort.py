"""sort beside GNU sort."""

from __future__ import annotations

import itertools
import os
import platform
import random
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest
from gnu_case import both_refuse, need, ours, quick, same, theirs
from hypothesis import given
from hypothesis import strategies as st

from kernel.builtins import lines, sort_runs

need("sort")
WORDS = [
    b"a",
    b"B",
    b"b",
    b"Ab",
    b"10",
    b"9",
    b"-5",
    b"-0",
    b"0",
    b"1.5",
    b"1.50",
    b"2K",
    b"1M",
    b"1k",
    b"3G",
    b"-2K",
    b"JAN",
    b"feb",
    b"Mar x",
]
WORDS += [
    b" z",
    b"\tq",
    b"",
    b"a.b",
    b"a-b",
    b"a b c",
    b"x1.10",
    b"x1.9",
    b"x1.9.tar.gz",
    b"x1.10.tar.gz",
    b".hid",
    b"..",
    b".",
    b"1~",
    b"1",
]
WORDS += [
    b"01",
    b"\xff\xfe",
    b"a,b,c",
    b",1",
    b"c,2,1",
    b"c,10,1",
    b"  12 foo",
    b"+5",
    b".5",
    b"-.5",
    b"5.",
    b"A_b",
    b"foo  bar",
    b"v1.0~rc1",
]
WORDS += [b"v1.0", b"1234567890123456789012", b"1234567890123456789013.5", b"x" * 3000]
ORDERS = ["", "n", "h", "M", "V", "f", "d", "i", "b", "r", "nr", "hr", "Vr", "fr", "bf", "df", "bn", "dfr", "bi", "fV"]
KEYS = [
    [],
    ["-k1"],
    ["-k2"],
    ["-k1,1"],
    ["-k2,2"],
    ["-k1.2"],
    ["-k1.2,1.3"],
    ["-k2b,2"],
    ["-k2,2.3b"],
    ["-k2n"],
    ["-k1,1r", "-k2n"],
    ["-k2,1"],
]
KEYS += [["-k1.3,2.0"], ["-k3,3nr"], ["-k1,1f"], ["-k1b,1.2"]]
MODES = [[], [], ["-u"], ["-s"], ["-su"], ["-c"], ["-C"], ["-cu"], ["-z"], ["-m"]]
words = st.sampled_from(WORDS)
line = st.one_of(
    words, st.lists(words, min_size=1, max_size=3).map(b" ".join), st.lists(words, min_size=1, max_size=3).map(b",".join)
)
inputs = st.builds(lambda found, last: b"\n".join(found) + last, st.lists(line, max_size=12), st.sampled_from([b"", b"\n"]))


@quick
@given(
    data=inputs,
    order=st.sampled_from(ORDERS),
    keys=st.sampled_from(KEYS),
    separator=st.sampled_from([[], [], ["-t,"], ["-t "], ["-t."]]),
    mode=st.sampled_from(MODES),
)
def test_any_input(data: bytes, order: str, keys: list[str], separator: list[str], mode: list[str]) -> None:
    same(["sort", *([f"-{order}"] if order else []), *keys, *separator, *mode], data)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="C's long double has other bits on other machines")
def test_general_numbers() -> None:
    data = b"\n".join([*WORDS[:-1], b"1e3", b"nan", b"inf", b"-inf", b"0x10", b"1e-400", b"-1e3", b"1.0000000000000000001"])
    same(["sort", "-g"], data)
    same(["sort", "-gr"], data)
    same(["sort", "-gsu"], data)


@pytest.mark.parametrize("flags", [[], ["-n"], ["-k1,1nr", "-u"], ["-sk1.2,1.3"], ["-r"], ["-Vr"]])
@pytest.mark.parametrize("most", [2, 3, sort_runs.MOST])
def test_more_lines_than_fit_in_memory(flags: list[str], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = random.Random(7)
    data = b"".join([b"%d %d\n" % (chosen.randrange(10**5), number) for number in range(8000)])
    monkeypatch.setattr(lines, "read", lambda descriptor, size: os.read(descriptor, min(size, 4096)))
    monkeypatch.setattr(sort_runs, "MOST", most)
    opened = []

    def temporary(dir: str | None) -> IO[bytes]:
        opened.append(TemporaryFile(dir=dir))  # noqa: SIM115 (sort closes it)
        assert sum(not file.closed for file in opened) <= 4 * most
        return opened[-1]

    monkeypatch.setattr(sort_runs, "TemporaryFile", temporary)
    same(["sort", "-S", "64K", *flags], data)
    assert len(opened) >= 10
    assert all(file.closed for file in opened)


def test_files(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"a\nc\ne\n")
    (tmp_path / "two").write_bytes(b"b\nc\nd")
    (tmp_path / "mixed").write_bytes(b"b\na\nc\n")
    (tmp_path / "names").write_bytes(b"one\0two")
    for words in (
        ["-m", "one", "two"],
        ["-mu", "one", "two"],
        ["mixed", "one", "-"],
        ["-c", "mixed"],
        ["-C", "mixed"],
        ["--files0-from=names"],
    ):
        same(["sort", *words], b"x\nb\n", cwd=tmp_path, messages=True)
    for words in (["nofile", "one"], ["."], ["-o", "no/such", "one"]):
        assert same(["sort", *words], cwd=tmp_path, messages=True).status == 2
    for run in (ours, theirs):
        (tmp_path / "f").write_bytes(b"c\nb\na\n")
        assert run(["sort", "-o", "f", "f"], cwd=tmp_path).status == 0
        assert (tmp_path / "f").read_bytes() == b"a\nb\nc\n"
        (tmp_path / "one").write_bytes(b"a\nc\ne\n")
        assert run(["sort", "-m", "-o", "one", "one", "two"], cwd=tmp_path).status == 0
        assert (tmp_path / "one").read_bytes() == b"a\nb\nc\nc\nd\ne\n"


def test_a_random_order_keeps_equal_lines_together() -> None:
    found = ours(["sort", "-R"], b"a\nb\na\nc\nb\n").stdout.split()
    assert sorted(found) == [b"a", b"a", b"b", b"b", b"c"]
    assert len([1 for left, right in itertools.pairwise(found) if left == right]) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["-k0"],
        ["-kx"],
        ["-k1.0"],
        ["-k1x"],
        ["-k1,"],
        ["-k1."],
        ["-t", ""],
        ["-tab"],
        ["-nd"],
        ["-nM"],
        ["-k1nM"],
        ["-c", "-o", "x"],
        ["-c", "a", "b"],
        ["-S", "x"],
    ],
)
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["sort", *words])


@pytest.mark.parametrize("words", [["-kx"], ["-k1."], ["-k1,"], ["-k0"], ["-k1.0"]])
def test_what_is_said_of_a_key(words: list[str]) -> None:
    same(["sort", *words], messages=True)
