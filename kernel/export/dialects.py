"""The dialects of `kernel schema`: what each makes of a tool, and which nodes of a tool are published."""

from __future__ import annotations

from kernel.export import anthropic, gemini, json_schema, openai, rules
from kernel.spec import ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

DIALECTS: dict[str, Callable[[ToolSpec], dict[str, Any]]] = {
    "json-schema": json_schema.arguments,
    "mcp": json_schema.mcp_tool,
    "openai": openai.tool,
    "openai-strict": openai.strict_tool,
    "anthropic": anthropic.tool,
    "gemini": gemini.tool,
}


def published(spec: ToolSpec) -> Iterator[ToolSpec]:
    """The nodes of a tool that a model can call, in the manifest's order."""
    if spec.hidden:
        return
    if (spec.has_exec or spec.builtin) and not rules.is_for_people(spec):
        yield spec
    for packed in spec.children:
        yield from published(ToolSpec.unpack(packed))
