"""Test vectors through the real stages: schema → bind → check → render → policy → dispatch.

A row is a JSON object; its form says what is compared:

- ``{id, params | manifest | input_schema, argv | arguments, expect}``: a call. ``params`` are a tool's params, where an
  N-tuple without ``repeatable`` has one N-list; ``manifest`` is a whole one (a mapping, or YAML text); ``input_schema``
  is a schema that ``exec`` (a command with templates) goes with. ``argv`` are words, ``argv_bytes`` the same in base64,
  ``arguments`` an object or its JSON text, ``env`` the variables. ``expect`` has any of ``named`` (what argv gave to
  flags), ``positional`` (the operands), ``values`` (all values), ``origins``, ``words`` (the canonical line behind
  the tool's name), ``argv`` (the child's), or ``error``: a kind, a code, or the list of all codes.
- ``{id, kind, input, expect}``: the input-schema contract (``conform_contract``).
- ``{id, argv, files, jq}``: what jq itself answers to ``$ARGS`` (``conform_jq``).

A row that is none of these, or says more than its form knows, is a failure.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any

from kernel import bind, bind_json, check, line, manifest, policy, render, schema, strict_json
from kernel.bound import Bound
from kernel.errors import KernelError
from kernel.spec import ToolSpec
from kernel.verdict import Verdict, same

_NAMES = {"id", "tags", "note", "source", "expand"}  # what any row may say
_CALL = {"params", "manifest", "input_schema", "exec", "argv", "argv_bytes", "arguments", "env", "expect"}
_EXPECTED = {"named", "positional", "values", "origins", "words", "argv", "error"}


class _Unknown(ValueError):
    """A row that is no row of any form."""


def verdicts(text: str, file: str) -> Iterator[Verdict]:
    """The verdict of each row of a JSON Lines text; ``file`` names the rows that have no id."""
    for number, row_text in enumerate(text.split("\n"), 1):
        if not row_text.strip():
            continue
        try:
            row = strict_json.loads(row_text)
        except strict_json.JsonError as error:
            verdict = Verdict(f"{file}:{number}")
            verdict.differences.append(f"the row is no JSON: {error.message} (column {error.column})")
            yield verdict
            continue
        yield judge(row, f"{file}:{number}")


def judge(row: Any, place: str = "") -> Verdict:
    """Runs one row. Whatever goes wrong is a difference of its verdict; nothing is raised."""
    verdict = Verdict(str(row.get("id") or place) if isinstance(row, dict) else place)
    try:
        _form(row)(row, verdict)
    except KernelError as error:
        verdict.differences.append(f"it failed: {error}")
    except _Unknown as error:
        verdict.differences.append(str(error))
    except KeyError as error:
        verdict.differences.append(f"the row has no `{error.args[0]}`, which its form needs")
    except (AttributeError, TypeError, ValueError) as error:
        verdict.differences.append(f"the row cannot be read: {type(error).__name__}: {error}")
    return verdict


def _form(row: Any) -> Any:
    if not isinstance(row, dict):
        raise _Unknown("the row is no JSON object")
    if "kind" in row:
        from kernel.conform_contract import judge_contract

        known, form = {"kind", "input", "expect"}, judge_contract
    elif "jq" in row:
        from kernel.conform_jq import judge_jq

        known, form = {"argv", "files", "prefix", "jq"}, judge_jq
    else:
        known, form = _CALL, judge_call
    strange = sorted(set(row) - known - _NAMES)
    if strange:
        raise _Unknown(f"no form of row has {', '.join([f'`{key}`' for key in strange])}")
    return form


def judge_call(row: dict[str, Any], verdict: Verdict) -> None:
    """One call of a tool that the row itself describes."""
    expect = row["expect"]
    if not isinstance(expect, dict) or not expect or set(expect) - _EXPECTED:
        raise ValueError(f"`expect` has some of {', '.join(sorted(_EXPECTED))}")
    wanted = expect.get("error")
    try:
        spec = spec_of(row)
        bound = check.check(_bind(spec, row), row.get("env", {}))
        child: list[str] = []
        if "error" in expect or "argv" in expect:
            plan = render.render(bound)
            policy.judge(plan, ask=False)
            child = plan.argv()
    except KernelError as error:
        if "error" in expect:
            compare_error(verdict, wanted, error)
        else:
            verdict.differences.append(f"refused: {error}")
        return
    if "error" in expect:
        verdict.differ("accepted", f"error {wanted}", bound.values)
        return
    named, operands = given(bound)
    got = {"named": named, "positional": operands, "values": bound.values, "origins": bound.origins, "argv": child}
    for key, value in expect.items():
        actual = line.words(bound) if key == "words" else got[key]
        if not same(value, actual):
            verdict.differ(key, value, actual)


def spec_of(row: dict[str, Any]) -> ToolSpec:
    """The tool of a call row. Raises KernelError for a manifest or schema that cannot be loaded."""
    forms = [key for key in ("params", "manifest", "input_schema") if key in row]
    if len(forms) != 1:
        raise ValueError("a row has one of `params`, `manifest` and `input_schema`")
    if "input_schema" in row:
        from kernel import input_schema

        given = row["input_schema"]
        return input_schema.ad_hoc(row["exec"], given if isinstance(given, str) else strict_json.dumps(given))
    if "params" in row:
        tool: Any = {"params": [_case_param(param) for param in row["params"]]}
    else:
        tool = row["manifest"]
    if isinstance(tool, dict):
        if not {"exec", "builtin", "subcommands"} & set(tool):
            tool = {**tool, "exec": row.get("exec", ["true", "{*}"])}
        tool = as_yaml(tool)
    return schema.compile_tool(manifest.read(tool.encode(), "manifest"), file="", base="", name="t")


def _case_param(param: dict[str, Any]) -> dict[str, Any]:
    """A param of the case files as a manifest's: an N-tuple there is repeatable only where it says so."""
    return {**param, "repeatable": False} if param.get("consumes", 1) != 1 and "repeatable" not in param else param


