"""`kernel mcp`: the tools served to agents, over stdio or HTTP (docs/guides/agents.md)."""

from __future__ import annotations

import os
import sys

from kernel import dispatch, environment
from kernel.commands import verb
from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket
    from typing import Any

    from kernel.bound import Bound
    from kernel.serve.catalogue import Choice, Snapshot

SPEC = verb.verb(
    "mcp",
    "Serve the tools to agents over MCP: on stdin and stdout, or over HTTP.",
    verb.option("http", "Serve over HTTP there instead of on stdin and stdout.", "HOST:PORT"),
    verb.option("token_file", "With --http: a file with the bearer token that clients must send.", "FILE", complete="path"),
    verb.option("only", "Serve this tool only, or this one too.", "NAME", repeatable=True, complete="tool"),
    verb.switch("project", "Serve the project's own tools only: none of the user's, none that come with the kernel."),
    verb.option("tag", "Serve tools with this tag only, or with this one too.", "TAG", repeatable=True),
    verb.option(
        "allow",
        "The highest effect that is served: read where nothing is said.",
        "EFFECT",
        choices=("read", "write", "destructive"),
    ),
    verb.option("workspace", "Where tools.d is looked for, what paths are held to, and where tools run.", "DIR", complete="dir"),
    verb.option(
        "facade", "Three tools that find, describe and run the others: auto above 60.", "WHEN", choices=("auto", "on", "off")
    ),
    verb.switch("watch", "Serve manifests as they are now when they change."),
    verb.option("concurrency", "Calls of a tool at once, where its manifest does not say.", "N"),
    verb.option("rate", "Calls of a tool in a time, such as 60/60s, where its manifest does not say; or none.", "RATE"),
    verb.option(
        "print_config",
        "Print what makes a client start this server.",
        "CLIENT",
        choices=("claude", "codex", "gemini", "vscode", "cursor"),
    ),
    verb.TOOLS,
)
NEEDED = "`pip install 'toolkernel[mcp]'`, or `pip install '.[mcp]'` in a clone"


def run_words(words: list[str]) -> int | None:
    """`kernel mcp --tool …`, the founding command line, which is no line of SPEC's; None for any other."""
    if words[:1] != ["--tool"]:
        if "--tool" in words:
            hint = "put it first; what its blocks take is in docs/guides/from-shell-is-all-you-need.md"
            raise fail("E-UNSUPPORTED", "`--tool` begins a command line of its own, so no other option stands before it", hint=hint)
        return None
    from kernel.serve import founding_line

    snapshot = founding_line.snapshot(words)
    _need_wire()
    _need_sdk()
    return _serve(snapshot, environment.working_directory(), {"facade": "off"})


def run(bound: Bound) -> int:
    """Serves until the client is gone or a signal comes."""
    options = verb.finish(bound).values
    if "print_config" in options and "http" in options:
        hint = "start `kernel mcp --http` yourself, and give the client its address"
        raise fail("E-GROUP", "`--print-config` is for servers that their client starts, which `--http` ones are not", hint=hint)
    token = _token(options)
    choice = _choice(options)
    if "print_config" in options:
        return _print_config(options)
    if "http" not in options:
        _need_wire()
    listening = None
    if "http" in options:
        from kernel.serve.listening import listen

        listening = listen(options["http"], token)
    os.chdir(choice.workspace)
    _need_sdk()
    from kernel.serve import catalogue, own_tools

    snapshot = catalogue.build(choice, own_tools.RESERVED)
    for name, reason in snapshot.left_out:
        _say(f"`{name}` is not served: {reason}")
    if not snapshot.tools:
        others = "".join([f", `{place}`" for place in snapshot.searched])
        _say(f"no tool is served: looked in `tools.d` of `{choice.workspace}` and above it{others}")
    if options.get("facade", "auto") == "auto" and len(snapshot.tools) > own_tools.FACADE_ABOVE:
        narrower = "" if choice.project else "`--project` serves the project's own alone, "
        _say(f"three tools stand for {len(snapshot.tools)}: {narrower}`--facade off` lists all")
    return _serve(snapshot, choice.workspace, options, choice, listening, token)


