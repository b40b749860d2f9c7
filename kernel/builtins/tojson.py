"""tojson: text in, JSON strings out."""

from __future__ import annotations

from kernel.builtins.guard import Failure, guarded, raw
from kernel.builtins.json_input import decoded, read_text
from kernel.builtins.json_output import Output
from kernel.builtins.lines import for_each_input, records

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    if values["array"]:
        found = texts
        if not texts:
            found = read_text(io, values.get("file", "-")).split("\n")
            found = found if found[-1] else found[:-1]
        output.value(found)
        return 0
    if values["lines"]:
        return for_each_input(io, [values.get("file", "-")], lambda _, descriptor: each_line(io, descriptor, output))
    if not texts:
        text = read_text(io, values.get("file", "-"))
        texts = [text[:-1] if values["chomp"] and text.endswith("\n") else text]
    for text in texts:
        output.value(text)
    return 0


def each_line(io: Io, descriptor: int, output: Output) -> None:
    for number, line in enumerate(records(io, descriptor), 1):
        output.value(decoded(line, f"line {number}"))
