"""Tools as Anthropic's Messages API takes them: JSON Schema 2020-12 without a combinator at its root, as ours always is."""

from __future__ import annotations

from kernel.export.json_schema import PLAIN, published_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.spec import ToolSpec


def tool(spec: ToolSpec) -> dict[str, Any]:
    """An entry of `tools`."""
    return {"name": published_name(spec), "description": PLAIN.description(spec), "input_schema": PLAIN.root(spec)}
