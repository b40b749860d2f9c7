"""A line continued inside a word, a name or an operator is read as if it were one line (L1)."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell_case import ROOT

from kernel.errors import KernelError
from kernel.shell.parser import parse
from kernel.shell.source import Source

ROWS = (ROOT / "tests/corpus/lang/agreed.jsonl").read_text(encoding="utf-8").splitlines()
# in single quotes, comments and here-documents the characters may stand for themselves
SCRIPTS = [
    script for row in ROWS if (script := json.loads(row)["script"]) and not set(script).intersection("'#\\") and "<<" not in script
]
PLACES = ("source", "start", "end")


def shape(node: Any) -> Any:
    """A tree without the places of its nodes."""
    if isinstance(node, (list, tuple)):
        return [shape(each) for each in node]
    if node is None or isinstance(node, (str, int, bool, Enum)):
        return node
    if isinstance(node, frozenset):
        return sorted(node)
    names = {name for kind in type(node).__mro__ for name in getattr(kind, "__slots__", ())} or set(vars(node))
    return [type(node).__name__, *[(name, shape(getattr(node, name))) for name in sorted(names.difference(PLACES))]]


def read(text: str) -> Any:
    try:
        return shape(parse(Source(text, "script")))
    except KernelError as error:
        return error.problems[0].code


@given(script=st.sampled_from(SCRIPTS), places=st.lists(st.integers(0, 10_000), min_size=1, max_size=3))
def test_a_script_is_the_same_wherever_its_lines_are_continued(script: str, places: list[int]) -> None:
    joined = script
    for place in sorted({place % len(script) for place in places}, reverse=True):
        joined = f"{joined[:place]}\\\n{joined[place:]}"
    assert read(joined) == read(script), joined


@pytest.mark.parametrize(
    ("script", "line", "column"), [("a=1 &\\\n& b=2; ${", 2, 13), ("a\\\nb c; i\\\nf ${", 3, 10), ("x\\\n\ny; ${", 3, 4)]
)
def test_an_error_behind_a_joint_has_its_line(script: str, line: int, column: int) -> None:
    with pytest.raises(KernelError) as caught:
        parse(Source(script, "script"))
    where: Any = caught.value.problems[0].where
    assert (where.line, where.column) == (line, column)
