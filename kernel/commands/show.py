"""`kernel show TOOL`: everything that is known about a tool, its manual and how it runs."""

from __future__ import annotations

from kernel import locate, words
from kernel.commands import resolve, verb
from kernel.errors import KernelError
from kernel.present import manual
from kernel.present.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ToolSpec

SPEC = verb.verb(
    "show",
    "Show everything that is known about a tool: its manual, how it runs, where it is from.",
    verb.operand("tool", "A tool with its subcommands.", required=True, repeatable=True, complete="tool"),
    verb.switch("json", "Print one JSON object."),
    verb.TOOLS,
)


def run(bound: Bound) -> int:
    """Shows the tool. Raises KernelError for a name that no tool has."""
    options = verb.finish(bound).values
    directories = verb.directories(options)
    try:
        spec = resolve.node(options["tool"], directories)
    except KernelError as error:
        raise resolve.placed(error, options["tool"], ("kernel", "show", *(["--json"] if options["json"] else []))) from None
    if options["json"]:
        from kernel.present import json

        json.write(data(spec))
        return 0
    from kernel.present.view import show

    found = manual.sections(spec)
    shown = [*found[:-1], Section("about", [*manual.about(spec), *surroundings(spec), *_hides(spec, directories)])]
    show(shown)
    return 0


def surroundings(spec: ToolSpec) -> list[str | tuple[str, ...]]:
    """What a call gets besides its argv, and what its outcome means."""
    rows: list[str | tuple[str, ...]] = []
    for name, pieces in spec.env:
        rows.append((f"env {name}", "the caller's" if pieces is None else manual.pieces_text(pieces)))
    if spec.stdin != "caller":
        rows.append(("stdin", spec.stdin if isinstance(spec.stdin, str) else manual.pieces_text(spec.stdin)))
    if spec.order != "declared":
        rows.append(("order", spec.order))
    if spec.limits:
        rows.append(("limits", ", ".join([f"{name} {value}" for name, value in spec.limits.items()])))
    if spec.output != "text":
        rows.append(("output", spec.output))
    if dict(spec.exits) != {0: "ok"}:
        rows.append(("exits", ", ".join([f"{code} is {meaning}" for code, meaning in spec.exits.items()])))
    if spec.confirm:
        rows.append(("asks", spec.confirm))
    rows += [(name, ", ".join(paths)) for name, paths in (("roots", spec.roots), ("deny", spec.deny)) if paths]
    return rows


def _hides(spec: ToolSpec, directories: list[locate.Directory]) -> list[str | tuple[str, ...]]:
    files = []
    for directory in directories:
        found = locate.find(spec.path[0], [directory])
        if found is not None and found.file != spec.file and not locate.is_copy(spec.file, found.file):
            files.append(words.quote(found.file))
    return [("hides", ", ".join(files))] if files else []


def data(spec: ToolSpec) -> dict[str, Any]:
    """The tool as JSON-able data: what `list --json` says of it, its params and its subcommands."""
    from kernel.commands.catalogue import kind
    from kernel.export import json_schema

    return {
        "name": spec.full_name,
        "title": spec.title or None,
        "description": spec.description,
        "kind": kind(spec),
        "effect": spec.effect or "write",
        "tags": list(spec.tags),
        "deprecated": spec.deprecated or None,
        "file": spec.file,
        "usage": manual.usage(spec),
        "exec": [spec.program, *manual.template_words(spec.exec)] if spec.has_exec else None,
        "builtin": spec.builtin or None,
        "needs": {"programs": dict(spec.needs_programs), "env": list(spec.needs_env), "os": list(spec.needs_os)},
        "params": [
            {"name": param.name, "flags": list(param.spellings), "positional": param.positional, "facts": manual.facts_of(param)}
            for param in spec.params
            if not param.hidden
        ],
        "arguments": json_schema.root(spec),
        "subcommands": [child.name for child in manual.children(spec)],
        "examples": [{"run": list(example["run"]), "says": example.get("says") or None} for example in spec.examples],
    }
