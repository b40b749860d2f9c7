"""The path rules and variables of a call are those of `os`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernel import environment, system

ROOT = Path(__file__).resolve().parent.parent.parent
PATHS = [
    "",
    "/",
    "//",
    "///",
    ".",
    "..",
    "a",
    "a/",
    "/a",
    "//a/b",
    "a//b",
    "a/./b",
    "a/../b",
    "../a",
    "a/../..",
    "/..",
    "/../a",
    "a/b/../../..",
    "./a/",
]


@pytest.mark.parametrize("path", PATHS)
def test_paths_are_read_as_os_reads_them(path: str) -> None:
    assert system.normpath(path) == os.path.normpath(path)
    assert system.abspath(path) == os.path.abspath(path)
    assert system.dirname(path) == os.path.dirname(path)
    assert system.basename(path) == os.path.basename(path)
    for other in PATHS:
        assert system.join(path, other) == os.path.join(path, other)


def test_kinds(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nothing")
    for name in ("file", "link", "dangling", "missing", "", "nul\0byte"):
        path = str(tmp_path / name)
        for ours, theirs in ((system.exists, os.path.exists), (system.isfile, os.path.isfile), (system.isdir, os.path.isdir)):
            assert ours(path) == theirs(path), name
    assert system.samestat(os.stat(tmp_path / "file"), os.stat(tmp_path / "link"))
    assert not system.samestat(os.stat(tmp_path), os.stat(tmp_path / "file"))


def test_text_and_bytes() -> None:
    for data in (b"", b"plain", "é€".encode(), b"\xff\xfe"):
        assert system.fsdecode(data) == os.fsdecode(data)
        assert system.fsencode(os.fsdecode(data)) == data


def test_variables() -> None:
    """Where `os` is loaded they are its own; where nothing has loaded it, they are the same."""
    assert environment.variables() is os.environ
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); from kernel import environment; found = environment.variables(); "
        "assert 'os' not in sys.modules; import os; assert found == dict(os.environ), found"
    )
    variables = {"A": "1", "EMPTY": "", "BYTES": os.fsdecode(b"\xff=x")}
    subprocess.run([sys.executable, "-I", "-S", "-c", code], env=variables, check=True)


def test_directories_are_made_with_those_above_them(tmp_path: Path) -> None:
    wanted = tmp_path / "a" / "b" / "c"
    for _ in range(2):
        system.makedirs(str(wanted), 0o700)
    assert [oct(path.stat().st_mode & 0o777) for path in (wanted, wanted.parent)] == ["0o700", "0o700"]
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        system.makedirs(str(tmp_path / "file" / "x" / "y"), 0o700)
