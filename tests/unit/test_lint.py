"""What `kernel check` remarks on in manifests that load."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from kernel import manifest, schema
from kernel.errors import Place

HEAD = "description: D.\neffect: read\n"


def remarks(tmp_path: Path, text: str, head: str = HEAD) -> list[str]:
    file = tmp_path / "t.yaml"
    file.write_text(head + textwrap.dedent(text))
    spec = schema.compile_tool(manifest.read(file.read_bytes(), str(file)), file=str(file), base=str(tmp_path), name="t")
    lines = []
    for problem in schema.warnings(spec):
        where = problem.where
        assert problem.code == "W-MANIFEST" and problem.hint
        assert isinstance(where, Place) and where.file == str(file)
        marked = where.text[where.column - 1 : where.column - 1 + where.width]
        lines.append(f"{where.line}:{where.column} «{marked}» {problem.message}")
    return lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('exec: [x, "{*}"]\nparams: [{name: a}]', []),
        (
            'exec: [x, "{*}"]\nparams:\n  - {name: a, pattern: "(a+)+"}',
            [
                '5:5 «{name: a, pattern: "(a+)+"}» '
                "the pattern of `a` nests unbounded repeats, which is slow for clients that try one way after another"
            ],
        ),
        (
            'exec: [x, "{*}"]\nparams:\n  - {name: a, pattern: "(a|a)*b"}',
            [
                '5:5 «{name: a, pattern: "(a|a)*b"}» '
                "the pattern of `a` can match one text in many ways, which is slow for clients that try them all"
            ],
        ),
        (
            'exec: [x, "{*}"]\nparams: [{name: a, secret: argv}]',
            ["4:10 «{name: a, secret: argv}]» the secret `a` stands in the argv, which other users of the machine can see"],
        ),
        (
            "exec: [x]\nlimits: {output: 1MiB}",
            ["1:1 «description: D.» `limits.output` and `limits.spill` do not apply to attached calls (`kernel call`)"],
        ),
        (
            'exec: [x, "{*}"]\nparams: [{name: a, required: true}, {name: b}]\ngroups: [{exclusive: [a, b]}, {required: [a, b]}]',
            [
                "1:1 «description: D.» `a` is required, so nothing else of its `exclusive` group can be given",
                "1:1 «description: D.» the `required` group of `a` always holds, as that param is required",
            ],
        ),
        (
            'exec: [x, "{*}"]\nparams:\n  - {name: a, positional: true, required: true, repeatable: true}'
            "\n  - {name: b, positional: true}",
            ["6:5 «{name: b, positional: true}» no operand ever reaches the optional `b`: `a` before it takes all"],
        ),
    ],
)
def test_remarks(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert remarks(tmp_path, text) == expected


def test_a_description_and_an_effect_are_missed(tmp_path: Path) -> None:
    text = "exec: [git]\nsubcommands:\n  - {name: log, description: D.}\n"
    assert remarks(tmp_path, text, "") == [
        "1:1 «exec: [git]» `t` has no `description`",
        "1:1 «exec: [git]» `t` states no `effect`, so it counts as `write`",
        "3:5 «{name: log, description: D.}» `t log` states no `effect`, so it counts as `write`",
    ]


@pytest.mark.parametrize(
    ("exec", "marked"),
    [
        ('[x, "{a}"]', '"{a}"'),
        ('[x, lit, "{a}b"]', '"{a}b"'),
        ('[x, "{r*}", "{a}"]', '"{a}"'),
        ('[x, [-q, "{a}"]]', '[-q, "{a}"]'),
        ('[x, "--b={a}"]', ""),
        ('[x, --, "{a}"]', ""),
        ('[x, [--a, "{a}"]]', ""),
        ('[x, "{n}", "{c}", "{p}", "{d}"]', ""),
    ],
)
def test_items_that_a_value_may_make_an_option(tmp_path: Path, exec: str, marked: str) -> None:
    params = """
params:
  - {name: a, required: true}
  - {name: r, repeatable: true, allow_dash: true}
  - {name: n, type: int, required: true}
  - {name: c, choices: [-a, b], required: true}
  - {name: p, pattern: "[^-].*", required: true}
  - {name: d, allow_dash: true, required: true}
stdin: values
"""
    found = remarks(tmp_path, f"exec: {exec}{params}")
    assert [line.split("«")[1].split("»")[0] for line in found] == ([marked] if marked else [])


@pytest.mark.parametrize(
    ("exec", "hint"),
    [
        ('[x, "{a}"]', "put `--` before it if the program knows it, or say `allow_dash: true` on `a`"),
        (
            '[x, --grep, "{a}"]',
            "write `--grep={a}` as one item if it is the value of `--grep`, put `--` before it if it is an operand, "
            "or say `allow_dash: true` on `a`",
        ),
        (
            '[x, [-q, "{a}"]]',
            "write `-q{a}` as one item if it is the value of `-q`, put `--` before it if it is an operand, "
            "or say `allow_dash: true` on `a`",
        ),
        ('[x, --grep, "b{a}", "{a}"]', "put `--` before it if the program knows it, or say `allow_dash: true` on `a`"),
        ('[x, -name, "{a}"]', "put `--` before it if the program knows it, or say `allow_dash: true` on `a`"),
    ],
)
def test_the_way_out_tells_an_options_value_from_an_operand(tmp_path: Path, exec: str, hint: str) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(f"{HEAD}exec: {exec}\nparams: [{{name: a, required: true}}]\n")
    spec = schema.compile_tool(manifest.read(file.read_bytes(), str(file)), file=str(file), base=str(tmp_path), name="t")
    assert [problem.hint for problem in schema.warnings(spec)] == [hint]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", []), ("darwin", ["on macOS a timeout", "`limits.memory`"]), ("freebsd14", ["`limits.memory`"])],
)
def test_what_a_system_cannot_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, expected: list[str]) -> None:
    monkeypatch.setattr("sys.platform", platform)
    found = [line.split("» ")[1] for line in remarks(tmp_path, "exec: [x]\ntimeout: 5s\nlimits: {memory: 1GiB}")]
    assert len(found) == len(expected)
    assert all(line.startswith(start) for line, start in zip(found, expected, strict=True))


def test_a_tools_own_end_of_options_guards(tmp_path: Path) -> None:
    text = 'exec: [git, log, --end-of-options, "{a}"]\nend_of_options: --end-of-options\nparams: [{name: a, required: true}]'
    assert remarks(tmp_path, text) == []
