"""Any data in the shape of a manifest compiles or is refused with problems that say something."""

from __future__ import annotations

import json
import marshal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import manifest, schema
from kernel.errors import CODES, KernelError
from kernel.schema_keys import EXAMPLE_KEYS, LIMIT_KEYS, NEEDS_KEYS, SUBCOMMAND_KEYS, TOOL_KEYS, WORDS
from kernel.schema_params import PARAM_KEYS
from kernel.schema_slots import SLOT_KEYS
from kernel.spec import ToolSpec

WORD = st.sampled_from(
    [
        *"a b c -a --b {a} {b*} {*} {?a} {a[b]} { = , sh -c 30s 1KiB >=0.1 >=9 5/1s read write bool int json array".split(),
        *"verbatim argv equals joined -- none values [a-z]+ (a cat jq first".split(),
        *["", "x y", "\x1b"],
        *[word for words in WORDS.values() for word in words],
    ]
)
SCALAR = st.one_of(WORD, st.booleans(), st.integers(-2, 300), st.sampled_from([1.5, None]))


def mapping(keys: tuple[str, ...], values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(keys), values, max_size=6)


ANY = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3), max_leaves=6)
SLOT = mapping(SLOT_KEYS, ANY).flatmap(lambda said: st.sampled_from([said, {**said, "name": "b"}]))
PARAM = st.tuples(mapping(PARAM_KEYS, ANY), st.sampled_from(["a", "b", "c"]), st.lists(SLOT, max_size=2)).map(
    lambda parts: {**parts[0], "name": parts[1], **({"consumes": parts[2]} if parts[2] else {})}
)
NODE_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "params": st.lists(PARAM, max_size=3),
    "exec": st.lists(WORD | st.lists(WORD, max_size=3), min_size=1, max_size=4).map(lambda items: ["x", *items]),
    "groups": st.lists(mapping(("exclusive", "required", "together"), st.lists(WORD, max_size=3)), max_size=2),
    "needs": mapping(NEEDS_KEYS, ANY),
    "limits": mapping(LIMIT_KEYS, ANY),
    "examples": st.lists(mapping(EXAMPLE_KEYS, ANY), max_size=1),
    "env": st.dictionaries(WORD, WORD, max_size=2),
}


def node(keys: tuple[str, ...], children: bool) -> st.SearchStrategy[dict[str, Any]]:
    """A node of a tool: usual keys in good shape or not, others with anything."""
    shaped = st.fixed_dictionaries({}, optional=NODE_VALUES)
    free = mapping(keys, ANY)
    below = (
        st.lists(node(SUBCOMMAND_KEYS, False).map(lambda said: {**said, "name": "sub"}), max_size=1) if children else st.just([])
    )
    return st.tuples(shaped, free, st.booleans(), below).map(
        lambda parts: {**(parts[1] if parts[2] else {}), **parts[0], **({"subcommands": parts[3]} if parts[3] else {})}
    )


def outcome(said: dict[str, Any]) -> ToolSpec | KernelError:
    try:
        tree = manifest.read(json.dumps(said, ensure_ascii=True).encode(), "t.yaml")  # JSON is YAML
        return schema.compile_tool(tree, file="", base="", name="t")
    except KernelError as error:
        return error


@settings(max_examples=120, deadline=None)
@given(node(TOOL_KEYS, True))
def test_it_compiles_or_says_why_not(said: dict[str, Any]) -> None:
    found = outcome(said)
    if isinstance(found, ToolSpec):
        assert ToolSpec.unpack(marshal.loads(marshal.dumps(found.pack()))) == found
        schema.warnings(found)
        return
    for problem in found.problems:
        assert problem.code in CODES
        assert problem.message and not problem.message.endswith(".")
        assert problem.where is not None


@settings(max_examples=80, deadline=None)
@given(st.lists(PARAM, min_size=1, max_size=2))
def test_params_that_load_have_texts_in_their_shape(params: list[dict[str, Any]]) -> None:
    found = outcome({"exec": ["x", "{*}"], "params": params, "stdin": "values"})
    if isinstance(found, KernelError):
        return
    for param in found.params:
        assert param.spellings or param.positional
        default = param.default
        if default is not None:
            entries = default if param.repeatable else [default]
            assert isinstance(entries, list)
            for entry in entries:
                texts = entry if param.is_tuple else [entry]
                assert all(isinstance(text, str) for text in texts)
                assert len(texts) <= len(param.slots)
