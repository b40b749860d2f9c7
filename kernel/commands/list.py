"""`kernel list [--json] [--project] [--tag TAG]`: the tools that a call from here would find, and what is wrong with the others."""

from __future__ import annotations

import gc

from kernel import environment, locate
from kernel.commands import verb
from kernel.commands.catalogue import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.commands.catalogue import Entry

SPEC = verb.verb(
    "list",
    "List the tools: the project's own and the user's, then builtins, then programs. "
    "One that cannot be called here is listed with the reason.",
    verb.switch("json", "Print one JSON list."),
    verb.switch("project", "Only the project's own tools: none of the user's, none that come with the kernel."),
    verb.option("tag", "Only tools with this tag; given again, tools with any of them.", "TAG", repeatable=True),
    verb.switch("all", "Also the tools that their manifests hide."),
    verb.TOOLS,
)
HEADER = ("NAME", "KIND", "EFFECT", "DESCRIPTION")
STYLES = {"destructive": "red", "write": "yellow", "read": "green"}


def run(bound: Bound) -> int:
    """Prints the list, one line a tool in a pipe."""
    options = verb.finish(bound).values
    gc.disable()  # thousands of records that all live until the process ends
    tags = set(options["tag"])
    directories = verb.directories(options)
    verb.warn(locate.unlisted(directories))
    found = entries(directories)
    if not options["all"]:
        found = [entry for entry in found if not entry.hidden]
    if options["project"]:
        found = [entry for entry in found if entry.directory.of_project]
    if tags:
        found = [entry for entry in found if not tags.isdisjoint(entry.tags)]
    if options["json"]:
        from kernel.present import json

        json.write([entry.to_dict() for entry in found])
        return 0
    rows = [row(entry) for entry in arranged(found)]
    if environment.is_terminal(1):
        from kernel.present import grid

        grid.show(HEADER, rows, styles=STYLES)
        return 0
    from kernel.present import plain

    environment.write_out(plain.table([HEADER, *rows]))
    return 0


def arranged(entries: list[Entry]) -> list[Entry]:
    """One's own tools first, then the kernel's builtins, then its programs; in a clone the kernel's are the project's too."""
    shipped = locate.shipped_directory()
    own: list[Entry] = []
    builtins: list[Entry] = []
    programs: list[Entry] = []
    for entry in entries:
        if not (entry.directory.shipped or entry.directory.path == shipped):
            own.append(entry)
        else:
            (builtins if entry.kind in ("builtin", "either") else programs).append(entry)
    return own + builtins + programs


def row(entry: Entry) -> tuple[str, str, str, str]:
    """One line of the list: what keeps a tool from being called stands before its description."""
    status, reason, kind, effect, said = entry.facts[:5]
    if status != "available":
        said = f"{status}: {reason}" + (f"; {said}" if said else "")
    if entry.hides:
        from kernel.present.problem import short_path

        said += f" (hides {', '.join([short_path(file) for file in entry.hides])})"
    return entry.name, kind, effect, said
