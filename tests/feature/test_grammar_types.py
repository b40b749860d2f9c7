"""The Types table and rules T0–T4 of the argv grammar."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from call_case import call, codes, given, load_error, named, params, refused

from kernel.bind_json import bind_mapping, bind_text
from kernel.check import check
from kernel.errors import KernelError

BIG = "1" + "0" * 5000
GOOD: list[tuple[str, str, Any]] = [
    ("string", "", ""),
    ("int", "0644", 644),
    ("int", "+5", 5),
    ("int", "-7", -7),
    ("int", BIG, 10**5000),
    ("number", "5.", 5.0),
    ("number", ".5", 0.5),
    ("number", "1e3", 1000.0),
    ("number", "12", 12),
    ("number", "-1.50", -1.5),
    ("bool", "true", True),
    ("array", " [1, [2]] ", [1, [2]]),
    ("object", '{"a": 1.10}', {"a": 1.1}),
    ("json", "null", None),
    ("json", '"s"', "s"),
    ("any", "5", "5"),
]
BAD = [
    ("int", text) for text in ("", "5.0", "1e3", " 5", "5 ", "1_000", "0x10", "٣", "+", "--5", "²")
] + [
    ("number", text) for text in ("", "nan", "inf", "-inf", "1e999", "1_0", "0x1", " 1", "1 ", ".", "1e", "e5", "1.2.3", "٣.5")
] + [
    ("bool", "yes"), ("bool", "True"), ("array", "{}"), ("array", "[1,]"), ("array", "[NaN]"), ("object", '{"a":1,"a":2}'),
    ("object", "{} x"), ("json", ""), ("json", "'a'"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "value"), GOOD, ids=lambda item: repr(item)[:20] if isinstance(item, str) else "")
def test_a_text_of_a_type(kind: str, text: str, value: Any) -> None:
    spec = params(f"name: x, type: {kind}, positional: true")
    bound = call(spec, ["--", text])
    assert bound.values["x"] == value and type(bound.values["x"]) is type(value)
    assert bound.texts["x"] == text  # T0


@pytest.mark.parametrize(("kind", "text"), BAD)
def test_no_text_of_a_type(kind: str, text: str) -> None:
    assert codes(params(f"name: x, type: {kind}, positional: true"), ["--", text]) == ["E-TYPE"]


def test_t0_numbers_inside_json_stay_exact() -> None:
    spec = params("name: x, type: json")
    assert call(spec, ["--x", "[0.10000000000000000001]"]).values["x"] == [Decimal("0.10000000000000000001")]


def test_t0_a_long_int_from_json_is_an_error() -> None:
    spec = params("name: x, type: int")
    with pytest.raises(KernelError) as error:
        bind_text(spec, '{"x": ' + BIG + "}")
    assert error.value.code == "E-JSON"
    assert codes(spec, {"x": 10**4300}) == ["E-TYPE"]
    assert named(spec, {"x": 10**4299}) == {"x": 10**4299}


@pytest.mark.parametrize(
    ("kind", "given_value", "value", "text"),
    [
        ("int", 3.0, 3, "3"),
        ("int", 1e30, 10**30, "1" + "0" * 30),
        ("int", Decimal("12.50e1"), 125, "125"),
        ("int", "5", 5, "5"),
        ("int", "0644", 644, "0644"),
        ("number", 0.5, 0.5, "0.5"),
        ("number", 2, 2, "2"),
        ("number", "1.50", 1.5, "1.50"),
        ("bool", "true", True, "true"),
        ("array", (1, 2), [1, 2], "[1,2]"),
        ("array", "[1]", [1], "[1]"),
        ("object", {"a": 1}, {"a": 1}, '{"a":1}'),
        ("json", "s", "s", '"s"'),
        ("json", None, None, "null"),
        ("any", 5, 5, "5"),
        ("any", [True], [True], "[true]"),
    ],
)
def test_t1_json_values(kind: str, given_value: Any, value: Any, text: str) -> None:
    bound = bind_mapping(params(f"name: x, type: {kind}"), {"x": given_value})
    assert bound.problems == []
    assert bound.values == {"x": value} and type(bound.values["x"]) is type(value)
    assert bound.texts == {"x": text}
    assert bound.origins == {"x": "json"}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", True), ("int", 2.5), ("int", "5.7"), ("int", " 5"), ("int", "1e3"), ("int", float("nan")), ("int", [1]),
        ("number", True), ("number", "x"), ("number", Decimal("1e999")), ("number", "0.10000000000000000001"),
        ("number", float("inf")), ("string", 5), ("string", True), ("string", b"x"), ("bool", 1), ("bool", "yes"),
        ("array", {}), ("object", []), ("array", [{1}]), ("object", {1: 2}), ("json", {1, 2}),
    ],
)  # fmt: skip
def test_t1_everything_else_is_an_error(kind: str, value: Any) -> None:
    assert codes(params(f"name: x, type: {kind}"), {"x": value}) == ["E-TYPE"]


def test_t1_null_is_not_given() -> None:
    assert named(params("name: x", "name: y, repeatable: true"), {"x": None, "y": None}) == {}
    assert codes(params("name: x, required: true"), {"x": None}) == ["E-TYPE"]


def test_t1_tuples() -> None:
    spec = params("name: x, consumes: [{name: NAME}, {name: N, type: int}]")
    assert named(spec, {"x": [["a", 1], {"name": "b", "n": 2}, ("c", "3")]}) == {"x": [["a", 1], ["b", 2], ["c", 3]]}
    for value in (["a", 1], [["a"]], [["a", 1, 2]], [{"name": "a"}], [{"name": "a", "n": 1, "z": 2}], "a"):
        assert set(codes(spec, {"x": value})) == {"E-TYPE"}


def test_t1_deep_values_are_refused() -> None:
    value: list[Any] = []
    for _ in range(200):
        value = [value]
    assert codes(params("name: x, type: array"), {"x": value}) == ["E-TYPE"]


def test_t2_choices_and_ranges_are_checked_by_type_and_slot() -> None:
    spec = params("name: n, type: int, choices: [1, 10]", "name: r, type: number, min: 0, max: 0.5", "name: c, choices: [a, b]")
    assert given(spec, "--n 010 --r .5 --c a") == {"n": 10, "r": 0.5, "c": "a"}
    assert codes(spec, "--n 2 --r 0.51 --c A") == ["E-CHOICE", "E-RANGE", "E-CHOICE"]
    pair = params("name: x, consumes: [{name: A, choices: [u]}, {name: B, type: int, max: 3}]")
    problems = refused(pair, "--x v 4").problems
    assert [(problem.code, problem.where.index) for problem in problems] == [("E-CHOICE", 1), ("E-RANGE", 2)]


def test_t2_patterns_match_the_whole_value() -> None:
    spec = params("name: id, pattern: '[a-z]+'", "name: ids, repeatable: true, pattern: '\\d{2}'")
    assert given(spec, "--id abc --ids 12") == {"id": "abc", "ids": ["12"]}
    for value in ("abc1", "", "abc\n", "ABC"):
        assert codes(spec, ["--id", value]) == ["E-PATTERN"]
    assert codes(spec, ["--ids", "٣٣"]) == ["E-PATTERN"]
    assert "longer than 10,000" in refused(spec, ["--id", "a" * 10_001]).problems[0].message


def test_t2_items() -> None:
    spec = params(
        "name: f, positional: true, repeatable: true, min_items: 2, max_items: 3", "name: a, type: array, items: int, max_items: 2"
    )
    assert given(spec, ["1", "2", "--a", "[1,2]"]) == {"f": ["1", "2"], "a": [1, 2]}
    assert given(spec, []) == {}
    assert codes(spec, ["1"]) == codes(spec, ["1", "2", "3", "4"]) == ["E-RANGE"]
    assert codes(spec, ["--a", "[1,2,3]"]) == ["E-RANGE"]
    assert codes(spec, ["--a", "[true]"]) == codes(spec, ["--a", "[1.5]"]) == ["E-TYPE"]


def test_t1_a_text_that_is_no_object_is_shown_the_form() -> None:
    spec = params("name: a")
    for text in ("{a: 1}", "[1]", '{"a": "x"'):
        with pytest.raises(KernelError) as caught:
            bind_text(spec, text)
        assert caught.value.problems[0].hint == 'write `{"NAME": VALUE, …}`, names and texts in double quotes'


def test_t2_a_fault_inside_a_json_list_names_the_entry() -> None:
    spec = params(
        "name: tags, repeatable: true, pattern: '[a-z]+'",
        "name: n, type: int, repeatable: true, min: 1",
        "name: c, repeatable: true, choices: [red]",
        "name: kv, consumes: [{name: K}, {name: V, type: int, max: 5}], unique_by: K",
        "name: one, pattern: '[a-z]+'",
    )
    faults = {"tags": ["a", "B", "D"], "n": [1, 0], "c": ["blue"], "kv": [["a", 1], ["b", 9]], "one": "A"}
    assert [problem.message for problem in refused(spec, faults).problems] == [
        "`tags[1]` wants text that matches `[a-z]+` as a whole, got `B`",
        "`tags[2]` wants text that matches `[a-z]+` as a whole, got `D`",
        "`n[1]` wants at least 1, got `0`",
        "`c[0]` wants one of `red`, got `blue`",
        "`kv[1]` wants at most 5 for `V`, got `9`",
        "`one` wants text that matches `[a-z]+` as a whole, got `A`",
    ]
    (problem,) = refused(spec, {"kv": [["a", 1], ["b", 2], ["a", 3]]}).problems
    assert problem.message == "`kv` has the K `a` twice, in the entries 0 and 2"
    (problem,) = refused(spec, {"tags": "a"}).problems
    assert (problem.message, problem.hint) == (
        '`tags` wants an array with one entry per occurrence, got `"a"`',
        "one entry is an array of one as well",
    )
    (problem,) = refused(spec, "--tags B").problems
    assert problem.message == "`--tags` wants text that matches `[a-z]+` as a whole, got `B`"


def test_t3_a_fault_in_a_variable_names_it() -> None:
    spec = params(
        "name: tags, repeatable: true, pattern: '[a-z]+', min_items: 2, env: TAGS",
        "name: n, type: int, min: 1, env: NN",
        "name: kv, consumes: [{name: K}, {name: V}], unique_by: K, env: KV",
    )
    found = refused(spec, "", {"TAGS": '["a", "B"]', "NN": "0", "KV": '[["a", "1"], ["a", "2"]]'})
    assert [problem.message for problem in found.problems] == [
        "`tags[1]` wants text that matches `[a-z]+` as a whole, got `B` from the variable `TAGS`",
        "`--n` wants at least 1, got `0` from the variable `NN`",
        "`--kv` has the K `a` twice, in the entries 0 and 1 from the variable `KV`",
    ]
    (problem,) = refused(spec, "", {"TAGS": '["a"]'}).problems
    assert problem.message == "`--tags` wants at least 2 values, got 1 from the variable `TAGS`"
    (problem,) = refused(spec, "", {"KV": '[["a"'}).problems
    assert problem.message.startswith("`--kv` wants a JSON array, got")


def test_t3_where_values_come_from() -> None:
    spec = params("name: a, env: A, default: d", "name: l, repeatable: true, env: L, default: [x]", "name: n, type: int, env: N")
    origins = call(spec, "--a 1", {"A": "2", "L": '["p", "q"]', "N": "5"})
    assert origins.values == {"a": "1", "l": ["p", "q"], "n": 5}
    assert origins.origins == {"a": "argv", "l": "env", "n": "env"}
    assert origins.hidden == {"a": [("env", "2"), ("default", "d")]}
    assert given(spec, "--l y") == {"a": "d", "l": ["y"]}  # occurrences replace a default
    assert given(spec, "", {"A": "", "L": ""}) == {"a": "d", "l": ["x"]}


def test_t3_an_error_in_a_variable_names_it() -> None:
    spec = params("name: n, type: int, env: N", "name: l, repeatable: true, env: L")
    problems = refused(spec, "", {"N": "x", "L": "a,b"}).problems
    assert [problem.code for problem in problems] == ["E-TYPE", "E-TYPE"]
    assert "`N`" in problems[0].message and "`L`" in problems[1].message
    assert "`L`" in refused(spec, "", {"L": "[1]"}).problems[0].message


def test_t3_required() -> None:
    spec = params("name: a, required: true, env: A", "name: b, positional: true, required: true")
    problems = refused(spec, "").problems
    assert [problem.message for problem in problems] == ["`--a` is required and has no value", "`B` is required and has no value"]
    assert problems[0].hint == "write `--a VALUE` or set the variable `A`"
    assert given(spec, "x", {"A": "1"}) == {"b": "x", "a": "1"}
    assert codes(params("name: l, repeatable: true, required: true"), {"l": []}) == ["E-REQUIRED"]


def test_t3_what_has_no_value() -> None:
    spec = params("name: s", "name: b, type: bool", "name: c, count: true", "name: l, repeatable: true", "name: t, consumes: 2")
    bound = call(spec, "")
    assert bound.values == {"b": False, "c": 0, "l": [], "t": []}
    assert not any(bound.has(param.name) for param in spec.params)
    assert check(bound, {}) is bound


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("exclusive", ["", "--a 1", "--b", "--a 1 --b=false"], ["--a 1 --b"]),
        ("required", ["--a 1", "--b", "--a 1 --b"], ["", "--b=false"]),
        ("together", ["", "--a 1 --b", "--b=false"], ["--a 1", "--b", "--a 1 --b=false"]),
    ],
)
def test_t4_groups(kind: str, good: list[str], bad: list[str]) -> None:
    spec = params("name: a, env: A", "name: b, type: bool", "name: c, default: x", groups=f"[{{{kind}: [a, b]}}]")
    for line in good:
        call(spec, line)
    for line in bad:
        assert codes(spec, line) == ["E-GROUP"]


def test_t4_env_counts_and_defaults_do_not() -> None:
    spec = params("name: a, env: A", "name: b, default: x", groups="[{exclusive: [a, b]}]")
    assert given(spec, "", {"A": "1"}) == {"a": "1", "b": "x"}
    problem = refused(spec, "--b y", {"A": "1"}).problems[0]
    assert problem.message == "at most one of `--a` (given), `--b` (given) may be given"
    assert problem.facts["members"] == ["a", "b"]


def test_t4_what_several_groups_exclude_is_said_once() -> None:
    names = [f"name: {name}" for name in "abcd"]
    spec = params(*names, groups="[{exclusive: [a, b, c]}, {exclusive: [a, b, d]}, {required: [c]}, {required: [d]}]")
    assert codes(spec, "--a 1 --b 1") == ["E-GROUP"] * 3
    assert codes(spec, "--a 1 --b 1 --c 1 --d 1") == ["E-GROUP"] * 2


def test_load_errors_of_types() -> None:
    assert "default" in load_error("params: [{name: a, type: int, default: x}]")
