"""tr's strings: characters, ranges, classes, repeats."""

from __future__ import annotations

from kernel.builtins.guard import Failure
from kernel.builtins.quoting import quoted

CLASSES = {
    "alnum": bytes([*range(48, 58), *range(65, 91), *range(97, 123)]),
    "alpha": bytes([*range(65, 91), *range(97, 123)]),
    "blank": b"\t ",
    "cntrl": bytes([*range(32), 127]),
    "digit": bytes(range(48, 58)),
    "graph": bytes(range(33, 127)),
    "lower": bytes(range(97, 123)),
    "print": bytes(range(32, 127)),
    "punct": bytes([*range(33, 48), *range(58, 65), *range(91, 97), *range(123, 127)]),
    "space": bytes([*range(9, 14), 32]),
    "upper": bytes(range(65, 91)),
    "xdigit": bytes([*range(48, 58), *range(65, 71), *range(97, 103)]),
}
_ESCAPES = {97: 7, 98: 8, 102: 12, 110: 10, 114: 13, 116: 9, 118: 11}
MOST = 2**20  # the longest [c*n] that is spelled out; no set needs more than 256


class Part:
    """One element of a string: ``kind`` is `characters`, `class`, `equivalence` or `fill` (`[c*]`)."""

    __slots__ = ("characters", "kind", "name")

    def __init__(self, kind: str, characters: bytes, name: str = "") -> None:
        self.kind = kind
        self.characters = characters
        self.name = name


def unquoted(text: bytes, warn: list[str]) -> list[tuple[int, bool]]:
    """(byte, whether it was escaped); a warning for what is read in an unexpected way."""
    out: list[tuple[int, bool]] = []
    at = 0
    while at < len(text):
        byte = text[at]
        at += 1
        if byte != 92:
            out.append((byte, False))
            continue
        if at == len(text):
            warn.append("warning: an unescaped backslash at end of string is not portable")
            out.append((92, False))
            break
        byte = text[at]
        if 48 <= byte <= 55:
            end = at + 1
            while end < len(text) and end < at + 3 and 48 <= text[end] <= 55:
                end += 1
            code = int(text[at:end], 8)
            if code > 255:
                digits = text[at:end].decode()
                end -= 1
                code = int(text[at:end], 8)
                warn.append(
                    f"warning: the ambiguous octal escape \\{digits} is being\n"
                    f"\tinterpreted as the 2-byte sequence \\0{digits[:2]}, {digits[2]}"
                )
            out.append((code, True))
            at = end
            continue
        out.append((_ESCAPES.get(byte, byte), True))
        at += 1
    return out


def parse(text: bytes, warn: list[str]) -> list[Part]:
    """The elements of a string, in order."""
    marked = unquoted(text, warn)
    parts: list[Part] = []
    at = 0
    while at < len(marked):
        if at + 2 < len(marked):
            found = _bracket(marked, at) if marked[at] == (91, False) else None
            if found is not None:
                part, at = found
                parts.append(part)
                continue
            if marked[at + 1] == (45, False):
                parts.append(Part("characters", _range(marked[at][0], marked[at + 2][0])))
                at += 3
                continue
        parts.append(Part("characters", bytes([marked[at][0]])))
        at += 1
    return parts


def _range(first: int, last: int) -> bytes:
    if first > last:
        shown = "-".join([chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in (first, last)])
        raise Failure(f"range-endpoints of {quoted(shown)} are in reverse collating sequence order")
    return bytes(range(first, last + 1))


def _bracket(marked: list[tuple[int, bool]], at: int) -> tuple[Part, int] | None:
    """What stands in brackets from ``at`` on, and where it ends; None when the bracket is only itself."""
    kind = marked[at + 1]
    if kind in ((58, False), (61, False)):
        close = _closing(marked, at + 2, kind)
        if close >= 0:
            body = bytes([byte for byte, _ in marked[at + 2 : close]])
            name = body.decode("latin-1")
            if not body:
                what = "character class name '[::]'" if kind[0] == 58 else "equivalence class character '[==]'"
                raise Failure(f"missing {what}")
            if kind[0] == 58 and name in CLASSES:
                return Part("class", CLASSES[name], name), close + 2
            if kind[0] == 61 and len(body) == 1:
                return Part("equivalence", body), close + 2
            if not _is_repeat(marked, at + 2):
                if kind[0] == 58:
                    raise Failure(f"invalid character class {quoted(name)}")
                raise Failure(f"{name}: equivalence class operand must be a single character")
    return _repeat(marked, at)


def _closing(marked: list[tuple[int, bool]], start: int, kind: tuple[int, bool]) -> int:
    for index in range(start, len(marked) - 1):
        if marked[index] == kind and marked[index + 1] == (93, False):
            return index
    return -1


def _is_repeat(marked: list[tuple[int, bool]], at: int) -> bool:
    if at >= len(marked) or marked[at] != (42, False):
        return False
    at += 1
    while at < len(marked) and 48 <= marked[at][0] <= 57 and not marked[at][1]:
        at += 1
    return at < len(marked) and marked[at] == (93, False)


def _repeat(marked: list[tuple[int, bool]], at: int) -> tuple[Part, int] | None:
    if marked[at + 2] != (42, False):
        return None
    end = at + 3
    while end < len(marked) and not marked[end][1]:
        if marked[end][0] == 93:
            break
        end += 1
    else:
        return None
    digits = bytes([byte for byte, _ in marked[at + 3 : end]]).decode("latin-1")
    character = bytes([marked[at + 1][0]])
    if not digits:
        return Part("fill", character), end + 1
    base = 8 if digits[0] == "0" else 10
    if not digits.isascii() or not digits.isdigit() or (base == 8 and digits.strip("01234567")) or len(digits) > 20:
        raise Failure(f"invalid repeat count {quoted(digits)} in [c*n] construct")
    count = int(digits, base)
    return Part("characters", character * min(count, MOST)) if count else Part("fill", character), end + 1


def expand(parts: list[Part], length: int = 0) -> bytes:
    """The characters; a `[c*]` fills up to ``length``."""
    size = sum([len(part.characters) for part in parts if part.kind != "fill"])
    out = []
    for part in parts:
        out.append(part.characters * max(0, length - size) if part.kind == "fill" else part.characters)
    return b"".join(out)


def check_second(first: list[Part], second: list[Part], length: int, complemented: bool, truncate: bool) -> None:
    """What may stand in the second string when translating, and where. ``length`` is that of the first set."""
    if any(part.kind == "equivalence" for part in second):
        raise Failure("[=c=] expressions may not appear in string2 when translating")
    if any(part.kind == "class" and part.name not in ("upper", "lower") for part in second):
        raise Failure("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
    starts, position = set(), 0
    for part in first:
        if part.kind == "class" and part.name in ("upper", "lower"):
            starts.add(position)
        position += len(part.characters)
    fill = length - len(expand(second))
    position = 0
    for part in second:
        if part.kind == "class" and position not in starts and (length or not position) and not complemented:
            raise Failure("misaligned [:upper:] and/or [:lower:] construct")
        position += max(0, fill) if part.kind == "fill" else len(part.characters)
    if second and second[-1].kind == "class" and position < length and not truncate:
        raise Failure("when translating with string1 longer than string2,\nthe latter string must not end with a character class")
