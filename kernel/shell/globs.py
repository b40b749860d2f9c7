"""Patterns to the names of files: `*` `?` `[…]`, and `**` for any number of directories. Sorted by code point."""

from __future__ import annotations

import os

from kernel.shell.patterns import STAR, Literal, compiled, fixed, is_active, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernel.shell.patterns import Item


def expand(pieces: Sequence[tuple[str, bool]]) -> list[str] | None:
    """The matching names in order; None where the (text, quoted) pieces hold no pattern. Hidden ones want a written dot."""
    components = _components(pieces)
    if not any(is_active(items) for items in components):
        return None
    first = components[0]
    start = ""
    if not first:  # an absolute path
        start = "/"
        components = components[1:]
        while components and not components[0]:
            start += "/"
            components = components[1:]
    return sorted(set(_walk(start, components)))


def _components(pieces: Sequence[tuple[str, bool]]) -> list[list[Item]]:
    """The pattern cut at its slashes."""
    cut: list[list[tuple[str, bool]]] = [[]]
    for text, quoted in pieces:
        first, *rest = text.split("/")
        cut[-1].append((first, quoted))
        for each in rest:
            cut.append([(each, quoted)])
    return [_double(parts) or compiled(parts) for parts in cut]


def _double(parts: list[tuple[str, bool]]) -> list[Item]:
    """`**` as a component of its own, which is two stars here."""
    return [STAR, STAR] if "".join([text for text, _ in parts]) == "**" and not any(q and t for t, q in parts) else []


def _walk(base: str, components: list[list[Item]]) -> Iterator[str]:
    """Paths that begin with ``base`` (empty, or ending in `/`) and match the components."""
    if not components:
        yield base
        return
    items, rest = components[0], components[1:]
    if len(items) == 2 and items[0] is STAR and items[1] is STAR:
        yield from _any_depth(base, rest)
        return
    if not is_active(items):
        name = fixed(items)
        path = base + name
        if not rest:
            if os.path.lexists(path) if name else os.path.isdir(base or "."):
                yield path
        elif not name or os.path.isdir(path):
            yield from _walk(path + "/", rest)
        return
    hidden = isinstance(items[0], Literal) and items[0].character == "."
    for name, is_directory in _names(base, hidden):
        if matches(items, name):
            if not rest:
                yield base + name
            elif is_directory:
                yield from _walk(f"{base}{name}/", rest)


def _any_depth(base: str, rest: list[list[Item]]) -> Iterator[str]:
    if rest:
        yield from _walk(base, rest)
    for name, is_directory in _names(base, False):
        path = base + name
        if not rest:
            yield path
        if is_directory and not os.path.islink(path):
            yield from _any_depth(path + "/", rest)


def _names(base: str, hidden: bool) -> list[tuple[str, bool]]:
    """(name, whether it is a directory) of a directory's entries; none where it cannot be read."""
    try:
        with os.scandir(base or ".") as entries:
            return [(entry.name, entry.is_dir()) for entry in entries if hidden or entry.name[0] != "."]
    except OSError:
        return []
