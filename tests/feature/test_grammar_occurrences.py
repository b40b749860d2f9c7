"""Rules O1–O6, P1–P5 of the argv grammar."""

from __future__ import annotations

import pytest
from call_case import call, codes, given, load_error, named, params, refused

from kernel.explain import explanation


def test_o1_the_last_occurrence_wins() -> None:
    spec = params("name: level, type: int")
    bound = call(spec, "--level 1 --level 2")
    assert bound.values == {"level": 2}
    assert [trace.hidden for trace in bound.trace] == [True, False]
    assert explanation(bound)["values"][0]["hid"] == [{"origin": "argv", "text": "1"}]


def test_o1_a_replaced_value_must_be_sound_too() -> None:
    assert codes(params("name: level, type: int, max: 5"), "--level x --level 9") == ["E-TYPE", "E-RANGE"]


@pytest.mark.parametrize(("line", "value"), [("--x a", ["a"]), ("--x a --x b", ["a", "b"])])
def test_o2_a_list_whatever_was_typed(line: str, value: list[str]) -> None:
    assert given(params("name: x, repeatable: true"), line) == {"x": value}


@pytest.mark.parametrize(("line", "value"), [("--x a 1", [["a", 1]]), ("--x a 1 --x b 2", [["a", 1], ["b", 2]])])
def test_o3_a_list_of_lists(line: str, value: list[list[object]]) -> None:
    spec = params("name: x, consumes: [{name: N}, {name: V, type: int}]")
    assert given(spec, line) == {"x": value}


def test_o3_not_repeatable() -> None:
    assert given(params("name: x, consumes: 2, repeatable: false"), "--x a b --x c d") == {"x": ["c", "d"]}


def test_o4_slots_are_named_and_typed() -> None:
    spec = params("name: x, consumes: [{name: NAME}, {name: V, type: json}]")
    assert given(spec, ["--x", "a", '{"b":1}']) == {"x": [["a", {"b": 1}]]}
    problem = refused(spec, "--x a {").problems[0]
    assert problem.message.startswith("`--x` wants JSON text for `V`, got `{`")


@pytest.mark.parametrize(("on_duplicate", "value"), [("first", [["a", "1"], ["b", "2"]]), ("last", [["b", "2"], ["a", "3"]])])
def test_o5_a_repeated_key(on_duplicate: str, value: list[list[str]]) -> None:
    slots = "consumes: [{name: NAME}, {name: V}], unique_by: NAME"
    bound = call(params(f"name: x, {slots}, on_duplicate: {on_duplicate}"), "--x a 1 --x b 2 --x a 3")
    assert bound.values == {"x": value}
    kept = [trace for trace in bound.trace if not trace.hidden]
    assert [bound.texts["x"][trace.entry] for trace in kept] == [[bound.words[at] for at in trace.words[1:]] for trace in kept]


def test_o5_is_an_error_by_default() -> None:
    spec = params("name: x, consumes: [{name: NAME}, {name: V}], unique_by: NAME")
    problem = refused(spec, "--x a 1 --x a 2").problems[0]
    assert (problem.code, problem.message) == ("E-DUPLICATE", "`--x` has the NAME `a` twice, word 2 and word 5")
    assert codes(spec, {"x": [["a", "1"], ["a", "2"]]}) == ["E-DUPLICATE"]


def test_o5_without_it_all_are_kept() -> None:
    assert given(params("name: x, consumes: 2"), "--x a 1 --x a 2") == {"x": [["a", "1"], ["a", "2"]]}


def test_o6_a_delimiter() -> None:
    spec = params(
        "name: tags, repeatable: true, delimiter: ',', choices: [a, b, c]", "name: n, repeatable: true, type: int, delimiter: ','"
    )
    assert given(spec, "--tags a,b --tags c -n1,2") == {"tags": ["a", "b", "c"], "n": [1, 2]}
    problem = refused(spec, "--tags a --tags=b,x").problems[0]
    assert (problem.code, problem.facts["got"], problem.where.index) == ("E-CHOICE", "x", 2)
    assert [problem.where.start for problem in refused(spec, "-n1,x,y").problems] == [4, 6]
    assert codes(spec, "--tags a,,b") == codes(spec, ["--tags="]) == ["E-TYPE"]
    assert codes(spec, {"tags": ["a,b"]}) == codes(spec, {"tags": [""]}) == ["E-TYPE"]


