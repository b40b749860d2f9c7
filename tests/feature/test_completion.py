"""Completion: what is offered at a cursor, and the scripts in the real shells."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_case import ROOT, Case

TOOL = """
    description: Greet people. In many ways.
    effect: read
    exec: [echo, "{*}"]
    params:
      - {name: mode, choices: [{value: fast, description: At once}, {value: slow, description: Later}], description: How.}
      - {name: excited, type: bool, negatable: true, aliases: [-e], description: With joy.}
      - {name: file, path: read, description: Whom.}
      - {name: into, path: dir}
      - {name: word, complete: [alpha, beta, "two words"]}
      - {name: tag, consumes: [{name: KEY, choices: [colour, size]}, {name: VALUE, description: Its value}]}
      - {name: secret_door, hidden: true}
      - {name: whom, positional: true, complete: [ada, bob]}
"""
TREE = """
    description: A tree.
    effect: read
    exec: [echo, "{*}"]
    params: [{name: deep, type: bool, description: Deeper.}]
    subcommands:
      - {name: grow, aliases: [up], description: Make it grow., params: [{name: by, type: int}]}
      - {name: hide, hidden: true}
      - {name: shrink, description: Make it shrink.}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path).tool("greet", TOOL).tool("tree-of-words", TREE)


def offered(case: Case, *words: str) -> tuple[str, list[str]]:
    """(source and prefix, candidates) at the end of the words."""
    head, *lines = case.run(["completion", "--words", "zsh", *words]).ok().stdout.splitlines()
    return head.rsplit("\t", 1)[0].strip("\t"), [line.split("\t")[0] for line in lines]


@pytest.mark.parametrize(
    ("words", "source", "candidates"),
    [
        (["ca"], "", ["call"]),
        (["--"], "", ["--help", "--version"]),
        (["call", "gree"], "", ["greet"]),
        (["call", "--tim"], "", ["--timeout"]),
        (["call", "--json", "gree"], "", ["greet"]),
        (["call", "--tools", ""], "dirs", []),
        (["call", "--exec", "echo", ""], "files", []),
        (["call", "greet", "--m"], "", ["--mode"]),
        (["call", "greet", "--mode", ""], "", ["fast", "slow"]),
        (["call", "greet", "--mode=s"], "--mode=", ["slow"]),
        (["call", "greet", "--mode", "fast", "--m"], "", []),
        (["call", "greet", "--e"], "", ["--excited"]),
        (["call", "greet", "--no"], "", ["--no-excited"]),
        (["call", "greet", "--excited="], "--excited=", ["true", "false"]),
        (["call", "greet", "--file", ""], "files", []),
        (["call", "greet", "--into", ""], "dirs", []),
        (["call", "greet", "--into="], "dirs\t--into=", []),
        (["call", "greet", "--word", "t"], "", ["two words"]),
        (["call", "greet", "--tag", ""], "", ["colour", "size"]),
        (["call", "greet", "--tag", "size", ""], "", []),
        (["call", "greet", "--tag", "size", "1", ""], "", ["ada", "bob"]),
        (["call", "greet", "--tag", "size", "--"], "", []),  # V4: a word in the place of VALUE, no flag begins there
        (["call", "greet", "--se"], "", []),
        (["call", "greet", "--", ""], "", ["ada", "bob"]),
        (["call", "greet", "--", "--m"], "", []),
        (["call", "greet", "ada", "b"], "", []),
        (["call", "tree-of-words", ""], "", ["grow", "shrink"]),
        (["call", "tree-of-words", "--deep", "gr"], "", ["grow"]),
        (["call", "tree-of-words", "up", "--"], "", ["--deep", "--by", "--help"]),
        (["explain", "greet", "--mo"], "", ["--mode"]),
        (["help", "tree-of-words", ""], "", ["grow", "shrink"]),
        (["help", "comp"], "", ["completion"]),
        (["show", "greet", "--js"], "", ["--json"]),
        (["schema", "--dialect", ""], "", ["json-schema", "mcp", "openai", "openai-strict", "anthropic", "gemini"]),
        (["check", ""], "files", []),
        (["completion", "f"], "", ["fish"]),
        (["call", "nothing-like-it", ""], "", []),
        (["no-verb", ""], "", []),
    ],
    ids=" ".join,
)
def test_what_is_offered(case: Case, words: list[str], source: str, candidates: list[str]) -> None:
    assert offered(case, *words) == (source, candidates)


def test_descriptions_and_hints(case: Case) -> None:
    assert case.run("completion --words zsh call greet --mod").stdout == "\t\t\n--mode\tHow\n"
    assert case.run(["completion", "--words", "zsh", "call", "greet", "--tag", "a", ""]).stdout == "\t\tVALUE: Its value\n"
    assert "greet\tGreet people\n" in case.run(["completion", "--words", "zsh", "call", ""]).stdout


def test_a_broken_tool_offers_nothing(case: Case) -> None:
    case.tool("bad", "exec: 3\n")
    assert offered(case, "call", "bad", "") == ("", [])


def test_quotes_are_read_as_the_shell_reads_them(case: Case) -> None:
    assert case.run(["completion", "--words", "bash", "call", "gre\\et", "--mo'de'", "'f"]).stdout.splitlines()[1:] == [
        "fast\tAt once"
    ]


