"""What a real call imports (performance.md T17): the allow-list, and the modules beyond it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

STANDARD = frozenset({"sys", "os", "marshal", "_signal", "zlib", "__future__", "resource", "select"})
STAR = frozenset(
    f"kernel.{name}"
    for name in (
        *"errors system environment values spec bound plan locate store bind occurrences operands".split(),
        *"check render policy launch dispatch cli".split(),
    )
) | {"kernel"}


def modules(python: str, packages: str, code: str, words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> set[str]:
    """The names that a fresh `python -I -S -c CODE WORDS…` imports, with `packages` on its path."""
    script = f"import sys; sys.path.append({packages!r}); {code}"
    command = [python, "-I", "-S", "-X", "importtime", "-c", script, *words]
    done = subprocess.run(command, cwd=cwd, env=dict(env), capture_output=True, text=True, check=True)
    prefix = "import time:"
    lines = [line for line in done.stderr.splitlines() if line.startswith(prefix)]
    return {line.rsplit("|", 1)[1].strip() for line in lines} - {"imported package"}


def surplus(python: str, packages: str, words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> list[str]:
    """The modules that `kernel WORDS…` imports beyond the allow-list and what the interpreter itself imports."""
    plain = modules(python, packages, "pass", (), cwd, env)
    full = modules(python, packages, "from kernel.cli import main; main()", words, cwd, env)
    assert "kernel.cli" in full
    return sorted(full - plain - STANDARD - STAR)
