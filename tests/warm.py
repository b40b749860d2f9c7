"""Real runs of a program that cost milliseconds: forks of one process that has imported it, and what a run gave back."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_SERVER = """
import importlib, json, os, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[3].split():
    importlib.import_module(name)
module, _, function = sys.argv[2].partition(":")
run = getattr(importlib.import_module(module), function)
wire_in, wire_out = os.dup(0), os.dup(1)
os.set_inheritable(wire_in, False)
os.set_inheritable(wire_out, False)
reader = os.fdopen(wire_in, "rb", 0)
for line in reader:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
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
            sys.argv[1:] = order["words"]
            run()
        finally:
            os._exit(99)  # run() does not return
    status = os.waitpid(child, 0)[1]
    os.write(wire_out, b"%d\\n" % os.waitstatus_to_exitcode(status))
"""


class Outcome:
    """What a run gave back. ``exit`` is negative for a signal. ``str()`` is the snapshot that tests compare."""

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

    def ok(self) -> Outcome:
        """Fails unless the run ended with 0; itself for more questions."""
        assert self.exit == 0, f"\n{self}"
        return self

    def prints(self, text: str, status: int = 0) -> Outcome:
        """Fails unless exactly ``text`` came on stdout, nothing on stderr, and the status is this."""
        assert (self.exit, self.stdout, self.stderr) == (status, text, ""), f"\n{self}"
        return self

    def json(self) -> object:
        """The one JSON value on stdout."""
        return json.loads(self.stdout)


class Program:
    """A program by its entry, `module:function`, which ends the process, and the modules that runs need as well."""

    def __init__(self, entry: str, modules: str) -> None:
        self.entry = entry
        self._modules = modules
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def command(self) -> list[str]:
        """The start of a new interpreter that runs it."""
        module, _, function = self.entry.partition(":")
        start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {module} import {function}; {function}()"
        return [sys.executable, "-I", "-c", start]

    def run(
        self, words: Sequence[str], root: Path, cwd: str, env: Mapping[str, str], stdin: str | bytes, fresh: bool
    ) -> tuple[int, bytes, bytes]:
        """Exit status, stdout and stderr of a run; the streams are files of ``root``. ``fresh`` starts a new interpreter."""
        (root / "stdin").write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
        status = (self._fresh if fresh else self._forked)(list(words), root, cwd, env)
        return status, (root / "stdout").read_bytes(), (root / "stderr").read_bytes()

    def _forked(self, words: list[str], root: Path, cwd: str, env: Mapping[str, str]) -> int:
        server = self._server
        if server is None or server.poll() is not None:
            server = self._server = subprocess.Popen(
                [sys.executable, "-I", "-c", _SERVER, str(ROOT), self.entry, self._modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"LC_ALL": "C.UTF-8"},
            )
            atexit.register(_stop, server)
        writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        streams = [(str(root / "stdin"), os.O_RDONLY), (str(root / "stdout"), writing), (str(root / "stderr"), writing)]
        assert server.stdin is not None and server.stdout is not None
        order = {"words": words, "cwd": cwd, "env": dict(env), "streams": streams}
        server.stdin.write(json.dumps(order).encode() + b"\n")
        server.stdin.flush()
        return int(server.stdout.readline())

    def _fresh(self, words: list[str], root: Path, cwd: str, env: Mapping[str, str]) -> int:
        with open(root / "stdin", "rb") as stdin, open(root / "stdout", "wb") as out, open(root / "stderr", "wb") as err:
            command = [*self.command, *words]
            done = subprocess.run(
                command, cwd=cwd, env=env, stdin=stdin, stdout=out, stderr=err, check=False, start_new_session=True
            )
        return done.returncode


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.stdin is not None and server.stdout is not None:
        server.stdin.close()
        server.wait()
        server.stdout.close()


class Home:
    """A working directory of its own, with home, cache and state beside it, and files made in it."""

    def __init__(self, root: Path, cache: Path | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self.cwd = self.root / "work"
        for name in ("work", "home", "tmp", "state", "config", "cache"):
            (self.root / name).mkdir(exist_ok=True)
        (self.cwd / ".git").mkdir(exist_ok=True)  # where the search for tools.d ends
        self.env: dict[str, str] = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.root / "home"),
            "KERNEL_CACHE_DIR": str(cache or self.root / "cache"),
            "KERNEL_STATE_DIR": str(self.root / "state"),
            "KERNEL_CONFIG_DIR": str(self.root / "config"),
            "LC_ALL": "C.UTF-8",
        }

    def write(self, name: str, content: str | bytes, mode: int = 0o644) -> None:
        """Writes a file below the working directory."""
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
