"""The further forms of an argument template: groups, conditions and splices (manifest.md, Argument templates)."""

from __future__ import annotations

from kernel.plan import Item, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kernel.render import Writer


def splice(writer: Writer, name: str) -> list[Item]:
    """`{name*}`: one item per value, or the words that `as` gives."""
    if not writer.bound.has(name):
        return []
    param = writer.params[name]
    text = writer.bound.texts[name]
    items = []
    for entry in text if param.repeatable else [text]:
        given = writer.replacement(param, entry) if param.replace else None
        if isinstance(given, tuple):
            items.extend([Item([Piece(word)]) for word in given])
        elif isinstance(entry, str) or param.split:
            items.append(Item(writer.word(param, entry)))
        else:
            items.extend([Item([Piece(part, name, slot)]) for slot, part in enumerate(entry)])
    return items


def group(writer: Writer, items: Sequence[Any], conditions: Sequence[tuple[bool, str]], repeated: str) -> None:
    """A nested list: written when all it mentions has a value, once per occurrence of ``repeated``."""
    for wanted, name in conditions:
        if _holds(writer, name) is not wanted:
            return
    for item in items:
        if not (writer.complete(item[1]) if item[0] == "text" else writer.bound.has(item[1])):
            return
    if not repeated:
        _write_once(writer, items, "", None)
        return
    param = writer.params[repeated]
    if param.count:
        for _ in range(writer.times(param)):
            _write_once(writer, items, "", None)
        return
    texts = writer.bound.texts[repeated]
    for entry in texts if param.repeatable else [texts]:
        if all(item[0] != "text" or writer.complete(item[1], repeated, entry) for item in items):
            _write_once(writer, items, repeated, entry)


def _write_once(writer: Writer, items: Sequence[Any], repeated: str, entry: Any) -> None:
    """A group once. An item right behind the literal spelling of its own param is its value (X8)."""
    before = ""
    for item in items:
        new = [Item(writer.pieces(item[1], repeated, entry))] if item[0] == "text" else splice(writer, item[1])
        if before and new and new[0].pieces:
            name = new[0].pieces[0].param
            if name and before in writer.params[name].spellings:
                new[0].judged = False
        writer.items.extend(new)
        before = item[1][0] if item[0] == "text" and len(item[1]) == 1 and isinstance(item[1][0], str) else ""


def _holds(writer: Writer, name: str) -> bool:
    """`{?name}`: a bool is true, a count above 0, anything else has a value."""
    if not writer.bound.has(name):
        return False
    value = writer.bound.values[name]
    param = writer.params[name]
    if param.count:
        return bool(value > 0)
    return value is True if param.type == "bool" and not param.repeatable else True
