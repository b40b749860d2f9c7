"""grep -P beside GNU grep."""

from __future__ import annotations

import subprocess

import pytest
from gnu_case import ENVIRONMENT, UTF8, gnu_program, need, ours, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st

need("grep")
if subprocess.run([gnu_program("grep"), "-P", "a"], input=b"a", capture_output=True, check=False).returncode:
    pytest.skip("this grep was built without Perl patterns", allow_module_level=True)

TEXT = b"tab\there\nname=foo bar\n2024-01-02 x\nFOO foofoo\n\na.b*c [x]\nlast"
PATTERNS = [
    r"\d{4}",
    r"name=\Kfoo",
    r"^tab\t",
    r"(?<y>\d+)-(?:\d+)",
    r"(?<a>o)\k<a>",
    r"(o)\g{1}",
    r"\w+",
    r"(?i)name",
    r"(?i:foo) ",
    r"[[:alpha:]]+=",
    r"foo\h+bar",
    r"(?<==)\w+",
    r"(?<!f)oo",
    r"fo+?",
    r"fo++",
    r"(?>fo+)o",
    r"\Qa.b*c\E",
    r"\x66oo",
    r"\x{66}oo",
    r"[\]x[]",
    r"[]x]",
    r"[^\w\s]",
    r"\bfoo\b",
    r"a|b",
    r"\Aname",
    r"bar\z",
    r"\N+",
    r"(foo)?bar",
    r"\.",
    r"x(?=])",
    "",
]
ATOMS = ["a", "b", "ab", ".", "\\w", "\\d", "\\s", "\\S", "[ab]", "[^a]", "\\h", "(a|ab)", "(?:a|b)", "(?=a)", "\\b", "1", "-"]
patterns = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "", "?", "+?", "{1,2}"])).map("".join), min_size=1, max_size=4
).map("".join)


@pytest.mark.parametrize("flags", [["-o"], ["-n"], ["-c"], ["-w"], ["-x"], ["-i"], ["-v"], ["-ob"]], ids="".join)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(pattern: str, flags: list[str]) -> None:
    same(["grep", "-P", *flags, "-e", pattern], TEXT)


@quick
@given(patterns, texts, st.sampled_from([[], ["-o"], ["-v"], ["-w"], ["-i"]]))
def test_generated(pattern: str, text: bytes, flags: list[str]) -> None:
    same(["grep", "-aP", *flags, "-e", pattern], text)


@pytest.mark.parametrize(
    "pattern", [r"(?R)", r"\p{L}", r"(?|a|b)", r"a\Kb\Kc", r"(a\K)", r"\Gx", "(*FAIL)", "[[:nope:]]", "(", "[a", "\\"]
)
def test_what_is_not_supported_is_named(pattern: str) -> None:
    outcome = ours(["grep", "-P", pattern], TEXT, env=UTF8)
    assert (outcome.status, outcome.stdout) == (2, b"")
    assert outcome.stderr.startswith(b"grep: ")


def test_a_single_pattern_only() -> None:
    assert b"only supports a single pattern" in ours(["grep", "-P", "-e", "a", "-e", "b"], b"a\n", env=ENVIRONMENT).stderr
