"""The corpus of tool cases: one row is one call of a tool, with its files, its output and its status."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
from gnu_case import UTF8, ours
from kernel_case import ROOT

ROWS = [json.loads(line) for line in (ROOT / "tests/corpus/tools/cases.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_row_holds(row: dict[str, Any], tmp_path: Path) -> None:
    for name, text in (row.get("files") or {}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    expect = row["expect"]
    stdin = base64.b64decode(row.get("stdin_b64") or "")
    found = ours(row["argv"], stdin, cwd=tmp_path, env={**UTF8, "HOME": str(tmp_path)})
    assert found.stdout == base64.b64decode(expect["stdout_b64"]), found.stderr
    assert found.status in [expect["status"], *expect.get("also_status", [])], found.stderr
    for name, wanted in (expect.get("after") or {}).items():
        path = tmp_path / name
        if "absent" in wanted:
            assert not os.path.lexists(path)
        if "b64" in wanted:
            assert path.read_bytes() == base64.b64decode(wanted["b64"])
