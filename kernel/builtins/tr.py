"""tr: bytes of stdin translated, deleted, squeezed."""

from __future__ import annotations

import re

from kernel.builtins.guard import About, Failure, InputError, guarded, raw
from kernel.builtins.lines import chunks
from kernel.builtins.quoting import quoted
from kernel.builtins.tr_sets import Part, check_second, expand, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


def usage(bound: Bound) -> None:
    """Failure for strings that are none, or one too many or too few."""
    Plan(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 2 for strings that are none; all of them are read before any input."""
    plan = Plan(bound)
    for line in plan.warnings:
        io.complain(line)
    previous = b""
    io.begin("-", io.stdin)
    try:
        for chunk in chunks(io, io.stdin):
            out = chunk.translate(plan.table, plan.deleted)
            if plan.squeezed is not None and out:
                if previous and out[0] == previous[0] and plan.is_squeezed[out[0]]:
                    out = out.lstrip(previous)
                out = plan.squeezed.sub(rb"\1", out)
                previous = out[-1:] or previous
            io.write(out)
        io.end(io.stdin)
    except InputError as error:
        raise Failure(f"read error: {error}", 1) from None
    return 0


class Plan:
    """A translation table (or None), the bytes to delete, and a pattern for what is squeezed (or None)."""

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        deleting, squeezing = bool(values["delete"]), bool(values["squeeze_repeats"])
        texts = [raw(values["set1"])] + ([raw(values["set2"])] if "set2" in values else [])
        two = len(texts) == 2
        if deleting and not squeezing and two:
            advice = "Only one string may be given when deleting without squeezing repeats."
            raise Failure(f"extra operand {quoted(values['set2'])}", param="set2", advice=advice)
        if deleting == squeezing and not two:
            when = "both deleting and squeezing repeats" if deleting else "translating"
            advice = f"Two strings must be given when {when}."
            raise Failure(f"missing operand after {quoted(values['set1'])}", param="set1", advice=advice)
        self.warnings: list[str] = []
        sets: list[list[Part]] = []
        for text, param in zip(texts, ("set1", "set2"), strict=False):
            with About(param):
                sets.append(parse(text, self.warnings))
        translating = two and not deleting
        complemented, truncate = bool(values["complement"]), bool(values["truncate_set1"])
        first = expand(sets[0])
        if any(part.kind == "fill" for part in sets[0]):
            raise Failure("the [c*] repeat construct may not appear in string1", param="set1")
        if complemented:
            inside = set(first)
            first = bytes([byte for byte in range(256) if byte not in inside])
        second = b""
        self.table: bytes | None = None
        with About("set2"):
            if two:
                second = self.second(sets, first, translating, complemented, truncate)
            if translating:
                self.table = self.translation(first, second, sets, truncate, complemented)
        self.deleted = first if deleting else b""
        self.squeezed: re.Pattern[bytes] | None = None
        repeated = second if two else first
        self.is_squeezed = [byte in set(repeated) for byte in range(256)]
        if squeezing and repeated:
            listed = b"".join([re.escape(bytes([byte])) for byte in sorted(set(repeated))])
            self.squeezed = re.compile(b"([" + listed + b"])\\1+", re.DOTALL)

    def second(self, sets: list[list[Part]], first: bytes, translating: bool, complemented: bool, truncate: bool) -> bytes:
        fills = sum([part.kind == "fill" for part in sets[1]])
        if fills > 1:
            raise Failure("only one [c*] repeat construct may appear in string2")
        if not translating:
            if fills:
                raise Failure("the [c*] construct may appear in string2 only when translating")
            return expand(sets[1])
        check_second(sets[0], sets[1], len(first), complemented, truncate)
        return expand(sets[1], len(first))

    def translation(self, first: bytes, second: bytes, sets: list[list[Part]], truncate: bool, complemented: bool) -> bytes:
        if len(second) < len(first) and not truncate:
            if not second:
                raise Failure("when not truncating set1, string2 must be non-empty")
            second = second.ljust(len(first), second[-1:])
        has_class = any(part.kind == "class" for part in sets[0])
        if complemented and has_class and not (len(second) == len(first) and len(set(second)) <= 1):
            raise Failure(
                "when translating with complemented character classes,\nstring2 must map all characters in the domain to one"
            )
        table = bytearray(range(256))
        for source, target in zip(first, second, strict=False):
            table[source] = target
        return bytes(table)
