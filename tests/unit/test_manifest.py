"""Manifest text → marked tree: places, scalars, and every rule of "YAML, strictly", with both of PyYAML's parsers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import yaml

from kernel import manifest, yaml_pure
from kernel.errors import KernelError, Place
from kernel.manifest import Node, read
from kernel.scalars import quoted

DEPTH = 32


@pytest.fixture(params=["libyaml", "pure"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "pure":
        monkeypatch.setattr(manifest, "_parser", yaml_pure.event_source)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")
    name: str = request.param
    return name


def tree(text: str | bytes) -> Node:
    return read(text.encode() if isinstance(text, str) else text, "/t/x.yaml")


def data(node: Node) -> Any:
    if node.kind == "map":
        return {key.text: data(value) for key, value in node.items}
    if node.kind == "list":
        return [data(item) for item in node.items]
    return node.value


def problems(text: str | bytes) -> list[tuple[int, int, int, str, str]]:
    """(line, column, width, message, hint) of all that is wrong."""
    with pytest.raises(KernelError) as caught:
        tree(text)
    out = []
    for problem in caught.value.problems:
        assert problem.code == "E-YAML"
        assert isinstance(problem.where, Place)
        assert problem.where.file == "/t/x.yaml"
        out.append((problem.where.line, problem.where.column, problem.where.width, problem.message, problem.hint))
    assert caught.value.status == 2
    return out


def test_the_tree() -> None:
    root = tree(
        "# a tool\ndescription: Say it.\nexec: [jq, \"{*}\", '{x}']\nparams:\n  - {name: a, min: -1, ratio: 1.5}\n  - name: b\n"
    )
    assert data(root) == {
        "description": "Say it.",
        "exec": ["jq", "{*}", "{x}"],
        "params": [{"name": "a", "min": -1, "ratio": 1.5}, {"name": "b"}],
    }
    assert (root.kind, root.line, root.column, root.text, root.value, root.plain) == ("map", 2, 1, "", None, False)
    key, items = root.items[1]
    assert (key.text, key.line, key.column, key.width) == ("exec", 3, 1, 4)
    assert (items.kind, items.line, items.column, items.width) == ("list", 3, 7, 18)
    assert [(item.column, item.width, item.plain) for item in items.items] == [(8, 2, True), (12, 5, False), (19, 5, False)]
    params = root.items[2][1]
    assert (params.line, params.column, params.width) == (5, 3, len("- {name: a, min: -1, ratio: 1.5}"))
    place = params.items[0].place()
    assert (str(place), place.text, place.width) == ("/t/x.yaml:5:5", "  - {name: a, min: -1, ratio: 1.5}", 30)


@pytest.mark.parametrize(
    ("written", "value", "sort", "own_text"),
    [
        ("text", "text", "text", True),
        ("two words", "two words", "text", True),
        ("'no'", "no", "text", True),
        ('"012"', "012", "text", True),
        ('""', "", "text", True),
        ("-n", "-n", "text", True),
        ("--null-input", "--null-input", "text", True),
        ("1.2.3", "1.2.3", "text", True),
        ("8080:80", "8080:80", "text", True),
        ("2024-01", "2024-01", "text", True),
        ("y", "y", "text", True),
        ("n", "n", "text", True),
        ("nan", "nan", "text", True),
        ("0", 0, "int", True),
        ("-7", -7, "int", True),
        ("12345678901234567890", 12345678901234567890, "int", True),
        ("+5", 5, "int", False),
        ("-0", 0, "int", False),
        ("1.5", 1.5, "float", True),
        ("-0.25", -0.25, "float", True),
        ("1.10", 1.1, "float", False),
        ("2.0", 2.0, "float", False),
        ("1e3", 1000.0, "float", False),
        (".5", 0.5, "float", False),
        ("5.", 5.0, "float", False),
        ("true", True, "bool", True),
        ("false", False, "bool", True),
        ("null", None, "null", False),
        ("~", None, "null", False),
        ("|\n  a\n  b", "a\nb\n", "text", True),
        (">-\n  a\n  b", "a b", "text", True),
        (r'"\x1b\u202e\t"', "\x1b\u202e\t", "text", True),
    ],
)
def test_scalars(written: str, value: object, sort: str, own_text: bool) -> None:
    node = tree(f"k: {written}\n").items[0][1]
    assert (node.value, node.sort, node.own_text) == (value, sort, own_text)
    assert type(node.value) is type(value)


@pytest.mark.parametrize(
    "written",
    "yes Yes YES no No NO on On ON off Off OFF True TRUE False FALSE Null NULL 012 -012 00 01.5 1_000 1_0.5 0x1f 0X1F 0o17 0b11 "
    "1:30 190:20:30 1:30.5 22:22 2024-01-02 2024-1-2 2024-01-02T10:00:00Z .inf -.inf +.Inf .nan .NaN = 08".split(),
)
@pytest.mark.parametrize(
    ("form", "line", "column"), [("k: {}\n", 1, 4), ("k:\n  - {}\n", 2, 5), ("k: [a, {}]\n", 1, 8), ("{}: v\n", 1, 1)]
)
def test_scalars_that_yaml_readers_do_not_share(written: str, form: str, line: int, column: int) -> None:
    found = problems(form.format(written))
    assert found[0][:3] == (line, column, len(written))
    assert found[0][3] == f"`{written}` without quotes means different things to different YAML readers"
    assert f'write "{written}" for the text' in found[0][4]
    assert len(found) == 1
    assert data(tree(form.format(f'"{written}"'))) is not None


def test_what_a_word_may_have_meant() -> None:
    assert [hint for *_, hint in problems("a: NO\nb: On\nc: Null\n")] == [
        'write "NO" for the text, or `false`',
        'write "On" for the text, or `true`',
        'write "Null" for the text, or `null`',
    ]


def test_a_timestamp_with_blanks() -> None:
    assert problems("k: 2024-01-02 10:00:00.5 +01:00\n")[0][:3] == (1, 4, 28)
    assert tree("k: 2024-01-02 was a Tuesday\n").items[0][1].text == "2024-01-02 was a Tuesday"


def test_numbers_out_of_reach() -> None:
    found = problems(f"a: 1e999\nb: {'9' * 4301}\nc: {'9' * 4300}\n")
    assert [message for *_, message, _ in found] == ["the number `1e999` is too large", "a whole number has more than 4,300 digits"]


@pytest.mark.parametrize(
    ("text", "line", "column", "width", "message"),
    [
        ("a: 1\na: 2\n", 2, 1, 1, "the key `a` is given twice"),
        ("a: 1\nb:\n  c: 1\n  'c': 2\n", 4, 3, 3, "the key `c` is given twice"),
        ("a: {1: x, '1': y}\n", 1, 11, 3, "the key `1` is given twice"),
        ("<<: {a: 1}\n", 1, 1, 2, "`<<` would merge another mapping"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", 2, 5, 2, "`<<` would merge another mapping"),
        ("a: !!str 1\n", 1, 4, 7, "the tag `tag:yaml.org,2002:str` stands in the manifest"),
        ("a: !x [1]\n", 1, 4, 4, "the tag `!x` stands in the manifest"),
        ("a: !!python/name:os.system ''\n", 1, 4, 26, "the tag `tag:yaml.org,2002:python/name:os.system` stands in the manifest"),
        ("!x a: 1\n", 1, 1, 4, "the tag `!x` stands in the manifest"),
        ("a: !h!x 1\n", 1, 4, 1, "a manifest has no YAML tags"),
        ("%YAML 1.2\n---\na: 1\n", 1, 1, 9, "a manifest has no YAML directives"),
        ("# c\n\n%TAG ! tag:x,2000:\n---\na: 1\n", 3, 1, 18, "a manifest has no YAML directives"),
        ("%NEW\n---\na: 1\n", 1, 1, 4, "a manifest has no YAML directives"),
        ("a: 1\n---\nb: 1\n", 2, 1, 3, "a second document begins in the manifest"),
        ("a: 1\n...\n---\nb: 1\n", 3, 1, 3, "a second document begins in the manifest"),
        ("a:\nb: 1\n", 1, 1, 1, "`a` has no value"),
        ("a: {b: , c: 1}\n", 1, 5, 1, "`b` has no value"),
        ("a: &x\n", 1, 1, 1, "`a` has no value"),
        ("a:\n  -\n  - b\n", 2, 4, 1, "a list item has no value"),
        ("exec: [jq, {x}]\n", 1, 13, 1, "`{x}` without quotes is a mapping"),
        ("exec:\n  - {file}\n", 2, 6, 4, "`{file}` without quotes is a mapping"),
        ("? [a]\n: 1\n", 1, 3, 3, "a list cannot be a key"),
        ("? {a: 1}\n: 1\n", 1, 3, 6, "a mapping cannot be a key"),
        ("a: {[b]: 1}\n", 1, 5, 3, "a list cannot be a key"),
        ("~: 1\n", 1, 1, 1, "null cannot be a key"),
        ("null: 1\n", 1, 1, 4, "null cannot be a key"),
        ("1.10: 1\n", 1, 1, 4, "the key `1.10` is written as a number"),
        ("a: *b\n", 1, 4, 2, "the alias `*b` names no anchor that stands before it"),
        ("a: &a [*a]\n", 1, 8, 2, "the alias `*a` stands inside what it names"),
        ("a: [{b: &c {d: *c}}]\n", 1, 16, 2, "the alias `*c` stands inside what it names"),
    ],
)
def test_refused(text: str, line: int, column: int, width: int, message: str) -> None:
    found = problems(text)
    assert found[0][:4] == (line, column, width, message)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: @x\n", 1, 4, "text cannot begin with `@`"),
        ("a: `x`\n", 1, 4, "text cannot begin with ```"),
        ("a: %x\n", 1, 4, "text cannot begin with `%`"),
        ("exec: [jq, {*}]\n", 1, 13, "text that begins with `*` needs quotes"),
        ("a: &\n", 1, 4, "text that begins with `&` needs quotes"),
        ("a: [1, 2\nb: 3\n", 1, 4, "`,` or `]` is missing in a list: the one that begins here goes on until line 2"),
        ("a: {b: 1\n", 1, 4, "`,` or `}` is missing in a mapping: the one that begins here goes on until line 2"),
        ("a: b: c\n", 1, 5, "`: ` begins a value where no key can stand"),
        ("a: 1\n  b: 2\n", 2, 4, "`: ` begins a value where no key can stand"),
        ("a: 'x\nb: 1\n", 1, 4, "a quote is never closed"),
        ('a: "x\n', 1, 4, "a quote is never closed"),
        ('a: "\\q"\n', 1, 5, "double quotes hold an unknown escape"),
        ("a:\n  b: 1\n c: 2\n", 3, 2, "this fits neither as a key nor as the end of the mapping"),
        ('a: "x" y\n', 1, 8, "this fits neither as a key nor as the end of the mapping"),
        ("- 1\na: 2\n", 2, 1, "this fits neither as a list item nor as the end of the list"),
        ("a: }\n", 1, 4, "a value is missing here"),
        ("a: -\n", 1, 4, "`- ` begins a list item where none can stand"),
        ("a: |x\n", 1, 5, "`|` and `>` take only `-`, `+` or a digit behind them"),
        (" a: 1\nb: 2\n", 2, 1, "something follows the end of the manifest"),
        ("[a, b]]\n", 1, 7, "something follows the end of the manifest"),
    ],
)
def test_what_is_no_yaml(text: str, line: int, column: int, message: str) -> None:
    found = problems(text)
    assert (found[0][0], found[0][1], found[0][3]) == (line, column, message)
    assert found[0][4]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\t", "a raw tab"),
        ("\x00", "\\x00"),
        ("\x1b", "\\x1b"),
        ("\x7f", "\\x7f"),
        ("\x85", "\\x85"),
        ("\x9b", "\\x9b"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
        ("\ufeff", "\\ufeff"),
        ("\uffff", "\\uffff"),
    ],
)
@pytest.mark.parametrize("form", ["a: b\nc: é{}d\n", "a: b\nc: 'é{}d'\n", "a: b\n# é {}\n", "a: |\n  é\n  {}\n"])
def test_raw_characters(raw: str, shown: str, form: str) -> None:
    text = form.format(raw)
    line = text.count("\n", 0, text.index(raw)) + 1
    column = text.index(raw) - text.rindex("\n", 0, text.index(raw))
    found = problems(text)
    assert found[0][:3] == (line, column, 1)
    assert shown in found[0][3]
    assert "double quotes" in found[0][4]


def test_one_raw_character_a_line_is_shown_up_to_twenty() -> None:
    found = problems("\ta:\t1\n" * 30)
    assert [line for line, *_ in found] == list(range(1, 21))


@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        (b"a: \xff\n", 1, 4, "the byte `\\xff` is not UTF-8"),
        (b"a: 1\nb: \xc3\xa9\xe9\n", 2, 5, "the byte `\\xe9` is not UTF-8"),
        (b"\xef\xbb\xbfa: \xff", 1, 4, "the byte `\\xff` is not UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, 1, "the byte `\\xff` is not UTF-8"),
        (b"a: \xed\xa0\x80\n", 1, 4, "the byte `\\xed` is not UTF-8"),
    ],
)
def test_what_is_not_utf8(content: bytes, line: int, column: int, message: str) -> None:
    assert problems(content) == [(line, column, 1, message, "save the file as UTF-8")]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only\n# comments\n", b"\xef\xbb\xbf", b"---\n", b"---\n...\n", b"   "])
def test_nothing(content: bytes) -> None:
    assert [message for *_, message, _ in problems(content)] == ["the manifest is empty"]


def test_a_byte_order_mark_is_dropped() -> None:
    node = tree(b"\xef\xbb\xbfa: 1\n")
    assert (data(node), node.column) == ({"a": 1}, 1)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_line_breaks(line_break: str) -> None:
    found = problems(line_break.join(["a: 1", "# c", "b: no", ""]))
    assert found[0][:2] == (3, 4)


def test_columns_are_characters() -> None:
    found = problems("k: [🦀é, no]\n")
    assert found[0][:3] == (1, 9, 2)


def test_keys_that_are_their_own_text() -> None:
    assert data(tree("{1: a, -5: b, true: c, false: d, 1.5: e, 'null': f, '': g}")) == {
        "1": "a",
        "-5": "b",
        "true": "c",
        "false": "d",
        "1.5": "e",
        "null": "f",
        "": "g",
    }


def test_independent_problems_come_together_in_the_order_of_the_file() -> None:
    found = problems("a: no\nb: {c: 1, c: 012}\nd:\na: !x y\n")
    assert [(line, column) for line, column, *_ in found] == [(1, 4), (2, 11), (2, 14), (3, 1), (4, 1), (4, 4)]


def test_problems_before_the_text_stops_being_yaml_are_kept() -> None:
    found = problems("a: no\nb: @x\n")
    assert [line for line, *_ in found] == [1, 2]


def test_aliases_share_a_node() -> None:
    root = tree("a: &x {b: [1, 2]}\nc: *x\nd: [*x, &y z, *y]\n")
    assert data(root) == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}, "d": [{"b": [1, 2]}, "z", "z"]}
    assert root.items[0][1] is root.items[1][1]


def test_depth() -> None:
    assert tree("[" * DEPTH + "a" + "]" * DEPTH).kind == "list"
    found = problems("[" * (DEPTH + 1) + "a" + "]" * (DEPTH + 1))
    assert found[0][:2] == (1, DEPTH + 1)
    assert found[0][3] == "the manifest is nested deeper than 32 levels"
    assert problems("\n".join([" " * level + "a:" for level in range(DEPTH + 1)]) + " 1")[0][:2] == (33, 33)


def test_depth_through_an_alias() -> None:
    half = DEPTH // 2
    inner = "[" * half + "x" + "]" * half
    fits = f"- &a {inner}\n- {'[' * (half - 1)}*a{']' * (half - 1)}\n"
    assert tree(fits).kind == "list"
    assert problems(f"- &a {inner}\n- {'[' * half}*a{']' * half}\n")[0][3] == "the manifest is nested deeper than 32 levels"


def test_what_aliases_repeat_is_limited() -> None:
    block = f"- &a [{', '.join(['x'] * 999)}]\n"  # 1,000 values with the list itself
    assert tree(block + "- *a\n" * 20).kind == "list"
    found = problems(block + "- *a\n" * 21)
    assert (found[0][0], found[0][3]) == (22, "aliases repeat more than 20,000 values")


def test_a_billion_laughs() -> None:
    names = "abcdefghij"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{name}: &{name} [{', '.join(['*' + before] * 9)}]" for before, name in pairwise(names)]
    assert problems("\n".join(lines))[0][3] == "aliases repeat more than 20,000 values"


def test_many_values_without_aliases_are_no_problem() -> None:
    assert len(tree("[" + "x, " * 30_000 + "x]").items) == 30_001


def test_size() -> None:
    limit = 1 << 20
    assert tree(b"a: 1\n" + b"#" * (limit - 5)).kind == "map"
    assert problems(b"a: 1\n" + b"#" * (limit - 4))[0][3] == "the manifest is larger than 1 MiB"


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "[" * MEGABYTE,
        "{" * MEGABYTE,
        "- " * (MEGABYTE // 2),
        "? " * (MEGABYTE // 2),
        "a: " * (MEGABYTE // 3),
        "[{" * (MEGABYTE // 2),
        "*" * MEGABYTE,
        "&a " * (MEGABYTE // 3),
        "!" * 100_000,
        ": " * (MEGABYTE // 2),
        ", " * (MEGABYTE // 2),
        "|" * MEGABYTE,
        'a: "' + "\\q" * (MEGABYTE // 3),
        "a: '" + "x" * 100_000,
        "\n".join([" " * level + "a:" for level in range(1400)]),
        "a: 1\n" * 50_000,
        "- no\n" * 50_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_text_is_an_error_soon(text: str) -> None:
    found = problems(text)
    assert 0 < len(found) <= 21


def test_problems_are_cut_off_at_twenty() -> None:
    assert len(problems("a: 1\n" * 100)) == 20


@pytest.mark.parametrize(
    ("text", "form"),
    [("no", '"no"'), ("it's", '"it\'s"'), ('a"b', "'a\"b'"), ("a\\b", "'a\\b'"), ("'\"\\", '"\'\\"\\\\"'), ("", '""')],
)
def test_quoted_forms_read_back(text: str, form: str) -> None:
    assert quoted(text) == form
    assert tree(f"k: {form}\n").items[0][1].text == text


def test_the_parsers_give_the_same_events(parser: str) -> None:
    if parser == "pure":
        text = "a: &x [1, {b: 'c'}]\nd: |\n  e\n\n  f\ng: *x\nh: \"i\\n\\\n  j\"\n? k\n: - l\n  - m: n # o\n"
        ours = _kinds(yaml_pure.event_source(text))
        assert ours == [(type(event), getattr(event, "value", None)) for event in yaml.parse(text, Loader=yaml.SafeLoader)]


def _kinds(next_event: Callable[[], Any]) -> list[tuple[type, str | None]]:
    out: list[tuple[type, str | None]] = []
    while not out or out[-1][0] is not yaml.StreamEndEvent:
        event = next_event()
        out.append((type(event), getattr(event, "value", None)))
    return out
