"""YAML text → marked tree, strictly (manifest.md, "YAML, strictly").

Built from the parser's events: libyaml's where PyYAML has it, PyYAML's own otherwise. Every node knows its line and
column; scalars are YAML 1.2's, and one that YAML readers do not read alike is refused.
"""

from __future__ import annotations

import re

from yaml import events
from yaml.error import MarkedYAMLError

from kernel import yaml_syntax
from kernel.errors import KernelError, Place, Problem
from kernel.scalars import LETTERS, WORDS, Ambiguous, is_own_text, quoted, short, sort_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final, NoReturn

MAX_BYTES: Final = 1 << 20
MAX_DEPTH: Final = 32
MAX_ALIASED: Final = 20_000  # values that aliases repeat
_MAX_PROBLEMS: Final = 20
_RAW: Final = bytes([*range(10), 11, 12, *range(14, 32), 127])  # ASCII that may not stand in a manifest
# Compiled on use: most manifests need none of them.
_RAW_CHARACTER: Final = "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]"
_DIRECTIVE: Final = r"(?:[ ]*(?:#[^\n]*)?\r?\n)*(%[^\r\n]*)"
_LINE_BREAK: Final = r"\r\n|\r|\n"


class Source:
    """The text a tree was read from, for the lines that errors show."""

    __slots__ = ("_lines", "file", "text")

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._lines: list[str] | None = None

    def line_text(self, line: int) -> str:
        """The text of a 1-based line, "" past the end."""
        if self._lines is None:
            self._lines = re.split(_LINE_BREAK, self.text)
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""

    def place(self, line: int, column: int, width: int = 1) -> Place:
        """A place of the file (1-based, in characters) with the text of its line."""
        return Place(self.file, line, column, self.line_text(line), max(width, 1))


class Node:
    """A value or key of a manifest.

    ``kind`` is "map", "list" or "scalar"; ``items`` has a map's (key, value) nodes or a list's nodes. A scalar's ``text``
    is as written (without quotes and escapes), ``plain`` says that it had no quotes, and ``sort`` is what it is:
    "text", "int", "float", "bool" or "null".
    """

    __slots__ = ("_end", "_event", "items", "kind", "sort", "source")

    def __init__(self, kind: str, event: Any, source: Source, sort: str, items: Sequence[Any] = ()) -> None:
        self.kind = kind
        self.source = source
        self.sort = sort
        self.items = items
        self._event = event
        self._end = event  # of a map or list: the event that ends it

    def __repr__(self) -> str:
        return f"<{self.kind} {self.text or len(self.items)!r} at {self.line}:{self.column}>"

    @property
    def line(self) -> int:
        """The 1-based line it begins at."""
        return int(self._event.start_mark.line) + 1

    @property
    def column(self) -> int:
        """The 1-based column it begins at, in characters; a quote counts."""
        return int(self._event.start_mark.column) + 1

    @property
    def width(self) -> int:
        """How many characters of its first line to mark."""
        start, end = self._event.start_mark, self._end.end_mark
        if start.line == end.line:
            return max(int(end.column - start.column), 1)
        return max(len(self.source.line_text(self.line).rstrip()) - int(start.column), 1)

    @property
    def text(self) -> str:
        """A scalar's text as written, "" for a map or list."""
        return self._event.value if self.kind == "scalar" else ""

    @property
    def plain(self) -> bool:
        """Whether it is a scalar without quotes."""
        return self.kind == "scalar" and not self._event.style

    @property
    def value(self) -> str | int | float | bool | None:
        """A scalar's value: text, int, float, bool, or None for null (and for a map or list)."""
        if self.sort == "text":
            return self.text
        if self.sort == "int":
            return int(self.text)
        if self.sort == "float":
            return float(self.text)
        return self.text == "true" if self.sort == "bool" else None

    @property
    def own_text(self) -> bool:
        """Whether it can stand where text is wanted: quoted, or read alike by every YAML (`12`, `1.5`, `true`)."""
        return self.kind == "scalar" and is_own_text(self.text, self.sort)

    def place(self) -> Place:
        """Where it stands, for a problem."""
        return self.source.place(self.line, self.column, self.width)


def read(data: bytes, file: str, faults: list[Problem] | None = None) -> Node:
    """The tree of a manifest. ``file`` names it in places. Raises KernelError (E-YAML) with what is wrong.

    With a list ``faults`` the problems that leave a tree to look at go there instead, so that they can be told together
    with what else is wrong with the file.
    """
    source = _decode(data, file)
    builder = _Builder(source)
    root = builder.document()
    if builder.problems:
        builder.problems.sort(key=_line_and_column)
        if faults is None:
            raise KernelError(builder.problems)
        faults += builder.problems
    return root


