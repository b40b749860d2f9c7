"""base64: bytes as printable text, and back."""

from __future__ import annotations

import binascii

from kernel.builtins.guard import Failure, InputError, guarded
from kernel.builtins.lines import chunks, close_input, open_input
from kernel.builtins.quoting import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

LONGEST = 2**63 - 1  # longer lines than any are not ended
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 for a file that cannot be read, and for text that is no base64."""
    values = bound.values
    name = values.get("file", "-")
    wrap = values.get("wrap", 76)
    if wrap > LONGEST:
        wrap = 0
    descriptor = open_input(io, name)
    if descriptor < 0:
        return 1
    try:
        if values["decode"]:
            return decode(io, descriptor, garbage=bool(values["ignore_garbage"]))
        encode(io, descriptor, wrap)
    except InputError as error:
        raise Failure(f"read error: {error}" if name == "-" else f"{file_name(name)}: {error}", 1) from None
    finally:
        close_input(io, descriptor)
    return 0


def encode(io: Io, descriptor: int, wrap: int) -> None:
    """Lines of ``wrap`` characters; one unfinished line for 0."""
    rest = text = b""
    for chunk in chunks(io, descriptor):
        data = rest + chunk
        cut = len(data) - len(data) % 3
        rest = data[cut:]
        text = _wrapped(io, text + binascii.b2a_base64(data[:cut], newline=False), wrap)
    text = _wrapped(io, text + binascii.b2a_base64(rest, newline=False), wrap)
    if text:
        io.write(text + (b"\n" if wrap else b""))


def _wrapped(io: Io, text: bytes, wrap: int) -> bytes:
    """Writes the whole lines of text and returns what is left of it."""
    if not wrap:
        io.write(text)
        return b""
    whole = len(text) - len(text) % wrap
    io.write(b"".join([text[at : at + wrap] + b"\n" for at in range(0, whole, wrap)]))
    return text[whole:]


def decode(io: Io, descriptor: int, *, garbage: bool) -> int:
    """What comes before the first fault is written all the same."""
    unwanted = bytes(sorted(set(range(256)) - set(ALPHABET))) if garbage else b"\n"
    rest = b""
    for chunk in chunks(io, descriptor):
        text = rest + chunk.translate(None, unwanted)
        cut = len(text) - len(text) % 4
        rest = text[cut:]
        if not _decoded(io, text[:cut]):
            return _invalid(io)
    if rest:
        _decoded(io, rest)
        return _invalid(io)
    return 0


def _decoded(io: Io, text: bytes) -> bool:
    """Writes the groups of four; whether they were all sound. Padding may end any group, as files may be joined."""
    at = 0
    while at < len(text):
        end = text.find(b"=", at)
        end = len(text) if end < 0 else end - end % 4
        try:
            io.write(binascii.a2b_base64(text[at:end], strict_mode=True))
        except binascii.Error:
            return _group_by_group(io, text[at:end])
        if end == len(text):
            return True
        if not _group_by_group(io, text[end : end + 4]):
            return False
        at = end + 4
    return True


def _group_by_group(io: Io, text: bytes) -> bool:
    for at in range(0, len(text), 4):
        group = text[at : at + 4]
        sound = 0
        while sound < len(group) and group[sound] in ALPHABET[:64]:
            sound += 1
        bits = int.from_bytes(binascii.a2b_base64(group[:sound].ljust(4, b"A"), strict_mode=True), "big")
        io.write(bits.to_bytes(3, "big")[: max(sound - 1, 0)])
        if sound < 4 and (sound < 2 or group[sound:] != b"=" * (4 - sound)):
            return False
    return True


def _invalid(io: Io) -> int:
    io.complain("invalid input")
    return 1
