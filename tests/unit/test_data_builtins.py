"""JSON Lines, YAML, CSV, tables and globs: what goes in and what comes out."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from pathlib import Path

import pytest
import yaml
from builtin_case import builtin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shipped import spec_of

from kernel import bind, check
from kernel.builtins import fromjsonl
from kernel.builtins.io import Io

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.text(max_size=8)
    | st.sampled_from(["no", "1.0", "~", "a: b", "- x", "#", " "])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=8
)


def out(name: str, text: str, *words: str, place: Path = Path("/")) -> str:
    answer = builtin(name, words, place, text.encode())
    assert answer.status == 0, answer
    return answer.stdout.decode()


def refused(name: str, text: str, *words: str) -> str:
    answer = builtin(name, words, Path("/"), text.encode())
    assert answer.status in (1, 2), answer
    return answer.stderr.decode()


def test_json_lines() -> None:
    assert out("fromjsonl", '1\n\n"x"\n[2]\n') == '[1,"x",[2]]\n'
    assert out("fromjsonl", "") == "[]\n"
    assert out("fromjsonl", "[1,\n2]\n") == "[1,2]\n"
    assert out("fromjsonl", "[1]\n[2]\n") == "[[1],[2]]\n"
    assert out("tojsonl", '[1.50, {"a": null}]') == '1.50\n{"a":null}\n'
    assert out("tojsonl", "[]") == ""
    assert "line 2, column 2" in refused("fromjsonl", "1\n{]\n")


def test_a_first_line_that_cannot_go_on_is_refused_without_the_rest() -> None:
    reader, writer = os.pipe()
    try:
        os.write(writer, b"\n y\n")  # and no end
        with tempfile.TemporaryFile() as err:
            bound = check.check(bind.bind(spec_of("fromjsonl"), []), {})
            assert fromjsonl.run(bound, Io("fromjsonl", {}, "/", lambda words: 0, reader, reader, err.fileno())) == 1
            err.seek(0)
            assert b"line 2, column 2: " in err.read()
    finally:
        os.close(reader)
        os.close(writer)
    assert "line 2, column 1" in refused("tojsonl", "[1\n2]")


@QUICK
@given(VALUES)
def test_yaml_round_trip(value: object) -> None:
    """What is written is read back, here and by PyYAML where it reads YAML 1.2."""
    text = out("toyaml", json.dumps(value))
    assert json.loads(out("fromyaml", text)) == value
    assert yaml.load(text, Loader=yaml.SafeLoader) == value


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: 1\nb: [x, 'y', \"z\"]\n", '{"a":1,"b":["x","y","z"]}'),
        ("- 0x1f\n- 0o17\n- 012\n- +5\n- -0\n- .5\n- 1.\n- 1e3\n- 1.50\n", "[31,15,12,5,0,0.5,1,1e3,1.50]"),
        ("- yes\n- true\n- ~\n- null\n-\n- ''\n", '["yes",true,null,null,null,""]'),
        ("&a [1]\n", "[1]"),
        ("x: &a {k: 1}\ny: *a\n", '{"x":{"k":1},"y":{"k":1}}'),
        ("a: |\n  one\n  two\nb: >\n  three\n  four\n", '{"a":"one\\ntwo\\n","b":"three four\\n"}'),
        ("!!str 12\n", '"12"'),
        ("2024-01-31\n", '"2024-01-31"'),
        ("1: a\ntrue: b\n", '{"1":"a","true":"b"}'),
        ("123456789012345678901234567890\n", "123456789012345678901234567890"),
        ("a\n---\nb\n", '"a"\n"b"'),
        ("", ""),
    ],
)
def test_yaml_is_read(text: str, wanted: str) -> None:
    assert out("fromyaml", text).rstrip("\n") == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "line 2, column 1: the key `a` is there twice"),
        ("a: [\n", "line 2, column 1"),
        ("a: .nan\n", "has no JSON form"),
        ("a: !x 1\n", "the tag `!x` has no JSON form"),
        ("? [1]\n: 2\n", "a key that is no scalar"),
        ("<<: {a: 1}\n", "merge keys"),
        ("*a\n", "alias"),
        ("[" * 200, "nested deeper"),
        (
            "a: &a [x, x]\nb: &b [*a, *a]\n"
            + "".join(f"{n}: &{n} [{', '.join([f'*{p}'] * 30)}]\n" for p, n in zip("bcdef", "cdefg")),
            "more than",
        ),
    ],
)
def test_yaml_is_refused(text: str, said: str) -> None:
    assert said in refused("fromyaml", text)


def test_csv_is_read() -> None:
    text = 'name,n\n"a, ""b""\nc",1\n\u2028x,2.50\n'
    assert json.loads(out("fromcsv", text)) == [{"name": 'a, "b"\nc', "n": "1"}, {"name": "\u2028x", "n": "2.50"}]
    assert out("fromcsv", "a,b\n1,\nx,007\n", "--numbers") == '[{"a":1,"b":null},{"a":"x","b":"007"}]\n'
    assert out("fromcsv", "\ufeffa\tb\r\n1\t2\r\n", "--tsv", "-l") == '{"a":"1","b":"2"}\n'
    assert out("fromcsv", "1;2\n3\n", "-n", "-d", ";") == '[["1","2"],["3"]]\n'
    assert out("fromcsv", "") == "[]\n"
    assert out("fromcsv", "a,b\n", "-l") == ""
    assert "row 2 has 1 cells" in refused("fromcsv", "a,b\n1\n")
    assert "twice" in refused("fromcsv", "a,a\n1,2\n")
    assert "line 2" in refused("fromcsv", 'a\n"x" y\n')
    assert "one character" in refused("fromcsv", "a\n", "-d", "::")


@QUICK
@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=5), min_size=2, max_size=2),
        max_size=4,
    )
)
def test_csv_round_trip(rows: list[list[str]]) -> None:
    text = out("tocsv", json.dumps(rows))
    assert list(csv.reader(io.StringIO(text))) == rows
    assert json.loads(out("fromcsv", text, "-n")) == rows


def test_csv_is_written() -> None:
    assert out("tocsv", '[{"a": 1.50, "b": null}, {"b": "x, y", "c": [1]}]') == 'a,b,c\n1.50,,\n,"x, y",[1]\n'
    assert out("tocsv", '{"a": 1, "b": 2}\n{"a": 3}\n', "-c", "b,a", "-n", "-t") == "2\t1\n\t3\n"
    assert "not both" in refused("tocsv", '[{"a": 1}, [2]]')


def test_tables() -> None:
    rows = '[{"name": "\u65e5\u672c", "n": 5}, {"name": "x\\ny", "n": 10.5}]'
    assert out("table", rows) == "name     n\n\u65e5\u672c     5\nx\\ny  10.5\n"
    assert out("table", rows, "-n", "-c", "n") == "   5\n10.5\n"
    assert out("table", '[["a", "b"], ["ccc"]]') == "a    b\nccc\n"
    assert out("table", "[]") == ""
    assert out("table", '[{"a": 1.0, "e": 1e400, "s": null}, {"e": 2}]') == "  a      e  s\n1.0  1e400\n         2\n"


@pytest.mark.parametrize(
    "text", ["[]\n", "[1, 2]", '{"a":\n1}\n', "plain [\n", "[1", "[{}]", "", " \n", '[{"a": 1}]\n[{"a": 2}]', "[\udcff]"]
)
def test_a_table_where_there_may_be_none(text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    answer = builtin("table", ["--maybe"], Path("/"), data)
    assert (answer.status, answer.stdout) == (0, data)
    assert out("table", ' [{"a": 1}, {"b": "x"}]', "--maybe") == "a  b\n1\n   x\n"


@pytest.mark.parametrize("name", ["table", "tocsv", "tojsonl", "fromjsonl", "fromjson", "keys", "values", "typeof", "toyaml"])
def test_what_is_no_json_is_told_the_way_to_it(name: str, tmp_path: Path) -> None:
    said = refused(name, "  PID COMMAND\n    1 init\n")
    assert said.startswith(f"{name}: line 1, column 3: `PID` is not JSON\n") and "`fromcsv`" in said
    assert "fromcsv" not in refused(name, '{"a": PID}')
    if name not in ("table", "tocsv", "tojsonl", "fromjsonl"):
        (tmp_path / "a b").touch()
        assert "`-f 'a b'` reads the file" in builtin(name, ["a b"], tmp_path).stderr.decode()
        assert builtin(name, ["none"], tmp_path).stderr.decode().count("\n") == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [("{}", "object"), ("[]", "array"), ('"x"', "string"), ("1.0", "number"), ("true", "boolean"), ("null", "null")],
)
def test_kinds(text: str, kind: str) -> None:
    assert out("typeof", text) == kind + "\n"
    assert out("typeof", "", text) == kind + "\n"


def test_globs(tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", ".hidden.md", "d/c.md", "d/s/e.md", "d/.git/f.md", "[x]"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("d")

    def found(*words: str) -> list[str]:
        return out("glob", "", *words, place=tmp_path).splitlines()

    assert found("*.md") == ["a.md"]
    assert found("**/*.md") == ["a.md", "d/c.md", "d/s/e.md"]
    assert found("-a", "**/*.md") == [".hidden.md", "a.md", "d/.git/f.md", "d/c.md", "d/s/e.md"]
    assert found(".*") == [".hidden.md"]
    assert found("*/") == ["d/", "link/"]
    assert found("[a-b].*", "?") == ["a.md", "b.txt", "d"]
    assert found("[[]x]", "\\[x]") == ["[x]", "[x]"]
    assert found("[!a]*.txt", "b.txt") == ["b.txt", "b.txt"]
    assert found(f"{tmp_path}/d/*.md") == [f"{tmp_path}/d/c.md"]
    assert found("--maybe", "*.none", "a*") == ["a.md"]
    answer = builtin("glob", ["*.none"], tmp_path)
    assert (answer.status, answer.stderr) == (1, b"glob: nothing matches '*.none'; `--maybe` allows that\n")
