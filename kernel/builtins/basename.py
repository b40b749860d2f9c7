"""basename: the last part of paths."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded, raw
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for more than a name and a suffix, where each operand is not a name."""
    values = bound.values
    if not values["multiple"] and "suffix" not in values and len(values["names"]) > 2:
        raise Failure(f"extra operand {quoted(values['names'][2])}", param="names", entry=2)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Without --multiple or --suffix: one name and perhaps a suffix."""
    values = bound.values
    names: list[str] = list(values["names"])
    suffix: str = values.get("suffix", "")
    if not values["multiple"] and "suffix" not in values:
        usage(bound)
        if len(names) == 2:
            suffix = names.pop()
    end = b"\0" if values["zero"] else b"\n"
    for name in names:
        io.write(raw(last_part(name, suffix)) + end)
    return 0


def last_part(name: str, suffix: str) -> str:
    """What stands behind the last slash; the suffix is dropped unless it is all of it."""
    part = name.rstrip("/").rpartition("/")[2] or name[:1]
    if suffix and part.endswith(suffix) and part != suffix and part != "/":
        return part[: -len(suffix)]
    return part
