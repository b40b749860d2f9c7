"""`kernel explain [--json] TOOL ARGS…`: where each word went, where each value came from, what would run."""

from __future__ import annotations

from kernel import bind, check, environment, explain, misuse, render, store, strict_json, words
from kernel.commands import verb
from kernel.commands.call import complete
from kernel.errors import KernelError
from kernel.present.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.plan import Plan

SPEC = verb.verb(
    "explain",
    "Show where each word of a call goes, where values come from, and what would run. Nothing runs.",
    verb.switch("json", "Print it as one JSON object."),
    verb.TOOLS,
    verb.operand("tool", "The tool's name.", required=True, complete="tool"),
    verb.operand("words", "The tool's words.", repeatable=True),
    flags="before-operands",
)


def run(bound: Bound) -> int:
    """Explains the call; one that fails is explained as far as it goes, and its error follows on stderr (2)."""
    options = verb.finish(bound).values
    try:
        spec = store.by_name(options["tool"], verb.directories(options))
    except KernelError as error:
        error.words, error.prefix = [options["tool"], *options["words"]], ("kernel", "explain")
        raise
    call = bind.bind(spec, options["words"])
    plan: Plan | None = None
    failure: KernelError | None = None
    try:
        check.check(call, environment.variables())
        rendered = render.render(call)
        if rendered.builtin:
            misuse.refuse(call, rendered.builtin)
        plan = rendered
    except KernelError as error:
        failure = complete(error, call, ("kernel", "explain", options["tool"]))
    found = explain.explanation(call, plan, failure)
    if options["json"]:
        from kernel.export import json_schema
        from kernel.present import json

        json.write({**found, "arguments": None if failure is not None else json_schema.canonical(call)})
    else:
        from kernel.present.view import show

        show(sections(found))
    if failure is not None:
        raise failure
    return 0


def sections(found: dict[str, Any]) -> list[Section]:
    """What is known of the call, as a person reads it."""
    shown = [
        Section(f"words of `{found['tool']}`", [(words.quote(row["text"]), role(row)) for row in found["words"]]),
        Section("values", [(row["param"], origin(row)) for row in found["values"]]),
    ]
    if found.get("argv"):
        runs = [("builtin", found["builtin"])] if found["builtin"] else [("argv", words.join(found["argv"]))]
        shown.append(Section("runs", runs))
    if found["line"]:
        shown.append(Section("the same call, plainly", [words.join(found["line"])]))
    return [section for section in shown if section.rows]


def role(row: dict[str, Any]) -> str:
    """What a word is."""
    kind = row["role"]
    if kind == "subcommand":
        return "names the subcommand"
    if kind == "separator":
        return "ends the flags"
    if kind == "problem":
        return f"in error: {row['code']}"
    if kind == "unread":
        return "not read"
    slot = f", its {row['slot']}" if "slot" in row else ""
    hidden = ", replaced by a later one" if row.get("hidden") else ""
    return f"{kind} of `{row['param']}`{slot}{hidden}"


def origin(row: dict[str, Any]) -> str:
    """A value, where it came from, and what it hid."""
    source = {"argv": "the words", "json": "JSON", "env": "the environment", "default": "the default"}
    hid = [f"{strict_json.dumps(old['text'])} from {source[old['origin']]}" for old in row.get("hid", ())]
    behind = f" (hides {', '.join(hid)})" if hid else ""
    return f"{strict_json.dumps(row['value'])} from {source[row['origin']]}{behind}"
