"""What came of one test vector, and how the values in it are compared and shown."""

from __future__ import annotations

from typing import Any

from kernel import strict_json


class Verdict:
    """What came of a row: ``differences`` make it fail, ``notes`` do not."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.differences: list[str] = []
        self.notes: list[str] = []

    def differ(self, what: str, wanted: Any, got: Any) -> None:
        self.differences.append(f"{what}: wanted {shown(wanted)}, got {shown(got)}")


def same(wanted: Any, got: Any) -> bool:
    """Equality of JSON values: numbers by value, `true` is no number, an int, float or exact decimal alike."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(wanted) == len(got) and all(map(same, wanted, got))
    if isinstance(wanted, dict):
        return isinstance(got, dict) and wanted.keys() == got.keys() and all(same(wanted[key], got[key]) for key in wanted)
    if isinstance(wanted, str) or isinstance(got, str) or wanted is None or got is None:
        return bool(wanted == got)
    if isinstance(wanted, strict_json.Number) or isinstance(got, strict_json.Number):
        return strict_json.dumps(wanted) == strict_json.dumps(got)
    return bool(wanted == got) or (isinstance(got, float) and float(wanted) == got)


def shown(value: Any) -> str:
    """A value on one line, shortened."""
    try:
        text = value if isinstance(value, str) else strict_json.dumps(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 400 else text[:399] + "…"
