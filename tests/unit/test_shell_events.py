"""Words of the prompt that recall a line in bash: what is none of the language says which key does it."""

from __future__ import annotations

import pytest

from kernel.shell.prompt import event


@pytest.mark.parametrize(
    ("text", "column", "key"),
    [
        ("!make", 1, "Ctrl-R"),
        ("  !make -j", 3, "Up"),
        ("!-2", 1, "Up"),
        ("!12", 1, "Up"),
        ("!?make", 1, "Ctrl-R"),
        ("^a^b", 1, "Up"),
        ("^a^b^", 1, "Up"),
        ("cat !$", 5, "Alt-."),
        ("cat x !* | wc", 7, "Alt-."),
    ],
)
def test_a_word_that_recalls_a_line(text: str, column: int, key: str) -> None:
    error = event(text, "line 1")
    assert error is not None
    problem = error.problems[0]
    assert (problem.code, problem.where.column) == ("E-SYNTAX", column)  # type: ignore[union-attr]
    assert key in problem.hint


@pytest.mark.parametrize(
    "text",
    [
        "echo !make",
        "! make",
        "!",
        "!(true)",
        "echo '!$'",
        'echo "!$"',
        "echo hi!",
        "!!",
        "[[ a != b ]]",
        "grep ^a^",
        "echo 'open !$",
    ],
)
def test_what_is_text_stays_so(text: str) -> None:
    assert event(text, "line 1") is None
