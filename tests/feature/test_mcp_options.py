"""What `kernel mcp` serves, and what it says of the rest: filters, effects, workspace, facade, watching, client snippets."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from kernel_case import ROOT, Case
from mcp_case import Wire, gone, served

pytest.importorskip("mcp", reason="the MCP SDK is not installed")

from kernel.serve import catalogue, own_tools
from kernel.serve.calls import Calls
from kernel.serve.catalogue import Choice, Snapshot
from kernel.serve.toolbox import Toolbox


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A case whose environment and working directory are this process's."""
    made = Case(tmp_path)
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(made.cwd)
    # what the package ships would only be in the way
    monkeypatch.setattr("kernel.locate.shipped_directory", lambda: "")
    return made


def built(case: Case, **options: Any) -> Snapshot:
    return catalogue.build(Choice(workspace=str(case.cwd), **options), own_tools.RESERVED)


def reasons(snapshot: Snapshot) -> dict[str, str]:
    return dict(snapshot.left_out)


def answer(snapshot: Snapshot, case: Case, name: str, arguments: dict[str, Any], facade: str = "auto", allow: str = "read") -> Any:
    box = Toolbox(Calls(str(case.cwd), allow), snapshot, facade)
    return asyncio.run(box.call(name, arguments))


def test_effects_decide_what_is_served_and_each_left_out_tool_is_named(case: Case) -> None:
    case.tool("reads", "effect: read\nexec: ['true']\n")
    case.tool("unstated", "exec: ['true']\n")
    case.tool("writes", "effect: write\nexec: ['true']\n")
    case.tool("destroys", "effect: destructive\nexec: ['true']\n")
    case.tool("asks", "effect: write\nconfirm: Really?\nexec: ['true']\n")
    case.tool("broken", "exec: [\n")
    case.tool("wants", "effect: read\nneeds: {programs: [no-such-program]}\nexec: [no-such-program]\n")
    found = built(case)
    assert list(found.tools) == ["reads"]
    said = reasons(found)
    assert said["unstated"] == "it states no effect, which counts as `write`: `--allow write` serves it"
    assert said["destroys"] == "its effect is `destructive`: `--allow destructive` serves it"
    assert "broken.yaml:" in said["broken"] and "no-such-program" in said["wants"]
    assert list(built(case, allow="write").tools) == ["reads", "unstated", "writes"]
    assert list(built(case, allow="destructive").tools) == ["asks", "destroys", "reads", "unstated", "writes"]


def test_a_param_that_raises_the_effect_is_refused_when_it_is_used(case: Case) -> None:
    case.tool(
        "both",
        """
        effect: read
        exec: [printf, ran, ["{?save}", "--save"]]
        params: [{name: save, type: bool, effect: write}]
        """,
    )
    found = built(case)
    assert answer(found, case, "both", {}).texts == ["ran"]
    refused = answer(found, case, "both", {"save": True})
    assert refused.is_error and "E-EFFECT" in refused.texts[0] and "`read`" in refused.texts[0]
    assert not answer(found, case, "both", {"save": True}, allow="write").is_error


def test_only_and_tag_choose_tools_and_subcommands(case: Case) -> None:
    case.tool(
        "vcs",
        """
        effect: read
        tags: [code]
        exec: [echo]
        subcommands:
          - {name: log, exec: [echo, log]}
          - {name: show-all, exec: [echo, show], tags: [other]}
        """,
    )
    case.tool("plain", "effect: read\ntags: [text]\nexec: ['true']\n")
    assert list(built(case).tools) == ["plain", "vcs", "vcs_log", "vcs_show-all"]
    assert list(built(case, only=("vcs",)).tools) == ["vcs", "vcs_log", "vcs_show-all"]
    assert list(built(case, only=("vcs log", "plain")).tools) == ["plain", "vcs_log"]
    assert list(built(case, only=("vcs_show-all",)).tools) == ["vcs_show-all"]
    assert list(built(case, tags=("text", "none")).tools) == ["plain"]
    missing = built(case, only=("plane",))
    assert (list(missing.tools), reasons(missing)) == ([], {"plane": "no manifest defines it"})


