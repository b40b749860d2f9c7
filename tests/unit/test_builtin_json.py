"""fromjson, tojson, keys and values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gnu_case import ours
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import strict_json

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(value=values)
def test_any_value_comes_back(value: object) -> None:
    found = ours(["fromjson"], json.dumps(value).encode())
    assert found.status == 0
    exact = strict_json.loads(json.dumps(value), exact=True)
    assert found.stdout == strict_json.dumps(exact, as_written=True).encode() + b"\n"


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(text: str) -> None:
    assert json.loads(ours(["tojson"], text.encode()).stdout) == text
    assert [json.loads(line) for line in ours(["tojson", "-l"], text.encode()).stdout.split(b"\n")[:-1]] == _lines(text)
    assert json.loads(ours(["tojson", "-a"], text.encode()).stdout) == _lines(text)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return parts if parts[-1] else parts[:-1]


@pytest.mark.parametrize(
    ("words", "stdin", "stdout"),
    [
        (["fromjson", "[1, 2.50]"], b"", b"[1,2.50]\n"),
        (["fromjson", "-i", "2", '{"a": [1]}'], b"", b'{\n  "a": [\n    1\n  ]\n}\n'),
        (["fromjson", "-r", '"a\\nb"'], b"", b"a\nb\n"),
        (["fromjson", "12345678901234567890.5"], b"", b"12345678901234567890.5\n"),
        (["tojson", "a b", ""], b"", b'"a b"\n""\n'),
        (["tojson", "-c"], b"a\n\n", b'"a\\n"\n'),
        (["tojson", "-a", "x"], b"", b'["x"]\n'),
        (["tojson", "-a"], b"", b"[]\n"),
        (["keys"], b'{"b": 1, "a b": 2}', b"b\na b\n"),
        (["keys", "-j"], b'{"b": 1}', b'"b"\n'),
        (["keys", "[7, 8]"], b"", b"0\n1\n"),
        (["keys", "-z", '{"a\\nb": 1}'], b"", b"a\nb\0"),
        (["values"], b'{"b": "x", "a": [1, {"c": null}]}', b'x\n[1,{"c":null}]\n'),
        (["values", "-j", '["x", 1]'], b"", b'"x"\n1\n'),
        (["values", "{}"], b"", b""),
    ],
)
def test_what_is_printed(words: list[str], stdin: bytes, stdout: bytes) -> None:
    assert ours(words, stdin) == (0, stdout, b"")


@pytest.mark.parametrize(
    ("words", "stdin", "status", "said"),
    [
        (["fromjson", "[1,"], b"", 1, b"fromjson: line 1, column 4: "),
        (["fromjson"], b'{"a": 1, "a": 2}', 1, b"fromjson: line 1, column 10: "),
        (["fromjson"], b"\xff", 1, b"fromjson: the input is not UTF-8: byte 1 is 0xff\n"),
        (["fromjson", "1", "-f", "x"], b"", 2, b"at most one of `TEXT` (given), `-f` (given)"),
        (["tojson", "-l"], b"a\n\xff\n", 1, b"tojson: line 2 is not UTF-8"),
        (["tojson", "-l", "x"], b"", 2, b"at most one of `TEXTS` (given), `-l` (given)"),
        (["tojson", "-la"], b"", 2, b"at most one"),
        (["keys", "1"], b"", 1, b"keys: a number has no keys"),
        (["values", '"x"'], b"", 1, b"values: a string has no values"),
        (["values", "null"], b"", 1, b"values: null has no values"),
        (["keys", "-f", "/no/such"], b"", 1, b"keys: /no/such: No such file or directory\n"),
    ],
)
def test_what_is_refused(words: list[str], stdin: bytes, status: int, said: bytes) -> None:
    found = ours(words, stdin)
    assert found.status == status
    assert found.stdout == b"" or words[1:] == ["-l"]
    assert said in found.stderr


def test_files(tmp_path: Path) -> None:
    (tmp_path / "f").write_text('{"a": 1}\n')
    assert ours(["keys", "-f", "f"], cwd=tmp_path).stdout == b"a\n"
    assert ours(["tojson", "-f", "f"], cwd=tmp_path).stdout == b'"{\\"a\\": 1}\\n"\n'
