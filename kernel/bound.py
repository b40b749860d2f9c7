"""A call after binding: each param's value, the text it was written as, and where it came from."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.errors import Problem
    from kernel.spec import ToolSpec


class Trace:
    """What one occurrence of a param took, and from where.

    ``words`` are indices into the call's words: the flag's own word first (-1 when the operand has none), then
    those of its values. ``spelling`` is the flag as typed ("" for an operand). ``hidden`` marks an occurrence that
    a later one replaced (O1). ``entry`` is the occurrence's place in the param's list (0 when it has no list).
    """

    __slots__ = ("entry", "hidden", "param", "spelling", "words")

    def __init__(self, param: str, spelling: str, words: list[int], entry: int = 0) -> None:
        self.param = param
        self.spelling = spelling
        self.words = words
        self.entry = entry
        self.hidden = False


class Bound:
    """The result of `bind` or `bind_json`, completed by `check` with env values and defaults.

    ``values`` and ``texts`` have the same keys (canonical param names) and the same shapes: a plain param has one
    value and one text, a repeatable a list of each, an N-tuple a list of lists. ``origins`` says `argv`, `json`,
    `env` or `default` for each key. ``hidden`` keeps what a value replaced: (origin, text) pairs by param.
    ``trace`` lists occurrences in the order of the words (empty for JSON).
    ``problems`` are the faults found so far: `bind` goes on after one, `check` raises them all together (U1).
    ``passed`` are the words that `unknown_flags: pass` let through and the operands, in order, with `--` where typed.
    """

    __slots__ = ("hidden", "origins", "passed", "problems", "separator", "spec", "texts", "trace", "values", "words")

    def __init__(self, spec: ToolSpec, words: list[str] | None = None) -> None:
        self.spec = spec
        self.words: list[str] = words if words is not None else []
        self.values: dict[str, Any] = {}
        self.texts: dict[str, Any] = {}
        self.origins: dict[str, str] = {}
        self.hidden: dict[str, list[tuple[str, Any]]] = {}
        self.trace: list[Trace] = []
        self.passed: list[str] = []
        self.problems: list[Problem] = []
        self.separator = -1  # index of the `--` that ended the flags, or -1

    def has(self, name: str) -> bool:
        """Whether the param has a value (manifest.md): given or defaulted, and not an empty list."""
        return name in self.values and self.values[name] != []
