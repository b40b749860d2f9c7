"""Manifests compiled in process, for tests of what loading says: no file, no cache, no run."""

from __future__ import annotations

import textwrap

from kernel import manifest, schema
from kernel.errors import KernelError, Place, Problem
from kernel.spec import ToolSpec


def load(text: str, *, name: str = "t", base: str = "") -> ToolSpec:
    """The spec of a manifest given as text."""
    data = textwrap.dedent(text).encode()
    return schema.compile_tool(manifest.read(data, f"{name}.yaml"), file="", base=base, name=name)


def problems(text: str, *, name: str = "t", base: str = "") -> tuple[Problem, ...]:
    """What is wrong with a manifest; () when it loads."""
    try:
        load(text, name=name, base=base)
    except KernelError as error:
        return error.problems
    return ()


def shown(text: str, *, name: str = "t", base: str = "") -> list[str]:
    """Each problem as `LINE:COLUMN «MARKED TEXT» MESSAGE | HINT`."""
    lines = []
    for problem in problems(text, name=name, base=base):
        where = problem.where
        assert isinstance(where, Place), problem.message
        marked = where.text[where.column - 1 : where.column - 1 + where.width]
        lines.append(f"{where.line}:{where.column} «{marked}» {problem.message}" + (f" | {problem.hint}" if problem.hint else ""))
    return lines
