"""Input schemas: what is accepted, the placeholder contract, what is published (input-schemas.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compiled import load, shown

from kernel.errors import KernelError
from kernel.input_schema import ad_hoc, faults, infer, published

ROWS = [json.loads(line) for line in (Path(__file__).parent.parent / "corpus/schema/contract.jsonl").read_text().splitlines()]
NAMES = {"string": "string", "int": "integer", "number": "number", "bool": "boolean"}


def schema(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def codes(argv: list[str], text: str | None, allow_dash: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(KernelError) as caught:
        ad_hoc(argv, text, allow_dash)
    return [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "schema-accept"], ids=lambda row: str(row["id"]))
def test_accepted_rows(row: dict[str, Any]) -> None:
    spec = ad_hoc(row["input"]["argv"], row["input"].get("schema_text"))
    assert [{"name": param.name, "type": NAMES[param.type]} for param in spec.params] == row["expect"]["fields"]
    assert all(param.required for param in spec.params)
    if "advertised_schema" in row["expect"]:
        assert json.loads(published(spec)) == row["expect"]["advertised_schema"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "schema-reject"], ids=lambda row: str(row["id"]))
def test_rejected_rows(row: dict[str, Any]) -> None:
    assert set(codes(row["input"]["argv"], row["input"].get("schema_text"))) <= {"E-SCHEMA", "E-TEMPLATE"}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"type": "array"}, ("type",)),
        ({"type": ["object"]}, ("type",)),
        ({"$schema": None}, ("$schema",)),
        ({"description": 1}, ("description",)),
        ({"patternProperties": {}}, ("patternProperties",)),
        ({"properties": []}, ("properties",)),
        ({"properties": {"a": True}}, ("properties", "a")),
        ({"properties": {"a": {}}}, ("properties", "a", "type")),
        ({"properties": {"a": {"type": ["string"]}}}, ("properties", "a", "type")),
        ({"properties": {"a": {"type": "string", "$ref": "#"}}}, ("properties", "a", "$ref")),
        ({"properties": {"a": {"type": "string", "title": None}}}, ("properties", "a", "title")),
        ({"properties": {"a b": {"type": "string"}}, "required": ["a b"]}, ("properties", "a b")),
        ({"required": "a"}, ("required",)),
        ({"required": [1]}, ("required",)),
        ({"required": []}, ("required",)),
        ({"required": ["a", "a"]}, ("required", "1")),
        ({"required": ["a", "b"]}, ("required", "1")),
        ({"additionalProperties": 0}, ("additionalProperties",)),
    ],
)
def test_every_breach_has_its_place(change: dict[str, Any], pointer: tuple[str, ...]) -> None:
    assert faults(schema(a="string")) == []
    assert [found[0] for found in faults(schema(a="string") | change)] == [pointer]


def test_all_breaches_are_told_together() -> None:
    assert len(faults({"type": "x", "properties": {"a": {"type": "x", "enum": []}}, "foo": 1})) == 6


def test_names_of_all_three_sets_are_equal() -> None:
    assert codes(["x", "{a}"], json.dumps(schema())) == ["E-SCHEMA"]
    assert codes(["x"], json.dumps(schema(a="string"))) == ["E-SCHEMA"]
    assert codes(["x", "{b}"], json.dumps(schema(a="string"))) == ["E-SCHEMA", "E-SCHEMA"]


def test_the_command_is_never_a_template() -> None:
    spec = ad_hoc(["{x}", "{y}"], None)
    assert spec.program == "{x}"
    assert [param.name for param in spec.params] == ["y"]


def test_there_must_be_a_command() -> None:
    assert codes([], None) == ["E-TEMPLATE"]
    assert codes([""], None) == ["E-TEMPLATE"]


def test_templates_are_checked_with_their_places() -> None:
    with pytest.raises(KernelError) as caught:
        ad_hoc(["x", "ok", "a{"], None)
    assert str(caught.value.where) == "argument 2:1:2"


def test_no_schema_infers_required_strings_in_order_of_first_use() -> None:
    assert json.dumps(infer(["b", "a", "b"])) == (
        '{"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}, "required": ["b", "a"], '
        '"additionalProperties": false}'
    )


def test_what_is_published_is_canonical() -> None:
    given = '{ "additionalProperties":false,\n "required":["b","a"], '
    given += '"properties":{"b":{"type":"string","title":"\\u00e9"},"a":{"type":"integer"}},"type":"object","title":"T" }'
    assert published(ad_hoc(["x", "{a}{b}"], given)) == (
        '{"title":"T","type":"object","properties":{"b":{"title":"é","type":"string"},"a":{"type":"integer"}},"required":["b","a"],'
        '"additionalProperties":false}'
    )


def test_properties_are_required_flags() -> None:
    spec = ad_hoc(["x", "{a_b}{a-b}{n}{7}{net.max}"], None)
    assert {param.name: param.spellings for param in spec.params} == {
        "a_b": ("--a_b",),
        "a-b": ("--a-b",),
        "n": ("--n", "-n"),
        "7": ("--7",),
        "net.max": ("--net.max",),
    }
    assert spec.strict and not spec.digit_flags


def test_a_dash_may_be_allowed_for_a_field() -> None:
    spec = ad_hoc(["x", "{a}{b}"], None, ("b",))
    assert [param.slots[0].allow_dash for param in spec.params] == [False, True]
    assert codes(["x", "{a}"], None, ("c",)) == ["E-SCHEMA"]


def test_the_exec_door_allows_a_shell() -> None:
    assert ad_hoc(["sh", "-c", "{a}"], None).program == "sh"


INLINE = """
exec: [x, "{a}", "{on}"]
input_schema:
  type: object
  description: What it does.
  properties:
    a: {type: string, title: A}
    "on": {type: boolean}
  required: [a, "on"]
  additionalProperties: false
