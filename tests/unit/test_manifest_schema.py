"""The JSON Schema of manifests agrees with what loading reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kernel import manifest
from kernel.export import manifest_schema
from kernel.schema import GROUPS
from kernel.schema_inputs import FIELD_KEYS
from kernel.schema_keys import EXAMPLE_KEYS, LIMIT_KEYS, NEEDS_KEYS, SANDBOX_KEYS, SUBCOMMAND_KEYS, TOOL_KEYS
from kernel.schema_params import PARAM_KEYS
from kernel.schema_reader import Reader
from kernel.schema_slots import SLOT_KEYS

SCHEMA = manifest_schema.schema()
DEFINITIONS = SCHEMA["$defs"]
SHIPPED = sorted((Path(__file__).resolve().parent.parent.parent / "tools.d").glob("*.yaml"))


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("properties", "keys"),
    [
        (SCHEMA["properties"], TOOL_KEYS),
        (DEFINITIONS["subcommand"]["properties"], SUBCOMMAND_KEYS),
        (DEFINITIONS["param"]["properties"], PARAM_KEYS),
        (DEFINITIONS["slot"]["properties"], SLOT_KEYS),
        (DEFINITIONS["field"]["properties"], FIELD_KEYS),
        (DEFINITIONS["example"]["properties"], EXAMPLE_KEYS),
        (SCHEMA["properties"]["needs"]["properties"], NEEDS_KEYS),
        (SCHEMA["properties"]["limits"]["properties"], LIMIT_KEYS),
        (SCHEMA["properties"]["sandbox"]["properties"], SANDBOX_KEYS),
        (SCHEMA["properties"]["groups"]["items"]["properties"], GROUPS),
    ],
)
def test_it_has_every_key_that_is_read(properties: dict[str, Any], keys: tuple[str, ...]) -> None:
    assert sorted(properties) == sorted(keys)


def test_every_key_is_described() -> None:
    for shape in (SCHEMA, *DEFINITIONS.values()):
        assert all(value.get("description") for value in shape["properties"].values())


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: str(file.stem))
def test_shipped_manifests_are_valid(file: Path) -> None:
    jsonschema.validate(Reader().data(manifest.read(file.read_bytes(), str(file))), SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "said",
    [
        {"exec": ["x"], "x-note": 1, "timeout": "30s"},
        {"exec": ["x", ["-a", "{a}"]], "params": [{"name": "a", "default": 1, "x-y": []}]},
        {"subcommands": [{"name": "a", "exec": ["x"]}]},
    ],
)
def test_good_ones_pass(said: dict[str, Any]) -> None:
    jsonschema.validate(said, SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"exec": "x"},
        {"exec": []},
        {"exec": ["x"], "timeout": 30},
        {"exec": ["x"], "foo": 1},
        {"exec": ["x"], "params": [{"name": "1"}]},
        {"exec": ["x"], "effect": "reed"},
    ],
)
def test_bad_ones_do_not(said: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(said, SCHEMA, jsonschema.Draft202012Validator)
