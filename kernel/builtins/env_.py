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


@guarded(failure=125)
def run(bound: Bound, io: Io) -> int:
    """The program's status; 127 when it is missing, 126 when it cannot be started; 2 for usage."""
    values = bound.values
    words: list[str] = list(values["words"])
    empty = bool(values["ignore_environment"])
    if words[:1] == ["-"]:
        empty = True
        del words[0]
    variables = {} if empty else dict(io.env)
    for name in values["unset"]:
        if not name or "=" in name:
            raise Failure(f"cannot unset {quoted(name)}: Invalid argument")
        variables.pop(name, None)
    while words and "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    directory = values.get("chdir")
    if not words:
        if directory is not None:
            raise Failure("must specify command with --chdir (-C)")
        end = b"\0" if values["null"] else b"\n"
        io.write(b"".join([raw(f"{name}={value}") + end for name, value in variables.items()]))
        return 0
    if values["null"]:
        raise Failure("cannot specify --null (-0) with command")
    return start(io, words, variables, directory)


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
