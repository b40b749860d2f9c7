"""Builtins that stream take no more memory for a large input than for a small one, as the GNU tools do.

By night the input is a gibibyte, or as many mebibytes as STREAMED_MEBIBYTES says; in the short run it is still larger
than what a builtin may take beyond one that reads nothing.
"""

from __future__ import annotations

import base64
import functools
import os
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from streamed import Run, feed_file, run

MEBIBYTE = 1 << 20
SHORT = 32 * MEBIBYTE
NIGHTLY = int(os.environ.get("STREAMED_MEBIBYTES", "1024")) * MEBIBYTE
GROWTH = 16 * MEBIBYTE


@functools.cache
def block(kind: str) -> bytes:
    """What the input consists of, about a mebibyte of whole lines (`zeros` and `letters` have none)."""
    chosen = random.Random(1)
    count = range(15_000)
    if kind == "text":
        return b"".join([b"word " * chosen.randint(3, 15) + b"and %d more\n" % number for number in count])
    if kind == "same":
        return b"the same line\n" * 75_000
    if kind == "runs":
        return b"".join([b"line %d\n" % (number // 3) for number in range(90_000)])
    if kind == "csv":
        return b"".join([b'%d,"the name of %d, and more of it than there was",,1.50\n' % (number, number) for number in count])
    if kind == "json":
        return b"".join([b'{"id":%d,"name":"the name of %d","list":[1,2.50,null]}\n' % (number, number) for number in count])
    if kind == "random":
        return chosen.randbytes(MEBIBYTE)
    if kind == "base64":
        return base64.encodebytes(chosen.randbytes(57 * 13_000))
    return (b"\0" if kind == "zeros" else b"x") * MEBIBYTE


class Case(NamedTuple):
    """A line, what it reads, and how much it writes for n blocks if it writes so much for one (None: a line or so)."""

    words: list[str]
    kind: str = "text"
    written: Callable[[int, int], int] | None = lambda one, blocks: one * blocks
    in_file: bool = False
    short: bool = False
    status: int = 0
    at_prompt: bool = False

    def __str__(self) -> str:
        return f"{' '.join(self.words)} of {self.kind}"


def nothing(one: int, blocks: int) -> int:
    return 0


def array(one: int, blocks: int) -> int:
    """Brackets and a newline once, a comma between each two elements."""
    return (one - 2) * blocks + 2


CASES = [
    Case(["cat"]),
    Case(["cat", "-A"]),
    Case(["cat", "-n"], written=None),
    Case(["cat", "-v"], "zeros"),
    Case(["cat", "-n"], "letters", written=lambda one, blocks: (one - 7) * blocks + 7, short=True),
    Case(["cut", "-d", " ", "-f", "2"]),
    Case(["cut", "-c", "2-5"]),
    Case(["cut", "-b", "2-5"], "letters", written=lambda one, blocks: one, short=True),
    Case(["grep", "more"]),
    Case(["grep", "-c", "more"], written=None),
    Case(["grep", "missing"], written=nothing, status=1, short=True),
    Case(["grep", "-v", "word"], written=nothing, status=1),
    Case(["grep", "-on", "1[0-9]*5 more"], written=None),
    Case(["grep", "-c", "x"], "random", written=None),
    Case(["head", "-c", "10"], written=None),
    Case(["head", "-n", "10"], written=None),
    Case(["head", "-c", "-10"], written=lambda one, blocks: (one + 10) * blocks - 10),
    Case(["head", "-n", "-1"], "same", written=lambda one, blocks: (one + 14) * blocks - 14, short=True),
    Case(["head", "-n", "1"], "zeros"),
    Case(["sed", "s/and [0-9]* more/&, and more/"]),
    Case(["sed", "-n", "$p"], written=None),
    Case(["sed", "-i", "s/word/thing/", "big"], written=nothing, in_file=True),
    Case(["tail", "-n", "10"], written=None, short=True),
    Case(["tail", "-n", "10", "big"], written=None, in_file=True),
    Case(["tail", "-n", "+1"]),
    Case(["tail", "-c", "10"], written=None),
    Case(["tail", "-c", "10"], "zeros", written=None),
    Case(["tail", "-c", "+1"]),
    Case(["tee", os.devnull]),
    Case(["tr", "a-z", "A-Z"]),
    Case(["tr", "-cd", "a-z"], "random", short=True),
    Case(["tr", "-s", "x"], "letters", written=lambda one, blocks: one),
    Case(["uniq", "-c"], "same", written=None),
    Case(["uniq", "-c"], "runs"),
    Case(["uniq", "-D"], "same"),
    Case(["wc"], written=None),
    Case(["wc"], "zeros", written=None, short=True),
    Case(["wc", "-L"], "letters", written=None),
    Case(["wc", "-m"], "random", written=None),
    Case(["wc", "-l", "big"], written=None, in_file=True),
    Case(["split", "-l", "1000000"], written=nothing),
    Case(["split", "-b", "100M"], written=nothing),
    Case(["split", "-C", "100M"], written=nothing, short=True),
    Case(["split", "-C", "100M"], "zeros", written=nothing),
    Case(["split", "-n", "r/3"], written=nothing),
    Case(["split", "-n", "l/3", "big"], written=nothing, in_file=True),
    Case(["checksum"], written=None),
    Case(["checksum", "big"], written=None, in_file=True),
    Case(["cp", "big", "copy"], written=nothing, in_file=True),
    Case(["write", "copy"], written=nothing),
    Case(["base64", "-w", "0"], "random", written=None),
    Case(["base64", "-d"], "base64"),
    Case(["tac", "big"], in_file=True, short=True),
    Case(["tac"]),
    Case(["sort", "-S", "4M"]),
    Case(["sort", "-u", "-S", "4M"], written=lambda one, blocks: one),
    Case(["sort", "-c"], "same", written=nothing),
    Case(["sort", "-m", "big", "big"], in_file=True, kind="same"),
    Case(["fromjsonl"], "json", written=array),
    Case(["tojsonl"], "json"),
    Case(["tocsv", "--no-header", "--columns", "id,name"], "json"),
    Case(["fromcsv", "--no-header"], "csv", written=array),
    Case(["fromcsv", "--no-header", "--lines"], "csv"),
    Case(["tojson", "--lines"]),
    Case(["tojson", "--array"], written=array),
    Case(["fromjsonl | tocsv -nc name"], "json", at_prompt=True),
    Case(["cat big | grep more | sed s/word/thing/ | sort -S 4M | uniq -c | wc"], written=None, in_file=True, at_prompt=True),
]


@functools.cache
def least() -> int:
    """The peak of a builtin that reads nothing, in bytes."""
    with TemporaryDirectory() as name:
        return run(["call", "true"], Path(name)).peak


def streamed(case: Case, blocks: int) -> Run:
    """Runs a case on so many blocks and cleans up what it wrote."""
    data = block(case.kind)
    with TemporaryDirectory() as name:
        cwd = Path(name)
        if case.in_file:
            feed_file(cwd / "big", data, blocks)
        words = ["repl", "-c", *case.words] if case.at_prompt else ["call", *case.words]
        found = run(words, cwd, data, 0 if case.in_file else blocks)
        if case.words[0] == "split":
            assert sum(piece.stat().st_size for piece in cwd.glob("x*")) == len(data) * blocks
        return found


def check(case: Case, size: int) -> None:
    blocks = size // len(block(case.kind))
    found = streamed(case, blocks)
    assert (found.status, found.errors) == (case.status, "")
    if case.written is None:
        assert found.written > 0
    else:
        assert found.written == case.written(streamed(case, 1).written, blocks)
    assert found.peak - least() < GROWTH


@pytest.mark.parametrize("case", [case for case in CASES if case.short], ids=str)
def test_memory_does_not_grow_with_the_input(case: Case) -> None:
    check(case, SHORT)


@pytest.mark.nightly
@pytest.mark.parametrize("case", CASES, ids=str)
def test_memory_does_not_grow_with_a_very_large_input(case: Case) -> None:
    check(case, NIGHTLY)
