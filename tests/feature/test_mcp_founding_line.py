"""The founding command line of `kernel mcp`: every row of the contract at the stdio door, and its own grammar."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from kernel_case import ROOT, Case
from mcp_case import Wire, served

from kernel.errors import KernelError

pytest.importorskip("mcp", reason="the MCP SDK is not installed")

from kernel.serve import founding_line

ROWS = [
    json.loads(line)
    for name in ("schema/contract.jsonl", "run/process.jsonl")
    for line in (ROOT / "tests" / "corpus" / name).read_text(encoding="utf-8").splitlines()
]
CALLS = [row for row in ROWS if row["kind"] in ("call-accept", "call-reject", "render")]
PATHS = [row for row in ROWS if row["kind"] == "fs" and "startup" not in row["expect"]]
RUNS = [row for row in ROWS if row["kind"] == "process"]
STARTS = [row for row in ROWS if row["kind"] in ("schema-accept", "schema-reject", "placeholder")]
Wires = dict[str, tuple[Wire, Path]]
SIX = {"exitCode", "stdout", "stderr", "timedOut", "stdoutTruncated", "stderrTruncated"}
ECHO = ["sh", "-c", 'printf "%s\\0" "$0" "$@"']


def expanded(text: str) -> str:
    return re.sub(r"<([0-9]{3,7}) (.)>", lambda match: match[2] * int(match[1]), text)


def is_long(word: str) -> bool:
    return len(expanded(word)) > 100_000


def block(row: dict[str, Any], argv: list[str]) -> list[str]:
    """The row as a `--tool` of its own name."""
    given = row["input"]
    words = ["--tool", "--name", row["id"], "--process-rate-limit-count", "1000", "--process-rate-limit-window-ms", "1000"]
    if "schema_text" in given:
        words += ["--input-schema", given["schema_text"]]
    for field in given.get("allow_dash", ()):
        words += ["--allow-dash", field]
    if "timeout_ms" in given:
        words += ["--process-timeout-ms", str(given["timeout_ms"])]
    if "output_limit_bytes" in given:
        words += ["--process-output-limit-bytes", str(given["output_limit_bytes"])]
    for option, key in (("--fs-path-field", "path_fields"), ("--fs-root", "roots"), ("--fs-deny-path", "deny")):
        for value in given.get(key, ()):
            words += [option, value]
    return [*words, "--exec", *[expanded(word) for word in argv]]


def groups() -> list[list[dict[str, Any]]]:
    """The path rows in groups whose trees can be laid out together."""
    found: list[tuple[dict[str, str], list[dict[str, Any]]]] = []
    for row in PATHS:
        tree = {node["path"]: node.get("to", node["kind"]) for node in row["input"]["tree"]}
        for laid, rows in found:
            if all(laid.get(path, what) == what for path, what in tree.items()):
                laid.update(tree)
                rows.append(row)
                break
        else:
            found.append((dict(tree), [row]))
    return [rows for _, rows in found]


GROUPS = groups()


def lay_out(rows: list[dict[str, Any]], root: Path) -> None:
    for row in rows:
        for node in row["input"]["tree"]:
            place = root / node["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            if node["kind"] == "dir":
                place.mkdir(exist_ok=True)
            elif node["kind"] == "file":
                place.touch()
            elif not place.is_symlink():
                place.symlink_to(node["to"].replace("$BASE", str(root)))


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Wire, Path]]]:
    """A server for each group of path rows, the first with all other rows too: (server, base directory) by row id."""
    found: dict[str, tuple[Wire, Path]] = {}
    with ExitStack() as stack:
        for at, rows in enumerate(GROUPS):
            base = Path(os.path.realpath(tmp_path_factory.mktemp("founding")))
            lay_out(rows, base)
            words = other_words() if at == 0 else []
            for row in rows:
                text = json.loads(json.dumps(row).replace("$BASE", str(base)))
                words += block(text, text["input"]["argv"])
            (base / "env").mkdir()
            wire = stack.enter_context(served(words, base / "ws", Case(base / "env").env, base / "errors"))
            found.update({row["id"]: (wire, base) for row in [*rows, *((*CALLS, *RUNS) if at == 0 else ())]})
        for wire, _ in {id(pair[0]): pair for pair in found.values()}.values():
            wire.shake()
        yield found


def other_words() -> list[str]:
    words: list[str] = []
    for row in CALLS:
        first, *rest = row["input"]["argv"]
        words += block(row, [*ECHO, first.replace("{", "{{").replace("}", "}}"), *rest])
    for row in RUNS:
        # a word that no command line can carry comes as an argument
        words += block(row, ["{long}" if is_long(word) else word for word in row["input"]["argv"]])
    return words


def outcome(wire: Wire, row: dict[str, Any]) -> dict[str, Any]:
    words = [expanded(word) for word in row["input"]["argv"] if is_long(word)]
    long = {"long": words[0]} if words else {}
    found = wire.result(wire.call(row["id"], expanded(row["input"].get("arguments_text", json.dumps(long)))))
    assert set(found["structuredContent"]) == SIX
    assert found["content"][0]["type"] == "text"
    return found


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row["id"])
def test_a_call_row_holds_at_the_stdio_door(wires: Wires, row: dict[str, Any]) -> None:
    wire, expect = wires[row["id"]][0], row["expect"]
    if expect.get("layer") == "rpc-error":
        id = wire.call(row["id"], expanded(row["input"]["arguments_text"]))
        answer = wire.answer(None if "response_id" in expect else id)
        assert answer["error"]["code"] == expect["code"]
        return
    found = outcome(wire, row)
    facts = found["structuredContent"]
    if "argv" in expect:
        assert not found.get("isError"), found
        assert facts["stdout"].split("\0")[:-1] == [expanded(word) for word in expect["argv"]]
        return
    assert found["isError"]
    for key, value in expect["structured"].items():
        assert facts[key] == value
    assert facts["stderr"] == found["content"][0]["text"] != ""
    if "field" in expect:
        assert f"`{expect['field']}`" in facts["stderr"]


@pytest.mark.parametrize("row", RUNS, ids=lambda row: row["id"])
def test_a_process_row_holds_at_the_stdio_door(wires: Wires, row: dict[str, Any]) -> None:
    wire, expect = wires[row["id"]][0], row["expect"]
    found = outcome(wire, row)
    assert found.get("isError", False) == expect["isError"]
    for key, value in expect.get("structuredContent", {}).items():
        assert found["structuredContent"][key] == value
    if "content_text_0" in expect:
        assert found["content"][0]["text"] == expect["content_text_0"]
    if expect.get("reason") == "spawn-failed":
        assert found["structuredContent"]["stderr"] == found["content"][0]["text"] != ""


@pytest.mark.parametrize("row", PATHS, ids=lambda row: row["id"])
def test_a_path_row_holds_at_the_stdio_door(wires: Wires, row: dict[str, Any]) -> None:
    wire, base = wires[row["id"]]
    found = wire.result(wire.call(row["id"], json.dumps(row["input"]["arguments"]).replace("$BASE", str(base))))
    refused = re.search(r"\[E-(PATH|DASH)\]", found["content"][0]["text"])
    if row["expect"]["decision"] == "deny":
        assert found["isError"] and refused and refused[1] == "PATH", found
    else:
        assert refused is None or refused[1] == "DASH", found  # a leading dash is none of the path policy's business


@pytest.mark.parametrize("row", STARTS, ids=lambda row: row["id"])
def test_a_start_row_is_taken_or_refused(row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given, expect = row["input"], row["expect"]
    argv = given["argv"] if "argv" in given else ["t", given["template"]]
    words = block({**row, "id": "x"}, argv)
    if expect.get("startup") == "error":
        with pytest.raises(KernelError) as caught:
            founding_line.snapshot(words)
        assert caught.value.status == 1
        return
    tool = founding_line.snapshot(words).tools["x"]
    if "names" in expect:
        assert list(tool.listing["inputSchema"]["properties"]) == list(dict.fromkeys(expect["names"]))
    if "fields" in expect:
        properties = tool.listing["inputSchema"]["properties"]
        assert [{"name": name, "type": value["type"]} for name, value in properties.items()] == expect["fields"]
    if "advertised_schema" in expect:
        assert tool.listing["inputSchema"] == expect["advertised_schema"]


def test_a_denied_place_that_dangles_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").symlink_to("nowhere")
    start = ["--tool", "--name", "x", "--fs-path-field", "path"]
    for option in (["--fs-deny-path", "gone"], ["--fs-root", "missing"]):
        with pytest.raises(KernelError) as caught:
            founding_line.snapshot([*start, *option, "--exec", "cat", "{path}"])
        assert caught.value.code == "E-PATH"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--name", "x", "--exec", "true"], "E-UNEXPECTED-VALUE"),
        (["--tool", "--exec", "true"], "E-REQUIRED"),
        (["--tool", "--name", "x"], "E-REQUIRED"),
        (["--tool", "--name", "x", "--exec"], "E-REQUIRED"),
        (["--tool", "--name", "a b", "--exec", "true"], "E-TYPE"),
        (["--tool", "--name", "x" * 129, "--exec", "true"], "E-TYPE"),
        (["--tool", "--name", "x", "--name", "y", "--exec", "true"], "E-DUPLICATE"),
        (["--tool", "--name", "x", "--exec", "true", "--tool", "--name", "x", "--exec", "true"], "E-DUPLICATE"),
        (["--tool", "--name", "x", "--colour", "--exec", "true"], "E-UNKNOWN-FLAG"),
        (["--tool", "--name", "x", "--task-mode", "required", "--exec", "true"], "E-UNSUPPORTED"),
        (["--tool", "--name", "x", "--process-timeout-ms", "0", "--exec", "true"], "E-TYPE"),
        (["--tool", "--name", "x", "--process-timeout-ms", "soon", "--exec", "true"], "E-TYPE"),
        (["--tool", "--name", "x", "--process-rate-limit-count", "3", "--exec", "true"], "E-GROUP"),
        (["--tool", "--name", "x", "--fs-root", ".", "--exec", "true"], "E-GROUP"),
        (["--tool", "--name", "x", "--fs-path-field", "y", "--exec", "cat", "{x}"], "E-SCHEMA"),
        (["--tool", "--name", "x", "--allow-dash", "y", "--exec", "cat", "{x}"], "E-SCHEMA"),
        (["--tool", "--name", "x", "--input-schema", "@missing", "--exec", "cat", "{x}"], "E-FILE"),
    ],
)
def test_a_line_that_cannot_be_served_is_refused_with_1(words: list[str], code: str) -> None:
    with pytest.raises(KernelError) as caught:
        founding_line.snapshot(words)
    assert (caught.value.code, caught.value.status) == (code, 1)


def test_names_are_those_of_the_founding_line() -> None:
    for name in ("x", "A.b-C_9", "9", "x" * 128):
        assert list(founding_line.snapshot(["--tool", "--name", name, "--exec", "true"]).tools) == [name]


def test_what_the_shell_interprets_is_allowed_and_words_of_the_command_are_its_own() -> None:
    found = founding_line.snapshot(["--tool", "--name", "x", "--description", "Say.", "--exec", "sh", "-c", "{x}", "--help"])
    tool = found.tools["x"]
    assert tool.listing["description"].startswith("Say.")
    assert tool.listing["outputSchema"]["required"] == sorted(SIX, key=list(tool.listing["outputSchema"]["properties"]).index)


def test_the_program_refuses_a_start_with_1(tmp_path: Path) -> None:
    refused = Case(tmp_path).run(["mcp", "--tool", "--name", "x", "--exec"])
    assert refused.exit == 1
    assert "tool 1 has no command" in refused.stderr


def test_children_see_what_the_clients_configuration_puts_into_the_environment(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.env["GIVEN_BY_CLIENT"] = "yes"
    words = ["--tool", "--name", "show", "--exec", "printenv", "GIVEN_BY_CLIENT"]
    with served(words, case.cwd, case.env, tmp_path / "errors") as wire:
        assert wire.shake().result(wire.call("show"))["structuredContent"]["stdout"] == "yes\n"
        assert wire.close() == 0


def test_rate_and_concurrency_refuse_as_the_founding_system_does(tmp_path: Path) -> None:
    case = Case(tmp_path)
    rate = ["--process-rate-limit-count", "3", "--process-rate-limit-window-ms", "3600000"]
    words = ["--tool", "--name", "slow", *rate, "--exec", "sh", "-c", "sleep {s}"]
    words += ["--tool", "--name", "two", "--process-max-concurrency", "2", "--exec", "sleep", "{s}"]
    with served(words, case.cwd, case.env, tmp_path / "errors") as wire:
        wire.shake()
        refused = wire.result(wire.call("slow", '{"t":"0"}'))  # bad arguments use no slot
        assert "E-REQUIRED" in refused["content"][0]["text"]
        first = wire.call("slow", '{"s":"0.2"}')
        busy = wire.result(wire.call("slow", '{"s":"0"}'))  # refused for concurrency: it uses one
        assert busy["isError"] and "E-BUSY" in busy["structuredContent"]["stderr"]
        assert wire.result(first)["structuredContent"]["exitCode"] == 0
        assert not wire.result(wire.call("slow", '{"s":"0"}')).get("isError")
        over = wire.result(wire.call("slow", '{"s":"0"}'))
        assert over["isError"] and "E-RATE" in over["structuredContent"]["stderr"]
        wire.call("two", '{"s":"30"}')
        wire.call("two", '{"s":"30"}')
        assert "E-BUSY" in wire.result(wire.call("two", '{"s":"30"}'))["content"][0]["text"]
        assert wire.close() == 0
