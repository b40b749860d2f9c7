"""Bound → Plan: templates, `{*}`, emit styles, effects, encodings (manifest.md, Argument templates)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import pytest

from kernel import bind, bind_json, manifest, schema
from kernel.bound import Bound
from kernel.check import check
from kernel.errors import KernelError
from kernel.plan import Plan
from kernel.render import render
from kernel.spec import ToolSpec


def tool(text: str) -> ToolSpec:
    """The spec of a manifest's text; `effect: read` unless it says one."""
    lines = textwrap.dedent(text)
    data = ("description: T.\n" if "description" not in lines else "") + lines
    tree = manifest.read(data.encode(), "/p/tools.d/t.yaml")
    return schema.compile_tool(tree, file="/p/tools.d/t.yaml", base="/p", name="t")


def bound(text: str, call: list[str] | Mapping[str, Any], env: Mapping[str, str] | None = None) -> Bound:
    spec = tool(text)
    made = bind.bind(spec, call) if isinstance(call, list) else bind_json.bind_mapping(spec, call)
    return check(made, env or {})


def plan(text: str, call: list[str] | Mapping[str, Any] = (), env: Mapping[str, str] | None = None) -> Plan:  # type: ignore[assignment]
    return render(bound(text, call or [], env))


def argv(text: str, call: list[str] | Mapping[str, Any] = ()) -> list[str]:  # type: ignore[assignment]
    """The child's argv without the program."""
    return plan(text, call).argv()[1:]


def rest(*params: str) -> str:
    return 'exec: [p, "{*}"]\nparams:\n' + "".join([f"  - {{{param}}}\n" for param in params])


# ---- plain items and groups ------------------------------------------------------------------------------------


def test_one_template_is_one_item_also_when_empty() -> None:
    text = 'exec: [p, "[{a}]", "{b}", "{{{a}}}"]\nparams: [{name: a, required: true}, {name: b, required: true}]'
    assert argv(text, ["--a", "x y", "--b", ""]) == ["[x y]", "", "{x y}"]


def test_values_are_not_scanned_again() -> None:
    text = 'exec: [p, "{a}|{b}"]\nparams: [{name: a, required: true}, {name: b, required: true}]'
    assert argv(text, ["--a", "{b}", "--b", "{a}}"]) == ["{b}|{a}}"]


def test_the_text_as_written_reaches_the_child() -> None:
    text = """
        exec: [p, "{mode}", "{n}", "{f}"]
        params:
          - {name: mode, type: int, required: true}
          - {name: n, type: number, default: 1.10}
          - {name: f, type: bool, default: false}
    """
    assert argv(text, ["--mode", "0644"]) == ["0644", "1.10", "false"]


