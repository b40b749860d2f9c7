"""The verbs of the program: a module each, loaded when chosen.

A module has ``SPEC``, its words described as any tool's are, and ``run(bound) -> int``, the exit status.
"""

from __future__ import annotations

# verb: (module:function, what it does)
VERBS: dict[str, tuple[str, str]] = {
    "call": ("kernel.commands.call:run", "Run a tool."),
    "repl": ("kernel.shell.repl:run", "Start the shell: a prompt, a script, or one line."),
    "list": ("kernel.commands.list:run", "List the tools."),
    "help": ("kernel.commands.help:run", "Show how a tool or a verb is used."),
    "show": ("kernel.commands.show:run", "Show everything that is known about a tool."),
    "check": ("kernel.commands.check:run", "Check manifests and their examples without running anything."),
    "explain": ("kernel.commands.explain:run", "Show where each word of a call goes, and what would run."),
    "schema": ("kernel.commands.schema:run", "Print the JSON Schema of a tool's arguments, or of manifests."),
    "mcp": ("kernel.commands.mcp:run", "Serve the tools to agents over MCP."),
    "audit": ("kernel.commands.audit:run", "Show the record of calls."),
    "replay": ("kernel.commands.replay:run", "Run a recorded call again."),
    "init": ("kernel.commands.init:run", "Write a manifest to start from."),
    "conform": ("kernel.commands.conform:run", "Run test vectors through the binder."),
    "completion": ("kernel.commands.completion:run", "Print the completion script of a shell."),
}
