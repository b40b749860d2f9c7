"""What one stream of a child brings: the first bytes, a tail, a count, and on wish the whole of it in a file (X4)."""

from __future__ import annotations

import os

TAIL = 64 * 1024  # bytes of the end that are kept of a stream longer than its cap
ROOM = 256 * 1024  # bytes of the buffer for what is past the cap: it fits a processor's cache, which more would not
FULL_PIPE = 1 << 20
FIRST = 4096  # bytes of room at the start; most streams need no more
SMALL_PIPE = 64 * 1024  # bytes that a pipe holds as the system makes it


class Stream:
    """Reads a pipe into one buffer. Memory stays at the cap and one buffer more however much there is to read.

    ``size`` counts all bytes read; ``head()`` are the first ``limit`` of them, ``tail()`` the last ones behind those.
    """

    __slots__ = ("_end", "_filled", "_head", "_past", "_spill", "descriptor", "limit", "size", "spill", "spill_directory")

    def __init__(self, descriptor: int, limit: int, spill_directory: str = "") -> None:
        self.descriptor = descriptor
        self.limit = limit
        self.size = 0
        self.spill: str | None = None  # the path of the file with the whole stream
        self.spill_directory = spill_directory
        self._spill = -1
        self._head = bytearray(min(limit, FIRST))
        self._filled = 0
        self._past: bytearray | None = None  # what came behind the head; its last bytes are the tail
        self._end = 0

    def read(self) -> bool:
        """Takes what the pipe has (blocking when it has nothing); False at its end."""
        head = self._head
        if self._filled < self.limit:
            if self._filled == len(head):
                grown = bytearray(min(self.limit, max(len(head) * 4, SMALL_PIPE)))
                grown[: self._filled] = head
                self._head = head = grown
            count = os.readv(self.descriptor, [memoryview(head)[self._filled :]])
            self._filled += count
            if self.size < SMALL_PIPE <= self.size + count:
                self._widen()
            self.size += count
            return count > 0
        past = self._past
        if past is None:
            if self.limit < SMALL_PIPE:
                self._widen()
            past = self._past = bytearray(ROOM)
            self._open_spill()
        if self._end > ROOM - TAIL:
            past[:TAIL] = past[self._end - TAIL : self._end]
            self._end = TAIL
        view = memoryview(past)[self._end :]
        count = os.readv(self.descriptor, [view])
        self._end += count
        self.size += count
        if count and self._spill >= 0:
            self._write_spill(view[:count])
        return count > 0

    def _widen(self) -> None:
        """Lets the pipe hold 1 MiB from now on, where the system grants it: the child of a long stream waits less."""
        try:
            import fcntl

            fcntl.fcntl(self.descriptor, fcntl.F_SETPIPE_SZ, FULL_PIPE)
        except (AttributeError, OSError):
            pass

    def drain(self) -> None:
        """Takes what is in the pipe now, without waiting, and no more than a full pipe holds."""
        os.set_blocking(self.descriptor, False)
        most = self.size + FULL_PIPE
        try:
            while self.size < most and self.read():
                pass
        except BlockingIOError:
            pass

    def close(self) -> None:
        os.close(self.descriptor)
        if self._spill >= 0:
            os.close(self._spill)
            self._spill = -1

    @property
    def truncated(self) -> bool:
        return self.size > self.limit

    def head(self) -> bytes:
        return bytes(memoryview(self._head)[: self._filled])

    def tail(self) -> bytes:
        """Up to 64 KiB of the last bytes, none of which is in the head."""
        return b"" if self._past is None else bytes(self._past[max(self._end - TAIL, 0) : self._end])

    def _open_spill(self) -> None:
        if self.spill_directory:
            from kernel import spill

            opened = spill.create(self.spill_directory)
            if opened is not None:
                self._spill, self.spill = opened
                self._write_spill(memoryview(self._head))

    def _write_spill(self, data: memoryview) -> None:
        from kernel import spill

        if not spill.write(self._spill, data):
            # no room: a file that lacks its end would be taken for the whole
            os.close(self._spill)
            self._spill = -1
            if self.spill is not None:
                spill.remove(self.spill)
            self.spill = None
