"""Typed reading of the marked tree: every taker reports a breach with its place and returns None for it."""

from __future__ import annotations

from kernel.errors import KernelError, Place, Problem
from kernel.template import MAX_NEAR, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from kernel.manifest import Node
    from kernel.template import TemplateError

LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGITS = frozenset("0123456789")
WORD = LETTERS | DIGITS | {"_"}
NAME = WORD | {"-"}
_LOWER_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_DURATIONS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LISTED = 12  # names in one message
_KINDS = {"map": "a mapping", "list": "a list"}


def is_param_name(text: str) -> bool:
    """N5: `[A-Za-z_][A-Za-z0-9_-]{0,63}`."""
    return 0 < len(text) <= 64 and text[0] in WORD and text[0] not in DIGITS and NAME.issuperset(text)


def is_tool_name(text: str) -> bool:
    """`^[a-z][a-z0-9_-]{0,39}$`."""
    return 0 < len(text) <= 40 and text[0].isalpha() and _LOWER_NAME.issuperset(text)


def is_variable(text: str) -> bool:
    """An environment variable's name: letters, digits and `_`, no digit first."""
    return bool(text) and text[0] not in DIGITS and WORD.issuperset(text)


def listing(names: Iterable[str]) -> str:
    """Names in backticks, for a sentence: `a`, `b` or `c`."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]


def foul_character(text: str, *, lines: bool = False) -> str:
    """The first control or bidi character of `text` as an escape, "" for none; `lines` allows line feeds."""
    if text.isprintable():
        return ""  # format and control characters are not printable
    for character in text:
        code = ord(character)
        if (code < 32 and not (lines and character == "\n")) or 127 <= code < 160 or character in _BIDI or 0x2028 <= code <= 0x2029:
            return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return ""


class Reader:
    """Takes typed values from the tree of one file and keeps what is wrong with it."""

    def __init__(self, faults: Collection[Problem] = ()) -> None:
        self.faults = faults  # of the YAML: what follows from one in its own line is not told again
        self.problems: list[Problem] = []

    def finish(self) -> None:
        """Raises KernelError with all problems, in the order of the file."""
        lines = {problem.where.line for problem in self.faults if isinstance(problem.where, Place)}
        fresh = [problem for problem in self.problems if not isinstance(problem.where, Place) or problem.where.line not in lines]
        problems = [*self.faults, *fresh]
        if problems:
            seen: dict[tuple[Any, ...], Problem] = {}
            for problem in problems:
                where = problem.where
                key = (where.line, where.column) if isinstance(where, Place) else (0, 0)
                seen.setdefault((*key, problem.message), problem)
            raise KernelError([seen[key] for key in sorted(seen, key=lambda key: key[:2])])

    def place(self, node: Node, start: int = 0, width: int = 0) -> Place | None:
        """Where a node stands; with a width, the part of a scalar that begins `start` characters into its text."""
        if not node.line:
            return None
        if width and node.kind == "scalar":
            line = node.source.line_text(node.line)
            for opening in ("", '"', "'"):
                if line.startswith(opening + node.text, node.column - 1):
                    return node.source.place(node.line, node.column + len(opening) + start, width)
        return node.place()

    def problem(
        self, node: Node, message: str, hint: str = "", *, code: str = "E-MANIFEST", start: int = 0, width: int = 0, **facts: Any
    ) -> None:
        """Keeps one breach at a node."""
        self.problems.append(Problem(code, message, self.place(node, start, width), hint, **facts))

    def template_fault(self, node: Node, error: TemplateError) -> None:
        """Keeps a breach of a template at the item it stands in."""
        self.problem(node, error.message, error.hint, code="E-TEMPLATE", start=error.start, width=error.width)

    def unwanted(self, node: Node, key: str, wanted: str, hint: str = "") -> None:
        """Keeps "`key` wants …, got …"."""
        self.problem(node, f"`{key}` wants {wanted}, got {self.shown(node)}", hint, wanted=wanted)

    def shown(self, node: Node) -> str:
        """What a node is, for a sentence."""
        if node.kind != "scalar":
            return _KINDS[node.kind] if node.items else _KINDS[node.kind].replace("a ", "an empty ")
        text = node.text if len(node.text) <= 60 else node.text[:57] + "…"
        return f"`{text}`" if text else "an empty text"

    def near_hint(self, name: str, names: Collection[str]) -> tuple[str, list[str]]:
        """(hint, near names): did you mean …, or all that is allowed."""
        close = nearest(name, names) if len(self.problems) <= MAX_NEAR else []
        if close:
            return f"did you mean {listing(close)}?", close
        shown = [f"`{known}`" for known in names]
        return (f"use one of {', '.join(shown[:_LISTED])}{', …' if len(shown) > _LISTED else ''}" if shown else ""), []

    # Takers

    def fields(self, node: Node, known: Collection[str], what: str) -> dict[str, Node]:
        """A mapping's values by key; unknown keys are reported, `x-…` ones ignored."""
        if node.kind != "map":
            self.problem(node, f"{what} is a mapping of keys, got {self.shown(node)}", "write `key: value` lines")
            return {}
        found = {}
        for key, value in node.items:
            name = key.text
            if name in known:
                found[name] = value
            elif not name.startswith("x-"):
                hint, close = self.near_hint(name, known)
                self.problem(key, f"{what} has no key `{name}`", hint, near=close)
        return found

    def pairs(self, node: Node, key: str) -> list[tuple[Node, Node]]:
        """The (key, value) nodes of a mapping."""
        if node.kind != "map":
            self.unwanted(node, key, "a mapping")
            return []
        return list(node.items)

    def sequence(self, node: Node, key: str, *, empty: bool = True) -> list[Node]:
        """The nodes of a list."""
        if node.kind != "list":
            self.unwanted(node, key, "a list", "write `[…]` or a line with `- ` for each")
            return []
        if not node.items and not empty:
            self.problem(node, f"`{key}` is an empty list", "leave the key out, or list something")
        return list(node.items)

    def text(self, node: Node, key: str, *, empty: bool = False, lines: bool = False, free: bool = False) -> str | None:
        """Text. A plain scalar that every YAML reads alike is its own text; `free` allows control characters."""
        if node.kind != "scalar" or not node.own_text:
            self.unwanted(node, key, "text", f'quote it: "{node.text}"' if node.kind == "scalar" else "")
            return None
        text: str = node.text
        if not text and not empty:
            self.problem(node, f"`{key}` is empty", "leave the key out, or say something")
            return None
        foul = "" if free else foul_character(text, lines=lines)
        if foul:
            self.problem(node, f"`{key}` holds the character `{foul}`, which would change how it is shown", "take it out")
            return None
        return text

    def texts(self, node: Node, key: str, *, empty: bool = False, free: bool = False) -> tuple[str, ...]:
        """A list of texts."""
        found = [self.text(entry, key, empty=empty, free=free) for entry in self.sequence(node, key)]
        return tuple([text for text in found if text is not None])

    def flag(self, node: Node, key: str) -> bool:
        """`true` or `false`, nothing else; False where it is neither."""
        if node.sort != "bool":
            meant = {"y": "true", "yes": "true", "on": "true", "n": "false", "no": "false", "off": "false"}
            word = node.text.lower() if node.kind == "scalar" else ""
            hint = "write it without quotes" if word in ("true", "false") else f"write `{meant[word]}`" if word in meant else ""
            self.unwanted(node, key, "`true` or `false`", hint)
            return False
        return node.text == "true"

    def integer(self, node: Node, key: str, least: int = 0, hint: str = "") -> int | None:
        """A whole number of at least `least`."""
        if node.sort != "int" or len(node.text) > 18 or int(node.text) < least:
            self.unwanted(node, key, f"a whole number, {least} or more", hint)
            return None
        return int(node.text)

    def word(self, node: Node, key: str, allowed: Collection[str]) -> str | None:
        """One of a set of words."""
        if node.kind == "scalar" and node.text in allowed:
            return node.text
        hint, close = self.near_hint(node.text, allowed) if node.kind == "scalar" else ("", [])
        if len(allowed) > _LISTED:
            self.problem(node, f"`{key}` knows no {self.shown(node)}", hint, near=close)
        else:
            self.problem(node, f"`{key}` is {listing(allowed)}, got {self.shown(node)}", hint if close else "", near=close)
        return None

    def variable(self, node: Node, key: str) -> str | None:
        """The name of an environment variable."""
        if node.kind == "scalar" and is_variable(node.text):
            return node.text
        self.unwanted(node, key, "a variable's name (letters, digits, `_`)")
        return None

    def duration(self, node: Node, key: str) -> float:
        """Seconds, from digits and `ms`, `s`, `m` or `h`; 0.0 where it is none."""
        text = node.text if node.kind == "scalar" else ""
        digits = text.rstrip("msh")
        factor = _DURATIONS.get(text[len(digits) :])
        if factor is None or not (0 < len(digits) <= 9 and DIGITS.issuperset(digits)) or not int(digits):
            bare = DIGITS.issuperset(digits) and digits == text and text
            self.unwanted(
                node,
                key,
                "a duration (digits and `ms`, `s`, `m` or `h`, more than nothing)",
                f"a bare number has no unit: write `{text}s`" if bare else "",
            )
            return 0.0
        return int(digits) * factor

    def size(self, node: Node, key: str) -> int | None:
        """Bytes, from digits and `B`, `KiB`, `MiB` or `GiB`."""
        text = node.text if node.kind == "scalar" else ""
        digits = text.rstrip("BKMGi")
        factor = _SIZES.get(text[len(digits) :])
        if factor is None or not (0 < len(digits) <= 12 and DIGITS.issuperset(digits)):
            bare = DIGITS.issuperset(digits) and digits == text and text
            self.unwanted(
                node,
                key,
                "a size (digits and `B`, `KiB`, `MiB` or `GiB`)",
                f"a bare number has no unit: write `{text}B`" if bare else "",
            )
            return None
        return int(digits) * factor

    def data(self, node: Node) -> Any:
        """A node as plain data: text, int, float, bool, None, list, dict."""
        if node.kind == "map":
            return {key.text: self.data(value) for key, value in node.items}
        if node.kind == "list":
            return [self.data(entry) for entry in node.items]
        return node.value
