"""What the API of a provider refuses in a tool's schema (`kernel check --profile`).

The dialect of that API says such things otherwise; a client that hands the schemas of `mcp` on as they are has its whole
request refused. Sources: OpenAI's guides to function calling and Structured Outputs, Anthropic's and Gemini's references,
and the errors that the APIs answer with.
"""

from __future__ import annotations

import re

from kernel.errors import Problem
from kernel.export import json_schema
from kernel.export.words import looks_around
from kernel.lint import Source
from kernel.spec import ParamSpec, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PROFILES = ("openai", "anthropic", "gemini")
LONGEST_DESCRIPTION = 1024  # OpenAI: characters of a function's description
MOST_CHOICES = 1000  # OpenAI, strict: values of all enums of a schema
_ANTHROPIC_KEY = re.compile("[a-zA-Z0-9_.-]{1,64}")
_GEMINI_KEY = re.compile("[a-zA-Z_][a-zA-Z0-9_]{0,63}")


def warnings(spec: ToolSpec, profile: str) -> list[Problem]:
    """The warnings for the nodes of a tool that are published."""
    from kernel.export.dialects import published

    source = Source(spec.file)
    warn = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}[profile]
    seen: set[tuple[str, tuple[int, int]]] = set()
    found = []
    for node in published(spec):
        for message, hint, param in warn(node):
            place = node.place if param is None else param.place
            if (message, place) not in seen:  # a flag of an ancestor is warned of once
                seen.add((message, place))
                facts: dict[str, Any] = {} if param is None else {"param": param.name}
                found.append(Problem("W-MANIFEST", message, source.place(place), hint, profile=profile, **facts))
    return found


def _openai(spec: ToolSpec) -> Iterator[tuple[str, str, ParamSpec | None]]:
    described = len(json_schema.PLAIN.description(spec))
    if described > LONGEST_DESCRIPTION:
        message = f"the published description of `{spec.full_name}` has {described:,} characters"
        yield (
            f"{message}, OpenAI takes at most {LONGEST_DESCRIPTION:,}",
            "shorten `description`; the rules of groups count too",
            None,
        )
    choices = sum(len(slot.choices) for param in _shown(spec) for slot in param.slots)
    if choices > MOST_CHOICES:
        message = f"`{spec.full_name}` has {choices:,} choices in all, strict schemas of OpenAI at most {MOST_CHOICES:,}"
        yield message, "describe them, and let the program refuse others", None
    for param in _shown(spec):
        if any(looks_around(slot.pattern) for slot in param.slots):
            message = f"the pattern of `{param.name}` looks around, which OpenAI refuses"
            yield message, "write it without `(?=`, `(?!`, `(?<=` and `(?<!`", param


def _anthropic(spec: ToolSpec) -> Iterator[tuple[str, str, ParamSpec | None]]:
    for param in _shown(spec):
        if not _ANTHROPIC_KEY.fullmatch(param.name):
            yield f"Anthropic takes names of at most 64 characters, `{param.name}` has {len(param.name)}", "shorten it", param


def _gemini(spec: ToolSpec) -> Iterator[tuple[str, str, ParamSpec | None]]:
    for param in _shown(spec):
        names = [param.name, *[slot.name for slot in param.slots if slot.name and param.is_tuple]]
        for name in names:
            if not _GEMINI_KEY.fullmatch(name):
                hint = "write `_` for it" if _GEMINI_KEY.fullmatch(name.replace("-", "_")) else "rename it"
                yield f"Gemini takes names of at most 64 letters, digits and `_`, not `{name}`", hint, param
        if any(slot.choices and slot.type in ("int", "number") for slot in param.slots):
            yield f"Gemini takes choices of text only, those of `{param.name}` are numbers", "give `min` and `max`, or texts", param
        open_types = [slot.type for slot in param.slots if slot.type in ("object", "json", "any")]
        if param.items in ("object", "json", "any"):
            open_types.append(param.items)
        if open_types:
            message = f"Gemini takes no value without a type or an object without properties, `{param.name}` is `{open_types[0]}`"
            yield message, "give it a narrower type; `--dialect gemini` has it as JSON text", param


def _shown(spec: ToolSpec) -> list[ParamSpec]:
    return [param for param in spec.params if not param.hidden]
