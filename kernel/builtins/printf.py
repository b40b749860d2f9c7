"""printf: arguments through a format, as often as there are arguments."""

from __future__ import annotations

import functools
import re
from fractions import Fraction

from kernel.builtins import long_double
from kernel.builtins.escapes import SIMPLE
from kernel.builtins.guard import About, Failure, guarded, is_utf8, raw
from kernel.builtins.quoting import quoted, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from kernel.bound import Bound
    from kernel.builtins.io import Io

    Step: TypeAlias = "bytes | Directive | None"

_DIRECTIVE = re.compile(rb"%([-+ #0'I]*)(\*|\d+)?(\.(\*|\d+)?)?([lLhjzt]*)(.?)", re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:(?P<simple>[abefnrtv\\\"])|(?P<stop>c)|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{0,2})"
    rb"|u(?P<u4>[0-9a-fA-F]{0,4})|U(?P<u8>[0-9a-fA-F]{0,8})|(?P<other>.)|$)",
    re.DOTALL,
)
_ZERO_OCTAL = re.compile(rb"\\0([0-7]{0,3})")
_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?)(0[xX](?=[0-9a-fA-F])[0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
# conversions that a flag excludes, and the types of number
_EXCLUDED = {"'": "aAceEosxX", "I": "aAceEosxX", "#": "cdisu", "0": "cs"}
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1


class Stop(Exception):
    """`\\c`: nothing more is printed."""


class Directive:
    """What stands behind a `%`: `b` and `q` are letters of their own. ``width`` and ``precision`` may be `*`, or none."""

    __slots__ = ("flags", "letter", "precision", "width")

    def __init__(self, letter: str, flags: str = "", width: bytes | None = None, precision: bytes | None = None) -> None:
        self.letter = letter
        self.flags = flags
        self.width = width
        self.precision = precision


def usage(bound: Bound) -> None:
    """Failure for a format that is none."""
    _asked(bound, True)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when an argument is no number."""
    utf8 = is_utf8(io.env)
    steps, arguments = _asked(bound, utf8)
    printer = Printer(io, [raw(text) for text in arguments], utf8=utf8)
    try:
        printer.run(steps)
    except Stop:
        return 0  # whatever was no number before it
    return printer.status


def _asked(bound: Bound, utf8: bool) -> tuple[tuple[Step, ...], list[str]]:
    """The steps of the format, and the arguments: a `--` in front is no format."""
    form, arguments = bound.values["format"], list(bound.values["arguments"])
    with About("format"):
        if form != "--":
            return steps_of(raw(form), utf8), arguments
        if not arguments:
            raise Failure("missing operand")
    with About("arguments"):
        return steps_of(raw(arguments[0]), utf8), arguments[1:]


@functools.lru_cache(64)
def steps_of(form: bytes, utf8: bool) -> tuple[Step, ...]:
    """A format as texts and directives, None where the output ends (`\\c`). Failure for what is none."""
    steps: list[Step] = []
    step: Step
    at = 0
    while at < len(form):
        byte = form[at : at + 1]
        if byte == b"%":
            step, at = _directive(form, at)
        elif byte == b"\\":
            step, at = unescaped(form, at, utf8)
        else:
            start = at
            while at < len(form) and form[at] not in b"%\\":
                at += 1
            step = form[start:at]
        steps.append(step)
        if step is None:
            break
    return tuple(steps)


def unescaped(text: bytes, at: int, utf8: bool) -> tuple[bytes | None, int]:
    """What an escape stands for (None: the output ends), and where it ends. Failure for one that is none."""
    found = _ESCAPE.match(text, at)
    assert found is not None  # every backslash matches
    kind = found.lastgroup
    body = found.group(kind) if kind else b""
    out: bytes | None = found.group()
    if kind == "simple":
        out = SIMPLE.get(body, body)
    elif kind == "stop":
        out = None
    elif kind == "octal":
        out = bytes([int(body, 8) & 255])
    elif kind in ("hex", "u4", "u8"):
        if not body or (kind != "hex" and len(body) < int(kind[1])):
            raise Failure("missing hexadecimal number in escape", 1)
        out = bytes([int(body, 16)]) if kind == "hex" else _character(kind, body, utf8)
    return out, found.end()


def _character(kind: str, digits: bytes, utf8: bool) -> bytes:
    code = int(digits, 16)
    if (code < 0xA0 and code not in (0x24, 0x40, 0x60)) or 0xD800 <= code <= 0xDFFF:
        raise Failure(f"invalid universal character name \\{kind[0] if kind == 'u4' else 'U'}{digits.decode().lower()}", 1)
    if code < 0x80 or (utf8 and code <= 0x10FFFF):
        return chr(code).encode()
    return b"\\u%04X" % code if code <= 0xFFFF else b"\\U%08X" % code


def _directive(form: bytes, at: int) -> tuple[bytes | Directive, int]:
    second = form[at + 1 : at + 2]
    if second == b"%":
        return b"%", at + 2
    if second in (b"b", b"q"):
        return Directive(second.decode()), at + 2
    found = _DIRECTIVE.match(form, at)
    assert found is not None  # `%` alone matches
    flags, width, point, precision, _, last = found.groups()
    letter, marks = last.decode("latin-1"), flags.decode()
    for text, what in ((width, "field width"), (precision, "precision")):
        if text not in (None, b"*") and int(text[:12]) > _INT_MAX:
            raise Failure(f"invalid {what}: {quoted(text.decode())}")
    excluded = "".join([_EXCLUDED.get(flag, "") for flag in marks]) + ("c" if point is not None else "")
    if letter == "" or letter not in "aAcdeEfFgGiosuxX" or letter in excluded:
        raise Failure(f"{found.group().decode('utf-8', 'surrogateescape')}: invalid conversion specification")
    return Directive(letter, marks, width, precision or b"0" if point is not None else None), found.end()


class Printer:
    """The arguments left, and the status so far."""

    def __init__(self, io: Io, arguments: list[bytes], *, utf8: bool) -> None:
        self.io = io
        self.arguments = arguments
        self.next = 0
        self.status = 0
        self.utf8 = utf8

    def run(self, steps: tuple[Step, ...]) -> None:
        while True:
            before = self.next
            for step in steps:
                if step is None:
                    raise Stop
                if isinstance(step, bytes):
                    self.io.write(step)
                else:
                    self.directive(step)
            if self.next >= len(self.arguments):
                return
            if self.next == before:
                rest = self.arguments[self.next].decode("utf-8", "surrogateescape")
                self.io.complain(f"warning: ignoring excess arguments, starting with {quoted(rest)}")
                return

    def argument(self) -> bytes | None:
        if self.next >= len(self.arguments):
            return None
        self.next += 1
        return self.arguments[self.next - 1]

    def directive(self, what: Directive) -> None:
        if what.letter in "bq":
            text = self.argument()
            if text is not None:
                (self.escaped if what.letter == "b" else self.shell)(text)
            return
        flags = what.flags
        width = self.star(what.width, "field width")
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        precision = self.star(what.precision, "precision")
        if precision is not None and precision < 0:
            precision = None
        self.io.write(self.converted(what.letter, flags, width or 0, precision))

    def star(self, text: bytes | None, what: str) -> int | None:
        if text is None:
            return None
        number = self.integer(self.argument()) if text == b"*" else int(text[:12])
        if not _INT_MIN <= number <= _INT_MAX:
            if what == "precision" and number < 0:
                return -1
            raise Failure(f"invalid {what}: {quoted(text.decode())}", 1)
        return number

    def converted(self, letter: str, flags: str, width: int, precision: int | None) -> bytes:
        argument = self.argument()
        if letter in "cs":
            text = argument or b""
            text = text[:1] if letter == "c" else text[:precision]
            if letter == "c" and not argument:
                text = b"\0"
            return text.ljust(width) if "-" in flags else text.rjust(width)
        if letter in "di":
            number = self.integer(argument, -(2**63), 2**63 - 1)
            digits = str(abs(number))
        elif letter in "ouxX":
            number = self.integer(argument, -(2**64) + 1, 2**64 - 1) % 2**64
            digits = format(number, {"u": "d"}.get(letter, letter))
        else:
            return long_double.formatted(self.floating(argument), letter, flags, width, precision).encode()
        return self.padded(number, digits, letter, flags, width, precision).encode()

    def padded(self, number: int, digits: str, letter: str, flags: str, width: int, precision: int | None) -> str:
        if precision is not None:
            digits = "" if precision == 0 and number == 0 else digits.rjust(precision, "0")
        prefix = ""
        if letter in "di":
            prefix = "-" if number < 0 else "+" if "+" in flags else " " if " " in flags else ""
        elif "#" in flags and letter == "o" and digits[:1] != "0":
            digits = "0" + digits
        elif "#" in flags and letter in "xX" and number:
            prefix = "0" + letter
        if "-" in flags:
            return (prefix + digits).ljust(width)
        if "0" in flags and precision is None:
            return prefix + digits.rjust(width - len(prefix), "0")
        return (prefix + digits).rjust(width)

    def floating(self, argument: bytes | None) -> long_double.Number:
        if not argument:
            return long_double.ZERO
        if argument[:1] in (b"'", b'"'):
            return long_double.Number(False, Fraction(self.code(argument)))
        number, problem = long_double.parse(argument.decode("latin-1"))
        self.complain(argument, problem)
        return number

    def integer(self, argument: bytes | None, low: int = -(2**63), high: int = 2**63 - 1) -> int:
        """An argument as strtol reads it, base by prefix; `'c` is the character's code."""
        if not argument:
            return 0
        if argument[:1] in (b"'", b'"'):
            return self.code(argument)
        text = argument.decode("latin-1")
        found = _NUMBER.match(text)
        if found is None:
            self.complain(argument, "expected a numeric value")
            return 0
        sign, digits = found.groups()
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
        number = int(digits, base) if len(digits) < 4000 else high + 1
        number = -number if sign == "-" else number
        if not low <= number <= high:
            number = high if number > high or low < -(2**63) else low
            self.complain(argument, "Numerical result out of range")
        elif found.end() != len(text):
            self.complain(argument, "value not completely converted")
        return number

    def code(self, argument: bytes) -> int:
        rest = argument[1:]
        if not rest:
            self.complain(argument, "expected a numeric value")
            return 0
        code, length = rest[0], 1
        if self.utf8 and code >= 0x80:
            for size in (2, 3, 4):
                try:
                    code, length = ord(rest[:size].decode()), size
                    break
                except (UnicodeDecodeError, TypeError):
                    continue
        if len(rest) > length:
            more = rest[length:].decode("utf-8", "surrogateescape")
            self.io.complain(f"warning: {more}: character(s) following character constant have been ignored")
        return code

    def complain(self, argument: bytes, problem: str) -> None:
        if problem:
            self.io.complain(f"{quoted(argument.decode('utf-8', 'surrogateescape'))}: {problem}")
            self.status = 1

    def escaped(self, text: bytes) -> None:
        """`%b`: the argument with its escapes read; octal ones may begin with a zero of their own."""
        at = 0
        while at < len(text):
            slash = text.find(b"\\", at)
            if slash < 0:
                break
            self.io.write(text[at:slash])
            octal = _ZERO_OCTAL.match(text, slash)
            if octal:
                self.io.write(bytes([int(octal.group(1) or b"0", 8) & 255]))
                at = octal.end()
            else:
                step, at = unescaped(text, slash, self.utf8)
                if step is None:
                    raise Stop
                self.io.write(step)
        self.io.write(text[at:])

    def shell(self, text: bytes) -> None:
        self.io.write(raw(shell_word(text.decode("utf-8" if self.utf8 else "ascii", "surrogateescape"))))
