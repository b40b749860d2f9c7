"""The dash guard and the question before a destructive call (running.md X8, X9)."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kernel import bind, bind_json, confirm, manifest, policy, schema
from kernel.check import check
from kernel.errors import KernelError
from kernel.plan import Plan
from kernel.render import render


def plan(text: str, call: list[str] | Mapping[str, Any], file: str = "/p/tools.d/t.yaml") -> Plan:
    lines = textwrap.dedent(text)
    tree = manifest.read(f"description: T.\n{lines}".encode(), file)
    spec = schema.compile_tool(tree, file=file, base=os.path.dirname(os.path.dirname(file)), name="t")
    bound = bind.bind(spec, call) if isinstance(call, list) else bind_json.bind_mapping(spec, call)
    return render(check(bound, {}))


def refused(text: str, call: list[str] | Mapping[str, Any]) -> list[str]:
    """The params that the guard refuses."""
    return [problem.facts["param"] for problem in policy.dash_problems(plan(text, call))]


PLAIN = 'exec: [p, "{a}"]\nparams: [{name: a, required: true, type: TYPE}]'


@pytest.mark.parametrize("text", ["-x", "--", "--x", "-1x", "-é", "-\u00a0", "--=", "-x\n"])
def test_what_looks_like_an_option_is_refused(text: str) -> None:
    assert refused(PLAIN.replace("TYPE", "string"), {"a": text}) == ["a"]


@pytest.mark.parametrize("text", ["", "-", "- x", "-\n", "---", "---\ntitle: x", "-- x", "x-y", "–x", " -x"])
def test_what_does_not_look_like_one_passes(text: str) -> None:
    assert refused(PLAIN.replace("TYPE", "string"), {"a": text}) == []


@pytest.mark.parametrize(("kind", "value"), [("int", -5), ("number", -0.5), ("any", -5), ("json", -5), ("bool", False)])
def test_numbers_are_not_judged(kind: str, value: object) -> None:
    assert refused(PLAIN.replace("TYPE", kind), {"a": value}) == []


def test_text_of_any_type_is_judged() -> None:
    assert refused(PLAIN.replace("TYPE", "any"), {"a": "-5"}) == ["a"]


def test_the_first_character_decides_also_past_an_empty_placeholder() -> None:
    text = 'exec: [p, "{a}{b}", "x{b}", "{a}x{b}"]\nparams: [{name: a, default: ""}, {name: b, required: true}]'
    assert refused(text, ["--b=-x"]) == ["b"]
    assert refused(text, ["--a=-", "--b", "x"]) == ["a", "a"]


def test_a_literal_dash_is_the_authors_own() -> None:
    assert refused('exec: [p, "-{a}", "--n={a}"]\nparams: [{name: a, required: true}]', ["--a=-x"]) == []


@pytest.mark.parametrize("marker", ["--", "++"])
def test_behind_the_end_of_options_nothing_is_judged(marker: str) -> None:
    text = f"""
        exec: [p, "{{a}}", "{marker}", "{{b}}"]
        end_of_options: "++"
        params: [{{name: a, default: ""}}, {{name: b, required: true}}]
    """
    assert refused(text, ["--b=-x"]) == []
    assert refused(text, ["--a=-x", "--b=-x"]) == ["a"]


def test_a_marker_that_came_from_a_value_ends_nothing() -> None:
    text = 'exec: [p, "--{a}", "{b}"]\nparams: [{name: a, default: ""}, {name: b, required: true}]'
    assert refused(text, ["--b=-x"]) == ["b"]


@pytest.mark.parametrize("key", ["choices: [-x, y]", "allow_dash: true"])
def test_choices_and_allowed_dashes_pass(key: str) -> None:
    assert refused(f'exec: [p, "{{a}}"]\nparams: [{{name: a, required: true, {key}}}]', ["--a=-x"]) == []


def test_what_the_rest_writes_as_values_of_flags_passes() -> None:
    text = 'exec: [p, "{*}"]\nparams: [{name: a, consumes: 2}, {name: b}, {name: c, positional: true}]'
    assert refused(text, ["--a", "-x", "-y", "--b", "-z", "--", "-c"]) == []


def test_operands_of_a_program_without_a_marker_are_refused() -> None:
    text = 'exec: [p, "{*}"]\nend_of_options: none\nparams: [{name: c, positional: true}]'
    assert refused(text, ["--", "-c"]) == ["c"]


def test_an_item_behind_its_own_spelling_in_a_group_passes() -> None:
    text = 'exec: [p, ["--a", "{a}"], ["--b", "{a}"], ["--c", "{c*}"]]\nparams: [{name: a}, {name: c, repeatable: true}]'
    assert refused(text, ["--a=-x"]) == ["a"]
    assert refused(text, ["--c=-x"]) == []
    assert refused(text, ["--c=-x", "--c=-y"]) == ["c"]


def test_words_of_a_passing_tool_pass_from_argv_only() -> None:
    text = 'exec: [p, "{*}"]\nunknown_flags: pass\nend_of_options: none\nparams: [{name: c, positional: true, repeatable: true}]'
    assert refused(text, ["-x", "--", "-y"]) == []
    assert refused(text, {"c": ["-x"]}) == ["c"]


def test_builtins_are_not_judged() -> None:
    assert refused("builtin: seq\nparams: [{name: numbers, positional: true, repeatable: true}]", ["--", "-x"]) == []


def test_the_refusal_says_the_ways_out() -> None:
    with pytest.raises(KernelError) as caught:
        policy.judge(plan('exec: [rm, "{f}"]\neffect: read\nparams: [{name: f, path: write, required: true}]', ["--f=-rf"]))
    assert caught.value.code == "E-DASH"
    assert "`rm`" in str(caught.value)
    for way in ("./-rf", "`--`", "allow_dash"):
        assert way in caught.value.hint


def test_the_refusal_of_an_options_value_says_how_to_write_it() -> None:
    text = 'exec: [p, --grep, "{a}"]\nparams: [{name: a, required: true, type: string}]'
    problems = policy.dash_problems(plan(text, {"a": "-x"}))
    assert [problem.hint for problem in problems] == [
        "write `--grep={a}` in `exec` if it is the value of `--grep`, put `--` before it if it is an operand, "
        "or say `allow_dash: true` on the param"
    ]


def test_a_secret_is_not_shown_in_the_refusal() -> None:
    text = 'exec: [p, "{s}"]\nparams: [{name: s, secret: argv, required: true}]'
    problem = policy.dash_problems(plan(text, ["--s=-hunter2"]))[0]
    assert "hunter2" not in problem.message + problem.hint
    assert problem.secret


# ---- confirmation --------------------------------------------------------------------------------------------------

DESTRUCTIVE = """
exec: [rm, "{*}"]
effect: destructive
params: [{name: f, positional: true}, {name: token, secret: true}]
env: {T: "{token}"}
"""


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What the person at the terminal answers, one for each question; an empty list is no terminal."""
    given: list[str] = []
    monkeypatch.setattr(confirm, "_ask", lambda plan, session: given.pop(0) if given else None)
    monkeypatch.setattr(confirm, "_session", set())
    monkeypatch.setenv("KERNEL_STATE_DIR", str(tmp_path / "state"))
    return given


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "tools.d").mkdir()
    path = tmp_path / "tools.d/t.yaml"
    path.write_text(DESTRUCTIVE)
    return str(path)


