"""`kernel check [PATH…]`: every problem of every manifest, with its place; examples are bound and rendered, nothing runs."""

from __future__ import annotations

import os

from kernel import environment, locate
from kernel.commands import verb
from kernel.commands.examples import example_problems
from kernel.errors import KernelError, Place, Problem, fail
from kernel.spec import ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from kernel.bound import Bound

SPEC = verb.verb(
    "check",
    "Check manifests and their examples without running anything. Ends with 1 when a problem is found.",
    verb.operand("paths", "Manifests or directories; left out, all that a call would search.", repeatable=True, complete="path"),
    verb.switch("json", "Print one JSON object."),
    verb.switch("here", "Also look up the programs and versions that tools need on this machine."),
    verb.option(
        "profile",
        "Also warn of what the API of this provider refuses in the schemas of tools.",
        "PROVIDER",
        choices=("openai", "anthropic", "gemini"),
        repeatable=True,
    ),
    verb.TOOLS,
)


def run(bound: Bound) -> int:
    """Prints problems and warnings on stdout, for they are what was asked for, and a last line that counts them."""
    options = verb.finish(bound).values
    problems: list[Problem] = []
    warnings: list[Problem] = []
    found = _chosen(options)
    specs: list[ToolSpec] = []
    for entry in found:
        spec, bad, doubtful = inspect(entry, here=options["here"], profiles=options["profile"])
        problems += bad
        if spec is not None and entry.hidden_by is None:
            specs.append(spec)
        if options["paths"] or not entry.directory.shipped:  # what the kernel ships is not the caller's to mend
            warnings += doubtful
    problems += shared_names(specs)
    if options["json"]:
        from kernel.present import json

        json.write(
            {
                "manifests": len(found),
                "problems": [problem.to_dict() for problem in problems],
                "warnings": [problem.to_dict() for problem in warnings],
            }
        )
    else:
        from kernel.present import coloured, problem

        colour = coloured(1)
        text = problem.describe_all(problems, colour=colour) + problem.describe_all(warnings, level="warning", colour=colour)
        counts = ", ".join([_count(len(found), "manifest"), _count(len(problems), "problem"), _count(len(warnings), "warning")])
        environment.write_out(f"{text}{counts}\n")
    return 1 if problems else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _chosen(options: dict[str, Any]) -> list[locate.Found]:
    """The manifests to check. A directory is one of manifests, or one that holds `tools.d`."""
    paths = options["paths"]
    if not paths:
        directories = verb.directories(options)
        for directory in directories:
            _may_list(directory.path)
        return locate.scan(directories)
    found: list[locate.Found] = []
    for path in paths:
        if not os.path.isdir(path):
            if not os.path.lexists(path):
                hint = "give manifests or directories of them; without any, all that are searched are checked"
                if locate.is_name(path) and (tool := locate.find(path, verb.directories(options))) is not None:
                    hint = f"the tool's manifest is `{tool.file}`"
                raise fail("E-FILE", f"`{path}` cannot be read: No such file or directory", hint=hint)
            found.append(locate.at(path))
            continue
        inner = os.path.join(path, "tools.d")
        directory = locate.named(inner if os.path.isdir(inner) else path)
        _may_list(directory.path)
        found += locate.scan([directory])
    return found


def _may_list(path: str) -> None:
    """Raises E-FILE for a directory whose manifests cannot be seen: none would look like no problem."""
    try:
        os.scandir(path).close()
    except OSError as error:
        raise fail("E-FILE", f"`{path}` cannot be read: {error.strerror}") from None


def inspect(
    found: locate.Found, *, here: bool = False, profiles: Sequence[str] = ()
) -> tuple[ToolSpec | None, list[Problem], list[Problem]]:
    """The tool, where it loads, the problems and the warnings of one manifest; ``here`` also looks at this machine."""
    if found.untrusted:
        return None, [Problem("E-UNTRUSTED", f"`{found.name}` is not run: {found.untrusted}", Place(found.file, 1, 1))], []
    if found.broken:
        return None, [Problem("E-MANIFEST", f"`{found.file}`: {found.broken}", hint=found.hint)], []
    from kernel import schema, store

    try:
        spec = store.compile(found)
    except KernelError as error:
        return None, list(error.problems), []
    problems = example_problems(spec)
    if here:
        from kernel import needs

        problems += needs.missing(spec, versions=True)
    warnings = schema.warnings(spec) + missing_programs(spec)
    for profile in dict.fromkeys(profiles):
        from kernel.export import profiles as refused

        warnings += refused.warnings(spec, profile)
    return spec, problems, warnings


def missing_programs(spec: ToolSpec) -> list[Problem]:
    """A warning for each program that is not here, though the manifest does not say under `needs` that it may be missing."""
    from kernel import launch, lint

    source = lint.Source(spec.file)
    warned: set[str] = set()
    found = []
    for node in _nodes(spec):
        program = node.program
        if not node.has_exec or node.builtin or program in warned or program in dict(node.needs_programs):
            continue
        try:
            launch.locate(program, node.base)
        except KernelError as error:
            warned.add(program)
            problem = error.problems[0]
            way = f"say `needs: {{programs: [{program}]}}` where it may be missing"
            hint = problem.hint if "/" in program or problem.code != "E-NOT-FOUND" else f"mend the name, install it, or {way}"
            places = source.argv(node)
            where = places[0] if places else source.place(node.place)
            found.append(Problem("W-MANIFEST", f"the program {problem.message}", where, hint))
    return found


def shared_names(specs: Sequence[ToolSpec]) -> list[Problem]:
    """Nodes of which two have one name at JSON doors, where `git log` is `git_log` and `-` is `_` (argv-grammar S4)."""
    from kernel.export.json_schema import published_name

    taken: dict[str, ToolSpec] = {}
    problems = []
    for root in specs:
        for spec in _nodes(root):
            name = published_name(spec)
            other = taken.setdefault(name.replace("-", "_"), spec)
            if other.path != spec.path:
                message = f"`{spec.full_name}` and `{other.full_name}` are both `{name.replace('-', '_')}` to agents and models"
                where = Place(spec.file, *(spec.place if spec.place[0] else (1, 1)))
                problems.append(Problem("E-MANIFEST", message, where, f"rename one of them; the other is in `{other.file}`"))
    return problems


def _nodes(spec: ToolSpec) -> Iterator[ToolSpec]:
    if spec.has_exec or spec.builtin:
        yield spec
    for packed in spec.children:
        yield from _nodes(ToolSpec.unpack(packed))
