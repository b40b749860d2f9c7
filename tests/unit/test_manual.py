"""The manual of a tool: what help shows of params that are hidden from agents."""

from __future__ import annotations

import pytest
from shipped import spec_of

from kernel.present import manual


@pytest.mark.parametrize(
    ("tool", "usage", "operand"),
    [("map", "map [FLAGS] WORDS…", "WORDS…"), ("env", "env [FLAGS] [WORDS…]", "WORDS…")],
)
def test_operands_are_shown_to_people(tool: str, usage: str, operand: str) -> None:
    """No call is made without them, whoever else they are hidden from."""
    sections = {section.title: section.rows for section in manual.sections(spec_of(tool), ())}
    assert sections["usage"] == [usage]
    assert [row[0] for row in sections["operands"]] == [operand]


@pytest.mark.parametrize(("tool", "flag"), [("find", "-true"), ("grep", "--number"), ("mktemp", "-t")])
def test_hidden_flags_are_for_those_who_know_them(tool: str, flag: str) -> None:
    spec = spec_of(tool)
    assert any(flag in param.spellings for param in spec.params if param.hidden)
    shown = [str(row[0]) for section in manual.sections(spec) for row in section.rows]
    assert not any(flag in text.replace(",", "").split() for text in shown)
