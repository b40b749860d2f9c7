"""jq's own command line, read as jq 1.8 reads it."""

from __future__ import annotations

import os

from kernel.builtins import jq_library
from kernel.builtins.jq_library import Jv, Library

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

USAGE = 2  # exit status: the line or a file it names is wrong

PROGRAM_ONLY = ("run-tests", "build-configuration", "debug-dump-disasm", "debug-trace", "debug-trace=all")
SWITCHES = {
    "s": "slurp",
    "r": "raw-output",
    "j": "join-output",
    "a": "ascii-output",
    "c": "compact-output",
    "C": "color-output",
    "M": "monochrome-output",
    "S": "sort-keys",
    "R": "raw-input",
    "n": "null-input",
    "f": "from-file",
    "e": "exit-status",
    "b": "binary",
    "L": "library-path",
    "h": "help",
    "V": "version",
}
BINDINGS = ("arg", "argjson", "slurpfile", "rawfile")
LONG = frozenset(
    (
        *SWITCHES.values(),
        *BINDINGS,
        "args",
        "jsonargs",
        "indent",
        "raw-output0",
        "seq",
        "stream",
        "stream-errors",
        "tab",
        "unbuffered",
    )
)
USAGE_TEXT = """\
Usage: jq [OPTIONS] FILTER [FILE...]
       jq [OPTIONS] --args FILTER [STRING...]
       jq [OPTIONS] --jsonargs FILTER [JSON...]

A jq over the libjq of the Python package `jq`. Options are those of jq 1.8:
  -n -R -s -r -j -a -c -S -C -M -e -f -L DIR -h -V --raw-output0 --tab --indent N --unbuffered --stream
  --stream-errors --seq --arg NAME VALUE --argjson NAME JSON --slurpfile NAME FILE --rawfile NAME FILE --args --jsonargs
"""


class Stop(Exception):
    """The end of the program before its filter runs: what to print, and the exit status."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status


def refuse(message: str) -> Stop:
    return Stop(USAGE, f"{message}\nUse jq --help for help with command-line options.\n")


class Options:
    """What the command line says. ``names`` holds the long names of the switches that stand on it."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.names: set[str] = set()
        self.indent = jq_library.print_indent(2)
        self.filter: str | None = None
        self.files: list[str] = []
        self.named: Jv = library.jv_object()
        self.positional: Jv = library.jv_array()
        self.unread: list[str] = []  # --jsonargs operands that are no JSON: an error only where the filter can see them
        self.directories: list[str] | None = None
        self._operands = "files"

    def read(self, words: list[str]) -> None:
        """Reads jq's own argv (without the program). Raises Stop."""
        index, operands_only = 0, False
        while index < len(words):
            word = words[index]
            index += 1
            if operands_only or not _looks_like_option(word):
                self._operand(word)
            elif word == "--":
                operands_only = True
            elif word.startswith("--"):
                index = self._option(word[2:], word, words, index)
            else:
                index = self._letters(word[1:], words, index)

    def _operand(self, word: str) -> None:
        library = self.library
        if self.filter is None:
            self.filter = word
        elif self._operands == "files":
            self.files.append(word)
        elif self._operands == "args":
            self.positional = library.jv_array_append(self.positional, library.text(os.fsencode(word)))
        else:
            value = library.parse(os.fsencode(word))
            if value is None:
                self.unread.append(word)
                value = library.jv_null()
            self.positional = library.jv_array_append(self.positional, value)

    def _letters(self, letters: str, words: list[str], index: int) -> int:
        while letters:
            letter, letters = letters[0], letters[1:]
            name = SWITCHES.get(letter)
            if name is None:
                raise refuse(f"jq: Unknown option -{letter}")
            if name == "library-path" and letters:
                self._directory(letters)
                return index
            index = self._option(name, f"-{letter}", words, index)
        return index

    def _option(self, name: str, spelling: str, words: list[str], index: int) -> int:
        """One option; the index behind the words it took."""
        if name in PROGRAM_ONLY:
            hint = "install jq 1.7 or newer (for example `apt install jq`), which is then used"
            raise Stop(USAGE, f"jq: `{spelling}` is known to the program jq only: {hint}\n")
        if name not in LONG:
            raise refuse(f"jq: Unknown option {spelling}")
        wanted = 2 if name in BINDINGS else 1 if name in ("indent", "library-path") else 0
        if len(words) - index < wanted:
            raise refuse(f"jq: {spelling} takes {'two parameters' if wanted == 2 else 'one parameter'}")
        if wanted == 2:
            self._binding(name, os.fsencode(words[index]), os.fsencode(words[index + 1]))
        elif name == "indent":
            self._indentation(words[index])
        elif name == "library-path":
            self._directory(words[index])
        elif name in ("args", "jsonargs"):
            self._operands = name
        elif name == "tab":
            self.indent = jq_library.print_indent(-1)
        elif name == "compact-output":
            self.indent = 0
        elif name == "help":
            raise Stop(0, USAGE_TEXT)
        elif name == "version":
            raise Stop(0, f"libjq of the Python package jq {_package_version()}\n")
        else:
            self.names.add(name)
        return index + wanted

    def _indentation(self, text: str) -> None:
        digits = text[1:] if text[:1] in ("-", "+") else text
        if not (digits.isascii() and digits.isdigit()) or not -1 <= int(text) <= 7:
            raise refuse("jq: --indent takes a number between -1 and 7")
        self.indent = jq_library.print_indent(int(text))

    def _directory(self, text: str) -> None:
        self.directories = [*(self.directories or ()), text]

    def _binding(self, option: str, name: bytes, word: bytes) -> None:
        """`--arg` and its like: the first binding of a name stays."""
        library = self.library
        if library.jv_object_has(library.jv_copy(self.named), library.text(name)):
            return
        if option == "arg":
            value = library.text(word)
        elif option == "argjson":
            parsed = library.parse(within_doubles(word))
            if parsed is None:
                raise refuse("jq: invalid JSON text passed to --argjson")
            value = parsed
        else:
            value = library.jv_load_file(word, option == "rawfile")
            if library.jv_get_kind(value) == jq_library.INVALID:
                why = library.display(library.jv_invalid_get_msg(value))
                words = b" ".join([b"jq: Bad JSON in --" + option.encode(), name, word])
                raise Stop(USAGE, os.fsdecode(words + b": " + why + b"\n"))
        self.named = library.jv_object_set(self.named, library.text(name), value)


def _looks_like_option(word: str) -> bool:
    return word[:1] == "-" and (word[1:2] == "-" or (word[1:2].isascii() and word[1:2].isalpha()))


def _package_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("jq")
    except PackageNotFoundError:
        return "(version unknown)"


def within_doubles(text: bytes) -> bytes:
    """JSON text with each number past the range of a double as the largest double, which is what jq computes with.

    libjq would keep the literal and print it, and then hardly a reader of the output could read it.
    """
    import re

    def clamp(match: re.Match[bytes]) -> bytes:
        token = match.group()
        if token[:1] == b'"' or abs(float(token)) != float("inf"):
            return token
        return (b"-" if token[:1] == b"-" else b"") + b"1.7976931348623157e+308"

    return re.sub(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+', clamp, text)
