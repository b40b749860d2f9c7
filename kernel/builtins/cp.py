"""cp: copies of files and directories."""

from __future__ import annotations

import os

from kernel.builtins import targets
from kernel.builtins.copying import Copier, Rules, parented
from kernel.builtins.guard import Failure, guarded, last_given, reason
from kernel.builtins.quoting import quoted, quoted_name
from kernel.builtins.targets import asks_for_backup, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.builtins.io import Io

ALL = {"mode", "ownership", "timestamps", "links", "xattr"}
FIRST = {"mode", "ownership", "timestamps"}


def usage(bound: Bound) -> None:
    """Failure for attributes that are none, and for operands that name no source and destination."""
    rules_of(bound)
    targets.usage(bound)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when something was not copied."""
    rules = rules_of(bound)
    copier = Copier(bound, io, rules)
    copies = list(pairs(bound, io))
    copier.expect([source for source, _ in copies])
    for source, target in copies:
        if rules.parents:
            directory = bound.values.get("target_directory") or bound.values["files"][-1]
            if not os.path.isdir(io.path(directory)):
                raise Failure("with --parents, the destination must be a directory", 1)
            target = parented(source, directory)
            try:
                os.makedirs(os.path.dirname(io.path(target)), exist_ok=True)
            except OSError as error:
                copier.complain(f"cannot make directory {quoted_name(os.path.dirname(target))}: {reason(error)}")
                continue
        copier.copy(source, target)
    return 1 if copier.failed else 0


def rules_of(bound: Bound) -> Rules:
    """What the flags of cp ask for."""
    values = bound.values
    rules = Rules()
    archive = bool(values["archive"])
    rules.recursive = archive or bool(values["recursive"])
    chosen = last_given(bound, "dereference", "no_dereference", "follow_given", "archive", "no_dereference_links")
    rules.follow = {"dereference": "always", "follow_given": "given", "": ""}.get(chosen, "never")
    for added, names in _kept(bound):
        if added:
            rules.keep |= names
        else:
            rules.keep -= names
            rules.new_modes |= "mode" in names
    asked = last_given(bound, "interactive", "no_clobber", "force")
    rules.clobber = {"interactive": "ask", "no_clobber": "none"}.get(asked, "force")
    rules.force = bool(values["force"])
    rules.remove_first = bool(values["remove_destination"])
    rules.update = bool(values["update"])
    rules.verbose = bool(values["verbose"])
    rules.link = {"link": "hard", "symbolic_link": "symbolic"}.get(last_given(bound, "link", "symbolic_link"), "")
    rules.one_file_system = bool(values["one_file_system"])
    rules.backup = asks_for_backup(values)
    rules.attributes_only = bool(values["attributes_only"])
    rules.parents = bool(values["parents"])
    return rules


def _kept(bound: Bound) -> list[tuple[bool, set[str]]]:
    """What is to be kept (True) and not (False), in the order of the words; without words what not comes last."""
    values = bound.values
    steps: list[tuple[str, int]] = []
    for name in ("archive", "no_dereference_links", "preserve_first"):
        if values[name]:
            steps.append((name, 0))
    for name in ("preserve", "no_preserve"):
        steps += [(name, entry) for entry in range(len(values[name]))]
    typed = [(trace.param, trace.entry) for trace in bound.trace]
    if all(step in typed for step in steps):
        steps.sort(key=typed.index)
    whole = {"archive": ALL, "no_dereference_links": {"links"}, "preserve_first": FIRST}
    return [(name != "no_preserve", whole[name] if name in whole else _named(bound, name, entry)) for name, entry in steps]


def _named(bound: Bound, param: str, entry: int) -> set[str]:
    """The attributes that one --preserve or --no-preserve lists."""
    found: set[str] = set()
    for name in bound.values[param][entry].split(","):
        if name == "all":
            found |= ALL
        elif name in ALL:
            found.add(name)
        else:
            known = f"it is one of all, {', '.join(sorted(ALL))}"
            flag = f"--{param.replace('_', '-')}"
            raise Failure(f"invalid argument {quoted(name)} for {flag}: {known}", param=param, entry=entry)
    return found
