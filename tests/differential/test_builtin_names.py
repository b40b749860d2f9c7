"""basename and dirname beside GNU's."""

from __future__ import annotations

import pytest
from gnu_case import both_refuse, need, quick, same
from hypothesis import given
from hypothesis import strategies as st

need("basename")
paths = st.lists(st.sampled_from(["/", "a", "b", ".", "..", ".txt", " ", "\udcff"]), max_size=6).map("".join)


@quick
@given(path=paths, suffix=st.sampled_from(["a", "b", "/", ".txt", ""]))
def test_any_path(path: str, suffix: str) -> None:
    same(["basename", "--", path])
    same(["basename", "--", path, suffix])
    same(["dirname", "--", path, suffix])


@pytest.mark.parametrize(
    "words", [["-a", "x/y", "z/w"], ["-s", ".h", "x.h", "d/y.h"], ["-z", "a/b"], ["-az", "a", "b"], ["a/b", "b"]]
)
def test_options_of_basename(words: list[str]) -> None:
    same(["basename", *words])


def test_options_of_dirname() -> None:
    same(["dirname", "-z", "a/b", "c"])


@pytest.mark.parametrize("words", [["basename"], ["basename", "a", "b", "c"], ["dirname"], ["basename", "--nothing", "a"]])
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(words)
