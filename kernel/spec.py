"""What a compiled tool is: plain records that every stage reads and no stage changes.

A record packs to nested tuples of plain values (what ``marshal`` stores) and unpacks from them. Field order is
the order of ``__slots__``; ``store`` keeps the format number that must change with it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

# A template item (``exec``), compiled at load by ``template``; a piece is literal text or (param name, slot index
# or -1 for the whole value):
#   ("text", (piece, …))      one argv item
#   ("splice", name)          `{name*}`: one item per value
#   ("rest", level)           `{*}`: the params with `in_rest` that the node of this depth declares
#   ("group", (item, …), (condition, …), multiplier)
#       condition: (wanted: bool, name) for `{?name}` / `{!name}`; multiplier: name of the repeatable (plain or
#       N-tuple) whose occurrences repeat the group, or of the count that repeats it so many times, or ""
# A param with `delimiter` is one word wherever `{name}` stands, so it never multiplies; `{name*}` writes its entries.
# A value of a param with `split` is one word as well: piece (name, -1).
Piece = "str | tuple[str, int]"


def first_sentence(text: str) -> str:
    """What lists show of a description: its first sentence, without the period. One between backticks ends none."""
    line = text.split("\n", 1)[0]
    end = line.find(". ")
    while end > 0 and line.count("`", 0, end) % 2:
        end = line.find(". ", end + 1)
    return line[:end] if end > 0 else line.removesuffix(".")


class Record:
    """Base of the records: keyword construction, packing, equality."""

    __slots__: tuple[str, ...] = ()
    DEFAULTS: dict[str, Any] = {}

    def __init__(self, **values: Any) -> None:
        for name, default in self.DEFAULTS.items():
            setattr(self, name, values.pop(name, default))
        if values:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(values)}")

    def pack(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])

    @classmethod
    def unpack(cls, packed: tuple[Any, ...]) -> Self:
        record = cls.__new__(cls)
        for name, value in zip(cls.__slots__, packed, strict=True):
            setattr(record, name, value)
        return record

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.pack() == other.pack()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        changed = {n: v for n in self.__slots__ if (v := getattr(self, n)) != self.DEFAULTS[n]}
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in changed.items())})"


class Slot(Record):
    """One word of a value: a plain param has one slot, a `consumes: N` param has N (argv-grammar O4)."""

    name: str  # "" for the only slot of a plain param
    type: str  # string int number bool array object json any
    description: str
    choices: tuple[tuple[str, str], ...]  # (text, description); compared by typed value
    min: str  # bound as number text, "" for none
    max: str
    pattern: str
    path: str  # "" read write dir new
    complete: tuple[str, ...]  # a kind (`path`, `dir` …) as a 1-tuple behind "@", or plain words
    allow_dash: bool
    optional: bool  # V10: a last piece that may be left out

    DEFAULTS = {
        "name": "",
        "type": "string",
        "description": "",
        "choices": (),
        "min": "",
        "max": "",
        "pattern": "",
        "path": "",
        "complete": (),
        "allow_dash": False,
        "optional": False,
    }
    __slots__ = tuple(DEFAULTS)


class ParamSpec(Record):
    """One param of a tool. ``default`` and ``optional_value`` are texts in the value's shape, typed when used."""

    name: str
    description: str
    slots: tuple[Slot, ...]
    level: int  # depth of the node that declares it: 0 is the root (S2)
    spellings: tuple[str, ...]  # every flag spelling, declared ones first, then derived (N1); () for a bare positional
    declared: int  # how many of `spellings` were declared as aliases
    negations: tuple[str, ...]  # `--no-…` spellings of a negatable param
    positional: bool
    required: bool
    repeatable: bool
    count: bool
    optional_value: str | None  # V8: what the bare flag means, as text
    verbatim: bool  # `values: verbatim` (V4)
    unique_by: int  # slot index, -1 for none (O5)
    on_duplicate: str  # error first last
    default: Any  # None: no default; else text, list of texts, or list of lists of texts
    min_items: int  # -1 for none
    max_items: int
    items: str  # element type of an `array`, "" for none
    env: str
    secret: str  # "" for no, "hidden" (env or stdin only), "argv"
    effects: tuple[tuple[str, str], ...]  # (value text, effect); ("", effect) when the param is true or given
    emit: str  # separate equals joined
    split: str  # V10
    delimiter: str  # O6
    after: bool  # P5: takes the operands behind `--`
    replace: tuple[tuple[str, str | tuple[str, ...]], ...]  # `as`: value text -> text or words
    program: bool
    unused: bool
    hidden: bool
    deprecated: str
    in_rest: bool  # `{*}` of its level writes it
    place: tuple[int, int]  # line and column in the manifest

    DEFAULTS = {
        "name": "",
        "description": "",
        "slots": (Slot(),),
        "level": 0,
        "spellings": (),
        "declared": 0,
        "negations": (),
        "positional": False,
        "required": False,
        "repeatable": False,
        "count": False,
        "optional_value": None,
        "verbatim": False,
        "unique_by": -1,
        "on_duplicate": "error",
        "default": None,
        "min_items": -1,
        "max_items": -1,
        "items": "",
        "env": "",
        "secret": "",
        "effects": (),
        "emit": "separate",
        "split": "",
        "delimiter": "",
        "after": False,
        "replace": (),
        "program": False,
        "unused": False,
        "hidden": False,
        "deprecated": "",
        "in_rest": False,
        "place": (0, 0),
    }
    __slots__ = tuple(DEFAULTS)

    def pack(self) -> tuple[Any, ...]:
        return tuple([tuple([s.pack() for s in self.slots]) if n == "slots" else getattr(self, n) for n in self.__slots__])

    @classmethod
    def unpack(cls, packed: tuple[Any, ...]) -> Self:
        param = super().unpack(packed)
        param.slots = tuple([Slot.unpack(slot) for slot in packed[2]])
        return param

    @property
    def type(self) -> str:
        """The type of the (first) slot."""
        return self.slots[0].type

    @property
    def is_tuple(self) -> bool:
        """Whether one occurrence is a list of slot values (O3, V10)."""
        return len(self.slots) > 1

    @property
    def is_flag(self) -> bool:
        """Whether one occurrence takes no word: a bool or a count."""
        return self.count or self.slots[0].type == "bool"

    @property
    def is_list(self) -> bool:
        """Whether the value is a list with one entry per occurrence (O2, O3)."""
        return self.repeatable

    @property
    def shown_spellings(self) -> tuple[str, ...]:
        """The spellings that help shows: the declared ones, and the first that follows from the name if it is another."""
        declared = self.spellings[: self.declared]
        folded = [spelling.replace("_", "-") for spelling in declared]
        return declared + tuple([s for s in self.spellings[self.declared : self.declared + 1] if s.replace("_", "-") not in folded])

    @property
    def spelling(self) -> str:
        """The flag as `{*}` and canonical lines write it; for a bare positional, its name in capitals."""
        return self.spellings[0] if self.spellings else self.name.upper()


