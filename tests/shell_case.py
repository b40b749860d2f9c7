"""The builder of shell tests: a directory with files, and real runs of `kaish` in it.

Runs are forks of one warm process, so that each costs milliseconds; ``fresh=True`` starts a new interpreter.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from warm import ROOT as ROOT
from warm import Home, Program
from warm import Outcome as Outcome

_KAISH = Program(
    "kernel.shell.doors:main",
    "kernel.shell.parser kernel.shell.validate kernel.present.problem kernel.dispatch kernel.render kernel.shell.conditional "
    "kernel.shell.reading kernel.shell.sourcing kernel.shell.regular kernel.explain kernel.strict_json kernel.schema "
    "kernel.manifest subprocess fcntl",
)
START = _KAISH.command[-1]


class ShellCase(Home):
    """A working directory of its own, with home, cache and state beside it."""

    def __init__(self, root: Path, cache: Path | None = None) -> None:
        super().__init__(root, cache)
        self.env |= {"TMPDIR": str(self.root / "tmp"), "LANG": "C.UTF-8", "TZ": "UTC0", "TERM": "dumb"}

    def file(self, name: str, content: str | bytes = "", mode: int = 0o644) -> ShellCase:
        """Writes a file below the working directory."""
        self.write(name, content, mode)
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
        status, out, err = _KAISH.run(words, self.root, str(self.cwd), {**self.env, **(env or {})}, stdin, fresh)
        directory = str(self.cwd).encode()
        return Outcome(status, out.replace(directory, b"DIR"), err.replace(directory, b"DIR"))
