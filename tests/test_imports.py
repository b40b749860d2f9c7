"""The import set of a warm `kernel call` (performance.md T17), measured in a real process."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import imported
import pytest
from kernel_case import ROOT, Case

MANIFEST = """
    effect: read
    exec: [/bin/true, "{*}"]
    params:
      - {name: source, positional: true, required: true, path: read}
      - {name: verbose, type: bool, aliases: [-v]}
      - {name: quiet, type: bool, aliases: [-q]}
      - {name: format, choices: [tar, zip]}
      - {name: level, type: int, min: 0, max: 9}
      - {name: define, consumes: [{name: NAME}, {name: VALUE}], aliases: [-D]}
      - {name: label, pattern: "[a-z]+"}
    groups:
      - exclusive: [verbose, quiet]
"""
WORDS = ["call", "x", "-v", "--format", "tar", "--level=6", "-D", "a", "1", "src"]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A case whose tool has a compiled spec in the cache."""
    made = Case(tmp_path_factory.mktemp("imports")).tool("x", MANIFEST)
    changed = (made.cwd / "tools.d/x.yaml").stat().st_ctime
    time.sleep(max(changed + 2.2 - time.time(), 0))  # a younger manifest's spec is not kept
    made.run(WORDS).ok()
    assert any(Path(made.env["KERNEL_CACHE_DIR"]).rglob("*"))
    return made


def test_a_warm_call_imports_the_allowed_modules_only(case: Case) -> None:
    assert imported.surplus(sys.executable, str(ROOT), WORDS, case.cwd, case.env) == []


def test_a_pattern_is_matched_without_re(case: Case) -> None:
    found = imported.surplus(sys.executable, str(ROOT), [*WORDS, "--label", "abc"], case.cwd, case.env)
    assert found == ["kernel.pattern", "kernel.pattern_match", "kernel.pattern_sets"]