fields:
  a: {path: read, allow_dash: true, complete: dir, effect: write}
"""


def test_in_a_manifest() -> None:
    spec = load(INLINE)
    assert spec.strict
    assert spec.description == "What it does."
    assert [(param.name, param.type, param.required) for param in spec.params] == [("a", "string", True), ("on", "bool", True)]
    slot = spec.params[0].slots[0]
    assert (slot.path, slot.allow_dash, slot.complete, spec.params[0].effects) == ("read", True, ("@dir",), (("", "write"),))
    assert json.loads(spec.input_schema)["properties"]["a"] == {"type": "string", "title": "A"}


def test_in_a_manifest_further_forms_may_be_used() -> None:
    spec = load(INLINE.replace('"{on}"', '[--on, "{?on}"]'))
    assert spec.exec[1] == ("group", (("text", ("--on",)),), ((True, "on"),), "")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("type: object", "type: array", "4:3 «type» `type` of an input schema must be `object`"),
        ("title: A", "enum: [b]", "7:23 «enum» the property `a` has the keyword `enum`"),
        ('[a, "on"]', "[a]", "9:3 «required» `required` does not name `on`"),
        ('[a, "on"]', '[a, "on", c]', "9:23 «c» `required` names `c`, which is no property"),
        ('"{on}"', "x", '8:5 «"on"» `on` is used by no template of `t`'),
        ('"{on}"', '"{on}{no}"', "2:23 «{no}» `{no}` names no param of the tool"),
        ("{path: read,", "{paht: read,", "12:7 «paht» a field has no key `paht`"),
        ("  a: {path", "  b: {path", "12:3 «b» `fields` names `b`, which is no property of the input schema"),
    ],
)
def test_in_a_manifest_breaches_have_their_place(old: str, new: str, expected: str) -> None:
    assert [line.split(" | ")[0] for line in shown(INLINE.replace(old, new))] == [expected]


def test_a_schema_file(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    file = tmp_path / "schemas/a.json"
    file.write_text(json.dumps(schema(a="string")))
    text = 'exec: [x, "{a}"]\ninput_schema: schemas/a.json'
    spec = load(text, base=str(tmp_path))
    assert spec.files == (str(file.resolve()),)
    file.write_text('{"type":"object",\n"a" 1}')
    with pytest.raises(KernelError) as caught:
        load(text, base=str(tmp_path))
    assert str(caught.value.where).startswith(f"{file.resolve()}:2:")
    file.write_text(json.dumps(schema(a="text")))
    assert shown(text, base=str(tmp_path)) == [
        "2:15 «schemas/a.json» `type` of the property `a` must be string, number, integer or boolean, "
        "in `schemas/a.json` at `/properties/a/type`"
    ]


@pytest.mark.parametrize("path", ["../a.json", "/etc/passwd", "link.json", "missing.json", "."])
def test_a_schema_file_lies_below_the_base(tmp_path: Path, path: str) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (tmp_path / "a.json").write_text(json.dumps(schema(a="string")))
    (base / "link.json").symlink_to(tmp_path / "a.json")
    lines = shown(f'exec: [x, "{{a}}"]\ninput_schema: {path}', base=str(base))
    assert len(lines) == 1
    assert ("cannot be read" in lines[0]) == (path == "missing.json")
