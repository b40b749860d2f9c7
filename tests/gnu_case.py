"""Builtins run in this process on generated input, beside the GNU program of the same name."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from shipped import spec_of

from kernel import bind, check
from kernel.bound import Bound
from kernel.builtins import module_name, usage_of
from kernel.builtins.guard import Failure
from kernel.builtins.io import Io
from kernel.errors import KernelError

ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC0", "PATH": os.environ.get("PATH", os.defpath)}
UTF8 = {**ENVIRONMENT, "LC_ALL": "C.UTF-8"}
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Input as it comes: empty, without a final newline, with bytes that are no text, with long lines.
_PIECES = [b"a", b"b", b"A", b"ab", b"1", b"10", b" ", b"  ", b"\t", b",", b"-", b".", b"\xff", b"\xc3\xa9", b"\0", b"x" * 5000]
lines = st.lists(st.sampled_from(_PIECES), max_size=5).map(b"".join)
texts = st.builds(lambda found, last: b"\n".join(found) + last, st.lists(lines, max_size=8), st.sampled_from([b"", b"\n"]))


class Outcome(NamedTuple):
    """What a run gave."""

    status: int
    stdout: bytes
    stderr: bytes


def ours(words: list[str], stdin: bytes = b"", *, cwd: Path | str = "/", env: Mapping[str, str] | None = None) -> Outcome:
    """The builtin, bound and asked about its words as in a call; a refused line has status 2 and its problems on stderr."""
    env = ENVIRONMENT if env is None else env
    spec = spec_of(words[0])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, input_of(stdin) as given:
        try:
            bound = check.check(bind.bind(spec, words[1:]), env)
        except KernelError as error:
            return Outcome(error.status, b"", str(error).encode("utf-8", "replace"))
        refusal = refused(bound)
        if refusal:
            return Refusal(2, b"", f"{words[0]}: {refusal}\n".encode("utf-8", "surrogateescape"))
        io = Io(words[0], env, str(cwd), lambda _: 127, given.fileno(), out.fileno(), err.fileno())
        module = module_name(spec.builtin)
        __import__(module)
        status = sys.modules[module].run(bound, io)
        io.flush()
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read(), err.read())


def refused(bound: Bound) -> str:
    """What the builtin says against the words of a call, "" for nothing."""
    usage = usage_of(bound.spec.builtin)
    try:
        if usage is not None:
            usage(bound)
    except Failure as failure:
        return failure.lines
    return ""


@contextlib.contextmanager
def input_of(data: bytes) -> Iterator[IO[bytes]]:
    """A pipe that holds the data, or a file where it is too much for a pipe."""
    if len(data) <= 65536 and sys.platform == "linux":
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        with os.fdopen(reading, "rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


class Refusal(Outcome):
    """What a builtin gave that called its words wrong and did not run."""


@functools.cache
def gnu_program(name: str) -> str:
    """The path of the GNU program, "" when there is none."""
    path = shutil.which(name)
    if path is None:
        return ""
    if name == "test":  # it takes --version for a word
        return path if gnu_program("cat") else ""
    found = subprocess.run([path, "--version"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return path if b"GNU" in found.stdout else ""


def need(name: str) -> None:
    """Skips the module where the GNU program is missing."""
    if not gnu_program(name):
        pytest.skip(f"there is no GNU {name} on this machine", allow_module_level=True)


def theirs(words: list[str], stdin: bytes = b"", *, cwd: Path | str = "/", env: Mapping[str, str] | None = None) -> Outcome:
    """The GNU program, with the same words and input."""
    need(words[0])
    found = subprocess.run(
        words,
        executable=gnu_program(words[0]),
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=dict(ENVIRONMENT if env is None else env),
        check=False,
    )
    return Outcome(found.returncode, found.stdout, found.stderr)


def same(
    words: list[str],
    stdin: bytes = b"",
    *,
    cwd: Path | str = "/",
    env: Mapping[str, str] | None = None,
    messages: bool = False,
) -> Outcome:
    """Asserts that both print the same and end with the same status; with ``messages`` stderr too.

    Words that the builtin calls wrong must fail there as well; the status of that is 2 here, and nothing is printed before.
    """
    mine, other = ours(words, stdin, cwd=cwd, env=env), theirs(words, stdin, cwd=cwd, env=env)
    if isinstance(mine, Refusal):
        assert other.status > 0, (words, stdin, mine, other)
    else:
        assert mine[:2] == other[:2], (words, stdin, mine, other)
    if messages:
        assert mine.stderr == other.stderr, (words, stdin)
    return mine


def both_refuse(words: list[str], stdin: bytes = b"", *, cwd: Path | str = "/") -> None:
    """Asserts that both refuse the words: usage errors have status 2 here, whatever GNU's is."""
    mine, other = ours(words, stdin, cwd=cwd), theirs(words, stdin, cwd=cwd)
    assert mine.status == 2, (words, mine)
    assert mine.stderr, words
    assert other.status > 0, (words, other)
    assert mine.stdout == other.stdout == b"", (words, mine, other)
