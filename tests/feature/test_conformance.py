"""The public conformance suite and the Inspector against `kernel mcp`: `tests/conformance/run`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from kernel_case import ROOT

pytest.importorskip("mcp", reason="the MCP SDK is not installed")


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm, which installs the suite, is not installed")
def test_nothing_fails_but_what_is_not_served() -> None:
    done = subprocess.run(
        [ROOT / "tests" / "conformance" / "run"],
        env={**os.environ, "PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-20_000:]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_a_baseline_lists_no_feature_that_is_served(revision: str) -> None:
    lines = (ROOT / "tests" / "conformance" / f"baseline.{revision}.yml").read_text().splitlines()
    listed = {line.removeprefix("  - ") for line in lines if line.startswith("  - ")}
    served = {"tools-list", "tools-call-simple-text", "tools-call-error", "tools-call-with-progress", "server-stateless"}
    assert not listed & {*served, "server-initialize", "ping", "dns-rebinding-protection", "http-header-validation"}
