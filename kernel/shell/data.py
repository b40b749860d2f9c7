"""Typed values of the shell: JSON lists and records, which keep the text they came as."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Data:
    """A JSON value that is no string. ``text`` is what a tool printed for it, or its canonical JSON."""

    __slots__ = ("_text", "value")

    def __init__(self, value: Any, text: str | None = None) -> None:
        self.value = value
        self._text = text

    @property
    def text(self) -> str:
        if self._text is None:
            from kernel import strict_json

            self._text = strict_json.dumps(self.value)
        return self._text

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    @property
    def kind(self) -> str:
        """`list`, `record`, `number`, `bool` or `null`."""
        value = self.value
        if isinstance(value, list):
            return "list"
        if isinstance(value, dict):
            return "record"
        return "bool" if isinstance(value, bool) else "null" if value is None else "number"

    def __repr__(self) -> str:
        return f"<Data {self.text}>"


Field = str | Data


def text_of(field: Field) -> str:
    """A value as text."""
    return field if isinstance(field, str) else field.text


def from_value(value: Any) -> Field:
    """An element of a list or record: a string is text, anything else keeps its type."""
    return value if isinstance(value, str) else Data(value, getattr(value, "text", None))  # a number as it was written


def to_value(field: Field) -> Any:
    """The JSON value of a field."""
    return field if isinstance(field, str) else field.value


def captured(text: str, lines: bool = False) -> Field:
    """What a tool that declares JSON printed: the value, or the text where it is not exactly one JSON value.

    ``lines`` is for a tool that declares a value a line: several are a list.
    """
    from kernel import strict_json

    try:
        value = strict_json.loads(text, exact=True)
    except strict_json.JsonError:
        if not lines:
            return text
        try:
            return Data([strict_json.loads(line, exact=True) for line in text.split("\n") if line.strip()])
        except strict_json.JsonError:
            return text
    return value if isinstance(value, str) else Data(value, text)


def scalar(text: str) -> Any:
    """The JSON value of an unquoted word in a literal: a number, `true`, `false`, `null`, else the text."""
    if text in ("true", "false", "null") or (text[:1] in "-0123456789" and text):
        from kernel import strict_json

        try:
            return strict_json.loads(text, exact=True)
        except strict_json.JsonError:
            return text
    return text


def elements(field: Field) -> list[Field]:
    """The elements that a value stands for: of a list its items, of a record its values, else itself."""
    if isinstance(field, str):
        return [field]
    if isinstance(field.value, list):
        return [from_value(item) for item in field.value]
    if isinstance(field.value, dict):
        return [from_value(item) for item in field.value.values()]
    return [field]
