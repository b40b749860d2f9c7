"""What the commands of a shell share: variables, arguments, functions, aliases, options, the last statuses."""

from __future__ import annotations

import os

from kernel import environment
from kernel.shell.data import Data, text_of
from kernel.shell.scanner import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.data import Field
    from kernel.shell.tree import Command

# option: its letter; `emacs`, `vi`, `tables` and `progress` are of the prompt
KNOWN = {"errexit": "e", "nounset": "u", "pipefail": "", "emacs": "", "vi": "", "tables": "", "progress": ""}


class State:
    """Variables by name; exported ones are in the process's environment as well."""

    def __init__(self, name: str, arguments: list[str]) -> None:
        self.name = name  # $0
        self.arguments: list[Field] = list(arguments)
        self.options = dict.fromkeys(KNOWN, False)
        self.variables: dict[str, Field] = {}
        self.exported: set[str] = set()
        self.functions: dict[str, Command] = {}
        self.aliases: dict[str, str] = {}
        self.frames: list[dict[str, tuple[Field | None, bool]]] = []  # of running functions: what `local` hides
        self.status = 0
        self.pipe_statuses: list[int] = [0]
        self.last_background = 0
        self.process = os.getpid()  # $$, also in a child
        self.changes = 0  # counts changes of the environment
        self._bytes: dict[bytes, bytes] = {}
        self._bytes_of = -1
        for key, value in environment.variables().items():
            if is_name(key):
                self.variables[key] = value
                self.exported.add(key)
        self.variables["IFS"] = " \t\n"  # never from outside, as in bash
        self.exported.discard("IFS")
        self._start_directory()

    def _start_directory(self) -> None:
        logical = environment.variable("PWD")
        try:
            same = logical[:1] == "/" and os.path.samestat(os.stat(logical), os.stat("."))
        except OSError:
            same = False
        self.assign("PWD", logical if same else environment.working_directory())
        self.export("PWD")

    def get(self, name: str) -> Field | None:
        """The value of a parameter; None when unset."""
        found = self.variables.get(name)
        if found is not None or name[0].isalpha():
            if found is None and name == "PIPESTATUS":
                return Data(list(self.pipe_statuses))
            return found
        return self._special(name)

    def _special(self, name: str) -> Field | None:
        if name.isdigit():
            index = int(name)
            if index == 0:
                return self.name
            return self.arguments[index - 1] if index <= len(self.arguments) else None
        if name == "?":
            return str(self.status)
        if name == "#":
            return str(len(self.arguments))
        if name == "$":
            return str(self.process)
        if name == "!":
            return str(self.last_background) if self.last_background else None
        if name in "@*":
            return " ".join([text_of(field) for field in self.arguments]) if self.arguments else None
        return None

    def assign(self, name: str, value: Field) -> None:
        """Gives a variable a value; an exported one in the environment, too."""
        self.variables[name] = value
        if name in self.exported:
            environment.variables()[name] = text_of(value).replace("\0", "")
            self.environment_changed(name)

    def environment_changed(self, name: str) -> None:
        """Has all who keep something of a variable of the environment look again: the C library has its own time zone."""
        self.changes += 1
        if name == "TZ":
            import time

            time.tzset()

    def set_option(self, name: str, wanted: bool) -> None:
        """Turns an option on or off; the keys are those of one editor."""
        self.options[name] = wanted
        if wanted and name in ("vi", "emacs"):
            self.options["emacs" if name == "vi" else "vi"] = False

    def export(self, name: str, wanted: bool = True) -> None:
        """Puts a variable into the environment, or takes it out."""
        if wanted:
            self.exported.add(name)
            if name in self.variables:
                environment.variables()[name] = text_of(self.variables[name]).replace("\0", "")
        else:
            self.exported.discard(name)
            environment.variables().pop(name, None)
        self.environment_changed(name)

    def unset(self, name: str) -> None:
        self.variables.pop(name, None)
        if name in self.exported:
            self.exported.discard(name)
            environment.variables().pop(name, None)
            self.environment_changed(name)

    def restore(self, name: str, value: Field | None, exported: bool) -> None:
        """Puts back what a variable was: its value (None: unset), and whether it was exported."""
        if value is None:
            self.unset(name)
            return
        if not exported and name in self.exported:
            self.export(name, False)
        self.variables[name] = value
        if exported:
            self.export(name)

    def remember(self, name: str) -> tuple[Field | None, bool]:
        """What `restore` wants to put a variable back."""
        return self.variables.get(name), name in self.exported

    def spawn_environment(self) -> dict[bytes, bytes]:
        """The environment for a new program."""
        if self._bytes_of != self.changes:
            encode = os.fsencode
            self._bytes = {encode(name): encode(value) for name, value in environment.variables().items()}
            self._bytes_of = self.changes
        return self._bytes
