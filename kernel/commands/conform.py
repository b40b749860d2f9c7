"""`kernel conform FILE…`: test vectors through the binder, one line for each that fails and a last line with counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from kernel import conform, environment
from kernel.commands import verb
from kernel.errors import fail
from kernel.present.printable import printable

if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.verdict import Verdict

SPEC = verb.verb(
    "conform",
    "Run test vectors (JSON Lines) through the real stages and print what differs.",
    verb.operand("files", "Files of rows; `-` is the standard input.", required=True, repeatable=True, complete="path"),
)


def run(bound: Bound) -> int:
    """Prints each failing id with its difference, notes, and `N passed, N failed`; 1 when any row failed."""
    texts = [(name, _read(name)) for name in verb.finish(bound).values["files"]]
    failed = False
    for line, bad in conform.summary(chain.from_iterable(_verdicts(texts))):
        failed = failed or bad
        environment.write_out(printable(line) + "\n")
    return 1 if failed else 0


def _verdicts(texts: list[tuple[str, str]]) -> Iterator[Iterator[Verdict]]:
    for name, text in texts:
        yield conform.verdicts(text, name)


def _read(name: str) -> str:
    try:
        with open(0 if name == "-" else name, "rb") as file:
            return file.read().decode()
    except OSError as error:
        hint = "give files of test vectors, a JSON object in each line, or `-` for the standard input"
        raise fail("E-FILE", f"`{name}` cannot be read: {error.strerror}", hint=hint) from None
    except UnicodeDecodeError as error:
        raise fail("E-JSON", f"`{name}` is not UTF-8 (byte {error.start + 1})") from None
