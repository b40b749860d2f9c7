"""The server's own tools: pages of long outputs, and the three that stand for a list too long to be shown (serving.md)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from kernel import bind_json, check, explain, locate, strict_json
from kernel.errors import KernelError, fail
from kernel.near import near as nearest
from kernel.serve import answers, catalogue, pages
from kernel.serve.answers import Answer
from kernel.spec import ParamSpec, Slot, ToolSpec, first_sentence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from kernel.serve.calls import Progress
    from kernel.serve.catalogue import Served, Snapshot

    Run = Callable[[dict[str, Any], "Progress | None"], Awaitable[Answer]]
    RunTool = Callable[[str, Mapping[str, Any], "Progress | None"], Awaitable[Answer]]

FACADE_ABOVE = 60  # tools of a list that is still shown whole
MOST_FOUND = 30
RESERVED = ("read_output", "find_tools", "describe_tool", "run_tool", "job_status", "job_output", "job_cancel")


class OwnTool:
    """A tool that the server answers itself: bound and checked by its spec as any other, then ``run`` with its values."""

    def __init__(self, spec: ToolSpec, run: Run) -> None:
        self.spec = spec
        self.name = spec.name
        self.run = run
        self.listing = catalogue.listing(spec.name, spec)

    async def answer(self, arguments: Mapping[str, Any], progress: Progress | None = None) -> Answer:
        """The answer; what is wrong with the arguments is one too."""
        bound = bind_json.bind_mapping(self.spec, arguments)
        try:
            return await self.run(check.check(bound, {}).values, progress)
        except KernelError as error:
            explain.complete(error, self.spec)
            return answers.of_error(error)


def described(name: str, title: str, description: str, *params: ParamSpec) -> ToolSpec:
    """The spec of an own tool; it only reads."""
    return ToolSpec(name=name, path=(name,), title=title, description=description, effect="read", params=params)


def param(name: str, type: str, description: str, *, required: bool = False, minimum: str = "", maximum: str = "") -> ParamSpec:
    """A param of an own tool."""
    return ParamSpec(name=name, description=description, required=required, slots=(Slot(type=type, min=minimum, max=maximum),))


def read_output() -> OwnTool:
    """`read_output`: the rest of an output that was cut."""
    spec = described(
        "read_output",
        "Read a long output",
        "Read the next page of an output that was cut. The result that was cut says the handle and the offset.",
        param("handle", "string", "The handle that the cut result gave.", required=True),
        param("offset", "int", "The byte to go on from, as the page before said.", minimum="0"),
    )

    async def run(values: dict[str, Any], _: Progress | None) -> Answer:
        return pages.read(values["handle"], values.get("offset", 0))

    return OwnTool(spec, run)


def facade(snapshot: Callable[[], Snapshot], call: RunTool) -> list[OwnTool]:
    """`find_tools`, `describe_tool` and `run_tool`, for the tools of the snapshot at the time of the call."""

    async def find(values: dict[str, Any], _: Progress | None) -> Answer:
        found = _found(snapshot().tools.values(), values.get("query", ""))
        lines = [f"{tool.name}: {first_sentence(tool.spec.description) or tool.spec.full_name}" for tool in found[:MOST_FOUND]]
        if len(found) > MOST_FOUND:
            lines.append(f"[{len(found) - MOST_FOUND} more: use other words]")
        return Answer(["\n".join(lines) or "[no tool has these words in its name, description or tags]"])

    async def describe(values: dict[str, Any], _: Progress | None) -> Answer:
        return Answer([strict_json.dumps(named(snapshot(), values["name"]).listing, indent=2)])

    async def run(values: dict[str, Any], progress: Progress | None) -> Answer:
        return await call(named(snapshot(), values["name"]).name, values.get("arguments", {}), progress)

    name = param("name", "string", "The tool's name, as find_tools prints it.", required=True)
    query = param("query", "string", "Words to look for; all tools without any.")
    arguments = param("arguments", "object", "The tool's arguments by name.")
    return [
        OwnTool(described("find_tools", "Find tools", "Find tools by words of their names, descriptions and tags.", query), find),
        OwnTool(described("describe_tool", "Describe a tool", "Show a tool's description and arguments.", name), describe),
        _Runner(described("run_tool", "Run a tool", "Run a tool that find_tools found.", name, arguments), run),
    ]


class _Runner(OwnTool):
    """`run_tool`, whose inner arguments stay exactly as they came."""

    def __init__(self, spec: ToolSpec, run: Run) -> None:
        super().__init__(spec, run)
        self.listing["annotations"] = {**self.listing["annotations"], "readOnlyHint": False, "idempotentHint": False}

    async def answer(self, arguments: Mapping[str, Any], progress: Progress | None = None) -> Answer:
        exact = arguments.get("arguments", {})
        run = self.run

        async def with_exact(values: dict[str, Any], progress: Progress | None) -> Answer:
            inner = exact if isinstance(exact, dict) else values.get("arguments", {})
            return await run({**values, "arguments": inner}, progress)

        return await OwnTool(self.spec, with_exact).answer(arguments, progress)


def named(snapshot: Snapshot, name: str) -> Served:
    """The served tool of a name. Raises KernelError (E-UNKNOWN-TOOL) with near names."""
    served = snapshot.tools.get(name)
    if served is None:
        near = nearest(name, snapshot.tools)
        hint = f"did you mean {' or '.join([f'`{each}`' for each in near])}?" if near else ""
        raise fail("E-UNKNOWN-TOOL", f"`{name}` is no tool of this server", hint=hint, near=near)
    return served


def _found(tools: Iterable[Served], query: str) -> list[Served]:
    """The tools that have all the words: those with more of them in the name first, then in the description, then one's own."""
    words = query.lower().split()
    shipped = locate.shipped_directory()
    ranked = []
    for tool in tools:
        name = tool.name.lower()
        said = f"{tool.spec.full_name} {tool.spec.title} {tool.spec.description}".lower()
        tags = " ".join(tool.spec.tags).lower()
        if all(word in name or word in said or word in tags for word in words):
            named, described = sum([word in name for word in words]), sum([word in said for word in words])
            ranked.append((-named, -described, os.path.dirname(tool.spec.file) == shipped, tool.name, tool))
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:-1])]
