"""A whole text is checked before anything of it runs (L2), and project manifests that hide something want consent (L5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell_case import ShellCase


@pytest.fixture
def case(tmp_path: Path) -> ShellCase:
    case = ShellCase(tmp_path)
    case.tool(
        "pack",
        """
        effect: read
        exec: [/bin/echo, "{*}"]
        params:
          - {name: level, type: int, min: 0, max: 9}
          - {name: format, choices: [tar, zip]}
          - {name: verbose, type: bool, aliases: [-v]}
          - {name: source, positional: true, required: true}
          - {name: target, positional: true}
        """,
    )
    return case


@pytest.mark.parametrize(
    "call",
    [
        "pack --nope a",
        "pack --level x a",
        "pack --level 12 a",
        "pack --format rar a",
        "pack",
        "pack a b c",
        "pack --nope $x",
        "pack --level ten $x",
        "pack --format=rar $x $y",
        "f() { pack --nope a; }",
        "if false; then pack --nope a; fi",
        "x=$(pack --nope a)",
        "echo ${x:-$(pack --nope a)}",
        "for i in 1; do pack a b c; done",
        "pack a | sort --nope",
        "[[ $(pack --nope a) == x ]]",
    ],
)
def test_an_error_that_no_value_could_cure_stops_the_text(case: ShellCase, call: str) -> None:
    outcome = case.line(f"echo before\n{call}")
    assert (outcome.exit, outcome.stdout) == (2, ""), f"\n{outcome}"
    assert "error[E-" in outcome.stderr


@pytest.mark.parametrize(
    "call",
    [
        "pack $x",
        'pack "$@"',
        "pack --level $x a",
        "pack --format=$x a",
        "pack $x $y $z",  # one may be `--`
        "pack $x --nope",  # `$x` may be `--`
        "pack $x b c",  # `$x` may be a flag
        "pack *.none",
        "pack ...$list",
        "pack {a,b}",
        "nosuchcommand-q7 --nope",
        "pack() { echo mine; }; pack --nope",
        "command pack --nope",
        "if false; then . ./none; pack --nope; fi",
    ],
)
def test_what_a_value_could_cure_is_left_until_it_is_reached(case: ShellCase, call: str) -> None:
    assert case.line(f"echo before\n{call}").stdout.startswith("before\n")


def test_the_error_shows_the_call_as_written(case: ShellCase) -> None:
    case.line("echo before; pack --nope $x").is_("""
        exit 2
        -- stderr
        error[E-UNKNOWN-FLAG]: `--nope` is no flag of `pack`
         --> pack --nope '$x'
                  ^^^^^^
          hint: `pack --help` lists its flags
    """)


def test_a_pipe_is_checked_command_by_command(case: ShellCase) -> None:
    outcome = case.run([], stdin="echo one\npack --nope a\necho two\nif true; then pack --nope a; fi\n")
    assert (outcome.exit, outcome.stdout) == (2, "one\ntwo\n")
    assert outcome.stderr.count("error[E-UNKNOWN-FLAG]") == 2


def test_a_project_manifest_that_hides_a_program_wants_consent(case: ShellCase) -> None:
    case.tool("id", "effect: read\nexec: [/bin/echo, project]\n")
    outcome = case.line("id")
    assert (outcome.exit, outcome.stdout) == (2, "")
    assert "DIR/tools.d/id.yaml" in outcome.stderr and "/id`" in outcome.stderr
    assert case.line("command id -u; id() { echo function; }; id").stdout.endswith("\nfunction\n")


def test_a_project_manifest_that_hides_a_shipped_tool_wants_consent(case: ShellCase) -> None:
    case.tool("seq", "replaces: seq\neffect: read\nexec: [/bin/echo, project]\n")
    outcome = case.line("seq 3")
    assert (outcome.exit, outcome.stdout) == (2, "")
    assert "tools.d/seq.yaml" in outcome.stderr


def test_a_copy_of_a_shipped_manifest_hides_nothing(case: ShellCase) -> None:
    shipped = Path(__file__).resolve().parents[2] / "tools.d" / "seq.yaml"
    case.file("tools.d/seq.yaml", shipped.read_text())
    case.line("seq 2 | tail -n 1").prints("2\n")
    case.file("tools.d/seq.yaml", shipped.read_text() + "# changed\n")
    assert case.line("seq 2").exit == 2


def test_a_tool_that_stands_for_its_program_says_how_to_run_it(case: ShellCase) -> None:
    for line in ("git commit", "git log --none", "jq --none ."):
        assert f"`command {line.split()[0]} …` is the program itself" in case.line(line).stderr
    assert "command" not in case.line("seq --none").stderr


def test_words_of_the_shell_cannot_be_replaced(case: ShellCase) -> None:
    case.tool("cd", "effect: read\nexec: [/bin/echo, project]\n")
    case.line("cd / && pwd").prints("/\n")
    assert case.line("alias cd=ls; cd /").stderr.startswith("error[E-TYPE]")
