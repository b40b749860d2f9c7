"""Whether a pattern matches a text, in a time that grows with the text's length alone.

A pattern becomes an automaton whose states are the bits of one number, so that all ways to read the text are followed at
once and none is tried twice. Reading a character moves each state that takes it to the next one; edges that take none lead
on from there. Two rules keep the fragments of a pattern apart where they share a state: no edge of a fragment leaves its
last state, and a fragment whose edges lead back to its first state, or leave it more than once, has that state for itself.
"""

from __future__ import annotations

from kernel.pattern import Characters, Choice, Look, Node, Repeat, Sequence, Spot, read
from kernel.pattern_sets import WORD, Ranges, holds, merged

_MAX_KNOWN = 1_000  # programs, and closures of one, that are kept


class _Program:
    """The automaton of a pattern, or of it read backwards. State 0 is the first, ``last`` the last one."""

    def __init__(self, tree: Node, *, backward: bool = False) -> None:
        self.backward = backward
        self.last = 0
        self.takes: dict[Ranges, int] = {}  # set of characters -> states that take one of it
        self.steps = 0  # states that lead to the next one
        self.edges: list[tuple[int, int]] = []  # from any of some states to all of others
        self.spots: list[tuple[int, int, int]] = []  # from a state to the next one where an assertion holds
        self.assertions: list[Spot | Look] = []
        self.looks: list[_Program | None] = []  # what each assertion looks for
        self.moves: dict[str, int] = {}  # character -> states that take it
        self.closures: dict[tuple[int, int], int] = {}
        self._write(tree)
        self.edges.sort(key=lambda edge: edge[0] & -edge[0])  # so that most chains are followed in one go

    def _write(self, node: Node) -> None:
        """Adds what reads a node between the state ``last`` and the new ``last``."""
        if isinstance(node, Characters):
            self.takes[node.ranges] = self.takes.get(node.ranges, 0) | self._new()
        elif isinstance(node, Sequence):
            for part in reversed(node.parts) if self.backward else node.parts:
                self._write(part)
        elif isinstance(node, Choice):
            fork, starts, ends = self._new(), 0, 0
            for branch in node.branches:
                starts |= 1 << self.last
                self._write(branch)
                ends |= self._new()
            self.edges += [(fork, starts), (ends, 1 << self.last)]
        elif isinstance(node, Repeat):
            self._write_repeat(node)
        elif isinstance(node, (Spot, Look)):
            if node not in self.assertions:
                self.assertions.append(node)
                self.looks.append(_Program(node.part, backward=node.ahead) if isinstance(node, Look) else None)
            start = self._new()
            self.spots.append((start, 1 << self.last, self.assertions.index(node)))

    def _write_repeat(self, node: Repeat) -> None:
        # what takes one character has no edges, so its first state need not be its own
        own = not isinstance(node.part, Characters)
        for _ in range(node.low):
            self._write(node.part)
        ways_out = 0
        for _ in range(1 if node.high is None else node.high - node.low):
            ways_out |= 1 << self.last
            start = 1 << self.last
            if own:
                self.steps |= self._new()
            self._write(node.part)
            if node.high is None:
                end = self._new()
                ways_out |= end
                self.edges.append((end, start))
        if ways_out:
            self.edges.append((ways_out, 1 << self.last))

    def _new(self) -> int:
        """Takes the state ``last`` as a bit; the one behind it is the last one now."""
        self.last += 1
        return 1 << (self.last - 1)

    def hits(self, text: str, *, anywhere: bool) -> bytearray:
        """1 for each place of the text where a reading that began at its start (or ``anywhere``) may end."""
        found = bytearray(len(text) + 1)
        holding = self._holding(text) if self.assertions else None
        final = 1 << self.last
        states = 1
        for at in range(len(text), -1, -1) if self.backward else range(len(text) + 1):
            if anywhere:
                states |= 1
            key = (states, holding[at] if holding else 0)
            if key not in self.closures:
                if len(self.closures) >= _MAX_KNOWN:
                    self.closures.clear()
                closure = self.closures[key] = self._closure(*key)
            else:
                closure = self.closures[key]
            found[at] = bool(closure & final)
            after = at - 1 if self.backward else at
            if not 0 <= after < len(text):
                break
            character = text[after]
            taking = self.moves.get(character)
            if taking is None:
                taking = self._learn(character)
            states = (closure & taking) << 1
            if not states and not anywhere:
                break
        return found

    def _learn(self, character: str) -> int:
        code, taking = ord(character), 0
        for ranges, states in self.takes.items():
            if holds(ranges, code):
                taking |= states
        if len(self.moves) >= _MAX_KNOWN:
            self.moves.clear()
        self.moves[character] = taking
        return taking

    def _closure(self, states: int, holding: int) -> int:
        """All states that are reached without a character."""
        before = 0
        while states != before:
            before = states
            for sources, targets in self.edges:
                if states & sources:
                    states |= targets
            for source, target, assertion in self.spots:
                if states & source and holding >> assertion & 1:
                    states |= target
            states |= (states & self.steps) << 1
        return states

    def _holding(self, text: str) -> list[int]:
        """For each place of the text the assertions that hold there, as bits."""
        places = range(len(text) + 1)
        found = [0] * len(places)
        words = [False, *(holds(WORD, ord(character)) for character in text), False]
        for number, (assertion, look) in enumerate(zip(self.assertions, self.looks)):
            bit = 1 << number
            if isinstance(assertion, Look) and look is not None:
                truths = look.hits(text, anywhere=True)
                for at in places:
                    found[at] |= bit * (truths[at] != assertion.negative)
            elif isinstance(assertion, Spot) and assertion.kind in "bB":
                for at in places:
                    found[at] |= bit * ((words[at] != words[at + 1]) == (assertion.kind == "b"))
            elif isinstance(assertion, Spot):
                found[0 if assertion.kind == "^" else -1] |= bit
        return found


_programs: dict[str, _Program] = {}


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern that was checked matches the whole of a text, as ECMA-262 reads it."""
    program = _programs.get(pattern)
    if program is None:
        if len(_programs) >= _MAX_KNOWN:
            _programs.clear()
        program = _programs[pattern] = _Program(read(pattern))
    return bool(program.hits(text, anywhere=False)[-1])


def begins_without(pattern: str, character: str) -> bool:
    """Whether nothing that a checked pattern matches is empty or begins with the character."""
    ranges, skipped = _firsts(read(pattern))
    return not skipped and not holds(ranges, ord(character))


def _firsts(node: Node) -> tuple[Ranges, bool]:
    """What a text that a node matches may begin with, and whether it may be empty."""
    if isinstance(node, Characters):
        return node.ranges, False
    if isinstance(node, Repeat):
        ranges, skipped = _firsts(node.part) if node.high != 0 else ((), True)
        return ranges, skipped or node.low == 0
    found: list[tuple[int, int]] = []
    if isinstance(node, Choice):
        ways = [_firsts(branch) for branch in node.branches]
        for ranges, _ in ways:
            found += ranges
        return merged(found), any(skipped for _, skipped in ways)
    for part in node.parts if isinstance(node, Sequence) else ():
        ranges, skipped = _firsts(part)
        found += ranges
        if not skipped:
            return merged(found), False
    return merged(found), True
