"""`kernel schema TOOL`: the JSON Schema of a tool's arguments; `--manifest`: that of manifests, for editors."""

from __future__ import annotations

from kernel import environment, strict_json
from kernel.commands import resolve, verb
from kernel.errors import KernelError, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound

SPEC = verb.verb(
    "schema",
    "Print the JSON Schema of a tool's arguments, or of manifests.",
    verb.operand("tool", "A tool with its subcommands.", repeatable=True, complete="tool"),
    verb.option("dialect", "For whom: a JSON Schema, or the tool as MCP lists it.", "DIALECT", choices=("json-schema", "mcp")),
    verb.switch("manifest", "Print the JSON Schema of manifests, for editors."),
    verb.TOOLS,
    groups=(("exclusive", ("tool", "manifest")), ("required", ("tool", "manifest")), ("exclusive", ("dialect", "manifest"))),
)


def run(bound: Bound) -> int:
    """Prints the schema: one line in a pipe, indented on a terminal."""
    options = verb.finish(bound).values
    value: dict[str, Any]
    if options["manifest"]:
        from kernel.export import manifest_schema

        value = manifest_schema.schema()
    else:
        from kernel.export import json_schema

        try:
            spec = resolve.node(options["tool"], verb.directories(options))
        except KernelError as error:
            raise resolve.placed(error, options["tool"], ("kernel", "schema")) from None
        if spec.children and not (spec.has_exec or spec.builtin):
            names = ", ".join([f"`{name}`" for name in spec.child_names])
            message = f"`{spec.full_name}` is called by its subcommands, which have a schema each"
            raise fail("E-SUBCOMMAND", message, hint=f"name one of {names}")
        value = json_schema.mcp_tool(spec) if options.get("dialect") == "mcp" else json_schema.arguments(spec)
    environment.write_out(strict_json.dumps(value, indent=2 if environment.is_terminal(1) else None) + "\n")
    return 0
