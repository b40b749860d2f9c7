"""Patterns that Python and ECMA-262 read alike (T2)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.pattern import PatternError, read
from kernel.pattern_ambiguity import has_nested_repeats, repeats_ambiguously
from kernel.pattern_match import begins_without, matches


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a",
        "a|b",
        "(a|b)*c",
        "(?:ab){2,3}",
        "[a-z0-9_.-]+",
        "[^/]+",
        r"\d{4}-\d\d",
        r"\w+@\w+\.\w+",
        "^a$",
        "(?:^a$)",
        "^a$|^b$",
        r"\bword\b",
        r"(?=a)a",
        r"(?!b).",
        r"(?<=a)b",
        r"(?<!ab)c",
        r"[\]\\^-]",
        r"\x41\u0041",
        r"a+?b*?c??",
        r"[\s\S]*",
        r"\S+",
        r"[a\-z]",
        "[-a]",
        "[a-]",
        "a{3}",
        "a{3,}",
        r"\{\}",
        "é",
    ],
)
def test_read_alike(pattern: str) -> None:
    read(pattern)
    re.compile(pattern, re.ASCII)


@pytest.mark.parametrize(
    ("pattern", "marked"),
    [
        ("(?i)a", "(?i"),
        ("(?P<n>a)", "(?P"),
        ("(?<n>a)", "(?<"),
        ("(?>a)", "(?>"),
        ("(?#x)", "(?#"),
        (r"\Aa", r"\A"),
        (r"a\Z", r"\Z"),
        (r"\p{L}", r"\p"),
        (r"(a)\1", r"\1"),
        (r"\a", r"\a"),
        (r"\-", r"\-"),
        (r"\u{41}", r"\u"),
        (r"\ud800", r"\u"),
        (r"\0", r"\0"),
        ("a++", "++"),
        ("*a", "*"),
        ("a**", "*"),
        ("(*)", "*"),
        ("^*", "*"),
        (r"\b+", "+"),
        ("(?=a)+", "+"),
        ("a{,3}", "{"),
        ("a{x}", "{"),
        ("a{", "{"),
        ("a{3,2}", "{3,2}"),
        ("a{9999}", "{9999}"),
        ("}", "}"),
        ("]", "]"),
        ("(a", "("),
        ("a)", ")"),
        ("[a", "["),
        ("[]a]", "[]"),
        ("[^]a]", "[^]"),
        ("[[a]", "["),
        ("[a--b]", "-"),
        ("[a&&b]", "&"),
        ("[z-a]", "[z-a"),
        (r"[\d-z]", "-"),
        ("a$b", "$"),
        ("(a$|b)c", "$"),
        ("(a$|b)", "$"),
        ("\\", "\\"),
    ],
)
def test_refused_with_its_place(pattern: str, marked: str) -> None:
    with pytest.raises(PatternError) as caught:
        read(pattern)
    error = caught.value
    assert pattern[error.at : error.at + error.width] == marked


@pytest.mark.parametrize("pattern", ["(a+)+", "(a*b?)*", "(?:a|b+)+", "((a+))*", "(a{2,}b)+", "(?:(?:a+){2})*"])
def test_nested_unbounded_repeats(pattern: str) -> None:
    assert has_nested_repeats(read(pattern))


@pytest.mark.parametrize("pattern", ["a+b+", "(a{1,5})+", "(a+){3}", "(a+)?", "(ab)+c*"])
def test_no_nested_unbounded_repeats(pattern: str) -> None:
    assert not has_nested_repeats(read(pattern))


def test_a_pattern_is_bounded_in_length_and_depth() -> None:
    with pytest.raises(PatternError):
        read("a" * 2001)
    with pytest.raises(PatternError):
        read("(" * 40 + ")" * 40)
    with pytest.raises(PatternError, match="too large"):
        read("(?:(?:a{1000}b){1000}c){1000}")
    with pytest.raises(PatternError, match="too large"):
        read("(?:(?:ab)?){1000}" * 5)


def test_look_behind_has_a_fixed_width() -> None:
    with pytest.raises(PatternError, match="Python refuses"):
        read("(?<=a+)b")


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a", "ab", False),
        ("a$", "a\n", False),
        (".", "\r", False),
        (".", "\u2028", False),
        (".", "\x0b", True),
        (r"\d", "\u0663", False),
        (r"\w", "é", False),
        (r"\s", "\u00a0", True),
        (r"\s", "\ufeff", True),
        (r"\s", "\x1c", False),
        (r"\S", "\x85", True),
        (r"[\s\S]", "\u3000", True),
        (r"[^\s]", "\t", False),
        (r"[.]", "x", False),
        (r"\.", "x", False),
        ("[a.]+", ".a", True),
        (r"[\S]", "\udc80", True),
        (r"\S", " ", False),
        (r"\B", "", True),
        (r"[\]\s]+", "] ", True),
    ],
)
def test_sets_are_those_of_ecma(pattern: str, text: str, expected: bool) -> None:
    assert matches(pattern, text) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[^-].*", True),
        ("[a-z]", True),
        ("x", True),
        (r"\+?a", True),
        ("[^/]", False),
        ("(a)", True),
        ("a?b", True),
        ("a?", False),
        ("(?:a|-)b", False),
        ("-{0}b", True),
        ("a|-", False),
        ("", False),
        (r"\d+", True),
        (r"\bx", True),
        ("(?=-)x*", False),
        ("^[a-z]+", True),
    ],
)
def test_begins_without_a_dash(pattern: str, expected: bool) -> None:
    assert begins_without(pattern, "-") is expected


@given(st.text(st.sampled_from("ab-^$|()[]{}*+?.\\ds,1"), max_size=10))
def test_what_is_accepted_compiles_in_python(pattern: str) -> None:
    try:
        read(pattern)
    except PatternError as error:
        assert 0 <= error.at <= len(pattern)
        assert error.message
        return
    assert matches(pattern, "a-b") is (re.fullmatch(pattern, "a-b", re.ASCII) is not None)


_ATOMS = st.sampled_from(["a", "b", "-", ".", r"\w", r"\D", "[ab]", "[^a-]", r"\s", r"\b", "^", ""])
_REPEATS = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}", "{0}", "*?"])
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({}){}".format, inner, _REPEATS),
        st.builds("({}{})".format, st.sampled_from(["?=", "?!", "?<=", "?<!"]), inner),
    ),
    max_leaves=8,
)


@given(_PATTERNS, st.lists(st.text(st.sampled_from("ab-1 "), min_size=1, max_size=6), min_size=1, max_size=4))
def test_all_readings_at_once_find_what_one_after_another_finds(pattern: str, texts: list[str]) -> None:
    try:
        read(pattern)
    except PatternError:
        return  # a look-behind of several lengths
    for text in texts:
        assert matches(pattern, text) is (re.fullmatch(pattern, text, re.ASCII) is not None), text
        assert not (text.startswith("-") and matches(pattern, text) and begins_without(pattern, "-"))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+", "a" * 9_999 + "b"),
        ("(?:a|aa)+x", "a" * 10_000),
        ("a*a*a*a*a*b", "a" * 10_000),
        ("(?:a?){400}a{400}b", "a" * 400),
        ("(?=(a*)*b)a*", "a" * 10_000),
    ],
)
def test_what_tries_every_combination_elsewhere_is_answered(pattern: str, text: str) -> None:
    assert matches(pattern, text) is False  # a matcher that goes back would not return


@pytest.mark.parametrize(
    "pattern",
    [
        "(a|a)*b",
        r"(?:\w|\d)+",
        "(?:a|aa)+x",
        "(?:ab|[a-c]b)*",
        "(?:a?){30}a{30}",
        "(?:a?b*){20,40}c",
        "x(?:(?:a|[a-z]){25})y",
        "(.|a)*?b",
    ],
)
def test_repeats_of_two_ways_are_noticed(pattern: str) -> None:
    assert repeats_ambiguously(read(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:[a-z]|[0-9])+",
        r"(?:.|\n)*",
        "(?:ab|ac)+",
        r"[a-z0-9]+(?:-[a-z0-9]+)*",
        r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}",
        "(?:0[xX][0-9a-fA-F]+|[0-9]+)(?:b|[KMGT]i?B?)?",
        "(?:[ac]z?|[doux][0-9CSIL]?z?|f[0-9BHFDL]?z?)+",
        "(?:GET|POST)(?:,(?:GET|POST))*",
        "(a|a)b",
        "(?:a?){3}",
        r"(?:%[0-9a-f]{2}|[\w.-])+",
        "(?=(?:a|b))a",
        "",
    ],
)
def test_repeats_of_one_way_are_not(pattern: str) -> None:
    assert not repeats_ambiguously(read(pattern))
