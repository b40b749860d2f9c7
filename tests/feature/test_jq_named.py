"""`kernel call jq`: the named and positional arguments that jq 1.6 was seen to bind, by the driver over libjq."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case, Outcome

CORPUS = Path(__file__).resolve().parent.parent / "corpus/jq/named.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in CORPUS.read_text().splitlines()]

# Rows on which the kernel differs from jq on purpose: `--arg=a 1` binds (argv-grammar V3); behind `--` the first
# operand is the filter, so `-- --arg …` is a filter that does not compile instead of a line without one.
BINDS = {"jq014", "jq015"}
OTHER_STATUS = {"jq093": 3}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    made = Case(tmp_path_factory.mktemp("jq"))
    (made.root / "bin").mkdir()
    made.env["PATH"] = str(made.root / "bin")  # no jq there, so the driver answers whatever is installed
    for name, content in ROWS[0]["files"].items():
        made.file(name, content)
    return made


def call(case: Case, row: dict[str, Any]) -> Outcome:
    words = [*row["argv"], "$ARGS"] if row.get("prefix") else ["$ARGS", *row["argv"]]
    return case.run(["call", "jq", "-n", "-c", *words])


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_row(case: Case, row: dict[str, Any]) -> None:
    assert row["files"] == ROWS[0]["files"]
    wanted = row["jq"]
    outcome = call(case, row)
    if row["id"] in BINDS:
        assert json.loads(outcome.ok().stdout) == {"named": {"a": "1"}, "positional": []}
    elif wanted["ok"] is None:
        assert outcome.stdout == wanted["stdout"], outcome
    elif wanted["ok"]:
        assert json.loads(outcome.ok().stdout) == {"named": wanted["named"], "positional": wanted["positional"]}
    else:
        assert outcome.exit == OTHER_STATUS.get(row["id"], wanted["rc"]), outcome
        assert (outcome.stdout, bool(outcome.stderr)) == ("", True)


def test_the_order_of_what_is_typed_is_kept(case: Case) -> None:
    line = ["call", "jq", "-nc", "$ARGS", "--args", "a", "--jsonargs", "1", "--args", "b", "-c", "--tab", "-c"]
    assert json.loads(case.run(line).ok().stdout)["positional"] == ["a", 1, "b"]


def test_words_that_a_dash_begins_are_operands_behind_the_separator(case: Case) -> None:
    outcome = case.run(["call", "jq", "-nc", "$ARGS.positional", "--args", "--", "-x", "--arg", "--"])
    assert json.loads(outcome.ok().stdout) == ["-x", "--arg", "--"]


def test_values_by_json(case: Case) -> None:
    arguments = {"filter": "-1, $ARGS.named, .", "null_input": True, "compact_output": True, "arg": [["a", "--arg"]]}
    outcome = case.run(["call", "--args-json", json.dumps(arguments), "jq"])
    assert outcome.ok().stdout == '-1\n{"a":"--arg"}\nnull\n'
    arguments = {"filter": ".a", "files": ["one.json"]}
    assert case.run(["call", "--args-json", json.dumps(arguments), "jq"]).ok().stdout == "1\n"


@pytest.mark.parametrize(
    ("words", "stdin", "status", "stdout"),
    [
        (["."], '{"a":100000000000000000001}', 0, '{\n  "a": 100000000000000000001\n}\n'),
        (["-e", ".a"], '{"a":null}', 1, "null\n"),
        (["-e", "empty"], "1", 4, ""),
        ([".a"], "[1]", 5, ""),
        ([".a.["], "1", 3, ""),
        ([".", "missing.json"], "", 2, ""),
        (['"bye"|halt_error(7)'], "1", 7, ""),
        (["-c", "[., input]"], "1 2", 0, "[1,2]\n"),
        (["--unknown", "."], "1", 2, ""),
        (["--indent", "9", "."], "1", 2, ""),
    ],
)
def test_statuses_and_outputs(case: Case, words: list[str], stdin: str, status: int, stdout: str) -> None:
    outcome = case.run(["call", "jq", *words], stdin=stdin)
    assert (outcome.exit, outcome.stdout) == (status, stdout)
    assert bool(outcome.stderr) == (status not in (0, 1, 4))


def test_a_captured_call(case: Case) -> None:
    result = case.run(["call", "--json", "jq", ".a", "one.json"]).ok().json()
    assert isinstance(result, dict)
    assert (result["exit_code"], result["stdout"]) == (0, "1\n")


def test_without_the_package_the_call_says_what_to_install(case: Case) -> None:
    outcome = case.run(["call", "jq", "."], env={"KERNEL_TEST": "1"})
    assert outcome.exit == 0
