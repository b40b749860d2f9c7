"""printf beside GNU printf."""

from __future__ import annotations

import platform

import pytest
from gnu_case import ENVIRONMENT, UTF8, need, quick, same
from hypothesis import given
from hypothesis import strategies as st

need("printf")
NUMBERS = [
    "1",
    "-5",
    "0x1F",
    "017",
    "08",
    "x",
    " 7",
    "7 ",
    "'a",
    '"b',
    "99999999999999999999",
    "-99999999999999999999",
    "-1",
    "1.5",
    "+3",
]
FORMATS = [
    "%d",
    "%i",
    "%u",
    "%x",
    "%o",
    "%X",
    "%#x",
    "%#o",
    "%5d|",
    "%-5d|",
    "%05d|",
    "%+d",
    "% d",
    "%.3d",
    "%8.3d|",
    "%s",
    "%c",
    "%5s|",
]
FORMATS += ["%-5s|", "%.2s|", "%b", "%q", "%lld", "%hhd", "%.0d|", "%08.3d|"]
FLOATS = [
    "0",
    "1",
    "-1.5",
    "0.1",
    "1e-5",
    "99999.95",
    "1234567.891",
    ".5",
    "inf",
    "-nan",
    "1e300",
    "0x1.8p3",
    "123456789",
    "1e5000",
    "x",
]
FLOAT_FORMATS = [
    "%e",
    "%f",
    "%g",
    "%E",
    "%G",
    "%.0f",
    "%#.0f",
    "%.10g",
    "%#g",
    "%12.3e|",
    "%-12.3f|",
    "%012.3f|",
    "%+f",
    "% f",
    "%.20f",
    "%.0e",
]


@pytest.mark.parametrize("form", FORMATS)
def test_integers_and_strings(form: str) -> None:
    same(["printf", f"{form}\\n", *NUMBERS], messages=True)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="C's long double has other bits on other machines")
@pytest.mark.parametrize("form", [*FLOAT_FORMATS, "%a", "%.3a", "%A"])
def test_floats(form: str) -> None:
    same(["printf", f"{form}\\n", *FLOATS], messages=True)


@quick
@given(number=st.floats(allow_nan=False).map(repr), form=st.sampled_from(FLOAT_FORMATS))
@pytest.mark.skipif(platform.machine() != "x86_64", reason="C's long double has other bits on other machines")
def test_any_float(number: str, form: str) -> None:
    same(["printf", form, number])


@pytest.mark.parametrize(
    "words",
    [
        ["a\\nb"],
        ["%s %s\\n", "a", "b", "c"],
        ["%*d|", "5", "3"],
        ["%-*d|", "5", "3"],
        ["%*d|", "-5", "3"],
        ["%.*f|", "2", "3.14159"],
        ["%*.*f|", "8", "2", "3.14159"],
        ["\\x41\\101\\1\\e\\q\\\"\\'"],
        ["\\u0041"],
        ["\\cxx"],
        ["x\\u00e9\\u20ac\\U0001F600"],
        ["%b\\n", "a\\cb", "x"],
        ["%b\\n", "\\0101\\101\\x41\\08"],
        ["%q\\n", "it's", "a b", "", "a\nb", 'x"y', "a$b", "~x", "#", "a=b", "a'b\nc", "\n", "\nx", "\t", "plain"],
        ["%c%c", "ab", ""],
        ["%d %d\\n", "1"],
        ["%s|%b|%c|%f|"],
        ["--", "%s\\n", "x"],
        ["%d", "0777"],
        ["%%|%5c|", "x"],
        ["%"],
        ["%z"],
        ["%5%"],
        ["%y", "1"],
        ["%#d", "1"],
        ["%0s", "1"],
        ["%.3c", "x"],
        ["\\x"],
        ["\\u00"],
        ["\\uD800"],
    ],
)
@pytest.mark.parametrize("env", [ENVIRONMENT, UTF8], ids=["C", "UTF-8"])
def test_formats(words: list[str], env: dict[str, str]) -> None:
    same(["printf", *words], env=env)
