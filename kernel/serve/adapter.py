"""The SDK's low-level server over a toolbox: requests in, results out, nothing decided here."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from kernel import __version__
from kernel.errors import KernelError
from kernel.serve.answers import Answer
from kernel.serve.messages import ABSENT, Incoming

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions
    from mcp.server.session import ServerSession

    from kernel.serve.toolbox import Toolbox

    Context = ServerRequestContext[Any, Any]

SCOPE_KEY: Final = "kernel.incoming"  # where the HTTP door leaves a message as it was read
FRESH_MS: Final = 300_000  # how long a client may keep a list that does not change
WATCHED_MS: Final = 1_000
INSTRUCTIONS: Final = (
    "Command line tools of the machine this server runs on. Arguments are checked before anything runs: an error says "
    "which field, what was wanted and what was got. Long outputs are cut, and say so."
)


class Adapter:
    """One server for any number of clients; ``changed`` tells those who listen that the list is another."""

    def __init__(self, toolbox: Toolbox, *, watch: bool = False) -> None:
        self.toolbox = toolbox
        self._watch = watch
        self._bus = InMemorySubscriptionBus()
        self._session: ServerSession | None = None  # of the client on stdio, which has a channel for what it did not ask for
        hint = CacheHint(ttl_ms=WATCHED_MS if watch else FRESH_MS, scope="public")
        self.server: Server[Any] = Server(
            "toolkernel",
            version=__version__,
            title="Tool kernel",
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": hint, "server/discover": hint},
            get_tool_input_schema=toolbox.schema,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=ListenHandler(self._bus) if watch else None,
        )
        self.server.middleware.clear()  # its tracing costs a call more than the call does
        self.server.add_notification_handler("notifications/initialized", types.NotificationParams, self._initialized)
        log = logging.getLogger("mcp")  # what goes wrong is answered; nobody reads a trace
        log.addHandler(logging.NullHandler())
        log.propagate = False

    def options(self) -> InitializationOptions:
        """What the handshake of the older era says of this server."""
        return self.server.create_initialization_options(NotificationOptions(tools_changed=self._watch))

    async def changed(self) -> None:
        """Tells every client once that the list of tools is another."""
        if self._session is not None:
            await self._session.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())

    async def _initialized(self, context: Context, params: types.NotificationParams) -> None:
        if isinstance(context.request, Incoming):
            self._session = context.session

    async def _list(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return {"tools": self.toolbox.list, "resultType": "complete"}  # type: ignore[return-value]  # the runner takes a mapping as well

    async def _call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = exact_arguments(context)
        if not isinstance(arguments, dict):
            kind = {list: "an array", str: "text", bool: "a boolean", type(None): "null"}.get(type(arguments), "a number")
            raise MCPError(types.INVALID_PARAMS, f"`arguments` must be an object, got {kind}")
        try:
            answer = await self.toolbox.call(params.name, arguments, _progress(context))
        except KernelError as error:
            problem = error.problems[0]
            hint = f": {problem.hint}" if problem.hint else ""
            raise MCPError(types.INVALID_PARAMS, f"{problem.message}{hint}", data=problem.facts) from None
        return to_wire(answer)  # type: ignore[return-value]


def exact_arguments(context: Context) -> Any:
    """The arguments as they were read, numbers exact; an empty object where the call has none."""
    request: Any = context.request
    incoming: Incoming = request if isinstance(request, Incoming) else request.scope[SCOPE_KEY]
    return {} if incoming.arguments is ABSENT else incoming.arguments


def to_wire(answer: Answer) -> dict[str, Any]:
    """An answer as the result of `tools/call`."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": text} for text in answer.texts], "isError": answer.is_error}
    if answer.structured is not None:
        result["structuredContent"] = answer.structured
    return {**result, "resultType": "complete"}


def _progress(context: Context) -> Callable[[float], Awaitable[None]] | None:
    """What reports progress to a client that asked for it."""
    meta: Mapping[str, Any] = context.meta or {}
    if meta.get("progress_token", meta.get("progressToken")) is None:
        return None

    async def report(seconds: float) -> None:
        await context.session.report_progress(round(seconds, 3), None, f"running for {seconds:.0f} s")

    return report
