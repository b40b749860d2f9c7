"""What each dialect makes of the shipped tools: the golden files, and what the APIs refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from golden_schemas import GOLDEN, texts
from jsonschema import Draft202012Validator
from kernel_case import Case

from kernel.export.dialects import DIALECTS

TEXTS = texts()
GEMINI = {
    "type",
    "title",
    "description",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "pattern",
    "properties",
    "required",
}


def tools(dialect: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in TEXTS[dialect].splitlines()]


def schemas(value: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it."""
    yield value
    for inner in (*value.get("properties", {}).values(), *value.get("anyOf", ()), *([value["items"]] if "items" in value else ())):
        yield from schemas(inner)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_golden_files(dialect: str) -> None:
    kept = (GOLDEN / f"{dialect}.jsonl").read_text(encoding="utf-8").splitlines()
    made = TEXTS[dialect].splitlines()
    changed = [line for line in made if line not in kept] + [f"gone: {line}" for line in kept if line not in made]
    assert made == kept, f"if this is meant, run `python tests/golden_schemas.py`: {changed[:1] or 'another order'}"


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_the_command_prints_a_line_of_them(tmp_path: Path, dialect: str) -> None:
    case = Case(tmp_path)
    text = case.run(f"schema --dialect {dialect} git log").ok().stdout
    assert text in TEXTS[dialect].splitlines(keepends=True)
    assert json.loads(case.run(f"schema --dialect {dialect} git_log jq").ok().stdout)[0] == json.loads(text)


@pytest.mark.parametrize("dialect", ["mcp", "openai", "openai-strict", "anthropic"])
def test_json_schema_of_the_kind_that_apis_take(dialect: str) -> None:
    names = set()
    for tool in tools(dialect):
        outer = tool.get("function", tool)
        assert re.fullmatch("[a-zA-Z][a-zA-Z0-9_-]{0,39}", outer["name"])
        names.add(outer["name"].lower().replace("-", "_"))
        root = outer.get("inputSchema") or outer.get("input_schema") or outer.get("parameters")
        if dialect == "openai-strict":  # the others are as `json-schema`, which is looked at elsewhere
            Draft202012Validator.check_schema(root)
        assert set(root) == {"type", "properties", "required", "additionalProperties"}
        for schema in schemas(root):
            assert not {"prefixItems", "oneOf", "allOf", "not", "$ref"} & set(schema)
            assert schema.get("type") != "array" or isinstance(schema["items"], dict)
            if schema.get("type") == "object" and "properties" in schema:
                assert schema["additionalProperties"] is False
            if dialect == "openai-strict":
                assert not {"default", "deprecated", "title"} & set(schema)
                assert "anyOf" in schema or "type" in schema
                assert schema.get("type") != "object" or sorted(schema["required"]) == sorted(schema["properties"])
    assert len(names) == len(tools(dialect))


def test_gemini_gets_fields_that_it_knows() -> None:
    for tool in tools("gemini"):
        assert re.fullmatch("[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", tool["name"])
        for schema in schemas(tool["parameters"]) if "parameters" in tool else ():
            assert set(schema) <= GEMINI
            assert isinstance(schema["type"], str)
            assert schema["type"] != "object" or schema["properties"]
            assert "enum" not in schema or schema["type"] == "string"
            assert all(re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]{0,63}", name) for name in schema.get("properties", {}))


def test_all_tools_as_one_list(tmp_path: Path) -> None:
    case = Case(tmp_path).tool("own", "description: O.\neffect: read\nexec: [echo]\n").tool("bad", "3\n")
    outcome = case.run("schema --dialect anthropic")
    assert outcome.exit == 1
    assert "error[E-MANIFEST]" in outcome.stderr
    names = [tool["name"] for tool in json.loads(outcome.stdout)]
    assert "own" in names
    assert len(names) == len(tools("anthropic")) + 1


def test_names_and_what_follows_them(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert [tool["name"] for tool in json.loads(case.run("schema --dialect mcp git log grep git_diff").ok().stdout)] == [
        "git_log",
        "grep",
        "git_diff",
    ]
    assert " --> kernel schema grep git\n" in case.run("schema grep git").stderr
    assert "did you mean `log`?" in case.run("schema git lgo").stderr
    assert " --> kernel schema git log grp\n                           ^^^" in case.run("schema git log grp").stderr


def test_what_only_people_can_call_is_not_published(tmp_path: Path) -> None:
    case = Case(tmp_path)
    params = "params:\n  - {name: words, positional: true, required: true, hidden: true}\n"
    case.tool("wraps", f'description: W.\neffect: read\nexec: [echo, "{{*}}"]\n{params}')
    case.tool("hides", "description: H.\neffect: read\nhidden: true\nexec: [echo]\n")
    names = [tool["name"] for tool in json.loads(case.run("schema --dialect mcp").ok().stdout)]
    assert not {"wraps", "hides"} & set(names)
