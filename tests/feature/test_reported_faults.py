"""Faults reported for other tools of this kind, each with the right answer. Names are those of the reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from call_case import call, given, load_error, named, params, refused, tool

from kernel import policy, render
from kernel.bind import bind
from kernel.bound import Bound
from kernel.errors import KernelError
from kernel.explain import complete
from kernel.line import words

JQ = tool(
    """
    exec: [jq, "{*}"]
    params:
      - {name: arg, consumes: [{name: NAME}, {name: VALUE}]}
      - {name: argjson, consumes: [{name: NAME}, {name: VALUE, type: json}]}
      - {name: raw_output, type: bool, aliases: [-r]}
      - {name: null_input, type: bool, aliases: [-n]}
      - {name: filter, positional: true, required: true}
      - {name: files, positional: true, repeatable: true}
    """,
    "jq",
)


def child(bound: Bound) -> list[str]:
    plan = render.render(bound)
    policy.judge(plan, ask=False)
    return plan.argv()


def test_ntuple_eats_next_flag() -> None:
    problem = refused(JQ, "--arg var1 --arg var2 val").problems[0]
    assert problem.code == "E-ARITY"
    assert problem.message == "`--arg` wants 2 values (NAME VALUE), got 1 (`var1`): the next word, `--arg`, is a flag of the tool"
    assert str(problem.where) == "word 1"


def test_ntuple_skips_flags_in_between() -> None:
    assert refused(JQ, "--arg a --arg b 2 3 .").code == "E-ARITY"
    assert bind(JQ, "--arg a --arg b 2 3 .".split()).values["arg"] == [["b", "2"]]


@pytest.mark.parametrize("value", ["b c", "", "-x", "--", "--arg"])
def test_ntuple_to_argv_loses_pairs(value: str) -> None:
    line = ["--arg", "a", "1", f"--arg={value}", "d", "."]
    bound = call(JQ, line)
    assert child(bound) == ["jq", "--arg", "a", "1", "--arg", value, "d", "."]
    assert bind(JQ, words(bound)).values == bind(JQ, line).values


def test_ntuple_flattened() -> None:
    spec = params("name: volume, consumes: 2")
    assert given(spec, "--volume some thing --volume some other") == {"volume": [["some", "thing"], ["some", "other"]]}


def test_ntuple_single_occurrence_shape() -> None:
    assert given(params("name: x, consumes: 2"), "-x a b") == {"x": [["a", "b"]]}


def test_ntuple_attached_dash_value() -> None:
    assert given(params("name: option, repeatable: true"), "--option=--value") == {"option": ["--value"]}


def test_repeat_greedy_eats_operand() -> None:
    spec = params("name: o, repeatable: true", "name: files, positional: true, repeatable: true")
    assert given(spec, "-o val1 val2 val3") == {"o": ["val1"], "files": ["val2", "val3"]}


def test_ntuple_duplicate_key() -> None:
    spec = params(
        "name: arg, consumes: [{name: NAME}, {name: V}], unique_by: NAME", "name: n, type: bool", "name: f, positional: true"
    )
    problem = refused(spec, ["-n", "--arg", "a", "1", "--arg", "a", "2", "$a"]).problems[0]
    assert (problem.code, problem.message) == ("E-DUPLICATE", "`--arg` has the NAME `a` twice, word 3 and word 6")


def test_ntuple_equals_form() -> None:
    assert given(JQ, "--arg=a 1 .") == {"arg": [["a", "1"]], "filter": "."}


def test_value_starts_with_dashes() -> None:
    text = "---\ntitle: Home\n---\n"
    spec = params("name: path", "name: contents")
    assert given(spec, ["--path", "hugo/_index.md", "--contents", text]) == {"path": "hugo/_index.md", "contents": text}


def test_digit_flag_versus_negative() -> None:
    assert given(params("name: one, type: bool, aliases: [-1]", "name: depth, type: int"), "-1 --depth -2") == {
        "one": True,
        "depth": -2,
    }


def test_flag_swallows_flag() -> None:
    problem = refused(params("name: jobs", "name: force, type: bool"), "--jobs --force").problems[0]
    assert problem.message == "`--jobs` wants a value, got none: the next word, `--force`, is a flag of the tool"
    assert problem.hint == "to pass that text as the value, write `--jobs=--force`"


def test_second_separator_kept() -> None:
    assert given(params("name: cmd, positional: true, repeatable: true"), "-- git -- --name") == {"cmd": ["git", "--", "--name"]}


def test_bundle_unknown_letter() -> None:
    spec = params("name: a, type: bool")
    assert refused(spec, "-az").problems[0].message == "`-z` in `-az` is no flag of `t`"
    assert bind(spec, ["-az"]).values == {}


def test_flag_between_optional_operands() -> None:
    spec = params("name: p, positional: true", "name: q, positional: true", "name: test, type: bool")
    assert given(spec, "a --test b") == {"p": "a", "q": "b", "test": True}


def test_optional_value_steals_operand() -> None:
    spec = params("name: foo, optional_value: auto", "name: bar, positional: true, required: true")
    assert given(spec, "--foo abc") == {"foo": "auto", "bar": "abc"}


def test_optional_value_bare() -> None:
    assert given(params("name: name, optional_value: Flag, default: Default"), "--name") == {"name": "Flag"}


@pytest.mark.parametrize("word", ["--verbose=3", "-v=3"])
def test_count_with_value_dropped(word: str) -> None:
    assert given(params("name: verbose, count: true, aliases: [-v]"), word) == {"verbose": 3}


def test_abbreviation_binds_wrong_flag() -> None:
    error = refused(JQ, "--argj a 1 .")
    complete(error, JQ)
    assert error.code == "E-UNKNOWN-FLAG"
    assert error.problems[0].facts["near"][0] == "--argjson"


def test_yaml_no_is_false() -> None:
    text = load_error("params: [{name: sort, choices: [NO, YES]}]")
    assert "t.yaml:2:33" in text and '"NO"' in text
    assert given(params('name: sort, choices: ["NO", "YES"]'), "--sort NO") == {"sort": "NO"}


def test_param_name_collides() -> None:
    spec = params("name: value", "name: input", "name: help", "name: self", "name: class")
    assert given(spec, "--value 1 --self x --class y --help z") == {"value": "1", "self": "x", "class": "y", "help": "z"}


def test_two_spellings_one_param() -> None:
    spec = params("name: simulate, type: bool, aliases: [--simulate, --dry-run, --no-act, -s]")
    assert given(spec, "--no-act") == {"simulate": True}


def test_list_join_or_repeat() -> None:
    line = "--categories passwords --categories logins"
    assert child(call(params('name: categories, repeatable: true, delimiter: ","'), line)) == [
        "true",
        "--categories",
        "passwords,logins",
    ]
    assert child(call(params("name: categories, repeatable: true"), line)) == ["true", *line.split()]


def test_shell_metachar_in_value() -> None:
    spec = tool('exec: [cat, "{file}"]\nparams: [{name: file, positional: true, required: true}]')
    assert child(call(spec, ["x; touch PWNED; echo x"])) == ["cat", "x; touch PWNED; echo x"]


def test_option_injection_operand(tmp_path: Path) -> None:
    text = "effect: read\nparams: [{name: branch, positional: true, required: true}]\nexec: [git, log, %s'{branch}']"
    with pytest.raises(KernelError) as error:
        child(call(tool(text % ""), ["--", "--output=/tmp/x.txt"]))
    assert error.value.code == "E-DASH"
    guarded = tool("end_of_options: --end-of-options\n" + text % "--end-of-options, ")
    assert child(call(guarded, ["--", "--output=/tmp/x.txt"]))[-2:] == ["--end-of-options", "--output=/tmp/x.txt"]


def test_quoting_lost_in_forwarding() -> None:
    spec = tool('exec: [pytest, "{rest*}"]\nunknown_flags: pass\nparams: [{name: rest, positional: true, repeatable: true}]')
    assert child(call(spec, ["-m", "not foo", "a b.txt"])) == ["pytest", "-m", "not foo", "a b.txt"]
    assert child(call(spec, ["--", "-m", "not foo", "a b.txt"])) == ["pytest", "-m", "not foo", "a b.txt"]


def test_mcp_unknown_argument() -> None:
    spec = params("name: maxDepth, type: int, default: 3")
    error = refused(spec, {"depth": 5})
    complete(error, spec)
    assert error.code == "E-UNKNOWN-KEY"
    assert "`depth` is no argument" in str(error) and "`maxDepth`" in error.hint


def test_mcp_number_as_string() -> None:
    spec = params("name: lines, type: int")
    assert named(spec, {"lines": "5"}) == {"lines": 5}
    wrong: Any
    for wrong in ("5.7", "0x5", " 5", "1e3"):
        assert refused(spec, {"lines": wrong}).code == "E-TYPE"
