"""Numbers as C's `long double` holds and prints them on x86: 64 bits of mantissa, exact decimal output.

printf and seq promise what the C library prints; Python's floats have 53 bits.
"""

from __future__ import annotations

import re
from fractions import Fraction

BITS = 64
_MOST = 2**BITS - 1
_TOP = 16384  # 2**16384 is beyond the largest value
_LEAST = -16445  # the exponent of the smallest denormal
_DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?")
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP]([+-]?\d+))?")
_WORD = re.compile(r"inf(?:inity)?|nan(?:\(\w*\))?", re.IGNORECASE)
_START = re.compile(r"[ \t\n\v\f\r]*([+-]?)")


class Number:
    """A sign and a magnitude: a Fraction that is a long double, or None with ``word`` `inf` or `nan`."""

    __slots__ = ("magnitude", "negative", "word")

    def __init__(self, negative: bool, magnitude: Fraction | None, word: str = "") -> None:
        self.negative = negative
        self.magnitude = magnitude
        self.word = word


ZERO = Number(False, Fraction(0))


def rounded(exact: Fraction) -> Fraction | None:
    """The nearest long double of a positive number (ties to even), or None past the largest."""
    if not exact:
        return exact
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length() - BITS
    shift = max(exponent, _LEAST)
    scaled = exact / Fraction(2) ** shift
    mantissa = round(scaled)
    while mantissa > _MOST:
        shift += 1
        mantissa = round(exact / Fraction(2) ** shift)
    if shift + BITS > _TOP and mantissa.bit_length() + shift > _TOP:
        return None
    return mantissa * Fraction(2) ** shift


def parse(text: str) -> tuple[Number, str]:
    """Text as strtold reads it: the number, and what is wrong with the text ("" for nothing)."""
    start = _START.match(text)
    assert start is not None  # matches the empty text
    negative, at = start.group(1) == "-", start.end()
    word = _WORD.match(text, at)
    if word:
        number, end = Number(negative, None, word.group()[:3].lower()), word.end()
        return number, "" if end == len(text) else "value not completely converted"
    found, base, power = _HEXADECIMAL.match(text, at), 16, 2
    if not found:
        found, base, power = _DECIMAL.match(text, at), 10, 10
    if not found:
        return ZERO, "expected a numeric value"
    problem = "" if found.end() == len(text) else "value not completely converted"
    whole, _, rest = found.group(1).partition(".")
    digits = (whole + rest).lstrip("0") or "0"
    exponent = _bounded(found.group(2) or "0")
    scale = exponent - len(rest) * (4 if base == 16 else 1)
    magnitude_bits = len(digits) * (4 if base == 16 else 3.33) + scale * (1 if base == 16 else 3.33)
    if digits == "0":
        return Number(negative, Fraction(0)), problem
    if magnitude_bits > 3 * _TOP or magnitude_bits < -3 * _TOP or len(digits) > 40000:
        value = None if magnitude_bits > 0 else Fraction(0)
    else:
        value = rounded(_integer(digits, base) * Fraction(power) ** scale)
    if value is None:
        return Number(negative, None, "inf"), "Numerical result out of range"
    if not value:
        return Number(negative, value), "Numerical result out of range"
    return Number(negative, value), problem


def _bounded(text: str) -> int:
    sign, digits = (-1 if text[0] == "-" else 1), text.lstrip("+-").lstrip("0")
    return sign * (int(digits or "0") if len(digits) < 8 else 10**7)


def _integer(digits: str, base: int) -> int:
    if base == 16 or len(digits) <= 4000:
        return int(digits, base)
    middle = len(digits) // 2
    return int(_integer(digits[:middle], base) * 10 ** (len(digits) - middle) + _integer(digits[middle:], base))


