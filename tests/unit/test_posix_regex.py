"""POSIX patterns as trees, and the places where they match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.builtins.posix_regex import RegexError, literals, parse
from kernel.builtins.regex_match import LONG, Matcher


def longest(pattern: str, text: str, *, fold: bool = False) -> str | None:
    found = Matcher(parse(pattern, extended=True), utf8=True, fold=fold).longest(text, 0)
    return None if found is None else text[slice(*found)]


@pytest.mark.parametrize(
    ("pattern", "text", "match"),
    [
        ("a|ab", "abc", "ab"),
        ("(a|ab)(c|bcd)", "abcd", "abcd"),
        ("a?(ab)?", "ab", "ab"),
        ("a*(ab)*(b)*", "aabb", "aabb"),
        ("x*", "abc", ""),
        ("(a*)*b", "aaac", None),
        (r"(a*)\1", "aaaaa", "aaaa"),
        (r"(a|ab)\1", "abab", "abab"),
        (r"\<b", "ab b", "b"),
        ("[[:upper:]]+", "éÉÀé", "ÉÀ"),
        ("[^a]", "aé", "é"),
        (".", "\udcff", None),
        ("a{2,3}", "aaaa", "aaa"),
    ],
)
def test_the_leftmost_longest_match(pattern: str, text: str, match: str | None) -> None:
    assert longest(pattern, text) == match


def test_case() -> None:
    assert longest("[[:upper:]]b", "aB", fold=True) == "aB"
    assert longest("é", "É", fold=True) == "É"


patterns = st.lists(
    st.sampled_from(["a", "b", ".", "[ab]", "(a|b)", "(ab)", "a*", "b+", "(ab)*", "(a|ab)?", "a{1,2}"]), min_size=1, max_size=5
).map("".join)


@settings(max_examples=200, deadline=None)
@given(pattern=patterns, text=st.text("abc", max_size=12))
def test_positions_and_backtracking_agree(pattern: str, text: str) -> None:
    matcher = Matcher(parse(pattern, extended=True), utf8=False, fold=False)
    found = matcher.longest(text, 0)
    assert found == matcher._by_positions(text, 0)
    assert (found is not None) == matcher.matches(text)
    ends = [
        end
        for start in range(len(text) + 1)
        for end in range(start, len(text) + 1)
        if re.compile(pattern).fullmatch(text, start, end)
    ]
    assert (found is None) == (not ends)
    if found is not None:
        start = min(
            s for s in range(len(text) + 1) if any(re.compile(pattern).fullmatch(text, s, e) for e in range(s, len(text) + 1))
        )
        assert found == (start, max(e for e in range(start, len(text) + 1) if re.compile(pattern).fullmatch(text, start, e)))


def test_long_records_are_searched_by_positions() -> None:
    matcher = Matcher(parse("a[^b]*c", extended=True), utf8=False, fold=False)
    assert matcher.is_slow
    text = "a" * (3 * LONG) + "c" + "b" * LONG
    assert matcher.matches(text)
    assert matcher.longest(text, 0) == (0, 3 * LONG + 1)
    assert not matcher.matches("a" * (3 * LONG))


def test_many_fixed_texts() -> None:
    words = [f"{first}{number}" for first in "abc" for number in range(40)]
    matcher = Matcher(literals(words), utf8=False, fold=False)
    assert matcher.longest("xxb39b4", 0) == (2, 5)
    assert not matcher.matches("a b c d9")


@pytest.mark.parametrize(
    "pattern", ["(a", "[a", "[z-a]", "a{2,1}", "[[:foo:]]", "\\1", "(a)|\\1", "a\\", "[[.ab.]]", "[:alpha:]", "a{40000}"]
)
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(RegexError):
        parse(pattern, extended=True)


def test_deep_groups_are_an_error() -> None:
    with pytest.raises(RegexError, match="too big"):
        parse("(" * 5000 + ")" * 5000, extended=True)
