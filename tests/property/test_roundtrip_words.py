"""R1: the canonical line of a bound call binds to the same values, for every schema and every value.

R2's hard values are asserted to have been drawn. A failing run prints its seed, which ROUNDTRIP_SEED takes; the short
run has always the same one, `-m nightly` runs more examples from a new one.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from call_case import tool
from hard_values import HARD, LONG, new_seed, run, short_seed
from hypothesis import note
from hypothesis import strategies as st

from kernel import strict_json
from kernel.bind import bind
from kernel.bind_json import bind_mapping, bind_text
from kernel.bound import Bound
from kernel.check import check
from kernel.conform import as_yaml
from kernel.errors import KernelError, WordPlace
from kernel.explain import complete, explanation
from kernel.line import NoSpelling, call_words, words
from kernel.spec import ParamSpec, ToolSpec

NAMES = ["alpha", "beta_b", "g", "delta", "epsilon", "no_alpha"]
LETTERS = ["-a", "-b", "-x", "-1", "-name", "--long", "--al", "-al"]

texts = st.one_of(
    st.sampled_from(sorted(HARD.values())),
    st.sampled_from(["\udcff\udc80", "a\nb", "a=b", "=x"]),
    st.sampled_from(["--alpha", "--alpha=3", "-a", "-ab", "-5", "-1e3", "--no-alpha", "true", "--", "-x=1", "0644", "--name"]),
    st.text(st.sampled_from("ab=-:, 1é"), max_size=4),
)
integers = st.one_of(st.integers(-99, 99).map(str), st.sampled_from(["0644", "+5", "-0", LONG, "-12"]))
numbers = st.sampled_from(["0", "-1.50", "1e3", ".5", "-2", "5.", "12345678901234567890"])
documents = st.sampled_from(["[]", "[1]", '["-x", 1.10]', "[null,true]"])
json_texts = st.sampled_from(["null", "1", '"-x"', "[1]", '{"a": 1.50}', "true"])
BY_TYPE = {"string": texts, "any": texts, "int": integers, "number": numbers, "array": documents, "json": json_texts}


@st.composite
def flag_params(draw: st.DrawFn, name: str, aliases: list[str]) -> dict[str, Any]:
    """One flag param of any of the shapes there are."""
    param: dict[str, Any] = {"name": name, "aliases": aliases}
    shape = draw(
        st.sampled_from(["plain", "plain", "list", "tuple", "bool", "count", "optional", "split", "delimiter", "verbatim"])
    )
    kind = draw(st.sampled_from(sorted(BY_TYPE)))
    if shape in ("bool", "count"):
        param |= {"type": "bool"} if shape == "bool" else {"count": True}
        return param | {"negatable": draw(st.booleans())}
    if shape in ("tuple", "verbatim"):
        param["consumes"] = [
            {"name": f"S{at}", "type": draw(st.sampled_from(sorted(BY_TYPE)))} for at in range(draw(st.integers(2, 3)))
        ]
        param["repeatable"] = draw(st.booleans())
    elif shape == "split":
        param |= {
            "split": draw(st.sampled_from([":", "="])),
            "consumes": [{"name": "A"}, {"name": "B"}, {"name": "C", "optional": True}],
        }
        param["repeatable"] = draw(st.booleans())
    elif shape == "optional":
        param |= {"optional_value": "auto"}
    elif shape == "delimiter":
        param |= {"delimiter": ",", "repeatable": True, "type": draw(st.sampled_from(["string", "int"]))}
    else:
        param |= {"type": kind, "repeatable": shape == "list"}
    if shape == "verbatim":
        param["values"] = "verbatim"
    return param


@st.composite
def positionals(draw: st.DrawFn) -> list[dict[str, Any]]:
    out = []
    required = draw(st.integers(0, 2))
    for at in range(draw(st.integers(0, 3))):
        out.append(
            {
                "name": f"p{at}",
                "positional": True,
                "required": at < required,
                "type": draw(st.sampled_from(["string", "int", "any"])),
            }
        )
    if out and draw(st.booleans()):
        out[-1]["repeatable"] = True
    if draw(st.booleans()):
        out.append({"name": "behind", "positional": True, "after": "--", "repeatable": not any(p.get("repeatable") for p in out)})
    return out


@st.composite
def tools(draw: st.DrawFn) -> ToolSpec:
    """A tool, or a subcommand of one with flags on both levels."""
    letters = draw(st.permutations(LETTERS))
    names = draw(st.permutations(NAMES))[: draw(st.integers(0, 4))]
    flags = [draw(flag_params(name, letters[2 * at : 2 * at + draw(st.integers(0, 2))])) for at, name in enumerate(names)]
    level = {"flags": draw(st.sampled_from(["anywhere", "anywhere", "before-operands", "none"]))}
    if draw(st.booleans()) and level["flags"] == "anywhere":
        level |= {
            "unknown_flags": draw(st.sampled_from(["error", "pass"])),
            "order": draw(st.sampled_from(["declared", "typed", "interleaved"])),
        }
    operands = draw(positionals())
    if draw(st.integers(0, 3)) == 0:
        inner = level | {"name": "child", "params": flags[2:] + operands}
        manifest = {"exec": ["true", "{*}"], "params": flags[:2], "subcommands": [inner]}
    else:
        manifest = level | {"exec": ["true", "{*}"], "params": flags + operands}
    try:
        spec = tool(as_yaml(manifest))
        drawn["a tool"] += 1
    except KernelError:
        drawn["no tool"] += 1
        spec = tool(
            "params: [{name: alpha, aliases: [-a]}, {name: beta_b, consumes: 2}, {name: p0, positional: true, repeatable: true}]"
        )
    return spec.child("child") or spec


def occurrences(param: ParamSpec) -> st.SearchStrategy[Any]:
    """Texts of one occurrence, in the shape of the JSON door."""
    if param.count:
        return st.integers(0, 12)
    if param.is_flag:
        return st.booleans()
    slots = [BY_TYPE[slot.type] for slot in param.slots]
    if len(slots) > 1:
        return st.tuples(*slots).map(list)
    return slots[0]


def typed(param: ParamSpec, value: Any) -> Any:
    """What JSON would say for texts of one occurrence: documents as values."""
    if isinstance(value, list):
        return [document(slot.type, part) for slot, part in zip(param.slots, value)]
    return document(param.type, value) if isinstance(value, str) else value


def document(kind: str, text: str) -> Any:
    return strict_json.loads(text) if kind in ("array", "json") else text


drawn: Counter[str] = Counter()


def record(value: Any, spec: ToolSpec) -> None:
    if isinstance(value, list):
        for part in value:
            record(part, spec)
    elif isinstance(value, str):
        drawn.update([name for name, hard in HARD.items() if hard == value])
        drawn["a declared spelling"] += value in spec.spellings


@st.composite
def calls(draw: st.DrawFn) -> Bound:
    """A call that checks, made at the JSON door."""
    spec = draw(tools())
    arguments: dict[str, Any] = {}
    for param in spec.params:
        if draw(st.booleans()):
            one = occurrences(param)
            value = draw(st.lists(one, max_size=3)) if param.repeatable else draw(one)
            arguments[param.name] = [typed(param, item) for item in value] if param.repeatable else typed(param, value)
    bound = bind_mapping(spec, arguments, escapes=True)
    try:
        check(bound, {})
    except KernelError:  # operands with a gap, entries that a delimiter cuts …
        faulty = set(bound.faulted) | {spec.params[at].name for at in spec.positionals}
        kept = {name: value for name, value in arguments.items() if name not in faulty}
        kept |= {
            spec.params[at].name: "1" for at in spec.positionals if spec.params[at].required and not spec.params[at].repeatable
        }
        kept |= {spec.params[at].name: ["1"] for at in spec.positionals if spec.params[at].required and spec.params[at].repeatable}
        bound = check(bind_mapping(spec, kept, escapes=True), {})
    for name in bound.origins:
        record(bound.texts[name], spec)
    return bound


def from_root(bound: Bound, line: list[str]) -> Bound:
    """The line bound as its tool binds it: from the root, when the call is a subcommand's."""
    spec = bound.spec
    if len(spec.path) == 1:
        return bind(spec, line)
    own = [(at, param) for at, param in enumerate(spec.params) if param.level == 0]
    root = ToolSpec(
        name="t",
        path=("t",),
        params=tuple([param for _, param in own]),
        spellings={spelling: at for at, param in own for spelling in param.spellings},
        negations={spelling: at for at, param in own for spelling in param.negations},
        children=(spec.pack(),),
        child_names={spec.name: 0},
    )
    return bind(root, line)


