"""Runs the conformance suite and the Inspector against `kernel mcp`; see `run`."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REVISIONS = ("2025-11-25", "2026-07-28")
ERAS = ("legacy", "modern")
PATIENCE = 60.0  # seconds for the server to say where it listens


def main() -> int:
    """0 when all is as the baselines say."""
    modules = installed()
    node = str(modules / ".bin" / "node")
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        env = environment(Path(scratch))
        fixture = ["--workspace", str(HERE / "fixture"), "--rate", "none"]
        for path in sorted((HERE / "fixture" / "tools.d").glob("*.yaml")):
            fixture += ["--only", path.stem]
        with server(fixture, env, Path(scratch)) as url:
            for revision in REVISIONS:
                program = str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")
                words = [node, program, "server", "--url", url, "--suite", "all", "--spec-version", revision]
                words += ["--expected-failures", str(HERE / f"baseline.{revision}.yml"), "-o", f"{scratch}/results"]
                if said(words, env) != 0:
                    failed.append(f"the conformance suite of {revision}")
        shipped = ["--workspace", scratch, "--facade", "off", "--allow", "destructive"]
        inspector = [node, str(modules / ".bin" / "mcp-inspector"), "--cli"]
        for era in ERAS:
            words = [
                *inspector,
                "-e",
                f"PYTHONPATH={ROOT}",
                sys.executable,
                "-P",
                "-m",
                "kernel",
                "mcp",
                *shipped,
                "--transport",
                "stdio",
            ]
            words += ["--protocol-era", era, "--method", "tools/list", "--strict", "--output", f"{scratch}/tools-{era}.json"]
            if said(words, env) != 0:
                failed.append(f"the Inspector, {era} era, over stdio")
        with server(shipped, env, Path(scratch)) as url:
            for era in ERAS:
                words = [*inspector, "--server-url", url, "--transport", "http", "--protocol-era", era]
                words += ["--method", "tools/list", "--strict", "--output", f"{scratch}/tools-{era}.json"]
                if said(words, env) != 0:
                    failed.append(f"the Inspector, {era} era, over HTTP")
    for each in failed:
        print(f"failed: {each}", flush=True)
    return 1 if failed else 0


def installed() -> Path:
    """The `node_modules` with what package.json names: kept in the user's cache, installed when it is not there."""
    wanted = (HERE / "package.json").read_bytes()
    cache = os.environ.get("KERNEL_CONFORMANCE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "toolkernel-conformance"
    )
    home = Path(cache) / hashlib.sha256(wanted).hexdigest()[:16]
    if not home.exists():
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("npm is not installed: it comes with node")
        home.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=home.parent))
        (fresh / "package.json").write_bytes(wanted)
        subprocess.run([npm, "install", "--no-audit", "--no-fund", "--loglevel", "error"], cwd=fresh, check=True)
        try:
            fresh.rename(home)
        except OSError:  # another run was faster
            shutil.rmtree(fresh)
    return home / "node_modules"


def environment(scratch: Path) -> dict[str, str]:
    """Variables of a home that holds nothing."""
    env = {"PATH": os.environ["PATH"], "HOME": str(scratch / "home"), "PYTHONPATH": str(ROOT)}
    (scratch / "home").mkdir()
    return env


@contextmanager
def server(words: list[str], env: dict[str, str], scratch: Path) -> Iterator[str]:
    """A server over HTTP for the time of a block: its address."""
    errors = scratch / "errors"
    with open(errors, "wb") as sink:
        line = [sys.executable, "-P", "-m", "kernel", "mcp", "--http", "127.0.0.1:0", *words]
        process = subprocess.Popen(line, env=env, cwd=scratch, stdin=subprocess.DEVNULL, stderr=sink)
    try:
        end = time.monotonic() + PATIENCE
        while (found := re.search(r"http://\S+", errors.read_text(errors="replace"))) is None:
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the server did not start:\n{errors.read_text(errors='replace')}")
            time.sleep(0.05)
        yield found[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def said(words: list[str], env: dict[str, str]) -> int:
    """The status of a program, whose words are shown."""
    print(f"$ {' '.join(words)}", flush=True)
    return subprocess.run(words, env=env, stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
