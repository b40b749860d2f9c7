"""The package installed into a fresh virtual environment as pip lays it out, without pip."""

from __future__ import annotations

import compileall
import importlib.util
import os
import shutil
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEPENDENCIES = ("yaml", "_yaml", "rich", "pygments", "markdown_it", "mdurl", "jq")


class Environment:
    """A virtual environment with the launcher in its `bin`.

    ``launcher``, ``python`` and ``packages`` are the paths of the launcher, the interpreter and `site-packages`.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        venv.create(root, symlinks=True, with_pip=False)
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        self.packages = root / "lib" / version / "site-packages"
        self.python = str(root / "bin/python")
        self.launcher = str(root / "bin/kernel")
        shutil.copy(ROOT / "kernel/_bin/kernel", self.launcher)
        os.chmod(self.launcher, 0o755)

    def install(self) -> Environment:
        """Adds the package and what it depends on, as a wheel would."""
        ignore = shutil.ignore_patterns("__pycache__", "_bin")
        shutil.copytree(ROOT / "kernel", self.packages / "kernel", ignore=ignore)
        shutil.copytree(ROOT / "tools.d", self.packages / "kernel/tools.d")
        self.link_dependencies(self.packages)
        compileall.compile_dir(self.packages / "kernel", quiet=1)
        return self

    def install_stub(self, text: str) -> Environment:
        """Adds a package `kernel` that is no more than a `cli.py` with this text."""
        (self.packages / "kernel").mkdir()
        (self.packages / "kernel/__init__.py").touch()
        (self.packages / "kernel/cli.py").write_text(text)
        compileall.compile_dir(self.packages / "kernel", quiet=1)
        return self

    def install_editable(self) -> Environment:
        """Adds a path file to the source tree, as an editable install does."""
        (self.packages / "_editable_impl_toolkernel.pth").write_text(f"{ROOT}\n")
        self.link_dependencies(self.packages)
        return self

    @staticmethod
    def link_dependencies(directory: Path) -> None:
        """Links the packages that this interpreter has into a directory."""
        for name in DEPENDENCIES:
            found = importlib.util.find_spec(name)
            if found is not None and found.origin:
                origin = Path(found.origin)
                origin = origin.parent if found.submodule_search_locations else origin
                (directory / origin.name).symlink_to(origin)
