"""Argument templates: the seed's grammar, the further forms, and what they compile to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compiled import load
from hypothesis import given
from hypothesis import strategies as st

from kernel import template
from kernel.template import TemplateError, parse, pieces, placeholders

ROWS = [json.loads(line) for line in (Path(__file__).parent.parent / "corpus/schema/contract.jsonl").read_text().splitlines()]
PARAMS = """
params:
  - {name: one, required: true}
  - {name: maybe}
  - {name: fallback, default: d}
  - {name: flag, type: bool}
  - {name: often, count: true}
  - {name: many, repeatable: true}
  - {name: joined, repeatable: true, delimiter: ","}
  - {name: pair, consumes: [{name: KEY}, {name: VALUE}]}
  - {name: size, consumes: [{name: W}, {name: H}], repeatable: false}
  - {name: env, consumes: [{name: KEY}, {name: VALUE, optional: true}], split: "="}
  - {name: mode, choices: [red, plain], as: {red: [--color, red], plain: []}}
stdin: values
"""


def compiled(exec: str) -> tuple[object, ...]:
    return load(f"exec: [x, {exec}]{PARAMS}").exec


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "placeholder"], ids=lambda row: str(row["id"]))
def test_contract_rows(row: dict[str, dict[str, list[str]]]) -> None:
    text = str(row["input"]["template"])
    if "names" in row["expect"]:
        assert placeholders(text) == row["expect"]["names"]
    else:
        with pytest.raises(TemplateError):
            placeholders(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("plain", ("plain",)),
        ("{x}", (("x", -1),)),
        ("{{{x}}}", ("{", ("x", -1), "}")),
        ("{{{{}}}}", ("{{}}",)),
        ("a{x}b{y}{x}", ("a", ("x", -1), "b", ("y", -1), ("x", -1))),
        ("{0.a-b_}", (("0.a-b_", -1),)),
    ],
)
def test_pieces_of_the_seeds_grammar(text: str, expected: tuple[object, ...]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    "text", ["{x*}", "{?x}", "{!x}", "{*}", "{x[0]}", "{x", "x}", "{}", "{ x}", "{x}}", "{a b}", "{" + "n" * 129 + "}"]
)
def test_the_seeds_grammar_refuses_the_further_forms(text: str) -> None:
    with pytest.raises(TemplateError):
        pieces(text)


def test_a_name_has_at_most_128_characters() -> None:
    assert placeholders("{" + "n" * 128 + "}") == ["n" * 128]


@given(st.text(st.sampled_from("{}ab*?![]. "), max_size=12))
def test_any_text_is_read_or_refused_and_written_back(text: str) -> None:
    try:
        parts = parse(text)
    except TemplateError as error:
        assert 0 <= error.start <= len(text)
        assert error.start + error.width <= len(text)
        return
    written = "".join([part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else str(part) for part in parts])
    assert [str(part) for part in parse(written)] == [str(part) for part in parts]
    assert written == text


@pytest.mark.parametrize(
    ("exec", "expected"),
    [
        ('"--n={one}"', ("text", ("--n=", ("one", -1)))),
        ('"{fallback}"', ("text", (("fallback", -1),))),
        ('"{many*}"', ("splice", "many")),
        ('"{joined*}"', ("splice", "joined")),
        ('"{env*}"', ("splice", "env")),
        ('"{mode*}"', ("splice", "mode")),
        ('"{*}"', ("rest", 0)),
        ('[--maybe, "{maybe}"]', ("group", (("text", ("--maybe",)), ("text", (("maybe", -1),))), (), "")),
        ('[-x, "{?flag}"]', ("group", (("text", ("-x",)),), ((True, "flag"),), "")),
        ('[-x, "{!flag}"]', ("group", (("text", ("-x",)),), ((False, "flag"),), "")),
        ('[-v, "{?often}"]', ("group", (("text", ("-v",)),), ((True, "often"),), "often")),
        ('["--level={often}"]', ("group", (("text", ("--level=", ("often", -1))),), (), "often")),
        ('[-m, "{many}"]', ("group", (("text", ("-m",)), ("text", (("many", -1),))), (), "many")),
        ('[-m, "{many*}"]', ("group", (("text", ("-m",)), ("splice", "many")), (), "")),
        ('[has, "{?many}"]', ("group", (("text", ("has",)),), ((True, "many"),), "")),
        ('[-j, "{joined}"]', ("group", (("text", ("-j",)), ("text", (("joined", -1),))), (), "")),
        ('["{pair[KEY]}={pair[1]}"]', ("group", (("text", (("pair", 0), "=", ("pair", 1))),), (), "pair")),
        ('["{size[W]}x{size[H]}"]', ("group", (("text", (("size", 0), "x", ("size", 1))),), (), "")),
        ('[-e, "{env}"]', ("group", (("text", ("-e",)), ("text", (("env", -1),))), (), "env")),
        ('[-e, "{env}", "{many*}", "{maybe}"]', None),
    ],
)
def test_forms(exec: str, expected: tuple[object, ...] | None) -> None:
    item = compiled(exec)[0]
    if expected is None:
        assert isinstance(item, tuple) and item[3] == "env"
    else:
        assert item == expected


def test_the_text_of_an_alias_spliced_list_is_no_plain_text() -> None:
    from compiled import shown

    assert shown(f'exec: [x, ["{{mode}}"]]{PARAMS}') == [
        "1:13 «{mode}» `as` gives `mode` a list of words, which is no text | splice it: an item `{mode*}` of its own"
    ]


def test_the_level_of_a_rest_item() -> None:
    spec = load(
        """
        exec: [git, "{*}"]
        params: [{name: dir, aliases: [-C]}]
        subcommands:
          - {name: log, params: [{name: max, type: int}]}
        """
    )
    leaf = spec.child("log")
    assert leaf is not None
    assert leaf.exec == (("rest", 0), ("text", ("log",)), ("rest", 1))
    assert [(param.name, param.in_rest) for param in leaf.params] == [("dir", True), ("max", True)]


def test_nearest_names_ignore_case_and_dashes() -> None:
    assert template.nearest("Dry-Run", ["dry_run", "other"]) == ["dry_run"]
    assert template.nearest("zzz", ["dry_run"]) == []
