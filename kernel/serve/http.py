"""The HTTP door: who may come in, and the same strict reader as on stdio, before the SDK's own application (serving.md)."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import re
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from kernel import strict_json
from kernel.serve import messages
from kernel.serve.adapter import SCOPE_KEY
from kernel.serve.listening import hosts_of
from kernel.serve.messages import Unreadable
from kernel.serve.stop import Stop

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping

    from kernel.serve.adapter import Adapter

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH: Final = "/mcp"
_AUTHORITY: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:@/?#\s]+))(?::[0-9]*)?")


class Door:
    """ASGI middleware: Host, Origin and token are judged, then a message is read strictly and handed on."""

    def __init__(self, app: App, hosts: frozenset[str] | None, token: str = "") -> None:
        self._app = app
        self._hosts = hosts  # names this server is called by; None for any
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope["headers"])
        if refusal is not None:
            status, why = refusal
            extra = [(b"www-authenticate", b"Bearer")] if status == 401 else []
            await _respond(send, status, {"error": why}, extra)
        elif scope["method"] == "POST" and scope["path"] == PATH:
            await self._post(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, sent: Collection[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        headers = dict(sent)
        host = _host_of(headers.get(b"host", b"").decode("latin-1"))
        if self._hosts is not None and host not in self._hosts:
            return 421, "this server is not called by that Host"
        for origin in [value for name, value in sent if name == b"origin"]:
            name = _host_of(origin.decode("latin-1").partition("://")[2])
            if not name or name not in (self._hosts if self._hosts is not None else {host}):
                return 403, "that Origin may not use this server"
        if self._token:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
                return 401, "a bearer token is wanted"
        return None

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        more = True
        while more:
            part = await receive()
            if part["type"] == "http.disconnect":
                return
            body += part.get("body", b"")
            more = part.get("more_body", False)
            if len(body) > messages.LONGEST:
                await _respond(send, 413, messages.too_long().answer(), [(b"connection", b"close")])
                return
        try:
            incoming = messages.read(bytes(body))
        except Unreadable as error:
            await _respond(send, 400, error.answer())
            return
        plain = strict_json.dumps(incoming.body).encode()
        headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
        scope = {**scope, "headers": [*headers, (b"content-length", str(len(plain)).encode())], SCOPE_KEY: incoming}
        handed = False

        async def replay() -> MutableMapping[str, Any]:
            nonlocal handed
            if handed:
                return await receive()
            handed = True
            return {"type": "http.request", "body": plain, "more_body": False}

        await self._app(scope, replay, send)


def _host_of(text: str) -> str:
    """The name in a Host header or after an origin's scheme, without the port; "" for what is neither."""
    found = _AUTHORITY.fullmatch(text)
    return (found[1] or found[2]).lower() if found else ""


async def _respond(send: Send, status: int, value: dict[str, Any], extra: list[tuple[bytes, bytes]] | None = None) -> None:
    body = strict_json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *(extra or [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def application(adapter: Adapter, hosts: frozenset[str] | None, token: str = "") -> App:
    """The whole of the server as an ASGI application."""
    inner = adapter.server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=messages.LONGEST,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # judged by the door
    )
    return Door(inner, hosts, token)


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals to Stop: uvicorn's own way ends the process before the calls have ended."""
        yield


async def serve(
    adapter: Adapter, address: str, listening: socket.socket, token: str = "", beside: Callable[[], Any] | None = None
) -> int:
    """Serves until a signal comes; returns its number. ``beside`` makes a coroutine that runs meanwhile."""
    config = uvicorn.Config(
        application(adapter, hosts_of(address), token),
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=0,  # calls are ended, so that nothing is left to wait for
    )
    server = _Uvicorn(config)
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    logging.getLogger("uvicorn").propagate = False
    stop = Stop(adapter.toolbox.calls.end, lambda: setattr(server, "should_exit", True))
    stop.install()
    watcher = asyncio.ensure_future(beside()) if beside is not None else None
    try:
        await server.serve(sockets=[listening])
    finally:
        if watcher is not None:
            watcher.cancel()
        stop.wait()
    return stop.signal
