"""PyYAML's own parser, for where PyYAML has no libyaml, made quicker for text that has been checked already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable


class _Parser(Reader, Scanner, Parser):
    """The overrides do what they replace does, sooner where nothing is to be done."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def check_printable(self, data: Any) -> None:
        pass

    def forward(self, length: int = 1) -> None:
        end = self.pointer + length
        passed = self.buffer[self.pointer : end]
        if "\n" in passed or "\r" in passed:
            super().forward(length)
        else:
            self.pointer = end
            self.index += length
            self.column += length

    def need_more_tokens(self) -> bool:
        if self.done:
            return False
        if not self.tokens:
            return True
        if not self.possible_simple_keys:
            return False
        self.stale_possible_simple_keys()
        return bool(self.next_possible_simple_key() == self.tokens_taken)  # type: ignore[no-untyped-call]


def event_source(text: str) -> Callable[[], Any]:
    """The function that gives the next event of a text without characters that YAML does not allow."""
    next_event: Callable[[], Any] = _Parser(text).get_event
    return next_event
