"""true and false beside GNU's."""

from __future__ import annotations

import pytest
from gnu_case import need, same

need("true")


@pytest.mark.parametrize("words", [[], ["x"], ["-x", "--", "y"]])
def test_statuses(words: list[str]) -> None:
    assert same(["true", *words]).status == 0
    assert same(["false", *words]).status == 1
