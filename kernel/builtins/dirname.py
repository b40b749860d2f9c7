"""dirname: paths without their last part."""

from __future__ import annotations

from kernel.builtins.guard import guarded, raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """One line a name."""
    end = b"\0" if bound.values["zero"] else b"\n"
    for name in bound.values["names"]:
        io.write(raw(parent(name)) + end)
    return 0


def parent(name: str) -> str:
    """Everything before the last part, `.` for nothing, `/` for the root."""
    head, slash, _ = name.rstrip("/").rpartition("/")
    if not name.strip("/"):
        return "/" if name else "."
    return (head.rstrip("/") or "/") if slash else "."
