"""sed against GNU sed: scripts, options, files, messages."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from builtin_case import Twins, as_here, builtin, plain, program
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

INPUTS = [
    b"",
    b"\n",
    b"pear\napple\nfig\napple\nBanana\ncherry\n",
    b"one\ntwo\nthree",
    b"foo bar baz\n  lead\ntrail  \n\n\t\x01x\\y\n",
    "naïve é\n日本語\n".encode() + b"\xff\xfebad\nend\xc3",
    b"a,b;c\nSTART\n1\n2\nEND\ny\n" + b"long " * 60 + b"\n",
]
SCRIPTS = """
p|d|1d|$d|$!d|2q|2q7|2Q|5q3|=|$=|n;d|N;P;D|$!N;s/\\n/+/|1!G;h;$!d|G|H;$!d;x;s/\\n/,/g|x;p;x|y/abc/xyz/|y/a\\/b/x\\n\\t/|s/a/A/
s/a/A/g|s/a/A/2|s/a/A/2g|s/a/X/p|s/a/X/gp;s/X/Y/|s/./&&/3|s/x*/-/g|s/b*/-/2|s/b*/-/2g|s/[aeiou]*/<&>/g|s/\\(.\\)\\(.\\)/\\2\\1/g
s/\\([a-z]*\\) *\\([a-z]*\\)/\\2 \\1/|s|/|-|g|s,a\\,b,X,|s/a\\|b/X/g|s/a\\{1,2\\}p*/X/g|s/p\\+/P/|s/^/> /|s/$/ </|s/^$/empty/
s/\\bb/X/g|s/\\</</g|s/\\w\\+/[&]/g|s/\\W/_/g|s/[[:upper:]]/u/g|s/[^a-c]/./g|s/[]a]/X/g|s/[\\n]/N/|s/[\\t]/T/g|s/\\t/T/
s/\\x61/Q/g|s/\\o141/Q/g|s/\\d097/Q/g|s/a/\\x26/|s/.*/\\U&/|s/.*/\\L&/|s/\\w\\+/\\u&/g|s/\\(\\w\\)\\(\\w*\\)/\\U\\1\\L\\2\\E!/g
s/a/\\ufoo\\Ubar\\Ebaz/|s/b/\\u\\LXY&/|s/b\\(x*\\)\\(.\\)/\\u\\1\\2/|s/\\(foo\\|bar\\) /<\\1>/g|s/\\(a\\|ab\\)\\(c\\
bcd\\)*/[\\1][\\2]/|s/a/b/I|s/A/b/Ig|s/b.*$/x/M|N;s/^./X/Mg|N;s/.$/X/Mg|N;s/\\`./X/Mg|N;N;s/a.*a/X/|s/é/E/g|s/./X/g
s/[^[:alnum:]]//g|/apple/d|/apple/!d|/APPLE/Id|/fig/,/cherry/d|/fig/,+1d|/fig/,~2d|2,4d|4,2d|2,/a/d|0,/apple/d|1,/apple/d
/pear/,3p|$!{N;N}|2!{s/a/Z/}|1~2d|0~3d|2~0d|2,${/a/d}|/^$/d|\\,a,d|\\cpcd|//d|/a/s//X/|/a/{s//Y/g;p}|s/zz/X/;s//Q/
/START/,/END/{//!d}|/START/,/END/c\\|changed|2c\\|two|$!c\\|x|a after|1a one\\|two|$a\\|end|i\\|before|2i\\  lead|1i\\|  kept
a\\ttab|a a\\tb|a\\|a\\tb\\|c|1{a foo|}|a foo;p|i\\|a\\\\b|l|l 5|l 1|l 20|n;n;s/./N/|$!n;s/^/n/|:a;s/^\\(\\t*\\)x/\\1y/;ta
:a;N;$!ba;s/\\n/ /g|:a;s/a/b/;ta|s/a/b/;Ta;s/b/c/;:a|b;d|bend;d;:end|/a/{bx};s/^/-/;:x|t;s/a/b/;t;s/b/c/|$!{h;d};x;G
z;s/^$/gone/|F|r side|$r side|2r none|R side|w out|/a/w out|s/a/b/w out|W out|1w /dev/stdout|#n|#n\\np|p # comment|p;;p|{p}
{p;{p}}|1{p};2{p}|/a/ , /b/ p|1 , 3 p|1!p|1 ! p|$ p|s/a/b/ ; s/b/c/|s/\\//x/g|s/a.c/X/;s/a*\\(b*\\)/[\\1]/
s/\\(.*\\)a\\(.*\\)/\\2-\\1/|s/\\(^\\|[^a]\\)a/\\1A/g|s/\\(a*\\)*/x/|s/\\(.\\)\\1/<\\1>/g|s/\\cA/CTRL/|s/a/\\n/|s/a/x\\|y/
s/[/]/x/|v 4.2|D|$!N;D|N;N;D|N;h;D|2{x;D}
2,~2d|2,~3p|0~2,~2d|1c\\a\\nb|2c\\x\\ny|a x\\ny\\n|i\\|\\n\\tz
""".strip("\n")
# a line that ends in a backslash goes on in the next one
CASES = [case.replace("\x00", "\\\n").replace("#n\\np", "#n\np") for case in SCRIPTS.replace("\\\n", "\x00").split("\n")]
CASES = [case + "\n}" if case == "1{a foo" else case for case in CASES if case != "}"]


def side(place: Path) -> None:
    (place / "side").write_text("side 1\nside 2")
    for number, text in enumerate(INPUTS):
        (place / f"f{number}").write_bytes(text)


# GNU steps over a character after an empty match byte by byte, and takes invalid bytes for letters: only ASCII for these
ASCII = re.compile(r"s/(x\*|b\*|\[aeiou\]\*|\\bb|\\<)/")


@pytest.mark.parametrize("options", [[], ["-n"], ["-z"]], ids=["plain", "quiet", "null"])
def test_scripts(tmp_path: Path, options: list[str]) -> None:
    """Every script on files one after another: outputs, messages and what `w` writes."""
    side(tmp_path)
    (tmp_path / "zero").write_bytes(b"a\x00b\n\x00\x00apple\nfig")
    differing = []
    for case in CASES:
        if "-z" in options and re.search("M|l|1w", case):
            continue  # lines within records
        words = ["f2", "f3", "f4", *([] if ASCII.match(case) else ["f5"]), "f6", *(["zero"] if "-z" in options else [])]
        answers, written = [], []
        for run in (program, builtin):
            answers.append(run("sed", [*options, "--", case, *words], tmp_path))
            out = tmp_path / "out"
            written.append(out.read_bytes() if out.exists() else b"")
            out.unlink(missing_ok=True)
        wanted, got = as_here(*answers), answers[1]
        if (got.status, got.stdout, plain(got.stderr)) != (wanted.status, wanted.stdout, plain(wanted.stderr)):
            differing.append((case, got, wanted))
        assert written[0] == written[1], case
    assert differing == []


EXTENDED = """
s/(a|b)+/X/g|s/(p)(p)?/[\\1\\2]/g|s/a{2}/X/|s/\\(/x/|s/^(.)(.*)$/\\2\\1/|s/[0-9]+\\.?/N/g|s/(foo|foo bar)( baz)?/[\\1|\\2]/
s/(a?)(ab)?/[\\1|\\2]/|s|a\\|b|X|g|s/()/x/g|s/a|^b|c$/X/g|s/(.)\\1/D/g|s/\\bf/F/;s/x?/y/2|/^(p|f)/!d|s/([^ ]+) +([^ ]+)/\\2 \\1/
s/a+b?c*|d/<&>/g|s/\\x28/P/g|s/(^|,)([a-z])/\\1\\u\\2/g
""".strip().split("\n")


def test_extended_expressions_and_separate_files(tmp_path: Path) -> None:
    twins = Twins(tmp_path, side)
    for script in EXTENDED:
        twins.compare("sed", ["-E", script, "f2", "f4", "f6"])
        twins.compare("sed", ["-nrs", f"1{{F}};{script};$p", "f2", "f3", "f6"])


LINES = [
    ["-e", "s/a/1/", "-e", "s/b/2/", "f2"],
    ["-n", "-e", "/a/p", "--expression=/b/p", "f2"],
    ["-ne", "p", "f2"],
    ["-f", "script", "f2"],
    ["-f", "script", "-e", "s/x/y/", "f2"],
    ["-e", "a\\", "-e", "text", "f2"],
    ["-e", "i\\", "-e", "  text", "f2"],
    ["-s", "-n", "$=", "f2", "f3"],
    ["-n", "$=", "f2", "f3"],
    ["-s", "1d", "f2", "f3"],
    ["1d", "f2", "f3"],
    ["-i", "1d", "f2", "f3"],
    ["-i.bak", "s/a/b/", "f2"],
    ["-ibk_*", "s/a/b/", "f2"],
    ["--in-place=.orig", "$d", "f2", "f3"],
    ["-n", "-i", "2p", "f2"],
    ["-i", "2q", "f2", "f3"],
    ["-i", "=", "f2"],
    ["-i", "w out", "f2"],
    ["-i", "1i\\\nfirst", "f3", "f1", "f0"],
    ["-i", "$a end", "f3"],
    ["-i", "d", "none", "f2"],
    ["-i", "d", "."],
    ["p", "none", "f2"],
    ["p", "."],
    ["-s", "N;N;N;N;s/\\n/,/g", "f2", "f3"],
    ["N;N;N;N;s/\\n/,/g", "f2", "f3"],
    ["-l", "10", "-n", "l", "f6"],
    ["-l", "1", "-n", "l", "f6"],
    ["-u", "2q", "f2"],
    ["--posix", "N", "f3"],
    ["--sandbox", "w out", "f2"],
    ["--sandbox", "p;r side", "f2"],
    ["--sandbox", "s/a/b/", "f2"],
    ["-z", "s/\\n/,/g", "f2"],
    ["-z", "$!d", "f6"],
    ["-n", "/a/,/b/{=;p}", "f2", "f2"],
    ["-s", "2,3d", "f2", "f2"],
    ["$!N;$!D", "f2"],
    ["r /dev/stdin", "f4"],
    ["R f2", "f3"],
    ["p", "-", "f3"],
    ["--quiet", "p", "f3"],
    ["--silent", "--regexp-extended", "s/(a)/b/p", "f2"],
]
BAD = """
a|k|s/a/b/k|s/a/b|s/a|s|{p|p}|p x|0p|0,3p|:|bx|2,|2,p|y/ab/c/|y/a/|y|s/\\(a/b/|s/a/\\1/|1!!p|1,2q|r|w|}|c|s/a/b/gg|s/a/b/pp
s/a/b/2 3|s/a/b/0|/a|\\|s/[/b/|s/a\\{1/b/|s/\\)/x/|1,p|//Ip|$!|!|1|p;k|1:a|,p|s/a/b/w|+1p|~1p|}}|{{p}|s/*/x/;s/\\(*/y/|x y|ba}
g g|=1|i|1{p|n2|y/a/b/x
"""


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_options(tmp_path: Path, words: list[str]) -> None:
    def place(root: Path) -> None:
        side(root)
        (root / "script").write_text("#n\ns/a/X/\n# comment\n/X/p\na\\\nx\n")
        (root / "f2").chmod(0o640)

    Twins(tmp_path, place).compare("sed", words, b"in 1\nin 2\n")


def test_bad_scripts(tmp_path: Path) -> None:
    """The messages and statuses are GNU's."""
    differing = []
    for script in [part for line in BAD.strip().split("\n") for part in line.split("|")]:
        wanted, got = [run("sed", ["--", script], tmp_path, b"a\nb\n") for run in (program, builtin)]
        wanted = as_here(wanted, got)
        if (got.status, got.stdout, plain(got.stderr)) != (wanted.status, wanted.stdout, plain(wanted.stderr)):
            differing.append((script, got, wanted))
    assert differing == []


def test_programs_are_never_run(tmp_path: Path) -> None:
    for script in ("e touch x", "1e", "s/a/touch x/e", "s/.*/touch x/ge"):
        assert builtin("sed", [script], tmp_path, b"a\n").status == 2
    assert list(tmp_path.iterdir()) == []


PIECES = [
    "a",
    "b",
    "ab",
    "*",
    ".",
    "\\(a\\)",
    "\\(b*\\)",
    "[ab]",
    "[^b]",
    "^",
    "$",
    "\\?",
    "\\+",
    "\\|",
    "\\{2\\}",
    "c",
    "\\1",
    "x*",
]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PIECES), max_size=5), st.sampled_from(["", "g", "2", "3g", "I"]), st.text("abcAB", max_size=8))
def test_generated_expressions(tmp_path: Path, pieces: list[str], flags: str, text: str) -> None:
    repeats = ("*", "\\?", "\\+", "\\{2\\}", "x*", "^", "\\|")
    assume(not any(first in repeats and second in repeats[:4] for first, second in itertools.pairwise(pieces)))
    script = f"s/{''.join(pieces)}/<&>/{flags}"
    wanted = program("sed", ["--", script], tmp_path, text.encode())
    got = builtin("sed", ["--", script], tmp_path, text.encode())
    wanted = as_here(wanted, got)
    assert (got.status, got.stdout) == (wanted.status, wanted.stdout), script


COMMANDS = [
    "p",
    "d",
    "D",
    "n",
    "N",
    "P",
    "h",
    "H",
    "g",
    "G",
    "x",
    "=",
    "s/a/b/",
    "s/b/\\n/",
    "s/\\n/-/g",
    "y/ab/ba/",
    "q",
    "l",
    "a\\\nT",
    "c\\\nC",
]
ADDRESSES = [
    "",
    "1",
    "2",
    "$",
    "/a/",
    "/b/I",
    "1,3",
    "2,/a/",
    "/a/,/b/",
    "/b/,2",
    "1~2",
    "0,/a/",
    "2,+1",
    "2,~2",
    "$!",
    "2,3!",
    "/a/!",
]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(st.sampled_from(ADDRESSES), st.sampled_from(COMMANDS)), min_size=1, max_size=5),
    st.lists(st.sampled_from(["a", "b", "ab", "", "B"]), max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_generated_scripts(tmp_path: Path, commands: list[tuple[str, str]], lines: list[str], ended: bool, quiet: bool) -> None:
    script = "\n".join(address + command for address, command in commands)
    text = "\n".join(lines).encode() + (b"\n" if ended and lines else b"")
    names = {command for _, command in commands}
    if "D" in names:  # which may begin again for ever: on a space that grows, or that is filled again from the hold space
        assume(not names & {"g", "G", "x"})
        script = "/^.\\{40\\}/q\n" + script
    words = [*(["-n"] if quiet else []), "--", script]
    wanted = program("sed", words, tmp_path, text)
    got = builtin("sed", words, tmp_path, text)
    wanted = as_here(wanted, got)
    assert (got.status, got.stdout) == (wanted.status, wanted.stdout), script


def test_stdin_is_left_behind_what_was_used(tmp_path: Path) -> None:
    """As the program does it, so that the next reader finds the rest."""
    import os

    from shipped import spec_of

    from kernel import bind, check
    from kernel.builtins import sed
    from kernel.builtins.io import Io

    (tmp_path / "f").write_bytes(b"1\n2\n3\n4\n")
    bound = check.check(bind.bind(spec_of("sed"), ["-n", "2q"]), {})
    with open(tmp_path / "f", "rb") as file:
        assert sed.run(bound, Io("sed", {}, str(tmp_path), len, file.fileno())) == 0
        assert os.read(file.fileno(), 9) == b"3\n4\n"


def test_all_pairs_of_groups_and_repeats(tmp_path: Path) -> None:
    """Groups within alternatives and repeats, each on several texts at once."""
    parts = ["(a|ab)", "(b*)", "(a?)", "(ab|a)*", "(c|bc)?", "(.)"]
    text = b"abc\naab\nabcbc\nb\n\nccab\n"
    for first, second in itertools.product(parts, parts):
        words = ["-E", f"s/{first}{second}/[&]/g"]
        assert builtin("sed", words, tmp_path, text) == program("sed", words, tmp_path, text), words


@pytest.mark.parametrize("script", ["a\\", "i\\", "c\\", "p;a\\", "2i\\", "$!N;c\\", "{a\\"])
def test_a_script_that_ends_behind_a_backslash(tmp_path: Path, script: str) -> None:
    side(tmp_path)
    wanted, got = [run("sed", [script, "f2"], tmp_path) for run in (program, builtin)]
    wanted = as_here(wanted, got)
    assert (got.status, got.stdout, plain(got.stderr)) == (wanted.status, wanted.stdout, plain(wanted.stderr))


def test_the_next_piece_is_the_text(tmp_path: Path) -> None:
    side(tmp_path)
    wanted, got = [run("sed", ["-e", "a\\", "-e", "  x\\", "-e", "y", "f2"], tmp_path) for run in (program, builtin)]
    assert got.stdout == wanted.stdout
