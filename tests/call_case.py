"""Calls in this process: a tool from a few lines of YAML, words bound and checked against it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from kernel import manifest, schema, words
from kernel.bind import bind
from kernel.bind_json import bind_mapping
from kernel.bound import Bound
from kernel.check import check
from kernel.errors import KernelError
from kernel.spec import ToolSpec


def tool(text: str, name: str = "t") -> ToolSpec:
    """The tool of a manifest; `exec` is added where the text has nothing to run."""
    text = textwrap.dedent(text).strip()
    if not any(key in text for key in ("exec:", '"exec":', "subcommands:", "builtin:")):
        text = 'exec: ["true", "{*}"]\n' + text
    return schema.compile_tool(manifest.read(text.encode(), f"{name}.yaml"), file="", base="", name=name)


def params(*lines: str, **keys: str) -> ToolSpec:
    """A tool with these params, each the inside of a flow mapping; ``keys`` are keys of the tool."""
    head = "".join([f"{key}: {value}\n" for key, value in keys.items()])
    return tool(head + "params:\n" + "".join([f"  - {{{line}}}\n" for line in lines]))


def split(line: str | list[str]) -> list[str]:
    return [word.text for word in words.split(line)] if isinstance(line, str) else line


def call(spec: ToolSpec, line: str | list[str], env: Mapping[str, str] | None = None) -> Bound:
    """A line (or list of words) bound and checked."""
    return check(bind(spec, split(line)), env or {})


def given(spec: ToolSpec, line: str | list[str], env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The values that the call has, without the `false`, `0` and `[]` of params that have none."""
    bound = call(spec, line, env)
    return {name: bound.values[name] for name in bound.origins}


def named(spec: ToolSpec, arguments: Mapping[str, Any], env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The same for JSON arguments."""
    bound = check(bind_mapping(spec, arguments), env or {})
    return {name: bound.values[name] for name in bound.origins}


def refused(spec: ToolSpec, line: str | list[str] | Mapping[str, Any], env: Mapping[str, str] | None = None) -> KernelError:
    """The error of a line, or of JSON arguments, that must be refused."""
    bound = bind_mapping(spec, line) if isinstance(line, Mapping) else bind(spec, split(line))
    try:
        check(bound, env or {})
    except KernelError as error:
        assert error.status == 2
        return error
    raise AssertionError(f"accepted: {bound.values}")


def codes(spec: ToolSpec, line: str | list[str] | Mapping[str, Any], env: Mapping[str, str] | None = None) -> list[str]:
    """The codes of all problems of a line that must be refused, in their order."""
    return [problem.code for problem in refused(spec, line, env).problems]


def load_error(text: str) -> str:
    """What is said of a manifest that must not load."""
    try:
        tool(text)
    except KernelError as error:
        return str(error)
    raise AssertionError("loaded")