GROUPED = """
    exec: [p, ["--count", "{count}"], ["-v", "{?loud}"], ["-q", "{!loud}"], ["-I", "{dir}"], ["--all", "{words*}"]]
    params:
      - {name: count, type: int}
      - {name: loud, type: bool}
      - {name: dir, repeatable: true}
      - {name: words, repeatable: true}
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["-q"]),
        (["--count", "3"], ["--count", "3", "-q"]),
        (["--loud"], ["-v"]),
        (["--loud=false"], ["-q"]),
        (["--dir", "a", "--dir", "b"], ["-q", "-I", "a", "-I", "b"]),
        (["--words", "a", "--words", "b"], ["-q", "--all", "a", "b"]),
    ],
)
def test_groups_appear_with_their_params(words: list[str], expected: list[str]) -> None:
    assert argv(GROUPED, words) == expected


def test_an_empty_list_is_not_given() -> None:
    assert argv(GROUPED, {"dir": [], "words": []}) == ["-q"]


def test_a_tuple_repeats_its_group_and_other_scalars_with_it() -> None:
    text = """
        exec: [p, ["{mode}", "{arg[NAME]}={arg[1]}"]]
        params:
          - {name: arg, consumes: [{name: NAME}, {name: VALUE}]}
          - {name: mode, default: m}
    """
    assert argv(text, ["--arg", "a", "1", "--arg", "b", ""]) == ["m", "a=1", "m", "b="]
    assert argv(text) == []


def test_a_tuple_that_is_not_repeatable_stands_once() -> None:
    text = 'exec: [p, ["{at[X]}", "{at[Y]}"]]\nparams: [{name: at, consumes: [{name: X}, {name: Y}], repeatable: false}]'
    assert argv(text, ["--at", "1", "2", "--at", "3", "4"]) == ["3", "4"]


def test_a_count_repeats_its_group() -> None:
    text = 'exec: [p, ["-v", "{?loud}"]]\nparams: [{name: loud, count: true, aliases: [-l]}]'
    assert argv(text, ["-lll"]) == ["-v", "-v", "-v"]
    assert argv(text, []) == []


def test_a_count_that_no_argv_holds_is_refused() -> None:
    with pytest.raises(KernelError) as caught:
        argv(rest("name: loud, count: true"), ["--loud=1000000000"])
    assert caught.value.code == "E-RANGE"


def test_a_group_needs_every_slot_it_names() -> None:
    text = """
        exec: [p, ["-u", "{u[NAME]}"], ["-w", "{u[PASS]}"]]
        params:
          - {name: u, split: ":", consumes: [{name: NAME}, {name: PASS, optional: true}]}
    """
    assert argv(text, ["--u", "a", "--u", "b:c"]) == ["-u", "a", "-u", "b", "-w", "c"]


# ---- {*} -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "words", "expected"),
    [
        (["name: v, type: bool, aliases: [-x]"], ["--v"], ["-x"]),
        (["name: dry_run, type: bool"], ["--dry_run"], ["--dry-run"]),
        (["name: v, type: bool"], ["--v=false"], []),
        (["name: v, type: bool, negatable: true"], ["--no-v"], ["--no-v"]),
        (["name: v, count: true, aliases: [-v]"], ["-vv"], ["-v", "-v"]),
        (["name: n, type: int"], ["--n=5"], ["--n", "5"]),
        (["name: n, aliases: [--name], emit: equals"], ["--n", ""], ["--name="]),
        (["name: n, aliases: [-n], emit: joined"], ["-n", "=x"], ["-n=x"]),
        (["name: c, optional_value: auto, aliases: [--color]"], ["--color"], ["--color"]),
        (["name: c, optional_value: auto, aliases: [--color]"], ["--color=never"], ["--color=never"]),
        (["name: c, optional_value: '1', aliases: [-c]"], ["-c2"], ["-c2"]),
        (["name: a, consumes: 2"], ["--a", "x", "y", "--a", "", "-"], ["--a", "x", "y", "--a", "", "-"]),
        (["name: r, repeatable: true"], ["--r", "a", "--r", "b"], ["--r", "a", "--r", "b"]),
        (["name: d, repeatable: true, delimiter: ','"], ["--d", "a,b", "--d", "c"], ["--d", "a,b,c"]),
        (["name: s, split: '=', consumes: [{name: K}, {name: V}]"], ["--s", "a=b=c"], ["--s", "a=b=c"]),
        (["name: u, unused: true", "name: w"], ["--u", "1", "--w", "2"], ["--w", "2"]),
        (["name: j, type: object"], ["--j", '{ "a": 1 }'], ["--j", '{ "a": 1 }']),
    ],
)
def test_rest_writes_each_kind_of_param(params: list[str], words: list[str], expected: list[str]) -> None:
    assert argv(rest(*params), words) == expected


def test_json_values_are_written_canonically() -> None:
    text = rest("name: j, type: object", "name: n, type: number", "name: b, type: bool")
    assert argv(text, {"j": {"a": [1, "é"]}, "n": 2.50, "b": True}) == ["--j", '{"a":[1,"é"]}', "--n", "2.5", "--b"]


def test_an_empty_joined_value_is_refused() -> None:
    with pytest.raises(KernelError) as caught:
        argv(rest("name: n, aliases: [-n], emit: joined"), ["-n", ""])
    assert caught.value.code == "E-ENCODING"


def test_rest_leaves_out_what_others_name() -> None:
    text = """
        exec: [p, "{a}", "{*}"]
        env: {B: "x{b}", C: pass}
        stdin: "{c}"
        params: [{name: a, required: true}, {name: b}, {name: c}, {name: d}]
    """
    made = plan(text, ["--a", "1", "--b", "2", "--c", "3", "--d", "4"])
    assert made.argv() == ["p", "1", "--d", "4"]
    assert made.to_dict()["env"] == {"B": "x2"}
    assert made.to_dict()["stdin"] == {"text": "3"}


def test_env_and_stdin_without_a_value_are_left_out() -> None:
    text = 'exec: [p]\nenv: {B: "x{b}"}\nstdin: "{b}"\nparams: [{name: b}]'
    made = plan(text, [])
    assert (made.env, made.stdin) == ({}, "none")


OPERANDS = ["name: files, positional: true, repeatable: true", "name: v, type: bool", "name: n"]


def test_operands_come_last() -> None:
    assert argv(rest(*OPERANDS), ["a", "--v", "b", "--n", "1"]) == ["--v", "--n", "1", "a", "b"]


@pytest.mark.parametrize("operand", ["-x", "--", "-5", "--v"])
def test_an_operand_that_needs_it_stands_behind_the_end_of_options(operand: str) -> None:
    assert argv(rest(*OPERANDS), ["a", "--v", "--", operand]) == ["--v", "--", "a", operand]


def test_a_dash_alone_needs_no_end_of_options() -> None:
    assert argv(rest(*OPERANDS), ["-"]) == ["-"]


def test_the_program_may_have_another_marker_or_none() -> None:
    assert argv(rest(*OPERANDS) + 'end_of_options: "++"', ["--", "-x"]) == ["++", "-x"]
    assert argv(rest(*OPERANDS) + "end_of_options: none", ["--", "-x"]) == ["-x"]
    assert argv(rest(OPERANDS[0]) + "flags: none", ["-x"]) == ["-x"]


def test_operands_behind_the_marker_of_the_grammar() -> None:
    text = rest("name: rev, positional: true", 'name: path, positional: true, repeatable: true, after: "--"')
    assert argv(text, ["HEAD", "--", "a", "-b"]) == ["HEAD", "--", "a", "-b"]
    assert argv(text, ["HEAD"]) == ["HEAD"]
    assert argv(text, {"path": ["a"]}) == ["--", "a"]


def test_a_positional_given_by_its_flag_is_written_as_one() -> None:
    text = rest("name: first, positional: true", "name: second, positional: true, aliases: [--second]")
    assert argv(text, ["--second", "2", "1"]) == ["--second", "2", "1"]
    assert argv(text, ["1", "2"]) == ["1", "2"]


ORDERED = [
    "name: i, repeatable: true, aliases: [-i]",
    "name: x, repeatable: true, aliases: [-x]",
    "name: v, type: bool, aliases: [-v]",
    "name: d, default: z, aliases: [-d]",
    "name: files, positional: true, repeatable: true",
]
TYPED = ["-x", "1", "a", "-i", "2", "-v", "-x", "3", "b"]


def test_the_order_of_flags_is_declared_typed_or_interleaved() -> None:
    assert argv(rest(*ORDERED), TYPED) == ["-i", "2", "-x", "1", "-x", "3", "-v", "-d", "z", "a", "b"]
    assert argv(rest(*ORDERED) + "order: typed", TYPED) == ["-x", "1", "-i", "2", "-v", "-x", "3", "-d", "z", "a", "b"]
    expected = ["-x", "1", "a", "-i", "2", "-v", "-x", "3", "b", "-d", "z"]
    assert argv(rest(*ORDERED) + "order: interleaved", TYPED) == expected


def test_a_hidden_occurrence_is_not_written_in_any_order() -> None:
    text = rest("name: n, aliases: [-n]", "name: v, type: bool") + "order: typed"
    assert argv(text, ["-n", "1", "--v", "-n", "2"]) == ["--v", "-n", "2"]


def test_an_interleaved_operand_cannot_be_protected() -> None:
    with pytest.raises(KernelError) as caught:
        argv(rest(*ORDERED) + "order: interleaved", ["--", "-x"])
    assert caught.value.code == "E-DASH"


def test_interleaved_json_has_no_order_of_its_own() -> None:
    call = {"files": ["a"], "v": True, "i": ["1"]}
    assert argv(rest(*ORDERED) + "order: interleaved", call) == ["-i", "1", "-v", "-d", "z", "a"]


PASSING = rest("name: v, type: bool, aliases: [-v]", "name: command, positional: true, repeatable: true") + "unknown_flags: pass"


def test_undeclared_flags_pass_in_place() -> None:
    made = plan(PASSING, ["make", "-j4", "-v", "--", "all", "-k"])
    assert made.argv()[1:] == ["-v", "make", "-j4", "--", "all", "-k"]
    assert [item.judged for item in made.items[2:]] == [False] * 5


def test_a_passing_tool_called_by_json_writes_its_operands() -> None:
    assert argv(PASSING, {"command": ["a", "-b"]}) == ["--", "a", "-b"]


def test_an_operand_named_elsewhere_is_not_passed_twice() -> None:
    text = """
        exec: [p, "{name}", "{*}"]
        unknown_flags: pass
        params: [{name: name, positional: true, required: true}, {name: more, positional: true, repeatable: true}]
    """
    assert argv(text, ["-x", "a", "b", "-y", "c"])[0] in ("a", "-x")
    assert sorted(argv(text, ["a", "-x", "b"])) == ["-x", "a", "b"]


# ---- as ----------------------------------------------------------------------------------------------------------

AS = 'as: {small: tiny, big: [--large, "--really"], none: []}, choices: [small, big, none, other]'


def test_as_gives_the_child_other_words() -> None:
    text = rest(f"name: size, {AS}")
    assert argv(text, ["--size", "small"]) == ["--size", "tiny"]
    assert argv(text, ["--size", "big"]) == ["--large", "--really"]
    assert argv(text, ["--size", "none"]) == []
    assert argv(text, ["--size", "other"]) == ["--size", "other"]


def test_as_is_spliced_and_stands_in_plain_items() -> None:
    text = f'exec: [p, "{{size*}}"]\nparams: [{{name: size, {AS}}}]'
    assert argv(text, ["--size", "big"]) == ["--large", "--really"]
    text = 'exec: [p, "--x={flag}"]\nparams: [{name: flag, type: bool, default: false, as: {true: "yes!", false: "no!"}}]'
    assert argv(text, []) == ["--x=no!"]
    assert argv(text, ["--flag"]) == ["--x=yes!"]


# ---- secrets, stdin, directories, effects ----------------------------------------------------------------------

SECRET = """
    exec: [p, "{*}"]
    env: {TOKEN: "Bearer {token}"}
    params: [{name: token, secret: true}, {name: key, secret: argv}, {name: user}]
