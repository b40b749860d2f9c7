"""uniq beside GNU uniq."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import both_refuse, need, ours, quick, same, texts, theirs
from hypothesis import given
from hypothesis import strategies as st

need("uniq")
FLAGS = [
    [],
    ["-c"],
    ["-d"],
    ["-u"],
    ["-D"],
    ["-i"],
    ["-ci"],
    ["-f1"],
    ["-s1"],
    ["-w1"],
    ["-w0"],
    ["-f1", "-s1"],
    ["-f1", "-w2"],
    ["-z"],
    ["-du"],
]
FLAGS += [
    ["--all-repeated=prepend"],
    ["--all-repeated=separate"],
    ["--group"],
    ["--group=prepend"],
    ["--group=append"],
    ["--group=both"],
]
FLAGS += [["-Du"], ["-dc"], ["-uc"], ["-f2"], ["-iD"], ["-i", "--group"], ["-cz"]]
DATA = b"a\na\nb\nB\nb\n\n\nx 1\ny 1\nz  1\n a b\na b\nab1\nab2\nlast\nlast"
few = st.lists(st.sampled_from([b"a", b"A", b"b", b"", b"a b", b"x b", b"\xff", b"\0"]), max_size=10).map(b"\n".join)


@quick
@given(data=st.one_of(texts, few), flags=st.sampled_from(FLAGS))
def test_any_input(data: bytes, flags: list[str]) -> None:
    same(["uniq", *flags], data)


@pytest.mark.parametrize("flags", FLAGS)
def test_options(flags: list[str]) -> None:
    for data in (DATA, DATA + b"\n", b"", b"\n", DATA.replace(b"\n", b"\0")):
        same(["uniq", *flags], data)


def test_files(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(DATA)
    same(["uniq", "f"], cwd=tmp_path)
    same(["uniq", "nofile"], cwd=tmp_path, messages=True)
    same(["uniq", "f", "no/such"], cwd=tmp_path, messages=True)
    for run, name in ((ours, "one"), (theirs, "two")):
        assert run(["uniq", "-c", "f", name], cwd=tmp_path).status == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("words", [["-f", "x"], ["-D", "-c"], ["--group", "-c"], ["--group=x"], ["a", "b", "c"]])
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["uniq", *words])
