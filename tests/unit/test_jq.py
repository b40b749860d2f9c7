"""The jq builtin: jq's own argv for a bound call, and the program without libjq."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kernel import bind, bind_json, check, manifest, render, schema
from kernel.bound import Bound
from kernel.builtins import jq, jq_library, jq_options, jq_program
from kernel.builtins.io import Io
from kernel.spec import ToolSpec

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def spec() -> ToolSpec:
    return shipped()


def shipped(changes: dict[str, str] | None = None) -> ToolSpec:
    """The shipped manifest's spec, some texts of the manifest replaced."""
    file = ROOT / "tools.d/jq.yaml"
    text = file.read_text()
    for old, new in (changes or {}).items():
        assert old in text
        text = text.replace(old, new)
    return schema.compile_tool(manifest.read(text.encode(), str(file)), file=str(file), base=str(ROOT), name="jq")


def checked(bound: Bound) -> list[str]:
    return jq.words(check.check(bound, {}))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (["-nc", "."], ["--null-input", "--compact-output", "."]),
        (["-c", ".", "a", "--tab", "-c"], ["--compact-output", ".", "a", "--tab", "--compact-output"]),
        (["--arg", "a", "1", "--arg", "a", "2", "."], ["--arg", "a", "1", "."]),
        (["--arg", "a", "--arg", "."], ["--arg", "a", "--arg", "."]),
        (
            ["-Ldir", "-L", "-n", ".", "--indent", "1", "--indent=2"],
            ["--library-path", "dir", "--library-path", "-n", ".", "--indent", "2"],
        ),
        (["--args", ".", "x", "--jsonargs", "1", "--args", "y"], ["--args", ".", "x", "--jsonargs", "1", "--args", "y"]),
        (["-n", "--", "-x", "--arg"], ["--null-input", "--", "-x", "--arg"]),
        (["-5", "-n", "-"], ["-5", "--null-input", "-"]),
        (["--null-input=false", "."], ["."]),
    ],
)
def test_words_of_a_typed_line(spec: ToolSpec, line: list[str], wanted: list[str]) -> None:
    assert checked(bind.bind(spec, line)) == wanted


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"filter": "."}, ["."]),
        ({"filter": "-1", "slurp": True, "raw_input": False}, [" -1", "--slurp"]),
        ({"filter": "-f.jq", "from_file": True}, ["./-f.jq", "--from-file"]),
        ({"filter": ".", "files": ["-x", "y"], "args": True}, [".", "--args", "--", "-x", "y"]),
        (
            {"filter": ".", "arg": [["a", "1"]], "argjson": [["b", {"c": [1.50]}]], "indent": 3},
            [".", "--indent", "3", "--arg", "a", "1", "--argjson", "b", '{"c":[1.5]}'],
        ),
    ],
)
def test_words_of_json_arguments(spec: ToolSpec, values: dict[str, Any], wanted: list[str]) -> None:
    assert checked(bind_json.bind_mapping(spec, values)) == wanted


def test_words_of_a_default_stand_before_what_is_typed() -> None:
    preset = shipped({"    required: true\n    description: The program": "    default: -1\n    description: The program"})
    assert checked(bind.bind(preset, ["-n"])) == [" -1", "--null-input"]


def test_numbers_past_a_double_become_the_largest() -> None:
    text = b'[1e1000,-1E999,1e308,"1e1000","\\"1e1000",12345678901234567890]'
    largest = b"1.7976931348623157e+308"
    assert jq_options.within_doubles(text) == text.replace(b"[1e1000", b"[" + largest).replace(b"-1E999", b"-" + largest)


def test_without_libjq_the_program_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jq_library, "installed_file", lambda: os.devnull)
    assert jq_program.run(["."]) == 127
    out, err = capfd.readouterr()
    assert out == ""
    assert "`/dev/null` holds no usable libjq" in err
    assert "install jq 1.7 or newer" in err


def test_what_only_the_program_can_do_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert jq_program.run(["--build-configuration"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("jq: `--build-configuration` is known to the program jq only")


@pytest.mark.parametrize("filter_text", ["", " \n"])
def test_an_empty_filter_is_the_identity(spec: ToolSpec, tmp_path: Path, filter_text: str) -> None:
    """As it was until jq 1.8."""
    with open(tmp_path / "out", "wb") as out:
        io = Io("jq", {}, str(tmp_path), lambda words: 0, stdout=out.fileno())
        assert jq.run(check.check(bind.bind(spec, ["-n", filter_text]), {}), io) == 0
    assert (tmp_path / "out").read_text() == "null\n"


def test_a_process_of_its_own(spec: ToolSpec, tmp_path: Path) -> None:
    """Beside other work the driver is a child, with the streams, directory and environment it is given."""
    (tmp_path / "in.json").write_text('{"a":1}')
    with open(tmp_path / "out", "wb") as out:
        io = Io("jq", {"JQ_TEST": "x"}, str(tmp_path), lambda words: 0, stdout=out.fileno())
        status = jq.run(check.check(bind.bind(spec, ["-c", "[.a, env.JQ_TEST], halt_error(3)", "in.json"]), {}), io)
    assert status == 3
    assert (tmp_path / "out").read_text() == '[1,"x"]\n'


def test_the_program_is_told_each_switch_of_the_operands_where_it_was_typed(spec: ToolSpec) -> None:
    line = ["-n", "--args", "$ARGS", "a", "--jsonargs", "1", "--args", "b", "-n"]
    argv = render.render(check.check(bind.bind(spec, line), {})).argv()
    assert argv == ["jq", "-n", "--args", "$ARGS", "a", "--jsonargs", "1", "--args", "b", "-n"]
    off = ["--null-input=false", "-n", "--args=false", ".", "a", "--args", "--args=false"]
    assert render.render(check.check(bind.bind(spec, off), {})).argv() == ["jq", "-n", ".", "a"]
