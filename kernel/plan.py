"""What will be run, before anything runs: argv in pieces, environment, directory, stdin, limits, effect."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ToolSpec


class Piece:
    """A run of text in an argv item: literal (``param`` is "") or a param's value."""

    __slots__ = ("param", "slot", "text")

    def __init__(self, text: str, param: str = "", slot: int = 0) -> None:
        self.text = text
        self.param = param
        self.slot = slot


class Item:
    """One argv item. ``judged`` is False where the dash guard has nothing to say (running.md X8)."""

    __slots__ = ("judged", "pieces")

    def __init__(self, pieces: list[Piece], judged: bool = True) -> None:
        self.pieces = pieces
        self.judged = judged

    def text(self) -> str:
        return "".join([piece.text for piece in self.pieces])


class Plan:
    """The finished plan of one call. ``items[0]`` is the program as written in the manifest.

    ``stdin`` is "caller", "none", or the pieces of the text to send. ``builtin`` is the name of the builtin that
    runs instead of a program, or "". ``env`` maps names to the pieces of their values (added to, or taken from, the caller's).
    ``effect`` is read, write or destructive after the params have raised it.
    """

    __slots__ = ("bound", "builtin", "cwd", "effect", "env", "items", "spec", "stdin", "timeout")

    def __init__(self, spec: ToolSpec, bound: Bound) -> None:
        self.spec = spec
        self.bound = bound
        self.items: list[Item] = []
        self.builtin = ""
        self.env: dict[str, list[Piece]] = {}
        self.cwd = ""  # absolute, or "" for the caller's
        self.stdin: str | list[Piece] = "caller"
        self.timeout = 0.0
        self.effect = "write"

    def argv(self) -> list[str]:
        return [item.text() for item in self.items]

    def masked(self) -> list[str]:
        """argv with every secret's pieces shown as `***` (X6: by piece, never by searching text)."""
        secret = {param.name for param in self.spec.params if param.secret}
        return ["".join(["***" if piece.param in secret else piece.text for piece in item.pieces]) for item in self.items]

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON-able data, secrets masked: {tool, argv, env, cwd, stdin, timeout, effect, builtin}."""
        secret = {param.name for param in self.spec.params if param.secret}

        def shown(pieces: list[Piece]) -> str:
            return "".join(["***" if piece.param in secret else piece.text for piece in pieces])

        return {
            "tool": self.spec.full_name,
            "argv": self.masked(),
            "builtin": self.builtin or None,
            "env": {name: shown(pieces) for name, pieces in self.env.items()},
            "cwd": self.cwd or None,
            "stdin": self.stdin if isinstance(self.stdin, str) else {"text": shown(self.stdin)},
            "timeout": self.timeout or None,
            "effect": self.effect,
        }
