"""Scripts on which bash and the shell agree byte for byte, and scripts where the shell must differ (tests/corpus/lang).

A row with `expect.error_about` must fail with a message, print exactly `expect.stdout`, and mention `expect.mentions`.
"""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from shell_case import ROOT, Outcome, ShellCase

AREAS: dict[str, list[dict[str, Any]]] = {}
for file in sorted((ROOT / "tests/corpus/lang").glob("*.jsonl")):
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        AREAS.setdefault(row["area"], []).append(row)


def verdict(row: dict[str, Any], outcome: Outcome) -> str:
    """What is wrong, "" for nothing."""
    want = row["expect"]
    if "Traceback" in outcome.stderr or "E-INTERNAL" in outcome.stderr:
        return outcome.stderr
    if "error_about" in want:
        if outcome.exit == 0 or not outcome.stderr.strip():
            return f"no error about {want['error_about']}: {outcome}"
        if outcome.stdout != want.get("stdout", ""):
            return f"an error, but with output: {outcome}"
        missing = [text for text in want.get("mentions", []) if text not in outcome.stderr]
        return f"the message does not mention {missing}: {outcome}" if missing else ""
    return "" if (outcome.stdout, outcome.exit) == (want.get("stdout", ""), want["status"]) else str(outcome)


@pytest.mark.parametrize("area", sorted(AREAS))
def test_scripts_of_an_area(area: str, tmp_path: Path) -> None:
    failures, ran = [], 0
    for row in AREAS[area]:
        if not all(shutil.which(name) for name in row.get("needs", [])):
            continue
        ran += 1
        place = tmp_path / f"{row['id']}-{ran}"
        place.mkdir()
        case = ShellCase(place, tmp_path)
        (case.cwd / ".git").rmdir()  # rows list their directory
        for name, text in (row.get("files") or {}).items():
            case.file(name, text)
        for name, data in (row.get("files_b64") or {}).items():
            case.file(name, base64.b64decode(data))
        wrong = verdict(row, case.line(row["script"], stdin=row.get("stdin") or ""))
        if wrong:
            failures.append(f"{row['id']}: {row['script']!r}\n{wrong}")
    if not ran:
        pytest.skip("the programs that these scripts need are not installed")
    assert not failures, "\n".join(failures)
