"""Rules V1–V10 of the argv grammar."""

from __future__ import annotations

import pytest
from call_case import codes, given, named, params, refused

PAIR = params(
    "name: arg, consumes: [{name: NAME}, {name: VALUE}]", "name: jobs, aliases: [-j]", "name: force, type: bool, aliases: [-f]",
    "name: file, positional: true",
)  # fmt: skip


def test_v1_a_bool_takes_no_word() -> None:
    assert given(PAIR, "--force x") == {"force": True, "file": "x"}
    assert given(PAIR, "--force=false") == {"force": False}
    assert given(PAIR, "--force=true") == {"force": True}


@pytest.mark.parametrize("word", ["--force=1", "--force=", "--force=yes", "-f=x"])
def test_v1_other_attached_text_is_an_error(word: str) -> None:
    assert codes(PAIR, [word]) == ["E-UNEXPECTED-VALUE"]


def test_v1_negatable() -> None:
    spec = params("name: color, type: bool, negatable: true")
    assert given(spec, "--color --no-color") == {"color": False}
    assert given(spec, "--no-color --color") == {"color": True}
    assert codes(spec, "--no-color=true") == ["E-UNEXPECTED-VALUE"]
    assert codes(PAIR, "--no-force") == ["E-UNKNOWN-FLAG"]


def test_v1_count() -> None:
    spec = params("name: verbose, count: true, negatable: true, aliases: [-v]")
    assert given(spec, "-vv --verbose") == {"verbose": 3}
    assert given(spec, "-v --verbose=5 -v") == {"verbose": 6}
    assert given(spec, "-v=3") == {"verbose": 3}
    assert given(spec, "-vv --no-verbose -v") == {"verbose": 1}
    assert named(spec, {"verbose": 2}) == {"verbose": 2}
    assert codes(spec, "--verbose=-1") == codes(spec, "--verbose=x") == ["E-UNEXPECTED-VALUE"]
    assert codes(spec, {"verbose": -1}) == codes(spec, {"verbose": True}) == ["E-TYPE"]


def test_v2_a_flag_takes_exactly_what_it_consumes() -> None:
    assert given(PAIR, "--arg a 1 x") == {"arg": [["a", "1"]], "file": "x"}


def test_v3_attached_text_fills_the_first_slot() -> None:
    assert given(PAIR, "--arg=a 1") == {"arg": [["a", "1"]]}
    assert given(PAIR, "-jv") == {"jobs": "v"}


def test_v3_behind_a_letter_text_keeps_its_equals_sign() -> None:
    assert given(PAIR, "-j=8") == {"jobs": "=8"}
    assert given(params("name: jobs, type: int, aliases: [-j]"), "-j=8") == {"jobs": 8}
    assert given(params("name: list, type: array, aliases: [-l]"), ["-l=[1]"]) == {"list": [1]}


@pytest.mark.parametrize("value", ["", "-", "-x", "--unknown", "-5", "---\ntitle", "-fj", "-n5", "--jobsx=1"])
def test_v4_a_value_may_be_nearly_anything(value: str) -> None:
    assert given(PAIR, ["--jobs", value]) == {"jobs": value}


@pytest.mark.parametrize("value", ["--", "--force", "-f", "--jobs=3", "-j=3", "--arg"])
def test_v4_a_declared_spelling_is_no_value(value: str) -> None:
    problem = refused(PAIR, ["--jobs", value, "x", "y"]).problems[0]
    assert problem.code == "E-ARITY"
    assert "`--jobs`" in problem.message and f"`{value}`" in problem.message
    assert problem.hint == f"to pass that text as the value, write `--jobs={value}`"
    assert given(PAIR, [f"--jobs={value}"]) == {"jobs": value}


def test_v4_verbatim() -> None:
    spec = params("name: arg, consumes: 2, values: verbatim", "name: null, type: bool, aliases: [-n]", "name: f, positional: true")
    assert given(spec, "--arg -n -- x") == {"arg": [["-n", "--"]], "f": "x"}
    error = refused(spec, "--arg a -n x y")
    assert "`--arg` took `-n`, which spells a flag, as its value" in error.problems[0].hint