def _serve(
    snapshot: Snapshot,
    workspace: str,
    options: dict[str, Any],
    choice: Choice | None = None,
    listening: socket | None = None,
    token: str = "",
) -> int:
    from kernel import guard, process

    keeper = guard.start()
    process.tell(keeper)
    import asyncio

    from kernel.serve.adapter import Adapter
    from kernel.serve.calls import Calls
    from kernel.serve.toolbox import Toolbox

    watching = choice is not None and bool(options.get("watch"))
    toolbox = Toolbox(Calls(workspace, choice.allow if choice is not None else "read"), snapshot, options.get("facade", "auto"))
    adapter = Adapter(toolbox, watch=watching)
    beside: Callable[[], Any] | None = None
    if watching and choice is not None:
        from functools import partial

        from kernel.serve.watch import watch

        beside = partial(watch, adapter, choice, _say)
    if listening is not None:
        from kernel.serve import http

        host, port = listening.getsockname()[:2]
        count = len(snapshot.tools)
        _say(f"serving {count} tool{'' if count == 1 else 's'} at http://{f'[{host}]' if ':' in host else host}:{port}{http.PATH}")
        number = asyncio.run(http.serve(adapter, options["http"], listening, token, beside))
    else:
        from kernel.serve import stdio

        # the founding command line answers broken JSON as JSON-RPC says, with the id null
        number = asyncio.run(stdio.serve(adapter, finds_ids=choice is not None, beside=beside))
    toolbox.calls.close()
    keeper.close()
    return dispatch.end_by_signal(number) if number else 0


def _need_wire() -> None:
    for name, stream in (("stdin", environment.stdin()), ("stdout", environment.stdout())):
        if stream is None:  # Python's word for a descriptor that was closed when it began
            hint = "a client starts the server with pipes; `--http HOST:PORT` serves without them"
            raise fail("E-FILE", f"{name} is closed, and the client is spoken to over it", hint=hint)


def _need_sdk() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise fail("E-NEEDS", "`kernel mcp` needs the MCP SDK, which is not installed", hint=f"install it: {NEEDED}")


def _choice(options: dict[str, Any]) -> Choice:
    from kernel import limits
    from kernel.serve import catalogue

    workspace, everywhere = catalogue.workspace_of(options.get("workspace", ""))
    if not os.path.isdir(workspace) or options.get("workspace") == "":
        given = options.get("workspace", workspace)
        raise fail("E-FILE", f"the workspace `{given}` is no directory", hint="`--workspace` takes a directory")
    served_to_many = "http" in options
    concurrency = 8 * (os.cpu_count() or 1) if served_to_many else limits.CONCURRENCY
    rate = None if served_to_many else limits.RATE
    return catalogue.Choice(
        workspace=workspace,
        everywhere=everywhere,
        tools=tuple([os.path.abspath(each) for each in options["tools"]]),
        only=tuple(options["only"]),
        tags=tuple(options["tag"]),
        project=options["project"],
        allow=options.get("allow", "read"),
        concurrency=_concurrency(options["concurrency"]) if "concurrency" in options else concurrency,
        rate=_rate(options["rate"]) if "rate" in options else rate,
    )


def _concurrency(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 6 and int(text) > 0:
        return int(text)
    raise fail("E-TYPE", f"`--concurrency` wants a whole number above 0, got `{text}`")


def _rate(text: str) -> tuple[int, float] | None:
    from kernel import limits

    found = limits.rate_of(text)
    if found is None and text != "none":
        raise fail("E-TYPE", f"`--rate` wants calls and a time, such as `60/60s`, or `none`, got `{text}`")
    return found


def _token(options: dict[str, Any]) -> str:
    if "token_file" not in options:
        return ""
    if "http" not in options:
        raise fail("E-GROUP", "`--token-file` speaks of `--http`, which is not given")
    try:
        with open(options["token_file"], encoding="ascii") as file:
            token = file.read(4096).strip()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no ASCII text"
        raise fail("E-FILE", f"the token file `{options['token_file']}` cannot be read: {why}") from None
    if not token:
        raise fail("E-FILE", f"the token file `{options['token_file']}` is empty")
    if len(token.split()) > 1:
        raise fail("E-FILE", f"the token file `{options['token_file']}` holds more than one word", hint="a token has no blanks")
    return token


def _print_config(options: dict[str, Any]) -> int:
    from kernel.serve import clients

    workspace = os.path.realpath(options.get("workspace", environment.working_directory()))
    words = ["mcp", "--workspace", workspace]
    for name in ("only", "tag"):
        for value in options[name]:
            words += [f"--{name}", value]
    for name in ("allow", "facade", "concurrency", "rate"):
        if name in options:
            words += [f"--{name}", options[name]]
    for name in ("project", "watch"):
        if options[name]:
            words.append(f"--{name}")
    for directory in options["tools"]:
        words += ["--tools", os.path.abspath(directory)]
    # the installed script runs its interpreter with `-c`, and lies beside it
    beside = os.path.join(os.path.dirname(sys.executable), "kernel")
    program = beside if sys.argv[0] == "-c" else os.path.abspath(sys.argv[0])
    if os.path.basename(program) == "__main__.py" or not os.access(program, os.X_OK):
        # without `-P` the client's working directory would be searched for modules first, a `kernel` of its own among them
        program, words = sys.executable, ["-P", "-m", "kernel", *words]
    environment.write_error(f"for {clients.FILES[options['print_config']]}:\n")
    environment.write_out(clients.snippet(options["print_config"], program, words))
    return 0


def _say(line: str) -> None:
    from kernel.present.printable import printable

    environment.write_error(f"kernel mcp: {printable(line)}\n")