def formatted(number: Number, letter: str, flags: str, width: int, precision: int | None) -> str:
    """The number by one of the conversions `aAeEfFgG`."""
    sign = "-" if number.negative else "+" if "+" in flags else " " if " " in flags else ""
    lower = letter.lower()
    prefix = ""
    if number.magnitude is None:
        body = number.word
    elif lower == "a":
        prefix, body = "0x", _hexadecimal(number.magnitude, precision, "#" in flags)
    elif lower == "f":
        body = fixed(number.magnitude, 6 if precision is None else precision, "#" in flags)
    elif lower == "e":
        body = _exponential(number.magnitude, 6 if precision is None else precision, "#" in flags)
    else:
        body = _general(number.magnitude, 6 if precision is None else precision, "#" in flags)
    prefix = sign + prefix
    if "-" in flags:
        out = (prefix + body).ljust(width)
    elif "0" in flags and number.magnitude is not None:
        out = prefix + body.rjust(width - len(prefix), "0")
    else:
        out = (prefix + body).rjust(width)
    return out.upper() if letter.isupper() else out


def _digits(number: int) -> str:
    from kernel.values import int_text

    return int_text(number)


def fixed(value: Fraction, precision: int, point: bool = False) -> str:
    """Plain decimal notation with ``precision`` digits behind the point, rounded half to even."""
    exact = min(precision, _places(value))
    digits = _digits(round(value * 10**exact)).rjust(exact + 1, "0") + "0" * (precision - exact)
    if not precision:
        return digits + "." if point else digits
    return digits[:-precision] + "." + digits[-precision:]


def _places(value: Fraction) -> int:
    """How many digits behind the point it has at most, 10**10 where they may be without end."""
    denominator = value.denominator
    return 10**10 if denominator & (denominator - 1) else denominator.bit_length() - 1


def _scientific(value: Fraction, precision: int) -> tuple[str, int]:
    """`precision + 1` digits and the decimal exponent."""
    if not value:
        return "0" * (precision + 1), 0
    exponent = int((value.numerator.bit_length() - value.denominator.bit_length()) * 0.30103)
    while value >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while value < Fraction(10) ** exponent:
        exponent -= 1
    exact = min(precision, _places(value) + exponent)
    digits = _digits(round(value * Fraction(10) ** (exact - exponent))) + "0" * (precision - exact)
    if len(digits) > precision + 1:
        return digits[:-1], exponent + 1
    return digits, exponent


def _exponential(value: Fraction, precision: int, point: bool) -> str:
    digits, exponent = _scientific(value, precision)
    head = digits[0] + ("." if precision or point else "") + digits[1:]
    return f"{head}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _general(value: Fraction, precision: int, keep: bool) -> str:
    precision = precision or 1
    digits, exponent = _scientific(value, precision - 1)
    if not -5 < exponent < precision:
        if not keep:
            digits = digits[0] + digits[1:].rstrip("0")
        head = digits[0] + ("." if len(digits) > 1 or keep else "") + digits[1:]
        return f"{head}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    text = fixed(value, precision - 1 - exponent, keep)
    return text.rstrip("0").rstrip(".") if "." in text and not keep else text


def _hexadecimal(value: Fraction, precision: int | None, point: bool) -> str:
    """The mantissa's top four bits, a point, the rest; without the `0x`."""
    if not value:
        digits, exponent = "0" * (1 + (precision or 0)), 0
    else:
        exponent = value.numerator.bit_length() - value.denominator.bit_length() - 4
        while value >= Fraction(2) ** (exponent + 4):
            exponent += 1
        while value < Fraction(2) ** (exponent + 3):
            exponent -= 1
        places = 15 if precision is None else min(precision, 15)  # the digits that 64 bits have
        mantissa = round(value / Fraction(2) ** exponent * 16**places)
        if mantissa >= 16 ** (places + 1):
            mantissa >>= 4
            exponent += 4
        digits = format(mantissa, "x") + "0" * ((precision or 0) - places)
        if precision is None:
            digits = digits[0] + digits[1:].rstrip("0")
    head = digits[0] + ("." if len(digits) > 1 or point else "") + digits[1:]
    return f"{head}p{'-' if exponent < 0 else '+'}{abs(exponent)}"
