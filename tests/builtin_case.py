"""Builtins beside the GNU programs of their names: the same words, files and stdin, in twin directories.

Both run in the same order on trees made alike; statuses, outputs, messages and what is left on disk are compared.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
import shipped
from gnu_case import refused

from kernel import bind, check
from kernel.builtins import module_name
from kernel.builtins.io import Io
from kernel.errors import KernelError

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC0", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
USAGE = 2


class Answer(NamedTuple):
    """What a run gave back."""

    status: int
    stdout: bytes
    stderr: bytes


class Refusal(Answer):
    """The answer of a builtin that called its words wrong and did not run."""


def as_here(wanted: Answer, got: Answer) -> Answer:
    """The program's answer; where both refuse the words, with the status that this has here whatever GNU's is."""
    return wanted._replace(status=USAGE) if isinstance(got, Refusal) and wanted.status and not wanted.stdout else wanted


def builtin(
    name: str,
    words: Sequence[str],
    cwd: Path,
    stdin: bytes = b"",
    env: Mapping[str, str] = ENVIRONMENT,
    call: Callable[[list[str]], int] | None = None,
) -> Answer:
    """Runs a builtin in this process. Words that do not bind, or that it calls wrong, have status 2 and the problems as stderr."""
    bound = bind.bind(shipped.spec_of(name), list(words))
    try:
        check.check(bound, {})
    except KernelError as error:
        return Answer(USAGE, b"", str(error).encode())
    refusal = refused(bound)
    if refusal:
        return Refusal(USAGE, b"", f"{name}: {refusal}\n".encode("utf-8", "surrogateescape"))
    module = module_name(name)
    __import__(module)
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(stdin)
        source.seek(0)
        io = Io(name, env, str(cwd), call or _no_call, source.fileno(), out.fileno(), err.fileno(), alone=True)
        status = sys.modules[module].run(bound, io)
        io.flush()
        out.seek(0)
        err.seek(0)
        return Answer(status, out.read(), err.read())


def _no_call(words: list[str]) -> int:
    raise AssertionError(f"no other tool is called: {words}")


def program(name: str, words: Sequence[str], cwd: Path, stdin: bytes = b"") -> Answer:
    """Runs the program of PATH. Skips where it is missing or is not GNU's."""
    path = gnu(name)
    done = subprocess.run(
        [path, *[os.fsencode(word) for word in words]], cwd=cwd, env=ENVIRONMENT, input=stdin, capture_output=True, check=False
    )
    mark, short = os.fsencode(path) + b":", name.encode() + b":"
    return Answer(done.returncode, done.stdout.replace(mark, short), done.stderr.replace(mark, short))


_known: dict[str, str] = {}


def gnu(name: str) -> str:
    """The path of a GNU program; skips where there is none."""
    if name not in _known:
        path = shutil.which(name) or ""
        said = subprocess.run([path, "--version"], capture_output=True, check=False).stdout if path else b""
        _known[name] = path if any(mark in said for mark in (b"GNU", b"Free Software", b"tree v")) else ""
    if not _known[name]:
        pytest.skip(f"GNU `{name}` is not installed: there is nothing to compare with")
    return _known[name]


def tree(root: Path, *, times: bool = False) -> list[tuple[object, ...]]:
    """All that is below a directory: (path, kind and mode, content or link text, links, with ``times`` mtime)."""
    found: list[tuple[object, ...]] = []
    for base, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(base, name)
            info = os.lstat(path)
            content: object = b""
            if stat.S_ISLNK(info.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(info.st_mode) and info.st_mode & 0o400:
                content = Path(path).read_bytes()
            links = info.st_nlink if not stat.S_ISDIR(info.st_mode) else 0
            found.append(
                (os.path.relpath(path, root), stat.filemode(info.st_mode), content, links, info.st_mtime_ns if times else 0)
            )
    return sorted(found, key=repr)


def plain(text: bytes) -> bytes:
    """Messages without typographic quotes and the advice to try --help."""
    text = text.replace("‘".encode(), b"'").replace("’".encode(), b"'")
    return b"".join([line for line in text.splitlines(keepends=True) if not line.startswith(b"Try '")])


class Twins:
    """Two directories made alike by ``make``, one for each side."""

    def __init__(self, root: Path, make: Callable[[Path], None]) -> None:
        self.root = root
        self.make = make
        self.number = 0

    def compare(self, name: str, words: Sequence[str], stdin: bytes = b"", *, messages: bool = True, times: bool = False) -> Answer:
        """Runs both on fresh trees and compares everything; the builtin's answer. A usage error has status 2 here."""
        self.number += 1
        places = [self.root / f"{self.number}" / side for side in ("gnu", "own")]
        for place in places:
            place.mkdir(parents=True)
            self.make(place)
        wanted = program(name, words, places[0], stdin)
        got = builtin(name, words, places[1], stdin)
        wanted = as_here(wanted, got)
        if messages:
            assert plain(got.stderr) == plain(wanted.stderr), words
        if name == "rm":  # the order of a directory's entries is the file system's
            wanted, got = [each._replace(stdout=b"".join(sorted(each.stdout.splitlines(True)))) for each in (wanted, got)]
        assert (got.status, got.stdout) == (wanted.status, wanted.stdout), (words, got.stderr, wanted.stderr)
        assert tree(places[1], times=times) == tree(places[0], times=times), words
        return got