def effect_error(made: Plan, **options: bool) -> str:
    with pytest.raises(KernelError) as caught:
        policy.judge(made, **options)
    assert caught.value.code == "E-EFFECT"
    return str(caught.value)


def test_without_a_terminal_the_answer_is_no(answers: list[str], file: str) -> None:
    assert "--yes" in effect_error(plan(DESTRUCTIVE, ["x"], file))


def test_a_library_is_not_asked(answers: list[str], file: str) -> None:
    answers.append("y")
    assert "using(yes=True)" in effect_error(plan(DESTRUCTIVE, ["x"], file), people=False)
    assert answers == ["y"]


def test_yes_and_a_dry_run_ask_nothing(answers: list[str], file: str) -> None:
    policy.judge(plan(DESTRUCTIVE, ["x"], file), yes=True)
    policy.judge(plan(DESTRUCTIVE, ["x"], file), ask=False)


def test_once_is_for_one_call(answers: list[str], file: str) -> None:
    answers.append("y")
    policy.judge(plan(DESTRUCTIVE, ["x"], file))
    effect_error(plan(DESTRUCTIVE, ["x"], file))


def test_no_is_no(answers: list[str], file: str) -> None:
    answers.append("n")
    effect_error(plan(DESTRUCTIVE, ["x"], file))


def test_always_is_for_these_values_of_this_manifest(answers: list[str], file: str) -> None:
    answers.append("a")
    policy.judge(plan(DESTRUCTIVE, ["x"], file))
    policy.judge(plan(DESTRUCTIVE, ["x"], file))
    effect_error(plan(DESTRUCTIVE, ["y"], file))
    Path(file).write_text(DESTRUCTIVE + "\n")
    effect_error(plan(DESTRUCTIVE, ["x"], file))


def test_a_secret_is_not_kept(answers: list[str], file: str, tmp_path: Path) -> None:
    answers.append("a")
    policy.judge(plan(DESTRUCTIVE, ["--token", "hunter2", "x"], file))
    policy.judge(plan(DESTRUCTIVE, ["--token", "other", "x"], file))
    kept = [path.read_text() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert kept
    assert "hunter2" not in "".join(kept)


def test_paths_are_confirmed_where_they_are(answers: list[str], file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = DESTRUCTIVE.replace("positional: true", "positional: true, path: write")
    answers.append("a")
    monkeypatch.chdir(tmp_path)
    policy.judge(plan(text, ["x"], file))
    monkeypatch.chdir(tmp_path / "tools.d")
    effect_error(plan(text, ["x"], file))


def test_a_session_remembers_while_it_lives(answers: list[str], file: str) -> None:
    answers.append("s")
    made = plan(DESTRUCTIVE, ["x"], file)
    confirm.require(made, session=True)
    confirm.require(made, session=True)


def test_a_confirm_text_asks_at_any_effect(answers: list[str], file: str) -> None:
    text = "exec: [p]\neffect: read\nconfirm: Really?"
    effect_error(plan(text, [], file))
    answers.append("y")
    policy.judge(plan(text, [], file))
