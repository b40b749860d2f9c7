"""Times that are longer than the system can wait at once are times all the same."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case

from kernel import Kernel, KernelError, ToolSchema
from kernel.builtins import tail
from kernel.builtins.io import Io

LONG = "99999999h"


@pytest.mark.parametrize("line", [f"call --timeout {LONG} t", f"call --timeout {LONG} --json t", "call --json long", "call long"])
def test_a_call_may_take_longer_than_a_life(tmp_path: Path, line: str) -> None:
    text = "description: T.\neffect: read\nexec: [./run.sh]\n"
    case = Case(tmp_path).tool("t", text).tool("long", f"{text}timeout: {LONG}\n").script("run.sh", "sleep 0.05; echo done")
    found = case.run(line)
    assert (found.exit, found.stderr) == (0, "")
    assert "done" in found.stdout


@pytest.mark.parametrize("seconds", [1e12, 1e300, float("inf")])
def test_a_library_call_too(seconds: float) -> None:
    assert Kernel.load().using(timeout=seconds).call("echo", ["hi"]).stdout == "hi\n"


@pytest.mark.parametrize("seconds", [-1, float("nan"), "5"])
def test_what_is_no_time_is_refused_before_a_call(seconds: Any) -> None:
    with pytest.raises(KernelError, match="`timeout` wants seconds, 0 for none, got `"):
        Kernel.load().using(timeout=seconds)


def test_tail_sleeps_no_longer_than_the_system_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Awake(Exception):
        pass

    def sleep(seconds: float) -> None:
        raise Awake(seconds)

    file = tmp_path / "x"
    file.touch()
    bound = Kernel.load().bind("tail", ["-s", "1e300", "-f", str(file)])
    monkeypatch.setattr(time, "sleep", sleep)
    with open(os.devnull, "wb") as nowhere, pytest.raises(Awake) as caught:
        tail.run(bound, Io("tail", {}, "/", lambda words: 0, 0, nowhere.fileno(), nowhere.fileno()))
    assert caught.value.args[0] <= tail.LONGEST


@pytest.mark.parametrize(
    ("value", "shown"), [(float("nan"), "`nan`"), (float("-inf"), "`-inf`"), ({1}, "a value of the Python type `set`")]
)
def test_what_is_no_value_is_told(value: Any, shown: str) -> None:
    with pytest.raises(KernelError) as caught:
        Kernel.load().bind("head", lines=value)
    assert f"got {shown}" in str(caught.value)


def test_what_a_tool_runs_is_a_function() -> None:
    function: Any = 5
    with pytest.raises(KernelError, match="wants a function, got `5`"):
        Kernel.load().add(ToolSchema("t", "T.", []), run=function)
