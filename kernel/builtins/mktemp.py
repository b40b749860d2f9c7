"""mktemp: a new file or directory with a name that nobody can guess."""

from __future__ import annotations

import os
import re
import secrets
import string

from kernel.builtins.guard import About, Failure, guarded, last_given, raw, reason
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

LETTERS = string.ascii_letters + string.digits
_TRIES = 100


def usage(bound: Bound) -> None:
    """Failure for a template that is none."""
    _asked(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when nothing could be made."""
    values = bound.values
    head, count, rest = _asked(bound)
    given = last_given(bound, "tmpdir", "directory_name")
    place = str(values.get(given) or "") if given else ""
    if values["in_temporary"]:
        head = os.path.join(io.env.get("TMPDIR") or place or "/tmp", head)
    elif given or "template" not in values:
        head = os.path.join(place or io.env.get("TMPDIR") or "/tmp", head)
    name = make(bound, io, head, count, rest)
    io.write(raw(name) + b"\n")
    return 0


def _asked(bound: Bound) -> tuple[str, int, str]:
    """The name before its random letters, how many these are, and the name behind them."""
    values = bound.values
    template, suffix = values.get("template", "tmp.XXXXXXXXXX"), values.get("suffix")
    marks = list(re.finditer("X+", template))
    with About("template"):
        if suffix is not None and not template.endswith("X"):
            raise Failure(f"with --suffix, template {quoted(template)} must end in X")
        if not marks or len(marks[-1].group()) < 3:
            raise Failure(f"too few X's in template {quoted(template)}")
        start, end = marks[-1].span()
        rest = template[end:] + (suffix or "")
        if "/" in rest:
            param = "suffix" if suffix and "/" in suffix else ""
            raise Failure(f"invalid suffix {quoted(rest)}, contains directory separator", param=param)
        if values["in_temporary"] and "/" in template:
            raise Failure(f"invalid template, {quoted(template)}, contains directory separator")
        given = last_given(bound, "tmpdir", "directory_name")
        if given and not values["in_temporary"] and template.startswith("/"):
            raise Failure(f"invalid template, {quoted(template)}; with --tmpdir, it may not be absolute")
    return template[:start], end - start, rest


def make(bound: Bound, io: Io, head: str, count: int, rest: str) -> str:
    """The name of what was made; with --dry-run, a name that was free."""
    values = bound.values
    kind = "directory" if values["directory"] else "file"
    for _ in range(_TRIES):
        name = head + "".join([secrets.choice(LETTERS) for _ in range(count)]) + rest
        path = io.path(name)
        try:
            if values["dry_run"]:
                if os.path.lexists(path):
                    continue
            elif values["directory"]:
                os.mkdir(path, 0o700)
            else:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            continue
        except OSError as error:
            if values["quiet"]:
                raise Failure("", 1) from None
            shown = quoted(head + "X" * count + rest)
            raise Failure(f"failed to create {kind} via template {shown}: {reason(error)}", 1) from None
        return name
    raise Failure(f"failed to create {kind} via template {quoted(head + 'X' * count + rest)}: File exists", 1)
