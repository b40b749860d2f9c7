"""The configuration that makes a client start this server (`kernel mcp --print-config CLIENT`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernel import strict_json

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "toolkernel"
FILES = {
    "claude": "`.mcp.json` in the project (Claude Code), or `claude_desktop_config.json` (Claude Desktop)",
    "codex": "`~/.codex/config.toml`",
    "gemini": "`~/.gemini/settings.json`, or `.gemini/settings.json` in the project",
    "vscode": "`.vscode/mcp.json` in the project",
    "cursor": "`.cursor/mcp.json` in the project, or `~/.cursor/mcp.json`",
}


def snippet(client: str, command: str, arguments: Sequence[str]) -> str:
    """The text for the client's file, ending in a newline."""
    if client == "codex":
        # a JSON string is a TOML string as well
        listed = ", ".join([strict_json.dumps(word) for word in arguments])
        return f"[mcp_servers.{NAME}]\ncommand = {strict_json.dumps(command)}\nargs = [{listed}]\n"
    entry: dict[str, Any] = {"command": command, "args": list(arguments)}
    if client == "vscode":
        return strict_json.dumps({"servers": {NAME: {"type": "stdio", **entry}}}, indent=2) + "\n"
    return strict_json.dumps({"mcpServers": {NAME: entry}}, indent=2) + "\n"
