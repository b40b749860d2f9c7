"""The mark that each call's environment carries, by which everything it has started can be found (running.md X3)."""

from __future__ import annotations

import posix

MARK = "KERNEL_CALL"


def new_mark() -> str:
    """A mark that no other call has."""
    return posix.urandom(8).hex()


def marked(inherited: str, mark: str) -> str:
    """The value of KERNEL_CALL in a call's environment: a call inside a call carries the outer marks as well."""
    return f"{inherited}:{mark}" if inherited else mark
