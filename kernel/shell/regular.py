"""Regular expressions of `=~`: POSIX extended, on the engine of `grep`."""

from __future__ import annotations

from kernel.builtins.posix_regex import RegexError, parse
from kernel.builtins.regex_match import Matcher

KEPT = 100  # compiled patterns
_made: dict[str, Matcher] = {}


class Unreadable(Exception):
    """A pattern that is none, and why."""


def search(pattern: str, text: str) -> bool:
    """Whether the pattern matches somewhere in the text. Raises Unreadable."""
    matcher = _made.get(pattern)
    if matcher is None:
        try:
            matcher = Matcher(parse(pattern, extended=True), utf8=True, fold=False, newline="")
        except RegexError as error:
            raise Unreadable(str(error)) from None
        if len(_made) >= KEPT:
            _made.clear()
        _made[pattern] = matcher
    return matcher.matches(text)
