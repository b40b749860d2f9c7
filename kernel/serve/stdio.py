"""The stdio transport: an event-loop reader and writer on private descriptors, no thread, no queue (serving.md).

While it serves, descriptor 0 is the null device and 1 is stderr, so that nothing that a child or a library prints gets
onto the wire. The two ends are the SDK's streams themselves.
"""

from __future__ import annotations

import asyncio
import collections
import fcntl
import os
import stat
import time
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError

from kernel import strict_json
from kernel.serve import messages
from kernel.serve.messages import INVALID_REQUEST, Incoming, Unreadable
from kernel.serve.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from kernel.serve.adapter import Adapter

CHUNK: Final = 1 << 16
MOST_WAITING: Final = 256  # lines read ahead of the server
MOST_HELD: Final = 2 * messages.LONGEST  # bytes of them
FULL: Final = 1 << 20  # bytes waiting for the client, from which on whoever sends waits as well
LAST_ANSWERS: Final = 0.5  # seconds for the answers that are not calls when the input has ended


def private_descriptors() -> tuple[int, int]:
    """Descriptors for the wire that no child gets; 0 and 1 lead elsewhere from now on."""
    reader, writer = (fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3) for number in (0, 1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(null, 1)
    if null > 2:
        os.close(null)
    return reader, writer


class Outlet:
    """The SDK's write stream: messages become lines, written as the client takes them."""

    def __init__(self, descriptor: int, gone: Callable[[], None]) -> None:
        self.open: dict[Any, str] = {}  # id -> method of each request without an answer
        self.no_calls = False  # the input has ended: calls are not answered any more
        self.ended = False
        self._descriptor = descriptor
        self._gone = gone
        self._waiting = bytearray()
        self._drained = asyncio.Event()
        self._drained.set()
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            os.set_blocking(descriptor, False)

    async def send(self, item: SessionMessage, /) -> None:
        """One message; waits while the client does not read."""
        message = item.message
        answered = ""
        if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
            answered = self.open.pop(message.id, "")
        if self.ended or (self.no_calls and answered == "tools/call"):
            return
        self.put(message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8", "replace") + b"\n")
        await self.room()

    def put(self, line: bytes) -> None:
        """A line, written now as far as the client takes it."""
        busy = bool(self._waiting)
        self._waiting += line
        if not busy:
            self._write()
            if self._waiting:
                self._drained.clear()
                asyncio.get_running_loop().add_writer(self._descriptor, self._write_on)

    def _write(self) -> None:
        try:
            while self._waiting:
                with memoryview(self._waiting) as view:
                    count = os.write(self._descriptor, view[:CHUNK])
                del self._waiting[:count]
        except BlockingIOError:
            pass
        except OSError:
            self._waiting.clear()
            self.ended = True
            self._gone()

    def _write_on(self) -> None:
        self._write()
        if not self._waiting:
            asyncio.get_running_loop().remove_writer(self._descriptor)
            self._drained.set()

    async def room(self) -> None:
        """Waits while much is waiting for the client: one that does not read is not listened to either."""
        if len(self._waiting) > FULL:
            await self._drained.wait()

    @property
    def is_idle(self) -> bool:
        """Whether all that was answered is written, and nothing but calls waits for an answer."""
        return not self._waiting and not any(method not in ("tools/call", "subscriptions/listen") for method in self.open.values())

    def end(self) -> None:
        """Nothing is written from now on; whoever waits for the client goes on."""
        self.ended = True
        self._waiting.clear()
        self._drained.set()

    async def aclose(self) -> None:
        self.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Inlet:
    """The SDK's read stream: lines become messages; those that cannot be read are answered here and never seen there."""

    def __init__(self, descriptor: int, outlet: Outlet, at_end: Callable[[], None], *, finds_ids: bool = True) -> None:
        self._descriptor = descriptor
        self._outlet = outlet
        self._at_end = at_end
        self._finds_ids = finds_ids
        self._lines: collections.deque[bytes] = collections.deque()
        self._held = 0  # bytes in them
        self._rest = bytearray()
        self._skipping = False  # what is left of a line that is too long
        self._ended = False
        self._closed = False
        self._ready = asyncio.Event()
        self._reading = False
        self._polled = False  # a file, which is always ready
        self._listen()

    def _listen(self) -> None:
        if not self._reading and not self._ended and not self._closed:
            try:
                asyncio.get_running_loop().add_reader(self._descriptor, self._take)
                self._reading = True
            except PermissionError:
                self._polled = True

    def _deafen(self) -> None:
        if self._reading:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._reading = False

    def _take(self) -> None:
        """Takes what there is to read, and splits it into lines."""
        try:
            data = os.read(self._descriptor, CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        self._ready.set()
        if not data:
            self._ended = True
            if self._rest and not self._skipping:
                self._keep_line()  # the last one, without its end
            self._deafen()
            return
        first, *others = data.split(b"\n")
        self._rest += first
        for line in others:
            if not self._skipping:
                self._keep_line()
            self._skipping = False
            self._rest = bytearray(line)
        if len(self._rest) > messages.LONGEST:
            if not self._skipping:
                self._keep_line()  # too long already, and refused as that
            self._skipping = True
            self._rest = bytearray()
        if len(self._lines) > MOST_WAITING or self._held > MOST_HELD:
            self._deafen()

    def _keep_line(self) -> None:
        self._lines.append(bytes(self._rest))
        self._held += len(self._rest)

    async def receive(self) -> SessionMessage:
        """The next message that can be read. Raises StopAsyncIteration at the end of the input."""
        while True:
            while not self._lines:
                if self._ended or self._closed:
                    await self._finish()
                    raise StopAsyncIteration
                if self._polled:
                    self._take()
                    await asyncio.sleep(0)
                    continue
                self._listen()
                self._ready.clear()
                await self._ready.wait()
            await self._outlet.room()
            line = self._lines.popleft()
            self._held -= len(line)
            if not line.strip():
                continue
            try:
                return self._message(messages.read(line, finds_ids=self._finds_ids))
            except Unreadable as error:
                self._outlet.put(strict_json.dumps(error.answer()).encode() + b"\n")
                await asyncio.sleep(0)

    def _message(self, incoming: Incoming) -> SessionMessage:
        body = incoming.body
        message: types.JSONRPCMessage
        if "method" in body and "id" in body:
            message = types.JSONRPCRequest.model_construct(**body)
            self._outlet.open[body["id"]] = body["method"]
        elif "method" in body:
            message = types.JSONRPCNotification.model_construct(**body)
        else:
            try:
                message = types.jsonrpc_message_adapter.validate_python(body, by_name=False)
            except ValidationError:
                raise Unreadable(INVALID_REQUEST, "the message is no JSON-RPC answer", incoming.id) from None
        return SessionMessage(message, ServerMessageMetadata(request_context=incoming))

    async def _finish(self) -> None:
        """Lets what was asked before the end be answered, calls excepted, then nothing is answered any more."""
        self._outlet.no_calls = True
        self._at_end()
        end = time.monotonic() + LAST_ANSWERS
        while not self._closed and not self._outlet.is_idle and not self._outlet.ended and time.monotonic() < end:
            await asyncio.sleep(0.002)
        self._outlet.end()

    async def aclose(self) -> None:
        self._closed = True
        self._deafen()
        self._ready.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        return await self.receive()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def serve(adapter: Adapter, *, finds_ids: bool = True, beside: Callable[[], Any] | None = None) -> int:
    """Serves one client until its input ends, it is gone, or a signal comes: the number of that signal, else 0.

    ``beside`` makes a coroutine that runs meanwhile.
    """
    reader, writer = private_descriptors()
    task = asyncio.current_task()
    assert task is not None
    stop = Stop(adapter.toolbox.calls.end, task.cancel)
    stop.install()
    outlet = Outlet(writer, stop.now)
    inlet = Inlet(reader, outlet, stop.end_calls, finds_ids=finds_ids)
    watcher = asyncio.ensure_future(beside()) if beside is not None else None
    try:
        await adapter.server.run(inlet, outlet, adapter.options())
    except asyncio.CancelledError:
        pass
    finally:
        outlet.end()
        if watcher is not None:
            watcher.cancel()
        stop.wait()
    return stop.signal
