"""Which tools are served, under which names, and why the others are not (serving.md): one snapshot, never half of one."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kernel import environment, limits, locate, needs, paths, store, strict_json
from kernel.errors import KernelError
from kernel.export import json_schema, rules
from kernel.limits import Gate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from decimal import Decimal

    from kernel.spec import ToolSpec

LEVELS = ("read", "write", "destructive")
LONGEST_NAME = 40


class Served:
    """A tool that can be called: its published name, its spec, the gate before it, and how `tools/list` shows it.

    ``founding`` is one of the founding command line, whose answers have another form.
    """

    __slots__ = ("founding", "gate", "listing", "name", "spec")

    def __init__(self, name: str, spec: ToolSpec, gate: Gate, listing: dict[str, Any], *, founding: bool = False) -> None:
        self.name = name
        self.spec = spec
        self.gate = gate
        self.listing = listing
        self.founding = founding


@dataclass(frozen=True)
class Choice:
    """What is to be served: names and tags to keep (none: all), the highest effect, and limits of a tool without any.

    ``project`` keeps the project's own tools, neither the user's nor those of the package.
    ``workspace`` is the absolute directory that calls are held to; ``everywhere`` says that it is the root or the home
    directory and nobody named it, so that no tool with a path is served.
    """

    workspace: str
    everywhere: bool = False
    tools: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    project: bool = False
    allow: str = "read"
    concurrency: int = limits.CONCURRENCY
    rate: tuple[int, float] | None = limits.RATE


@dataclass
class Snapshot:
    """The tools served at one time by name, in order; what was left out and why; the places that were searched."""

    tools: dict[str, Served] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    specs: dict[str, ToolSpec] = field(default_factory=dict)  # file -> what was read from it


def build(choice: Choice, reserved: Collection[str] = (), before: Snapshot | None = None) -> Snapshot:
    """The snapshot of what is on the search path now.

    ``reserved`` are names that no manifest gets. With the snapshot ``before``, a manifest that is broken now keeps what
    was read from it then, so does one that a served tool could have changed, and a gate that is the same keeps its count.
    """
    directories = locate.search_path(choice.tools, choice.workspace)
    snapshot = Snapshot(searched=[directory.path for directory in directories])
    snapshot.left_out += [(directory.path, directory.untrusted) for directory in directories if directory.untrusted]
    leaves = []
    for found in locate.scan(directories):
        if found.hidden_by is not None or not _may_be_chosen(found, choice):
            continue
        old = before.specs.get(found.file) if before is not None else None
        try:
            spec: ToolSpec | None = store.load(found)
            reason = ""
            if before is not None and spec != old and (writer := _writer_of(found.file, before, choice)):
                reason = f"it is new or changed, and `{writer}` could have written it: start the server again to serve it"
        except KernelError as error:
            reason = str(error)
        if reason:
            snapshot.left_out.append((found.name, reason + ("; what it was before is served" if old is not None else "")))
            spec = old
        if spec is None:
            continue
        snapshot.specs[found.file] = spec
        leaves += [leaf for leaf in callable_nodes(spec) if _is_chosen(leaf, choice)]
    for name in choice.only:
        if not any(_is_named(leaf, name) for leaf in leaves):
            snapshot.left_out.append((name, "no manifest defines it"))
    served = []
    for leaf in leaves:
        reason = _refusal(leaf, choice)
        if reason:
            snapshot.left_out.append((leaf.full_name, reason))
        else:
            served.append(leaf)
    for name, spec in sorted(_named(served, reserved)):
        snapshot.tools[name] = _served(name, spec, choice, before)
    return snapshot


def _writer_of(file: str, snapshot: Snapshot, choice: Choice) -> str:
    """The served tool that may write to where a manifest lies, "" for none."""
    if choice.allow == "read":
        return ""
    place = os.path.realpath(file)
    for name, tool in snapshot.tools.items():
        if effect_level(tool.spec.effect) or any(param.effects for param in tool.spec.params):
            roots = [os.path.realpath(os.path.join(choice.workspace, root)) for root in tool.spec.roots or (choice.workspace,)]
            if any(paths.is_inside(place, root) for root in roots):
                return name
    return ""


def callable_nodes(spec: ToolSpec) -> Iterator[ToolSpec]:
    """The nodes of a tool that run something."""
    if spec.has_exec or spec.builtin:
        yield spec
    for name, index in spec.child_names.items():
        child = spec.child(name)
        if child is not None and child.name == name and index >= 0:
            yield from callable_nodes(child)


def _may_be_chosen(found: locate.Found, choice: Choice) -> bool:
    """Whether a manifest can hold a chosen tool: one that cannot need not be read."""
    if choice.project and not found.directory.of_project:
        return False
    name = found.name
    return not choice.only or any(each == name or each.startswith((f"{name} ", f"{name}_")) for each in choice.only)


def _is_named(spec: ToolSpec, name: str) -> bool:
    return name in (spec.path[0] if spec.path else spec.name, spec.full_name, "_".join(spec.path))


def _is_chosen(spec: ToolSpec, choice: Choice) -> bool:
    if choice.only and not any(_is_named(spec, name) for name in choice.only):
        return False
    if choice.tags and not set(choice.tags) & set(spec.tags):
        return False
    return not spec.hidden or bool(choice.only)


def _refusal(spec: ToolSpec, choice: Choice) -> str:
    """Why a chosen tool is not served, "" when it is."""
    level = effect_level(spec.effect)
    if level > LEVELS.index(choice.allow):
        stated = f"its effect is `{spec.effect}`" if spec.effect else "it states no effect, which counts as `write`"
        return f"{stated}: `--allow {LEVELS[level]}` serves it"
    hidden = rules.is_for_people(spec)
    if hidden:
        return f"it requires `{hidden}`, which is hidden from agents"
    if spec.confirm and choice.allow != "destructive":
        return "it asks a person before it runs: `--allow destructive` serves it"
    if choice.everywhere and not spec.roots and any(slot.path for param in spec.params for slot in param.slots):
        return f"it takes paths, and the whole of `{choice.workspace}` is no workspace: give one by `--workspace DIR`"
    if not (spec.builtin and spec.has_exec):
        missing = needs.missing(spec)
        if missing:
            return missing[0].message
    return ""


def effect_level(effect: str) -> int:
    """The place of an effect in LEVELS; one that is not stated counts as `write` (X9)."""
    return LEVELS.index(effect or "write")


def _named(specs: Sequence[ToolSpec], reserved: Collection[str]) -> list[tuple[str, ToolSpec]]:
    """(published name, spec): the full name with `_`, made unique where case, `-` and `_` are one."""
    taken = {_folded(name) for name in reserved}
    out = []
    for spec in sorted(specs, key=lambda each: (len(each.path), each.path)):
        name = "_".join(spec.path or (spec.name,))
        if _folded(name) in taken:
            mark = hashlib.sha256(spec.full_name.encode()).hexdigest()[:8]
            name = f"{name[: LONGEST_NAME - 9]}_{mark}"
        taken.add(_folded(name))
        out.append((name, spec))
    return out


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def _served(name: str, spec: ToolSpec, choice: Choice, before: Snapshot | None) -> Served:
    concurrency = spec.limits.get("concurrency", choice.concurrency)
    rate = spec.limits.get("rate", choice.rate)
    gate = Gate(name, concurrency, rate)
    old = before.tools.get(name) if before is not None else None
    if old is not None and (old.gate.concurrency, old.gate.rate) == (concurrency, rate):
        gate = old.gate
    return Served(name, spec, gate, listing(name, spec))


def listing(name: str, spec: ToolSpec) -> dict[str, Any]:
    """A tool as `tools/list` shows it, in plain JSON."""
    shown = {**json_schema.mcp_tool(spec), "name": name}
    shown.setdefault("title", spec.full_name)
    plain: dict[str, Any] = _floats(strict_json.loads(strict_json.dumps(shown)))
    return plain


def _floats(value: Any | Decimal) -> Any:
    """JSON in the types that the SDK can write."""
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return value if value is None or isinstance(value, (str, bool, int, float)) else float(value)


def workspace_of(given: str) -> tuple[str, bool]:
    """The absolute workspace, and whether it is the root or the home directory without anybody having named it."""
    if given:
        return os.path.realpath(given), False
    here = os.path.realpath(environment.working_directory())
    return here, here in ("/", os.path.realpath(environment.home()))
