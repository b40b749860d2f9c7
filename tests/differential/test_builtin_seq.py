"""seq beside GNU seq."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import both_refuse, need, quick, same
from hypothesis import given
from hypothesis import strategies as st
from shell_case import ShellCase

need("seq")
numbers = st.sampled_from(
    ["0", "1", "-1", "3", "10", "-5", "0.5", "1.50", "2.25", "-.5", "1e1", "100e-2", "007", "+3", "9.5", "-0"]
)


@quick
@given(
    operands=st.lists(numbers, min_size=1, max_size=2),
    flags=st.sampled_from([[], ["-w"], ["-s", ","], ["-f", "%g"], ["-f", "x%5.2fy%%"]]),
)
def test_from_and_to(operands: list[str], flags: list[str]) -> None:
    same(["seq", *flags, "--", *operands])


@quick
@given(
    first=numbers,
    step=st.sampled_from(["1", "-1", "2", "0.25", "-0.5", "1.5", "3e0", "10"]),
    last=numbers,
    flags=st.sampled_from([[], ["-w"]]),
)
def test_with_a_step(first: str, step: str, last: str, flags: list[str]) -> None:
    same(["seq", *flags, "--", first, step, last])


@pytest.mark.parametrize(
    "words",
    [
        ["0", ".1", "1"],
        ["-w", "0", ".25", "1"],
        ["-f", "%010.3f", "1", "3"],
        ["-f", "%e", "0", ".1", ".5"],
        ["0x10"],
        ["1", "0x2", "5"],
        [" 3"],
        ["1", "200000"],
        ["10", "-3.5", "-10"],
        ["-w", "1", "1", "010"],
        ["inf", "1"],
    ],
)
def test_forms(words: list[str]) -> None:
    same(["seq", *words])


@pytest.mark.parametrize(
    "words",
    [
        ["x"],
        ["1", "0", "5"],
        ["3 "],
        ["nan"],
        ["1", "2", "3", "4"],
        ["-f", "%d", "1"],
        ["-f", "abc", "1"],
        ["-f", "%f%f", "1"],
        ["-f", "%f", "-w", "3"],
    ],
)
def test_what_is_refused(words: list[str]) -> None:
    both_refuse(["seq", *words])


def test_a_range_longer_than_python_counts(tmp_path: Path) -> None:
    ShellCase(tmp_path).line("seq 1 1e300 | head -n 2").prints("1\n2\n")
