"""What the round-trip properties share: values that break careless readers, seeds, and runs that count what was drawn (R2)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from kernel.bound import Bound

SEED = os.environ.get("ROUNDTRIP_SEED", "")
LONG = "7" * 5000
HARD = {
    "empty": "",
    "dash": "-",
    "double dash": "--",
    "equals": "=x",
    "pair": "a=b",
    "newline": "a\nb",
    "comma": "a,b",
    "bytes": "\udcff\udc80",
    "digits": LONG,
}


def short_seed() -> int:
    """The seed of a short run: always the same one, unless ROUNDTRIP_SEED says another."""
    return int(SEED or "1")


def new_seed() -> int:
    """The seed of a long run: another one each time."""
    return int(SEED) if SEED else int.from_bytes(os.urandom(4))


def run(
    source: st.SearchStrategy[Bound],
    holds: Callable[[Bound], None],
    examples: int,
    start: int,
    drawn: Counter[str],
    wanted: Iterable[str],
) -> None:
    """Runs a property, and fails when one of the ``wanted`` kinds was never counted in ``drawn`` by it or its strategies."""

    @seed(start)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(source)
    def property_holds(bound: Bound) -> None:
        holds(bound)

    print(f"ROUNDTRIP_SEED={start}")
    drawn.clear()
    property_holds()
    missing = [name for name in wanted if not drawn[name]]
    assert missing == [], f"never drawn with seed {start}: {missing}"
