"""What there is to list: a few facts of every tool on the search path, kept in one cache entry a directory.

Compiling or even opening thousands of manifests for a list would take seconds, so an entry holds the facts of a whole
directory, each with the stamp of its file. A fact is believed only with that stamp.
"""

from __future__ import annotations

import sys
import zlib

from kernel import __version__, locate, store, system
from kernel.errors import KernelError
from kernel.spec import ToolSpec, first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Facts = tuple[Any, ...]
    Stamps = dict[str, tuple[int, ...]]  # of files, by the names of their tools
    Kept = tuple[Stamps, dict[str, Facts]]

FORMAT = 5
EFFECTS = ("read", "write", "destructive")
_FACTS = 12  # fields of one tool's facts; the last two are the program it runs and what it needs, "" and () for none
_NOTHING_WANTED = ("", ())


class Entry:
    """One tool of the list.

    ``kind`` is `program`, `builtin`, `either` (the builtin where the program is missing), `tree` (of subcommands) or "".
    ``status`` is `available`, `unavailable`, `broken` or `untrusted`, with the ``reason``. ``effect`` is the highest
    of the tool and its subcommands. ``hides`` are files of the same name that this one wins over. ``directory`` is
    where it was found.
    """

    __slots__ = ("directory", "facts", "file", "hides", "name")

    def __init__(self, name: str, file: str, facts: Facts, directory: locate.Directory) -> None:
        self.name = name
        self.file = file
        self.facts = facts
        self.directory = directory
        self.hides: list[str] = []

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
            "origin": self.directory.origin,
            "hides": self.hides,
        }


def entries(directories: Sequence[locate.Directory]) -> list[Entry]:
    """Every tool that owns its name, and every file that cannot be used, sorted by name."""
    listed: list[Entry] = []
    owners: dict[str, Entry] = {}
    for directory in directories:
        kept: Kept = ({}, {}) if directory.untrusted else _read(directory)
        if kept[0] and kept[0] == _stamps(directory.path):
            prefix = f"{directory.path}/"
            found = [Entry(name, f"{prefix}{name}.yaml", facts, directory) for name, facts in kept[1].items()]
        else:
            found = _looked_through(directory, kept)
        lacking: dict[Facts, str] = {_NOTHING_WANTED: ""}
        for entry in found:
            facts = entry.facts
            wanted = facts[-2:]
            reason = lacking.get(wanted)
            if reason is None:
                reason = lacking[wanted] = _lacking(wanted[0], wanted[1], directory.base)
            if reason:
                entry.facts = ("unavailable", reason, *facts[2:])
            if directory.untrusted or (facts[0] == "broken" and _misnamed(entry)):
                listed.append(entry)  # it owns no name
            elif (owner := owners.setdefault(entry.name, entry)) is entry:
                listed.append(entry)
            elif not (directory.shipped and locate.is_copy(owner.file, entry.file)):
                owner.hides.append(entry.file)
    listed.sort(key=lambda entry: entry.name)
    return listed


def _misnamed(entry: Entry) -> bool:
    return not (entry.file.endswith(".yaml") and locate.is_name(entry.name))


def _stamps(place: str) -> Stamps | None:
    """The stamps of a directory's manifests by name; None where something in it needs a closer look."""
    stamps: Stamps = {}
    try:
        with system.scandir(place) as files:
            for file in files:
                name = file.name
                if name[-5:] == ".yaml" and name[0] != ".":
                    status = file.stat(follow_symlinks=False)
                    stamps[name[:-5]] = (status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino)
                elif name[-5:].lower().endswith((".yaml", ".yml")) and name[0] != ".":
                    return None
    except OSError:
        return None
    return stamps


def _stamp(status: system.stat_result) -> tuple[int, ...]:
    return (status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino)


def _looked_through(directory: locate.Directory, kept: Kept) -> list[Entry]:
    """The tools of one directory, each file looked at by itself; keeps what is known of them now."""
    found: list[Entry] = []
    stamps: Stamps = {}
    known: dict[str, Facts] = {}
    for file in locate.scan([directory]):
        status = file.status
        if file.untrusted or file.broken or status is None:
            found.append(Entry(file.name, file.file, _unusable(file), directory))
            continue
        stamp = _stamp(status)
        facts, lasting = (kept[1][file.name], True) if kept[0].get(file.name) == stamp else _facts(file)
        if lasting and not file.warning:
            stamps[file.name], known[file.name] = stamp, facts
        found.append(Entry(file.name, file.file, facts, directory))
    if (stamps, known) != kept:
        _write(directory, stamps, known)
    return found


def _unusable(found: locate.Found) -> Facts:
    status = "untrusted" if found.untrusted else "broken"
    return (status, found.untrusted or found.broken, "", "", "", "", "", (), False, "", "", ())


def _lacking(program: str, wanted: Facts, base: str) -> str:
    """What keeps a tool from running on this machine: something that it needs, or its program; "" for nothing."""
    if any(wanted):
        from kernel import needs

        spec = ToolSpec(name="", needs_programs=wanted[0], needs_env=wanted[1], needs_os=wanted[2])
        problems = needs.missing(spec)
        if problems:
            return problems[0].message.removeprefix("`` ")
    return _unfound(program, base) if program else ""


def _unfound(program: str, base: str) -> str:
    from kernel import launch

    try:
        launch.locate(program, base)
    except KernelError as error:
        return f"the program {error.problems[0].message}"
    return ""


def _facts(found: locate.Found) -> tuple[Facts, bool]:
    """The facts of one manifest, and whether they last as long as its file is unchanged."""
    try:
        spec = store.load(found)
    except KernelError as error:
        alone = all(problem.code == "E-YAML" for problem in error.problems)  # other faults can lie in other files too
        return ("broken", error.problems[0].message, "", "", "", "", "", (), False, "", "", ()), alone
    program = spec.program if spec.has_exec and not spec.builtin else ""
    needed = () if spec.builtin else (spec.needs_programs, spec.needs_env, spec.needs_os)
    said = (first_sentence(spec.description), spec.description, spec.title, spec.tags, spec.hidden, spec.deprecated)
    facts = ("available", "", kind(spec), _highest(spec), *said, program, needed if any(needed) else ())
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


def _name(directory: locate.Directory) -> str:
    data = directory.path.encode("utf-8", "surrogateescape")
    return f"catalogue-{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def _identity(directory: locate.Directory) -> tuple[object, ...]:
    """What the facts of a directory are true for: also whether its files were judged, as kept ones are not again."""
    return FORMAT, __version__, sys.hexversion, directory.path, directory.judged


def _read(directory: locate.Directory) -> Kept:
    """What is kept of a directory: the stamps of its files and their facts, the same names in both."""
    found = store.read_entry(_name(directory))
    if type(found) is tuple and len(found) == 3 and found[0] == _identity(directory):
        _, stamps, facts = found
        if type(stamps) is dict and type(facts) is dict and stamps.keys() == facts.keys():
            values = facts.values()
            if set(map(type, values)) <= {tuple} and set(map(len, values)) <= {_FACTS}:
                return stamps, facts
    return {}, {}


def _write(directory: locate.Directory, stamps: Stamps, facts: dict[str, Facts]) -> None:
    """Keeps the facts of the files that are old enough not to change unseen."""
    import time

    latest = time.time_ns() - store.SETTLED_NS
    settled = {name: stamp for name, stamp in stamps.items() if max(stamp[:2]) < latest}
    store.write_entry(_name(directory), (_identity(directory), settled, {name: facts[name] for name in settled}))
