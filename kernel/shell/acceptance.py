"""A project's manifest that hides a program or a shipped tool runs at the prompt only after it was accepted once (L5)."""

from __future__ import annotations

import os

from kernel import environment, locate
from kernel.errors import KernelError, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.locate import Found


def require(found: Found, program: str) -> None:
    """Returns when the manifest hides nothing or was accepted: now, or before. Raises KernelError E-EFFECT naming both.

    ``program`` is the path of the program of the same name, "" for none. The acceptance is kept by path and content.
    """
    hidden = locate.hidden_shipped_file(found) or program
    if not hidden:
        return
    kept = _file(found)
    if kept and os.path.exists(kept):
        return
    if kept and _ask(found, hidden):
        try:
            os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
            with open(kept, "x", encoding="utf-8") as file:
                file.write(f"{found.file}\n")
        except OSError:
            pass  # asked again next time
        return
    raise refusal(found, hidden)


def refusal(found: Found, hidden: str) -> KernelError:
    """The error that names the manifest and what it hides."""
    what = "the tool" if hidden.endswith(".yaml") else "the program"
    return fail(
        "E-EFFECT",
        f"`{found.name}` is defined by the project's `{found.file}`, which hides {what} `{hidden}` and was not accepted yet",
        hint=f"accept it at the prompt once; `command {found.name}` runs the program, `kernel call {found.name}` the tool",
        hides=hidden,
    )


def _file(found: Found) -> str:
    import hashlib

    try:
        with open(found.file, "rb") as file:
            content = file.read()
    except OSError:
        return ""
    digest = hashlib.sha256(os.fsencode(found.file) + b"\0" + content).hexdigest()
    return os.path.join(environment.state_directory(), "accepted", digest)


def _ask(found: Found, hidden: str) -> bool:
    """Asks on the terminal, where the shell itself is used on one."""
    if not (environment.is_terminal(0) and environment.is_terminal(2)):
        return False
    from kernel.confirm import printable

    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return False
    try:
        question = (
            f"`{printable(found.name)}` is defined by {printable(found.file)} and hides {printable(hidden)}.\n"
            "Run it from now on? [y]es / [N]o: "
        )
        environment.write_all(terminal, question.encode("utf-8", "replace"))
        return os.read(terminal, 1024).decode("utf-8", "replace").strip().lower() in ("y", "yes")
    except OSError:
        return False
    finally:
        os.close(terminal)
