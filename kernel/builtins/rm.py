"""rm: files and trees removed."""

from __future__ import annotations

import os

from kernel.builtins.guard import Failure, guarded, last_given
from kernel.builtins.quoting import quoted_name
from kernel.builtins.removing import Remover
from kernel.builtins.targets import confirmed, last_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure where nothing is named."""
    if not (bound.values["files"] or bound.values["force"]):
        raise Failure("missing operand", param="files")


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when something stayed that was to go."""
    values = bound.values
    files: list[str] = values["files"]
    force = bool(values["force"])
    usage(bound)
    if not files:
        return 0
    asked = last_given(bound, "interactive_always", "interactive_once", "interactive", "force")
    when = {"interactive_always": "always", "interactive_once": "once", "force": "never", "": ""}.get(asked, "")
    if asked == "interactive":
        when = {"no": "never", "none": "never", "yes": "always"}.get(values["interactive"], values["interactive"])
    recursive = bool(values["recursive"])
    if when == "once" and (len(files) > 3 or recursive):
        many = f"{len(files)} argument{'s' if len(files) > 1 else ''}"
        if not confirmed(io, f"remove {many}{' recursively' if recursive else ''}?"):
            return 0
    remover = Remover(
        io,
        recursive=recursive,
        verbose=bool(values["verbose"]),
        force=force and when == "never",
        ask=when == "always",
        empty=bool(values["dir"]),
        one_file_system=bool(values["one_file_system"]),
    )
    for name in files:
        if not recursive or not _is_refused(bound, remover, name):
            remover.remove(name)
    return 1 if remover.failed else 0


def _is_refused(bound: Bound, remover: Remover, name: str) -> bool:
    if last_part(name) in (".", ".."):
        remover.complain(f"refusing to remove '.' or '..' directory: skipping {quoted_name(name)}")
        return True
    preserve = last_given(bound, "preserve_root", "no_preserve_root") != "no_preserve_root"
    try:
        is_root = os.path.samefile(remover.io.path(name), "/")
    except OSError:
        return False
    if preserve and is_root and not os.path.islink(remover.io.path(name)):
        same = "" if name == "/" else f" (same as {quoted_name('/')})"
        remover.complain(f"it is dangerous to operate recursively on {quoted_name(name)}{same}")
        remover.io.complain("use --no-preserve-root to override this failsafe")
        return True
    return False
