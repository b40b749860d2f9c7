"""Backslash escapes: the set that echo, printf and tr share, each with its own rules for numbers."""

from __future__ import annotations

import re

SIMPLE = {b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v", b"\\": b"\\"}
_ECHO = re.compile(rb"\\(?:([abefnrtv\\])|(c)|0([0-7]{0,3})|([1-7][0-7]{0,2})|x([0-9a-fA-F]{1,2}))")


def echo(text: bytes) -> tuple[bytes, bool]:
    """Text with echo's escapes replaced, and whether `\\c` ended the output. Unknown escapes stay as they are."""
    out: list[bytes] = []
    at = 0
    for found in _ECHO.finditer(text):
        out.append(text[at : found.start()])
        at = found.end()
        simple, stop, zero, octal, hexadecimal = found.groups()
        if stop:
            return b"".join(out), True
        if simple:
            out.append(SIMPLE[simple])
        elif hexadecimal:
            out.append(bytes([int(hexadecimal, 16)]))
        else:
            out.append(bytes([int(octal or zero or b"0", 8) & 255]))
    out.append(text[at:])
    return b"".join(out), False
