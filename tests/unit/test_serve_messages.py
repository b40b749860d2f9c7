"""Messages are read strictly, and broken ones are told apart from what is no message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.serve import messages
from kernel.serve.messages import ABSENT, Unreadable
from kernel.strict_json import Number


def refused(text: str | bytes, **options: Any) -> tuple[int, Any]:
    with pytest.raises(Unreadable) as caught:
        messages.read(text if isinstance(text, bytes) else text.encode(), **options)
    return caught.value.code, caught.value.id


def call(arguments: str) -> str:
    return f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}'


def test_arguments_go_beside_the_message_with_exact_numbers() -> None:
    read = messages.read(call('{"n":1.10,"big":123456789012345678901234567890e-2,"id":5}').encode())
    assert read.body["params"] == {"name": "x", "arguments": {}}
    assert (read.id, read.is_call) == (7, True)
    assert read.arguments["n"].text == "1.10" and isinstance(read.arguments["big"], Number)
    assert messages.read(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}').arguments is ABSENT
    assert messages.read(call("null").encode()).arguments is None
    assert messages.read(b'{"jsonrpc":"2.0","method":"x","params":{"arguments":{"n":1}}}').body["params"] == {"arguments": {"n": 1}}


@pytest.mark.parametrize(
    ("text", "id"),
    [
        (call('{"n":NaN}'), 7),
        (call('{"n":1,"n":2}'), 7),
        (call('{"id":8,"n":01}'), 7),
        ('{"id":"seven","x":}', "seven"),
        ('{"id":7,"id":8}', None),
        ('{"id":7.5,"x":}', None),
        ('{"x":{"id":7},}', None),
        ('{"x":"\\"id\\":7,",}', None),
        ('{"id":7', None),
        ('{"id":-3,', -3),
        ("{" * 200, None),
        ('"id":7', None),
        ("", None),
    ],
)
def test_the_id_of_a_broken_text_is_kept_when_there_is_exactly_one(text: str, id: Any) -> None:
    assert refused(text) == (-32700, id)
    assert refused(text, finds_ids=False) == (-32700, None)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ("", "have no `name`: give a tool's, as `tools/list` says it"),
        (',"params":{}', "have no `name`"),
        (',"params":{"name":null}', "have no `name`"),
        (',"params":{"name":7,"arguments":{}}', "have a `name` that is no text"),
    ],
)
def test_a_call_names_its_tool(params: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said) as caught:
        messages.read(f'{{"jsonrpc":"2.0","id":7,"method":"tools/call"{params}}}'.encode())
    assert (caught.value.code, caught.value.id) == (-32602, 7)


def test_arguments_may_be_nested_as_deeply_as_elsewhere() -> None:
    for depth, taken in ((95, True), (96, False)):  # the arguments themselves are one more
        text = call('{"a":' + "[" * depth + "]" * depth + "}")
        if taken:
            assert messages.read(text.encode()).arguments
        else:
            assert refused(text) == (-32700, 7)


def test_values_are_counted_before_they_are_read() -> None:
    inside = json.dumps(["," * 200_000])  # commas of texts are none
    assert messages.read(call(f'{{"a":{inside}}}').encode()).arguments
    assert refused(call('{"a":[' + "1," * 100_001 + "1]}")) == (-32600, None)
    assert refused(b"[" * (messages.LONGEST + 1)) == (-32600, None)


@given(st.binary(max_size=200))
def test_bytes_are_a_message_or_unreadable(data: bytes) -> None:
    try:
        read = messages.read(data)
    except Unreadable as error:
        assert error.code in (-32700, -32600)
        assert json.loads(json.dumps(error.answer()))["error"]["message"]
    else:
        assert read.body["jsonrpc"] == "2.0"