def _decode(data: bytes, file: str) -> Source:
    """The text, checked for what no YAML parser needs to be asked about."""
    if len(data) > MAX_BYTES:
        raise KernelError([Problem("E-YAML", f"the manifest is larger than {MAX_BYTES >> 20} MiB", Place(file, 1, 1))])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind a byte order mark.
        body = data.removeprefix(b"\xef\xbb\xbf")
        good = body[: error.start].decode("utf-8", "replace")
        source = Source(good + body[error.start :].decode("utf-8", "replace"), file)
        line = len(re.findall(_LINE_BREAK, good))
        column = len(re.split(_LINE_BREAK, good)[-1])
        message = f"the byte `\\x{body[error.start]:02x}` is not UTF-8"
        raise KernelError([Problem("E-YAML", message, source.place(line + 1, column + 1), "save the file as UTF-8")]) from None
    source = Source(text, file)
    if len(data.translate(None, _RAW)) != len(data) or (not data.isascii() and re.search(_RAW_CHARACTER, text)):
        raise KernelError(_raw_characters(source))
    return source


def _raw_characters(source: Source) -> list[Problem]:
    """Characters that may not stand in a manifest, the first of each line."""
    problems = []
    number = 0
    for line in re.split(_LINE_BREAK, source.text):
        number += 1
        found = re.search(_RAW_CHARACTER, line)
        if found is None:
            continue
        code = ord(found[0])
        if code == 9:
            message, hint = "a raw tab stands in the manifest", "indent with spaces; in a value write `\\t` inside double quotes"
        else:
            escape = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
            message = f"the character `{escape}` stands raw in the manifest"
            hint = f"take it out, or write `{escape}` inside double quotes"
        problems.append(Problem("E-YAML", message, source.place(number, found.start() + 1), hint))
        if len(problems) == _MAX_PROBLEMS:
            break
    return problems


