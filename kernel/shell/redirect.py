"""Redirections, applied to this process's own descriptors 0, 1 and 2 and taken back afterwards."""

from __future__ import annotations

import errno
import os

from kernel.errors import KernelError, Problem
from kernel.shell.data import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.expand import Expander
    from kernel.shell.tree import Redirect, Word

FLAGS = {
    "<": os.O_RDONLY,
    ">": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "&>": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    ">>": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
}
SAVED_FROM = 10  # descriptors that are put aside get numbers from here


class Redirections:
    """The redirections of one command. ``undo`` puts the descriptors back as they were."""

    __slots__ = ("_saved",)

    def __init__(self) -> None:
        self._saved: list[tuple[int, int]] = []

    def apply(self, redirects: list[Redirect], expander: Expander) -> None:
        """Applies them in order. Raises KernelError (status 1) for a file that cannot be opened; nothing is left changed."""
        try:
            for redirect in redirects:
                self._one(redirect, expander)
        except BaseException:
            self.undo()
            raise

    def _one(self, redirect: Redirect, expander: Expander) -> None:
        kind = redirect.kind
        if kind == ">&":
            self.point(redirect.descriptor, int(redirect.target.plain or "1"))
            return
        if kind in ("<<", "<<<"):
            from kernel import feed

            text = expander.text(redirect.target) + ("\n" if kind == "<<<" else "")
            file = feed.descriptor(text.encode("utf-8", "surrogateescape"))
        else:
            file = self._open(redirect, _target(redirect.target, expander))
        try:
            self.point(1 if kind == "&>" else redirect.descriptor, file)
            if kind == "&>":
                self.point(2, file)
        finally:
            os.close(file)

    def _open(self, redirect: Redirect, path: str) -> int:
        try:
            return os.open(path, FLAGS[redirect.kind] | os.O_CLOEXEC, 0o666)
        except (OSError, ValueError) as error:
            reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "its name holds a NUL byte"
            verb = "read" if redirect.kind == "<" else "written"
            place = redirect.source.place(redirect.start, redirect.end)
            raise KernelError([Problem("E-FILE", f"`{path}` cannot be {verb}: {reason}", place)], status=1) from None

    def point(self, descriptor: int, target: int) -> None:
        """Makes ``descriptor`` the open file that ``target`` is."""
        self._save(descriptor)
        os.dup2(target, descriptor)

    def _save(self, descriptor: int) -> None:
        import fcntl

        try:
            self._saved.append((descriptor, fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, SAVED_FROM)))
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            self._saved.append((descriptor, -1))

    def undo(self) -> None:
        """Puts everything back."""
        while self._saved:
            descriptor, kept = self._saved.pop()
            if kept < 0:
                os.close(descriptor)
            else:
                os.dup2(kept, descriptor)
                os.close(kept)


def _target(word: Word, expander: Expander) -> str:
    if word.literal is not None and not word.glob:
        return word.literal
    fields = expander.fields([word])
    if len(fields) != 1:
        place = word.source.place(word.start, word.end)
        raise KernelError([Problem("E-EXPAND", f"`{word.written}` is {len(fields)} files, where one is wanted", place)])
    return text_of(fields[0])
