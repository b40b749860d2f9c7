"""`kernel call --openai|--anthropic|--gemini`: a tool call as the API writes it, the API's result object back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case, Outcome

TOOL = """
    description: Show.
    effect: read
    exec: [sh, -c, 'printf "%s|" "$@"; printf "%s" "$SAID" >&2; exit "$STATUS"', sh, "{*}"]
    env: {STATUS: "{status}", SAID: "{said}"}
    end_of_options: none
    exits: {0: ok, 3: empty}
    params:
      - {name: status, type: int, default: 0}
      - {name: said, default: ""}
      - {name: value, type: json}
      - {name: list-of, type: array, items: int}
      - {name: mount, split: ":", consumes: [{name: FROM}, {name: TO-DIR}, {name: MODE, optional: true}]}
      - {name: n, type: number, positional: true}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path).tool("show-it", TOOL)


def chat(name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}


def run(case: Case, api: str, call: Any, *options: str) -> Outcome:
    text = call if isinstance(call, str) else json.dumps(call)
    return case.run(["call", f"--{api}", "-", *options], stdin=text)


def said(outcome: Outcome) -> Any:
    """The result object: exactly one line on stdout."""
    assert outcome.stdout.count("\n") == 1, outcome
    return json.loads(outcome.stdout)


def test_each_api_gets_its_result_object(case: Case) -> None:
    arguments = {"n": 1.5}
    assert said(run(case, "openai", chat("show-it", arguments)).ok()) == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": "1.5|",
    }
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_2", "name": "show_it", "arguments": '{"n": 1.5}'}
    assert said(run(case, "openai", item).ok()) == {"type": "function_call_output", "call_id": "call_2", "output": "1.5|"}
    block = {"type": "tool_use", "id": "toolu_1", "name": "show-it", "input": arguments}
    assert said(run(case, "anthropic", block).ok()) == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "1.5|",
        "is_error": False,
    }
    part = {"functionCall": {"id": "f1", "name": "show_it", "args": {"list_of": [1]}}}
    assert said(run(case, "gemini", part).ok()) == {
        "functionResponse": {"id": "f1", "name": "show_it", "response": {"output": "--list-of|[1]|"}}
    }
    assert said(run(case, "gemini", {"name": "show_it"}).ok()) == {
        "functionResponse": {"name": "show_it", "response": {"output": "|"}}
    }


def test_where_the_call_is_read_from(case: Case) -> None:
    text = json.dumps(chat("show-it", {"n": 2}))
    case.file("call.json", text)
    outcomes = [case.run(["call", "--openai", text]), case.run("call --openai @call.json"), run(case, "openai", text)]
    assert {outcome.ok().stdout for outcome in outcomes} == {'{"role":"tool","tool_call_id":"call_1","content":"2|"}\n'}


@pytest.mark.parametrize("empty", ["", "{}", '{"n": null, "value": null, "list_of": null, "mount": null}'])
def test_null_and_nothing_are_left_out(case: Case, empty: str) -> None:
    assert said(run(case, "openai", chat("show-it", empty)).ok())["content"] == "|"


def test_what_strict_dialects_give_as_text_is_read(case: Case) -> None:
    for api, call in (
        ("openai", chat("show-it", {"value": '{"a": [1.50, "x"]}'})),
        ("gemini", {"name": "show_it", "args": {"value": '{"a": [1.50, "x"]}'}}),
    ):
        assert '--value|{"a":[1.5' in run(case, api, call).ok().stdout.replace('\\"', '"')
    block = {"type": "tool_use", "id": "t", "name": "show-it", "input": {"value": "[1]"}}
    assert said(run(case, "anthropic", block).ok())["content"] == '--value|"[1]"|'
    outcome = run(case, "openai", chat("show-it", {"value": "{"}))
    assert outcome.exit == 2
    assert "wants JSON text" in said(outcome)["content"]


def test_tuples_by_their_slot_names(case: Case) -> None:
    mount = [{"from": "a", "to_dir": "b", "mode": None}, {"from": "c", "to-dir": "d", "mode": "ro"}]
    assert said(run(case, "openai", chat("show-it", {"mount": mount})).ok())["content"] == "--mount|a:b|--mount|c:d:ro|"


def test_hidden_params_are_refused(case: Case) -> None:
    ended = run(case, "openai", chat("env", {"words": ["ls"]}))
    assert ended.exit == 2
    assert said(ended)["content"].startswith("`words` is no argument of `env` [E-UNKNOWN-KEY]")


