"""Properties of what reads text: JSON, words, manifests."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernel import manifest, strict_json, yaml_pure
from kernel.errors import KernelError, Place
from kernel.strict_json import JsonError, Number
from kernel.words import join, quote, split

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12)
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
JSON_TEXT = st.lists(
    st.sampled_from(
        [
            *'{}[]:,"\\/ \n\t\x00\x1f0123456789-+.eEu',
            "true",
            "false",
            "null",
            "NaN",
            '"a"',
            '"b"',
            "\\ud83d",
            "\\ude00",
            "\\u0041",
            "1e5",
            "-0",
            "é",
            "\ud800",
            "\ufeff",
            "''",
        ]
    ),
    max_size=14,
).map("".join)
YAML_TEXT = st.lists(
    st.sampled_from(
        [
            *"abyn:-?,[]{}#&*!|>'\"%@`\n 0123~=.\\\t",
            "\n  ",
            "\n- ",
            ": ",
            " #",
            "---\n",
            "...\n",
            "no",
            "null",
            "<<",
            "&a ",
            "*a",
            "!!str ",
            "é",
            "\r\n",
            "\x85",
            "\ufeff",
            "a: ",
            "- ",
        ]
    ),
    max_size=16,
).map("".join)


def outcome(text: str, exact: bool) -> Any:
    try:
        return strict_json.loads(text, exact=exact)
    except JsonError as error:
        return (error.message, error.line, error.column)


def like(read: Any, value: Any) -> bool:
    """Whether a value was read back: a float's shortest text may be written as a whole number."""
    if isinstance(value, float):
        return float(read) == value
    if isinstance(value, list):
        return len(read) == len(value) and all(map(like, read, value))
    if isinstance(value, dict):
        return list(read) == list(value) and all(like(read[key], value[key]) for key in value)
    return type(read) is type(value) and bool(read == value)


@settings(deadline=None)
@given(VALUES)
def test_json_round_trip(value: Any) -> None:
    text = strict_json.dumps(value)
    assert like(strict_json.loads(text), value)
    assert like(json.loads(text), value)
    assert strict_json.dumps(strict_json.loads(text)) == text
    assert strict_json.loads(strict_json.dumps(value, indent=2)) == strict_json.loads(text)


@settings(deadline=None)
@given(JSON_TEXT)
@example('{"a":1,"a":2}')
@example('["\\ud83d\\ude00\\ud83d"]')
def test_the_quick_reader_and_the_exact_one_are_one(text: str) -> None:
    for exact in (False, True):
        try:
            slow = strict_json._Reader(text, exact, strict_json.MAX_DEPTH).read()
        except JsonError as error:
            slow = (error.message, error.line, error.column)
        fast = outcome(text, exact)
        assert fast == slow
        assert type(fast) is type(slow)


@settings(deadline=None)
@given(JSON_TEXT)
def test_nothing_is_read_that_python_refuses(text: str) -> None:
    value = outcome(text, exact=False)
    if not isinstance(value, tuple):
        assert strict_json.dumps(json.loads(text, parse_float=Decimal)) == strict_json.dumps(value)


@settings(deadline=None)
@given(NUMBERS)
def test_numbers_are_exact(text: str) -> None:
    exact = Decimal(text)
    number = strict_json.loads(text, exact=True)
    assert Decimal(number.normalised()) == exact
    assert number.is_integer() is (exact == 0 or exact % 1 == 0 if exact.adjusted() < 28 else number.is_integer())
    if number.is_integer():
        assert Decimal(number.normalised("integer")) == exact
    assert Number(number.normalised()) == number
    assert Number(number.normalised()).normalised() == number.normalised()
    assert Decimal(strict_json.dumps(strict_json.loads(text))) == exact
    assert strict_json.dumps(number) == strict_json.dumps(strict_json.loads(text))


@settings(deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]) | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF), max_size=10)
    )
)
def test_words_round_trip(words: list[str]) -> None:
    # Bytes that happen to be UTF-8 are text: a word from argv never holds them as bytes.
    words = [word.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") for word in words]
    line = join(words)
    read = split(line)
    assert [word.text for word in read] == words
    assert [line[word.start : word.end] for word in read] == [quote(word) for word in words]
    assert line.isprintable()


def tree(text: str, pure: bool, patch: pytest.MonkeyPatch) -> Any:
    with patch.context() as context:
        if pure:
            context.setattr(manifest, "_parser", yaml_pure.event_source)
        return data(manifest.read(text.encode("utf-8", "surrogatepass"), "f"))


def data(node: manifest.Node) -> Any:
    if node.kind == "map":
        return {key.text: data(value) for key, value in node.items}
    if node.kind == "list":
        return [data(item) for item in node.items]
    return node.value


@settings(deadline=None)
@given(VALUES)
def test_json_is_a_manifest_s_yaml(value: Any) -> None:
    text = json.dumps(value)
    if "\\ud" in text:  # YAML has no surrogate pairs
        return
    patch = pytest.MonkeyPatch()
    if len(text) > 900:  # YAML's keys are short
        return
    for pure in (False, True):
        read = tree(text, pure, patch)
        assert read == value
        assert type(read) is type(value)


@settings(deadline=None)
@given(YAML_TEXT)
def test_any_text_is_a_tree_or_problems_with_places(text: str) -> None:
    patch = pytest.MonkeyPatch()
    read: list[Any] = []
    for pure in (False, True):
        try:
            read.append(tree(text, pure, patch))
        except KernelError as error:
            read.append(None)
            for problem in error.problems:
                assert problem.code == "E-YAML"
                assert isinstance(problem.where, Place)
                lines = re.split(manifest._LINE_BREAK, text.removeprefix("\ufeff"))
                assert 1 <= problem.where.line <= len(lines) + 1
                assert problem.where.column >= 1
                assert problem.where.width >= 1
    if read[0] is not None and read[1] is not None:
        assert read[0] == read[1]


@settings(deadline=None)
@given(YAML_TEXT)
def test_what_is_read_is_what_yaml_says(text: str) -> None:
    try:
        read = tree(text, True, pytest.MonkeyPatch())
    except KernelError:
        return
    assert as_text(yaml.load(text, yaml.BaseLoader)) == as_text(read)


def as_text(value: Any) -> Any:
    """A value with scalars that are not text left out: the reference gives all of them as text."""
    if isinstance(value, dict):
        return {key: as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_text(item) for item in value]
    if (
        isinstance(value, str)
        and value not in ("true", "false", "null", "~")
        and not any(character.isdigit() for character in value)
    ):
        return value
    return ...
