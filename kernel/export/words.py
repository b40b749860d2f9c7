"""Keywords told in words, for dialects that refuse them."""

from __future__ import annotations

from kernel import strict_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.export.json_schema import Writer
    from kernel.spec import ParamSpec, Slot

_LOOKING = ("(?=", "(?!", "(?<=", "(?<!")


def looks_around(pattern: str) -> bool:
    """Whether a pattern has an assertion about what stands before or behind."""
    unescaped = pattern.replace("\\\\", "").replace("\\(", "")
    return any(opening in unescaped for opening in _LOOKING)


def matching(slot: Slot) -> str:
    """A pattern in words."""
    return f"Matches the regular expression `^(?:{slot.pattern})$`."


def annotation(writer: Writer, param: ParamSpec) -> list[str]:
    """A default and a deprecation in words."""
    said = []
    if param.default is not None:
        said.append(f"Default: `{strict_json.dumps(writer.written(param, param.default))}`.")
    if param.deprecated:
        said.append(f"Deprecated: {param.deprecated}")
    return said


def listed(slot: Slot) -> str:
    """Choices in words."""
    return f"One of {', '.join([f'`{text}`' for text, _ in slot.choices])}."
