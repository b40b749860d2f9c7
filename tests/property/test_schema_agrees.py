"""The published schemas and the kernel agree on arguments, in every dialect.

What a schema accepts, the kernel accepts, or refuses by a rule that the descriptions state. What the kernel accepts from
words, written canonically as `explain --json` does, the schema accepts, and it is the same call again.
"""

from __future__ import annotations

from typing import Any

import pytest
from call_case import tool
from hypothesis import HealthCheck, Phase, assume, event, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from kernel import pattern_match, policy, render, strict_json
from kernel.bind import bind
from kernel.bind_json import bind_mapping
from kernel.check import check
from kernel.conform import as_yaml
from kernel.errors import KernelError, Problem
from kernel.export import dialects, json_schema
from kernel.export.given import natural
from kernel.spec import ToolSpec

CHOICES: dict[str, list[Any]] = {"string": ["x", "-y", ""], "int": [1, -2], "number": [0.5, 3], "any": ["x", "7"]}
PATTERNS = ["[a-z]+", "-?[0-9]{1,3}", "(?!-)[a-c=-]{1,4}", "x|yz"]
RULES = {
    "E-GROUP": ("At most one of", "At least one of", "All or none of"),
    "E-OPERAND-GAP": ("only together with",),
    "E-DUPLICATE": ("is given once.",),
    "E-DASH": ("Does not begin with `-`.",),
    "E-PATH": ("A path inside the",),
    "E-REQUIRED": ("Left out, it is the value of the environment variable",),
    "E-TYPE": ("JSON text", "holds no `", "Only the last part may hold"),
    "E-RANGE": ("At least", "At most"),
    "E-CHOICE": ("One of `",),
    "E-PATTERN": ("Matches the regular expression",),
    "E-ENCODING": ("Not empty.",),
}


def _pattern(_: Any, wanted: str, instance: Any, __: Any) -> Any:
    """The keyword as ECMA-262 reads it, which Python's `re` does not."""
    inner = wanted.removeprefix("^(?:").removesuffix(")$")
    if isinstance(instance, str) and not pattern_match.matches(inner, instance):
        yield ValidationError(f"{instance!r} does not match {wanted!r}")


Validator = extend(Draft202012Validator, {"pattern": _pattern})


@st.composite
def slots(draw: st.DrawFn, name: str, *, plain: bool = False) -> dict[str, Any]:
    """Type and limits of one word."""
    kind = draw(st.sampled_from(["string"] * 4 + ["int", "number", "any"] + ([] if plain else ["json", "object", "array"])))
    slot: dict[str, Any] = {"name": name, "type": kind}
    limit = draw(st.sampled_from(["", "", "choices", "range", "pattern", "path", "dash"]))
    if limit == "choices" and kind in CHOICES:
        slot["choices"] = CHOICES[kind]
    elif limit == "range" and kind in ("int", "number"):
        slot |= {"min": -3, "max": 7}
    elif limit == "pattern" and kind in ("string", "any"):
        slot["pattern"] = draw(st.sampled_from(PATTERNS))
    elif limit == "path" and kind == "string":
        slot["path"] = draw(st.sampled_from(["read", "new", "dir"]))
    elif limit == "dash":
        slot["allow_dash"] = True
    return slot


