"""echo: words to stdout, between blanks."""

from __future__ import annotations

from kernel.builtins.guard import guarded, raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Leading words of only `n`, `e` and `E` behind one dash are options, as GNU echo reads them."""
    words: list[str] = bound.values["words"]
    newline, escaped, first = True, False, 0
    for word in words:
        letters = word[1:]
        if word[:1] != "-" or not letters or letters.strip("neE"):
            break
        first += 1
        for letter in letters:
            if letter == "n":
                newline = False
            else:
                escaped = letter == "e"
    text = raw(" ".join(words[first:]))
    if escaped:
        from kernel.builtins import escapes

        text, stopped = escapes.echo(text)
        newline = newline and not stopped
    io.write(text + b"\n" if newline else text)
    return 0
