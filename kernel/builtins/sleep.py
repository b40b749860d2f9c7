"""sleep: waits."""

from __future__ import annotations

import time

from kernel.builtins import long_double
from kernel.builtins.guard import About, Failure, guarded
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST = 10.0**9  # seconds that one call of the system's sleep takes for certain


def usage(bound: Bound) -> None:
    """Failure for an operand that is no time."""
    _intervals(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Sleeps for the sum of the operands; status 2 for one that is no time."""
    seconds = sum(_intervals(bound))
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, LONGEST))
    return 0


def _intervals(bound: Bound) -> list[float]:
    found = []
    for entry, text in enumerate(bound.values["intervals"]):
        with About("intervals", entry):
            found.append(interval(text))
    return found


def interval(text: str) -> float:
    """Seconds of `1.5`, `2m`, `0x10`, `1e3`, `inf`; a fraction is allowed with every unit."""
    unit = UNITS.get(text[-1:], 0)
    is_hexadecimal = text.lower().lstrip(" +").startswith("0x")
    if is_hexadecimal and text[-1:] == "d":
        unit = 0
    number, problem = long_double.parse(text[:-1] if unit else text)
    if (problem and "out of range" not in problem) or number.negative or number.word == "nan":
        raise Failure(f"invalid time interval {quoted(text)}")
    if number.magnitude is None:
        return float("inf")
    try:
        return float(number.magnitude) * (unit or 1)
    except OverflowError:
        return float("inf")
