"""uname: the system's name, version and machine."""

from __future__ import annotations

import os
import sys

from kernel.builtins.guard import guarded, raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

ORDER = "kernel_name nodename kernel_release kernel_version machine processor hardware_platform operating_system".split()


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Always status 0."""
    values = bound.values
    found = os.uname()
    system = "GNU/Linux" if sys.platform == "linux" else found.sysname
    facts = (found.sysname, found.nodename, found.release, found.version, found.machine, "unknown", "unknown", system)
    if values["all"]:
        shown = [fact for fact in facts if fact != "unknown"]
    else:
        shown = [fact for name, fact in zip(ORDER, facts, strict=True) if values[name]] or [found.sysname]
    io.write(raw(" ".join(shown)) + b"\n")
    return 0
