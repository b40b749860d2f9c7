"""The builder of feature tests: a directory with tools, and real runs of the program in it.

``Case(tmp_path).tool("x", yaml).run("call x --n 1")`` gives an Outcome with exit status, stdout and stderr. Runs are
forks of one warm process, so that each costs milliseconds; ``fresh=True`` starts a new interpreter instead.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping, Sequence

from warm import ROOT as ROOT
from warm import Home, Program
from warm import Outcome as Outcome

_KERNEL = Program(
    "kernel.cli:main",
    "kernel.bind kernel.check kernel.dispatch kernel.explain kernel.locate kernel.manifest kernel.policy kernel.present.problem "
    "kernel.render kernel.schema kernel.store kernel.words kernel.commands.verb",
)


class Case(Home):
    """A working directory of its own with `tools.d`, home, cache and state inside ``root``."""

    def tool(self, name: str, text: str) -> Case:
        """Writes `tools.d/NAME.yaml`; the text may be indented."""
        return self.file(f"tools.d/{name}.yaml", textwrap.dedent(text).lstrip("\n"))

    def file(self, name: str, content: str | bytes = "") -> Case:
        """Writes a file below the working directory."""
        self.write(name, content)
        return self

    def script(self, name: str, text: str) -> Case:
        """Writes an executable file; a text without `#!` is a /bin/sh script."""
        self.write(name, text if text.startswith("#!") else f"#!/bin/sh\n{text}", 0o755)
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
        """Runs `kernel LINE`; a string is split as a shell splits it. Paths of the case show as `DIR` and `ROOT`."""
        words = shlex.split(line) if isinstance(line, str) else line
        status, out, err = _KERNEL.run(words, self.root, str(self.cwd / cwd), {**self.env, **(env or {})}, stdin, fresh)
        return Outcome(status, self._short(out), self._short(err))

    def _short(self, text: bytes) -> bytes:
        return text.replace(str(self.cwd).encode(), b"DIR").replace(str(self.root).encode(), b"ROOT")
