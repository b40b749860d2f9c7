"""Where the bench measures: a fresh environment with the launcher installed, and directories of manifests."""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DEPENDENCIES = ("yaml", "_yaml", "rich", "pygments", "markdown_it", "mdurl", "jq")

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


class Environment:
    """A virtual environment with this package in it, as pip lays it out, at a path with a blank."""

    def __init__(self, root: Path, *, stub: str = "") -> None:
        """``stub`` is the text of `kernel/cli.py` of an environment that has nothing else of the kernel."""
        self.root = root / ("fresh venv" if stub else "the venv")
        venv.create(self.root, symlinks=True, with_pip=False)
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        packages = self.root / "lib" / version / "site-packages"
        if stub:
            (packages / "kernel").mkdir()
            (packages / "kernel/__init__.py").touch()
            (packages / "kernel/cli.py").write_text(stub)
        else:
            ignore = shutil.ignore_patterns("__pycache__", "_bin")
            shutil.copytree(ROOT / "kernel", packages / "kernel", ignore=ignore)
            shutil.copytree(ROOT / "tools.d", packages / "kernel/tools.d", ignore=ignore)
            for name in DEPENDENCIES:
                found = importlib.util.find_spec(name)
                if found is not None and found.origin:
                    origin = Path(found.origin)
                    origin = origin.parent if found.submodule_search_locations else origin
                    (packages / origin.name).symlink_to(origin)
        compileall.compile_dir(packages / "kernel", quiet=1)
        self.launcher = str(self.root / "bin/kernel")
        shutil.copy(ROOT / "kernel/_bin/kernel", self.launcher)
        os.chmod(self.launcher, 0o755)
        self.python = str(self.root / "bin/python")
        self.packages = packages


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
