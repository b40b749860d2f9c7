"""A JSON-RPC message read strictly, from a line or an HTTP body (serving.md): nothing is guessed, no digit is lost.

The arguments of a tool call go beside the message, with exact numbers; the message itself then has empty ones, so that
what is done with it afterwards can neither change them nor stumble over them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kernel import strict_json
from kernel.strict_json import JsonError, Number

if TYPE_CHECKING:
    Id = str | int

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
LONGEST: Final = 8 << 20  # bytes of a message
MOST_VALUES: Final = 100_000
DEEPEST: Final = 100  # containers of a message; those of the arguments are counted from there (input-schemas.md)

_TEXT = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'  # one that is never closed is taken to the end, and so looked at once
_string = re.compile(_TEXT, re.DOTALL)
_token = re.compile(_TEXT + r"|[\[\]{}]", re.DOTALL)
_id_value = re.compile(r'\s*:\s*(?:("[^"\\]*+(?:\\.[^"\\]*+)*+")|(-?(?:0|[1-9][0-9]{0,17})))\s*[,}]', re.DOTALL)
ABSENT: Final = object()  # a call without `arguments`


class Unreadable(Exception):
    """What no message can be made of: JSON-RPC ``code``, ``message``, and the ``id`` to answer with (None for null)."""

    def __init__(self, code: int, message: str, id: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id

    def answer(self) -> dict[str, Any]:
        """The JSON-RPC error object."""
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message}}


class Incoming:
    """A message: its plain ``body``, and the exact ``arguments`` of a tool call (``ABSENT`` for none)."""

    __slots__ = ("arguments", "body")

    def __init__(self, body: dict[str, Any], arguments: Any) -> None:
        self.body = body
        self.arguments = arguments

    @property
    def id(self) -> Id | None:
        """The request's id, None of a notification."""
        return self.body.get("id")

    @property
    def is_call(self) -> bool:
        """Whether it asks for a tool to be run."""
        return self.body.get("method") == "tools/call"


def read(data: bytes, *, finds_ids: bool = True) -> Incoming:
    """The message in ``data``. Raises Unreadable.

    With ``finds_ids`` the error of a text that is not strict JSON has the id which a lenient reading finds in it, where
    it finds exactly one; without, it has null, as JSON-RPC says.
    """
    if len(data) > LONGEST:
        raise too_long()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(PARSE_ERROR, f"the message is not UTF-8: byte {error.start + 1} is {data[error.start]:#04x}") from None
    bare = _string.sub("0", text) if len(text) > MOST_VALUES else text
    if bare.count(",") + bare.count("[") + bare.count("{") > MOST_VALUES:
        raise Unreadable(INVALID_REQUEST, f"the message holds more than {MOST_VALUES:,} values")
    try:
        value = strict_json.loads(text, exact=True, depth=DEEPEST)
        return _shaped(value)
    except JsonError as error:
        where = f" (line {error.line}, column {error.column})"
        raise Unreadable(PARSE_ERROR, f"not strict JSON: {error.message}{where}", _found_id(text) if finds_ids else None) from None
    except _TooDeep as error:
        raise Unreadable(PARSE_ERROR, str(error), error.id if finds_ids else None) from None


def too_long() -> Unreadable:
    """What is said of a message over the limit; nobody looks for its id."""
    return Unreadable(INVALID_REQUEST, f"the message is longer than {LONGEST >> 20} MiB")


class _TooDeep(Exception):
    def __init__(self, message: str, id: Id | None) -> None:
        super().__init__(message)
        self.id = id


def _shaped(value: Any) -> Incoming:
    """A JSON value as a message: a request, a notification or an answer. A call names its tool."""
    if not isinstance(value, dict):
        what = "a batch, which this server does not take" if isinstance(value, list) else "no JSON object"
        raise Unreadable(INVALID_REQUEST, f"the message is {what}")
    arguments: Any = ABSENT
    params = value.get("params")
    if value.get("method") == "tools/call" and isinstance(params, dict) and "arguments" in params:
        arguments = params["arguments"]
        params["arguments"] = {}
    try:
        body: dict[str, Any] = _plain(value)
    except ValueError as error:
        raise Unreadable(INVALID_REQUEST, f"the message holds {error}") from None
    id = body.get("id")
    usable = id if isinstance(id, str) or (isinstance(id, int) and not isinstance(id, bool)) else None
    fault = _fault(body, usable)
    if fault:
        raise Unreadable(INVALID_REQUEST, fault, usable)
    if body.get("method") == "tools/call" and usable is not None:
        name = body.get("params", {}).get("name")
        if not isinstance(name, str):
            what = "have no `name`" if name is None else "have a `name` that is no text"
            raise Unreadable(INVALID_PARAMS, f"the call's `params` {what}: give a tool's, as `tools/list` says it", usable)
    if arguments is not ABSENT and not _is_flat(arguments, strict_json.MAX_DEPTH):
        raise _TooDeep(f"`arguments` are nested deeper than {strict_json.MAX_DEPTH} levels", usable)
    return Incoming(body, arguments)


def _fault(body: dict[str, Any], usable: Id | None) -> str:
    """Why an object is no message, "" when it is one."""
    if body.get("jsonrpc") != "2.0":
        return '`jsonrpc` must be "2.0"'
    if "id" in body and usable is None and not ("error" in body and body["id"] is None):
        return "`id` must be text or a whole number"
    if "method" not in body:
        if "result" in body or "error" in body:
            return ""
        return "the message has neither a `method` nor a `result`"
    if not isinstance(body["method"], str):
        return "`method` must be text"
    if "params" in body and not isinstance(body["params"], dict):
        return "`params` must be an object"
    return ""


def _plain(value: Any) -> Any:
    """The value with ordinary numbers. Raises ValueError for one that Python has no number for."""
    if isinstance(value, Number):
        return value.plain()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _is_flat(value: Any, most: int) -> bool:
    """Whether at most so many containers stand inside each other."""
    if not isinstance(value, (dict, list)):
        return True
    return most > 0 and all(_is_flat(item, most - 1) for item in (value.values() if isinstance(value, dict) else value))


def _found_id(text: str) -> Id | None:
    """The id of the outermost object, as far as it can be told in a broken text; None where there is not exactly one."""
    found: list[Id] = []
    depth = 0
    for token in _token.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif depth == 1 and mark == '"id"' and (value := _id_value.match(text, token.end())):
            try:
                found.append(int(value[2]) if value[2] else strict_json.loads(value[1]))
            except JsonError:
                continue
    return found[0] if len(found) == 1 else None
