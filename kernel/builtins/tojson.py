"""tojson: text in, JSON strings out."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded, raw
from kernel.builtins.json_input import decoded, read_text
from kernel.builtins.json_output import Output
from kernel.builtins.lines import for_each_input, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.bound import Bound
    from kernel.builtins.io import Io


def gives(bound: Bound) -> bool:
    return True


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Each text of the line, else stdin: as one string, as one for each line, or as an array of these."""
    values = bound.values
    output = Output(io)
    texts: list[str] = [decoded(raw(text), "a text") for text in values["texts"]]
    if texts and (values["lines"] or "file" in values):
        raise Failure("texts on the line leave no lines or file to read")
    if values["array"] and texts:
        output.value(texts)
        return 0
    if values["array"] or values["lines"]:
        put = output.element if values["array"] else output.value
        status = for_each_input(io, [values.get("file", "-")], lambda _, descriptor: each_line(io, descriptor, put))
        if values["array"] and not status:
            output.finish()
        return status
    if not texts:
        text = read_text(io, values.get("file", "-"))
        texts = [text[:-1] if values["chomp"] and text.endswith("\n") else text]
    for text in texts:
        output.value(text)
    return 0


def each_line(io: Io, descriptor: int, put: Callable[[str], None]) -> None:
    for number, line in enumerate(records(io, descriptor), 1):
        put(decoded(line, f"line {number}"))
