"""test: a condition, as a status."""

from __future__ import annotations

import os
import re
import stat

from kernel.builtins.guard import Failure, guarded, raw
from kernel.builtins.quoting import quoted
from kernel.environment import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.bound import Bound
    from kernel.builtins.io import Io

_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?\d+)[ \t\n\v\f\r]*", re.ASCII)
BINARY = frozenset("= == != -eq -ne -lt -le -gt -ge -nt -ot -ef".split())
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}
_KINDS = {
    "f": stat.S_ISREG,
    "d": stat.S_ISDIR,
    "b": stat.S_ISBLK,
    "c": stat.S_ISCHR,
    "p": stat.S_ISFIFO,
    "S": stat.S_ISSOCK,
}
_BITS = {"u": stat.S_ISUID, "g": stat.S_ISGID, "k": stat.S_ISVTX}
_ACCESS = {"r": os.R_OK, "w": os.W_OK, "x": os.X_OK}


def usage(bound: Bound) -> None:
    """Failure for an expression that is none."""
    Condition(bound.values["expression"], None).answer()


@guarded(failure=2)
def run(bound: Bound, io: Io) -> int:
    """Status 0 for true, 1 for false, 2 for an expression that is none."""
    return 0 if Condition(bound.values["expression"], io).answer() else 1


