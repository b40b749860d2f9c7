"""head beside GNU head."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gnu_case import both_refuse, need, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st

from kernel.builtins.io import Io

need("head")
COUNTS = ["0", "1", "2", "3", "10", "1K", "1b", "1kB", "-0", "-1", "-3", "-100", "2MiB", "5k", "+2", "+1k"]


@quick
@given(data=texts, unit=st.sampled_from(["-n", "-c"]), count=st.sampled_from(COUNTS), zero=st.sampled_from([[], ["-z"]]))
def test_any_input(data: bytes, unit: str, count: str, zero: list[str]) -> None:
    same(["head", unit, count, *zero], data)


@pytest.mark.parametrize("words", [[], ["-q"], ["-v"], ["-3"], ["-n", "1", "-v"], ["-c", "3"], ["-vq"], ["--lines=-1"], ["-n1"]])
def test_several_files(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"".join([b"%d\n" % number for number in range(20)]))
    (tmp_path / "g").write_bytes(b"a\nb\nno end")
    (tmp_path / "e").write_bytes(b"")
    (tmp_path / "d").mkdir()
    for files in (["f"], ["f", "g"], ["e", "g", "-"], ["nofile", "g"], ["d", "g"]):
        same(["head", *words, *files], b"stdin\n", cwd=tmp_path, messages=True)


def test_a_long_input_is_read_in_parts() -> None:
    data = b"".join([b"line %d\n" % number for number in range(60_000)])
    for count in ("50000", "-1", "-59999", "-60000"):
        same(["head", "-n", count], data)
        same(["head", "-c", count], data)


@pytest.mark.parametrize("words", [["-n", "x"], ["-c", "5x"], ["-n", ""], ["-n", "1kb"]])
def test_a_count_that_is_none(words: list[str]) -> None:
    both_refuse(["head", *words])


def test_what_was_read_too_far_is_given_back(tmp_path: Path) -> None:
    from kernel.builtins.head import first_lines

    (tmp_path / "f").write_bytes(b"1\n2\n3\n")
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        first_lines(Io("head", {}, "/", lambda _: 0, descriptor, sink, sink), descriptor, 1, b"\n")
        assert os.read(descriptor, 10) == b"2\n3\n"
    finally:
        os.close(descriptor)
        os.close(sink)
