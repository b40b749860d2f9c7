"""`kernel help [TOOL|VERB]`: how it is used."""

from __future__ import annotations

from kernel import environment, locate
from kernel.commands import VERBS, resolve, verb
from kernel.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound

SPEC = verb.verb(
    "help",
    "Show how a tool or a verb is used. A verb goes before a tool of the same name.",
    verb.operand("tool", "A tool with its subcommands, or a verb; none shows the verbs.", repeatable=True, complete="tool"),
    verb.TOOLS,
)


def run(bound: Bound) -> int:
    """Shows the manual. Raises KernelError for a name that is neither."""
    options = verb.finish(bound).values
    name = options["tool"]
    if not name:
        from kernel.commands import about

        return about.run("--help")
    from kernel.present import manual

    entry = VERBS.get(name[0]) if len(name) == 1 else None
    if entry is not None:
        module_name = entry[0].partition(":")[0]
        __import__(module_name)
        import sys

        manual.show(sys.modules[module_name].SPEC)
        if locate.find(name[0], verb.directories(options)) is not None:
            environment.write_out(f"\nthere is a tool of that name as well: `kernel show {name[0]}`\n")
        return 0
    try:
        manual.show(resolve.node(name, verb.directories(options)))
    except KernelError as error:
        raise resolve.placed(error, name, ("kernel", "help")) from None
    return 0
