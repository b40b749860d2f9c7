"""Tools served to agents over MCP (docs/guides/agents.md).

`messages` reads lines, `catalogue` and `founding_line` say what is served, `calls` runs it, `answers` words what came of
it. None of these knows the SDK: `adapter`, `stdio` and `http` alone import `mcp`.
"""
