"""Every shell session in the documentation is run, and its output compared, line by line.

A session is a fenced block marked `console`: lines that start with `$ ` are typed (`> ` continues one), the others are
what must come back, stdout and stderr together; a line `...` stands for any lines. A block whose fence says
`file=PATH` is written to that path first. The blocks of one page share a directory and a shell.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.M | re.S)
MARK = "\x1e"


def steps(text: str) -> list[tuple[str, str, str]]:
    """(kind, name, body) of each block that does something: kind is `file` or `command`; expected output as body."""
    found: list[tuple[str, str, str]] = []
    for block in FENCE.finditer(text):
        info, body = block["info"].split(), block["body"]
        named = [word.partition("=")[2] for word in info if word.startswith("file=")]
        if named:
            found.append(("file", named[0], body))
        elif info[:1] == ["console"] and ("needs=bwrap" not in info or sandboxes()):
            for typed in re.split(r"^(?=\$ )", body, flags=re.M):
                if not typed:
                    continue
                lines = typed.splitlines()
                assert lines[0].startswith("$ "), f"a session starts with `$ `: {lines[0]!r}"
                command = [lines.pop(0)[2:]]
                while lines and lines[0].startswith("> "):
                    command.append(lines.pop(0)[2:])
                found.append(("command", "\n".join(command), "\n".join(lines)))
    return found


@functools.cache
def sandboxes() -> bool:
    """Whether bubblewrap is here and the system lets it work; sessions that need it are marked `needs=bwrap`."""
    argv = ["bwrap", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(argv, stderr=subprocess.DEVNULL, check=False).returncode == 0


def script(page: list[tuple[str, str, str]]) -> str:
    parts = []
    for kind, name, body in page:
        if kind == "file":
            parts.append(f"mkdir -p \"$(dirname '{name}')\"\ncat > '{name}' <<'{MARK}EOF'\n{body}{MARK}EOF\n")
        else:
            parts.append(f"{name}\nprintf '{MARK}'\n")
    return "exec 2>&1\n" + "".join(parts)


def matches(expected: str, got: str) -> bool:
    pattern = "\n".join("(?:.*\n?)*?" if line.strip() == "..." else re.escape(line) for line in expected.split("\n"))
    return re.fullmatch(pattern.replace("(?:.*\n?)*?\n", "(?:.*\n)*?"), got) is not None


def home(tmp_path: Path) -> dict[str, str]:
    """An environment in which `kernel`, `kaish` and `python3` are this interpreter's, and nothing of the caller's is seen."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, words in (("kernel", "-m kernel"), ("kaish", "-m kernel repl"), ("python3", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" {words} "$@"\n')
        program.chmod(0o755)
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC0",
        "XDG_CACHE_HOME": str(tmp_path / ".cache"),
    }


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_session_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    plan = steps(page.read_text(encoding="utf-8"))
    if any(" kernel mcp " in f" {text} " for _, _, text in plan):
        pytest.importorskip("mcp", reason="the page serves tools, which takes the MCP SDK")
    if not any(kind == "command" for kind, _, _ in plan):
        return
    work = tmp_path / "work"
    work.mkdir()
    (work / ".git").mkdir()
    shutil.copytree(ROOT / "docs" / "examples", work / "docs" / "examples")
    done = subprocess.run(
        ["bash", "-c", script(plan)],
        cwd=work,
        env=home(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,  # without a terminal that a call could ask on
        check=False,
    )
    outputs = done.stdout.decode("utf-8", "replace").split(MARK)
    commands = [(name, body) for kind, name, body in plan if kind == "command"]
    assert len(outputs) == len(commands) + 1, f"the session stopped early: {outputs[-1]}"
    for (command, expected), got in zip(commands, outputs):
        shown = got.removesuffix("\n").replace(str(work), "/work").replace(str(ROOT), "/source")
        assert matches(expected, shown), f"$ {command}\n--- expected\n{expected}\n--- got\n{shown}"