@st.composite
def params(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """A flag param of any shape."""
    shape = draw(
        st.sampled_from(["plain", "plain", "list", "tuple", "pair", "split", "delimiter", "bool", "count", "array", "attached"])
    )
    if shape == "bool":
        return {"name": name, "type": "bool", "negatable": draw(st.booleans())}
    if shape == "count":
        return {"name": name, "count": True, **draw(st.sampled_from([{}, {"min": 1, "max": 3}]))}
    if shape == "tuple":
        param: dict[str, Any] = {"name": name, "consumes": [draw(slots("KEY")), draw(slots("The-Value"))]}
        param["repeatable"] = draw(st.booleans())
        if param["repeatable"]:
            param |= draw(st.sampled_from([{}, {"unique_by": "KEY"}, {"unique_by": "KEY", "on_duplicate": "last"}]))
        return param
    if shape == "split":
        last = {**draw(slots("C", plain=True)), "optional": True}
        return {"name": name, "split": ":", "consumes": [{"name": "A"}, {"name": "B", "type": "int"}, last]}
    if shape == "array":
        items = draw(st.sampled_from(["", "string", "int", "number", "bool", "object", "array", "json", "any"]))
        return {"name": name, "type": "array", "min_items": 1, "max_items": 2, **({"items": items} if items else {})}
    param = draw(slots(name, plain=shape in ("delimiter", "attached")))
    if shape == "pair":
        return {**param, "consumes": 2}
    if shape == "list":
        return {**param, "repeatable": True, "min_items": draw(st.integers(0, 1)), "max_items": 2}
    if shape == "delimiter":
        return {**param, "repeatable": True, "delimiter": ","}
    if shape == "attached":
        return {**param, **draw(st.sampled_from([{"optional_value": "1"}, {"emit": "joined", "aliases": ["-j"]}]))}
    extra = draw(st.sampled_from([{}, {"required": True}, {"required": True, "env": "UNSET_HERE"}, {"default": "1"}]))
    return {**param, **extra}


@st.composite
def tools(draw: st.DrawFn) -> ToolSpec:
    """A tool with flags, operands and a group, and a template that puts some values where a dash matters."""
    flags = [draw(params(name)) for name in draw(st.lists(st.sampled_from(["alpha", "b-c", "d"]), unique=True, max_size=3))]
    operands = [
        {**draw(slots(f"p{at}", plain=True)), "positional": True, "required": at == 0 and draw(st.booleans())}
        for at in range(draw(st.integers(0, 2)))
    ]
    if operands and draw(st.booleans()):
        operands[-1]["repeatable"] = True
    manifest: dict[str, Any] = {"params": [*flags, *operands], "exec": ["true", "{*}"]}
    manifest["end_of_options"] = draw(st.sampled_from(["--", "none"]))
    for param in manifest["params"]:
        if draw(st.integers(0, 3)) == 0 and not {"consumes", "count"} & set(param) and param.get("type") != "bool":
            item = f"{{{param['name']}{'*' if param.get('repeatable') else ''}}}"
            manifest["exec"].insert(1, [item])
            param.pop("emit", None)
    names = [param["name"] for param in manifest["params"] if not param.get("required")]
    if len(names) > 1 and draw(st.booleans()):
        manifest["groups"] = [{draw(st.sampled_from(["exclusive", "required", "together"])): names[:2]}]
    try:
        return tool(as_yaml(manifest))
    except KernelError as error:
        note(str(error))
        assume(False)
        raise


texts = st.one_of(
    st.sampled_from(
        ["", "-", "--", "-x", "--alpha", "a,b", "a:b", "1", "x", "../..", "sub/file", "/etc/passwd", "é\n", "[1]", "{}"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from([0.5, 2.0]), texts)
anything = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)), max_leaves=4
)


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema accepts, as far as its keywords are ours."""
    if "anyOf" in schema:
        return st.one_of([instances(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", "anything")
    return st.one_of([_of_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def _of_kind(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    low, high = schema.get("minimum", -9), schema.get("maximum", 9)
    if kind == "object":
        if "properties" not in schema:
            return st.dictionaries(texts, anything, max_size=2)
        shapes = {name: instances(shape) for name, shape in schema["properties"].items()}
        required = set(schema.get("required", ()))
        return st.fixed_dictionaries(
            {name: shape for name, shape in shapes.items() if name in required},
            optional={name: shape for name, shape in shapes.items() if name not in required},
        )
    if kind == "array":
        least = schema.get("minItems", 0)
        return st.lists(instances(schema["items"]), min_size=least, max_size=schema.get("maxItems", least + 2))
    if kind == "string" and "pattern" in schema:
        inner = schema["pattern"].removeprefix("^(?:").removesuffix(")$")
        return st.from_regex(inner, fullmatch=True)
    whole = st.integers(int(low), int(high))
    return {
        "string": texts,
        "integer": st.one_of(whole, whole.map(float)),
        "number": st.one_of(whole, st.floats(low, high)),
        "boolean": st.booleans(),
        "null": st.none(),
        "anything": anything,
    }[kind]


def schema_of(dialect: str, spec: ToolSpec) -> tuple[dict[str, Any], str]:
    """The schema of the arguments in a dialect, and the tool's description."""
    shown = dialects.DIALECTS[dialect](spec)
    outer = shown.get("function", shown)
    schema = outer if dialect == "json-schema" else outer.get("inputSchema", outer.get("input_schema", outer.get("parameters")))
    return schema or {"type": "object", "properties": {}}, outer.get("description", "")


