"""The shell's words against bash's own, on generated text: what both accept must give the same words (L1)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernel.errors import KernelError
from kernel.shell.expand import Expander
from kernel.shell.parser import parse
from kernel.shell.source import Source
from kernel.shell.state import State
from kernel.shell.tree import Simple, Substitution

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")

ATOMS = [
    *"abzXY019_-./:,+@%^=é日", "\\ ", "\\\\", "\\'", '\\"', "\\$", "\\n", "\\*", "\\{", "\\#", "''", '""', "'a b'", "' \" '",
    '"a b"', "\"'\"", '"\\""', '"\\\\"', '"\\$x"', '"\\a"', "'\\'", "$'\\t'", "$'a\\'b'", "$'\\x41'", "$'\\101'", "$'\\u00e9'",
    "$q", '"$q"', "${q}", '"${q}z"', "$none", "{a,b}", "{a,b{1,2}}", "{1..3}", "{c..a}", "{", "}", "{}", "{a}", "~", "#", "$", "!",
    "$\\\nq", "${q\\\n}", "{1.\\\n.3}", "{~/,b}", "{a},",
    "=", '"${none:-d e}"', "${none:-'d e'}", "${q#v}", "\\\n", '"a\\\nb"', "]", "a=b",
]  # fmt: skip
APART = re.compile(r"\$(\\\n)*[$0]|~(\\\n|[0-9+-]|\S*[:=])")  # processes differ, and ways in which bash reads a tilde
LINES = st.lists(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map("".join), min_size=1, max_size=5).map(" ".join)


def ours(line: str) -> list[str] | None:
    """The words of the command that the line is; None where the shell does not accept it as one."""
    state = State("kaish", [])
    state.variables.update(q="v1", HOME="/h")
    for name in ("none", "OLDPWD"):
        state.variables.pop(name, None)

    def substitute(node: Substitution) -> str:
        raise AssertionError(node)

    try:
        commands = parse(Source(f"printf {line}", "line"))
        if len(commands.items) != 1 or len(commands.items[0][0].first.stages) != 1:
            return None
        node = commands.items[0][0].first.stages[0]
        assert isinstance(node, Simple)
        fields = Expander(state, substitute).fields(node.words)
    except KernelError:
        return None
    return [field if isinstance(field, str) else field.text for field in fields[1:]]


def bash(lines: list[str], cwd: Path) -> list[list[str] | None]:
    """What bash makes of each line: its words, None for one that it does not accept."""
    parts = []
    for line in lines:
        quoted = "'" + line.replace("'", "'\\''") + "'"
        # in a process of its own: a line may end in a comment, and another one assign
        parts.append(f"( eval 'printf \"%s\\0\" '{quoted} 2>/dev/null && printf '\\1\\0' ) || printf '\\2\\0'\n")
    script = "set -f; HOME=/h; q=v1; unset none\n" + "".join(parts)
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash"], input=script.encode(), cwd=cwd, env=env, capture_output=True, check=True)
    answers: list[list[str] | None] = []
    words: list[str] = []
    for word in done.stdout.decode().split("\0")[:-1]:
        if word in ("\1", "\2"):
            answers.append(words if word == "\1" else None)
            words = []
        else:
            words.append(word)
    return answers


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(LINES, min_size=20, max_size=40))
def test_words_are_those_of_bash(lines: list[str], tmp_path: Path) -> None:
    answers = bash(lines, tmp_path)
    assert len(answers) == len(lines)
    for line, theirs in zip(lines, answers, strict=True):
        mine = ours(line)
        if theirs is not None and mine is not None and not APART.search(line):
            # printf prints one empty text where there is no word; an unset `$none` is a word here and none in bash
            wanted = [word for word in theirs if word]
            assert [word for word in mine if word] == wanted, line
