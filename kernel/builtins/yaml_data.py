"""YAML as data: documents read by YAML 1.2's core schema, JSON values written in block form."""

from __future__ import annotations

import re

from kernel import strict_json
from kernel.builtins.guard import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

DEEPEST = 96
MOST = 1_000_000  # values that aliases repeat
_INT = re.compile(r"[-+]?[0-9]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z_/][\w./@+-]*(?: [\w./@+-]+)*", re.ASCII)
_WORDS = frozenset("null true false yes no on off y n".split())
_TAGS = {"tag:yaml.org,2002:" + name: name for name in ("str", "int", "float", "bool", "null", "seq", "map")}


def documents(text: str) -> Iterator[Any]:
    """The value of each document. Failure (status 1) with the place of what is no YAML, or has no JSON value."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        reader = _Reader(yaml.parse(text, Loader=loader))
        yield from reader.documents()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise Failure(f"{place}{error.problem or error.context}", 1) from None
    except yaml.YAMLError as error:
        raise Failure(str(error).partition("\n")[0], 1) from None


class _Reader:
    """Builds values from events, which come from C where that is there."""

    def __init__(self, events: Any) -> None:
        self.events = events
        self.anchors: dict[str, Any] = {}
        self.sizes: dict[str, int] = {}
        self.count = 0

    def documents(self) -> Iterator[Any]:
        for event in self.events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                self.anchors.clear()
                self.count = 0
                yield self.value(next(self.events), 0)

    def fail(self, event: Any, message: str) -> Failure:
        mark = event.start_mark
        return Failure(f"line {mark.line + 1}, column {mark.column + 1}: {message}", 1)

    def value(self, event: Any, depth: int) -> Any:
        kind = type(event).__name__
        if depth > DEEPEST:
            raise self.fail(event, f"values are nested deeper than {DEEPEST}")
        self.count += 1
        if kind == "AliasEvent":
            if event.anchor not in self.anchors:
                raise self.fail(event, f"the alias `*{event.anchor}` has no anchor before it")
            self.count += self.sizes[event.anchor]
            if self.count > MOST:
                raise self.fail(event, f"aliases repeat more than {MOST} values")
            return self.anchors[event.anchor]
        before = self.count
        if kind == "ScalarEvent":
            made = self.scalar(event)
        elif kind == "SequenceStartEvent":
            made = self.sequence(event, depth)
        else:
            made = self.mapping(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = made
            self.sizes[event.anchor] = self.count - before + 1
        return made

    def sequence(self, event: Any, depth: int) -> list[Any]:
        self.check_tag(event, "seq")
        out = []
        while type(inner := next(self.events)).__name__ != "SequenceEndEvent":
            out.append(self.value(inner, depth + 1))
        return out

    def mapping(self, event: Any, depth: int) -> dict[str, Any]:
        self.check_tag(event, "map")
        out: dict[str, Any] = {}
        while type(inner := next(self.events)).__name__ != "MappingEndEvent":
            key = self.value(inner, depth + 1)
            if isinstance(key, (dict, list)):
                raise self.fail(inner, "a key that is no scalar has no JSON form")
            if key == "<<" and not getattr(inner, "style", None):
                raise self.fail(inner, "merge keys (`<<`) are not supported: write the keys out")
            name = key if isinstance(key, str) else strict_json.dumps(key)
            if name in out:
                raise self.fail(inner, f"the key `{name}` is there twice")
            out[name] = self.value(next(self.events), depth + 1)
        return out

    def check_tag(self, event: Any, wanted: str) -> None:
        if event.tag and event.tag != "!" and _TAGS.get(event.tag) != wanted:
            raise self.fail(event, f"the tag `{event.tag}` has no JSON form")

    def scalar(self, event: Any) -> Any:
        text: str = event.value
        tag = _TAGS.get(event.tag or "")
        if event.tag and event.tag != "!" and tag is None:
            raise self.fail(event, f"the tag `{event.tag}` has no JSON form")
        if tag == "str" or event.tag == "!" or (tag is None and event.style):
            return text
        found = _resolved(text)
        if isinstance(found, str) and (tag is not None or text.lower().lstrip("+-") in (".inf", ".nan")):
            raise self.fail(event, f"`{text}` has no JSON form")
        return found


def _resolved(text: str) -> Any:
    """A plain scalar by the core schema; text where it is nothing else."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text[0] in "tT"
    if _INT.fullmatch(text):
        digits = text.lstrip("+-").lstrip("0") or "0"
        return strict_json.loads(("-" if text[0] == "-" and digits != "0" else "") + digits, exact=True)
    if text[:2] in ("0x", "0o"):
        try:
            return int(text[2:], 16 if text[1] == "x" else 8) if "_" not in text else text
        except ValueError:
            return text
    if _FLOAT.fullmatch(text):
        sign = "-" if text[0] == "-" else ""
        whole, mark, exponent = text.lstrip("+-").lower().partition("e")
        before, _, behind = whole.partition(".")
        plain = sign + (before.lstrip("0") or "0") + (f".{behind}" if behind else "") + (f"e{exponent}" if mark else "")
        return strict_json.loads(plain, exact=True)
    return text


def written(value: Any, indent: int = 0) -> Iterator[str]:
    """The lines of a value in block form, without their newlines."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _entry(f"{pad}{_text(key)}:", item, indent)
    elif isinstance(value, list) and value:
        for item in value:
            inner = list(written(item, indent + 1)) if isinstance(item, (dict, list)) and item else [pad + "  " + _flat(item)]
            yield f"{pad}- {inner[0][len(pad) + 2 :]}"
            yield from inner[1:]
    else:
        yield pad + _flat(value)


def _entry(head: str, item: Any, indent: int) -> Iterator[str]:
    if isinstance(item, (dict, list)) and item:
        yield head
        yield from written(item, indent + isinstance(item, dict))
    else:
        yield f"{head} {_flat(item)}"


def _flat(value: Any) -> str:
    return _text(value) if isinstance(value, str) else strict_json.dumps(value, as_written=True)


def _text(text: str) -> str:
    """Text plain where every YAML reads it so, else in the double quotes that JSON shares with YAML."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted = strict_json.dumps(text)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff]", lambda found: f"\\u{ord(found.group()):04x}", quoted)
