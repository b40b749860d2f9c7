"""What a server offers at this moment: the tools of a snapshot and its own, by name, and the list that clients see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernel.errors import fail
from kernel.serve import answers, own_tools
from kernel.serve.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernel.serve.calls import Calls, Progress
    from kernel.serve.catalogue import Snapshot
    from kernel.serve.own_tools import OwnTool


class Toolbox:
    """Names to tools. ``replace`` swaps the whole of it at once; the list is made then, not when it is asked for."""

    def __init__(self, calls: Calls, snapshot: Snapshot, facade: str = "auto", own: tuple[OwnTool, ...] = ()) -> None:
        self.calls = calls
        self._facade = facade
        self._extra = own
        self.replace(snapshot)

    def replace(self, snapshot: Snapshot) -> None:
        """Another snapshot from now on."""
        self.snapshot = snapshot
        own = list(self._extra)
        if any(tool.spec.limits.get("spill") for tool in snapshot.tools.values()):
            own.append(own_tools.read_output())
        if any(tool.spec.task and not tool.founding for tool in snapshot.tools.values()):
            own += self.calls.jobs.tools()
        behind = self._facade == "on" or (self._facade == "auto" and len(snapshot.tools) > own_tools.FACADE_ABOVE)
        if behind:
            own += own_tools.facade(lambda: self.snapshot, self.call)
        self.own = {tool.name: tool for tool in own}
        shown = [tool.listing for tool in own] + ([] if behind else [tool.listing for tool in snapshot.tools.values()])
        self.list: list[dict[str, Any]] = sorted(shown, key=lambda listing: str(listing["name"]))

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """The published input schema of a tool, None for a name that there is not."""
        tool = self.own.get(name) or self.snapshot.tools.get(name)
        schema: Mapping[str, Any] | None = tool.listing["inputSchema"] if tool is not None else None
        return schema

    async def call(self, name: str, arguments: Mapping[str, Any], progress: Progress | None = None) -> Answer:
        """The answer of a tool. Raises KernelError (E-UNKNOWN-TOOL) for a name that there is not."""
        try:
            if name in self.own:
                return await self.own[name].answer(arguments, progress)
            return await self.calls.run(own_tools.named(self.snapshot, name), arguments, progress)
        except Exception as error:
            if getattr(error, "code", "") == "E-UNKNOWN-TOOL":
                raise
            return answers.of_error(fail("E-INTERNAL", f"internal error: {type(error).__name__}: {error}"))
