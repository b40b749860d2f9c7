"""tr beside GNU tr."""

from __future__ import annotations

import pytest
from gnu_case import both_refuse, need, ours, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st

need("tr")
SETS = [
    "a",
    "ab",
    "a-c",
    "abc",
    "[:upper:]",
    "[:lower:]",
    "[:digit:]",
    "[=a=]",
    "[a*3]",
    "x[y*]z",
    "\\n",
    "\\101",
    "a-",
    "-a",
    "[a-c]",
]
SETS += [
    "[:alpha:]",
    "[a*010]",
    "[:*]",
    "[:*3]x",
    "\\\\",
    "\\x",
    "[:space:]",
    "[:punct:]",
    "A-Z",
    "a-z",
    "[:upper:]x",
    "x[:lower:]",
    "a\\-z",
]
SETS += ["[b*]", "\\0-\\377", "[:cntrl:]", "[:graph:]"]
EVERYTHING = bytes(range(256)) * 2 + b"aabbccddAABB  \n\n11--]]\\\\"


@quick
@given(data=texts, first=st.sampled_from(SETS), flags=st.sampled_from([["-d"], ["-s"], ["-cd"], ["-cs"]]))
def test_one_set(data: bytes, first: str, flags: list[str]) -> None:
    words = ["tr", *flags, "--", first]
    if ours(words).status == 2:
        both_refuse(words)
    else:
        same(words, data + EVERYTHING)


@quick
@given(
    data=texts,
    first=st.sampled_from(SETS),
    second=st.sampled_from(SETS),
    flags=st.sampled_from([[], ["-s"], ["-c"], ["-t"], ["-ds"], ["-cs"]]),
)
def test_two_sets(data: bytes, first: str, second: str, flags: list[str]) -> None:
    words = ["tr", *flags, "--", first, second]
    if ours(words).status == 2:
        both_refuse(words)
    else:
        same(words, data + EVERYTHING)


def test_squeezing_goes_on_from_block_to_block() -> None:
    same(["tr", "-s", "a"], b"a" * 300_000 + b"b" + b"a" * 300_000)


def test_operands_behind_the_first_are_no_options() -> None:
    same(["tr", "a", "-d"], b"banana")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a"],
        ["z-a", "x"],
        ["-d", "a", "b"],
        ["-ds", "a"],
        ["[:foo:]", "x"],
        ["[::]", "x"],
        ["[==]", "x"],
        ["[=ab=]", "x"],
        ["a", ""],
        ["[a*]", "b"],
    ],
)
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["tr", *words])
