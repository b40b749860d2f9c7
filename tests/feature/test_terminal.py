"""Programs on a real terminal (tmux), through the kernel and bare: a person sees and can do the same."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_case import Case
from terminal import KERNEL, Screen

from kernel import words

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
ANY = """
    description: D.
    effect: read
    exec: [{PROGRAM}, "{*}"]
    unknown_flags: pass
    params: [{name: words, positional: true, repeatable: true}]
"""
KEPT = "--timeout 600s "
DOORS = ["", "kernel call ", f"kernel call {KEPT}", "KERNEL_AUDIT=1 kernel call "]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    found = Case(tmp_path)
    found.script("bin/kernel", f'exec {words.join(KERNEL)} "$@"')
    found.env["PATH"] = f"{found.cwd}/bin:{found.env['PATH']}"
    for name in ("less", "vi", "cat"):
        found.tool(name, ANY.replace("{PROGRAM}", name) + ("    replaces: cat\n" if name == "cat" else ""))
    found.file("ready", "ready\n")
    found.file("lines", "".join([f"line {number}\n" for number in range(1, 200)]))
    return found


@pytest.fixture
def screen(case: Case) -> Iterator[Screen]:
    found = Screen(case.root, case.cwd, case.env)
    found.until(lambda shown: shown.startswith("$"), "the shell's prompt")
    yield found
    found.close()


def run(screen: Screen, line: str) -> None:
    screen.type(line, enter=True)


def prompted(screen: Screen) -> str:
    """The screen once the shell waits for a line again and has been asked for the status."""
    screen.until(lambda shown: shown.rstrip().endswith("\n$"), "the shell's prompt")
    run(screen, "echo back=$?")
    return screen.until(lambda shown: "\nback=" in shown, "the shell")


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
@pytest.mark.parametrize("door", DOORS)
def test_a_pager(screen: Screen, door: str) -> None:
    run(screen, f"{door}less lines")
    shown = screen.expect("line 29")
    assert shown.startswith("line 1\n")
    assert screen.fact("alternate_on") == "1"
    screen.key("Space")
    screen.expect("line 58")
    screen.type("/line 99")
    screen.key("Enter")
    screen.until(lambda shown: shown.startswith("line 99\n"), "the line that was looked for")
    screen.type("q")
    assert "\nback=0\n" in prompted(screen)
    assert screen.fact("alternate_on") == "0"


@pytest.mark.skipif(shutil.which("vi") is None, reason="vi is not installed")
@pytest.mark.parametrize("door", DOORS)
def test_an_editor(case: Case, screen: Screen, door: str) -> None:
    run(screen, f"{door}vi -u NONE new")
    screen.until(lambda shown: shown.count("\n~") > 10, "the editor's empty lines")
    screen.type("ihello there")
    screen.key("Escape")
    screen.type(":wq", enter=True)
    assert "\nback=0\n" in prompted(screen)
    assert (case.cwd / "new").read_text() == "hello there\n"


@pytest.mark.parametrize("door", DOORS)
def test_interrupt(case: Case, screen: Screen, door: str) -> None:
    run(screen, f"{door}cat ready -")
    screen.expect("\nready")
    screen.type("typed", enter=True)
    screen.until(lambda shown: shown.count("\ntyped") == 2, "what was typed, and what came back")
    screen.key("C-c")
    assert f"\nback={128 + signal.SIGINT}\n" in prompted(screen)


@pytest.mark.parametrize("door", DOORS)
def test_stop_and_go_on(screen: Screen, door: str) -> None:
    run(screen, f"{door}cat ready -")
    screen.expect("\nready")
    screen.type("one", enter=True)
    screen.until(lambda shown: shown.count("\none") == 2, "the first line again")
    screen.key("C-z")
    screen.expect("Stopped")
    run(screen, "jobs; echo jobs=$?")
    screen.expect("\njobs=0")
    run(screen, "fg")
    screen.until(lambda shown: "\n$ fg\n" in shown and shown.rstrip().endswith("-"), "the job's line")
    screen.type("two", enter=True)
    screen.until(lambda shown: shown.count("\ntwo") == 2, "the second line again")
    screen.key("C-d")
    assert "\nback=0\n" in prompted(screen)


@pytest.mark.parametrize("door", DOORS)
def test_quit_key(screen: Screen, door: str) -> None:
    run(screen, f"ulimit -c 0; {door}cat ready -")
    screen.expect("\nready")
    screen.type("on", enter=True)
    screen.until(lambda shown: shown.count("\non") == 2, "the line again")
    screen.key("C-\\")
    assert f"\nback={128 + signal.SIGQUIT}\n" in prompted(screen)


@pytest.mark.parametrize("door", DOORS)
def test_pipes_and_the_null_device(screen: Screen, door: str) -> None:
    run(screen, f"{door}cat lines | head -1; echo head=${{PIPESTATUS[*]}}")
    screen.until(lambda shown: "\nhead=" in shown, "the end of the pipe")
    shown = screen.text()
    assert "\nline 1\nhead=" in shown  # and nothing between: whoever wrote to the closed pipe is silent
    run(screen, f"{door}cat < /dev/null; echo null=$?")
    screen.expect("\nnull=0")
    run(screen, f"yes | {door}cat | head -1; echo yes=$?")
    assert "\ny\nyes=0" in screen.expect("\nyes=0")


def test_a_program_in_the_background_that_reads_is_stopped(screen: Screen) -> None:
    run(screen, "kernel call cat ready - &")
    screen.until(lambda shown: "[1]" in shown, "the job's number")
    end = time.monotonic() + 30
    while "Stopped" not in screen.text():
        assert time.monotonic() < end
        screen.key("Enter")
        time.sleep(0.1)
    run(screen, "fg")
    screen.until(lambda shown: "\n$ fg\n" in shown and shown.rstrip().endswith("-"), "the job's line")
    screen.type("seen", enter=True)
    screen.until(lambda shown: shown.count("\nseen") == 2, "the line again")
    screen.key("C-d")
    assert "\nback=0\n" in prompted(screen)


def test_the_programs_size_is_the_terminals(case: Case, screen: Screen) -> None:
    case.tool("size", "description: D.\neffect: read\nexec: [stty, size]\n")
    run(screen, "kernel call size; kernel call --timeout 9s size")
    screen.until(lambda shown: shown.count("\n30 100") == 2, "the size, twice")
