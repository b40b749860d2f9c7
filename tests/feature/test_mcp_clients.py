"""The official client against a real server: both eras, stdio and HTTP, the same tools and the same answers."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kernel_case import ROOT, Case
from mcp_case import PATIENCE, Wire, gone, marked, served

mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed")
MCPError = pytest.importorskip("mcp.shared.exceptions").MCPError
streamable_http_client = pytest.importorskip("mcp.client.streamable_http").streamable_http_client

ERAS = ["legacy", "2026-07-28"]
DOORS = ["stdio", "http"]
TOOLS = {
    "head-of": """
        description: Print the first lines of a file. And more.
        effect: read
        exec: [head, -n, "{lines}", --, "{file}"]
        params:
          - {name: lines, type: int, default: 3, min: 1}
          - {name: file, positional: true, required: true, path: read}
        """,
    "facts": """
        effect: read
        output: json
        exec: [printf, '{{"a": [1, 2]}}']
        """,
    "slow": """
        effect: read
        exec: [sleep, "{seconds}"]
        params: [{name: seconds, required: true}]
        limits: {concurrency: 9}
        """,
    "exact": """
        effect: read
        input_schema: {type: object, properties: {n: {type: integer}}, required: [n], additionalProperties: false}
        exec: [printf, "%s", "{n}"]
        """,
    "fails": "effect: read\nexec: [sh, -c, 'echo partly; printf \"\\033[31mno\\007\" >&2; exit 3']\n",
    "writes": "description: Write.\nexec: [touch, x]\n",
    "secret-thing": "effect: read\nhidden: true\nexec: ['true']\n",
}
NAMES = sorted(name for name in TOOLS if name not in ("writes", "secret-thing"))


def prepared(root: Path) -> Case:
    case = Case(root)
    for name, text in TOOLS.items():
        case.tool(name, text)
    case.file("lines.txt", "one\ntwo\nthree\nfour\n")
    case.file(".env", "TOKEN=1\n")
    return case


ONLY = [word for name in (*NAMES, "writes") for word in ("--only", name)]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return prepared(tmp_path_factory.mktemp("clients"))


@pytest.fixture(scope="module")
def url(case: Case) -> Iterator[str]:
    """The address of an HTTP server of these tools."""
    with served(["--http", "127.0.0.1:0", *ONLY], case.cwd, case.env, case.root / "http-errors") as wire:
        found = address(wire)
        yield found
        wire.process.send_signal(signal.SIGTERM)
        assert wire.ended() == -signal.SIGTERM
        assert "Traceback" not in wire.errors()


def address(wire: Wire) -> str:
    gone(lambda: "http://" in wire.errors() or wire.process.poll() is not None, "an address")
    found = re.search(r"http://\S+", wire.errors())
    assert found is not None, wire.errors()
    return found[0]


def text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize(("door", "era"), [(door, era) for door in DOORS for era in ERAS])
def test_the_official_client_lists_calls_cancels_and_gets_progress(door: str, era: str, case: Case, url: str) -> None:
    target: Any = url
    if door == "stdio":
        target = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "kernel", "mcp", *ONLY], env={**case.env, "PYTHONPATH": str(ROOT)}, cwd=case.cwd
        )

    async def body(client: Any) -> None:
        await lists(client)
        await calls(client)
        await refuses(client)
        await reports(client)
        # over HTTP the older era has nothing that ends a call but its deadline and its server
        await cancels(client, ends=(door, era) != ("http", "legacy"))

    async def main() -> None:
        async with mcp.Client(target, mode=era, read_timeout_seconds=PATIENCE) as client:
            await body(client)

    asyncio.run(main())


async def lists(client: Any) -> None:
    listed = await client.list_tools()
    tools = {tool.name: tool for tool in listed.tools}
    assert list(tools) == NAMES
    first = tools["head-of"]
    assert first.title == "head-of" and first.description.startswith("Print the first lines")
    assert first.input_schema["properties"]["lines"]["default"] == 3
    assert first.annotations.read_only_hint is True and first.annotations.destructive_hint is False
    assert {tool.annotations.open_world_hint for tool in listed.tools} == {True}


async def calls(client: Any) -> None:
    found = await client.call_tool("head-of", {"file": "lines.txt", "lines": 2})
    assert (text(found), found.is_error, found.structured_content) == ("one\ntwo\n", False, None)
    assert text(await client.call_tool("head-of", {"file": "lines.txt", "lines": "1"})) == "one\n"
    facts = await client.call_tool("facts")
    assert facts.structured_content == {"a": [1, 2]} and json.loads(text(facts)) == {"a": [1, 2]}
    assert text(await client.call_tool("exact", {"n": 12345678901234567890123})) == "12345678901234567890123"
    failed = await client.call_tool("fails")
    assert failed.is_error and text(failed) == "[exit status 3]\nno\n[stdout]\npartly\n"


async def refuses(client: Any) -> None:
    for arguments, expected in [
        ({}, ["`file`", "E-REQUIRED", 'example arguments: {"file":"path/to/file"}']),
        ({"file": "lines.txt", "lins": 2}, ["`lins`", "E-UNKNOWN-KEY", "did you mean `lines`", '{"file":"lines.txt","lines":2}']),
        ({"file": "lines.txt", "lines": "many"}, ["`lines`", "E-TYPE", "many", '{"file":"lines.txt","lines":3}']),
        ({"file": "lines.txt", "lines": 0}, ["`lines`", "E-RANGE"]),
        ({"file": ["x"]}, ["`file`", "E-TYPE"]),
        ({"file": "../outside"}, ["`file`", "E-PATH", "outside"]),
        ({"file": ".env"}, ["`file`", "E-PATH", "denied"]),
        ({"file": "sub/.git/config"}, ["`file`", "E-PATH", "denied"]),
    ]:
        refused = await client.call_tool("head-of", arguments)
        assert refused.is_error
        for part in expected:
            assert part in text(refused), text(refused)
    for name in ("writes", "head_off", "secret-thing"):
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name)
        assert caught.value.error.code == -32602
    with pytest.raises(MCPError, match="did you mean `head-of`"):
        await client.call_tool("head-off")


async def reports(client: Any) -> None:
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    await client.call_tool("slow", {"seconds": "1.3"}, progress_callback=progress)
    assert len(seen) >= 1 and seen == sorted(seen)
    assert seen[0] >= 1


async def cancels(client: Any, ends: bool) -> None:
    task = asyncio.ensure_future(client.call_tool("slow", {"seconds": "612.5"}))
    while not marked("sleep\x00612.5"):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if ends:
        await asyncio.to_thread(gone, lambda: not marked("sleep\x00612.5"), "the cancelled call")


def post(url: str, body: bytes, **headers: str) -> tuple[int, Any]:
    """A plain POST: status and JSON."""
    accept = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, body, {**accept, **{k.replace("_", "-"): v for k, v in headers.items()}})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_over_http_the_door_reads_strictly(url: str) -> None:
    assert post(url, PING)[0] == 200
    for body, status, code, id in [
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":1,"a":2}}', 400, -32700, 3),
        (b"nonsense", 400, -32700, None),
        (b"[]", 400, -32600, None),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"exact","arguments":{"n":NaN}}}', 400, -32700, 4),
        (b'"' + b"x" * (8 << 20) + b'"', 413, -32600, None),
    ]:
        got, answer = post(url, body)
        assert (got, answer["error"]["code"], answer["id"]) == (status, code, id)


def test_over_http_others_hosts_and_origins_are_refused(url: str) -> None:
    assert post(url, PING, host="evil.example")[0] == 421
    assert post(url, PING, origin="http://evil.example")[0] == 403
    assert post(url, PING, origin="http://localhost:3000")[0] == 200
    for origin in ("http://127.0.0.1:80@evil.example", "http://[::1]evil.example", "http://localhost:80:evil", "null", ""):
        assert post(url, PING, origin=origin)[0] == 403
    # each Origin is judged, should there be several
    place = urllib.parse.urlsplit(url)
    sent = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
    sent.putrequest("POST", place.path)
    for name, value in (("origin", "http://evil.example"), ("origin", "http://localhost"), ("content-length", str(len(PING)))):
        sent.putheader(name, value)
    sent.endheaders(PING)
    assert sent.getresponse().status == 403
    sent.close()
    assert post(url, PING, host="127.0.0.1:80@evil.example")[0] == 421
    assert post(url, PING, host="[::1]:1")[0] == 200


def test_over_http_a_token_is_asked_for(tmp_path: Path) -> None:
    case = prepared(tmp_path)
    case.file("token", "s3cret\n")
    refused = case.run(["mcp", "--http", "0.0.0.0:0"])
    assert refused.exit == 2 and "takes a token" in refused.stderr
    words = ["--http", "0.0.0.0:0", "--token-file", "token", "--only", "facts"]
    with served(words, case.cwd, case.env, tmp_path / "errors") as wire:
        url = address(wire).replace("0.0.0.0", "127.0.0.1")
        assert post(url, PING)[0] == 401
        assert post(url, PING, authorization="Bearer other")[0] == 401
        assert post(url, PING, authorization="Basic s3cret")[0] == 401
        assert post(url, PING, authorization="Bearer s3cret")[0] == 200
        assert post(url, PING, authorization="bearer s3cret")[0] == 200
        assert post(url, PING, authorization="Bearer s3cret", host="any.example")[0] == 200
        assert post(url, PING, authorization="Bearer s3cret", origin="http://evil.example")[0] == 403


@pytest.mark.parametrize("era", ERAS)
def test_over_http_the_end_of_the_server_ends_calls(era: str, tmp_path: Path) -> None:
    case = prepared(tmp_path)

    async def main(wire: Wire) -> None:
        async with streamable_http_client(address(wire)) as streams, mcp.Client(_Given(streams), mode=era) as client:
            task = asyncio.ensure_future(client.call_tool("slow", {"seconds": "613.5"}))
            while not marked("sleep\x00613.5"):
                await asyncio.sleep(0.01)
            wire.process.send_signal(signal.SIGINT)
            await asyncio.to_thread(wire.ended)
            assert wire.process.returncode == -signal.SIGINT
            assert not marked("sleep\x00613.5")
            task.cancel()
            await asyncio.wait([task])

    with served(["--http", "127.0.0.1:0", "--only", "slow"], case.cwd, case.env, tmp_path / "errors") as wire:
        asyncio.run(asyncio.wait_for(main(wire), PATIENCE))


class _Given:
    """A transport that is connected already."""

    def __init__(self, streams: Any) -> None:
        self._streams = streams

    async def __aenter__(self) -> Any:
        return self._streams

    async def __aexit__(self, *_: object) -> None:
        pass


def test_a_modern_call_whose_client_goes_away_is_ended(case: Case, url: str) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    }
    params = {"name": "slow", "arguments": {"seconds": "614.5"}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    import socket

    host, port = url.partition("//")[2].partition("/")[0].split(":")
    with socket.create_connection((host, int(port))) as client:
        head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += "Mcp-Method: tools/call\r\nMcp-Name: slow\r\n"
        head += "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        gone(lambda: marked("sleep\x00614.5"), "a call that does not begin")
    gone(lambda: not marked("sleep\x00614.5"), "the call")
