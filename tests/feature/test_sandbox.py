"""Tools that ask for a sandbox: what they cannot do in it, and that they never run without it (manifest.md, `sandbox`)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kernel_case import Case

from kernel import sandbox
from kernel.errors import KernelError
from kernel.spec import ToolSpec

TOOL = """
    description: D.
    effect: read
    sandbox: {SANDBOX}
    exec: [./run.sh, "{*}"]
    params: [{name: words, positional: true, repeatable: true}]
"""
DOORS = ["", "--json", "--timeout 60s"]  # becomes bubblewrap; captured; stays as its parent


def _refusal() -> str:
    """Why no sandbox can be set up here, "" where one can."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return "bubblewrap is not installed"
    argv = [bubblewrap, *sandbox.ALWAYS, "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"this system sets no sandbox up: {done.stderr.strip()}"


REFUSAL = _refusal()
real = pytest.mark.skipif(bool(REFUSAL), reason=REFUSAL)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    found = Case(tmp_path).file("seen/a", "visible\n").file("kept/.keep")
    found.file("hidden/b", "secret\n")
    return found


def tool(case: Case, wanted: str, script: str) -> Case:
    return case.tool("x", TOOL.replace("{SANDBOX}", "{" + wanted + "}")).script("run.sh", script)


@real
@pytest.mark.parametrize("options", DOORS)
def test_only_the_named_places_can_be_changed(case: Case, options: str) -> None:
    tool(case, "write: [kept]", "echo new > kept/n; echo no > seen/n; cat hidden/b; exit 3")
    assert case.run(f"call {options} x").exit == 3
    assert (case.cwd / "kept/n").read_text() == "new\n"
    assert not (case.cwd / "seen/n").exists()


@real
@pytest.mark.parametrize("options", ["", "--timeout 60s"])
def test_what_read_does_not_name_is_not_there(case: Case, options: str) -> None:
    tool(case, "read: [seen, run.sh], write: [kept]", 'pwd; ls; cat seen/a "$@"; echo > n; echo > kept/n; ls /home; echo $0')
    done = case.run(f"call {options} x hidden/b")
    assert done.stdout == "DIR\nkept\nrun.sh\nseen\nvisible\nDIR/./run.sh\n"
    assert done.stderr.count("o such file") == 2
    assert (case.cwd / "kept/n").exists()
    assert not (case.cwd / "n").exists()


@real
def test_the_inner_place_decides(case: Case) -> None:
    tool(case, 'read: ["."], write: [kept]', "echo > kept/n; echo > n")
    assert case.run("call x").exit != 0
    assert [(case.cwd / name).exists() for name in ("kept/n", "n")] == [True, False]


@real
def test_an_empty_sandbox_allows_the_least(case: Case) -> None:
    tool(case, "", "echo > n; cat hidden/b")
    done = case.run("call x").ok()
    assert done.stdout == "secret\n"
    assert not (case.cwd / "n").exists()


@real
def test_without_a_network(case: Case) -> None:
    script = "grep -c : /proc/net/dev"
    assert tool(case, "network: none", script).run("call x").ok().stdout == "1\n"  # its own loopback
    assert tool(case, 'write: ["."]', script).run("call x").ok().stdout == script_output(case, script)


def script_output(case: Case, script: str) -> str:
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout


@real
def test_processes_are_its_own_and_end_with_it(case: Case) -> None:
    tool(case, 'write: ["."]', "setsid env -i sleep 300 > /dev/null 2>&1 & ls -d /proc/[0-9]* | wc -l; sleep 300")
    done = case.run("call --json --timeout 700ms x")
    found = done.json()
    assert isinstance(found, dict)
    assert found["timed_out"] is True
    assert int(found["stdout"]) < 8  # bubblewrap's own first process, the shell and its children
    assert not _running_in(case.cwd)


def _running_in(directory: Path) -> list[str]:
    found = []
    for pid in os.listdir("/proc"):
        try:
            if pid.isdigit() and os.readlink(f"/proc/{pid}/cwd") == str(directory):
                found.append(pid)
        except OSError:
            continue
    return found


@real
def test_limits_reach_the_program(case: Case) -> None:
    tool(case, "network: none}\n    limits: {cpu: 7s, memory: 1GiB", "cat /proc/self/limits")
    for options in ("", "--timeout 60s"):
        lines = [line.split() for line in case.run(f"call {options} x").ok().stdout.splitlines()]
        assert ["Max", "cpu", "time", "7", "9", "seconds"] in lines
        assert ["Max", "data", "size", str(1 << 30), str(1 << 30), "bytes"] in lines


@real
@pytest.mark.parametrize("options", DOORS)
def test_a_builtin_in_a_sandbox(case: Case, options: str) -> None:
    text = "description: D.\neffect: read\nbuiltin: cat\nsandbox: {read: [seen]}\n"
    case.tool("x", text + "params: [{name: files, positional: true, repeatable: true}]")
    done = case.run(f"call {options} x seen/a hidden/b")
    assert done.exit == 1
    assert "visible" in done.stdout
    assert "secret" not in done.stdout


@real
def test_check_says_that_all_is_well(case: Case) -> None:
    tool(case, "network: none, read: [seen], write: [kept]", "true")
    assert "1 manifest, 0 problems" in case.run("check --here tools.d").ok().stdout


def _without_bubblewrap(case: Case) -> dict[str, str]:
    programs = case.cwd / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("sh", "cat", "true"):
        (programs / name).symlink_to(shutil.which(name) or name)
    return {"PATH": str(programs)}


@pytest.mark.parametrize("options", DOORS)
def test_without_bubblewrap_nothing_runs(case: Case, options: str) -> None:
    tool(case, "network: none", "echo > ran")
    env = _without_bubblewrap(case)
    done = case.run(f"call {options} x", env=env)
    assert done.exit == 2
    assert "error[E-SANDBOX]: `x` runs in a sandbox only, and `bwrap` is not installed" in done.stderr
    assert not (case.cwd / "ran").exists()
    assert "E-SANDBOX" in case.run("check --here tools.d", env=env).stdout


@pytest.mark.parametrize("options", DOORS)
def test_where_the_system_refuses_nothing_runs(case: Case, options: str) -> None:
    tool(case, "network: none", "echo > ran")
    env = _without_bubblewrap(case)
    case.script("bin/bwrap", "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1")
    done = case.run(f"call {options} x", env=env)
    assert done.exit == 2
    assert "the sandbox of `x` cannot be set up here" in done.stderr
    assert "No permissions to create a new namespace" in done.stderr
    assert not (case.cwd / "ran").exists()
    assert "No permissions" in case.run("check --here tools.d", env=env).stdout


def test_a_place_that_is_missing_is_named(case: Case) -> None:
    tool(case, "write: [nowhere]", "echo > ran")
    case.script("bin/bwrap", "exit 0")
    done = case.run("call x", env={"PATH": f"{case.cwd}/bin:{case.env['PATH']}"})
    assert done.exit == 2
    assert "names `nowhere`" in done.stderr


def test_the_command_line_of_bubblewrap(tmp_path: Path) -> None:
    base = Path(os.path.realpath(tmp_path))
    (base / "a/b").mkdir(parents=True)
    (base / "link").symlink_to("a")
    spec = ToolSpec(name="x", base=str(base), sandbox={"network": "none", "write": ("link/b",), "read": ("link",)})
    found = sandbox.options(spec, [f"{base}/prog", "/usr/bin/env"], "/")
    assert found[: len(sandbox.ALWAYS) + 1] == [*sandbox.ALWAYS, "--unshare-net"]
    inner, outer = f"{base}/a/b", f"{base}/a"
    assert found.index(outer) < found.index(inner)
    assert found[found.index(inner) - 1] == "--bind"
    assert found[found.index(outer) - 1] == "--ro-bind"
    assert found[-4:] == ["--remount-ro", "/", "--chdir", "/"]
    assert f"{base}/prog" not in found  # it does not exist, so bubblewrap could not bind it
    everything = sandbox.options(ToolSpec(name="x", base=str(base), sandbox={"write": ("a",)}), (), "/")
    assert everything[len(sandbox.ALWAYS) :][:3] == ["--ro-bind", "/", "/"]
    assert "--unshare-net" not in everything
    with pytest.raises(KernelError):
        sandbox.options(ToolSpec(name="x", base=str(base), sandbox={"read": ("gone",)}))
