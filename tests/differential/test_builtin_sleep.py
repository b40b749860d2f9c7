"""sleep beside GNU sleep."""

from __future__ import annotations

import pytest
from gnu_case import both_refuse, need, same

from kernel.builtins.sleep import interval

need("sleep")


@pytest.mark.parametrize("words", [["0"], ["0.001", "0.002s"], ["0m"], ["1e-3"], ["0x0"], [".001"]])
def test_short_times(words: list[str]) -> None:
    same(["sleep", *words])


@pytest.mark.parametrize(
    ("text", "seconds"), [("2m", 120), ("1.5h", 5400), ("1d", 86400), ("inf", float("inf")), ("0x10", 16), ("1e2", 100)]
)
def test_units(text: str, seconds: float) -> None:
    assert interval(text) == seconds


@pytest.mark.parametrize("words", [["x"], ["-1"], ["1x"], [""], [], ["1sm"], ["nan"]])
def test_what_is_no_time(words: list[str]) -> None:
    both_refuse(["sleep", *words])
