"""The texts of scripts: read from files, and run inside a shell by `source`."""

from __future__ import annotations

import os

from kernel import environment
from kernel.errors import USAGE, KernelError, fail
from kernel.shell import parser, validate
from kernel.shell.control import Return
from kernel.shell.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.own_call import Call


def has_file(call: Call) -> None:
    """Raises KernelError where no file is named."""
    if not call.words:
        raise call.wrong("E-REQUIRED", "the file is missing")


def source(call: Call) -> int:
    """`source FILE [ARGUMENT…]`: runs its commands in this shell, checked when they are reached (L2)."""
    has_file(call)
    evaluator, file, arguments = call.evaluator, call.words[0], call.fields[1:]
    path = file
    if "/" not in file and not os.path.isfile(file):
        for place in environment.variable("PATH").split(":"):
            if place[:1] == "/" and os.path.isfile(f"{place}/{file}"):
                path = f"{place}/{file}"
                break
    try:
        text = read_text(path)
    except KernelError as error:
        raise call.wrong("E-FILE", error.problems[0].message, status=1) from None
    commands = parser.parse(Source(text, path), evaluator.state.aliases)
    found = validate.problems(commands, evaluator)
    if found:
        for problem in found:
            evaluator.report(problem)
        return USAGE
    before = evaluator.state.arguments
    if arguments:
        evaluator.state.arguments = arguments
    evaluator.sourced += 1
    try:
        return evaluator.run(commands) if commands.items else 0
    except Return as returned:
        return returned.status
    finally:
        evaluator.sourced -= 1
        if arguments:
            evaluator.state.arguments = before


def read_text(path: str) -> str:
    """The text of a script. Raises KernelError E-FILE for what cannot be read or is no text."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name holds a NUL byte"
        raise fail("E-FILE", f"`{path}` cannot be read: {reason}") from None
    if b"\0" in data:
        raise fail("E-FILE", f"`{path}` holds NUL bytes: it is no script")
    return data.decode("utf-8", "surrogateescape")
