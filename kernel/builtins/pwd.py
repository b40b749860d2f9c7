"""pwd: the working directory."""

from __future__ import annotations

import os

from kernel.builtins.guard import Failure, guarded, last_given, raw, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Without links, as the program does; with --logical the PWD of the environment where it is right."""
    directory = ""
    if last_given(bound, "logical", "physical") == "logical":
        directory = logical(io)
    if not directory:
        try:
            directory = os.path.realpath(io.cwd, strict=True)
        except OSError as error:
            raise Failure(f"cannot find the working directory: {reason(error)}", 1) from None
    io.write(raw(directory) + b"\n")
    return 0


def logical(io: Io) -> str:
    """PWD when it is absolute, without `.` and `..`, and the same directory; else ""."""
    given = io.env.get("PWD", "")
    if given[:1] != "/" or {".", ".."} & set(given.split("/")):
        return ""
    try:
        return given if os.path.samefile(given, io.cwd) else ""
    except (OSError, ValueError):
        return ""