class Tabled(Record):
    """Where `bind` and `check` keep the tables they make of a spec at its first use; no part of the record."""

    __slots__ = ("checks", "flags_table")
    checks: Any
    flags_table: Any


class ToolSpec(Tabled):
    """One node of a tool: the tool itself, or a subcommand of it."""

    name: str
    path: tuple[str, ...]  # the full name, root first: ("git", "log")
    aliases: tuple[str, ...]
    title: str
    description: str
    file: str  # the manifest, absolute; "" for one made in code
    base: str  # the directory that holds `tools.d/`, absolute; "" for the working directory
    place: tuple[int, int]
    needs_programs: tuple[tuple[str, str], ...]  # (program, version condition or "")
    needs_env: tuple[str, ...]
    needs_os: tuple[str, ...]
    params: tuple[ParamSpec, ...]  # the root's first, then each level's, this node's last
    spellings: dict[str, int]  # flag spelling -> index into params, the nearest level winning (S2)
    negations: dict[str, int]
    positionals: tuple[int, ...]  # indices of this node's positional params
    strict: bool  # an input schema stands for the params: no coercion from JSON, exact numbers
    exec: tuple[Any, ...]  # compiled template items after the program, () when not `has_exec`
    has_exec: bool
    program: str  # the command of `exec`, literal
    builtin: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    env: tuple[tuple[str, tuple[Any, ...] | None], ...]  # (NAME, template pieces, or None for `pass`)
    cwd: str  # caller tools, a relative path, or "{P}"
    stdin: str | tuple[Any, ...]  # caller none values, or template pieces
    order: str  # declared typed interleaved
    timeout: float  # seconds, 0 for none
    limits: dict[str, Any]  # output: bytes, spill: bool, concurrency: n, rate: (n, seconds), cpu: seconds, memory: bytes
    output: str  # text json jsonl lines table
    exits: dict[int, str]  # ok empty error
    effect: str  # "" when not stated
    confirm: str
    roots: tuple[str, ...]
    deny: tuple[str, ...]
    sandbox: dict[str, Any]
    flags: str  # anywhere before-operands none
    unknown_flags: str  # error pass
    end_of_options: str  # the marker, "" for `none`
    map_positionals: bool
    number_flag: int  # index into params, -1 for none (V9)
    digit_flags: bool  # a declared spelling begins with a dash and a digit (W4)
    task: bool
    hidden: bool
    tags: tuple[str, ...]
    deprecated: str
    replaces: str
    examples: tuple[dict[str, Any], ...]  # {run: [words], says, binds, argv, stdout, exit, place}
    children: tuple[Any, ...]  # packed ToolSpecs
    child_names: dict[str, int]  # name or alias -> index into children
    input_schema: str  # the published schema, canonical on one line; "" for a tool with `params`
    files: tuple[str, ...]  # files the manifest names and whose content is in this spec, absolute

    DEFAULTS = {
        "name": "",
        "path": (),
        "aliases": (),
        "title": "",
        "description": "",
        "file": "",
        "base": "",
        "place": (0, 0),
        "needs_programs": (),
        "needs_env": (),
        "needs_os": (),
        "params": (),
        "spellings": {},
        "negations": {},
        "positionals": (),
        "strict": False,
        "exec": (),
        "has_exec": False,
        "program": "",
        "builtin": "",
        "groups": (),
        "env": (),
        "cwd": "caller",
        "stdin": "caller",
        "order": "declared",
        "timeout": 0.0,
        "limits": {},
        "output": "text",
        "exits": {0: "ok"},
        "effect": "",
        "confirm": "",
        "roots": (),
        "deny": (),
        "sandbox": {},
        "flags": "anywhere",
        "unknown_flags": "error",
        "end_of_options": "--",
        "map_positionals": False,
        "number_flag": -1,
        "digit_flags": False,
        "task": False,
        "hidden": False,
        "tags": (),
        "deprecated": "",
        "replaces": "",
        "examples": (),
        "children": (),
        "child_names": {},
        "input_schema": "",
        "files": (),
    }
    __slots__ = tuple(DEFAULTS)

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.checks = self.flags_table = None

    def pack(self) -> tuple[Any, ...]:
        return tuple([tuple([p.pack() for p in self.params]) if n == "params" else getattr(self, n) for n in self.__slots__])

    @classmethod
    def unpack(cls, packed: tuple[Any, ...]) -> Self:
        tool = super().unpack(packed)
        tool.checks = tool.flags_table = None
        tool.params = tuple([ParamSpec.unpack(param) for param in tool.params])  # type: ignore[arg-type]
        return tool

    def child(self, name: str) -> ToolSpec | None:
        """The subcommand called `name` (or so aliased), or None."""
        index = self.child_names.get(name)
        return None if index is None else ToolSpec.unpack(self.children[index])

    def param(self, name: str) -> ParamSpec | None:
        """The param called `name`, with `-` and `_` alike, or None."""
        for param in self.params:
            if param.name == name:
                return param
        folded = name.replace("-", "_")
        for param in self.params:
            if param.name.replace("-", "_") == folded:
                return param
        return None

    @property
    def full_name(self) -> str:
        """As people write it: `git log`."""
        return " ".join(self.path) if self.path else self.name
