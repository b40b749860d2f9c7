"""Reading: operands as descriptors, descriptors as blocks of whole records, records one by one."""

from __future__ import annotations

import os

from kernel.builtins.guard import InputError, reason
from kernel.builtins.quoting import file_name, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernel.builtins.io import Io

SIZE = 131072
PLAIN = ("%s", "%s")
CANNOT_OPEN = ("cannot open %s for reading", "error reading %s")  # head's and tail's words for the two failures


def for_each_input(
    io: Io, operands: Sequence[str], work: Callable[[str, int], None], failure: int = 1, wording: tuple[str, str] = PLAIN
) -> int:
    """Calls ``work(operand, descriptor)`` for each operand; `-`, or no operand at all, is stdin.

    An operand that cannot be opened or read is complained about, in the two forms of ``wording``, and the next one
    taken. Returns 0, or ``failure``.
    """
    status = 0
    io.expect(operands or ("-",))
    for operand in operands or ("-",):
        descriptor = open_input(io, operand, wording[0])
        if descriptor < 0:
            status = failure
            continue
        try:
            work(operand, descriptor)
        except InputError as error:
            io.complain(f"{named(operand, wording[1])}: {error}")
            status = failure
        finally:
            close_input(io, descriptor)
    return status


def named(operand: str, form: str) -> str:
    """An operand in a message: bare where it stands alone, in quotes inside a sentence."""
    return file_name(operand) if form == "%s" else form % quoted(operand)


def open_input(io: Io, operand: str, form: str = "%s") -> int:
    """A descriptor to read the operand from, or -1 after a complaint."""
    try:
        descriptor = io.stdin if operand == "-" else os.open(io.path(operand), os.O_RDONLY | os.O_CLOEXEC)
        io.begin(operand, descriptor)
        return descriptor
    except OSError as error:
        io.complain(f"{named(operand, form)}: {reason(error)}")
    except ValueError:  # a NUL byte: no such name can exist
        io.complain(f"{named(operand, form)}: No such file or directory")
    return -1


def close_input(io: Io, descriptor: int) -> None:
    io.end(descriptor)
    if descriptor != io.stdin:
        os.close(descriptor)


def fill(descriptor: int, buffer: bytearray) -> int:
    """Reads into a buffer's beginning: how many bytes there are now, 0 at the end. Raises InputError."""
    try:
        while True:
            try:
                return os.readv(descriptor, [buffer])
            except BlockingIOError:
                import select

                select.select([descriptor], [], [])
    except OSError as error:
        raise InputError(reason(error)) from None


def read(descriptor: int, size: int = SIZE) -> bytes:
    """What is there to read, b"" at the end. Raises InputError."""
    try:
        while True:
            try:
                return os.read(descriptor, size)
            except BlockingIOError:
                import select

                select.select([descriptor], [], [])
    except OSError as error:
        raise InputError(reason(error)) from None


def chunks(io: Io, descriptor: int, size: int = SIZE) -> Iterator[bytes]:
    """The data as it comes. On a terminal each chunk's output is shown before the next one is waited for."""
    terminal = os.isatty(io.stdout)
    while True:
        if terminal:
            io.flush()
        chunk = read(descriptor, size)
        if not chunk:
            return
        yield chunk


def blocks(io: Io, descriptor: int, end: bytes = b"\n", size: int = SIZE) -> Iterator[bytes]:
    """The data cut behind a record's end: every block but the last ends with ``end``, the last perhaps not."""
    kept: list[bytes] = []
    for chunk in chunks(io, descriptor, size):
        cut = chunk.rfind(end) + 1
        if not cut:
            kept.append(chunk)
            continue
        if kept:
            kept.append(chunk[:cut])
            yield b"".join(kept)
            kept.clear()
        else:
            yield chunk[:cut]
        if cut < len(chunk):
            kept.append(chunk[cut:])
    if kept:
        yield b"".join(kept)


def split(block: bytes, end: bytes = b"\n") -> list[bytes]:
    """The records of a block without their ends; an unfinished last record counts as one."""
    parts = block.split(end)
    if not parts[-1]:
        parts.pop()
    return parts


def records(io: Io, descriptor: int, end: bytes = b"\n") -> Iterator[bytes]:
    """The records without their ends."""
    for block in blocks(io, descriptor, end):
        yield from split(block, end)
