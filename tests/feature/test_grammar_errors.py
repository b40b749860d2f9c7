"""Rules U1, U2 of the argv grammar, and the corrected line."""

from __future__ import annotations

import pytest
from call_case import call, codes, given, params, refused
from call_case import tool as load_tool

from kernel.errors import CODES, WordPlace
from kernel.explain import complete, explanation

TOOL = params(
    "name: arg, consumes: [{name: NAME}, {name: VALUE}]",
    "name: argjson, consumes: 2",
    "name: level, type: int, max: 9",
    "name: color, choices: [red, green]",
    "name: file, positional: true, required: true",
)


def test_u1_all_independent_problems_by_word() -> None:
    error = refused(TOOL, "--level x --nope --color blue --arg a")
    assert [(problem.code, problem.where.index if problem.where else None) for problem in error.problems] == [
        ("E-TYPE", 1),
        ("E-UNKNOWN-FLAG", 2),
        ("E-CHOICE", 4),
        ("E-ARITY", 5),
        ("E-REQUIRED", None),
    ]


def test_u1_problems_say_param_wanted_and_got() -> None:
    facts = refused(TOOL, "--level x f").problems[0].to_dict()
    assert (facts["param"], facts["wanted"], facts["got"], facts["word"]) == ("level", "a whole number", "x", 1)
    assert all(len(row) == 3 for row in CODES.values())


def test_u1_the_place_inside_a_word() -> None:
    place = refused(TOOL, "--level=x f").problems[0].where
    assert isinstance(place, WordPlace) and (place.index, place.start, place.width) == (0, 8, 1)
    place = refused(TOOL, "f --color=blue").problems[0].where
    assert isinstance(place, WordPlace) and (place.index, place.start) == (1, 8)


def test_u1_the_word_behind_an_unknown_flag_may_be_its_value() -> None:
    assert codes(TOOL, "--nope 5 f") == ["E-UNKNOWN-FLAG"]
    assert codes(TOOL, "--nope 5 f g") == ["E-UNKNOWN-FLAG", "E-TOO-MANY"]
    assert codes(TOOL, "--nope f") == ["E-UNKNOWN-FLAG"]


def test_u1_a_missing_value_suppresses_required() -> None:
    assert codes(params("name: a, required: true"), "--a") == ["E-ARITY"]
    assert codes(params("name: a, type: int, required: true"), "--a x") == ["E-TYPE"]


def test_u1_nothing_quadratic_in_many_problems() -> None:
    error = refused(TOOL, [f"--nope{number}" for number in range(10_000)])
    assert len(error.problems) == 10_001
    complete(error, TOOL)
    assert "near" not in error.problems[-1].facts


def test_u1_a_corrected_line() -> None:
    error = refused(TOOL, "--levl 2 --color gren f")
    error.prefix = ("kernel", "call", "t")
    complete(error, TOOL)
    assert error.problems[0].facts["near"] == ["--level"]
    assert error.problems[0].facts["line"] == "kernel call t --level 2 --color green f".split()
    assert "`kernel call t --level 2 --color green f`" in error.problems[0].hint


def test_u1_a_corrected_line_names_what_is_missing() -> None:
    error = refused(TOOL, "--arg a --level 2")
    error.prefix = ("kernel", "call", "t")
    complete(error, TOOL)
    assert error.problems[0].facts["line"] == "kernel call t --arg a VALUE --level 2 FILE".split()


@pytest.mark.parametrize(
    ("line", "corrected"),
    [
        ("--usr bo f", "--user bo f"),  # the mistyped flag is the missing one
        ("f --usr=bo", "f --user=bo"),
        ("f --usr", "f --user VALUE"),
        ("f --usr -f", "f --user VALUE -f"),
        ("f --usr bo --pont 1 -f", "f --user bo --point 1 VALUE2 -f"),
        ("f --user bo --pont=1", "f --user bo --point=1 VALUE2"),
        ("f --usr bo --forc", "f --user bo --force"),
        ("--usr bo", "--user bo FILE"),  # its value had stood for the operand
    ],
)
def test_u1_a_mended_flag_has_its_values(line: str, corrected: str) -> None:
    tool = params(
        "name: user, required: true",
        "name: point, consumes: 2",
        "name: force, type: bool, aliases: [-f]",
        "name: file, positional: true, required: true",
    )
    error = refused(tool, line)
    complete(error, tool)
    assert error.problems[0].facts["line"] == corrected.split()