ENDS = params("name: src, positional: true, required: true, repeatable: true", "name: dest, positional: true, required: true")
ROW = params(
    "name: a, positional: true, required: true", "name: b, positional: true", "name: c, positional: true, repeatable: true"
)


def test_p1_required_ones_from_both_ends() -> None:
    assert given(ENDS, "a b c") == {"src": ["a", "b"], "dest": "c"}
    assert given(ENDS, "a b") == {"src": ["a"], "dest": "b"}
    assert [p.facts["param"] for p in refused(ENDS, "a").problems] == ["dest"]


def test_p1_then_the_rest_from_the_left() -> None:
    assert given(ROW, "1") == {"a": "1"}
    assert given(ROW, "1 2") == {"a": "1", "b": "2"}
    assert given(ROW, "1 2 3 4") == {"a": "1", "b": "2", "c": ["3", "4"]}


def test_p1_operands_are_typed() -> None:
    spec = params("name: n, type: int, positional: true", "name: b, type: bool, positional: true")
    assert given(spec, "3 true") == {"n": 3, "b": True}
    assert codes(spec, "x yes") == ["E-TYPE", "E-TYPE"]


def test_p1_load_errors() -> None:
    assert "required" in load_error("params: [{name: a, positional: true}, {name: b, positional: true, required: true}]")
    assert "repeatable" in load_error(
        "params: [{name: a, positional: true, repeatable: true}, {name: b, positional: true, repeatable: true}]"
    )


def test_p2_too_many_or_too_few() -> None:
    problem = refused(params("name: a, positional: true"), "x y z").problems[0]
    assert (problem.code, problem.message) == ("E-TOO-MANY", "`y` (and 1 more) is an operand too many: `t` takes only `[A]`")
    assert codes(ROW, "") == ["E-REQUIRED"]


def test_p3_operands_fill_flags() -> None:
    spec = params(
        "name: url, positional: true",
        "name: method",
        "name: tags, repeatable: true",
        "name: quiet, type: bool",
        "name: count, type: int",
        map_positionals="true",
    )
    assert given(spec, "u POST 3") == {"url": "u", "method": "POST", "count": 3}
    assert given(spec, "u --method GET 3") == {"url": "u", "method": "GET", "count": 3}
    assert codes(spec, "u a 3 x") == ["E-TOO-MANY"]
    assert codes(spec, "u -- a") == ["E-TOO-MANY"]


def test_p4_a_gap_between_operands() -> None:
    spec = params("name: a, positional: true", "name: b, positional: true, env: B")
    assert codes(spec, {"b": "x"}) == ["E-OPERAND-GAP"]
    assert codes(spec, "", {"B": "x"}) == ["E-OPERAND-GAP"]
    assert given(spec, "a", {"B": "x"}) == {"a": "a", "b": "x"}
    assert named(spec, {"a": "1", "b": "2"}) == {"a": "1", "b": "2"}


def test_p5_operands_behind_the_double_dash() -> None:
    spec = params("name: revs, positional: true, repeatable: true", "name: paths, positional: true, repeatable: true, after: '--'")
    assert given(spec, "a b -- c -- d") == {"revs": ["a", "b"], "paths": ["c", "--", "d"]}
    assert given(spec, "-- c") == {"paths": ["c"]}
    assert given(spec, "a") == {"revs": ["a"]}
    one = params("name: pod, positional: true, required: true", "name: cmd, positional: true, required: true, after: '--'")
    assert codes(one, "p c") == ["E-TOO-MANY", "E-REQUIRED"]
    assert codes(one, "p -- c d") == ["E-TOO-MANY"]