def test_v5_too_few_words() -> None:
    problem = refused(PAIR, "--arg a").problems[0]
    assert problem.message == "`--arg` wants 2 values (NAME VALUE), got 1 (`a`) before the line ended"
    assert (problem.facts["wanted"], problem.facts["got"]) == (["NAME", "VALUE"], ["a"])
    assert str(problem.where) == "word 1"


def test_v6_values_are_never_collected_across_a_flag() -> None:
    assert codes(PAIR, "--arg a --force 1") == ["E-ARITY"]
    assert codes(PAIR, "--arg a --arg b 2 3 .") == ["E-ARITY", "E-TOO-MANY"]


def test_v7_letters() -> None:
    spec = params("name: a, type: bool", "name: b, type: bool", "name: value, aliases: [-v]", "name: name, aliases: [-name]")
    assert given(spec, "-abvx") == {"a": True, "b": True, "value": "x"}
    assert given(spec, "-abv x") == {"a": True, "b": True, "value": "x"}
    assert given(spec, "-name x") == {"name": "x"}
    error = refused(spec, "-abz")
    assert error.problems[0].message == "`-z` in `-abz` is no flag of `t`"
    assert (error.problems[0].where.start, error.problems[0].where.width) == (3, 1)


def test_v7_nothing_of_a_word_with_an_undeclared_letter_is_set() -> None:
    from kernel.bind import bind

    assert bind(PAIR, ["-fz"]).values == {}


def test_v8_an_optional_value_is_only_taken_attached() -> None:
    spec = params("name: color, optional_value: auto, aliases: [-c]", "name: file, positional: true")
    assert given(spec, "--color x") == {"color": "auto", "file": "x"}
    assert given(spec, "--color=never x") == {"color": "never", "file": "x"}
    assert given(spec, "-cnever") == {"color": "never"}
    assert given(spec, "--color=") == {"color": ""}


def test_v9_a_number_flag() -> None:
    spec = params("name: lines, type: int", "name: files, positional: true, repeatable: true", number_flag="lines")
    assert given(spec, "-5 f") == {"lines": 5, "files": ["f"]}
    assert given(spec, "-05 -1.5") == {"lines": 5, "files": ["-1.5"]}
    assert given(spec, "--lines -5") == {"lines": -5}
    assert given(spec, "-- -5") == {"files": ["-5"]}


def test_v10_split() -> None:
    spec = params(
        "name: volume, aliases: [-v], split: ':', consumes: [{name: SRC}, {name: DST}, {name: MODE, optional: true}]",
        "name: set, positional: true, repeatable: true, split: '=', consumes: [{name: KEY}, {name: VALUE, type: int}]",
    )
    assert given(spec, "-v a:b --volume=c:d:ro:x") == {"volume": [["a", "b"], ["c", "d", "ro:x"]]}
    assert given(spec, "a=1 b=2") == {"set": [["a", 1], ["b", 2]]}
    problem = refused(spec, "-v a").problems[0]
    assert (problem.code, problem.message) == ("E-ARITY", "`-v` wants `SRC:DST[:MODE]`, got `a`")
    env = params("name: env, aliases: [-e], split: '=', consumes: [{name: K}, {name: V}]")
    for words, flag in ((["--env", "A"], "--env"), (["--env=A"], "--env"), (["-eA"], "-e"), (["-e", "A"], "-e")):
        assert refused(env, words).problems[0].message == f"`{flag}` wants `K=V`, got `A`"
    problem = refused(spec, "a=x").problems[0]
    assert (problem.code, problem.where.start, problem.where.width) == ("E-TYPE", 2, 1)
    assert named(spec, {"volume": [["a", "b"], {"src": "c", "DST": "d", "mode": "ro"}]}) == {
        "volume": [["a", "b"], ["c", "d", "ro"]]
    }
    assert codes(spec, {"volume": [["a", "b:c"]]}) == ["E-TYPE"]
    assert named(spec, {"volume": [["a", "b", "c:d"]]}) == {"volume": [["a", "b", "c:d"]]}