@pytest.mark.parametrize(
    ("line", "corrected"),
    [
        ("-- x", "--user VALUE --mode=VALUE -- x"),  # all of them before the first `--`
        ("--user u --mode=m", "--user u --mode=m -- BEHIND"),
        ("--user u --mode", "--user u --mode -- BEHIND"),
    ],
)
def test_u1_what_is_missing_stands_on_its_side_of_the_dashes(line: str, corrected: str) -> None:
    tool = params(
        "name: user, required: true",
        "name: mode, optional_value: auto, required: true",
        'name: behind, positional: true, after: "--", required: true',
    )
    error = refused(tool, line)
    complete(error, tool)
    assert error.problems[0].facts["line"] == corrected.split()


def test_u1_near_names_are_flags_of_the_node() -> None:
    nested = load_tool(
        """
        params: [{name: git_dir}]
        exec: [git, "{*}"]
        subcommands: [{name: log, params: [{name: git_diff, type: bool}]}]
        """
    )
    error = refused(nested, "--git-dif log")
    complete(error, nested.child("log") or nested)
    assert error.problems[0].facts["near"][0] == "--git-dir"
    assert error.problems[0].facts["line"] == ["--git-dir", "VALUE", "log"]


def test_u1_no_line_where_a_problem_cannot_be_mended() -> None:
    error = refused(TOOL, "--argj a 1 --level x f")
    complete(error, TOOL)
    assert not any("line" in problem.facts for problem in error.problems)


def test_u1_secrets_are_not_said() -> None:
    spec = params("name: token, type: int, secret: argv", "name: pin, type: int, max: 5, secret: argv")
    error = refused(spec, "--token hunter2 --pin 77777")
    assert all(problem.secret for problem in error.problems)
    assert "hunter2" not in str(error) and "77777" not in str(error)
    assert "hunter2" not in str([problem.to_dict() for problem in error.problems])
    assert "12345" not in str(explanation(call(spec, "--token 12345 --pin=3")))


def test_u2_undeclared_flags_pass_as_operands() -> None:
    spec = params(
        "name: verbose, type: bool, aliases: [-v]", "name: words, positional: true, repeatable: true", unknown_flags="pass"
    )
    line = "-v --nope x -zv --other=1 -- -v"
    assert given(spec, line) == {"verbose": True, "words": ["--nope", "x", "-zv", "--other=1", "-v"]}
    assert call(spec, line).passed == ["--nope", "x", "-zv", "--other=1", "--", "-v"]


def test_every_word_is_explained() -> None:
    spec = params("name: a, type: bool, aliases: [-a]", "name: n, type: int, aliases: [-n]", "name: f, positional: true")
    rows = explanation(call(spec, "-an=5 --n 6 -- x"))["words"]
    assert [(row["word"], row["text"], row["role"], row.get("hidden", False)) for row in rows] == [
        (0, "-a", "flag", False),
        (0, "-n", "flag", True),
        (0, "5", "value", True),
        (1, "--n", "flag", False),
        (2, "6", "value", False),
        (3, "--", "separator", False),
        (4, "x", "operand", False),
    ]


def test_a_failing_line_is_explained() -> None:
    from kernel.bind import bind

    data = explanation(bind(TOOL, ["--nope", "--level", "3"]))
    assert [row["role"] for row in data["words"]] == ["problem", "flag", "value"]
    assert data["line"] is None and data["problems"][0]["code"] == "E-UNKNOWN-FLAG"


def test_bytes_are_explained() -> None:
    assert explanation(call(TOOL, ["\udcff"]))["argv_bytes"] == ["/w=="]
