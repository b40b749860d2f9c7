"""diff against GNU diff: the forms, what is ignored, directories; the same changes on generated files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builtin_case import builtin, plain, program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernel import words as quoting

FILES: dict[str, bytes] = {
    "a": b"1\n2\n3\n4\n",
    "b": b"1\nx\n3\n4\n5\n",
    "c": b"1\n2\n3\n4\n",
    "none": b"",
    "open": b"1\n2\n3\n4",
    "twice": b"1\n2\n3\n4\n4",
    "blank": b"1\n\n2\n\n\n3\n4\n",
    "space": b"1 \n 2\n3\t\n4  x\n",
    "case": b"ABC\nx\n",
    "lower": b"abc\nX\n",
    "crlf": b"1\r\n2\r\n3\r\n4\r\n",
    "tabs": b"a\tb\n",
    "blanks": b"a       b\n",
    "binary": b"a\0b",
    "other": b"a\0c",
    "long": b"".join(b"line %d\n" % number for number in range(60)),
    "far": b"".join(b"line %d\n" % (number if number % 17 else -1) for number in range(62)),
    "sp ace": b"1\n\xff\n",
    "x/f": b"1\n",
    "y/f": b"2\n",
    "x/same": b"1\n",
    "y/same": b"1\n",
    "x/only": b"o\n",
    "y/new": b"n\n",
    "x/s/t": b"1\n",
    "y/s/t": b"1\n2\n",
    "x/kind/in": b"1\n",
    "y/kind": b"",
    "x/a b": b"1\n",
    "y/a b": b"2\n",
}
CASES = """
a b|a c|-s a c|a missing|-q a b|-q a c|-u a b|-U0 a b|-U 1 a b|-c a b|-C 1 a b|-C0 a b|a none|none a|-u a none|-u none a
-c none a|a open|-u open a|-c a open|open open|a blank|-B a blank|-u -B a blank|-B b blank|a space|-b a space|-w a space
-Z a space|-bB a space|-i case lower|case lower|--strip-trailing-cr a crlf|a crlf|-E tabs blanks|binary other|-a binary other
-q binary other|-u binary none|long far|-u long far|-c long far|-U1 long far|-C 0 long far|-u far long|-d long far|-I x a b
-I '^[x5]' a b|-u -I '^[25x]' a b|--label L --label R -u a b|--label L -c a b|x y|-r x y|-ru x y|-rq x y|-rs x y|-rN x y
-ruN x y|-r -x only -x 'n*' x y|x/f y|x y/f|a x|-N a missing|-N missing a|--unidirectional-new-file missing a
--unidirectional-new-file a missing|-r x x|-s a a|- a|-u - a|a 'sp ace'|-r 'x/s' y/s|--brief a b|--normal a b|-w a open
-b a open|-iw case lower|x missing|missing x|--unified=5 long far|--context=1 a b|-uw a space|-B none blank|-rN x missing
-b open twice|-b twice open|-w open twice|-i open twice|-r -s x y|-L 1 -L 2 -u a b
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("diff")
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
        os.utime(root / name, (10**9, 10**9 + 0.5))
    return root


def answer_of(run: object, words: list[str], place: Path) -> tuple[int, bytes, bytes]:
    assert callable(run)
    answer = run("diff", words, place, b"1\n2\n9\n")
    lines = answer.stdout.splitlines(keepends=True)
    return (
        answer.status,
        b"".join([line if not line.startswith((b"--- -\t", b"*** -\t")) else b"stdin\n" for line in lines]),
        plain(answer.stderr),
    )


def test_cases(place: Path) -> None:
    differing = []
    for line in [part for row in CASES.strip().split("\n") for part in row.split("|")]:
        words = [word.text for word in quoting.split(line)]
        wanted, got = [answer_of(run, words, place) for run in (program, builtin)]
        if got != wanted:
            differing.append((line, got, wanted))
    assert differing == []


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"}\n", b" a\n"]), max_size=24)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(LINES, LINES, st.sampled_from(["", "-u", "-U1", "-c", "-B", "-b", "-uB", "-d", "-w", "-U0"]), st.booleans())
def test_generated_files(place: Path, old: list[bytes], new: list[bytes], option: str, ended: bool) -> None:
    texts = [b"".join(old), b"".join(new)]
    if not ended:
        texts = [text.removesuffix(b"\n") for text in texts]
    words = ["--label", "old", "--label", "new", *option.split(), "one", "two"]
    for name, text in zip(("one", "two"), texts, strict=True):
        (place / name).write_bytes(text)
    assert answer_of(builtin, words, place) == answer_of(program, words, place)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.integers(0, 40), max_size=150),
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 6), st.integers(0, 6)), max_size=6),
)
def test_edited_files(place: Path, lines: list[int], edits: list[tuple[int, int, int]]) -> None:
    edited = list(lines)
    for at, deleted, inserted in edits:
        edited[at : at + deleted] = range(at, at + inserted)
    for name, numbers in (("one", lines), ("two", edited)):
        (place / name).write_bytes(b"".join(b"%d\n" % number for number in numbers))
    for words in (["one", "two"], ["-u", "--label=x", "--label=y", "one", "two"]):
        assert answer_of(builtin, words, place) == answer_of(program, words, place)


def test_what_only_the_program_can(place: Path) -> None:
    assert b"`--side-by-side` is not supported" in builtin("diff", ["-y", "a", "b"], place).stderr
