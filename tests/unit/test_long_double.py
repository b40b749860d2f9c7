"""The form of numbers with more digits than they have: what the C library prints, without computing zeros."""

from __future__ import annotations

import pytest

from kernel.builtins import long_double


@pytest.mark.parametrize(
    ("letter", "text", "before", "behind"),
    [
        ("f", "1.5", "1.5", ""),
        ("e", "1.5", "1.5", "e+00"),
        ("e", "0x1p-10", "9.765625", "e-04"),
        ("e", "1e20", "1.", "e+20"),
        ("a", "1.5", "0xc.", "p-3"),
    ],
)
def test_digits_that_are_zeros_are_not_computed(letter: str, text: str, before: str, behind: str) -> None:
    number, _ = long_double.parse(text)
    found = long_double.formatted(number, letter, "", 0, 5_000_000)
    assert len(found) == found.index(".") + 1 + 5_000_000 + len(behind)
    assert found.startswith(before) and found.endswith(behind)
    assert not found[len(before) : len(found) - len(behind)].strip("0")
