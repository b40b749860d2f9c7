"""What there is to list: a few facts of every tool on the search path, kept in one cache entry a directory.

Compiling or even opening thousands of manifests for a list would take seconds, so an entry holds the facts of a whole
directory, each with the stamp of its file. A fact is believed only with that stamp.
"""

from __future__ import annotations

import sys
import zlib

from kernel import __version__, locate, store
from kernel.errors import KernelError
from kernel.spec import ToolSpec, first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Facts = tuple[Any, ...]
    Line = tuple[tuple[int, ...], Facts]  # stamp of the file, facts

FORMAT = 1
EFFECTS = ("read", "write", "destructive")
_FACTS = 11  # fields of one tool's facts


class Entry:
    """One tool of the list.

    ``kind`` is `program`, `builtin`, `either` (the builtin where the program is missing), `tree` (of subcommands) or "".
    ``status`` is `available`, `unavailable`, `broken` or `untrusted`, with the ``reason``. ``effect`` is the highest
    of the tool and its subcommands. ``hides`` are files of the same name that this one wins over.
    """

    __slots__ = ("facts", "found")

    def __init__(self, found: locate.Found, facts: Facts) -> None:
        self.found = found
        self.facts = facts

    @property
    def name(self) -> str:
        return self.found.name

    @property
    def file(self) -> str:
        return self.found.file

    @property
    def hides(self) -> list[str]:
        return [other.file for other in self.found.hides]

    @property
    def status(self) -> str:
        return str(self.facts[0])

    @property
    def reason(self) -> str:
        return str(self.facts[1])

    @property
    def kind(self) -> str:
        return str(self.facts[2])

    @property
    def effect(self) -> str:
        return str(self.facts[3])

    @property
    def summary(self) -> str:
        return str(self.facts[4])

    @property
    def description(self) -> str:
        return str(self.facts[5])

    @property
    def title(self) -> str:
        return str(self.facts[6])

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.facts[7])

    @property
    def hidden(self) -> bool:
        return bool(self.facts[8])

    @property
    def deprecated(self) -> str:
        return str(self.facts[9])

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; `reason` is null for what is available."""
        return {
            "name": self.name,
            "title": self.title or None,
            "description": self.description,
            "kind": self.kind or None,
            "effect": self.effect or None,
            "tags": list(self.tags),
            "status": self.status,
            "reason": self.reason or None,
            "deprecated": self.deprecated or None,
            "hidden": self.hidden,
            "file": self.file,
            "hides": self.hides,
        }


def entries(directories: Sequence[locate.Directory]) -> list[Entry]:
    """Every tool that owns its name, and every file that cannot be used, sorted by name."""
    kept: dict[str, dict[str, Line]] = {}
    news: dict[str, dict[str, Line]] = {}
    listed: list[Entry] = []
    checked: dict[Facts, str] = {}
    for found in locate.scan(directories):
        if found.hidden_by is not None:
            continue
        status = found.status
        if found.untrusted or found.broken or status is None:
            listed.append(Entry(found, _unusable(found)))
            continue
        place = found.directory.path
        known = kept.get(place)
        if known is None:
            known = kept[place] = _read(place)
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)
        line = known.get(found.name)
        if line is None or line[0] != stamp:
            facts, lasting = _facts(found)
            if lasting:
                news.setdefault(place, {})[found.name] = (stamp, facts)
        else:
            facts = line[1]
        if facts[-1]:
            facts = _here(facts, checked)
        listed.append(Entry(found, facts))
    for place, lines in news.items():
        here = {entry.name for entry in listed if entry.found.directory.path == place}
        _write(place, {name: line for name, line in {**kept[place], **lines}.items() if name in here})
    return listed


def _unusable(found: locate.Found) -> Facts:
    status = "untrusted" if found.untrusted else "broken"
    return (status, found.untrusted or found.broken, "", "", "", "", "", (), False, "", ())


def _here(facts: Facts, checked: dict[Facts, str]) -> Facts:
    """The facts of a tool that needs something, as they are on this machine."""
    wanted = facts[-1]
    reason = checked.get(wanted)
    if reason is None:
        from kernel import needs

        spec = ToolSpec(name="", needs_programs=wanted[0], needs_env=wanted[1], needs_os=wanted[2])
        problems = needs.missing(spec)
        reason = checked[wanted] = problems[0].message.removeprefix("`` ") if problems else ""
    return ("unavailable", reason, *facts[2:]) if reason else facts


def _facts(found: locate.Found) -> tuple[Facts, bool]:
    """The facts of one manifest, and whether they last as long as its file is unchanged."""
    try:
        spec = store.load(found)
    except KernelError as error:
        alone = all(problem.code == "E-YAML" for problem in error.problems)  # other faults can lie in other files too
        return ("broken", error.problems[0].message, "", "", "", "", "", (), False, "", ()), alone
    needed = () if spec.builtin else (spec.needs_programs, spec.needs_env, spec.needs_os)
    said = (first_sentence(spec.description), spec.description, spec.title, spec.tags, spec.hidden, spec.deprecated)
    facts = ("available", "", kind(spec), _highest(spec), *said, needed if any(needed) else ())
    return facts, not spec.files


def kind(spec: ToolSpec) -> str:
    """What runs: `tree`, `either`, `builtin` or `program`."""
    if spec.children:
        return "tree"
    if spec.builtin:
        return "either" if spec.has_exec else "builtin"
    return "program"


def _highest(spec: ToolSpec) -> str:
    """The highest effect in the tree; one that states none counts as write."""
    own = spec.effect or "write"
    below = [_highest(ToolSpec.unpack(packed)) for packed in spec.children]
    return max([own, *below], key=EFFECTS.index) if spec.has_exec or spec.builtin or not below else max(below, key=EFFECTS.index)


def _name(place: str) -> str:
    data = place.encode("utf-8", "surrogateescape")
    return f"catalogue-{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def _read(place: str) -> dict[str, Line]:
    """The facts kept of a directory: (stamp, facts) by tool."""
    found = store.read_entry(_name(place))
    if type(found) is not tuple or len(found) != 3 or found[0] != (FORMAT, __version__, sys.hexversion) or found[1] != place:
        return {}
    lines = found[2]
    if type(lines) is not dict:
        return {}
    for line in lines.values():
        if type(line) is not tuple or len(line) != 2 or len(line[1]) != _FACTS:
            return {}
    return lines


def _write(place: str, lines: dict[str, Line]) -> None:
    """Keeps the facts of the files that are old enough not to change unseen."""
    import time

    latest = time.time_ns() - store.SETTLED_NS
    settled = {name: line for name, line in lines.items() if max(line[0][:2]) < latest}
    store.write_entry(_name(place), ((FORMAT, __version__, sys.hexversion), place, settled))
