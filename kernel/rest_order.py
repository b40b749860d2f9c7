"""`{*}` where the order of the words counts: `order: typed`, `order: interleaved`, and tools that pass words on (U2)."""

from __future__ import annotations

from kernel.errors import fail
from kernel.plan import Item, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Trace
    from kernel.render import Writer
    from kernel.spec import ParamSpec


def write_typed(writer: Writer, flags: list[ParamSpec], operands: list[ParamSpec]) -> set[str]:
    """Writes what came from words in their order; returns the names of what is now written."""
    flag_names = {param.name for param in flags}
    operand_names = {param.name for param in operands if not param.after}
    written: set[str] = set()
    for trace in writer.bound.trace:
        name = trace.param
        if writer.bound.origins.get(name) != "argv":
            continue
        if (trace.hidden or (name in written and not _by_entry(writer, name))) and not _turns_on(writer, trace):
            continue
        if name in flag_names:
            writer.flag(writer.params[name], trace.entry if _by_entry(writer, name) else -1)
        elif name in operand_names:
            items = writer.operand(writer.params[name], trace.entry if _by_entry(writer, name) else -1)
            for item in items:
                _refuse_dash(writer, item)
            writer.items.extend(items)
        else:
            continue
        written.add(name)
    return written


def _by_entry(writer: Writer, name: str) -> bool:
    """Whether each occurrence of the param is written where it was typed."""
    param = writer.params[name]
    return param.repeatable and not param.delimiter


def _turns_on(writer: Writer, trace: Trace) -> bool:
    """Whether an occurrence of a bool says the same as the last one where the place among operands counts too.

    Such a one is written again: `--args a --jsonargs 1 --args b` is no `a --jsonargs 1 --args b`.
    """
    param = writer.params[trace.param]
    if writer.spec.order != "interleaved" or param.count or param.type != "bool" or writer.bound.values[param.name] is not True:
        return False
    return trace.spelling not in param.negations and not writer.bound.words[trace.words[0]].endswith("=false")


def _refuse_dash(writer: Writer, item: Item) -> None:
    text = item.text()
    if writer.needs_marker(text) and writer.spec.flags != "none" and not writer.spec.builtin:  # `policy` asks which of them runs
        param = writer.params.get(item.pieces[0].param)
        if param is None or not param.slots[item.pieces[0].slot].allow_dash:
            raise fail(
                "E-DASH",
                f"operand `{text}` would reach `{writer.spec.program}` as an option: `order: interleaved` has no place for `--`",
                hint=f"write `./{text}` when it is a file",
            )


def write_passed(writer: Writer, operands: list[ParamSpec]) -> None:
    """The words of an `unknown_flags: pass` tool as they were typed (U2), but for operands that are named elsewhere."""
    bound = writer.bound
    own = {param.name for param in operands}
    owners: dict[int, str] = {}
    taken = set(bound.commands)
    for trace in bound.trace:
        if trace.spelling:
            taken.update(trace.words)
        else:
            owners.update(dict.fromkeys(trace.words[1:], trace.param))
    places = [index for index in range(len(bound.words)) if index not in taken]
    for word, index in zip(bound.passed, places, strict=True):
        owner = owners.get(index, "")
        if not owner or owner in own:
            writer.items.append(Item([Piece(word, owner)], judged=False))
