"""The gate before a served tool: a fixed window, and how many calls run at once."""

from __future__ import annotations

import pytest

from kernel.errors import KernelError
from kernel.limits import Gate, rate_of


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def refusal(gate: Gate) -> str:
    try:
        with gate:
            return ""
    except KernelError as error:
        return error.code


def test_a_window_begins_with_its_first_call_and_has_so_many_slots() -> None:
    clock = Clock()
    gate = Gate("x", 1, (2, 10.0), clock)
    assert [refusal(gate) for _ in range(3)] == ["", "", "E-RATE"]
    clock.now += 9.9
    assert refusal(gate) == "E-RATE"
    clock.now += 0.1
    assert [refusal(gate) for _ in range(3)] == ["", "", "E-RATE"]
    clock.now += 1000
    assert refusal(gate) == ""
    clock.now += 9
    assert [refusal(gate), refusal(gate)] == ["", "E-RATE"], "the window began with the call before"


def test_a_call_refused_for_concurrency_uses_a_slot() -> None:
    gate = Gate("x", 1, (3, 10.0), Clock())
    with gate:
        assert [refusal(gate), refusal(gate), refusal(gate)] == ["E-BUSY", "E-BUSY", "E-RATE"]
    assert refusal(gate) == "E-RATE"


def test_without_a_rate_only_concurrency_counts() -> None:
    gate = Gate("x", 2, None)
    with gate, gate:
        assert refusal(gate) == "E-BUSY"
        assert refusal(gate) == "E-BUSY"
    assert refusal(gate) == ""


def test_a_call_that_fails_leaves_the_gate() -> None:
    gate = Gate("x", 1, None)
    with pytest.raises(ZeroDivisionError), gate:
        raise ZeroDivisionError
    assert refusal(gate) == ""


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("60/60s", (60, 60.0)),
        ("1/500ms", (1, 0.5)),
        ("3/1h", (3, 3600.0)),
        *[(bad, None) for bad in ("60", "0/1s", "1/0s", "1/s", "x/1s", "1/1", "")],
    ],
)
def test_a_rate_is_calls_and_a_time(text: str, rate: tuple[int, float] | None) -> None:
    assert rate_of(text) == rate
