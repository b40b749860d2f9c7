"""cut beside GNU cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import UTF8, both_refuse, need, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st

need("cut")
LISTS = ["1", "2", "1,3", "3,1", "2-", "-2", "2-3", "1,3-", "1-2,3-4", "1-2,2-4", "99", "1 3", "2,2,1"]
DATA = b"a,b,c,d\nnone\n,x,\n\nab\tcd\tef\n1 2 3\nlast,one"
BY_FIELD = [
    [],
    ["-d,"],
    ["-d", "\t"],
    ["-d", ""],
    ["-d,", "-s"],
    ["-d,", "--output-delimiter=::"],
    ["-d,", "--complement"],
    ["-d,", "-z"],
]
BY_FIELD += [["-d", "\n"], ["-d", "\n", "-s"], ["-d,", "--output-delimiter="]]
BY_BYTE = [[], ["--complement"], ["--output-delimiter=:"], ["--output-delimiter=:", "--complement"], ["-z"], ["-n"]]


@quick
@given(data=texts, chosen=st.sampled_from(LISTS), flags=st.sampled_from(BY_FIELD))
def test_fields_of_any_input(data: bytes, chosen: str, flags: list[str]) -> None:
    same(["cut", "-f", chosen, *flags], data)


@quick
@given(data=texts, chosen=st.sampled_from(LISTS), unit=st.sampled_from(["-b", "-c"]), flags=st.sampled_from(BY_BYTE))
def test_bytes_of_any_input(data: bytes, chosen: str, unit: str, flags: list[str]) -> None:
    same(["cut", unit, chosen, *flags], data)


@pytest.mark.parametrize("flags", BY_FIELD)
def test_lists_of_fields(flags: list[str]) -> None:
    for chosen in LISTS:
        for data in (DATA, b"", b"x\n"):
            same(["cut", "-f", chosen, *flags], data)


def test_characters_are_bytes() -> None:
    same(["cut", "-c2"], "héé\n".encode(), env=UTF8)


def test_files(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(DATA)
    (tmp_path / "long").write_bytes(b"x," * 200_000)
    for name in ("f", "long", "nofile", "."):
        same(["cut", "-d,", "-f2", name, "f"], cwd=tmp_path, messages=True)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-b1", "-f1"],
        ["-f0"],
        ["-fx"],
        ["-f3-2"],
        ["-f-"],
        ["-f", ""],
        ["-f1,"],
        ["-fa-b"],
        ["-f1-2-3"],
        ["-dxy", "-f1"],
        ["-b1", "-s"],
        ["-b1", "-d,"],
        ["-f99999999999999999999"],
        ["-b0"],
    ],
)
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["cut", *words])
