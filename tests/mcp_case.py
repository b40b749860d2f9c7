"""A served kernel as a real process, spoken to in raw lines, for tests of `kernel mcp`."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernel_case import ROOT

PATIENCE = 60.0  # seconds after which a test gives up: no answer ever takes this long on a machine that works
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Wire:
    """One server on pipes. Its stderr goes to a file, read by ``errors()``."""

    def __init__(self, words: Sequence[str], cwd: Path, env: dict[str, str], errors: Path) -> None:
        self._errors = errors
        with open(errors, "wb") as sink:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "kernel", "mcp", *words],
                cwd=cwd,
                env={**env, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
                start_new_session=True,
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._rest = b""
        self._next = 0

    def errors(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def send(self, message: dict[str, Any] | bytes) -> None:
        """A message, or a raw line without its end."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        view = memoryview(data + b"\n")
        while view:
            view = view[os.write(self.stdin, view) :]

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Sends a request; its id."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, **({"params": params} if params is not None else {})})
        return self._next

    def call(self, name: str, arguments: str = "{}", id: int | None = None) -> int:
        """Sends a call with the raw text of its arguments; its id."""
        self._next += 1
        id = self._next if id is None else id
        line = f'{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{json.dumps(name)},"arguments":{arguments}}}}}'
        self.send(line.encode())
        return id

    def skip_ids(self) -> None:
        """Leaves out the ids that lines written by chance may have used."""
        self._next += 1_000_000

    def line(self) -> dict[str, Any] | None:
        """The next line, None at the end. Every line must be JSON."""
        end = time.monotonic() + PATIENCE
        while b"\n" not in self._rest:
            assert select.select([self.stdout], [], [], max(end - time.monotonic(), 0))[0], f"no answer\n{self.errors()}"
            data = os.read(self.stdout, 1 << 16)
            if not data:
                assert not self._rest, f"a line without its end: {self._rest[:200]!r}"
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        read: dict[str, Any] = json.loads(line)
        assert read["jsonrpc"] == "2.0"
        return read

    def answer(self, id: int | None) -> dict[str, Any]:
        """The answer with that id; notifications and other answers before it are dropped."""
        while True:
            read = self.line()
            assert read is not None, f"the server has ended\n{self.errors()}"
            if "method" not in read and read.get("id") == id:
                return read

    def result(self, id: int) -> dict[str, Any]:
        """The result with that id."""
        answer = self.answer(id)
        assert "result" in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def shake(self) -> Wire:
        """The handshake of the older era."""
        self.result(self.request("initialize", HANDSHAKE))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def ended(self) -> int:
        """Waits for the end: the status, negative for a signal. Everything it started must be gone."""
        status = self.process.wait(PATIENCE)
        gone(lambda: not _members(self.process.pid), "the server's own processes")
        return status

    def close(self) -> int:
        """Ends the input and waits for the end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.ended()


def gone(condition: Any, what: str) -> None:
    """Waits for a condition."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"still there: {what}"
        time.sleep(0.01)


def _members(session: int) -> list[int]:
    """The processes of a session; the guard has one of its own, and is the child of none any more when it ends."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(name))
    return found


def marked(text: str) -> list[int]:
    """The running processes that have a text in their command line, this one and its parents excepted."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes()
                state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if text.encode() in line and b"pytest" not in line and state not in "ZX":
                found.append(int(name))
    return found


@contextmanager
def served(words: Sequence[str], cwd: Path, env: dict[str, str], errors: Path) -> Iterator[Wire]:
    """A server for the time of a block; it is killed if it has not ended by then."""
    wire = Wire(words, cwd, env, errors)
    try:
        yield wire
    finally:
        if wire.process.poll() is None:
            wire.process.send_signal(signal.SIGKILL)
            wire.process.wait()
        for stream in (wire.process.stdin, wire.process.stdout):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
