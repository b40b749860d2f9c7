"""The characters of `[:alpha:]` and its like, in bytes and in Unicode."""

from __future__ import annotations

import functools

from kernel.builtins.tr_sets import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_WIDE: dict[str, Callable[[str], bool]] = {
    "alpha": str.isalpha,
    "alnum": str.isalnum,
    "lower": str.islower,
    "upper": str.isupper,
    "punct": lambda c: c.isprintable() and not c.isalnum() and c != " ",
    "graph": str.isprintable,
    "print": lambda c: c.isprintable() or c in "\u00a0\u3000",
    "space": lambda c: c in "\u1680\u2028\u2029\u205f\u3000" or ("\u2000" <= c <= "\u200a" and c != "\u2007"),
    "blank": lambda c: c in "\u1680\u205f\u3000" or ("\u2000" <= c <= "\u200a" and c != "\u2007"),
    "cntrl": lambda c: "\x80" <= c <= "\x9f" or c in "\u2028\u2029",
}
_SCANNED = 0x20000  # what lies beyond is ideographs, taken as a whole
_BEYOND = frozenset(["alpha", "alnum", "graph", "print"])


@functools.cache
def class_ranges(name: str, utf8: bool) -> tuple[tuple[str, str], ...]:
    """The class as ranges of characters, both ends included."""
    low = _joined(list(CLASSES[name]))
    accepts = _WIDE.get(name)
    if not utf8 or accepts is None:
        return low
    wide = _joined([code for code in range(0x80, _SCANNED) if not 0xD800 <= code <= 0xDFFF and accepts(chr(code))])
    return low + wide + ((("\U00020000", "\U0003134f"),) if name in _BEYOND else ())


def _joined(codes: Iterable[int]) -> tuple[tuple[str, str], ...]:
    out: list[list[int]] = []
    for code in codes:
        if out and code == out[-1][1] + 1:
            out[-1][1] = code
        else:
            out.append([code, code])
    return tuple([(chr(first), chr(last)) for first, last in out])
