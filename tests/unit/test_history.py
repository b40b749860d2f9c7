"""The file of the history, where it is not what it should be."""

from __future__ import annotations

import os
from pathlib import Path

from kernel.shell import history
from kernel.shell.history import History


def texts(path: Path) -> list[str]:
    found = History(str(path))
    found.load()
    return [entry.text for entry in found.entries]


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert texts(tmp_path / "fifo") == []
    (tmp_path / "link").symlink_to("/dev/zero")
    assert texts(tmp_path / "link") == []
    assert texts(tmp_path) == []


def test_of_a_huge_file_the_end_is_read_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "history"
    file.write_bytes(b"x")
    os.truncate(file, 10 * history.READ)
    with file.open("ab") as stream:
        stream.write(b"\n1\t/\techo a\nnonsense\xff\n2\t/\techo b\n")
    assert texts(file) == ["echo a", "echo b"]
    assert file.read_bytes() == b"1\t/\techo a\n2\t/\techo b\n"
