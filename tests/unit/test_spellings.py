"""How params are spelled (argv-grammar N1, N2, S2)."""

from __future__ import annotations

import pytest
from compiled import load, shown

from kernel import spellings


def spelled(params: str) -> dict[str, tuple[str, ...]]:
    spec = load(f'exec: [x, "{{*}}"]\nparams: [{params}]')
    return {param.name: param.spellings + param.negations for param in spec.params}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ("{name: dry_run}", ("--dry-run", "--dry_run")),
        ("{name: dry-run}", ("--dry-run", "--dry_run")),
        ("{name: a_b-c}", ("--a-b-c", "--a_b-c", "--a_b_c")),
        ("{name: _x_y}", ("--_x-y", "--_x_y")),
        ("{name: x}", ("--x", "-x")),
        ("{name: X}", ("--X", "-X")),
        ("{name: all, aliases: [-a, -all, --every, w, word, f_o]}", ("-a", "-all", "--every", "-w", "--word", "--f_o", "--all")),
        ("{name: file, positional: true}", ()),
        ("{name: file, positional: true, aliases: [f]}", ("-f", "--file")),
        ("{name: color, type: bool, negatable: true}", ("--color", "--no-color")),
        ("{name: c, type: bool, negatable: true, aliases: [--colour]}", ("--colour", "--c", "-c", "--no-colour", "--no-c")),
        ("{name: level, count: true, negatable: true}", ("--level", "--no-level")),
    ],
)
def test_what_a_param_answers_to(params: str, expected: tuple[str, ...]) -> None:
    assert next(iter(spelled(params).values())) == expected


def test_a_spelling_that_follows_from_a_name_gives_way_to_an_alias() -> None:
    assert spelled("{name: x}, {name: y, aliases: [-x]}") == {"x": ("--x",), "y": ("-x", "--y", "-y")}
    assert spelled("{name: color, type: bool, negatable: true}, {name: plain, aliases: [--no-color]}")["color"] == ("--color",)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("{name: a, aliases: [-x]}, {name: b, aliases: [x]}", "1:55 «[x]» `a` and `b` are both spelled `-x`"),
        (
            "{name: color, type: bool, negatable: true}, {name: no_color}",
            "1:61 «no_color» `color` and `no_color` are both spelled `--no-color`",
        ),
        ("{name: dry_run}, {name: dry-run}", "1:34 «dry-run» two params are called `dry_run`"),
        (
            "{name: b, type: bool, negatable: true, aliases: [--no-b]}",
            "1:10 «{name: b, type: bool, negatable: true, aliases: [--no-b]}» `b` is spelled `--no-b` both as itself and negated",
        ),
        (
            "{name: x}, {name: y, aliases: [-x, --x]}",
            "1:10 «{name: x}» `x` has no spelling left, as other params' aliases take all that follow from its name",
        ),
    ],
)
def test_clashes_name_both(params: str, message: str) -> None:
    assert [line.split(" | ")[0] for line in shown(f'params: [{params}]\nexec: [x, "{{*}}"]')] == [message]


def test_the_nearest_level_wins() -> None:
    spec = load(
        """
        exec: [git, "{*}"]
        params: [{name: dir, aliases: [-C]}, {name: color, type: bool, negatable: true}]
        subcommands:
          - {name: log, params: [{name: copies, type: bool, aliases: [-C]}, {name: no_color}]}
        """
    )
    leaf = spec.child("log")
    assert leaf is not None
    assert spec.spellings["-C"] == 0
    assert leaf.params[leaf.spellings["-C"]].name == "copies"
    assert leaf.params[leaf.spellings["--dir"]].name == "dir"
    assert leaf.params[leaf.spellings["--no-color"]].name == "no_color"
    assert "--no-color" not in leaf.negations
    assert spec.negations == {"--no-color": 1}


def test_a_declared_digit_is_seen() -> None:
    assert load('exec: [x, "{*}"]\nparams: [{name: one, type: bool, aliases: ["-1"]}]').digit_flags is True
    assert load('exec: [x, "{*}"]\nparams: [{name: one, type: bool, aliases: [-o1]}]').digit_flags is False


@pytest.mark.parametrize("alias", ["-", "--", "---x", "-a=b", "--a b", "-\u00a0", "-\x07"])
def test_what_cannot_be_a_spelling(alias: str) -> None:
    assert spellings.alias_fault(spellings.of_alias(alias)) != ""


def test_the_spellings_of_a_property() -> None:
    assert spellings.of_property("a_b") == ["--a_b", "--a-b"]
    assert spellings.of_property("7") == ["--7"]
    assert spellings.of_property("n") == ["--n", "-n"]