class Condition:
    """The expression and the place reached in it. What the words mean depends on how many there are, as POSIX has it.

    Without ``io`` nothing is looked at: every question about a file or a terminal is answered with no.
    """

    def __init__(self, words: list[str], io: Io | None) -> None:
        self.words = words
        self.io = io
        self.at = 0
        self.depth = 0

    def answer(self) -> bool:
        """What the whole expression says; nothing at all is false."""
        if not self.words:
            return False
        answer = self.posix(len(self.words))
        if self.at != len(self.words):
            raise self.wrong(f"extra argument {quoted(self.words[self.at])}", self.at)
        return answer

    def wrong(self, message: str, at: int, *, joint: bool = True) -> Failure:
        return Failure(message, param="expression", entry=at, joint=joint)

    def word(self, ahead: int = 0) -> str:
        if self.at + ahead >= len(self.words):
            raise self.wrong(f"missing argument after {quoted(self.words[-1])}", len(self.words) - 1)
        return self.words[self.at + ahead]

    def is_word(self, ahead: int, *texts: str) -> bool:
        return self.at + ahead < len(self.words) and self.words[self.at + ahead] in texts

    def posix(self, count: int) -> bool:
        if count == 1:
            self.at += 1
            return self.words[self.at - 1] != ""
        if count == 2:
            return self.two()
        if count == 3:
            return self.three()
        if count == 4 and self.is_word(0, "!"):
            self.at += 1
            return not self.three()
        if count == 4 and self.is_word(0, "(") and self.is_word(3, ")"):
            self.at += 1
            answer = self.two()
            self.at += 1
            return answer
        return self.either()

    def two(self) -> bool:
        word = self.word()
        if word == "!":
            self.at += 2
            return self.words[self.at - 1] == ""
        if len(word) == 2 and word[0] == "-":
            return self.unary()
        raise self.wrong(f"missing argument after {quoted(self.words[-1])}", len(self.words) - 1)

    def three(self) -> bool:
        if self.word(1) in BINARY:
            return self.binary()
        if self.is_word(0, "!"):
            self.at += 1
            return not self.two()
        if self.is_word(0, "(") and self.is_word(2, ")"):
            self.at += 3
            return self.words[self.at - 2] != ""
        if self.is_word(1, "-a", "-o"):
            return self.either()
        raise self.wrong(f"{quoted(self.word(1))}: binary operator expected", self.at + 1)

    def either(self) -> bool:
        answer = self.both()
        while self.is_word(0, "-o"):
            self.at += 1
            answer = self.both() or answer
        return answer

    def both(self) -> bool:
        answer = self.term()
        while self.is_word(0, "-a"):
            self.at += 1
            answer = self.term() and answer
        return answer

    def term(self) -> bool:
        negated = False
        while self.is_word(0, "!"):
            self.at += 1
            negated = not negated
        left = len(self.words) - self.at
        if self.word() == "(":
            answer = self.inside()
        elif left >= 4 and self.is_word(0, "-l") and self.is_word(2, *BINARY):
            self.at += 1
            answer = self.binary(length=True)
        elif left >= 3 and self.is_word(1, *BINARY):
            answer = self.binary()
        elif len(self.word()) == 2 and self.word()[0] == "-":
            answer = self.unary()
        else:
            answer = self.word() != ""
            self.at += 1
        return answer != negated

    def inside(self) -> bool:
        """Parentheses: with up to four words in them they are read by count, else as a whole expression."""
        self.depth += 1
        if self.depth > 100:
            raise self.wrong("parentheses are nested too deeply", self.at)
        self.at += 1
        self.word()
        count = 1
        while self.at + count < len(self.words) and not self.is_word(count, ")"):
            if count == 4:
                count = len(self.words) - self.at
                break
            count += 1
        answer = self.posix(count)
        if self.at >= len(self.words):
            raise self.wrong("')' expected", len(self.words) - 1)
        if not self.is_word(0, ")"):
            raise self.wrong(f"')' expected, found {quoted(self.words[self.at])}", self.at)
        self.at += 1
        self.depth -= 1
        return answer

    def binary(self, *, length: bool = False) -> bool:
        start, left, operator = self.at, self.word(), self.word(1)
        self.at += 2
        right = self.word()
        right_length = right == "-l" and self.at + 1 < len(self.words)
        self.at += 2 if right_length else 1
        if operator in _NUMBERS:
            first = len(raw(left)) if length else self.integer(left, start)
            last = self.at - 1
            return _NUMBERS[operator](first, len(raw(self.words[last])) if right_length else self.integer(right, last))
        if operator in ("=", "=="):
            return left == right
        if operator == "!=":
            return left != right
        if length or right_length:
            raise self.wrong(f"{operator} does not accept -l", start + 1)
        one, other = self.status(left), self.status(right)
        if operator == "-ef":
            return one is not None and other is not None and os.path.samestat(one, other)
        if operator == "-ot":
            one, other = other, one
        return one is not None and (other is None or one.st_mtime_ns > other.st_mtime_ns)

    def integer(self, text: str, at: int) -> int:
        found = _INTEGER.fullmatch(text)
        if found is None or len(text) > 4000:
            # of three words the one between says what the others are
            raise self.wrong(f"invalid integer {quoted(text)}", at, joint=len(self.words) != 3)
        return int(found.group(1))

    def status(self, name: str, *, follow: bool = True) -> os.stat_result | None:
        if self.io is None:
            return None
        try:
            return os.stat(self.io.path(name), follow_symlinks=follow)
        except (OSError, ValueError):
            return None

    def unary(self) -> bool:
        operator = self.word()
        letter = operator[1]
        if letter not in "bcdefghkLnNOprsStuwxzGS":
            raise self.wrong(f"{quoted(operator)}: unary operator expected", self.at)
        operand = self.word(1)
        self.at += 2
        if letter in "nz":
            return (operand == "") == (letter == "z")
        if letter == "t":
            number = self.integer(operand, self.at - 1)
            if self.io is None:
                return False
            own = {0: self.io.stdin, 1: self.io.stdout, 2: self.io.stderr}
            return 0 <= number < 2**31 and is_terminal(own.get(number, number))
        if letter in _ACCESS:
            if self.io is None:
                return False
            try:
                return os.access(self.io.path(operand), _ACCESS[letter], effective_ids=True)
            except ValueError:
                return False
        found = self.status(operand, follow=letter not in "hL")
        if found is None:
            return False
        if letter in "hL":
            return stat.S_ISLNK(found.st_mode)
        if letter in _KINDS:
            return _KINDS[letter](found.st_mode)
        if letter in _BITS:
            return bool(found.st_mode & _BITS[letter])
        return {
            "e": True,
            "s": found.st_size > 0,
            "O": found.st_uid == os.geteuid(),
            "G": found.st_gid == os.getegid(),
            "N": found.st_mtime_ns > found.st_atime_ns,
        }[letter]
