"""Bytes as a descriptor that a child reads as its stdin, without anybody having to feed it while it runs."""

from __future__ import annotations

import os


def descriptor(data: bytes) -> int:
    """A close-on-exec descriptor, never a standard one, from which exactly `data` is read; the null device for none.

    Text that fits a pipe goes through one, as it would from another program; more lies in memory (memfd), where
    the system has such files, or in a temporary file without a name. The caller closes it.
    """
    if not data:
        return above_standard(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    if len(data) <= 65536:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)  # a user past their pipe quota gets pipes of one page
        try:
            written = os.write(writer, data)
        except BlockingIOError:
            written = 0
        os.close(writer)
        if written == len(data):
            return above_standard(reader)
        os.close(reader)
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("stdin", os.MFD_CLOEXEC)
    else:
        import tempfile

        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    os.lseek(file, 0, os.SEEK_SET)
    return above_standard(file)


def above_standard(file: int) -> int:
    """The same open file on a descriptor above 2: a process started with closed streams gets those numbers first."""
    if file > 2:
        return file
    import fcntl

    moved = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(file)
    return moved
