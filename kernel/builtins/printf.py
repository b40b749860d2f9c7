"""printf: arguments through a format, as often as there are arguments."""

from __future__ import annotations

import re
from fractions import Fraction

from kernel.builtins import long_double
from kernel.builtins.escapes import SIMPLE
from kernel.builtins.guard import Failure, guarded, is_utf8, raw
from kernel.builtins.quoting import quoted, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

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


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when an argument is no number, or a directive is none."""
    form, arguments = bound.values["format"], list(bound.values["arguments"])
    if form == "--":
        if not arguments:
            raise Failure("missing operand")
        form = arguments.pop(0)
    printer = Printer(io, [raw(text) for text in arguments])
    try:
        printer.run(raw(form))
    except Stop:
        pass
    return printer.status


class Printer:
    """The arguments left, and the status so far."""

    def __init__(self, io: Io, arguments: list[bytes]) -> None:
        self.io = io
        self.arguments = arguments
        self.next = 0
        self.status = 0
        self.utf8 = is_utf8(io.env)

    def run(self, form: bytes) -> None:
        while True:
            before = self.next
            self.once(form)
            if self.next >= len(self.arguments):
                return
            if self.next == before:
                rest = self.arguments[self.next].decode("utf-8", "surrogateescape")
                self.io.complain(f"warning: ignoring excess arguments, starting with {quoted(rest)}")
                return

    def once(self, form: bytes) -> None:
        at = 0
        while at < len(form):
            byte = form[at : at + 1]
            if byte == b"%":
                at = self.directive(form, at)
            elif byte == b"\\":
                at = self.escape(form, at)
            else:
                end = at
                while end < len(form) and form[end] not in b"%\\":
                    end += 1
                self.io.write(form[at:end])
                at = end

    def escape(self, form: bytes, at: int) -> int:
        found = _ESCAPE.match(form, at)
        assert found is not None  # every backslash matches
        kind = found.lastgroup
        text = found.group(kind) if kind else b""
        if kind == "simple":
            self.io.write(SIMPLE.get(text, text))
        elif kind == "stop":
            raise Stop
        elif kind == "octal":
            self.io.write(bytes([int(text, 8) & 255]))
        elif kind in ("hex", "u4", "u8"):
            if not text or (kind != "hex" and len(text) < int(kind[1])):
                raise Failure("missing hexadecimal number in escape", 1)
            self.io.write(bytes([int(text, 16)]) if kind == "hex" else self.character(kind, text))
        else:
            self.io.write(found.group())
        return found.end()

    def character(self, kind: str, digits: bytes) -> bytes:
        code = int(digits, 16)
        if (code < 0xA0 and code not in (0x24, 0x40, 0x60)) or 0xD800 <= code <= 0xDFFF:
            raise Failure(f"invalid universal character name \\{kind[0] if kind == 'u4' else 'U'}{digits.decode().lower()}", 1)
        if code < 0x80 or (self.utf8 and code <= 0x10FFFF):
            return chr(code).encode()
        return b"\\u%04X" % code if code <= 0xFFFF else b"\\U%08X" % code

    def argument(self) -> bytes | None:
        if self.next >= len(self.arguments):
            return None
        self.next += 1
        return self.arguments[self.next - 1]

    def directive(self, form: bytes, at: int) -> int:
        start, second = at, form[at + 1 : at + 2]
        if second in (b"%", b"b", b"q"):
            if second == b"%":
                self.io.write(b"%")
            else:
                text = self.argument()
                if text is not None:
                    (self.escaped if second == b"b" else self.shell)(text)
            return at + 2
        found = _DIRECTIVE.match(form, at)
        assert found is not None  # `%` alone matches
        flags = found.group(1).decode()
        letter = found.group(6).decode("latin-1")
        width = self.star(found.group(2), "field width")
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        precision: int | None = None
        if found.group(3) is not None:
            precision = self.star(found.group(4), "precision") if found.group(4) else 0
            if precision is not None and precision < 0:
                precision = None
        excluded = "".join([_EXCLUDED.get(flag, "") for flag in flags]) + ("c" if found.group(3) is not None else "")
        if letter == "" or letter not in "aAcdeEfFgGiosuxX" or letter in excluded:
            wrong = form[start : found.end()].decode("utf-8", "surrogateescape")
            raise Failure(f"{wrong}: invalid conversion specification", 1)
        self.io.write(self.converted(letter, flags, width or 0, precision))
        return found.end()

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
                at = self.escape(text, slash)
        self.io.write(text[at:])

    def shell(self, text: bytes) -> None:
        self.io.write(raw(shell_word(text.decode("utf-8" if self.utf8 else "ascii", "surrogateescape"))))
