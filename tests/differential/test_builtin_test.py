"""test beside GNU test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gnu_case import need, quick, same
from hypothesis import given, settings
from hypothesis import strategies as st

need("test")
WORDS = [
    "a",
    "",
    "f",
    "e",
    "dir",
    "l",
    "dl",
    "nofile",
    "!",
    "(",
    ")",
    "-a",
    "-o",
    "=",
    "==",
    "!=",
    "-eq",
    "-lt",
    "-nt",
    "-ot",
    "-ef",
    "-n",
]
WORDS += ["-z", "-f", "-d", "-e", "-s", "-L", "-h", "-x", "-r", "-l", "1", "10", " 3 ", "x", "-q", "-u", "-", "--", "0", "+5", "-3"]
FILES = st.sampled_from(["f", "e", "dir", "l", "dl", "nofile", "", "1"])
UNARY = st.sampled_from(["-f", "-d", "-e", "-s", "-L", "-x", "-r", "-w", "-n", "-z", "-u", "-b", "-p", "-O", "-G"])
BINARY = st.sampled_from(["=", "!=", "-eq", "-lt", "-nt", "-ot", "-ef", "=="])
conditions = st.recursive(
    st.one_of(st.tuples(UNARY, FILES), st.tuples(FILES, BINARY, FILES), st.tuples(FILES)).map(list),
    lambda inner: st.one_of(
        inner.map(lambda words: ["!", *words]),
        inner.map(lambda words: ["(", *words, ")"]),
        st.builds(lambda left, word, right: [*left, word, *right], inner, st.sampled_from(["-a", "-o"]), inner),
    ),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("test")
    (top / "f").write_text("x")
    (top / "e").write_text("")
    (top / "dir").mkdir()
    (top / "l").symlink_to("f")
    (top / "dl").symlink_to("nowhere")
    os.utime(top / "e", (1, 1))
    os.chmod(top / "e", 0o4755)
    return top


@settings(quick, max_examples=150)
@given(words=st.lists(st.sampled_from(WORDS), max_size=5))
def test_any_words(words: list[str], place: Path) -> None:
    same(["test", *words], cwd=place)


@settings(quick, max_examples=100)
@given(words=conditions)
def test_any_condition(words: list[str], place: Path) -> None:
    same(["test", *words], cwd=place)


@pytest.mark.parametrize(
    "words", [["-t", "0"], ["-l", "abc", "-eq", "3"], ["3", "-eq", "-l", "abc"], ["9" * 30, "-gt", "1"], ["-n"], ["1", "-eq", "1x"]]
)
def test_forms(words: list[str], place: Path) -> None:
    same(["test", *words], cwd=place)


def test_deep_parentheses_are_an_error() -> None:
    from gnu_case import ours

    assert ours(["test", *["("] * 5000, "x", *[")"] * 5000]).status == 2
