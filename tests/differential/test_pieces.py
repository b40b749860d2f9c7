"""Lines that come in pieces, as those do that are longer than what is read at once: the same as in one piece."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from gnu_case import ENVIRONMENT, need, ours, quick, same, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.builtins import lines, split

sizes = st.sampled_from([1, 2, 3, 7])


@contextlib.contextmanager
def reading(size: int) -> Iterator[None]:
    """Every read gives so many bytes at most."""

    def read(descriptor: int, wanted: int = size) -> bytes:
        return os.read(descriptor, min(size, wanted))

    with mock.patch.object(lines, "read", read), mock.patch.object(split, "read", read):
        yield


@quick
@given(data=texts, size=sizes, flags=st.lists(st.sampled_from(["-A", "-b", "-E", "-n", "-s", "-v"]), max_size=3))
def test_cat(data: bytes, size: int, flags: list[str]) -> None:
    need("cat")
    with reading(size):
        same(["cat", *flags], data)


@quick
@given(
    data=texts,
    size=sizes,
    chosen=st.sampled_from(["1", "2", "1,3", "2-", "2-3", "1-2,3-4", "99", "5,9-12,14-"]),
    flags=st.sampled_from([[], ["--complement"], ["--output-delimiter=:"], ["--output-delimiter=:", "--complement"], ["-z"]]),
)
def test_cut(data: bytes, size: int, chosen: str, flags: list[str]) -> None:
    need("cut")
    with reading(size):
        same(["cut", "-b", chosen, *flags], data)


@quick
@given(data=texts, size=sizes, flags=st.sampled_from([[], ["-w"], ["-m"], ["-L"], ["-l"]]))
def test_wc(data: bytes, size: int, flags: list[str]) -> None:
    need("wc")
    with reading(size):
        same(["wc", *flags], data)


@pytest.mark.skipif(not shutil.which("split"), reason="there is no split")
@settings(quick, max_examples=40)
@given(data=texts, size=sizes, most=st.sampled_from([2, 3, 5, 8, 13, 4000]))
def test_split(data: bytes, size: int, most: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        theirs, mine = Path(name, "theirs"), Path(name, "mine")
        theirs.mkdir()
        mine.mkdir()
        words = ["split", "-a", "5", "-C", str(most)]
        subprocess.run(words, input=data, cwd=theirs, env=ENVIRONMENT, check=True)
        with reading(size):
            assert ours(words, data, cwd=mine) == (0, b"", b"")
        wanted = [(file.name, file.read_bytes()) for file in sorted(theirs.iterdir())]
        got = [(file.name, file.read_bytes()) for file in sorted(mine.iterdir())]
    assert got == wanted
