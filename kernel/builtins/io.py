"""What a builtin may touch: its streams, directory, environment, and other tools by ``call``."""

from __future__ import annotations

import os

from kernel.environment import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kernel.builtins.link import Link
    from kernel.builtins.watch import Watch


class Io:
    """Handed to ``run(bound, io)``. ``stdin``, ``stdout`` and ``stderr`` are descriptors; use the methods to write.

    ``name`` is the name the tool was called by, for messages. ``cwd`` is absolute: resolve operands with ``path``.
    ``call(words)`` runs another tool with the same streams and returns its status. ``alone`` is True where this process
    was started for this one call and ends with it: only then may a builtin change what belongs to the process.
    ``source`` and ``sink`` are there where the call before or behind it in a pipeline runs in this process too and the
    two speak in JSON values: they are read and written in place of stdin and stdout.
    ``watch`` is there where somebody waits at a prompt and is to see how far the call is: ``expect``, ``begin`` and
    ``end`` tell it what is read.
    """

    __slots__ = (
        *("_out", "_size", "_told", "alone", "call", "cwd", "env", "name"),
        *("sink", "source", "stderr", "stdin", "stdout", "watch"),
    )

    def __init__(
        self,
        name: str,
        env: Mapping[str, str],
        cwd: str,
        call: Callable[[list[str]], int],
        stdin: int = 0,
        stdout: int = 1,
        stderr: int = 2,
        *,
        alone: bool = False,
    ) -> None:
        self.name = name
        self.env = env
        self.cwd = cwd
        self.call = call
        self.alone = alone
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.source: Link | None = None
        self.sink: Link | None = None
        self.watch: Watch | None = None
        self._told = True  # whether the watch is told what is read
        self._out: list[bytes] = []
        self._size = 0

    def path(self, text: str) -> str:
        """An operand as a path of this process: relative ones are the caller's."""
        return os.path.join(self.cwd, text) if text else ""

    def write(self, data: bytes) -> None:
        """Buffered output; flushed at 64 KiB and by ``flush``."""
        self._out.append(data)
        self._size += len(data)
        if self._size >= 65536:
            self.flush()

    def flush(self) -> None:
        """Writes out what is buffered. A reader that went away raises BrokenPipeError (dispatch ends quietly then)."""
        data = b"".join(self._out)
        self._out.clear()
        self._size = 0
        self.put(self.stdout, data)

    def put(self, descriptor: int, data: bytes) -> None:
        """Writes at once, past the buffer. Whatever a builtin writes where it could be seen goes through here."""
        if self.watch is None:
            write_all(descriptor, data)
        else:
            self.watch.write(descriptor, data)

    def discard(self) -> None:
        """Forgets what is buffered: it cannot be written."""
        self._out.clear()
        self._size = 0

    def complain(self, message: str) -> None:
        """One line on stderr behind the tool's name, as GNU tools write it; output so far goes first."""
        self.flush()
        try:
            self.put(self.stderr, f"{self.name}: {message}\n".encode("utf-8", "surrogateescape"))
        except OSError:
            pass

    def expect(self, operands: Sequence[str], *, trees: bool = False, follow: bool = False) -> None:
        """Says which files will be read (`-` is stdin), all of them and to their ends; with ``trees`` those below directories."""
        if self.watch is not None and self._told:
            files = [self.stdin if each == "-" else self.path(each) for each in operands]
            self.watch.expect(files, trees=trees, follow=follow)

    def begin(self, name: str, descriptor: int) -> None:
        """A file is read from now on."""
        if self.watch is not None and self._told:
            self.watch.begin(name, descriptor)

    def end(self, descriptor: int) -> None:
        """A file is not read any more; to be said before it is closed."""
        if self.watch is not None:
            self.watch.end(descriptor)

    def hold(self) -> None:
        """Nothing is drawn until ``release``: something is asked, or takes long in one piece."""
        if self.watch is not None:
            self.watch.hold()

    def release(self) -> None:
        if self.watch is not None:
            self.watch.release()

    def tell_nothing(self) -> None:
        """How far the call is does not follow from how much of its input was read."""
        self._told = False
