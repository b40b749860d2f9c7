"""Files that a call opens though no param with `path` holds their names (running.md X7): what a flag makes a file of, what a
script or a list names. They are judged as the others are, before anything runs, by what is in them at that time."""

from __future__ import annotations

import os
import stat

from kernel.builtins import checksum, grep, sed
from kernel.builtins.guard import Failure, is_utf8, raw
from kernel.builtins.io import Io
from kernel.builtins.test_ import Condition
from kernel.environment import variables
from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernel.bound import Bound

    Named = tuple[str, str, str]  # the param that leads there, what is done with the file (as `path` says it), its name

MOST = 16 << 20  # bytes of a list or a script that are read


def _grep(bound: Bound, _: str) -> Iterator[Named]:
    """With -f the first operand is no pattern."""
    operands = grep.Patterns(bound).files
    if len(operands) > len(bound.values["files"]):
        yield "pattern", "read", operands[0]


def _sed(bound: Bound, directory: str) -> Iterator[Named]:
    """With -f the first operand is no script; a script reads and writes; a suffix may lead elsewhere."""
    parts = sed.Parts(bound)
    if len(parts.files) > len(bound.values["files"]):
        yield "script", "write", parts.files[0]
    texts = [(name, _text("file", name, directory) if name else text, word) for name, text, word in parts.texts]
    for command in sed.script_of(bound, texts, is_utf8(variables())).commands:
        if command.name in ("r", "R", "w", "W"):
            use = "read" if command.name in ("r", "R") else "write"
            if command.text not in ("/dev/stdin", "/dev/stdout", "/dev/stderr"):
                yield "script", use, command.text
        if command.substitution is not None and command.substitution.file not in ("", "/dev/stdout", "/dev/stderr"):
            yield "script", "write", command.substitution.file
    suffix = str(bound.values.get("in_place", ""))
    if "/" in suffix:
        for name in parts.files:
            yield "in_place", "write", sed.kept_as(name, suffix)


def _jq(bound: Bound, _: str) -> Iterator[Named]:
    """With -f the filter is the file that holds it."""
    if bound.values.get("from_file") is True and "filter" in bound.values:
        yield "filter", "read", bound.values["filter"]


def _listed(bound: Bound, directory: str) -> Iterator[Named]:
    """--files0-from: a list of files."""
    source = bound.values.get("files0_from")
    if source is not None:
        for name in _text("files0_from", source, directory).split("\0"):
            if name not in ("", "-"):
                yield "files0_from", "read", name


def _checksum(bound: Bound, directory: str) -> Iterator[Named]:
    """With --check the operands are lists of files."""
    if bound.values["check"]:
        checker = checksum.Checker(bound, Io("checksum", {}, directory, lambda _: 0))
        for source in bound.values["files"] or ["-"]:
            for line in raw(_text("files", source, directory)).split(b"\n"):
                entry = checker.entry(line.rstrip(b"\r"))
                if entry is not None and entry[2] != "-":
                    yield "files", "read", entry[2]


def _test(bound: Bound, _: str) -> Iterator[Named]:
    """Questions about files tell something of them."""
    asked = _Asked(bound.values["expression"], None)
    asked.answer()
    for name in asked.files:
        yield "expression", "read", name


class _Asked(Condition):
    """A condition that notes the files it asks about instead of looking at them."""

    def __init__(self, words: list[str], io: Io | None) -> None:
        super().__init__(words, io)
        self.files: list[str] = []

    def unary(self) -> bool:
        if self.word()[1:] in ("r", "w", "x") and self.at + 1 < len(self.words):
            self.files.append(self.word(1))
        return super().unary()

    def status(self, name: str, *, follow: bool = True) -> None:
        self.files.append(name)


BY_BUILTIN: dict[str, Callable[[Bound, str], Iterator[Named]]] = {
    "checksum": _checksum,
    "grep": _grep,
    "jq": _jq,
    "sed": _sed,
    "sort": _listed,
    "test": _test,
    "wc": _listed,
}


def find(builtin: str, bound: Bound, directory: str) -> list[Named]:
    """The files of a call whose declared paths have passed; ``directory`` is where relative names start.

    Raises KernelError (E-PATH) where it cannot be told which they are.
    """
    try:
        return list(BY_BUILTIN[builtin](bound, directory))
    except Failure:
        return []  # words that are wrong; the builtin will say so and open nothing


def _text(param: str, name: str, directory: str) -> str:
    """What a file holds that names others. Nothing where it is missing, which is for the builtin to say."""
    if name == "-":
        message = f"`{param}`: which files are opened is read from stdin, so they cannot be judged"
        raise fail("E-PATH", message, hint="name the files themselves", param=param)
    try:
        with open(os.open(os.path.join(directory, name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST:
                message = (
                    f"`{param}`: `{name}` names files that cannot be judged: it is no regular file of at most {MOST >> 20} MiB"
                )
                raise fail("E-PATH", message, hint="name the files themselves", param=param)
            return file.read().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""
