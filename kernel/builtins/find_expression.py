"""The words of find read into start paths, options, and one test over entries."""

from __future__ import annotations

import os
import subprocess

from kernel.builtins.find_format import compile_format
from kernel.builtins.find_tests import PLAIN, WITH_VALUE
from kernel.builtins.guard import About, Failure, raw, reason
from kernel.builtins.quoting import quoted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.builtins.find_entry import Entry
    from kernel.builtins.find_tests import Test, Tests
    from kernel.builtins.io import Io

DEEPEST = 200  # parentheses within parentheses
BATCH = 100_000  # bytes of names for one `-exec … +`
SYNTAXES = {"emacs": "emacs", "findutils-default": "findutils"} | dict.fromkeys(["posix-basic", "sed", "grep", "ed"], "posix-basic")
SYNTAXES |= dict.fromkeys(["posix-extended", "posix-egrep", "egrep", "posix-awk", "awk", "gnu-awk"], "posix-extended")
LEFT_OUT = "run a tool once for each name with `find … | map TOOL {}`"


class Quit(Exception):
    """-quit: nothing more is looked at."""


class Expression:
    """``paths``, ``follow`` ("", given or always), ``least`` and ``most`` depth, ``depth_first``, ``one_file_system``, ``test``."""

    def __init__(self, io: Io, words: list[str], tests: Tests) -> None:
        self.io = io
        self.words = words
        self.at = 0
        self.tests = tests
        self.follow = ""
        self.least, self.most = 0, -1
        self.depth_first = self.one_file_system = self.acts = self.deletes = self.runs = False
        self.failed = False
        self.batches: list[Batch] = []
        self.paths = self.start_paths()
        self.test = self.whole()

    # --- words

    def start_paths(self) -> list[str]:
        words = self.words
        while self.at < len(words) and words[self.at] in ("-H", "-L", "-P", "-O0", "-O1", "-O2", "-O3"):  # -O changes nothing here
            self.follow = {"-H": "given", "-L": "always", "-P": ""}.get(words[self.at], self.follow)
            self.at += 1
        if self.at < len(words) and words[self.at] == "--":
            self.at += 1
        start = self.at
        while self.at < len(words) and not _begins_expression(words[self.at]):
            self.at += 1
        return words[start : self.at] or ["."]

    def wrong(self, message: str, ahead: int = 0) -> Failure:
        """A fault at the word that was taken last, or at one behind it."""
        return Failure(message, word=self.at - 1 + ahead)

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def value(self, name: str) -> str:
        if self.at >= len(self.words):
            raise self.wrong(f"missing argument to `{name}'")
        self.at += 1
        return self.words[self.at - 1]

    def whole(self) -> Test:
        test = self.sequence(0) if self.at < len(self.words) else _always
        if self.at < len(self.words):
            if self.peek() == ")":
                raise self.wrong("invalid expression; you have too many ')'", 1)
            raise self.wrong(f"paths must precede expression: `{self.peek()}'", 1)
        if self.acts:
            return test
        condition = test

        def shown(entry: Entry) -> bool:
            return condition(entry) and self.show(entry)

        return shown

    # --- operators, the weakest first

    def sequence(self, depth: int) -> Test:
        tests = [self.either(depth)]
        while self.peek() == ",":
            self.at += 1
            tests.append(self.either(depth))
        return tests[0] if len(tests) == 1 else lambda entry: [test(entry) for test in tests][-1]

    def either(self, depth: int) -> Test:
        tests = [self.both(depth)]
        while self.peek() in ("-o", "-or"):
            name = self.value("")
            if self.at >= len(self.words) or self.peek() in (")", ","):
                raise self.wrong(f"invalid expression; expected to find something behind `{name}'")
            tests.append(self.both(depth))
        return tests[0] if len(tests) == 1 else lambda entry: any(test(entry) for test in tests)

    def both(self, depth: int) -> Test:
        tests = [self.single(depth)]
        while self.at < len(self.words) and self.peek() not in (")", ",", "-o", "-or"):
            if self.peek() in ("-a", "-and"):
                self.at += 1
            tests.append(self.single(depth))
        return tests[0] if len(tests) == 1 else lambda entry: all(test(entry) for test in tests)

    def single(self, depth: int) -> Test:
        if self.at >= len(self.words):
            raise self.wrong("invalid expression; something is missing at its end")
        name = self.value("")
        if name in ("!", "-not"):
            test = self.single(depth)
            return lambda entry: not test(entry)
        if name == "(":
            if depth >= DEEPEST:
                raise self.wrong("too many parentheses within parentheses")
            if self.peek() == ")":
                raise self.wrong("invalid expression; empty parentheses are not allowed.")
            test = self.sequence(depth + 1)
            if self.peek() != ")":
                raise self.wrong("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
            self.at += 1
            return test
        if name in (")", "-o", "-or", "-a", "-and", ","):
            raise self.wrong(f"invalid expression; you have used a binary operator '{name}' with nothing before it.")
        return self.primary(name)

    def primary(self, name: str) -> Test:
        if name in WITH_VALUE:
            value = self.value(name)
            with About(word=self.at - 1):
                return self.tests.make(name, value)
        if name in PLAIN:
            return self.tests.make(name, "")
        if name in ("-maxdepth", "-mindepth"):
            text = self.value(name)
            if not (text.isascii() and text.isdigit()):
                raise self.wrong(f"Expected a positive decimal integer argument to {name}, but got {quoted_name(text)}")
            if name == "-maxdepth":
                self.most = int(text)
            else:
                self.least = int(text)
        elif name in ("-depth", "-d"):
            self.depth_first = True
        elif name in ("-xdev", "-mount"):
            self.one_file_system = True
        elif name == "-follow":
            self.follow = "always"
        elif name in ("-noleaf", "-warn", "-nowarn", "-ignore_readdir_race", "-noignore_readdir_race"):
            pass  # they say how find works, not what it finds
        elif name == "-daystart":
            self.tests.day_start = True
        elif name == "-regextype":
            syntax = self.value(name)
            if syntax not in SYNTAXES:
                raise self.wrong(f"Unknown regular expression type {quoted_name(syntax)}")
            self.tests.syntax = SYNTAXES[syntax]
        else:
            return self.action(name)
        return _always

    # --- actions

    def action(self, name: str) -> Test:
        if name == "-prune":
            return self.prune
        if name == "-quit":
            return self.quit
        self.acts = True
        if name == "-print":
            return self.show
        if name == "-print0":
            return self.show_with_null
        if name == "-printf":
            text = compile_format(self.value(name))
            return lambda entry: self.write(text(entry))
        if name == "-delete":
            self.deletes = self.depth_first = True
            return self.delete
        if name == "-exec":
            self.runs = True
            return self.command()
        if name in ("-execdir", "-ok", "-okdir"):
            raise self.wrong(f"`{name}` is not supported; {LEFT_OUT}")
        if name.startswith("-"):
            hint = "; `kernel help find` shows what there is" if name in ("-help", "--help") else ""
            raise self.wrong(f"unknown predicate `{name}'{hint}")
        raise self.wrong(f"paths must precede expression: `{name}'")

    def write(self, data: bytes) -> bool:
        self.io.write(data)
        return True

    def show(self, entry: Entry) -> bool:
        return self.write(raw(entry.path) + b"\n")

    def show_with_null(self, entry: Entry) -> bool:
        return self.write(raw(entry.path) + b"\0")

    def prune(self, entry: Entry) -> bool:
        entry.pruned = True
        return True

    def quit(self, entry: Entry) -> bool:
        raise Quit

    def delete(self, entry: Entry) -> bool:
        if entry.path == ".":
            return True
        try:
            (os.rmdir if entry.is_directory() else os.unlink)(entry.place)
        except OSError as error:
            self.io.complain(f"cannot delete {quoted_name(entry.path)}: {reason(error)}")
            self.failed = True
            return False
        return True

    def command(self) -> Test:
        """`-exec CMD… ;` for each entry, `-exec CMD… {} +` for many at once."""
        words: list[str] = []
        while True:
            if self.at >= len(self.words):
                raise self.wrong("missing argument to `-exec'")
            word = self.value("-exec")
            if word == ";" or (word == "+" and words[-1:] == ["{}"]):
                break
            words.append(word)
        if not words or (word == "+" and len(words) < 2):
            raise self.wrong("missing argument to `-exec'")
        if word == "+":
            batch = Batch(self, words[:-1])
            self.batches.append(batch)
            return batch.add
        return lambda entry: self.start([part.replace("{}", entry.path) for part in words]) == 0

    def start(self, words: list[str]) -> int:
        """Runs a program on the caller's streams: its status."""
        io = self.io
        io.flush()
        try:
            child = subprocess.Popen(words, env=dict(io.env), cwd=io.cwd, stdin=io.stdin, stdout=io.stdout, stderr=io.stderr)
        except OSError as error:
            io.complain(f"{quoted_name(words[0])}: {reason(error)}")
            return 127
        return child.wait()


class Batch:
    """Names gathered for `-exec … {} +`."""

    def __init__(self, expression: Expression, words: list[str]) -> None:
        self.expression = expression
        self.words = words
        self.names: list[str] = []
        self.size = 0

    def add(self, entry: Entry) -> bool:
        self.names.append(entry.path)
        self.size += len(raw(entry.path)) + 1
        if self.size >= BATCH:
            self.run()
        return True

    def run(self) -> None:
        """A run that fails makes find's own status 1."""
        if self.names and self.expression.start(self.words + self.names) != 0:
            self.expression.failed = True
        self.names, self.size = [], 0


def _begins_expression(word: str) -> bool:
    return word in ("(", ")", "!", ",") or (word[:1] == "-" and word != "-")


def _always(entry: Entry) -> bool:
    return True
