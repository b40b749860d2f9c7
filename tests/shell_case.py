"""The builder of shell tests: a directory with files, and real runs of `kaish` in it.

Runs are forks of one warm server process, so that each costs milliseconds; ``fresh=True`` starts a new interpreter.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SERVER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import kernel.shell.doors, kernel.shell.parser, kernel.shell.validate, kernel.present.problem, kernel.dispatch, kernel.render
import kernel.shell.conditional, kernel.shell.reading, kernel.shell.sourcing, kernel.shell.regular, kernel.explain
import kernel.strict_json, kernel.schema, kernel.manifest, subprocess, fcntl
wire_in, wire_out = os.dup(0), os.dup(1)
os.set_inheritable(wire_in, False)
os.set_inheritable(wire_out, False)
reader = os.fdopen(wire_in, "rb", 0)
for line in reader:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        status = 99
        try:
            os.setsid()
            os.umask(0o022)
            for number, (file, flags) in enumerate(order["streams"]):
                descriptor = os.open(file, flags, 0o600)
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.chdir(order["cwd"])
            os.environ.clear()
            os.environ.update(order["env"])
            status = kernel.shell.doors.run(order["words"])
        finally:
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    os.write(wire_out, b"%d\\n" % os.waitstatus_to_exitcode(status))
"""
START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.shell.doors import main; main()"
_server: subprocess.Popen[bytes] | None = None


class Outcome:
    """What a run gave back: ``exit`` is negative for a signal. ``str()`` is the snapshot that tests compare."""

    def __init__(self, exit: int, stdout: bytes, stderr: bytes) -> None:
        self.exit = exit
        self.out = stdout
        self.stdout = stdout.decode("utf-8", "surrogateescape")
        self.stderr = stderr.decode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        parts = [f"exit {self.exit}\n"]
        for name, text in (("stdout", self.stdout), ("stderr", self.stderr)):
            if text:
                parts.append(f"-- {name}\n{text}" + ("" if text.endswith("\n") else "\\\n"))
        return "".join(parts)

    __repr__ = __str__

    def is_(self, snapshot: str) -> Outcome:
        """Compares with an indented snapshot; itself for more questions."""
        assert str(self) == textwrap.dedent(snapshot).lstrip("\n"), f"\n{self}"
        return self

    def prints(self, text: str, status: int = 0) -> Outcome:
        """Fails unless exactly ``text`` came on stdout, nothing on stderr, and the status is this."""
        assert (self.exit, self.stdout, self.stderr) == (status, text, ""), f"\n{self}"
        return self


class ShellCase:
    """A working directory of its own, with home, cache and state beside it."""

    def __init__(self, root: Path, cache: Path | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self.cwd = self.root / "work"
        for name in ("work", "home", "tmp", "state", "config", "cache"):
            (self.root / name).mkdir(exist_ok=True)
        (self.cwd / ".git").mkdir(exist_ok=True)  # where the search for tools.d ends
        self.env: dict[str, str] = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "KERNEL_CACHE_DIR": str(cache or self.root / "cache"),
            "KERNEL_STATE_DIR": str(self.root / "state"),
            "KERNEL_CONFIG_DIR": str(self.root / "config"),
            "LC_ALL": "C.UTF-8",
            "LANG": "C.UTF-8",
            "TZ": "UTC0",
            "TERM": "dumb",
        }

    def file(self, name: str, content: str | bytes = "", mode: int = 0o644) -> ShellCase:
        """Writes a file below the working directory."""
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
        return self

    def tool(self, name: str, text: str) -> ShellCase:
        """Writes `tools.d/NAME.yaml`; the text may be indented."""
        return self.file(f"tools.d/{name}.yaml", textwrap.dedent(text).lstrip("\n"))

    def line(self, script: str, *arguments: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
        """Runs `kaish -c SCRIPT`."""
        return self.run(["-c", script, *arguments], stdin=stdin, env=env)

    def run(
        self, words: Sequence[str], *, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, fresh: bool = False
    ) -> Outcome:
        """Runs `kaish WORDS…`; paths of the case show as `DIR`."""
        (self.root / "stdin").write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
        status = (_fresh if fresh else _forked)(list(words), self.root, str(self.cwd), {**self.env, **(env or {})})
        out, err = [(self.root / name).read_bytes().replace(str(self.cwd).encode(), b"DIR") for name in ("stdout", "stderr")]
        return Outcome(status, out, err)


def _forked(words: list[str], root: Path, cwd: str, env: dict[str, str]) -> int:
    global _server
    if _server is None or _server.poll() is not None:
        _server = subprocess.Popen(
            [sys.executable, "-I", "-c", _SERVER, str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"LC_ALL": "C.UTF-8"},
        )
        atexit.register(_stop)
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    streams = [(str(root / "stdin"), os.O_RDONLY), (str(root / "stdout"), writing), (str(root / "stderr"), writing)]
    assert _server.stdin is not None and _server.stdout is not None
    _server.stdin.write(json.dumps({"words": words, "cwd": cwd, "env": env, "streams": streams}).encode() + b"\n")
    _server.stdin.flush()
    return int(_server.stdout.readline())


def _stop() -> None:
    if _server is not None and _server.stdin is not None and _server.stdout is not None:
        _server.stdin.close()
        _server.wait()
        _server.stdout.close()


def _fresh(words: list[str], root: Path, cwd: str, env: dict[str, str]) -> int:
    with open(root / "stdin", "rb") as stdin, open(root / "stdout", "wb") as out, open(root / "stderr", "wb") as err:
        command = [sys.executable, "-I", "-c", START, *words]
        done = subprocess.run(command, cwd=cwd, env=env, stdin=stdin, stdout=out, stderr=err, check=False, start_new_session=True)
    return done.returncode


INTERRUPT = -int(signal.SIGINT)
