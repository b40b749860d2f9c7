"""The founding types: params and tools described in code, under the manifest's rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from compiled import load

from kernel.errors import KernelError
from kernel.founding import ParamSchema, ToolSchema


def test_the_fields_have_the_seeds_names_and_defaults() -> None:
    param = ParamSchema("arg")
    assert (param.name, param.param_type, param.required, param.default) == ("arg", "string", False, None)
    assert (param.description, param.aliases, param.consumes) == ("", (), 1)


def test_required_is_a_constructor_on_the_class_and_a_bool_on_a_param() -> None:
    param = ParamSchema.required("path", "string", "What to read.")
    assert param.required is True
    assert param.to_dict() == {"name": "path", "required": True, "description": "What to read."}
    assert ParamSchema.required("on", "bool", "On.").param_type == "bool"


def test_optional_has_a_default() -> None:
    param = ParamSchema.optional("n", "int", 3, "How many.")
    assert (param.required, param.default, param.param_type) == (False, 3, "int")


def test_builders_return_new_params() -> None:
    param = ParamSchema("recursive", "bool")
    named = param.with_aliases("-r", "-R")
    assert param.aliases == ()
    assert named.aliases == ("-r", "-R")
    assert named.with_aliases("deep").aliases == ("-r", "-R", "deep")
    pair = ParamSchema("arg").with_consumes(2)
    assert pair.consumes == 2
    assert pair.required is False
    assert ParamSchema("arg").with_consumes([{"name": "NAME"}, {"name": "VALUE"}]).consumes == [{"name": "NAME"}, {"name": "VALUE"}]


@pytest.mark.parametrize("consumes", [0, -1, False])
def test_a_flag_that_consumes_nothing_is_an_error(consumes: int) -> None:
    with pytest.raises(KernelError) as caught:
        ParamSchema("arg").with_consumes(consumes)
    assert caught.value.code == "E-MANIFEST"
    assert "bool" in caught.value.hint


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("dry_run", True),
        ("dry-run", True),
        ("--dry-run", True),
        ("--dry_run", True),
        ("-n", True),
        ("n", True),
        ("--n", False),
        ("what-if", True),
        ("--what-if", True),
        ("-x", False),
        ("-list", True),
        ("list", True),
        ("--dry", False),
        ("--DRY-RUN", False),
        ("-dry-run", False),
        ("", False),
        ("-", False),
    ],
)
def test_matches_flag(flag: str, expected: bool) -> None:
    assert ParamSchema("dry_run", "bool", aliases=["-n", "what-if", "-list"]).matches_flag(flag) is expected


def test_a_positional_matches_by_its_aliases_only() -> None:
    assert ParamSchema("file", positional=True).matches_flag("--file") is False
    assert ParamSchema("file", positional=True, aliases=["-f"]).matches_flag("-f") is True


PARAMS: list[dict[str, Any]] = [
    {"name": "a"},
    {"name": "b", "type": "int", "required": True, "description": "B.", "aliases": ["-b", "--bee"]},
    {"name": "c", "consumes": [{"name": "K"}, {"name": "V", "type": "json"}], "unique_by": "K"},
    {"name": "d", "choices": ["x", {"value": "y"}], "default": "x", "as": {"x": ["--ex"]}},
    {"name": "e", "positional": True, "repeatable": True, "path": "read"},
]


@pytest.mark.parametrize("said", PARAMS, ids=lambda said: str(said["name"]))
def test_params_are_written_and_read_by_the_manifests_keys(said: dict[str, Any]) -> None:
    param = ParamSchema.from_dict(said)
    assert param.to_dict() == said
    assert ParamSchema.from_dict(json.loads(json.dumps(param.to_dict()))) == param


@pytest.mark.parametrize("said", [{}, {"name": "a", "typ": "int"}, {"name": "a", "requiredd": True}])
def test_keys_that_no_param_has(said: dict[str, Any]) -> None:
    with pytest.raises(KernelError) as caught:
        ParamSchema.from_dict(said)
    assert caught.value.code == "E-MANIFEST"


def test_a_trailing_underscore_is_dropped() -> None:
    assert ParamSchema("on", "bool", as_={"true": "yes"}).to_dict() == {"name": "on", "type": "bool", "as": {"true": "yes"}}


def test_a_tool_compiles_to_what_its_manifest_does() -> None:
    params = [ParamSchema.from_dict(said) for said in PARAMS]
    tool = ToolSchema("t", "A tool.", params, exec=["x", "{*}"], effect="read", groups=[{"exclusive": ["a", "d"]}], timeout="5s")
    text = json.dumps(tool.to_dict())
    spec = tool.compile()
    expected = load(text)  # JSON is YAML
    for param in expected.params:
        param.place = (0, 0)
    expected.place = (0, 0)
    assert spec == expected
    assert ToolSchema.from_dict(json.loads(text)) == tool


def test_a_tools_problems_come_together_and_name_it() -> None:
    tool = ToolSchema("t", params=[ParamSchema("a", "int", default="x"), ParamSchema("b", "text")], exec=["x", "{c}"])
    with pytest.raises(KernelError) as caught:
        tool.compile()
    assert len(caught.value.problems) == 3
    assert [problem.where for problem in caught.value.problems] == [None] * 3
    assert caught.value.problems[0].facts["tool"] == "t"


def test_a_function_needs_neither_exec_nor_builtin() -> None:
    tool = ToolSchema("t", params=[ParamSchema("a")])
    assert tool.compile(callable=True).has_exec is False
    with pytest.raises(KernelError):
        tool.compile()


def test_names_and_values_are_checked() -> None:
    with pytest.raises(KernelError):
        ToolSchema("Bad", exec=["x"]).compile()
    with pytest.raises(KernelError):
        ToolSchema("t", exec=["x", "{a}"], params=[ParamSchema("a", default=object())]).compile()
    with pytest.raises(KernelError, match="no key `efect`"):
        ToolSchema("t", exec=["x"], efect="read")


@pytest.mark.parametrize("default", ["012", "no", "", "1:30", "~", "a\nb", True, 3, 1.5])
def test_text_from_code_is_its_own_text(default: object) -> None:
    spec = ToolSchema("t", params=[ParamSchema("a", default=default)], exec=["x", "{a}"]).compile()
    assert spec.params[0].default == ("true" if default is True else str(default))
