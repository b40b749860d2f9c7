"""Rules W1–W6, N1–N5 of the argv grammar."""

from __future__ import annotations

import pytest
from call_case import call, codes, given, load_error, named, params, refused, tool

from kernel.explain import complete

NAMES = params(
    "name: value, aliases: [-v]", "name: flag, type: bool, aliases: [-f]", "name: files, positional: true, repeatable: true"
)


def test_w1_words_are_not_split_or_unquoted() -> None:
    assert given(NAMES, ["--value", "a b *'\""]) == {"value": "a b *'\""}


def test_w1_bytes_that_are_no_utf8_stay() -> None:
    assert given(NAMES, ["caf\udce9", "--value=\udcff"]) == {"files": ["caf\udce9"], "value": "\udcff"}


def test_w1_json_refuses_lone_surrogates() -> None:
    assert codes(NAMES, {"value": "\udce9"}) == ["E-TYPE"]
    assert codes(NAMES, {"files": ["\ud800"]}) == ["E-TYPE"]


def test_w2_the_first_double_dash_ends_flags() -> None:
    assert given(NAMES, "a -- -f -- --value") == {"files": ["a", "-f", "--", "--value"]}


def test_w3_the_first_equals_sign_splits() -> None:
    assert given(NAMES, "--value=a=b") == {"value": "a=b"}


@pytest.mark.parametrize("word", ["--=x", "--fl ag", "--flag x=1", "-f x", "--fl"])
def test_w3_odd_dash_words_are_unknown_flags(word: str) -> None:
    assert codes(NAMES, [word]) == ["E-UNKNOWN-FLAG"]


@pytest.mark.parametrize("word", ["-", "-5", "-.5", "-1e-3", "-0", "-5."])
def test_w4_a_dash_and_negative_numbers_are_operands(word: str) -> None:
    assert given(NAMES, [word, "-f"]) == {"files": [word], "flag": True}


def test_w4_a_flag_with_a_digit_makes_them_flags() -> None:
    spec = params(
        "name: one, type: bool, aliases: [-1]", "name: depth, type: int", "name: files, positional: true, repeatable: true"
    )
    assert given(spec, "-1 --depth -2") == {"one": True, "depth": -2}
    assert codes(spec, "-7") == ["E-UNKNOWN-FLAG"]


def test_w5_other_dash_words_are_unknown_flags() -> None:
    error = refused(NAMES, "--nope")
    assert error.code == "E-UNKNOWN-FLAG"
    assert error.problems[0].facts["flag"] == "--nope"


def test_w6_flags_and_operands_mix() -> None:
    assert given(NAMES, "a -f b --value c d") == {"files": ["a", "b", "d"], "flag": True, "value": "c"}


def test_w6_before_operands() -> None:
    spec = params("name: flag, type: bool", "name: cmd, positional: true, repeatable: true", flags="before-operands")
    assert given(spec, "--flag git -- --flag") == {"flag": True, "cmd": ["git", "--", "--flag"]}
    assert given(spec, "-- --flag -- x") == {"cmd": ["--flag", "--", "x"]}


def test_w6_none() -> None:
    spec = params("name: flag, type: bool", "name: cmd, positional: true, repeatable: true", flags="none")
    assert given(spec, "--flag -- -x") == {"cmd": ["--flag", "--", "-x"]}


def test_n1_a_name_is_spelled_both_ways() -> None:
    spec = params("name: dry_run, type: bool", "name: x, type: bool")
    for word in ("--dry-run", "--dry_run"):
        assert given(spec, [word]) == {"dry_run": True}
    for word in ("-x", "--x"):
        assert given(spec, [word]) == {"x": True}


def test_n1_aliases_with_and_without_dashes() -> None:
    spec = params("name: a, aliases: [q, word, --long, -name]", "name: b, type: bool")
    for word in ("-q", "--word", "--long", "-name", "--a", "-a"):
        assert given(spec, [word, "1"]) == {"a": "1"}
    assert given(spec, "-name=1") == {"a": "1"}


def test_n1_a_positional_given_by_its_alias_takes_no_operand() -> None:
    spec = params("name: first, positional: true, aliases: [--first]", "name: second, positional: true")
    assert given(spec, "--first a b") == {"first": "a", "second": "b"}
    assert given(spec, "a b") == {"first": "a", "second": "b"}
    assert codes(params("name: only, positional: true"), "--only x") == ["E-UNKNOWN-FLAG"]


def test_n2_two_params_with_one_spelling() -> None:
    assert "`a`" in (text := load_error("params: [{name: a, aliases: [-x]}, {name: b, aliases: [-x]}]")) and "`b`" in text
    assert "--no-" in load_error("params: [{name: no_a, type: bool}, {name: a, type: bool, negatable: true}]")


def test_n2_what_follows_from_a_name_gives_way_to_an_alias() -> None:
    spec = params("name: n, type: bool", "name: null_input, type: bool, aliases: [-n]")
    assert given(spec, "-n") == {"null_input": True}
    assert given(spec, "--n") == {"n": True}


def test_n3_no_abbreviation() -> None:
    spec = params("name: verbose, type: bool")
    error = refused(spec, "--verb")
    complete(error, spec)
    assert error.problems[0].facts["near"] == ["--verbose"]
    assert "did you mean `--verbose`?" in error.problems[0].hint


def test_n4_case_matters() -> None:
    spec = params("name: a, type: bool, aliases: [-r]", "name: b, type: bool, aliases: [-R]")
    assert given(spec, "-R") == {"b": True}
    assert codes(spec, "--A") == ["E-UNKNOWN-FLAG"]


def test_n5_values_are_stored_under_the_name() -> None:
    spec = params("name: dry_run, type: bool, aliases: [-n, --simulate]")
    for key in ("dry_run", "dry-run", "n", "simulate"):
        assert named(spec, {key: True}) == {"dry_run": True}
    assert call(spec, "-n").values == {"dry_run": True}


def test_n5_two_keys_for_one_param() -> None:
    assert codes(params("name: a_b"), {"a_b": "1", "a-b": "2"}) == ["E-DUPLICATE"]


def test_n5_names_are_unique_after_folding() -> None:
    assert "two params" in load_error("params: [{name: a_b}, {name: a-b}]")
    assert "name" in load_error("params: [{name: '1x'}]")


def test_an_unknown_key_lists_the_known_ones() -> None:
    spec = tool("params: [{name: maxDepth, type: int, default: 3}]")
    error = refused(spec, {"maxdepth": 5})
    assert error.code == "E-UNKNOWN-KEY"
    complete(error, spec)
    assert error.problems[0].hint == "did you mean `maxDepth`? It takes `maxDepth`"
