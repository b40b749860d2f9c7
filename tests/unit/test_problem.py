"""How a problem is drawn: carets by terminal columns, long lines, escapes, secrets."""

from __future__ import annotations

import pytest

from kernel.errors import KernelError, Place, Problem, WordPlace, fail
from kernel.present.printable import columns, printable, shortened, wrapped
from kernel.present.problem import describe, describe_all


def drawn(problem: Problem, words: list[str] | None = None, prefix: tuple[str, ...] = ("kernel", "call", "x")) -> list[str]:
    error = KernelError([problem])
    error.words, error.prefix = words, prefix
    return describe(error).splitlines()


def marked(lines: list[str]) -> str:
    """What stands above the carets of a call's line, where a character is a column."""
    line, carets = lines[1], lines[2]
    return line[carets.index("^") : carets.rindex("^") + 1]


@pytest.mark.parametrize(
    ("words", "place", "mark"),
    [
        (["a", "bb", "c"], WordPlace(1), "bb"),
        (["a", "--n=bad"], WordPlace(1, 4, 3), "bad"),
        (["a", "b c"], WordPlace(1), "'b c'"),
        (["a", "--n=b c"], WordPlace(1, 4, 3), "b c"),
        (["a", ""], WordPlace(1), "''"),
        (["a", "it's"], WordPlace(1, 2, 1), '"it\'s"'),
        (["a"] * 5000 + ["here"] + ["b"] * 5000, WordPlace(5000), "here"),
        (["x" * 100_000, "y"], WordPlace(1), "y"),
        (["x" * 5000 + "MARK" + "y" * 5000], WordPlace(0, 5000, 4), "MARK"),
    ],
)
def test_the_mark_stands_under_the_words(words: list[str], place: WordPlace, mark: str) -> None:
    lines = drawn(Problem("E-TYPE", "wrong", place), words)
    assert marked(lines) == mark
    assert len(lines[1]) < 120


def test_a_place_behind_the_last_word() -> None:
    lines = drawn(Problem("E-ARITY", "short", WordPlace(2)), ["a", "b"])
    assert lines[1:] == [" --> kernel call x a b ", " " * len(" --> kernel call x a b ") + "^"]


def test_wide_and_combining_characters() -> None:
    lines = drawn(Problem("E-TYPE", "wrong", WordPlace(2)), ["漢字", "e\u0301", "bad"])
    assert lines[2] == " " * (len(" --> kernel call x '") + 4 + len("' '") + 1 + len("' ")) + "^^^"


def test_places_in_files() -> None:
    place = Place("/nowhere/x.yaml", 7, 5, "  - {a: 漢}", 6)
    assert describe_all([Problem("E-MANIFEST", "wrong", place, "do this")]).splitlines() == [
        "error[E-MANIFEST]: wrong",
        " --> /nowhere/x.yaml:7:5",
        "7 |   - {a: 漢}",
        "  |     ^^^^^^^",
        "  hint: do this",
    ]
    long = Place("/x", 1, 5001, "y" * 5000 + "MARK" + "z" * 5000, 4)
    _, _, line, carets = describe_all([Problem("E-YAML", "wrong", long)]).splitlines()
    assert line[carets.index("^") :].startswith("MARK")
    assert len(line) < 120
    assert describe_all([Problem("E-YAML", "wrong", Place("/x", 1, 1, "", 1))]).splitlines()[1:] == [" --> /x:1:1"]


def test_facts_are_told_once() -> None:
    assert drawn(Problem("E-TYPE", "`n` wants a number, got `x`", wanted="a number", got="x")) == [
        "error[E-TYPE]: `n` wants a number, got `x`"
    ]
    assert drawn(Problem("E-TYPE", "`n` is wrong", wanted=["A", "B"], got="x"))[1:] == ["  wanted: A B", "  got: x"]
    assert drawn(Problem("E-TYPE", "`n` is wrong", got="s3cret", secret=True)) == ["error[E-TYPE]: `n` is wrong"]


def test_a_secret_word_is_stars() -> None:
    lines = drawn(Problem("E-TYPE", "wrong", WordPlace(1), secret=True), ["--token", "s3cret"])
    assert lines[1:] == [" --> kernel call x --token ***", " " * len(" --> kernel call x --token ") + "^^^"]


def test_hints_of_several_lines() -> None:
    assert drawn(Problem("E-FILE", "wrong", hint="one\ntwo"))[1:] == ["  hint: one", "        two"]


def test_long_values_are_cut_in_the_middle() -> None:
    (line,) = drawn(Problem("E-TYPE", f"`{'x' * 10_000}` is wrong, `short` is not"))
    assert len(line) < 200
    assert line.endswith("x` is wrong, `short` is not")
    assert "…" in line


@pytest.mark.parametrize(
    "text", ["\x1b[31m", "\u202e", "\x00", "\x7f", "\x9b", "\u2028", "\ufeff", "\U000e0041", "\r", "\n", "\udcff"]
)
def test_nothing_from_outside_reaches_the_terminal(text: str) -> None:
    problem = Problem("E-TYPE", f"`{text}`", WordPlace(0), f"`{text}`", got=f"{text}{text}")
    shown = "".join(drawn(problem, [text, text], ("kernel", text)))
    shown += describe(fail("E-YAML", text or "x", Place(f"/{text}", 1, 1, f"a{text}b", 3)))
    assert text[0] not in shown.replace("\n", "")


def test_colour_changes_nothing_but_colour() -> None:
    import re

    error = KernelError([Problem("E-TYPE", "wrong", WordPlace(0), "a hint"), Problem("E-FILE", "w", Place("/x", 1, 1, "ab", 1))])
    error.words = ["a"]
    coloured = describe(error, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == describe(error)


def test_printable() -> None:
    assert printable("plain ünïcode 漢 👩\u200d👧\u00a0x") == "plain ünïcode 漢 👩\u200d👧\u00a0x"
    assert printable("a\x1bb\tc\u202ed\U000e0041") == "a\\x1bb\\tc\\u202ed\\U000e0041"
    assert (columns("ab"), columns("漢a"), columns("e\u0301"), columns("")) == (2, 3, 1, 0)


def test_wrapping_and_shortening() -> None:
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("漢字 漢字", 6) == ["漢字", "漢字"]
    assert wrapped("a" * 20, 5) == ["a" * 20]
    assert wrapped("", 5) == [""]
    assert shortened("abcdefghij", 7) == "abcd…ij"
    assert shortened("abc", 7) == "abc"
