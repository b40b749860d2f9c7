"""How the shell is started, and what it reads: `-c`, a file, a pipe, a terminal, `kernel repl`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from installed import Environment
from kernel_case import Case
from shell_case import ROOT, START, ShellCase
from terminal import Terminal


@pytest.fixture
def case(tmp_path: Path) -> ShellCase:
    return ShellCase(tmp_path)


def test_a_line_with_its_name_and_arguments(case: ShellCase) -> None:
    case.run(["-c", 'echo "$0:$1:$#"', "name", "a b"], fresh=True).prints("name:a b:1\n")
    case.run(["-ec", "false; echo never"]).prints("", 1)
    case.run(["-o", "pipefail", "-c", "false | true"]).prints("", 1)
    assert case.run(["-c"]).exit == 2
    assert case.run(["-x", "-c", "echo"]).exit == 2


def test_a_file_is_a_script(case: ShellCase) -> None:
    case.file("s.sh", '#!/usr/bin/env kaish\necho "$0 $1"\nexit 3\n')
    case.run(["s.sh", "arg"]).prints("s.sh arg\n", 3)
    assert case.run(["none.sh"]).exit == 127
    assert case.file("bin.sh", b"\0").run(["bin.sh"]).exit == 126
    case.file("late.sh", "echo start\nif true; then\necho x")
    assert case.run(["late.sh"]).stdout == ""


def test_commands_from_a_pipe_run_as_they_come(case: ShellCase) -> None:
    stdin = 'read x\nhello world\necho "got $x"\nfor i in 1 2\ndo echo $i\ndone\ncat\nrest 1\nrest 2'
    with subprocess.Popen(
        [sys.executable, "-c", START], cwd=case.cwd, env=case.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as shell:
        assert shell.stdin is not None and shell.stdout is not None
        shell.stdin.write("echo first\n")
        shell.stdin.flush()
        assert shell.stdout.readline() == "first\n"  # before the pipe has more
        out, _ = shell.communicate(stdin)
    assert out == "got hello world\n1\n2\nrest 1\nrest 2"
    case.run([], stdin=stdin).prints("got hello world\n1\n2\nrest 1\nrest 2")


def test_a_pipe_ends_with_an_open_construct(case: ShellCase) -> None:
    outcome = case.run([], stdin="echo one\nif true\nthen echo")
    assert (outcome.exit, outcome.stdout) == (2, "one\n")
    outcome = case.run([], stdin="echo one\nfi\necho two\n")
    assert (outcome.exit, outcome.stdout) == (2, "one\n")
    assert "stdin:2:1" in outcome.stderr


def test_the_verb_takes_the_same_words(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert str(case.run(["repl", "-c", "echo $1", "x", "y"])) == "exit 0\n-- stdout\ny\n"
    assert case.run(["repl"], stdin="echo from a pipe\n").stdout == "from a pipe\n"
    assert "-c LINE" in case.run(["repl", "--help"]).stdout
    assert case.run(["repl", "--nope"]).exit == 2


def test_the_installed_launcher_runs_scripts(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "the venv").install()
    launcher = tmp_path / "the venv/bin/kaish"
    shutil.copy(ROOT / "kernel/_bin/kaish", launcher)
    launcher.chmod(0o755)
    script = tmp_path / "script"
    script.write_text('#!/usr/bin/env kaish\nx=[a b]; echo "${x[1]} $1"; fromjson <<< "[1]"\n')
    script.chmod(0o755)
    env = {"PATH": f"{os.path.dirname(environment.launcher)}:/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run([script, "z"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "b z\n[1]\n", "")


def test_the_end_by_a_signal_is_seen_outside(case: ShellCase) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START, "-c", "while true; do echo y; done"], cwd=case.cwd, env=case.env, stdout=-1
    ) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        shell.stdout.close()
        assert shell.wait() == -signal.SIGPIPE
    command = [sys.executable, "-c", START, "-c", "echo up; sh -c 'sleep 60'; echo never"]
    with subprocess.Popen(command, cwd=case.cwd, env=case.env, stdout=-1, start_new_session=True) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        time.sleep(0.3)
        os.killpg(shell.pid, signal.SIGINT)
        assert shell.wait() == -signal.SIGINT
        assert shell.stdout.read() == b""


def test_a_terminal_has_a_prompt_jobs_and_history(case: ShellCase) -> None:
    argv = [sys.executable, "-c", START]
    shell = Terminal(argv, case.cwd, {**case.env, "TERM": "dumb"})
    shell.expect("kaish> ")
    shell.send("echo on'e'\n")
    shell.expect("\none\r\n")
    shell.send("if true\n")
    shell.expect("if> ")
    shell.send("then echo tw'o'; fi\n")
    shell.expect("\ntwo\r\n")
    shell.send("echo !!\n")
    shell.expect("kaish> ")
    shell.send("sh -c 'echo st''arted; sleep 60'\n")
    shell.expect("started\r\n")
    time.sleep(0.3)
    shell.send("\x1a")
    shell.expect("Stopped")
    shell.expect("kaish> ")
    shell.send("jobs\n")
    shell.expect("Stopped    sh -c")
    shell.send("fg\n")
    shell.expect("sh -c")
    time.sleep(0.3)
    shell.send("\x03")
    shell.expect("kaish> ")
    shell.send("echo status $?; kill %1; nosuch-q7\n")
    shell.expect("status 130")
    shell.expect("no command `nosuch-q7`")
    shell.send("exit 7\n")
    assert shell.wait() == 7


NESTED = r"""
main() {
  if true; then
    for i in 1 2
    do
      case $i in
        1) echo one ;;
        2)
          echo two
          ;;
      esac
    done
  elif false; then echo no
  fi
  # fi }
  cat <<E
fi
}
E
  echo "multi
} line"
  echo a \
    b
}
main
( echo sub
  echo sub2 | {
    cat
  }
)
if read x
then echo "<$x>"
fi
read by the line before
echo over
"""


def test_bodies_from_a_pipe_are_complete_where_they_end(case: ShellCase) -> None:
    """Each command runs as soon as its last line is there: what it reads are the lines behind it."""
    found = case.run([], stdin=NESTED)
    assert found.stdout == "one\ntwo\nfi\n}\nmulti\n} line\na b\nsub\nsub2\n<read by the line before>\nover\n", found
    for wrong in ("if true; then\n echo a\n done\nfi\n", "if true; then\n for i in 1; do\n echo 'a\n done\n", "f() {\n echo a\n"):
        piped = case.run([], stdin=wrong)
        whole = case.file("wrong", wrong).run(["wrong"])
        assert (piped.exit, piped.stdout, piped.stderr) == (2, "", whole.stderr.replace("wrong:", "stdin:"))
