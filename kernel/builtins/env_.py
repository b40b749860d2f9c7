"""env: the environment, or a program run in a changed one."""

from __future__ import annotations

import os
import subprocess

from kernel.builtins.guard import Failure, guarded, raw, reason
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for names that are none, and for options that want a command or none."""
    Changes(bound)


@guarded(failure=125)
def run(bound: Bound, io: Io) -> int:
    """The program's status; 127 when it is missing, 126 when it cannot be started; 2 for usage."""
    values, changes = bound.values, Changes(bound)
    variables = {} if changes.empty else dict(io.env)
    for name in values["unset"]:
        variables.pop(name, None)
    variables.update(changes.added)
    if not changes.command:
        end = b"\0" if values["null"] else b"\n"
        io.write(b"".join([raw(f"{name}={value}") + end for name, value in variables.items()]))
        return 0
    return start(io, changes.command, variables, values.get("chdir"))


class Changes:
    """What becomes of the environment, and the command that runs in it: the operands behind `-` and `NAME=VALUE`."""

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        words: list[str] = list(values["words"])
        self.empty = bool(values["ignore_environment"])
        if words[:1] == ["-"]:
            self.empty = True
            del words[0]
        for entry, name in enumerate([] if self.empty else values["unset"]):
            if not name or "=" in name:
                raise Failure(f"cannot unset {quoted(name)}: Invalid argument", param="unset", entry=entry)
        self.added: dict[str, str] = {}
        while words and "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            self.added[name] = value
        self.command = words
        if not words and values.get("chdir") is not None:
            raise Failure("must specify command with --chdir (-C)", param="chdir")
        if words and values["null"]:
            raise Failure("cannot specify --null (-0) with command", param="null")


def start(io: Io, words: list[str], variables: dict[str, str], directory: str | None) -> int:
    """Runs a program on this tool's streams: its status, 128+n for a signal."""
    io.flush()
    cwd = io.path(directory) if directory is not None else io.cwd
    if not os.path.isdir(cwd):
        raise Failure(f"cannot change directory to {quoted(directory or cwd)}: No such file or directory", 125)
    try:
        child = subprocess.Popen(words, env=variables, cwd=cwd, stdin=io.stdin, stdout=io.stdout, stderr=io.stderr)
    except (OSError, ValueError) as error:
        said = reason(error) if isinstance(error, OSError) else "Invalid argument"
        status = 127 if isinstance(error, FileNotFoundError) else 126
        raise Failure(f"{quoted(words[0])}: {said}", status) from None
    while True:
        try:
            status = child.wait()
        except KeyboardInterrupt:  # the program got it too: it decides
            continue
        return status if status >= 0 else 128 - status