def test_names_are_short_and_unique_and_the_servers_own_are_kept_free(case: Case) -> None:
    case.tool("a" * 19, f"effect: read\nsubcommands: [{{name: {'b' * 20}, exec: ['true']}}]\n")
    for name in ("x_y", "x-y", "run_tool"):
        case.tool(name, "effect: read\nexec: ['true']\n")
    names = list(built(case).tools)
    assert built(case).left_out == []
    assert len(names) == 4 and all(re.fullmatch("[a-zA-Z][a-zA-Z0-9_-]{0,39}", name) for name in names)
    assert len({name.lower().replace("-", "_") for name in names}) == 4
    assert "run_tool" not in names and names == list(built(case).tools)


def test_the_list_is_the_same_bytes_each_time_and_sound_json(case: Case) -> None:
    case.tool("t", "effect: read\nexec: [echo, '{x}']\nparams: [{name: x, type: number, default: 0.1, max: 1e3}]\n")
    case.tool("s", "effect: read\nexec: [echo]\n")
    box = [Toolbox(Calls(str(case.cwd)), built(case)).list for _ in range(2)]
    assert json.dumps(box[0]) == json.dumps(box[1])
    assert [tool["name"] for tool in box[0]] == ["s", "t"]
    for tool in box[0]:
        assert set(tool["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert tool["title"] and tool["inputSchema"]["additionalProperties"] is False


def test_a_server_of_the_home_directory_serves_no_paths(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case.tool("reads", "effect: read\nexec: [cat, '{f}']\nparams: [{name: f, path: read, required: true}]\n")
    case.tool("rooted", "effect: read\nroots: [tools.d]\nexec: [cat, '{f}']\nparams: [{name: f, path: read, required: true}]\n")
    assert catalogue.workspace_of("") == (str(case.cwd), False)
    monkeypatch.setenv("HOME", str(case.cwd))
    assert catalogue.workspace_of("") == (str(case.cwd), True)
    assert catalogue.workspace_of(".") == (str(case.cwd), False)
    found = built(case, everywhere=True)
    assert list(found.tools) == ["rooted"] and "--workspace" in reasons(found)["reads"]


@pytest.fixture
def with_shipped(case: Case, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A case with two tools that come with the package."""
    case.write("../shipped/tools.d/clog.yaml", "description: Show all.\neffect: read\ntags: [commits]\nexec: [echo]\n")
    case.write("../shipped/tools.d/dlog.yaml", "description: Show commits.\neffect: read\nexec: [echo]\n")
    monkeypatch.setattr("kernel.locate.shipped_directory", lambda: str(case.root / "shipped/tools.d"))
    return case


def test_the_projects_own_tools_alone(with_shipped: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    case = with_shipped
    monkeypatch.setenv("KERNEL_CONFIG_DIR", str(case.root / "config"))
    case.write("../config/tools.d/mine.yaml", "description: M.\neffect: read\nexec: [echo]\n")
    case.write("../more/named.yaml", "description: N.\neffect: read\nexec: [echo]\n")
    case.tool("own", "description: O.\neffect: read\nexec: [echo]\n")
    more = (str(case.root / "more"),)
    assert list(built(case, tools=more).tools) == ["clog", "dlog", "mine", "named", "own"]
    assert list(built(case, tools=more, project=True).tools) == ["named", "own"]
    assert list(built(case, project=True, only=("clog", "own")).tools) == ["own"]


def test_what_is_found_first(with_shipped: Case) -> None:
    case = with_shipped
    case.tool("alog", "description: Show all.\ntags: [commits]\neffect: read\nexec: [echo]\n")
    case.tool("zcommits", "description: Show.\neffect: read\nexec: [echo]\n")
    case.tool("zlog", "description: Show commits.\neffect: read\nexec: [echo]\n")

    def found(query: str) -> list[str]:
        lines = answer(built(case), case, "find_tools", {"query": query}, "on").texts[0].splitlines()
        return [line.split(":")[0] for line in lines]

    assert found("commits") == ["zcommits", "zlog", "dlog", "alog", "clog"]
    assert found("show COMMITS") == ["zcommits", "zlog", "dlog", "alog", "clog"]
    assert found("") == ["alog", "zcommits", "zlog", "clog", "dlog"]


def test_above_sixty_tools_three_stand_for_all(case: Case) -> None:
    for number in range(61):
        case.tool(
            f"tool{number}",
            f"description: Print {number}. Nothing else.\neffect: read\ntags: [printing]\nexec: [echo, '{number}']\n",
        )
    case.tool(
        "exact",
        """
        description: Print a number.
        effect: read
        input_schema: {type: object, properties: {n: {type: integer}}, required: [n], additionalProperties: false}
        exec: [printf, "%s", "{n}"]
        """,
    )
    found = built(case)
    box = Toolbox(Calls(str(case.cwd)), found)
    assert [tool["name"] for tool in box.list] == ["describe_tool", "find_tools", "run_tool"]
    assert len(Toolbox(Calls(str(case.cwd)), found, "off").list) == 62
    assert answer(found, case, "find_tools", {"query": "print 61"}).texts == [
        "[no tool has these words in its name, description or tags]"
    ]
    assert answer(found, case, "find_tools", {"query": "Number PRINT"}).texts == ["exact: Print a number"]
    listed = answer(found, case, "find_tools", {}).texts[0].splitlines()
    assert len(listed) == 31 and listed[0] == "exact: Print a number" and "32 more" in listed[-1]
    shown = json.loads(answer(found, case, "describe_tool", {"name": "exact"}).texts[0])
    assert shown["inputSchema"]["properties"] == {"n": {"type": "integer"}}
    from kernel.strict_json import Number

    ran = answer(found, case, "run_tool", {"name": "exact", "arguments": {"n": Number("1" * 30 + ".0")}})
    assert ran.texts == ["1" * 30]
    assert answer(found, case, "tool7", {}).texts == ["7\n"]
    for arguments, part in [
        ({"name": "exact"}, "`n`"),
        ({}, "`name`"),
        ({"name": "exakt"}, "did you mean `exact`"),
        ({"name": "exact", "argument": {}}, "`argument`"),
    ]:
        refused = answer(found, case, "run_tool", arguments)
        assert refused.is_error and part in refused.texts[0]


def test_read_output_is_listed_where_a_tool_keeps_its_output(case: Case) -> None:
    case.tool(
        "long", "effect: read\nlimits: {spill: true, output: 1KiB}\nexec: [sh, -c, 'head -c 100000 /dev/zero | tr \"\\\\0\" x']\n"
    )
    found = built(case)
    box = Toolbox(Calls(str(case.cwd)), found)
    assert [tool["name"] for tool in box.list] == ["long", "read_output"]

    async def pages() -> list[str]:
        first = (await box.call("long", {})).texts[0]
        text, _, note = first.rpartition("\n")
        shown = [text]
        arguments = json.loads(note[note.index("{") : note.index("}") + 1])
        while True:
            text, _, note = (await box.call("read_output", arguments)).texts[0].rpartition("\n")
            shown.append(text)
            if note == "[the end]":
                return shown
            arguments["offset"] = int(note.rstrip("]").rpartition(" ")[2])

    assert "".join(asyncio.run(pages())) == "x" * 100_000

    async def beyond() -> list[str]:
        note = (await box.call("long", {})).texts[0].rpartition("\n")[2]
        handle = json.loads(note[note.index("{") : note.index("}") + 1])["handle"]
        return [(await box.call("read_output", {"handle": handle, "offset": 10**digits})).texts[0] for digits in (6, 18, 40)]

    assert asyncio.run(beyond()) == ["\n[the end]"] * 3


def test_hidden_params_are_refused_from_agents(case: Case) -> None:
    case.tool(
        "x",
        """
        effect: read
        exec: [echo, "{*}"]
        params: [{name: text}, {name: program, positional: true, repeatable: true, hidden: true}]
        """,
    )
    found = answer(built(case), case, "x", {"program": ["ls"], "text": "a"})
    assert found.is_error
    assert found.texts[0].splitlines() == [
        "`program` is no argument of `x` [E-UNKNOWN-KEY]",
        "  hint: it takes `text`",
        'example arguments: {"text":"a"}',
    ]
    assert case.run('call --args-json \'{"program": ["ls"]}\' x').ok().stdout == "ls\n"  # people may know it


def test_no_example_repeats_what_no_program_can_be_given(case: Case) -> None:
    case.tool("x", "effect: read\nexec: [echo, '{text}']\nparams: [{name: text, required: true}]\n")
    refused = answer(built(case), case, "x", {"text": "a\0"})
    assert refused.is_error and "NUL" in refused.texts[0] and "example" not in refused.texts[0]


WATCHED = "description: Print {0}.\neffect: read\nexec: [echo, '{0}']\n"


def changed(wire: Wire) -> None:
    """Waits for the notice that the list is another."""
    while (read := wire.line()) is not None:
        if read.get("method") == "notifications/tools/list_changed":
            return


def test_a_watched_manifest_is_replaced_whole_and_a_broken_one_keeps_its_last_good_version(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.tool("x", WATCHED.format("one"))
    with served(["--watch", "--only", "x", "--only", "y"], case.cwd, case.env, tmp_path / "errors") as wire:
        wire.shake()

        def listed() -> dict[str, str]:
            return {tool["name"]: tool["description"] for tool in wire.result(wire.request("tools/list"))["tools"]}

        assert listed() == {"x": "Print one."}
        case.tool("x", WATCHED.format("two"))
        changed(wire)
        assert listed() == {"x": "Print two."}
        assert wire.result(wire.call("x"))["content"][0]["text"] == "two\n"
        case.tool("x", "exec: [\n")
        gone(lambda: "last good" in wire.errors() or "was before is served" in wire.errors(), "what is said of a broken manifest")
        assert re.search(r"x\.yaml:\d+", wire.errors())
        assert wire.result(wire.call("x"))["content"][0]["text"] == "two\n"
        case.tool("y", WATCHED.format("new"))
        changed(wire)
        assert sorted(listed()) == ["x", "y"]
        case.tool("y", "exec: [echo]\n")  # no effect: not served under what the server was started with
        changed(wire)
        assert sorted(listed()) == ["x"]
        assert wire.close() == 0


def test_a_manifest_that_a_served_tool_could_have_written_is_not_served(case: Case) -> None:
    case.tool("writes", "effect: write\nexec: [touch, '{f}']\nparams: [{name: f, path: write, required: true}]\n")
    case.tool("x", WATCHED.format("one"))
    options = {"allow": "write"}
    before = built(case, **options)
    case.tool("x", WATCHED.format("two"))
    case.tool("new", WATCHED.format("three"))
    after = catalogue.build(Choice(workspace=str(case.cwd), **options), own_tools.RESERVED, before)
    assert list(after.tools) == ["writes", "x"]
    assert after.tools["x"].listing["description"] == "Print one."
    assert "`writes` could have written it" in reasons(after)["new"]
    assert list(catalogue.build(Choice(workspace=str(case.cwd)), own_tools.RESERVED, built(case)).tools) == ["new", "x"]


def test_the_workspace_is_where_tools_are_found_and_run(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.file("space/.git/x")
    case.file("space/tools.d/here.yaml", "effect: read\nexec: [pwd]\n")
    with served(["--workspace", "space", "--only", "here"], case.cwd, case.env, tmp_path / "errors") as wire:
        wire.shake()
        assert wire.result(wire.call("here"))["content"][0]["text"] == f"{case.cwd}/space\n"
        assert wire.close() == 0
    with served(["--only", "nothing"], case.cwd, case.env, tmp_path / "errors") as wire:
        assert wire.shake().result(wire.request("tools/list"))["tools"] == []
        assert f"no tool is served: looked in `tools.d` of `{case.cwd}` and above it" in wire.errors()
        assert wire.close() == 0


def test_a_watched_directory_may_appear_and_go(tmp_path: Path) -> None:
    case = Case(tmp_path)
    shutil.rmtree(case.cwd / "tools.d", ignore_errors=True)
    more = tmp_path / "more"
    more.mkdir()
    words = ["--watch", "--only", "x", "--only", "y", "--tools", str(more)]
    with served(words, case.cwd, case.env, tmp_path / "errors") as wire:
        wire.shake()

        def listed() -> list[str]:
            return [tool["name"] for tool in wire.result(wire.request("tools/list"))["tools"]]

        assert listed() == []
        case.tool("x", WATCHED.format("one"))
        changed(wire)
        assert listed() == ["x"]
        shutil.rmtree(more)
        gone(lambda: "`" + str(more) + "` is no directory" in wire.errors(), "what is said of a directory that is gone")
        assert listed() == ["x"]
        more.mkdir()
        (more / "y.yaml").write_text(WATCHED.format("two"), encoding="utf-8")
        changed(wire)
        assert listed() == ["x", "y"]
        (case.cwd / "tools.d").chmod(0o777)
        gone(lambda: "everybody may write to it" in wire.errors(), "what is said of a directory that others may write to")
        assert listed() == ["x", "y"]  # as they were read before
        (case.cwd / "tools.d").chmod(0o755)
        shutil.rmtree(case.cwd / "tools.d")
        changed(wire)
        assert listed() == ["y"]
        assert wire.close() == 0


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "vscode", "cursor"])
def test_a_snippet_starts_the_server_from_anywhere(client: str, tmp_path: Path) -> None:
    case = Case(tmp_path)
    printed = case.run(["mcp", "--print-config", client, "--only", "x", "--watch", "--project", "--allow", "write"]).ok()
    read: Any = tomllib.loads(printed.stdout) if client == "codex" else json.loads(printed.stdout)
    servers = read["mcp_servers" if client == "codex" else "servers" if client == "vscode" else "mcpServers"]
    entry = servers["toolkernel"]
    words = entry["args"][entry["args"].index("mcp") :]
    assert words == ["mcp", "--workspace", "DIR", "--only", "x", "--allow", "write", "--project", "--watch"]
    assert os.path.isabs(entry["command"])
    # nor is it another program in a directory that has modules of the same names
    case.file("kernel.py", "raise SystemExit('not this one')\n")
    case.file("json.py", "raise SystemExit('not this one')\n")
    started = subprocess.run(
        [entry["command"], *[word.replace("DIR", str(case.cwd)) for word in entry["args"]]],
        cwd=case.cwd,
        env={**case.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert started.returncode == 0 and b"not this one" not in started.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--allow", "everything"], "`everything`"),
        (["--http", "nowhere"], "HOST:PORT"),
        (["--http", "127.0.0.1:99999"], "HOST:PORT"),
        (["--token-file", "x"], "--http"),
        (["--http", "127.0.0.1:0", "--token-file", "missing"], "cannot be read"),
        (["--workspace", "missing"], "no directory"),
        (["--concurrency", "0"], "--concurrency"),
        (["--print-config", "claude", "--rate", "often"], "60/60s"),
        (["--print-config", "claude", "--http", "127.0.0.1:0"], "`--http`"),
        (["--print-config", "claude", "--token-file", "missing"], "--http"),
        (["--http", "127.0.0.1:0", "--token-file", "words"], "more than one word"),
        (["--allow", "read", "--tool", "--name", "x"], "no other option stands before it"),
        (["--rate", "often"], "60/60s"),
        (["--only"], "--only"),
    ],
)
def test_a_bad_line_is_refused(words: list[str], part: str, tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.file("words", "two words\n")
    refused = case.run(["mcp", *words])
    assert refused.exit == 2 and part in refused.stderr and not refused.stdout


@pytest.mark.parametrize(("closed", "name"), [("<&-", "stdin"), (">&-", "stdout")])
def test_a_closed_end_of_the_wire_is_refused(closed: str, name: str, tmp_path: Path) -> None:
    case = Case(tmp_path)
    for words in ("", " --tool --name x --exec true"):
        line = f'exec "$0" -m kernel mcp{words} {closed}'
        env = {**case.env, "PYTHONPATH": str(ROOT)}
        refused = subprocess.run(["sh", "-c", line, sys.executable], cwd=case.cwd, env=env, capture_output=True, check=False)
        assert refused.returncode and refused.stderr.startswith(f"error[E-FILE]: {name} is closed".encode())
        assert b"Warning" not in refused.stderr


def test_a_modern_client_that_listens_is_told_of_changes(tmp_path: Path) -> None:
    import sys

    import mcp
    from kernel_case import ROOT

    case = Case(tmp_path)
    case.tool("x", WATCHED.format("one"))
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "kernel", "mcp", "--watch", "--only", "x"],
        env={**case.env, "PYTHONPATH": str(ROOT)},
        cwd=case.cwd,
    )

    async def main() -> None:
        async with mcp.Client(server, mode="2026-07-28", read_timeout_seconds=60) as client:
            async with client.listen(tools_list_changed=True) as events:
                case.tool("x", WATCHED.format("two"))
                async for _ in events:
                    break
            assert (await client.list_tools()).tools[0].description == "Print two."

    asyncio.run(main())


@pytest.mark.parametrize(
    ("given", "taken"), [('"5"', True), ("5", True), ('"5.7"', False), ('"0x5"', False), ('" 5"', False), ('"1e3"', False)]
)
def test_text_stands_for_a_number_only_without_loss(given: str, taken: bool, case: Case) -> None:
    case.tool("head-of", "effect: read\nexec: [echo, '{lines}']\nparams: [{name: lines, type: int, required: true}]\n")
    found = answer(built(case), case, "head-of", {"lines": json.loads(given)})
    assert found.is_error is not taken
    if not taken:
        assert "`lines`" in found.texts[0] and "whole number" in found.texts[0]


def test_both_eras_are_told_of_each_other(tmp_path: Path) -> None:
    case = Case(tmp_path)

    def meta(version: str) -> dict[str, Any]:
        return {"_meta": {"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}}}

    with served(["--only", "echo"], case.cwd, case.env, tmp_path / "errors") as wire:
        found = wire.result(wire.request("server/discover", meta("2026-07-28")))
        assert "2026-07-28" in found["supportedVersions"]
        assert {"ttlMs", "cacheScope"} <= set(found)
        listed = wire.result(wire.request("tools/list", meta("2026-07-28")))
        assert listed["ttlMs"] > 0 and listed["cacheScope"] == "public" and [tool["name"] for tool in listed["tools"]] == ["echo"]
        called = wire.result(wire.request("tools/call", {"name": "echo", "arguments": {"words": ["hi"]}, **meta("2026-07-28")}))
        assert called["content"][0]["text"] == "hi\n"
        unknown = wire.answer(wire.request("tools/list", meta("2099-01-01")))["error"]
        assert unknown["code"] == -32022 and "2026-07-28" in unknown["data"]["supported"]
        assert wire.close() == 0
    version = "2024-11-05"
    with served(["--only", "echo"], case.cwd, case.env, tmp_path / "errors") as wire:
        client = {"capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        assert wire.result(wire.request("initialize", {"protocolVersion": version, **client}))["protocolVersion"] == version
        assert wire.result(wire.call("echo", '{"words":["hi"]}'))["content"][0]["text"] == "hi\n"
        assert wire.close() == 0


def test_without_the_sdk_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from kernel.commands import mcp as command
    from kernel.errors import KernelError

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(KernelError) as caught:
        command._need_sdk()
    assert "pip install 'toolkernel[mcp]'" in caught.value.hint


def test_limits_are_the_manifests_then_the_servers(case: Case) -> None:
    case.tool("own", "effect: read\nlimits: {concurrency: 3, rate: 5/2s}\nexec: ['true']\n")
    case.tool("none", "effect: read\nexec: ['true']\n")
    tools = built(case).tools
    assert [(tool.gate.concurrency, tool.gate.rate) for tool in tools.values()] == [(1, (60, 60.0)), (3, (5, 2.0))]
    tools = built(case, concurrency=16, rate=None).tools
    assert [(tool.gate.concurrency, tool.gate.rate) for tool in tools.values()] == [(16, None), (3, (5, 2.0))]


@pytest.mark.parametrize("workspace", ["", "nowhere"])
def test_a_workspace_that_is_no_directory_is_refused(tmp_path: Path, workspace: str) -> None:
    ended = Case(tmp_path).run(["mcp", "--workspace", workspace])
    assert (ended.exit, ended.stderr.splitlines()[0]) == (2, f"error[E-FILE]: the workspace `{workspace}` is no directory")


def test_a_project_is_seen_by_its_own_tools(tmp_path: Path) -> None:
    case = Case(tmp_path).tool("own", "description: O.\neffect: read\nexec: [echo, hi]\n")
    for words, listed in (([], ["describe_tool", "find_tools", "run_tool"]), (["--project"], ["own"])):
        with served(words, case.cwd, case.env, tmp_path / "errors") as wire:
            tools = wire.shake().result(wire.request("tools/list"))["tools"]
            assert [tool["name"] for tool in tools] == listed
            assert wire.close() == 0
            assert ("`--project` serves the project's own alone" in wire.errors()) == (not words)
