"""`… | map TOOL {}`: a tool once for each input."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_case import Case


@pytest.fixture
def case(tmp_path: Path) -> Case:
    made = Case(tmp_path)
    made.tool(
        "say",
        "effect: read\nexec: [./say, '{*}']\nparams: [{name: word, positional: true}, {name: times, type: int, aliases: [-t]}]\n",
    )
    made.script("say", 'for word; do printf "<%s>" "$word"; done; echo; [ "$1" != bad ]\n')
    made.tool("wreck", "effect: destructive\nexec: [./say, '{*}']\nparams: [{name: word, positional: true}]\n")
    return made


def test_once_for_each_line_in_order(case: Case) -> None:
    outcome = case.run("call map -j 3 say {}", stdin="one\n\ntwo words\nlast")
    assert (outcome.exit, outcome.stdout) == (0, "<one>\n<two words>\n<last>\n")


def test_the_item_stands_where_it_is_put_or_last(case: Case) -> None:
    assert case.run("call map say -t 1 a{}b", stdin="1\n").stdout == "<-t><1><a1b>\n"
    assert case.run("call map say", stdin="x\n").stdout == "<x>\n"


def test_other_inputs(case: Case) -> None:
    assert case.run("call map -0 say", stdin="a\nb\0c\0").stdout == "<a\nb>\n<c>\n"
    assert case.run("call map --json say", stdin='["a b", 1.50, {"k": null}]').stdout == '<a b>\n<1.5>\n<{"k":null}>\n'
    assert case.run("call map --json say", stdin='1\n"x"\n').stdout == "<1>\n<x>\n"
    refused = case.run("call map --json say", stdin="[1,]")
    assert (refused.exit, refused.stdout) == (1, "")


def test_failures_are_counted(case: Case) -> None:
    outcome = case.run("call map -j 2 say", stdin="bad\ngood\nbad\n")
    assert (outcome.exit, outcome.stdout) == (2, "<bad>\n<good>\n<bad>\n")
    assert "map: 'bad': status 1\n" in outcome.stderr
    assert "map: 2 of 3 runs failed\n" in outcome.stderr
    assert case.run("call map -j 1 --fail-fast say", stdin="bad\ngood\nbad\n").stdout == "<bad>\n"
    assert case.run("call map say", stdin="").exit == 0


def test_a_tool_that_must_be_confirmed_does_not_run(case: Case) -> None:
    outcome = case.run("call map wreck", stdin="x\n")
    assert (outcome.exit, outcome.stdout) == (1, "")
    assert "destructive" in outcome.stderr


def test_a_word_that_is_no_tool_is_a_program(case: Case) -> None:
    script = "printf '%s,' \"$@\"; cat"
    assert case.run(["call", "map", "sh", "-c", script, "x", "{}"], stdin="a\nb\n").stdout == "a,b,"
    assert case.run("call map none-such", stdin="a\n").exit == 1


def test_unordered_and_many(case: Case) -> None:
    outcome = case.run("call map -j 4 --unordered say", stdin="".join(f"{number}\n" for number in range(12)))
    assert sorted(outcome.stdout.split()) == sorted(f"<{number}>" for number in range(12))
