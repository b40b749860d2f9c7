"""env beside GNU env."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, both_refuse, need, ours, same
from shipped import spec_of

from kernel import bind, check, render
from kernel.builtins import NAMES

need("env")
ENV = {**ENVIRONMENT, "ONE": "1", "TWO": "a b\nc", "BAD": "\udcff"}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-i"],
        ["-"],
        ["-u", "ONE"],
        ["-u", "ONE", "-u", "TWO"],
        ["-0"],
        ["-i", "A=1", "B=", "C=x=y"],
        ["ONE=2", "ONE=3"],
        ["=x"],
        ["-i", "sh", "-c", "echo $#", "sh", "-x", "y"],
        ["ONE=2", "sh", "-c", "echo $ONE; cat; exit 7"],
        ["-C", "/", "pwd"],
        ["-i", "A=1", "env"],
    ],
)
def test_words(words: list[str]) -> None:
    same(["env", *words], b"input\n", env=ENV)


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("#!/bin/sh\n")
    os.chmod(tmp_path / "file", stat.S_IRUSR)
    for words in (["./missing"], ["./file"], ["sh", "-c", "kill -9 $$"]):
        mine, wanted = ours(["env", *words], cwd=tmp_path), {"./missing": 127, "./file": 126, "sh": 137}[words[0]]
        assert mine.status == wanted


@pytest.mark.parametrize("words", [["-0", "true"], ["-C", "/"], ["-u", "A=B"], ["-u", ""], ["-q"]])
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["env", *words])


def test_words_raise_the_effect_and_are_hidden() -> None:
    assert "env" in NAMES
    spec = spec_of("env")
    words = spec.param("words")
    assert words is not None
    assert words.hidden
    assert render.render(check.check(bind.bind(spec, []), {})).effect == "read"
    assert render.render(check.check(bind.bind(spec, ["true"]), {})).effect == "write"