"""


def test_secrets_stay_out_of_the_rest_and_are_masked_by_piece() -> None:
    made = plan(SECRET, ["--token", "t0p", "--key", "k", "--user", "t0p"])
    assert made.argv() == ["p", "--key", "k", "--user", "t0p"]
    assert made.masked() == ["p", "--key", "***", "--user", "t0p"]
    assert made.to_dict()["env"] == {"TOKEN": "Bearer ***"}


def test_all_values_on_stdin() -> None:
    text = """
        exec: [p]
        stdin: values
        params:
          - {name: n, type: int}
          - {name: v, type: bool}
          - {name: w, repeatable: true}
          - {name: token, secret: true}
    """
    made = plan(text, ["--n", "0012", "--token", "x"])
    assert not isinstance(made.stdin, str)
    assert "".join([piece.text for piece in made.stdin]) == '{"n":12,"v":false,"w":[],"token":"x"}\n'
    assert made.to_dict()["stdin"] == {"text": '{"n":12,"v":false,"w":[],"token":***}\n'}


@pytest.mark.parametrize(
    ("cwd", "words", "expected"),
    [
        ("caller", [], "/c"),
        ("tools", [], "/p"),
        ("sub/dir", [], "/p/sub/dir"),
        ('"{d}"', ["--d", "x"], "/c/x"),
        ('"{d}"', ["--d", "/y"], "/y"),
    ],
)
def test_the_working_directory(cwd: str, words: list[str], expected: str) -> None:
    text = f"exec: [p, '{{*}}']\ncwd: {cwd}\nparams: [{{name: d, path: dir, default: .}}]"
    assert render(bound(text, words), "/c").cwd == expected


def test_a_param_raises_the_effect_and_never_lowers_it() -> None:
    text = rest(
        "name: force, type: bool, effect: destructive",
        "name: mode, choices: [a, b], effect: {b: destructive}",
        "name: out, effect: write",
    )
    read = text + "effect: read"
    assert plan(read, []).effect == "read"
    assert plan(read, ["--force=false"]).effect == "read"
    assert plan(read, ["--force"]).effect == "destructive"
    assert plan(read, ["--mode", "a"]).effect == "read"
    assert plan(read, ["--mode", "b"]).effect == "destructive"
    assert plan(read, ["--out", ""]).effect == "write"
    assert plan(text, []).effect == "write"
    assert plan(text + "effect: destructive", ["--out", "x"]).effect == "destructive"


@pytest.mark.parametrize("text", ["a\0b", "\0"])
def test_a_nul_byte_is_refused(text: str) -> None:
    for manifest_text in (rest("name: n"), 'exec: [p]\nenv: {N: "{n}"}\nparams: [{name: n}]'):
        with pytest.raises(KernelError) as caught:
            plan(manifest_text, ["--n", text])
        assert caught.value.code == "E-ENCODING"


def test_bytes_that_are_no_text_pass_and_what_cannot_be_encoded_does_not() -> None:
    assert argv(rest("name: n"), ["--n", "\udcff"]) == ["--n", "\udcff"]
    with pytest.raises(KernelError) as caught:
        argv(rest("name: n"), ["--n", "\ud800"])
    assert caught.value.code == "E-ENCODING"


# ---- subcommands ---------------------------------------------------------------------------------------------------


def test_a_leaf_gets_the_argv_of_its_parent_its_name_and_its_own_params() -> None:
    text = """
        exec: [git, "{*}"]
        params: [{name: dir, aliases: [-C]}, {name: bare, type: bool}]
        subcommands:
          - name: log
            description: L.
            params: [{name: n, type: int, aliases: [-n]}, {name: revs, positional: true, repeatable: true}]
    """
    assert plan(text, ["-C", "d", "log", "-n", "3", "--bare", "a", "--", "-b"]).argv() == [
        "git", "-C", "d", "--bare", "log", "-n", "3", "--", "a", "-b",
    ]  # fmt: skip


def test_a_builtin_shows_the_words_that_say_the_same() -> None:
    text = """
        builtin: seq
        params:
          - {name: numbers, positional: true, repeatable: true}
          - {name: equal_width, type: bool, aliases: [-w]}
    """
    made = plan(text, ["1", "-w", "3"])
    assert (made.builtin, made.argv()) == ("seq", ["t", "-w", "1", "3"])