def _parser(text: str) -> Callable[[], Any]:
    """The function that gives the next event: libyaml's where PyYAML was built with it."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        from kernel import yaml_pure

        return yaml_pure.event_source(text)
    next_event: Callable[[], Any] = CParser(text).get_event
    return next_event


class _Builder:
    """Builds the tree of one document. Problems that do not stop the reading are kept until its end."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.next_event = _parser(source.text)
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node | None] = {}  # None while what is named is being read
        self.measures: dict[int, tuple[int, int]] = {}
        self.aliased = 0

    def document(self) -> Node:
        directive = re.match(_DIRECTIVE, self.source.text) if "%" in self.source.text else None
        if directive:
            before = self.source.text.count("\n", 0, directive.start(1))
            place = self.source.place(before + 1, 1, len(directive[1].rstrip()))
            self.stop("a manifest has no YAML directives", place, "take the line out")
        try:
            next_event = self.next_event
            next_event()  # the start of the stream
            if type(next_event()) is events.StreamEndEvent:
                self.stop("the manifest is empty", self.source.place(1, 1), "write `description:` and `exec:` to begin with")
            root = self.value(next_event(), 0)
            if root.kind == "scalar" and not root.text and root.plain:
                self.stop("the manifest is empty", root.place(), "write `description:` and `exec:` to begin with")
            next_event()  # the end of the document
            event = next_event()
            if type(event) is not events.StreamEndEvent:
                self.stop("a second document begins in the manifest", self.mark(event), "write one file per tool")
        except MarkedYAMLError as error:
            message, hint, line, column = yaml_syntax.meaning(error, self.source.text)
            self.problems.append(Problem("E-YAML", message, self.source.place(line + 1, column + 1), hint))
            self.problems.sort(key=_line_and_column)
            raise KernelError(self.problems) from None
        return root

    def value(self, event: Any, depth: int) -> Node:
        """The node that begins with an event, ``depth`` containers deep."""
        kind = type(event)
        if kind is events.ScalarEvent:
            return self.scalar(event)
        if kind is events.AliasEvent:
            return self.alias(event, depth)
        if depth == MAX_DEPTH:
            self.stop(f"the manifest is nested deeper than {MAX_DEPTH} levels", self.mark(event), "take some levels out")
        if event.tag is not None:
            self.tag(event)
        anchor = event.anchor
        if anchor is not None:
            self.anchors[anchor] = None
        node = self.mapping(event, depth + 1) if kind is events.MappingStartEvent else self.sequence(event, depth + 1)
        if anchor is not None:
            self.anchors[anchor] = node
        return node

    def scalar(self, event: Any) -> Node:
        if event.tag is not None:
            self.tag(event)
        text: str = event.value
        sort = "text"
        if not event.style and (text[:1] not in LETTERS or text in WORDS):
            sort = self.sort(text, event)
        node = Node("scalar", event, self.source, sort)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def mapping(self, start: Any, depth: int) -> Node:
        items: list[tuple[Node, Node]] = []
        node = Node("map", start, self.source, "", items)
        keys: dict[str, Node] = {}
        next_event = self.next_event
        scalar_event = events.ScalarEvent
        while True:
            event = next_event()
            if type(event) is scalar_event:
                key = self.scalar(event)
            elif type(event) is events.MappingEndEvent:
                node._end = event
                return node
            else:
                key = self.value(event, depth)
            event = next_event()
            value = self.scalar(event) if type(event) is scalar_event else self.value(event, depth)
            if key.sort != "text":
                self.odd_key(key)
            text = key.text
            if text in keys:
                first = keys[text]
                self.keep(f"the key `{short(text)}` is given twice", key.place(), f"it stands in line {first.line} already")
            else:
                keys[text] = key
            if value.sort == "text" and not value.text and value.plain:
                self.empty(key, value)
            items.append((key, value))

    def sequence(self, start: Any, depth: int) -> Node:
        items: list[Node] = []
        node = Node("list", start, self.source, "", items)
        next_event = self.next_event
        while True:
            event = next_event()
            if type(event) is events.ScalarEvent:
                item = self.scalar(event)
                if not item.text and item.plain:
                    self.keep("a list item has no value", item.place(), 'write "" for an empty text, or take the item out')
            elif type(event) is events.SequenceEndEvent:
                node._end = event
                return node
            else:
                item = self.value(event, depth)
            items.append(item)

    def alias(self, event: Any, depth: int) -> Node:
        name = event.anchor
        if name not in self.anchors:
            self.stop(
                f"the alias `*{short(name)}` names no anchor that stands before it",
                self.mark(event),
                f'for text write "*{short(name)}"',
            )
        node = self.anchors[name]
        if node is None:
            self.stop(f"the alias `*{short(name)}` stands inside what it names", self.mark(event))
        size, height = self.measure(node)
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            self.stop(
                f"aliases repeat more than {MAX_ALIASED:,} values", self.mark(event), "write the values out, or fewer of them"
            )
        if depth + height > MAX_DEPTH:
            self.stop(f"the manifest is nested deeper than {MAX_DEPTH} levels", self.mark(event), "take some levels out")
        return node

    def measure(self, node: Node) -> tuple[int, int]:
        """(values, levels) of a subtree. Shared ones are measured once."""
        if node.kind == "scalar":
            return 1, 0
        known = self.measures.get(id(node))
        if known is None:
            size, height = 1, 0
            for item in node.items:
                for part in item if node.kind == "map" else (item,):
                    inner_size, inner_height = self.measure(part)
                    size += inner_size
                    height = max(height, inner_height)
            known = self.measures[id(node)] = (size, height + 1)
        return known

    def sort(self, text: str, event: Any) -> str:
        """What a plain scalar is. Keeps a problem where YAML readers differ."""
        try:
            return sort_of(text)
        except Ambiguous as error:
            self.keep(error.message, self.mark(event), error.hint)
            return "text"

    def odd_key(self, key: Node) -> None:
        """A key that is not text: an int, `true` and `false` are their own text."""
        if key.kind != "scalar":
            self.keep(f"a {'mapping' if key.kind == 'map' else 'list'} cannot be a key", key.place(), "quote it if it is text")
        elif key.sort == "null":
            self.keep("null cannot be a key", key.place(), f"write {quoted(key.text)} for the text")
        elif not key.own_text:
            self.keep(f"the key `{short(key.text)}` is written as a number", key.place(), f"write {quoted(key.text)}")

    def empty(self, key: Node, value: Node) -> None:
        if not key.text and key.plain:
            self.keep("a key and its value are empty", value.place())
            return
        line = self.source.line_text(key.line)
        braced = f"{{{key.text}}}"
        if line[key.column - 2 : key.column - 2 + len(braced)] == braced:
            self.keep(f"`{short(braced)}` without quotes is a mapping", key.place(), f"write {quoted(braced)}")
        else:
            self.keep(f"`{short(key.text)}` has no value", key.place(), 'write "" for an empty text, or take the key out')

    def tag(self, event: Any) -> None:
        self.keep(f"the tag `{short(event.tag)}` stands in the manifest", self.mark(event), "take it out; quotes make a text")

    def mark(self, event: Any) -> Place:
        start = event.start_mark
        end = event.end_mark
        width = end.column - start.column if start.line == end.line else 1
        return self.source.place(start.line + 1, start.column + 1, width)

    def keep(self, message: str, where: Place, hint: str = "") -> None:
        self.problems.append(Problem("E-YAML", message, where, hint))
        if len(self.problems) >= _MAX_PROBLEMS:
            raise KernelError(self.problems)

    def stop(self, message: str, where: Place, hint: str = "") -> NoReturn:
        raise KernelError([*self.problems, Problem("E-YAML", message, where, hint)])


def _line_and_column(problem: Problem) -> tuple[int, int]:
    where = problem.where
    return (where.line, where.column) if isinstance(where, Place) else (0, 0)