def stated(problem: Problem, schema: dict[str, Any], description: str) -> bool:
    """Whether a description has the rule by which a call was refused."""
    name = problem.facts.get("param", "")
    shape = schema["properties"].get(name, schema["properties"].get(name.replace("-", "_"), {}))
    text = description if problem.code in ("E-GROUP", "E-OPERAND-GAP") else strict_json.dumps(shape)
    return any(rule in text for rule in RULES.get(problem.code, ()))


def refusal(spec: ToolSpec, dialect: str, arguments: dict[str, Any], workspace: str) -> KernelError | None:
    """Why a served call with these arguments is not made."""
    try:
        read = natural(spec, arguments) if dialect in ("openai", "openai-strict", "gemini") else arguments
        plan = render.render(check(bind_mapping(spec, read), {}), workspace)
        policy.judge(plan, workspace=workspace, cwd=workspace, people=False, served=True)
    except KernelError as error:
        return error
    return None


PHASES = [Phase.explicit, Phase.generate, Phase.shrink]
few = settings(max_examples=150, deadline=None, derandomize=True, phases=PHASES, suppress_health_check=list(HealthCheck))
many = settings(max_examples=3000, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))


def _what_a_schema_accepts(spec: ToolSpec, data: st.DataObject, workspace: str) -> None:
    dialect = data.draw(st.sampled_from(sorted(dialects.DIALECTS)))
    schema, description = schema_of(dialect, spec)
    Draft202012Validator.check_schema(schema)
    arguments = data.draw(instances(schema))
    assume(Validator(schema).is_valid(arguments))  # but for a pattern that Python reads in another way
    error = refusal(spec, dialect, arguments, workspace)
    event("accepted" if error is None else error.code)
    if error is not None:
        note(f"{strict_json.dumps(schema)}\n{description}\n{error}")
        assert all(stated(problem, schema, description) for problem in error.problems)


@few
@given(tools(), st.data())
def test_what_a_schema_accepts_the_kernel_accepts_or_states_why_not(
    tmp_path_factory: pytest.TempPathFactory, spec: ToolSpec, data: st.DataObject
) -> None:
    _what_a_schema_accepts(spec, data, str(tmp_path_factory.getbasetemp()))


@pytest.mark.nightly
@many
@given(tools(), st.data())
def test_the_same_at_length(tmp_path_factory: pytest.TempPathFactory, spec: ToolSpec, data: st.DataObject) -> None:
    _what_a_schema_accepts(spec, data, str(tmp_path_factory.getbasetemp()))


words = st.lists(
    st.one_of(
        st.sampled_from(
            ["--alpha", "--b-c", "-d", "--alpha=x", "--b-c=1", "-d3", "--no-alpha", "-j1", "a:1:x", "0644", "1.50", "true"]
        ),
        st.sampled_from(['{"a": 1.10}', "[1, 2]", "x,y", "--", "x", "7"]),
        texts,
    ),
    max_size=6,
)


def _what_the_kernel_accepts(spec: ToolSpec, line: list[str]) -> None:
    try:
        bound = check(bind(spec, line), {})
    except KernelError:
        event("refused")
        return
    event("accepted")
    arguments = json_schema.canonical(bound)
    note(strict_json.dumps(arguments))
    Validator(json_schema.arguments(spec)).validate(arguments)
    again = check(bind_mapping(spec, strict_json.loads(strict_json.dumps(arguments))), {})
    assert again.values == bound.values


@few
@given(tools(), words)
def test_what_the_kernel_accepts_the_schema_accepts(spec: ToolSpec, line: list[str]) -> None:
    _what_the_kernel_accepts(spec, line)


@pytest.mark.nightly
@many
@given(tools(), words)
def test_the_same_of_many_lines(spec: ToolSpec, line: list[str]) -> None:
    _what_the_kernel_accepts(spec, line)
