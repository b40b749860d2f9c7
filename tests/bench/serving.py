"""How fast a served call is answered (performance.md T16): both servers are real processes, asked in turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CALLS = 400
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
# the least that the SDK can do: its own server on its own transport, answering with what it was sent
ECHO = """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="find_tools", input_schema={"type": "object"})])

async def call(context, params):
    return types.CallToolResult(content=[types.TextContent(text=str(params.arguments))])

async def main():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())

server = Server("echo", on_list_tools=tools, on_call_tool=call)
anyio.run(main)
"""


class Server:
    """A server on pipes, asked one thing at a time."""

    def __init__(self, words: list[str], tool: str) -> None:
        self.tool = tool
        self.process = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": str(ROOT), "KERNEL_AUDIT": "0"},
        )
        self.number = 0
        self._ask("initialize", HANDSHAKE)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def _ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        assert self.process.stdout is not None
        self.number += 1
        self._write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        answer: dict[str, object] = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        return answer

    def call(self) -> float:
        """Seconds from a call to its answer."""
        begin = time.perf_counter()
        self._ask("tools/call", {"name": self.tool, "arguments": {}})
        return time.perf_counter() - begin

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def rows() -> Iterable[tuple[str, str, float, float, float, str]]:
    """T16: a call that the server answers itself; and, without a gate, one that starts /bin/true."""
    rate = ["--process-rate-limit-count", "1000000", "--process-rate-limit-window-ms", "1000"]
    servers = {
        "echo": Server(["-c", ECHO], "find_tools"),
        "empty": Server(["-m", "kernel", "mcp", "--only", "echo", "--facade", "on"], "find_tools"),
        "program": Server(["-m", "kernel", "mcp", "--tool", "--name", "true", *rate, "--exec", "/bin/true"], "true"),
    }
    times: dict[str, list[float]] = {name: [] for name in servers}
    for server in servers.values():
        server.call()
    for _ in range(CALLS):
        for name, server in servers.items():
            times[name].append(server.call())
    for server in servers.values():
        server.end()

    def ratio(name: str) -> float:
        return statistics.median([mine / theirs for mine, theirs in zip(times[name], times["echo"], strict=True)])

    yield "T16", "empty MCP call, against an echo on the SDK's own stdio", ratio("empty"), 1.0, 0.6, "x"
    yield "T16", "the same with a program that is started and ends", ratio("program"), 0, 0, "x"
