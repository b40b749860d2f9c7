"""The builder of feature tests: a directory with tools, and real runs of the program in it.

``Case(tmp_path).tool("x", yaml).run("call x --n 1")`` gives an Outcome with exit status, stdout and stderr. Runs are
forks of one warm server process, so that each costs milliseconds; ``fresh=True`` starts a new interpreter instead.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SERVER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import kernel.cli, kernel.bind, kernel.check, kernel.dispatch, kernel.explain, kernel.locate, kernel.manifest, kernel.policy
import kernel.present.problem, kernel.render, kernel.schema, kernel.store, kernel.words, kernel.commands.verb
wire_in, wire_out = os.dup(0), os.dup(1)
os.set_inheritable(wire_in, False)
os.set_inheritable(wire_out, False)
reader = os.fdopen(wire_in, "rb", 0)
for line in reader:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        try:
            os.setpgid(0, 0)
            for number, (file, flags) in enumerate(order["streams"]):
                descriptor = os.open(file, flags, 0o600)
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.chdir(order["cwd"])
            os.environ.clear()
            os.environ.update(order["env"])
            sys.argv[1:] = order["words"]
            kernel.cli.main()
        finally:
            os._exit(99)
    status = os.waitpid(child, 0)[1]
    os.write(wire_out, b"%d\\n" % os.waitstatus_to_exitcode(status))
"""
_server: subprocess.Popen[bytes] | None = None


class Outcome:
    """What a run gave back. ``exit`` is negative for a signal. ``str()`` is the snapshot that tests compare."""

    def __init__(self, exit: int, stdout: str, stderr: str) -> None:
        self.exit = exit
        self.stdout = stdout
        self.stderr = stderr

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

    def ok(self) -> Outcome:
        """Fails unless the run ended with 0; itself for more questions."""
        assert self.exit == 0, f"\n{self}"
        return self

    def json(self) -> object:
        """The one JSON value on stdout."""
        return json.loads(self.stdout)


class Case:
    """A working directory of its own with `tools.d`, home, cache and state inside ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.cwd = self.root / "work"
        for name in ("work", "home", "cache", "state", "config"):
            (self.root / name).mkdir(exist_ok=True)
        (self.cwd / ".git").mkdir(exist_ok=True)  # where the search for tools.d ends
        self.env: dict[str, str] = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.root / "home"),
            "KERNEL_CACHE_DIR": str(self.root / "cache"),
            "KERNEL_STATE_DIR": str(self.root / "state"),
            "KERNEL_CONFIG_DIR": str(self.root / "config"),
            "LC_ALL": "C.UTF-8",
        }

    def tool(self, name: str, text: str) -> Case:
        """Writes `tools.d/NAME.yaml`; the text may be indented."""
        return self.file(f"tools.d/{name}.yaml", textwrap.dedent(text).lstrip("\n"))

    def file(self, name: str, content: str | bytes = "") -> Case:
        """Writes a file below the working directory."""
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def script(self, name: str, text: str) -> Case:
        """Writes an executable file; a text without `#!` is a /bin/sh script."""
        self.file(name, text if text.startswith("#!") else f"#!/bin/sh\n{text}")
        (self.cwd / name).chmod(0o755)
        return self

    def run(
        self,
        line: str | Sequence[str],
        *,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str = "",
        fresh: bool = False,
    ) -> Outcome:
        """Runs `kernel LINE`; a string is split as a shell splits it. Paths of the case show as `DIR`."""
        words = shlex.split(line) if isinstance(line, str) else list(line)
        (self.root / "stdin").write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
        run = _fresh if fresh else _forked
        status = run(words, self.root, str(self.cwd / cwd), {**self.env, **(env or {})})
        out, err = [(self.root / name).read_bytes().decode("utf-8", "surrogateescape") for name in ("stdout", "stderr")]
        return Outcome(status, self._short(out), self._short(err))

    def _short(self, text: str) -> str:
        return text.replace(str(self.cwd), "DIR").replace(str(self.root), "ROOT")


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
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
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
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.cli import main; main()"
    with open(root / "stdin", "rb") as stdin, open(root / "stdout", "wb") as out, open(root / "stderr", "wb") as err:
        command = [sys.executable, "-c", code, *words]
        return subprocess.run(command, cwd=cwd, env=env, stdin=stdin, stdout=out, stderr=err, check=False).returncode
