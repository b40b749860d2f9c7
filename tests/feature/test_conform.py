"""`kernel conform`: the corpora pass, what differs is named, and what is no row is a failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case

from kernel import bind, conform

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
FILES = ["argv/agreed.jsonl", "argv/refused.jsonl", "schema/contract.jsonl", "run/process.jsonl", "own.jsonl"]

# Rows of `refused` that are refused here for another reason than the three parsers give: W4 makes `-9` an operand,
# V1 takes `=true`, V4 ends a value at `--`, and an error earlier in the line is told first.
OTHER_KIND = set("e0014 e0039 e0088 e0089 e0112 e0136 e0177 e0319 e0389 e0417 e0455 e0468".split())

CALL = {"id": "x", "params": [{"name": "jobs"}, {"name": "force", "type": "bool"}], "argv": ["--jobs", "--force"]}


@pytest.mark.parametrize("file", FILES)
def test_a_corpus(file: str) -> None:
    text = (CORPUS / file).read_text("utf-8")
    verdicts = list(conform.verdicts(text, file))
    assert len(verdicts) == text.count("\n")
    assert [(verdict.id, verdict.differences) for verdict in verdicts if verdict.differences] == []
    noted = {verdict.id for verdict in verdicts if verdict.notes}
    assert noted == (OTHER_KIND if file.endswith("refused.jsonl") else set())


def test_a_run_has_the_text_that_an_agent_reads() -> None:
    row = {"kind": "process", "input": {"argv": ["echo", "a"]}, "expect": {"isError": False, "content_text_0": "a\n"}}
    assert conform.judge(row).differences == []
    row["expect"] = {"isError": False, "content_text_0": "b"}
    assert len(conform.judge(row).differences) == 1


def test_jq_takes_no_program_behind_dashes_and_we_do() -> None:
    row = {"argv": ["--arg", "a", "1", "--"], "files": {}, "prefix": True, "jq": {"ok": False, "rc": 2, "message": "usage"}}
    verdict = conform.judge(row)
    assert (verdict.differences, verdict.notes) == ([], ["bound here, where jq takes no program behind `--` (W2)"])


def test_it_goes_through_the_binder(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**CALL, "expect": {"error": "missing_value"}}
    assert conform.judge(row).differences == []
    monkeypatch.setattr(bind, "spells_flag", lambda word, table: False)  # V4 is gone
    assert conform.judge(row).differences == ['accepted: wanted error missing_value, got {"jobs":"--force","force":false}']


@pytest.mark.parametrize(
    "row",
    [
        [],
        {"id": "x"},
        {**CALL, "expect": {}},
        {**CALL, "expect": {"something": 1}},
        {**CALL, "expect": {"named": {}}, "strange": 1},
        {**CALL, "arguments": {}, "expect": {"named": {}}},
        {**CALL, "manifest": {}, "expect": {"named": {}}},
        {"id": "x", "kind": "unheard-of", "input": {}, "expect": {}},
        {"id": "x", "kind": "placeholder", "input": {"template": "a", "more": 1}, "expect": {"names": []}},
        {"id": "x", "params": [{"name": "a", "type": "strange"}], "argv": [], "expect": {"named": {}}},
        {"id": "x", "argv": [], "files": {}, "jq": {"strange": 1}},
    ],
)
def test_what_is_no_row_fails(row: Any) -> None:
    assert conform.judge(row, "f:1").differences


@pytest.mark.parametrize(
    ("wanted", "got", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (True, True, True),
        ([1, "a"], [1, "a"], True),
        ([1], [1, 2], False),
        ({"a": None}, {"a": None}, True),
        ({"a": None}, {}, False),
        ("1", 1, False),
        (None, False, False),
    ],
)
def test_values_are_compared_as_json(wanted: Any, got: Any, equal: bool) -> None:
    assert conform.same(wanted, got) is equal


def test_the_command(tmp_path: Path) -> None:
    case = Case(tmp_path)
    good = {**CALL, "id": "good", "expect": {"error": "E-ARITY"}}
    kind = {**CALL, "id": "kind", "expect": {"error": "unknown_option"}}
    bad = {**CALL, "id": "bad", "argv": ["--jobs", "3"], "expect": {"named": {"jobs": "4"}, "positional": []}}
    case.file("a.jsonl", f"{json.dumps(good)}\n\n{json.dumps(kind)}\n")
    case.file("b.jsonl", f"{json.dumps(bad)}\nnot json\n")
    case.run("conform a.jsonl").is_(
        """
        exit 0
        -- stdout
        kind note: refused as missing_value, where others say unknown_option
        2 passed, 0 failed
        """
    )
    case.run("conform a.jsonl b.jsonl").is_(
        """
        exit 1
        -- stdout
        kind note: refused as missing_value, where others say unknown_option
        bad named: wanted {"jobs":"4"}, got {"jobs":"3"}
        b.jsonl:2 the row is no JSON: `not` is not JSON (column 1)
        2 passed, 2 failed
        """
    )


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    outcome = Case(tmp_path).run("conform missing.jsonl")
    assert "hint: give files of test vectors" in outcome.stderr
    assert outcome.exit == 2
    assert "`missing.jsonl` cannot be read" in outcome.stderr


@pytest.mark.parametrize(
    ("row", "difference"),
    [
        ({"x": 1}, "no form of row has `x`"),
        ([], "the row is no JSON object"),
        ({"id": "a", "params": []}, "the row has no `expect`, which its form needs"),
    ],
)
def test_what_is_no_row_is_told_without_the_names_of_python(row: Any, difference: str) -> None:
    assert conform.judge(row).differences == [difference]
