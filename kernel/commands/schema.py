"""`kernel schema [TOOL…]`: tools as the APIs of models take them; `--manifest`: the schema of manifests, for editors."""

from __future__ import annotations

from kernel import environment, locate, store, strict_json
from kernel.commands import resolve, verb
from kernel.errors import KernelError, WordPlace, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ToolSpec

SPEC = verb.verb(
    "schema",
    "Print tools for the APIs of models: one object for one tool, a list for several, or for all where none is named.",
    verb.operand("tool", "A tool with its subcommands, and further ones.", repeatable=True, complete="tool"),
    verb.option(
        "dialect",
        "For whom: the JSON Schema of the arguments, or the tool as MCP or an API takes it.",
        "DIALECT",
        choices=("json-schema", "mcp", "openai", "openai-strict", "anthropic", "gemini"),
    ),
    verb.switch("manifest", "Print the JSON Schema of manifests, for editors."),
    verb.TOOLS,
    groups=(("exclusive", ("tool", "manifest")), ("exclusive", ("dialect", "manifest"))),
)


def run(bound: Bound) -> int:
    """Prints the schemas: one line in a pipe, indented on a terminal. With a broken manifest among all tools it ends with 1."""
    options = verb.finish(bound).values
    problems: list[KernelError] = []
    value: Any
    if options["manifest"]:
        from kernel.export import manifest_schema

        value = manifest_schema.schema()
    else:
        from kernel.export import dialects

        directories = verb.directories(options)
        write = dialects.DIALECTS[options.get("dialect", "json-schema")]
        if options["tool"]:
            found = [write(spec) for spec in named(options["tool"], directories)]
            value = found[0] if len(found) == 1 else found
        else:
            specs, problems = everything(directories)
            value = [write(node) for spec in specs for node in dialects.published(spec)]
    environment.write_out(strict_json.dumps(value, indent=2 if environment.is_terminal(1) else None) + "\n")
    if problems:
        raise KernelError([problem for error in problems for problem in error.problems], status=1)
    return 0


def named(words: list[str], directories: list[locate.Directory]) -> list[ToolSpec]:
    """The tools that the words name, each as deep as its subcommands go. Raises KernelError with the place of a word."""
    found: list[ToolSpec] = []
    rest = words
    while rest:
        at = len(words) - len(rest)
        try:
            spec, rest = resolve.leaf(rest, directories)
            if spec.children and not (spec.has_exec or spec.builtin):
                raise _no_leaf(spec, rest)
        except KernelError as error:
            for problem in error.problems:
                if isinstance(problem.where, WordPlace):
                    problem.where = WordPlace(at + problem.where.index)
            raise resolve.placed(error, words, ("kernel", "schema")) from None
        found.append(spec)
    return found


def _no_leaf(spec: ToolSpec, rest: list[str]) -> KernelError:
    from kernel.near import near

    names = ", ".join([f"`{name}`" for name in spec.child_names])
    if rest and (like := near(rest[0], spec.child_names)):
        message = f"`{spec.full_name}` has no subcommand `{rest[0]}`"
        return fail("E-SUBCOMMAND", message, WordPlace(len(spec.path)), f"did you mean `{like[0]}`?", near=like)
    message = f"`{spec.full_name}` is called by its subcommands, which have a schema each"
    return fail("E-SUBCOMMAND", message, WordPlace(0), hint=f"name one of {names}")


def everything(directories: list[locate.Directory]) -> tuple[list[ToolSpec], list[KernelError]]:
    """Every tool of the search path by name, and what is wrong with the manifests that cannot be used."""
    specs, problems = [], []
    for found in sorted(locate.scan(directories), key=lambda each: each.name):
        if found.hidden_by is not None:
            continue
        try:
            specs.append(store.load(found))
        except KernelError as error:
            problems.append(error)
    return specs, problems
