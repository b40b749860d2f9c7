"""echo beside GNU echo."""

from __future__ import annotations

import pytest
from gnu_case import need, quick, same
from hypothesis import given
from hypothesis import strategies as st

need("echo")
WORDS = [
    "a",
    "",
    "-n",
    "-e",
    "-E",
    "-ne",
    "-ex",
    "-",
    "--",
    "\\n",
    "\\t\\\\",
    "\\x41",
    "\\0101",
    "\\101",
    "\\q",
    "\\c",
    "a\\",
    "\\x",
    "\\0",
    "é",
]


@quick
@given(words=st.lists(st.sampled_from(WORDS), max_size=5))
def test_any_words(words: list[str]) -> None:
    same(["echo", *words])


@pytest.mark.parametrize("text", ["\\e\\a\\b\\f\\v\\r", "\\08", "\\777", "\\1012", "x\\cy", "\\xfg", "\\xff"])
def test_escapes(text: str) -> None:
    same(["echo", "-e", text, "more"])
