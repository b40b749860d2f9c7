"""Runs a command on an input of any size and says how much memory it took at most.

What counts is ``ru_maxrss``, which on Linux begins with what the process that started the program held. So this file is
itself the small program that starts it: it feeds one block again and again, and counts what comes out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Run:
    """What a run gave back: its status, the bytes that it wrote and the last of them, its errors, its peak in bytes."""

    def __init__(self, status: int, written: int, tail: str, errors: str, peak: int) -> None:
        self.status = status
        self.written = written
        self.tail = tail
        self.errors = errors
        self.peak = peak


def run(words: list[str], cwd: Path, block: bytes = b"", times: int = 0) -> Run:
    """`kernel WORDS` in a directory, with a block so many times on stdin."""
    (cwd / "block").write_bytes(block)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "HOME": str(cwd), "TMPDIR": str(cwd)}
    env |= {"KERNEL_CACHE_DIR": str(cwd / "cache"), "KERNEL_STATE_DIR": str(cwd / "state")}
    argv = [sys.executable, "-I", "-S", __file__, str(cwd / "block"), str(times), sys.executable, "-P", "-m", "kernel", *words]
    done = subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return Run(**json.loads(done.stdout), errors=done.stderr)


def feed_file(file: Path, block: bytes, times: int) -> None:
    """A file that is a block so many times."""
    with open(file, "wb", 0) as out:
        feed(out.fileno(), block, times)


def feed(descriptor: int, block: bytes, times: int) -> None:
    for _ in range(times):
        view = memoryview(block)
        while view:
            view = view[os.write(descriptor, view) :]


def main(file: str, times: int, argv: list[str]) -> None:
    """Prints a Run without its errors as JSON."""
    stdin, into = os.pipe()
    out, stdout = os.pipe()
    moves = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1)]
    program = os.posix_spawn(argv[0], argv, os.environ, file_actions=moves)
    os.close(stdin)
    os.close(stdout)
    if os.fork() == 0:
        os.close(out)
        try:
            with open(file, "rb", 0) as source:
                feed(into, source.read(), times)
        except BrokenPipeError:
            pass  # it has read enough
        finally:
            os._exit(0)
    os.close(into)
    written, tail = 0, b""
    while data := os.read(out, 65536):
        written += len(data)
        tail = (tail + data)[-200:]
    _, status, used = os.wait4(program, 0)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    found = {"status": os.waitstatus_to_exitcode(status), "written": written, "tail": tail.decode("latin-1"), "peak": peak}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
