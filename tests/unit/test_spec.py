"""What is said of a tool in one line."""

from __future__ import annotations

import pytest

from kernel.spec import first_sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Print it.", "Print it"),
        ("Print it. Then stop.", "Print it"),
        ("Run a tool: `find . -name x`. More.", "Run a tool: `find . -name x`"),
        ("Of `a. b", "Of `a. b"),
        ("One\nTwo. Three", "One"),
        ("", ""),
    ],
)
def test_first_sentence(text: str, shown: str) -> None:
    assert first_sentence(text) == shown
