"""`kernel explain [--json] TOOL ARGS…`: where each word went, where each value came from, what would run."""

from __future__ import annotations

from kernel import bind, check, environment, explain, locate, render, store, words
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
    verb.option("tools", "A directory of manifests to search first.", "DIR", complete="dir", repeatable=True),
    verb.operand("tool", "The tool's name.", required=True, complete="tool"),
    verb.operand("words", "The tool's words.", repeatable=True),
    flags="before-operands",
)


def run(bound: Bound) -> int:
    """Explains the call; one that fails is explained as far as it goes, and its error follows on stderr (2)."""
    options = verb.finish(bound).values
    call = bind.bind(store.by_name(options["tool"], locate.search_path(options["tools"])), options["words"])
    plan: Plan | None = None
    failure: KernelError | None = None
    try:
        check.check(call, environment.variables())
        plan = render.render(call)
    except KernelError as error:
        failure = complete(error, call, ("kernel", "explain", options["tool"]))
    found = explain.explanation(call)
    found["argv"] = None if plan is None else plan.masked()
    if options["json"]:
        from kernel.present import json

        found["error"] = None if failure is None else json.error(failure)
        json.write(found)
    else:
        from kernel.present.view import show

        show(sections(found))
    if failure is not None:
        raise failure
    return 0