def _round_trip(bound: Bound) -> None:
    try:
        line = words(bound)
    except NoSpelling:
        option, text, name = call_words(bound)
        assert (option, name) == ("--args-json", "_".join(bound.spec.path))
        if "\ufffd" not in text:  # bytes have no JSON
            second = check(bind_text(bound.spec, text), {})
            assert (second.values, second.texts) == (bound.values, bound.texts)
            drawn["no spelling in words"] += 1
        return
    note(f"line: {line}")
    second = from_root(bound, line)
    assert second.problems == [], [problem.message for problem in second.problems]
    check(second, {})
    assert second.values == bound.values
    assert second.texts == bound.texts
    drawn["words"] += 1
    drawn["a child"] += len(bound.spec.path) > 1
    assert words(second) == line, "the canonical line is its own canonical line"


@st.composite
def lines(draw: st.DrawFn) -> Bound:
    """Any words at all, bound and perhaps at fault."""
    spec = draw(tools())
    spelled = sorted(spec.spellings) + sorted(spec.negations)
    values = st.one_of(texts, integers, st.sampled_from(["1", "a,b", "x:y", "p=q", "[1]"]))
    some = st.sampled_from(spelled) if spelled else values
    attached = st.tuples(some, st.sampled_from(["=", ""]), values).map("".join)
    return bind(spec, draw(st.lists(st.one_of(some, values, values, attached), max_size=8)))


def _survives(bound: Bound) -> None:
    """Words bind, or are refused with problems that can be told; what binds makes the round trip."""
    try:
        check(bound, {})
    except KernelError as error:
        complete(error, bound.spec)
        for problem in error.problems:
            assert not isinstance(problem.where, WordPlace) or 0 <= problem.where.index < len(bound.words)
        explanation(bound, None, error)
        return
    drawn["a line"] += 1
    rows = explanation(bound)["words"]
    assert {row["word"] for row in rows} >= set(range(len(bound.words))), "every word is explained"
    assert all(row["role"] not in ("unread", "problem") for row in rows)
    if len(bound.spec.path) == 1:
        _round_trip(bound)


ALL = (*HARD, "a declared spelling", "words", "a child", "no spelling in words")


def test_words_bind_to_the_same_values() -> None:
    run(calls(), _round_trip, 200, short_seed(), drawn, ALL)


def test_any_line_survives() -> None:
    run(lines(), _survives, 200, short_seed(), drawn, ("a line", "words"))


@pytest.mark.nightly
def test_words_bind_to_the_same_values_at_length() -> None:
    run(calls(), _round_trip, 4000, new_seed(), drawn, ALL)


@pytest.mark.nightly
def test_any_line_survives_at_length() -> None:
    run(lines(), _survives, 4000, new_seed(), drawn, ("a line", "words"))