def test_messages_name_params_as_json_does(case: Case) -> None:
    case.tool(
        "grouped",
        """
        description: G.
        effect: read
        exec: [echo, "{*}"]
        params: [{name: since}, {name: until}, {name: a, positional: true}, {name: b, positional: true}]
        groups: [{together: [since, until]}]
        """,
    )
    content = said(run(case, "openai", chat("grouped", {"since": "x", "b": "y"})))["content"]
    assert "all or none of `since` (given), `until` must be given" in content
    assert "`b` has a value while `a`, which stands before it, has none" in content


def test_errors_are_result_objects_with_the_exit_status_of_the_plain_call(case: Case) -> None:
    outcome = run(case, "anthropic", {"type": "tool_use", "id": "t", "name": "show-it", "input": {"m": 1, "n": "x"}})
    assert outcome.exit == 2
    found = said(outcome)
    assert found["is_error"] is True
    assert "`m` is no argument of `show-it` [E-UNKNOWN-KEY]" in found["content"]
    assert "`n` wants a number" in found["content"]
    assert "error[E-UNKNOWN-KEY]" in outcome.stderr
    outcome = run(case, "openai", chat("show-is", {}))
    assert (outcome.exit, "did you mean `show-it`?" in said(outcome)["content"]) == (2, True)
    outcome = run(case, "gemini", {"name": "show_it", "args": []})
    assert (outcome.exit, list(said(outcome)["functionResponse"]["response"])) == (2, ["error"])
    outcome = run(case, "openai", chat("show-it", "{,}"))
    assert (outcome.exit, "[E-JSON]" in said(outcome)["content"]) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        ({"status": 4, "said": "no\x1b[31m!"}, 4, "[exit status 4]\nno!\n[stdout]\n|"),
        ({"status": 3}, 3, "|"),
        ({"said": "careful"}, 0, "|\n[stderr]\ncareful"),
    ],
)
def test_a_tool_that_fails(case: Case, arguments: dict[str, Any], status: int, text: str) -> None:
    outcome = run(case, "anthropic", {"type": "tool_use", "id": "t", "name": "show-it", "input": arguments})
    assert outcome.exit == status
    assert said(outcome) == {"type": "tool_result", "tool_use_id": "t", "content": text, "is_error": status == 4}


def test_a_tool_that_cannot_run_or_takes_too_long(case: Case) -> None:
    case.tool("gone", "description: G.\neffect: read\nexec: [no-such-program-here]\n")
    case.tool("slow", "description: S.\neffect: read\nexec: [sleep, '60']\n")
    outcome = run(case, "openai", chat("gone", {}))
    assert (outcome.exit, "[E-NOT-FOUND]" in said(outcome)["content"]) == (127, True)
    outcome = run(case, "openai", chat("slow", {}), "--timeout", "50ms")
    assert (outcome.exit, "50ms" in said(outcome)["content"] or "0.05" in said(outcome)["content"]) == (124, True)


def test_long_output_is_cut(case: Case) -> None:
    case.tool("much", "description: M.\neffect: read\nexec: [sh, -c, 'yes | head -c 100000']\n")
    content = said(run(case, "openai", chat("much", {})).ok())["content"]
    assert len(content) < 40_100
    assert content.endswith("\n[60,000 more characters are cut]")


def test_a_dry_run_shows_what_would_run(case: Case) -> None:
    case.tool("echo-it", 'description: E.\neffect: read\nexec: [echo, "{x}"]\nparams: [{name: x, required: true}]\n')
    assert said(run(case, "openai", chat("echo-it", {"x": "a b"}), "--dry-run").ok())["content"] == "echo 'a b'\n"


@pytest.mark.parametrize(
    ("api", "text"),
    [
        ("openai", "[]"),
        ("openai", '{"type": "function_call", "name": "x"}'),
        ("openai", '{"id": "c", "function": {"arguments": "{}"}}'),
        ("anthropic", '{"id": "c", "name": "x", "input": {}}'),
        ("gemini", '{"functionCall": 3}'),
        ("anthropic", "{"),
    ],
)
def test_what_is_no_call_has_no_result_object(case: Case, api: str, text: str) -> None:
    outcome = run(case, api, text)
    assert (outcome.exit, outcome.stdout) == (2, "")
    assert "error[E-JSON]" in outcome.stderr


@pytest.mark.parametrize(
    "line", ["call --openai - show-it", "call --openai - --anthropic -", "call --json --gemini -", "call --exec --openai -"]
)
def test_what_does_not_go_together(case: Case, line: str) -> None:
    assert "error[E-GROUP]" in case.run(line, stdin="{}").stderr
