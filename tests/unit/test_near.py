"""Near names: only what a slip of the hand can have made of a name."""

from __future__ import annotations

import pytest

from kernel.near import LONGEST_WORD, near

TOOLS = ["cat", "cut", "echo", "git", "git-log", "grep", "sort", "timeout", "touch"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("gti", ["git"]),
        ("kat", ["cat"]),
        ("ouch", ["touch"]),
        ("toutch", ["touch"]),
        ("gerp", ["grep"]),
        ("GREP", ["grep"]),
        ("git_log", ["git-log"]),
        ("tim", ["timeout"]),
        ("nosuch", []),
        ("commits", []),
        ("", []),
        ("t" * (LONGEST_WORD + 1), []),
    ],
)
def test_a_near_name_is_a_slip_away(word: str, meant: list[str]) -> None:
    assert near(word, TOOLS) == meant


def test_a_flag_is_compared_without_its_dashes() -> None:
    assert near("--limt", ["--limit", "--list", "-l"]) == ["--limit", "--list"]
    assert near("--imit", ["--limit", "--rename"]) == ["--limit"]
    assert near("--no-such", ["--touch"]) == []


def test_the_limit_counts_what_is_near() -> None:
    assert near("tag", ["tags", "tag-a", "tag-b", "tag-c"], 2) == ["tags", "tag-a"]
