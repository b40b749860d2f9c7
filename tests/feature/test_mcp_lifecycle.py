"""The life of `kernel mcp` on real processes: whatever ends it, nothing is left; whatever it is sent, it goes on."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case
from mcp_case import Wire, gone, marked, served

pytest.importorskip("mcp", reason="the MCP SDK is not installed")

# a child that ignores TERM, with a grandchild in a session of its own; the mark tells them from all others
STUBBORN = "trap '' TERM; setsid sh -c 'sleep 600; : MARK' & sleep 600; : MARK"


def lasting(case: Case) -> str:
    """A mark that no other process has on its command line, as part of a tool `lasting` that never ends by itself."""
    mark = f"mark{os.getpid()}x{random.getrandbits(40):x}"
    script = STUBBORN.replace("MARK", mark)
    case.tool(
        "lasting",
        f"""
        description: Last.
        effect: read
        exec: [sh, -c, {json.dumps(script)}]
        limits: {{concurrency: 60, rate: 1000/1s}}
        """,
    )
    return mark


class Shared:
    """A server that outlives a test, with all the tools that they call."""

    def __init__(self, wire: Wire, mark: str) -> None:
        self.wire = wire
        self.mark = mark


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """One server for the tests that leave it running; it must end well, and without a trace, after all of them."""
    root = tmp_path_factory.mktemp("shared")
    case = Case(root)
    mark = lasting(case)
    for name, text in TOOLS.items():
        case.tool(name, text)
    case.env["SECRET_TOKEN"] = "hush"
    case.env["PYTHONSTARTUP"] = "x"
    only = [word for name in ("lasting", *TOOLS) for word in ("--only", name)]
    with served(only, case.cwd, case.env, root / "errors") as wire:
        wire.shake()
        yield Shared(wire, mark)
        assert wire.close() == 0
        gone(lambda: not marked(mark), "children")
        assert "Traceback" not in wire.errors()


TOOLS = {
    "slow": "effect: read\ntimeout: 300ms\nexec: [sh, -c, 'echo so far; sleep 600']\n",
    "flood": "effect: read\nexec: [sh, -c, 'head -c 300000000 /dev/zero | tr \"\\0\" x; echo end >&2']\n",
    "twice": """
        effect: read
        exec: [sh, -c, 'sleep 0.2; printf "%s" "$0$0"', "{n}"]
        limits: {concurrency: 50, rate: 1000/1s}
        params: [{name: n, type: int, required: true}]
        """,
    "look": "effect: read\nexec: [sh, -c, 'cat; ls -l /proc/$$/fd | wc -l; readlink /proc/$$/fd/0; env']\n",
    "much": "effect: read\nexec: [sh, -c, 'head -c 39000 /dev/zero | tr \"\\0\" x']\nlimits: {concurrency: 99, rate: 999/1s}\n",
}


@pytest.mark.parametrize("how", ["input", "TERM", "INT", "HUP", "KILL", "output"])
def test_whatever_ends_the_server_ends_its_calls(how: str, tmp_path: Path) -> None:
    case = Case(tmp_path)
    mark = lasting(case)
    with served(["--only", "lasting"], case.cwd, case.env, tmp_path / "errors") as wire:
        wire.shake()
        calls = [wire.call("lasting") for _ in range(3)]
        gone(lambda: len(marked(mark)) >= 6, "too few calls have begun")
        if how == "input":
            assert wire.process.stdin is not None
            wire.process.stdin.close()
            assert wire.line() is None, "calls in flight at the end of the input are not answered"
            assert wire.ended() == 0
        elif how == "output":
            assert wire.process.stdout is not None
            wire.process.stdout.close()
            wire.request("ping")
            assert wire.ended() == 0
        else:
            number = getattr(signal, f"SIG{how}")
            wire.process.send_signal(number)
            assert wire.ended() == -number
        gone(lambda: not marked(mark), f"children of {calls}")
        assert "Traceback" not in wire.errors()


def test_a_cancelled_call_is_ended_and_not_answered(shared: Shared) -> None:
    wire = shared.wire
    call = wire.call("lasting")
    gone(lambda: len(marked(shared.mark)) >= 2, "the call has not begun")
    wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}})
    gone(lambda: not marked(shared.mark), "the cancelled call")
    answer = wire.request("ping")
    while (read := wire.line()) is not None and read.get("id") != answer:
        assert read.get("id") != call


def test_a_deadline_and_a_flood_leave_a_bounded_server(shared: Shared) -> None:
    wire = shared.wire
    flood, slow = wire.call("flood"), wire.call("slow")
    ended = wire.result(slow)
    assert ended["isError"] and "300ms" in ended["content"][0]["text"].replace("0.3 s", "300ms")
    assert "so far" in ended["content"][0]["text"]
    text = wire.result(flood)["content"][0]["text"]
    assert len(text) < 41_000 and text.startswith("xxx") and "characters are cut" in text and "1,048,576 bytes" in text
    peak = next(line for line in Path(f"/proc/{wire.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    assert int(peak.split()[1]) < 250_000, peak


def test_fifty_calls_at_once_are_all_answered(shared: Shared) -> None:
    wire = shared.wire
    waiting = {wire.call("twice", f'{{"n":{at}}}'): f"{at}{at}" for at in range(50)}
    while waiting:
        read = wire.line()
        assert read is not None
        assert read["result"]["content"][0]["text"] == waiting.pop(read["id"])


BROKEN: list[tuple[bytes, int]] = [
    (b"nonsense", -32700),
    (b"[]", -32600),
    (b"17", -32600),
    (b"{}", -32600),
    (b'"' + b"x" * 1000, -32700),
    (b"\xff\xfe", -32700),
    (b"\xef\xbb\xbf{}", -32700),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":900,"method":7}', -32600),
    (b'{"jsonrpc":"1.0","id":901,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":902,"method":"ping","params":[]}', -32600),
    (b'{"jsonrpc":"2.0","id":903,"result":3}', -32600),
    (b'{"a":' * 101 + b"1" + b"}" * 101, -32700),
    (b"[" + b"1," * 100_001 + b"1]", -32600),
    (b'{"jsonrpc":"2.0","id":904,"method":"ping"} x', -32700),
    (b'{"jsonrpc":"2.0","id":905,"method":"ping","method":"ping"}', -32700),
    (b'{"jsonrpc":"2.0","id":906,"method":"tools/call","params":{"name":"x","arguments":[1]}}', -32602),
    (b'{"jsonrpc":"2.0","id":907,"method":"tools/call","params":{"name":"x","arguments":null}}', -32602),
    (b'{"jsonrpc":"2.0","id":908,"method":"tools/call","params":{"name":"x"}}', -32602),
    (b'{"jsonrpc":"2.0","id":909,"method":"nonsense"}', -32601),
]


def identity(line: bytes) -> int | None:
    """The id that the answer to a broken line must have."""
    at = line.find(b'"id":9')
    return int(line[at + 5 : at + 8]) if at >= 0 else None


def test_malformed_lines_are_answered_and_end_nothing(shared: Shared) -> None:
    wire = shared.wire
    for line, code in BROKEN:
        wire.send(line)
        answer = wire.answer(identity(line))
        assert answer["error"]["code"] == code, line[:80]
    wire.send(b'{"jsonrpc":"2.0","id":990,"method":"ping","params":{"x":"' + b"y" * (8 << 20) + b'"}}')
    assert wire.answer(None)["error"]["code"] == -32600
    wire.send(b'{"jsonrpc":"2.0","id":991,"method":"ping","params":{"x":"' + b"y" * ((8 << 20) - 100) + b'"}}')
    assert wire.result(991) == {}
    for line in (b"", b"   ", b'{"jsonrpc":"2.0","method":"nonsense"}', b'{"jsonrpc":"2.0","id":5,"result":{}}'):
        wire.send(line)
    assert wire.result(wire.request("ping")) == {}


def test_a_thousand_mangled_lines_are_each_answered_or_ignored(shared: Shared) -> None:
    source = random.Random(20260728)
    seeds = [
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"words":["a","\\u00e9"]}}}',
        b'{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":"x","_meta":{"progressToken":1e3}}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"because"}}',
    ]
    wire = shared.wire
    for _ in range(1000):
        line = bytearray(source.choice(seeds))
        for _ in range(source.randint(1, 4)):
            at = source.randrange(len(line))
            line[at : at + source.randint(0, 3)] = source.choice([b"", b'"', b"{", b"]", b"\\", b"\xc3", b"0", b"null", b"\x00"])
        wire.send(bytes(line).replace(b"\n", b" "))
    wire.send({"jsonrpc": "2.0", "id": "last", "method": "ping"})
    seen: list[Any] = []
    while (read := wire.line()) is not None and read.get("id") != "last":
        seen.append(read)
    assert read is not None and len(seen) > 500
    assert all("error" in each or "result" in each for each in seen)
    wire.skip_ids()


def test_children_never_see_the_wire(shared: Shared) -> None:
    wire = shared.wire
    text = wire.result(wire.call("look"))["content"][0]["text"]
    assert "hush" not in text and "PYTHON" not in text and "KERNEL_STATE_DIR" not in text
    assert "LC_ALL=C.UTF-8" in text and "PATH=" in text
    lines = text.splitlines()
    assert int(lines[0]) <= 5 and lines[1] == "/dev/null"


def test_a_client_that_does_not_read_loses_nothing(shared: Shared) -> None:
    wire = shared.wire
    calls = {wire.call("much") for _ in range(60)}  # 2.3 MB of answers into a pipe that holds 64 KiB
    gone(lambda: not marked("head -c 39000"), "the calls")
    while calls:
        read = wire.line()
        assert read is not None and len(read["result"]["content"][0]["text"]) == 39_000
        calls.remove(read["id"])
