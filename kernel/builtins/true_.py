"""true: success."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def run(bound: Bound, io: Io) -> int:
    """Status 0, whatever the words."""
    return 0
