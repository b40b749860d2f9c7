"""write: the whole of a file, or nothing of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from builtin_case import builtin


def test_it_writes_stdin_or_a_text(tmp_path: Path) -> None:
    assert builtin("write", ["f"], tmp_path, b"\xff\x00").status == 0
    assert (tmp_path / "f").read_bytes() == b"\xff\x00"
    assert builtin("write", ["-l", "f", "-x"], tmp_path).status == 2
    assert builtin("write", ["-l", "f", "--", "-x"], tmp_path).status == 0
    assert (tmp_path / "f").read_bytes() == b"-x\n"
    assert builtin("write", ["f", ""], tmp_path, b"ignored").status == 0
    assert (tmp_path / "f").read_bytes() == b""


def test_it_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o640)
    (tmp_path / "l").symlink_to("f")
    assert builtin("write", ["l", "new"], tmp_path).status == 0
    assert (tmp_path / "f").read_text() == "new"
    assert (tmp_path / "l").is_symlink()
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640
    assert builtin("write", ["-m", "600", "f", "x"], tmp_path).status == 0
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o600


def test_a_reader_keeps_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    with open(tmp_path / "f", encoding="utf-8") as reader:
        builtin("write", ["f", "new"], tmp_path)
        assert reader.read() == "old"
    assert os.listdir(tmp_path) == ["f"]


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    got = builtin("write", ["d", "x"], tmp_path)
    assert (got.status, got.stderr) == (1, b"write: 'd': Is a directory\n")
    assert os.listdir(tmp_path) == ["d"]


@pytest.mark.parametrize("words", [["none/f", "x"], ["-n", "f", "x"]])
def test_refused(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "f").write_text("old")
    assert builtin("write", words, tmp_path).status == 1
    assert (tmp_path / "f").read_text() == "old"
    assert os.listdir(tmp_path) == ["f"]


def test_parents_are_made(tmp_path: Path) -> None:
    assert builtin("write", ["-p", "a/b/f", "x"], tmp_path).status == 0
    assert (tmp_path / "a/b/f").read_text() == "x"
    assert builtin("write", ["-n", "g", "x"], tmp_path).status == 0
    assert (tmp_path / "g").read_text() == "x"


def test_a_device_is_written_into(tmp_path: Path) -> None:
    assert builtin("write", [os.devnull, "x"], tmp_path).status == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
