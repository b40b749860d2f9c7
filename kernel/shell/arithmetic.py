"""`$((…))`: POSIX operators on integers of any size. The text is expanded already; variables are read by name."""

from __future__ import annotations

from kernel.shell.scanner import DIGITS, FIRST, NAME
from kernel.values import int_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BINARY = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<=", ">=", "<", ">"), ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
ASSIGNING = ("<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=")
OPERATORS = (*ASSIGNING, "++", "--", "**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", *"+-*/%<>=!~&|^?:(),")
HINTS = {
    "[": "an element is written `${list[0]}`, `${record[key]}`",
    "#": "numbers are decimal, or hexadecimal as in `0xff`",
    ".": "numbers are whole; `jq -n '1.5 * 2'` has fractions",
}
MOST_BITS = 1 << 20  # of a result: a shift or a product past this is an error, not a machine out of memory
DEEPEST = 60


class NoValue(Exception):
    """An expression that has no value: what is wrong, and how to write it; ``at`` is where in the expression."""

    def __init__(self, message: str, hint: str = "", at: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.at = at


class Expression:
    """One evaluation. ``read(name)`` gives a variable's text, "" when unset; ``write(name, text)`` assigns."""

    def __init__(self, text: str, read: Callable[[str], str], write: Callable[[str, str], None]) -> None:
        self.text = text
        self.read = read
        self.write = write
        self.at = 0
        self.depth = 0
        self.token = ""  # the token at hand, "" at the end
        self.start = 0
        self._next()

    def value(self) -> int:
        """The value. Raises NoValue."""
        if not self.token:
            return 0
        found = self._assignment(True)
        if self.token:
            raise self._unexpected()
        return found

    def check(self) -> None:
        """Reads the whole expression without computing anything. Raises NoValue for one that can never have a value."""
        if self.token:
            self._assignment(False)
            if self.token:
                raise self._unexpected()

    def _unexpected(self) -> NoValue:
        if self.token in ("++", "--"):
            sign = self.token[0]
            return NoValue(f"`{self.token}` is not part of the language", f"write `x {sign}= 1`", self.start)
        if self.token == "**":
            return NoValue("`**` is not part of the language", "multiply: `x * x`", self.start)
        if self.token == ",":
            return NoValue("`,` is not part of the language", "write two commands", self.start)
        if not self.token:
            return NoValue("a value is missing at the end of the expression", "", self.start)
        return NoValue(f"`{self.token}` is not expected here", "", self.start)

    def _next(self) -> None:
        text, at = self.text, self.at
        while at < len(text) and text[at] in " \t\n\r":
            at += 1
        self.start = at
        if at >= len(text):
            self.token, self.at = "", at
            return
        character = text[at]
        if character in FIRST or character in DIGITS:
            end = at
            while end < len(text) and text[end] in NAME:
                end += 1
            self.token, self.at = text[at:end], end
            return
        for operator in OPERATORS:
            if text.startswith(operator, at):
                if operator in ("++", "--") and text[at + 2 : at + 3] in DIGITS and at + 2 < len(text):
                    operator = operator[0]  # `a-$b` where b is negative: a sign, not a decrement
                self.token, self.at = operator, at + len(operator)
                return
        raise NoValue(f"`{character}` has no meaning in arithmetic", HINTS.get(character, ""), at)

    def _assignment(self, live: bool) -> int:
        name = self.token
        if name and name[0] in FIRST:
            saved = (self.token, self.at, self.start)
            self._next()
            operator = self.token
            if operator == "=" or operator in ASSIGNING:
                self._next()
                right = self._assignment(live)
                if not live:
                    return 0
                found = right if operator == "=" else compute(operator[:-1], self._variable(name), right)
                self.write(name, int_text(found))
                return found
            self.token, self.at, self.start = saved
        return self._choice(live)

    def _choice(self, live: bool) -> int:
        condition = self._binary(0, live)
        if self.token != "?":
            return condition
        self._next()
        first = self._assignment(live and condition != 0)
        if self.token != ":":
            raise NoValue("`?` wants a `:`", "as in `a > b ? a : b`", self.start)
        self._next()
        second = self._assignment(live and condition == 0)
        return first if condition else second

    def _binary(self, level: int, live: bool) -> int:
        if level == len(BINARY):
            return self._unary(live)
        left = self._binary(level + 1, live)
        while self.token in BINARY[level]:
            operator, place = self.token, self.start
            self._next()
            needed = live and not (operator == "&&" and not left) and not (operator == "||" and left)
            right = self._binary(level + 1, needed)
            if not live:
                continue
            if operator == "&&":
                left = int(bool(left) and bool(right))
            elif operator == "||":
                left = int(bool(left) or bool(right))
            else:
                try:
                    left = compute(operator, left, right)
                except NoValue as error:
                    error.at = place
                    raise
        return left

    def _unary(self, live: bool) -> int:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoValue(f"more than {DEEPEST} operators stand within each other", "", self.start)
        operator = self.token
        if operator in ("-", "+", "!", "~"):
            self._next()
            value = self._unary(live)
            found = -value if operator == "-" else value if operator == "+" else int(not value) if operator == "!" else ~value
        elif operator == "(":
            self._next()
            found = self._assignment(live)
            if self.token != ")":
                raise NoValue("`(` is not closed by `)`", "", self.start)
            self._next()
        elif operator and operator[0] in DIGITS:
            found = number(operator, self.start)
            self._next()
        elif operator and operator[0] in FIRST:
            self._next()
            if self.token in ("++", "--"):
                raise NoValue(f"`{self.token}` is not part of the language", f"write `{operator} {self.token[0]}= 1`", self.start)
            found = self._variable(operator) if live else 0
        else:
            raise self._unexpected()
        self.depth -= 1
        return found

    def _variable(self, name: str) -> int:
        text = self.read(name).strip()
        if not text:
            return 0
        sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
        if not digits or digits[0] not in DIGITS:
            raise NoValue(f"`{name}` is `{text}`, which is no whole number", "", self.start)
        found = number(digits, self.start)
        return -found if sign == "-" else found


def number(digits: str, at: int = 0) -> int:
    """A decimal or `0x` number. Raises NoValue for a leading zero and for anything else."""
    if digits.isascii() and digits.isdigit():
        if len(digits) > 1 and digits[0] == "0":
            plain = digits.lstrip("0") or "0"
            raise NoValue(f"`{digits}` has a leading zero, which means base 8 elsewhere", f"write `{plain}`", at)
        if len(digits) > 100_000:
            raise NoValue("the number has more than 100,000 digits", "", at)
        return int(digits) if len(digits) <= 4300 else _long(digits)
    if digits[:2] in ("0x", "0X") and len(digits) > 2:
        try:
            return int(digits[2:].replace("_", "?"), 16)
        except ValueError:
            pass
    raise NoValue(f"`{digits}` is no whole number", "whole numbers are written `42` or `0x2a`", at)


def _long(digits: str) -> int:
    found = 0
    for start in range(0, len(digits), 4000):
        part = digits[start : start + 4000]
        found = found * 10 ** len(part) + int(part)
    return found


def compute(operator: str, left: int, right: int) -> int:
    """One binary operator; division cuts towards zero, as in C."""
    if operator in ("/", "%"):
        if right == 0:
            raise NoValue("division by zero")
        quotient = abs(left) // abs(right)
        quotient = -quotient if (left < 0) != (right < 0) else quotient
        return quotient if operator == "/" else left - right * quotient
    if operator in ("<<", ">>"):
        if right < 0:
            raise NoValue("a shift by a negative number")
        if operator == ">>":
            return left >> min(right, MOST_BITS)
        if right > MOST_BITS:
            raise NoValue(f"a shift by more than {MOST_BITS:,} bits")
        return left << right
    if operator == "*":
        if left.bit_length() + right.bit_length() > MOST_BITS:
            raise NoValue(f"the product has more than {MOST_BITS:,} bits")
        return left * right
    return _SIMPLE[operator](left, right)


_SIMPLE: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    ">": lambda left, right: int(left > right),
    "<=": lambda left, right: int(left <= right),
    ">=": lambda left, right: int(left >= right),
}
