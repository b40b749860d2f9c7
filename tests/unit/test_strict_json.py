"""The strict JSON reader and writer: what is read, what is refused and where, exact numbers."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from kernel import strict_json
from kernel.strict_json import JsonError, Number, dumps, loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        (" \t\r\n true ", True),
        ("false", False),
        ('""', ""),
        ("[]", []),
        ("{}", {}),
        ('{"a": [1, {"b": null}], "c": "d"}', {"a": [1, {"b": None}], "c": "d"}),
        (r'"\"\\\/\b\f\n\r\t\u0041\u00E9"', '"\\/\b\f\n\r\tAé'),
        (r'"\ud83e\udd80"', "🦀"),
        (r'"\\ud801"', r"\ud801"),
        ('"\x7f\u2028 é🦀"', "\x7f\u2028 é🦀"),
        ("9007199254740993", 9007199254740993),
        ("-0", 0),
        ("1.5", 1.5),
        ("1E2", 100.0),
        ("1.10", 1.1),
        ("0.1", 0.1),
        ("1e400", Decimal("1e400")),
        ("123456789.123456789123", Decimal("123456789.123456789123")),
        ("1e-400", Decimal("1e-400")),
    ],
)
def test_reads(text: str, value: object) -> None:
    got = loads(text)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "the text ends where a value was expected", 1, 1),
        (" \n ", "the text ends where a value was expected", 2, 2),
        ("\ufeff{}", "the text begins with a byte order mark", 1, 1),
        ("1 2", "text follows the end of the JSON value: `2`", 1, 3),
        ("{}x", "text follows the end of the JSON value: `x`", 1, 3),
        ('{"a":1,"a":2}', "the key `a` is given twice", 1, 8),
        ('{"n":"a",\n "\\u006e":"b"}', "the key `n` is given twice", 2, 2),
        ('[{"a":{"b":1,"b":2}}]', "the key `b` is given twice", 1, 14),
        ("[1,]", "a comma stands before `]`", 1, 3),
        ('{"n":"a",}', "a comma stands before `}`", 1, 9),
        ("[,1]", "expected a value, found `,1]`", 1, 2),
        ("[1 2]", "expected `,` or `]`, found `2]`", 1, 4),
        ('{"a":1 "b":2}', 'expected `,` or `}`, found `"b":2}`', 1, 8),
        ('{"a" 1}', "expected `:` after the key, found `1}`", 1, 6),
        ("{1:2}", "expected a key in double quotes, found `1:2}`", 1, 2),
        ("{'a':1}", "expected a key in double quotes, found `'a':1}` (strings stand in double quotes)", 1, 2),
        ('{"a":1', "the text ends where `,` or `}` was expected", 1, 7),
        ("[", "the text ends where a value was expected", 1, 2),
        ("NaN", "`NaN` is not JSON", 1, 1),
        ('{"n":Infinity}', "`Infinity` is not JSON", 1, 6),
        ('{"n":-Infinity}', "`-Infinity` is not a JSON number", 1, 6),
        ('{"n":True}', "`True` is not JSON: write `true`", 1, 6),
        ("None", "`None` is not JSON: write `null`", 1, 1),
        ("tru", "`tru` is not JSON", 1, 1),
        ("1_000", "`1_000` is not a JSON number", 1, 1),
        ("2e", "`2e` is not a JSON number", 1, 1),
        ("01", "`01` is not a JSON number", 1, 1),
        ("-01", "`-01` is not a JSON number", 1, 1),
        ("+1", "`+1` is not a JSON number", 1, 1),
        (".5", "`.5` is not a JSON number", 1, 1),
        ("5.", "`5.` is not a JSON number", 1, 1),
        ("0x1f", "`0x1f` is not a JSON number", 1, 1),
        ("-", "`-` is not a JSON number", 1, 1),
        ("٣", "expected a value, found `٣`", 1, 1),
        ("\x00", "expected a value, found `\x00`", 1, 1),
        ("\u00a01", "expected a value, found `\u00a01`", 1, 1),
        ('"abc', "a string has no closing quote", 1, 1),
        ('"abc\\', "a string has no closing quote", 1, 1),
        ('"a\x07"', "a control character stands raw in a string: write it as `\\u0007`", 1, 3),
        ('"a\nb"', "a control character stands raw in a string: write it as `\\u000a`", 1, 3),
        (r'"\x41"', r"`\x` is no complete escape of a JSON string", 1, 2),
        (r'"é\u12"', r"`\u` is no complete escape of a JSON string", 1, 3),
        (r'"\u1_23"', r"`\u` is no complete escape of a JSON string", 1, 2),
        (r'{"n":"\ud801"}', r"`\ud801` is half of a surrogate pair", 1, 7),
        (r'"a\udc01"', r"`\udc01` is half of a surrogate pair", 1, 3),
        (r'"\ud801\ud802"', r"`\ud801` is half of a surrogate pair", 1, 2),
        (r'"\ud83e\udd80\uD801"', r"`\uD801` is half of a surrogate pair", 1, 14),
        ('{"\\ud801":1}', r"`\ud801` is half of a surrogate pair", 1, 3),
        ('["a\udcff"]', "a string holds a byte that is not UTF-8", 1, 4),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_refuses_with_the_place(text: str, message: str, line: int, column: int, exact: bool) -> None:
    with pytest.raises(JsonError) as caught:
        loads(text, exact=exact)
    assert (caught.value.message, caught.value.line, caught.value.column) == (message, line, column)
    assert str(caught.value) == f"{message} (line {line}, column {column})"


@pytest.mark.parametrize(
    ("opener", "closer", "width"),
    [("[", "]", 1), ('{"k":', "}", 5), ('[{"k":', "}]", 6)],
)
@pytest.mark.parametrize("exact", [False, True])
def test_depth(opener: str, closer: str, width: int, exact: bool) -> None:
    each = len(opener) - opener.count('"k":') * 4  # containers a repetition opens
    loads(opener * (96 // each) + "1" + closer * (96 // each), exact=exact)
    with pytest.raises(JsonError, match="nested deeper than 96 levels"):
        loads(opener * (96 // each) + "[1]" + closer * (96 // each), exact=exact)
    with pytest.raises(JsonError, match="nested deeper than 96 levels") as caught:
        loads(opener * 200_000, exact=exact)
    assert (caught.value.line, caught.value.column) == (1, 96 // each * width + 1)


def test_many_shallow_containers_are_not_deep() -> None:
    text = "[" + ",".join(['[{"a":[]}]'] * 500) + "]"
    assert loads(text) == [[{"a": []}]] * 500


def test_brackets_in_strings_are_not_nesting() -> None:
    assert loads('"' + "[{" * 1000 + '"') == "[{" * 1000


def test_a_full_stack_of_the_caller_is_no_recursion_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(text: str, at: int) -> tuple[object, int]:
        raise RecursionError

    monkeypatch.setattr(strict_json, "_scan_plain", scan)
    assert loads('[[{"a": [1, "b"]}]]') == [[{"a": [1, "b"]}]]


@pytest.mark.parametrize("text", ["1" * 4301, "-" + "1" * 4301, "[" + "9" * 100_000 + "]"])
def test_an_int_that_is_too_long(text: str) -> None:
    with pytest.raises(JsonError, match="a whole number of more than 4,300 digits cannot be read"):
        loads(text)
    assert loads(text, exact=True) is not None


def test_exponents_out_of_reach() -> None:
    with pytest.raises(JsonError, match="exponent that is too large"):
        loads("1e9999999999999999999999")
    number = loads("1e9999999999999999999999", exact=True)
    assert number.normalised() == "1e+9999999999999999999999"
    assert loads("1e-" + "9" * 3999, exact=True).normalised().startswith("1e-999")
    with pytest.raises(JsonError, match="exponent of more than 4,000 digits"):
        loads("[1e" + "9" * 4001 + "]", exact=True)


@pytest.mark.parametrize("limit", ["0", "640"])
def test_the_interpreters_own_limit_changes_nothing(limit: str) -> None:
    program = (
        "from kernel.strict_json import *\n"
        "assert len(dumps(loads('1' * 4300))) == 4300\n"
        "try: loads('1' * 4301)\n"
        "except JsonError as error: print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", f"int_max_str_digits={limit}", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "a whole number of more than 4,300 digits cannot be read\n"


@pytest.mark.parametrize(
    ("text", "number", "integer"),
    [
        ("4.50", "4.5", None),
        ("3.0", "3", "3"),
        ("25e1", "250", "250"),
        ("12.50e1", "125", "125"),
        ("-0.0", "0", "0"),
        ("-0", "0", "0"),
        ("0e99999999999999999999", "0", "0"),
        ("9007199254740993", "9007199254740993", "9007199254740993"),
        ("1005e-2", "10.05", None),
        ("1000e-2", "10", "10"),
        ("2.25", "2.25", None),
        ("-2.250", "-2.25", None),
        ("6.02e23", "6.02e+23", "602000000000000000000000"),
        ("999999999999999999999", "999999999999999999999", "999999999999999999999"),
        ("1e21", "1e+21", "1000000000000000000000"),
        ("1234567890123456789012", "1.234567890123456789012e+21", "1234567890123456789012"),
        ("123456789012345678901.5", "123456789012345678901.5", None),
        ("0.000001", "0.000001", None),
        ("1e-7", "1e-7", None),
        ("0.00000012", "1.2e-7", None),
        ("1e1000", "1e+1000", "1" + "0" * 1000),
        ("1e1001", "1e+1001", "1e+1001"),
        ("10e1000", "1e+1001", "1" + "0" * 1001),
        ("1.0e1001", "1e+1001", "1" + "0" * 1001),
        ("1e5000", "1e+5000", "1e+5000"),
        ("12e5000", "1.2e+5001", "1.2e+5001"),
    ],
)
def test_normalised(text: str, number: str, integer: str | None) -> None:
    read = loads(text, exact=True)
    assert read.text == text
    assert read.normalised() == number
    assert read.is_integer() is (integer is not None)
    if integer is not None:
        assert read.normalised("integer") == integer


def test_numbers_compare_by_value() -> None:
    assert Number("1.0") == Number("1") == Number("10e-1")
    assert Number("-0") == Number("0.00")
    assert Number("1") != Number("-1")
    assert len({Number("2.50"), Number("2.5"), Number("25e-1")}) == 1
    assert Number("1") != 1
    assert repr(Number("1.0")) == "Number('1.0')"


def test_plain_values_of_numbers() -> None:
    assert Number("5").plain() == 5
    assert Number("5.0").plain() == 5.0
    assert Number("1e999").plain() == Decimal("1e999")
    with pytest.raises(ValueError, match="more than 4,300 digits"):
        Number("1" * 4301).plain()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, True, None, False], "a": {}}, '{"b":[1,true,null,false],"a":{}}'),
        ((1, (), [[]]), "[1,[],[[]]]"),
        ('"\\\n\x00\x7f/é\u2028', '"\\"\\\\\\n\\u0000\x7f/é\u2028"'),
        ("a\udcffb\ud800", '"a\ufffdb\ufffd"'),
        (1.0, "1"),
        (2.5, "2.5"),
        (-0.0, "0"),
        (1e22, "1e+22"),
        (1e-7, "1e-7"),
        (10**25, "1" + "0" * 25),
        (Decimal("1.10"), "1.1"),
        (Decimal("1E+400"), "1e+400"),
        (Number("1234567890123456789012345"), "1234567890123456789012345"),
        (Number("2.50"), "2.5"),
    ],
)
def test_writes(value: object, text: str) -> None:
    assert dumps(value) == text


def test_ints_of_any_size_are_written() -> None:
    assert dumps(-(10**5000)) == "-1" + "0" * 5000
    assert dumps(loads("-" + "7" * 4300)) == "-" + "7" * 4300


def test_writes_numbers_as_they_were_written() -> None:
    text = '{"a":[1.50,1e3,-0,10000000000000000000000.0],"b":2}'
    assert dumps(loads(text, exact=True), as_written=True) == text
    assert dumps(loads("[1.50]", exact=True), indent=1, as_written=True) == "[\n 1.50\n]"


def test_writes_indented() -> None:
    assert dumps({"a": [1, {}], "b": {"c": []}}, indent=2) == '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": {\n    "c": []\n  }\n}'
    assert dumps([], indent=2) == "[]"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("-Infinity")])
def test_no_json_form(value: object) -> None:
    with pytest.raises(ValueError, match="has no JSON form"):
        dumps([value])


def test_what_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="a set has no JSON form"):
        dumps({"a": {1}})
    with pytest.raises(TypeError, match="key must be text, not int"):
        dumps({1: 2})
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(ValueError, match="holds itself"):
        dumps(cycle)
