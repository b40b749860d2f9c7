"""The arguments that a refused call is shown are taken, and are near to those that were given."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import bind_json, explain
from kernel.check import check
from kernel.errors import KernelError
from kernel.serve import correction
from kernel.spec import ParamSpec, Slot, ToolSpec

SPEC = ToolSpec(
    name="t",
    path=("t",),
    params=(
        ParamSpec(name="file", required=True, slots=(Slot(path="read"),)),
        ParamSpec(name="depth", slots=(Slot(type="int", min="2", max="9"),)),
        ParamSpec(name="mode", slots=(Slot(choices=(("fast", ""), ("slow", ""))),)),
        ParamSpec(name="pair", repeatable=True, slots=(Slot(name="NAME"), Slot(name="VALUE", type="number"))),
        ParamSpec(name="point", slots=(Slot(type="int"), Slot(type="int"))),
        ParamSpec(name="rows", slots=(Slot(type="array"),)),
        ParamSpec(name="verbose", count=True, slots=(Slot(type="bool"),)),
        ParamSpec(name="token", secret="hidden"),
    ),
    groups=(("exclusive", ("depth", "mode")),),
)


def shown(arguments: dict[str, Any], spec: ToolSpec = SPEC) -> Any:
    try:
        check(bind_json.bind_mapping(spec, arguments), {})
    except KernelError as error:
        explain.complete(error, spec)
        text = correction.example(spec, arguments, error, {})
        return json.loads(text) if text else None
    raise AssertionError("the arguments are taken as they are")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, {"file": "path/to/file"}),
        ({"fil": "x"}, {"file": "x"}),
        ({"file": "x", "nonsense": 1}, {"file": "x"}),
        ({"file": "x", "depth": "deep"}, {"file": "x", "depth": 2}),
        ({"file": "x", "mode": "quick"}, {"file": "x", "mode": "fast"}),
        ({"file": "x", "pair": "a=1"}, {"file": "x", "pair": [{"name": "text", "value": 1.5}]}),
        ({"file": "x", "point": "a"}, {"file": "x", "point": [1, 1]}),
        ({"file": "x", "rows": 5}, {"file": "x", "rows": "[]"}),
        ({"file": "x", "verbose": -1}, {"file": "x", "verbose": 1}),
        ({"file": "x", "token": 5}, None),
        ({"token": "hush"}, None),
        ({"file": "x", "tokn": "hush"}, None),
        ({"file": "x", "depth": 3, "mode": "fast"}, None),
    ],
)
def test_what_is_refused_is_mended_where_that_can_be_told(arguments: dict[str, Any], expected: Any) -> None:
    assert shown(arguments) == expected


@given(
    st.dictionaries(
        st.sampled_from(["file", "fil", "depth", "mode", "pair", "verbose", "x"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
        max_size=5,
    )
)
def test_an_example_is_always_taken(arguments: dict[str, Any]) -> None:
    try:
        check(bind_json.bind_mapping(SPEC, arguments), {})
    except KernelError as error:
        explain.complete(error, SPEC)
        text = correction.example(SPEC, arguments, error, {})
        if text:
            check(bind_json.bind_mapping(SPEC, json.loads(text)), {})