def as_yaml(value: Any) -> str:
    """JSON text that the strict YAML of manifests reads as the same value: what YAML cannot hold raw is escaped."""
    text = strict_json.dumps(value)
    return "".join([f"\\u{ord(c):04x}" if not c.isprintable() and ord(c) < 0x10000 else c for c in text])


def _bind(spec: ToolSpec, row: dict[str, Any]) -> Bound:
    if ("argv" in row) + ("argv_bytes" in row) + ("arguments" in row) != 1:
        raise ValueError("a row has one of `argv`, `argv_bytes` and `arguments`")
    if "argv" in row:
        return bind.bind(spec, list(row["argv"]))
    if "argv_bytes" in row:
        words = [base64.b64decode(word, validate=True) for word in row["argv_bytes"]]
        return bind.bind(spec, [word.decode("utf-8", "surrogateescape") for word in words])
    arguments = row["arguments"]
    return bind_json.bind_text(spec, arguments if isinstance(arguments, str) else strict_json.dumps(arguments), "arguments")


def given(bound: Bound) -> tuple[dict[str, Any], list[Any]]:
    """What the call itself gave: values of flags by name, and the operands in order."""
    named: dict[str, Any] = {}
    operands: list[Any] = []
    for param in bound.spec.params:
        if bound.origins.get(param.name) in ("argv", "json"):
            value = bound.values[param.name]
            if not param.positional:
                named[param.name] = value
            elif param.repeatable:
                operands += value
            else:
                operands.append(value)
    return named, operands


def compare_error(verdict: Verdict, wanted: Any, error: KernelError) -> None:
    """A code, or a list of all codes, must be met; another kind than the wanted one is only noted."""
    codes = [problem.code for problem in error.problems]
    if isinstance(wanted, list):
        if wanted != codes:
            verdict.differ("codes", wanted, codes)
    elif isinstance(wanted, str) and wanted.startswith("E-"):
        if wanted not in codes:
            verdict.differ("code", wanted, codes)
    elif isinstance(wanted, str) and error.problems[0].kind != wanted:
        verdict.notes.append(f"refused as {error.problems[0].kind}, where others say {wanted}")


def summary(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, bool]]:
    """Lines that report the verdicts, each with whether it is the report of a failure; the last has the counts."""
    passed = failed = 0
    for verdict in verdicts:
        for difference in verdict.differences:
            yield f"{verdict.id} {difference}", True
        for note in verdict.notes:
            yield f"{verdict.id} note: {note}", False
        if verdict.differences:
            failed += 1
        else:
            passed += 1
    yield f"{passed} passed, {failed} failed", failed > 0
