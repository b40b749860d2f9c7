"""grep beside GNU grep."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, UTF8, both_refuse, need, ours, quick, same, texts, theirs
from hypothesis import given, settings
from hypothesis import strategies as st

need("grep")
ATOMS = [
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "x",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "[[:alpha:]]",
    "[[:upper:]]",
    "\\.",
    "-",
    "_",
    "[a-c]",
    "o",
    " ",
    "4",
]
BASIC = [*ATOMS, "\\(ab\\)", "\\(a\\|b\\)", "\\(a\\|ab\\)", "\\(b*a\\)*", "\\(\\)"]
EXTENDED = [
    *ATOMS,
    "(ab)",
    "(a|b)",
    "(a|ab)",
    "(a|ab)(c|bcd)",
    "(b*a)*",
    "(a|aa)*",
    "()",
    "(|a)",
    "(foo|fo)o*",
    "(a|ab)(bar|r)?",
]
# Back-references have tests of their own: beside repeated groups the C library is known to answer wrongly.
PLACES = ["\\<", "\\>", "\\b", "^", "$"]  # GNU's answers for a repeated one, and for \\B, are its own
FLAGS = [
    [],
    ["-c"],
    ["-v"],
    ["-o"],
    ["-ob"],
    ["-w"],
    ["-x"],
    ["-i"],
    ["-io"],
    ["-wo"],
    ["-n"],
    ["-l"],
    ["-L"],
    ["-q"],
    ["-b"],
    ["-m1"],
    ["-A1"],
]
FLAGS += [
    ["-B1"],
    ["-C1"],
    ["-nC1"],
    ["-vA1"],
    ["-xo"],
    ["--color=always"],
    ["-H"],
    ["-h"],
    ["-z"],
    ["-zo"],
    ["-m2", "-A1"],
    ["-vo"],
    ["-nb"],
]
FLAGS += [["--color=always", "-nH"], ["-v", "--color=always", "-C1"], ["-ci"], ["-A0"], ["-a"]]
FILES = {
    "f": b"apple pie\nbanana\nApple tart\ncherry 42\na.b\naxb\n\nfoo_bar foo-bar\nabab aba\nabcd foobar\n",
    "g": b"banana split\nnothing\nab\nlast line ab",
    "empty": b"",
    "return": b"ab\r\nb\r\n",
    "patterns": b"ab\nfoo\n",
    "binary": b"abc\nab\0c\nab\n",
    "invalid": b"ab\nab\xff\nab\n",
    "dir/x.py": b"def ab\n",
    "dir/y.txt": b"ab\n",
    "dir/sub/z.py": b"ab x\n",
}
STDIN = "é ab\nÀb a日b\nab".encode()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("grep")
    for name, data in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    return top


def patterns(atoms: list[str], counts: list[str], bar: str) -> st.SearchStrategy[str]:
    repeated = st.builds(str.__add__, st.sampled_from(atoms), st.sampled_from(counts))
    sequence = st.lists(st.one_of(repeated, repeated, st.sampled_from(PLACES)), min_size=1, max_size=4).map("".join)
    return st.lists(sequence, min_size=1, max_size=2).map(bar.join)


basic = patterns(BASIC, ["", "", "*", "\\+", "\\?", "\\{2\\}", "\\{1,2\\}", "\\{,2\\}"], "\\|")
extended = patterns(EXTENDED, ["", "", "*", "+", "?", "{2}", "{1,2}", "{,2}"], "|")
inputs = st.lists(
    st.sampled_from([b"a", b"b", b"ab", b"c", b"foo", b" ", b"\n", b"A", b"x", b"-", b"bar", b"\xc3\xa9"]), max_size=25
).map(b"".join)


@settings(quick, max_examples=150)
@given(pattern=basic, data=inputs, flags=st.sampled_from(FLAGS), utf8=st.booleans())
def test_any_basic_pattern(pattern: str, data: bytes, flags: list[str], utf8: bool) -> None:
    same(["grep", *flags, "-e", pattern], data, env=UTF8 if utf8 else ENVIRONMENT)


@settings(quick, max_examples=150)
@given(pattern=extended, data=inputs, flags=st.sampled_from(FLAGS), utf8=st.booleans())
def test_any_extended_pattern(pattern: str, data: bytes, flags: list[str], utf8: bool) -> None:
    same(["grep", "-E", *flags, "-e", pattern], data, env=UTF8 if utf8 else ENVIRONMENT)


@quick
@given(
    data=texts,
    flags=st.sampled_from([[], ["-c"], ["-v"], ["-n"], ["-o"], ["-x"], ["-a"], ["-av"]]),
    pattern=st.sampled_from(["a", "x*", "^1", "b$"]),
)
def test_any_input(data: bytes, flags: list[str], pattern: str) -> None:
    # a NUL makes a file binary; where the reading stops then depends on the size of GNU's buffer
    same(["grep", *flags, pattern], data.replace(b"\0", b"") if "-a" not in flags[:1] else data)


@pytest.mark.parametrize(
    "pattern", ["(a*)\\1", "(ab)\\1", "(a)(b)\\2\\1", "^(.)(.).?\\2\\1$", "(.)\\1", "x(a|b)\\1*y", "(a|ab)(c)\\2"]
)
def test_back_references(pattern: str) -> None:
    data = b"abab\naabb\nabba\nabcba\nxaaay\nxaby\nabcc\n\nq\n"
    for flags in ([], ["-o"], ["-v"], ["-x"], ["-io"]):
        same(["grep", "-E", *flags, pattern], data)


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_files_of_all_kinds(flags: list[str], place: Path) -> None:
    for files in (["f"], ["f", "g"], ["return"], ["empty"], [], ["f", "nofile", "g"], ["binary"]):
        same(["grep", *flags, "ab*", *files], STDIN, cwd=place, env=UTF8)


@pytest.mark.parametrize(
    "words",
    [
        ["-F", "a.b", "f"],
        ["-F", "-x", "ab", "g"],
        ["-Fw", "ab", "f", "g"],
        ["-f", "patterns", "f"],
        ["-f", "empty", "f"],
        ["-f", "patterns", "-e", "pie", "f"],
        ["-e", "pie", "-e", "42", "f"],
        ["-ie", "PIE", "-e42", "--regexp=a.b", "--regexp", "axb", "f"],
        ["-ne=", "-ne42", "f"],
        ["--", "pie", "f"],
        ["-Fi", "APPLE", "f"],
        ["-Fo", "ab\nabab", "f"],
        ["ab\nfoo", "f"],
        ["ab", "dir"],
        ["-s", "ab", "nofile", "dir"],
        ["-d", "skip", "ab", "dir", "f"],
        ["-2", "cherry", "f"],
        ["--label=L", "-H", "ab", "-"],
        ["-m0", "ab", "f"],
        ["--group-separator=##", "-A1", "a", "f"],
        ["--no-group-separator", "-A0", "an", "f"],
        ["-q", "ab", "nofile", "g"],
        ["--exclude=f", "a", "f", "g"],
        ["--include=*.py", "ab", "dir/x.py", "f"],
        ["-Z", "-l", "ab", "f", "g"],
        ["-I", "ab", "binary", "g"],
        ["-a", "ab", "binary"],
        ["-c", "ab", "invalid"],
        ["ab", "invalid"],
        ["-i", "--no-ignore-case", "APPLE", "f"],
        ["[[=a=]][[.b.]]", "f"],
        ["[]a]", "f"],
        ["[^]a]", "f"],
        ["a**", "f"],
        ["\\(^a\\)", "f"],
        ["x^b\\|a$b", "f"],
        ["*a", "f"],
        ["", "f"],
        ["-w", "", "f"],
    ],
    ids=" ".join,
)
def test_options(words: list[str], place: Path) -> None:
    same(["grep", *words], b"ab\ncd\n", cwd=place, env=UTF8)


@pytest.mark.parametrize(
    "words",
    [
        ["-r", "ab", "."],
        ["-rh", "ab", "dir"],
        ["-rn", "--include=*.py", "ab"],
        ["-r", "--exclude-dir=sub", "ab", "dir"],
        ["-rc", "ab", "dir"],
        ["-r", "--exclude=*.txt", "ab", "dir"],
        ["-rL", "ab", "dir", "f"],
        ["-r", "ab", "dir/x.py"],
        ["-R", "ab", "dir", "f"],
    ],
    ids=" ".join,
)
def test_directories(words: list[str], place: Path) -> None:
    mine, other = ours(["grep", *words], cwd=place), theirs(["grep", *words], cwd=place)
    assert sorted(mine.stdout.splitlines()) == sorted(other.stdout.splitlines())  # ours go by name
    assert mine.status == other.status


@pytest.mark.parametrize(
    "pattern",
    [
        "[a",
        "\\(",
        "a\\)",
        "\\1",
        "[[:foo:]]",
        "[:space:]",
        "a\\",
        "[z-a]",
        "a\\{1",
        "a\\{2,1\\}",
        "a\\{x\\}",
        "[a-",
        "\\(a\\)\\2",
        "a\\{99999\\}",
    ],
)
def test_a_pattern_that_is_none(pattern: str) -> None:
    assert same(["grep", pattern], messages=True).status == 2


@pytest.mark.parametrize("words", [[], ["-A", "x", "a"]])
def test_what_is_refused(words: list[str]) -> None:
    if words[:1] == ["-P"]:
        assert ours(["grep", *words]).status == 2  # Perl's patterns are not supported here
    else:
        both_refuse(["grep", *words])


def test_no_pattern_takes_for_ever() -> None:
    start = time.process_time()
    for words in (["-E", "(a*)*b"], ["-E", "(a|aa)+$"], ["\\(\\(a\\|a\\)*\\)*b"], ["-oE", "(a|ab|abc)*d"]):
        ours(["grep", *words], b"a" * 3000 + b"!\n")
    assert time.process_time() - start < 60  # backtracking would take longer than the universe


def test_many_lines_and_long_lines() -> None:
    many = b"".join([b"line %d some text here\n" % number for number in range(40_000)])
    for words in (["9999"], ["-c", "text"], ["-v", "1"], ["-n", "999"], ["-E", ".*foo.*bar"], ["-w", "77"], ["-bo", "7[0-9]*9 "]):
        same(["grep", *words], many)
    for words in (["-o", "x*y"], ["-c", "a.*z"], ["-o", "a[^b]*c"], ["-oE", "(ab?)+c"]):
        same(["grep", *words], b"x" * 20_000 + b"y" + b"x" * 20_000 + b"ab" * 10_000 + b"c")
