"""What the bench calls: directories of manifests, and the shells it compares with."""

from __future__ import annotations

import os
import subprocess
import time
import venv
from pathlib import Path

# Eight params, a pattern, choices, a group and a path. WORDS gives seven of them, and none to the pattern.
MANIFEST = """\
description: Pack a directory, for the bench.
effect: write
exec: [/bin/true, "{*}"]
params:
  - {name: source, positional: true, required: true, path: read, description: What to pack.}
  - {name: verbose, type: bool, aliases: [-v], description: Say more.}
  - {name: quiet, type: bool, aliases: [-q], description: Say less.}
  - {name: format, aliases: [-f], choices: [tar, zip, cpio], description: The format to write.}
  - {name: level, type: int, min: 0, max: 9, aliases: [-l], description: How hard to try.}
  - {name: exclude, repeatable: true, aliases: [-x], description: What to leave out.}
  - {name: define, consumes: [{name: NAME}, {name: VALUE}], aliases: [-D], description: A named value.}
  - {name: label, pattern: "[a-z]+", description: A name of lower-case letters.}
groups:
  - exclusive: [verbose, quiet]
"""
WORDS = ["-v", "--format", "tar", "--level=6", "-x", "*.o", "-x", "*.pyc", "-D", "a", "1", "src"]


def lay_tools(directory: Path, count: int) -> Path:
    """A working directory whose `tools.d` has `count` manifests: `bench` and others like it, all older than 2 s."""
    tools = directory / "tools.d"
    tools.mkdir(parents=True)
    (directory / ".git").mkdir()
    (directory / "src").mkdir()
    (tools / "bench.yaml").write_text(MANIFEST)
    for number in range(count - 1):
        (tools / f"other-{number}.yaml").write_text(MANIFEST)
    return directory


def age(*directories: Path) -> None:
    """Waits until every manifest is old enough for its compiled spec to be kept (2 s; ctime cannot be set)."""
    newest = max((entry.stat().st_ctime for directory in directories for entry in os.scandir(directory / "tools.d")), default=0.0)
    time.sleep(max(newest + 2.2 - time.time(), 0))


class Missing(Exception):
    """A program to compare with that is not here; the text says why."""


def peer(directory: Path, package: str) -> str:
    """The interpreter of a new virtual environment that has a package of PyPI. Raises Missing."""
    try:
        venv.create(directory, symlinks=True, with_pip=True)
    except subprocess.CalledProcessError:
        raise Missing("this Python cannot install pip") from None
    python = str(directory / "bin/python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", package]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        reasons = done.stderr.strip().splitlines() or ["pip gave no reason"]
        raise Missing(f"{package} cannot be installed: {reasons[-1]}")
    return python