def test_hostile_text_is_never_inserted(case: Case) -> None:
    case.tool("odd", 'description: Odd.\neffect: read\nexec: [echo, "{*}"]\nparams: [{name: a, choices: ["x\\ty", "z\\nw", ok]}]\n')
    assert offered(case, "call", "odd", "--a", "") == ("", ["ok"])


# The real shells


def need(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    return path


@pytest.fixture
def shell_env(case: Case) -> dict[str, str]:
    """The environment of a shell that finds `kernel`."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.cli import main; main()"
    place = case.root / "bin"
    place.mkdir()
    (place / "kernel").write_text(f'#!/bin/sh\nexec \'{sys.executable}\' -c "{code}" "$@"\n')
    (place / "kernel").chmod(0o755)
    case.file("notes.txt").file("my file.txt").file("folder/inside.txt")
    return {**case.env, "PATH": f"{place}:{case.env['PATH']}", "TERM": "dumb", "ZDOTDIR": str(case.root), "COLUMNS": "200"}


def typed(case: Case, env: dict[str, str], command: list[str], line: str) -> str:
    """What a line is after a Tab at its end, in an interactive shell whose prompt is `READY> `."""
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.chdir(case.cwd)
            os.execve(command[0], command, env)
        finally:
            os._exit(127)
    seen = b""
    sent = False
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the shell ended
            break
        if not part:
            break
        seen += part
        if not sent and b"READY> " in seen:
            sent = True
            os.write(terminal, f"{line}\t\x01echo LINE: \x05 :END\rexit\r".encode())
    os.waitpid(child, 0)
    os.close(terminal)
    text = seen.decode(errors="replace").replace("\r", "\n")
    found = [part.removeprefix("LINE: ") for part in text.split("\n") if part.startswith("LINE: ") and part.endswith(":END")]
    assert found, text
    return found[-1].removesuffix(":END").rstrip()


LINES = [
    ("kernel ca", "kernel call"),
    ("kernel call gree", "kernel call greet"),
    ("kernel call greet --fi", "kernel call greet --file"),
    ("kernel call greet --mode fa", "kernel call greet --mode fast"),
    ("kernel call greet --mode=fa", "kernel call greet --mode=fast"),
    ("kernel call greet --file no", "kernel call greet --file notes.txt"),
    ("kernel call greet --file my", "kernel call greet --file my file.txt"),
    ("kernel call greet --into fo", "kernel call greet --into folder/"),
    ("kernel call greet --word tw", "kernel call greet --word two words"),
    ("kernel call tree-of-words gr", "kernel call tree-of-words grow"),
    ("kernel call greet --tag size ", "kernel call greet --tag size"),
]


@pytest.mark.parametrize(("line", "becomes"), LINES)
def test_bash(case: Case, shell_env: dict[str, str], line: str, becomes: str) -> None:
    rc = "PS1='READY> '\nbind 'set enable-bracketed-paste off'\nbind 'set bell-style none'\neval \"$(kernel completion bash)\"\n"
    case.file("bashrc", rc)
    command = [need("bash"), "--noprofile", "--rcfile", str(case.cwd / "bashrc"), "-i"]
    assert typed(case, shell_env, command, line) == becomes


@pytest.mark.parametrize(("line", "becomes"), LINES)
def test_zsh(case: Case, shell_env: dict[str, str], line: str, becomes: str) -> None:
    rc = (
        "PROMPT='READY> '\nunsetopt prompt_sp beep\nunset zle_bracketed_paste\nautoload -Uz compinit\ncompinit -u -D\nbindkey -e\n"
        'eval "$(kernel completion zsh)"\n'
    )
    (case.root / ".zshrc").write_text(rc)
    line = typed(case, shell_env, [need("zsh"), "-d", "-i"], line)
    assert line.removesuffix("/") == becomes.removesuffix("/")  # zsh takes the slash back when a blank follows


FISH = [
    ("kernel ca", "call\tRun a tool"),
    ("kernel call gree", "greet\tGreet people"),
    ("kernel call greet --fi", "--file\tWhom"),
    ("kernel call greet --mode fa", "fast\tAt once"),
    ("kernel call greet --mode=fa", "--mode=fast\tAt once"),
    ("kernel call greet --file no", "notes.txt"),
    ("kernel call greet --file=no", "--file=notes.txt"),
    ("kernel call greet --into fo", "folder/"),
    ("kernel call tree-of-words gr", "grow\tMake it grow"),
    ("kernel call greet --tag size ", ""),
]


@pytest.mark.parametrize(("line", "offers"), FISH)
def test_fish(case: Case, shell_env: dict[str, str], line: str, offers: str) -> None:
    script = 'kernel completion fish | source; complete -C "$argv[1]"'
    command = [need("fish"), "--no-config", "-c", script, line]
    done = subprocess.run(
        command, cwd=case.cwd, env=shell_env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip("\n") == offers, done.stderr


def test_bash_lists_descriptions_but_inserts_none(case: Case, shell_env: dict[str, str]) -> None:
    script = """
        eval "$(kernel completion bash)"
        COMP_LINE='kernel call greet --mode ' COMP_POINT=${#COMP_LINE} COMP_WORDS=(kernel call greet --mode '') COMP_CWORD=4
        for COMP_TYPE in 9 63; do _kernel_completion; printf '%s|' "${COMPREPLY[@]}"; done
    """
    done = subprocess.run([need("bash"), "-c", script], cwd=case.cwd, env=shell_env, capture_output=True, text=True, check=True)
    assert done.stdout == "fast|slow|fast  (At once)|slow  (Later)|"
