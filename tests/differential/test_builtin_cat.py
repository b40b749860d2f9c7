"""cat beside GNU cat."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import need, ours, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st

need("cat")
FLAGS = ["-A", "-b", "-e", "-E", "-n", "-s", "-t", "-T", "-v", "-u"]


@quick
@given(data=texts, flags=st.lists(st.sampled_from(FLAGS), max_size=3))
def test_any_input(data: bytes, flags: list[str]) -> None:
    same(["cat", *flags], data)


@pytest.mark.parametrize("flag", FLAGS)
def test_state_goes_on_from_file_to_file(flag: str, tmp_path: Path) -> None:
    (tmp_path / "open").write_bytes(b"a\n\n\nno end")
    (tmp_path / "return").write_bytes(b"x\r")
    (tmp_path / "newline").write_bytes(b"\nfoo\r\n\xff\x00\x7f\n\n")
    (tmp_path / "empty").write_bytes(b"")
    for names in (
        ["open", "return"],
        ["return", "newline"],
        ["empty", "open", "newline", "return", "open"],
        ["newline", "newline"],
    ):
        same(["cat", flag, *names], cwd=tmp_path)
    same(["cat", flag, "-", "open", "-"], b"stdin", cwd=tmp_path)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"text\n")
    (tmp_path / "d").mkdir()
    for name in ("nofile", "d", "", "a b", "it's", "a:b"):
        found = same(["cat", "f", name, "f"], cwd=tmp_path, messages=True)
        assert found.status == 1
        assert found.stdout == b"text\ntext\n"


def test_a_long_line_passes_unchanged() -> None:
    line = b"\xffx" * 1_000_000
    assert ours(["cat"], line).stdout == line
    same(["cat", "-n"], line)
