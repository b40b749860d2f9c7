"""Tool calls as the APIs of models write them, and the result objects that these APIs take back (serving.md).

`openai` is a `tool_calls` entry of Chat Completions or a `function_call` item of the Responses API, `anthropic` a
`tool_use` block, `gemini` a `functionCall` part.
"""

from __future__ import annotations

from kernel import bind_json, locate, strict_json
from kernel.bound import Bound
from kernel.commands import resolve
from kernel.errors import Place, fail
from kernel.strict_json import JsonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_FORMS = {
    "openai": '{"id": …, "type": "function", "function": {"name": …, "arguments": "{…}"}}` or `{"type": "function_call", …}',
    "anthropic": '{"type": "tool_use", "id": …, "name": …, "input": {…}}',
    "gemini": '{"functionCall": {"name": …, "args": {…}}}',
}


class ModelCall:
    """A call that a model asked for: the tool's published name, its arguments, and how the answer is wrapped.

    ``arguments`` are JSON with exact numbers; text is what an API gives as text, not read yet.
    """

    __slots__ = ("_wrap", "api", "arguments", "name")

    def __init__(self, api: str, name: str, arguments: Any, wrap: Callable[[str, bool], dict[str, Any]]) -> None:
        self.api = api
        self.name = name
        self.arguments = arguments
        self._wrap = wrap

    def bind(self, directories: Sequence[locate.Directory]) -> Bound:
        """The call bound to the tool it names. Raises KernelError: no such tool, arguments that are no JSON object."""
        spec, _ = resolve.leaf([self.name], directories)
        arguments = self.arguments
        if isinstance(arguments, str):
            arguments = _json(arguments, "arguments") if arguments.strip() else {}
        if not isinstance(arguments, dict):
            raise fail("E-JSON", f"the arguments of `{spec.full_name}` must be a JSON object", hint='write `{"NAME": VALUE, …}`')
        if self.api != "anthropic":
            from kernel.export import given

            arguments = given.natural(spec, arguments)
        return bind_json.bind_mapping(spec, arguments, by_model=True)

    def answer(self, text: str, *, is_error: bool) -> dict[str, Any]:
        """The API's result object."""
        return self._wrap(text, is_error)


def read(api: str, text: str, source: str) -> ModelCall:
    """The call in ``text``. Raises KernelError (E-JSON) when it is none that the API makes."""
    value = _json(text, source)
    if isinstance(value, dict):
        found = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}[api](value)
        if found is not None:
            return found
    raise fail("E-JSON", f"`{source}` holds no tool call of the API", hint=f"it looks like `{_FORMS[api]}`")


def _json(text: str, source: str) -> Any:
    try:
        return strict_json.loads(text, exact=True)
    except JsonError as error:
        lines = text.split("\n")
        line = lines[error.line - 1] if error.line <= len(lines) else ""
        raise fail("E-JSON", error.message, Place(source, error.line, error.column, line)) from None


def _openai(value: dict[str, Any]) -> ModelCall | None:
    if value.get("type") == "function_call":
        id, name = value.get("call_id"), value.get("name")
        if not isinstance(id, str) or not isinstance(name, str):
            return None
        return ModelCall(
            "openai",
            name,
            value.get("arguments", ""),
            lambda text, _: {"type": "function_call_output", "call_id": id, "output": text},
        )
    function, id = value.get("function"), value.get("id")
    if not isinstance(function, dict) or not isinstance(id, str) or not isinstance(function.get("name"), str):
        return None
    return ModelCall(
        "openai",
        function["name"],
        function.get("arguments", ""),
        lambda text, _: {"role": "tool", "tool_call_id": id, "content": text},
    )


def _anthropic(value: dict[str, Any]) -> ModelCall | None:
    id, name = value.get("id"), value.get("name")
    if value.get("type") != "tool_use" or not isinstance(id, str) or not isinstance(name, str):
        return None
    return ModelCall(
        "anthropic",
        name,
        _object(value.get("input")),
        lambda text, is_error: {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error},
    )


def _gemini(value: dict[str, Any]) -> ModelCall | None:
    call = value.get("functionCall", value)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return None
    name = call["name"]
    id = {"id": call["id"]} if isinstance(call.get("id"), str) else {}
    return ModelCall(
        "gemini",
        name,
        _object(call.get("args")),
        lambda text, is_error: {"functionResponse": {**id, "name": name, "response": {"error" if is_error else "output": text}}},
    )


def _object(value: Any) -> Any:
    """Arguments that the API gives as an object, not as its text."""
    return {} if value is None else [value] if isinstance(value, str) else value
