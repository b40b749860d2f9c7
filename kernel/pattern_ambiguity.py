"""Patterns that are slow where they are read by trying one way after another, as clients of a published schema may do.

The kernel itself is not slowed (`pattern_match`), so `kernel check` only warns of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernel.pattern import Characters, Choice, Look, Node, Repeat, Sequence
from kernel.pattern_sets import Ranges, overlap

_MANY = 20  # repeats: with two ways each, a million combinations


def has_nested_repeats(tree: Node) -> bool:
    """Whether an unbounded repeat stands in another one: the time may grow exponentially with the value."""
    return any(
        any(isinstance(inner, Repeat) and inner.high is None for inner in _within(outer.part))
        for outer in _within(tree)
        if isinstance(outer, Repeat) and outer.high is None
    )


def repeats_ambiguously(tree: Node) -> bool:
    """Whether a pattern plainly repeats, 20 times or more, what can match the same text in two ways.

    Found are alternatives of plain characters and sets, `(a|a)*` and `(\\w|\\d\\d)+`, and counted repeats of optional
    ones, `(?:a?){30}`; `has_nested_repeats` finds others. What is not found may be slow all the same.
    """
    return any(isinstance(node, Repeat) and _is_ambiguous(node) for node in _within(tree))


def _within(node: Node) -> Iterator[Node]:
    yield node
    inner: list[Node] = []
    if isinstance(node, Sequence):
        inner = node.parts
    elif isinstance(node, Choice):
        inner = node.branches
    elif isinstance(node, (Repeat, Look)):
        inner = [node.part]
    for part in inner:
        yield from _within(part)


def _is_ambiguous(node: Repeat) -> bool:
    if node.high is not None and node.high < _MANY:
        return False
    branches = [_flat(branch) for branch in (node.part.branches if isinstance(node.part, Choice) else [node.part])]
    if len(branches) == 1 and node.high is not None:
        # a repeat without end stops by itself at the first empty match
        return bool(branches[0]) and all(
            isinstance(part, Repeat) and part.low == 0 and isinstance(part.part, Characters) for part in branches[0]
        )
    plain: list[list[Ranges]] = []
    for branch in branches:
        sets = [part.ranges for part in branch if isinstance(part, Characters)]
        if sets and len(sets) == len(branch):
            plain.append(sets)
    plain.sort(key=len)
    for index, short in enumerate(plain):
        for long in plain[index + 1 :]:
            if len(long) % len(short) == 0 and all(overlap(short[at % len(short)], ranges) for at, ranges in enumerate(long)):
                return True
    return False


def _flat(node: Node) -> list[Node]:
    """The parts of a sequence, those of sequences in it included."""
    if not isinstance(node, Sequence):
        return [node]
    return [inner for part in node.parts for inner in _flat(part)]
