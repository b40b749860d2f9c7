"""A call after binding: each param's value, the text it was written as, and where it came from."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kernel.errors import Problem
    from kernel.spec import ToolSpec


NOTHING: Mapping[str, Any] = {}  # what a field that few calls fill starts as


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

    ``values`` and ``texts`` have the same shapes: a plain param has one value and one text, a repeatable a list of
    each, an N-tuple a list of lists. ``origins`` says `argv`, `json`, `env` or `default` for each param that has a
    value; ``values`` alone also holds the `False`, `0` and `[]` that `check` gives to what has none.
    ``hidden`` keeps the variable and the default that a value replaced: (origin, text) pairs by param; occurrences
    that a later one replaced (O1) are marked in ``trace``.
    ``takes`` are the occurrences as bind noted them: (param, spelling, word index, whether a text is attached to
    that word, how many words after it), spelling "" for an operand; ``trace`` shows them as records.
    ``commands`` are the indices of the words that named subcommands.
    ``problems`` are the faults found so far: `bind` goes on after one, `check` raises them all together (U1).
    ``faulted`` names the params that a problem already speaks of, with the entries of their lists (0 for a single
    value) that could not be read, so that no later stage complains again.
    ``dropped`` are the occurrences of a `unique_by` param that lost to another (O5).
    ``passed`` are the words that `unknown_flags: pass` let through and the operands, in order, with `--` where typed.
    """

    __slots__ = (
        "by_json",
        "commands",
        "dropped",
        "faulted",
        "hidden",
        "origins",
        "passed",
        "problems",
        "separator",
        "spec",
        "takes",
        "texts",
        "values",
        "words",
    )

    def __init__(self, spec: ToolSpec, words: list[str] | None = None) -> None:
        self.spec = spec
        self.words: list[str] = words if words is not None else []
        self.values: dict[str, Any] = {}
        self.texts: dict[str, Any] = {}
        self.origins: dict[str, str] = {}
        self.hidden: dict[str, list[tuple[str, Any]]] = {}
        self.takes: list[tuple[str, str, int, bool, int]] = []
        self.commands: tuple[int, ...] = ()
        self.passed: Sequence[str] = ()
        self.problems: list[Problem] = []
        self.faulted: dict[str, set[int]] = {}
        self.dropped: Mapping[str, set[int]] = NOTHING
        self.by_json = False  # the values came by name: messages then speak of params, not of flags
        self.separator = -1  # index of the `--` that ended the flags, or -1

    def has(self, name: str) -> bool:
        """Whether the param has a value (manifest.md): given or defaulted; an empty list never gets an origin."""
        return name in self.origins

    @property
    def output(self) -> str:
        """The kind of output that the manifest declares, `text` where a flag such as `--raw-output` asks for that."""
        raw = any(value is True and name.startswith("raw") and name != "raw_input" for name, value in self.values.items())
        return "text" if raw and self.spec.output in ("json", "jsonl") else self.spec.output

    def deprecations(self) -> list[str]:
        """A line for the caller about a deprecated tool, and about each deprecated param that was given."""
        spec = self.spec
        lines = [f"`{spec.full_name}` is deprecated: {spec.deprecated}"] if spec.deprecated else []
        for param in spec.params:
            if param.deprecated and self.origins.get(param.name, "default") != "default":
                lines.append(f"`{param.name}` is deprecated: {param.deprecated}")
        return lines

    @property
    def trace(self) -> list[Trace]:
        """The occurrences in the order of the words, empty for JSON; built anew at each access."""
        singles = {param.name for param in self.spec.params if not param.repeatable and not param.count}
        seen: dict[str, int] = {}
        kept: dict[str, int] = {}
        latest: dict[str, Trace] = {}
        out: list[Trace] = []
        for name, spelling, index, attached, count in sorted(self.takes, key=_position):
            if not spelling:
                words = [-1, *range(index, index + count)]
            else:
                words = [index, *([index] if attached else ()), *range(index + 1, index + 1 + count)]
            trace = Trace(name, spelling, words)
            out.append(trace)
            if name in singles:
                if name in latest:
                    latest[name].hidden = True
                latest[name] = trace
                continue
            occurrence = seen.get(name, 0)
            seen[name] = occurrence + 1
            trace.hidden = occurrence in self.dropped.get(name, ())
            trace.entry = kept.get(name, 0)
            kept[name] = trace.entry + (not trace.hidden)
        return out


def _position(take: tuple[str, str, int, bool, int]) -> int:
    return take[2]
