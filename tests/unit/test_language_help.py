"""Help on the language: every example is one that the shell takes."""

from __future__ import annotations

import pytest

from kernel.shell import language, refused
from kernel.shell.parser import parse
from kernel.shell.source import Source


@pytest.mark.parametrize("word", language.ENTRIES)
def test_examples_are_of_the_language(word: str) -> None:
    example = language.ENTRIES[word][2]
    assert parse(Source(example, "-c")).items
    assert word in example or word == "function"


def test_every_reserved_word_is_described() -> None:
    for word in (*refused.CLOSERS, "if", "for", "while", "until", "case", "function", "{", "[[", "!"):
        assert language.described(word).startswith("form: ")
    assert language.described("nothing") == ""
