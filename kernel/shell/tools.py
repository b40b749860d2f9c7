"""Which tool or program a command word names, looked up again only after something may have changed."""

from __future__ import annotations

import os
import time

from kernel import environment, locate, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.locate import Directory, Found
    from kernel.shell.state import State
    from kernel.spec import ToolSpec

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"  # where there is no PATH, as for `kernel call`
FRESH = 1.0  # seconds after which a lookup is made sure of again, whatever happened


class Tool:
    """A found tool. ``plain`` marks a builtin of the kernel's own whose calls need no plan: nothing is to be judged.

    ``raising`` are the params that raise its effect; a call that gives one of them is not plain.
    """

    __slots__ = ("file", "plain", "raising", "shipped", "spec", "stamp")

    def __init__(self, spec: ToolSpec, found: Found, stamp: tuple[int, ...], shipped: bool) -> None:
        self.spec = spec
        self.file = found.file
        self.stamp = stamp
        self.shipped = shipped
        self.plain = False
        self.raising = tuple([param.name for param in spec.params if param.effects])


def _is_plain(spec: ToolSpec) -> bool:
    if not spec.builtin or spec.has_exec or spec.children or spec.deprecated or spec.confirm or spec.effect == "destructive":
        return False
    if spec.env or spec.stdin != "caller" or spec.cwd != "caller" or spec.roots or spec.deny or spec.timeout or spec.limits:
        return False
    if spec.needs_programs or spec.needs_env or spec.needs_os or spec.sandbox:
        return False
    return not any(param.deprecated or param.secret for param in spec.params)


class Tools:
    """The lookups of one shell. ``stale()`` says that files may have changed since."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._known: dict[str, Tool | None] = {}
        self._signature: tuple[object, ...] = ()
        self._directories: list[Directory] = []
        self._valid_until = -1.0
        self._changes = -1
        self._programs: dict[str, str] = {}
        self._path = ""
        self.notices: set[str] = set()

    def stale(self) -> None:
        """Something ran that may have written manifests: what is known is made sure of before it is used again."""
        self._valid_until = -1.0

    def find(self, name: str) -> Tool | None:
        """The tool of a name, None where there is none. Raises KernelError for a broken manifest, or one not accepted."""
        if self._valid_until < time.monotonic() or self._changes != self.state.changes:
            self._refresh()
        try:
            return self._known[name]
        except KeyError:
            pass
        tool: Tool | None = None
        found = locate.find(name, self._directories)
        if found is not None:
            shipped = self.is_shipped(found)
            own = shipped or self._is_copy(found)
            if found.directory.origin == "project" and not own:
                from kernel.shell import acceptance

                acceptance.require(found, self.program(name))
            status = found.status
            tool = Tool(store.load(found), found, _stamp(status) if status is not None else (), shipped)
            tool.plain = own and _is_plain(tool.spec)
        self._known[name] = tool
        return tool

    def is_shipped(self, found: Found) -> bool:
        """Whether a manifest is of the set that comes with the package; in a checkout a project's directory may be that."""
        return found.directory.shipped or os.path.realpath(found.directory.path) == os.path.realpath(locate.shipped_directory())

    def _is_copy(self, found: Found) -> bool:
        """Whether a manifest says exactly what the shipped one of its name says: a checkout of the kernel is full of them."""
        hidden = locate.hidden_shipped_file(found)
        return bool(hidden) and locate.is_copy(found.file, hidden)

    def _refresh(self) -> None:
        self._directories = locate.search_path()
        signature = tuple([(each.path, _changed(each.path)) for each in self._directories])
        if signature != self._signature:
            self._known = {}
            self._signature = signature
            self._say()
        else:
            for name, tool in list(self._known.items()):
                if tool is not None and not tool.shipped:
                    try:
                        same = _stamp(os.stat(tool.file)) == tool.stamp
                    except OSError:
                        same = False
                    if not same:
                        del self._known[name]
        self._valid_until = time.monotonic() + FRESH
        self._changes = self.state.changes

    def _say(self) -> None:
        for notice in locate.notices(self._directories):
            if notice not in self.notices:
                self.notices.add(notice)
                environment.write_error(f"warning: {notice}\n")

    def names(self) -> list[str]:
        """The names of all tools, sorted."""
        if self._valid_until < time.monotonic():
            self._refresh()
        return sorted({found.name for found in locate.scan(self._directories) if not (found.broken or found.untrusted)})

    def where(self, name: str) -> Found | None:
        """The manifest that owns a name, whether it is sound or not."""
        return locate.find(name, locate.search_path())

    def program(self, name: str) -> str:
        """The absolute path of a program of PATH, "" for none. Empty and relative entries of PATH are skipped (X2)."""
        path = self.state.variables.get("PATH", DEFAULT_PATH)
        if path != self._path:
            self._programs = {}
            self._path = path if isinstance(path, str) else ""
        known = self._programs.get(name)
        if known is not None:
            return known
        if not name or "/" in name or "\0" in name:
            return ""
        for place in self._path.split(":"):
            if place[:1] == "/":
                file = f"{place}/{name}"
                if os.access(file, os.X_OK) and os.path.isfile(file):
                    self._programs[name] = file
                    return file
        return ""

    def forget_program(self, name: str) -> None:
        """A program that was found before is no longer there."""
        self._programs.pop(name, None)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
