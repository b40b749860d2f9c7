"""seq: numbers from, by, to."""

from __future__ import annotations

import re
from fractions import Fraction

from kernel.builtins import long_double
from kernel.builtins.guard import About, Failure, guarded, raw
from kernel.builtins.quoting import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel.bound import Bound
    from kernel.builtins.io import Io

_PLAIN = re.compile(r"\s*([+-]?)(\d*)(?:(\.)(\d*))?(?:[eE]([+-]?\d{1,5}))?$", re.ASCII)
_FORMAT = re.compile(r"((?:[^%]|%%)*)%([-+ #0']*)(\d*)(?:\.(\d*))?(L?)([aAeEfFgG])((?:[^%]|%%)*)$", re.DOTALL)


def usage(bound: Bound) -> None:
    """Failure for operands and a format that say no sequence."""
    _asked(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 2 for an operand that is no number."""
    first, step, last, form = _asked(bound)
    separator = raw(bound.values.get("separator", "\n"))
    equal = bool(bound.values["equal_width"])
    _write(io, _formatted(form, first, step, last) if form else _plain(first, step, last, equal), separator)
    return 0


def _asked(bound: Bound) -> tuple[Operand, Operand, Operand, re.Match[str] | None]:
    """Where the sequence begins, by how much it goes on and where it ends, and the format as _FORMAT reads it."""
    values = bound.values
    numbers: list[str] = values["numbers"]
    operands = []
    for entry, text in enumerate(numbers):
        with About("numbers", entry):
            operands.append(Operand(text))
    first = operands[0] if len(operands) > 1 else Operand("1")
    step = operands[1] if len(operands) > 2 else Operand("1")
    last = operands[-1]
    if step.value == 0:
        raise Failure(f"invalid Zero increment value: {quoted(numbers[1])}", param="numbers", entry=1)
    if (first.endless or step.endless) and not _is_over(first, step, last):
        raise Failure("an infinite start or step has no sequence", param="numbers", entry=0 if first.endless else 1)
    form = values.get("format")
    if form is None:
        return first, step, last, None
    if values["equal_width"]:
        raise Failure("format string may not be specified when printing equal width strings", param="format")
    found = _FORMAT.match(form)
    if found is None:
        raise Failure(f"format {quoted(form)} {_fault(form)}", param="format")
    return first, step, last, found


def _is_over(first: Operand, step: Operand, last: Operand) -> bool:
    """Whether it begins behind its end."""
    return bool(first.endless) and not last.endless and (first.endless > 0) == (step.value > 0)


class Operand:
    """A number: its exact value (None for infinity), the digits behind its point, and its width as written."""

    def __init__(self, text: str) -> None:
        self.places = 0
        self.width = len(text.strip())
        self.endless = 0
        found = _PLAIN.match(text)
        if found and (found.group(2) or found.group(4)):
            sign, whole, _, rest, exponent = found.groups()
            shift = int(exponent or "0")
            digits = (whole or "") + (rest or "")
            self.value = Fraction(int(digits)) * Fraction(10) ** (shift - len(rest or ""))
            if sign == "-":
                self.value = -self.value
            self.negative_zero = sign == "-" and not self.value
            self.places = max(0, len(rest or "") - shift)
            self.width = len(sign.replace("+", "")) + max(len(whole or ""), 1)
            if shift > 0:
                self.width = len(sign.replace("+", "")) + max(1, len(whole or "") + shift)
            self.width += self.places + 1 if self.places else 0
            return
        number, problem = long_double.parse(text)
        self.width = 0  # as GNU seq has it for what is not written in plain digits
        self.negative_zero = False
        if problem or number.word == "nan":
            kind = "invalid floating point argument" if problem else "invalid 'not-a-number' argument"
            raise Failure(f"{kind}: {quoted(text)}")
        if number.magnitude is None:
            self.value = Fraction(0)
            self.endless = -1 if number.negative else 1
        else:
            self.value = -number.magnitude if number.negative else number.magnitude


def _values(first: Operand, step: Operand, last: Operand) -> Iterator[Fraction]:
    value, count = first.value, 0
    if _is_over(first, step, last):
        return
    if last.endless:
        if (last.endless > 0) != (step.value > 0):
            return
        while True:
            yield first.value + count * step.value
            count += 1
    while value <= last.value if step.value > 0 else value >= last.value:
        yield value
        count += 1
        value = first.value + count * step.value


def _plain(first: Operand, step: Operand, last: Operand, equal: bool) -> Iterator[str]:
    places = max(first.places, step.places)
    width = 0
    if equal:
        widths = []
        for operand in (first, last):
            widths.append(operand.width + _more(places, operand.places))
        width = max(widths)
    whole = step.value.denominator == first.value.denominator == 1
    if whole and not (places or width or first.endless or last.endless):
        start, by = int(first.value), int(step.value)
        end = last.value.numerator // last.value.denominator if by > 0 else -(-last.value.numerator // last.value.denominator)
        minus = ["-0"] if first.negative_zero and start == 0 else []
        numbers = range(start, int(end) + (1 if by > 0 else -1), by)
        yield from minus if numbers else ()  # the length of a range may be more than Python counts
        yield from map(str, numbers[len(minus) :])
        return
    is_first = True
    for value in _values(first, step, last):
        text = long_double.fixed(abs(value), places)
        sign = "-" if value < 0 or (is_first and first.negative_zero) else ""
        is_first = False
        yield sign + text.rjust(width - len(sign), "0")


def _more(places: int, own: int) -> int:
    """How much wider an operand gets when it is printed with `places` digits behind the point."""
    if places == own:
        return 0
    return places - own + (1 if not own else 0) if places else -own - 1


def _formatted(form: re.Match[str], first: Operand, step: Operand, last: Operand) -> Iterator[str]:
    before, flags, width, precision, _, letter, after = form.groups()
    if "'" in flags:
        flags = flags.replace("'", "")
    before, after = before.replace("%%", "%"), after.replace("%%", "%")
    places = int(precision or "0") if precision is not None else None
    negative_zero = first.negative_zero
    for value in _values(first, step, last):
        number = long_double.Number(value < 0 or negative_zero, long_double.rounded(abs(value)), "inf")
        negative_zero = False
        yield before + long_double.formatted(number, letter, flags, int(width or "0"), places) + after


def _fault(form: str) -> str:
    directives = re.findall(r"%(.?)", form.replace("%%", ""))
    if not directives:
        return "has no % directive"
    if len(directives) > 1:
        return "has too many % directives"
    if directives[0] == "":
        return "ends in %"
    letter = re.sub(r".*%[-+ #0']*\d*(\.\d*)?L?", "", form.replace("%%", ""), count=1, flags=re.DOTALL)[:1]
    return f"has unknown %{letter} directive"


def _write(io: Io, texts: Iterator[str], separator: bytes) -> None:
    joint = separator.decode("utf-8", "surrogateescape")
    batch: list[str] = []
    wrote = False
    for text in texts:
        batch.append(text)
        if len(batch) >= 4096:
            io.write(raw((joint if wrote else "") + joint.join(batch)))
            batch.clear()
            wrote = True
    if batch:
        io.write(raw((joint if wrote else "") + joint.join(batch)))
        wrote = True
    if wrote:
        io.write(b"\n")
