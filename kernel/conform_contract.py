"""Rows of the input-schema contract, of path policy and of running a child: ``{id, kind, input, expect}``."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

from kernel import bind_json, check, dispatch, input_schema, policy, render, strict_json, template
from kernel.errors import KernelError
from kernel.plan import Plan
from kernel.spec import ToolSpec
from kernel.verdict import Verdict, same

_TYPES = {"int": "integer", "bool": "boolean"}


def judge_contract(row: dict[str, Any], verdict: Verdict) -> None:
    """Runs a row of one of the kinds below."""
    kinds = {
        "schema-accept": _schema_accept,
        "schema-reject": _schema_reject,
        "placeholder": _placeholder,
        "render": _call_accept,
        "call-accept": _call_accept,
        "call-reject": _call_reject,
        "fs": _paths,
        "process": _process,
    }
    if row["kind"] not in kinds:
        raise ValueError(f"`{row['kind']}` is no kind of row")
    kinds[row["kind"]](_expanded(row["input"]), _expanded(row["expect"]), verdict)


def _expanded(value: Any) -> Any:
    """`<140000 y>` in a text stands for so many of that letter."""
    if isinstance(value, dict):
        return {key: item if key == "expand" else _expanded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_expanded(item) for item in value]
    if isinstance(value, str) and "<" in value:
        import re

        return re.sub(r"<([0-9]{3,7}) (.)>", lambda match: match[2] * int(match[1]), value)
    return value


def _only(given: dict[str, Any], *known: str) -> None:
    strange = sorted(set(given) - {*known, "expand"})
    if strange:
        raise ValueError(f"a row of this kind has no {', '.join([f'`{key}`' for key in strange])}")


def _spec(given: dict[str, Any]) -> ToolSpec:
    return input_schema.ad_hoc(given["argv"], given.get("schema_text"), tuple(given.get("allow_dash", ())))


def _plan(given: dict[str, Any]) -> Plan:
    bound = check.check(bind_json.bind_text(_spec(given), given["arguments_text"], "arguments"), {})
    plan = render.render(bound)
    policy.judge(plan, ask=False)
    return plan


def _schema_accept(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    _only(given, "argv", "schema_text", "allow_dash")
    _only(expect, "startup", "fields", "advertised_schema")
    spec = _spec(given)
    fields = [{"name": param.name, "type": _TYPES.get(param.type, param.type)} for param in spec.params]
    if not same(expect["fields"], fields):
        verdict.differ("fields", expect["fields"], fields)
    published = strict_json.loads(input_schema.published(spec))
    if "advertised_schema" in expect and not same(expect["advertised_schema"], published):
        verdict.differ("schema", expect["advertised_schema"], published)


def _schema_reject(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    _only(given, "argv", "schema_text", "allow_dash")
    _only(expect, "startup", "exit_code", "reason")
    try:
        spec = _spec(given)
    except KernelError:
        return
    verdict.differ("accepted", f"refused ({expect.get('reason')})", [param.name for param in spec.params])


def _placeholder(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    _only(given, "template")
    _only(expect, "names", "startup", "reason")
    try:
        names = template.placeholders(given["template"])
    except (template.TemplateError, KernelError) as error:
        if "names" in expect:
            verdict.differ("names", expect["names"], str(error))
        return
    if "names" not in expect or not same(expect["names"], list(dict.fromkeys(names))):
        verdict.differ("names", expect.get("names", f"refused ({expect.get('reason')})"), names)


def _call_accept(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    _only(given, "argv", "schema_text", "arguments_text", "allow_dash")
    _only(expect, "argv")
    argv = _plan(given).argv()
    if argv != expect["argv"]:
        verdict.differ("argv", expect["argv"], argv)


def _call_reject(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    """The fault of a message (``rpc-error``) must be one of its JSON, the others one of its values."""
    _only(given, "argv", "schema_text", "arguments_text", "allow_dash")
    _only(expect, "layer", "reason", "isError", "structured", "field", "code", "response_id")
    _spec(given)  # the tool itself is sound
    try:
        plan = _plan(given)
    except KernelError as error:
        fields = [fact for problem in error.problems for fact in (problem.facts.get("param"), problem.facts.get("got"))]
        if "field" in expect and expect["field"] not in fields:
            verdict.differ("field", expect["field"], fields)
        if (expect["layer"] == "rpc-error") != (error.code == "E-JSON"):
            verdict.differ("layer", expect["layer"], error.code)
        return
    verdict.differ("accepted", f"refused ({expect.get('reason', expect['layer'])})", plan.argv())


def _paths(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    """Path policy: a tree is laid out, and the values of ``path_fields`` judged against roots and denied places."""
    from kernel import paths

    _only(given, "cwd", "tree", "argv", "path_fields", "roots", "deny", "arguments")
    _only(expect, "decision", "reason", "layer", "isError", "startup")
    with tempfile.TemporaryDirectory() as directory:
        base = os.path.realpath(directory)

        def real(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: real(item) for key, item in value.items()}
            return value.replace("$BASE", base) if isinstance(value, str) else value

        _lay_out(base, given["tree"], real)
        cwd = real(given["cwd"])
        spec = _spec(given)
        for param in spec.params:
            if param.name in given["path_fields"]:
                param.slots[0].path = "write"
        spec.base = cwd
        spec.roots = tuple([real(root) for root in given["roots"]])
        spec.deny = tuple([real(place) for place in given["deny"]])
        allowed, why = True, ""
        try:
            values = given.get("arguments", dict.fromkeys(given["path_fields"], "x"))
            bound = check.check(bind_json.bind_mapping(spec, real(values)), {})
            plan = render.render(bound, cwd)
            plan.cwd = cwd
            problems = paths.problems(plan, cwd)
            allowed, why = not problems, "; ".join([problem.message for problem in problems])
        except KernelError as error:
            allowed, why = False, str(error)
    wanted = expect.get("decision", "deny")
    if (wanted == "allow") != allowed:
        verdict.differ("decision", wanted, why or "allow")


def _lay_out(base: str, tree: list[dict[str, str]], real: Any) -> None:
    for node in tree:
        place = os.path.join(base, node["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if node["kind"] == "dir":
            os.makedirs(place, exist_ok=True)
        elif node["kind"] == "file":
            with open(place, "w", encoding="utf-8"):
                pass
        elif node["kind"] == "symlink":
            os.symlink(real(node["to"]), place)
        else:
            raise ValueError(f"`{node['kind']}` is no kind of node")


def _process(given: dict[str, Any], expect: dict[str, Any], verdict: Verdict) -> None:
    """A captured run of the command itself."""
    _only(given, "argv", "timeout_ms", "output_limit_bytes")
    _only(expect, "structuredContent", "isError", "max_elapsed_ms", "content_text_0", "layer", "reason")
    spec = _spec(given)
    spec.timeout = given.get("timeout_ms", 0) / 1000
    if "output_limit_bytes" in given:
        spec.limits = {**spec.limits, "output": given["output_limit_bytes"]}
    began = time.monotonic()
    try:
        plan = render.render(check.check(bind_json.bind_mapping(spec, {}), {}))
        policy.judge(plan, yes=True)
        result = dispatch.captured(plan, stdin=b"", one_shot=False)
    except KernelError as error:
        if not expect["isError"]:
            verdict.differences.append(f"refused: {error}")
        return
    elapsed = (time.monotonic() - began) * 1000
    got = {
        "exitCode": result.exit_code,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "timedOut": result.timed_out,
        "stdoutTruncated": result.stdout_truncated,
        "stderrTruncated": result.stderr_truncated,
    }
    for key, value in expect.get("structuredContent", {}).items():
        if key not in got or not same(value, got[key]):
            verdict.differ(key, value, got.get(key))
    text = expect.get("content_text_0", result.stdout)
    if result.ok and text != result.stdout:
        verdict.differ("content", text, result.stdout)
    if expect["isError"] == result.ok:
        verdict.differ("isError", expect["isError"], not result.ok)
    if elapsed > expect.get("max_elapsed_ms", elapsed):
        verdict.differ("elapsed", f"at most {expect['max_elapsed_ms']} ms", f"{elapsed:.0f} ms")
