"""From the words that name a tool to its spec: `git log`, `git_log` (argv-grammar S4)."""

from __future__ import annotations

from kernel import locate, store
from kernel.errors import KernelError, WordPlace, fail
from kernel.spec import ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def leaf(words: Sequence[str], directories: Sequence[locate.Directory]) -> tuple[ToolSpec, list[str]]:
    """The spec that the first words name, as deep as they go, and the words that are left.

    Raises KernelError (E-UNKNOWN-TOOL) with a place in ``words``.
    """
    name, rest = words[0], list(words[1:])
    try:
        spec = store.by_name(name, directories)
    except KernelError as error:
        folded = _folded(name, directories) if error.code == "E-UNKNOWN-TOOL" else None
        if folded is None:
            raise
        return folded, rest
    while rest and (child := spec.child(rest[0])) is not None:
        spec = child
        del rest[0]
    return spec, rest


def node(words: Sequence[str], directories: Sequence[locate.Directory]) -> ToolSpec:
    """The spec that all the words together name. Raises KernelError for a word too many."""
    spec, rest = leaf(words, directories)
    if rest:
        from kernel.near import near

        place = WordPlace(len(words) - len(rest))
        known = sorted(spec.child_names)
        hint = f"its subcommands are {', '.join([f'`{name}`' for name in known])}" if known else "name one tool"
        raise fail("E-SUBCOMMAND", f"`{spec.full_name}` has no subcommand `{rest[0]}`", place, hint, near=near(rest[0], known))
    return spec


def _folded(name: str, directories: Sequence[locate.Directory]) -> ToolSpec | None:
    """The node whose full name is `name` when blanks and `-` are read as `_`."""
    wanted = name.replace("-", "_")
    for found in locate.scan(directories):
        start = found.name.replace("-", "_")
        if wanted == start or wanted.startswith(start + "_"):
            try:
                spec = store.load(found)
            except KernelError:
                continue
            node = _descend(spec, wanted[len(start) + 1 :])
            if node is not None:
                return node
    return None


def _descend(spec: ToolSpec, wanted: str) -> ToolSpec | None:
    if not wanted:
        return spec
    for name in spec.child_names:
        start = name.replace("-", "_")
        child = spec.child(name)
        if child is not None and (wanted == start or wanted.startswith(start + "_")):
            found = _descend(child, wanted[len(start) + 1 :])
            if found is not None:
                return found
    return None


def placed(error: KernelError, words: Sequence[str], prefix: tuple[str, ...]) -> KernelError:
    """The error with the words that named the tool, for carets."""
    if error.words is None:
        error.words, error.prefix = list(words), prefix
    return error
