"""JSON on its way to the terminal: a list of records is drawn as a table, anything else gets its colours as it comes."""

from __future__ import annotations

import os
import select

from kernel import bind, environment, present, store
from kernel.errors import KernelError
from kernel.shell.data import text_of
from kernel.shell.tree import Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Command, Word

MOST = 1 << 23  # bytes of a list that is drawn
PAUSE = 1.0  # seconds without a byte, inside a list, after which it is shown as it comes
LINE_PAUSE = 0.05  # the same inside a line, whose rest may tell that it is no JSON
CHUNK = 65536
# params that say how the text of an output is to look, by their names or the first words of these
LOOKS = frozenset(("raw", "compact", "indent", "pretty", "tab", "color", "colour", "monochrome", "sort_keys"))
BARE = frozenset(("monochrome", "monochrome_output", "no_color", "no_colour"))


class View:
    """How data is shown: a list of records ``drawn`` as a table or, as all else is, passed on, ``coloured`` where that is JSON."""

    __slots__ = ("coloured", "drawn")

    def __init__(self, drawn: bool, coloured: bool) -> None:
        self.drawn = drawn
        self.coloured = coloured


def view(node: Command, evaluator: Evaluator) -> View | None:
    """How a person at the prompt sees what a last stage prints on stdout; None where it is no data, or does not go there."""
    name = evaluator.calls.name_of(node)
    if not evaluator.state.options["tables"] or not name or "/" in name or not isinstance(node, Simple):
        return None
    if any(redirect.descriptor == 1 or redirect.kind == "&>" for redirect in node.redirects):
        return None
    found = evaluator.tools.where(name)
    if found is None:
        return None
    try:
        spec = store.load(found)
    except KernelError:
        return None
    bound = bind.bind(spec, _known(node.words[1:], evaluator))
    kind = bound.spec.output
    if kind != "json" and not (kind == "jsonl" and spec.builtin):  # a program's lines would wait in its buffer for a pipe
        return None
    asked = {name for name, value in bound.values.items() if value is not False}
    return View(not any(_is_of_the_look(name) for name in asked), asked.isdisjoint(BARE))


def _known(words: Sequence[Word], evaluator: Evaluator) -> list[str]:
    """The words of a call, as far as they are known before it runs; "" stands for one that is not."""
    known: list[str] = []
    for word in words:
        try:
            known += [text_of(field) for field in evaluator.expander.fields([word])] if word.is_pure else [""]
        except KernelError:
            known.append("")
    return known


def _is_of_the_look(name: str) -> bool:
    if name.endswith(("_output", "_output0")) or name in LOOKS:
        return True
    return name.partition("_")[0] in LOOKS and name != "raw_input"


def show(chosen: View) -> int:
    """Reads stdin to its end and shows it on stdout. It is a stage: a fork of the shell."""
    data = bytearray()
    begun = b""  # the first byte that is no blank
    while chunk := os.read(0, CHUNK):
        data += chunk
        begun = begun or chunk.lstrip()[:1]
        if not chosen.drawn or (begun and (begun != b"[" or len(data) > MOST or not _ready(PAUSE))):
            return _pass_on(bytes(data), chosen.coloured, True)
    from kernel.builtins import json_rows

    rows = json_rows.records_of(bytes(data))
    if not rows:
        return _pass_on(bytes(data), chosen.coloured, False)
    from kernel.present import grid

    header = json_rows.columns_of(rows, None) or []
    lines = [json_rows.cells(row, header) for row in rows]
    grid.show(header, lines, right=json_rows.numeric(lines))
    return 0


def _ready(pause: float) -> bool:
    return bool(select.select([0], [], [], pause)[0])


def _pass_on(data: bytes, coloured: bool, more: bool) -> int:
    """Writes what has come and, with ``more``, what comes, coloured a line at a time; a line that stops half is not held up."""
    painter = None
    if coloured and present.coloured(1):
        from kernel.shell.json_colours import Painter, chosen

        painter = Painter(chosen())
    while data:
        while painter is not None and not painter.plain and more and data[-1] != 10 and len(data) < CHUNK and _ready(LINE_PAUSE):
            chunk = os.read(0, CHUNK)
            more = bool(chunk)
            data += chunk
        environment.write_all(1, data if painter is None else painter.paint(data))
        data = os.read(0, CHUNK) if more else b""
    if painter is not None:
        environment.write_all(1, painter.end())
    return 0
