"""Shell globs as regular expressions over a whole text: `*`, `?`, `[a-z]`, `[![:digit:]]`, a backslash for itself."""

from __future__ import annotations

import re

from kernel.builtins.posix_regex import CLASS_NAMES
from kernel.builtins.regex_classes import class_ranges


def compiled(glob: str, *, fold: bool = False, slash: bool = True, dot: bool = True) -> re.Pattern[str]:
    """For ``fullmatch``. Without ``slash`` no wildcard matches `/`; without ``dot`` none matches a leading dot."""
    character = "[^/]" if not slash else "."
    out = ["(?!\\.)"] if not dot and glob[:1] in ("*", "?", "[") else []
    at = 0
    while at < len(glob):
        mark = glob[at]
        at += 1
        if mark == "\\":
            out.append(re.escape(glob[at]) if at < len(glob) else "(?!)")
            at += 1
        elif mark == "[" and (end := _bracket_end(glob, at)) > 0:
            out.append(("(?!/)" if not slash else "") + _bracket(glob[at : end - 1]))
            at = end
        else:
            out.append({"*": f"{character}*", "?": character}.get(mark) or re.escape(mark))
    return re.compile("".join(out), re.DOTALL | (re.IGNORECASE if fold else 0))


def _bracket_end(glob: str, at: int) -> int:
    """Behind the `]` of a bracket expression whose inside begins at ``at``, -1 for none."""
    at += glob[at : at + 1] in ("!", "^")
    at += glob[at : at + 1] == "]"
    while at < len(glob):
        if glob.startswith("[:", at) and (end := glob.find(":]", at + 2)) > 0:
            at = end + 2
        elif glob[at] == "]":
            return at + 1
        else:
            at += 2 if glob[at] == "\\" else 1
    return -1


def _bracket(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    at = int(negated)
    ranges: list[tuple[str, str]] = []
    while at < len(inside):
        if inside.startswith("[:", at) and (end := inside.find(":]", at + 2)) > 0:
            name = inside[at + 2 : end]
            ranges += class_ranges(name, True) if name in CLASS_NAMES else ()
            at = end + 2
            continue
        at += inside[at] == "\\" and at + 1 < len(inside)
        low = high = inside[at]
        at += 1
        if inside[at : at + 1] == "-" and at + 1 < len(inside):
            at += 1
            at += inside[at] == "\\" and at + 1 < len(inside)
            high = inside[at]
            at += 1
        if low <= high:
            ranges.append((low, high))
    listed = "".join([f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges])
    if not listed:
        return "." if negated else "(?!)"
    return f"[{'^' if negated else ''}{listed}]"
