"""wc beside GNU wc."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, UTF8, need, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st

need("wc")
FLAGS = ["-l", "-w", "-c", "-m", "-L"]
TEXT = "héllo wörld \u3000x\u00a0y 日本\n\ttab\rx\fy\n".encode() + b"\xff\xfe a\xff \x01 \x02b"


@quick
@given(data=texts, flags=st.lists(st.sampled_from(FLAGS), max_size=3), utf8=st.booleans())
def test_any_input(data: bytes, flags: list[str], utf8: bool) -> None:
    same(["wc", *flags], data, env=UTF8 if utf8 else ENVIRONMENT)


@pytest.mark.parametrize("flags", [[], *[[flag] for flag in FLAGS], ["-lL"], ["-mc"]])
@pytest.mark.parametrize("env", [ENVIRONMENT, UTF8], ids=["C", "UTF-8"])
def test_several_files(flags: list[str], env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(TEXT)
    (tmp_path / "long").write_bytes(b"word " * 40_000)
    (tmp_path / "e").write_bytes(b"")
    (tmp_path / "d").mkdir()
    for files in (["f"], ["f", "long", "e"], ["-"], [], ["nofile", "f", "d"]):
        same(["wc", *flags, *files], TEXT, cwd=tmp_path, env=env, messages=True)


def test_names_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a b\n")
    (tmp_path / "list").write_bytes(b"f\0f\0nofile\0")
    same(["wc", "--files0-from=list"], cwd=tmp_path, messages=True)
    same(["wc", "--files0-from=-"], b"f\0f", cwd=tmp_path)
