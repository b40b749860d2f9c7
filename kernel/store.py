"""Found manifest → ToolSpec, through a cache of compiled specs (performance.md, "How it is reached").

A warm load is the stat that found the manifest, one read of its entry, and a stat of each further file whose content
is in the spec. An entry is believed only when it is the caller's own, whole, of this format and about these very
files; what is wrong with it is never an error, the manifest is compiled again.
"""

from __future__ import annotations

import marshal
import sys
import zlib

from kernel import __version__, environment, locate, system
from kernel.errors import KernelError, Place, Problem, WordPlace, fail
from kernel.spec import ParamSpec, Slot, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kernel.locate import Directory, Found

FORMAT = 1  # of what compiling makes of a manifest; the records' own fields are counted in by `_maker`
SETTLED_NS = 2_000_000_000  # a file younger than this could change again without its times changing
_MAGIC = b"kspec\x00\x01\n"
_MAX_ENTRY = 16 << 20
_MAX_MANIFEST = 1 << 20
_TYPE, _REGULAR, _DIRECTORY = 0o170000, 0o100000, 0o040000
_OTHERS = 0o077


def by_name(name: str, directories: Sequence[Directory]) -> ToolSpec:
    """The spec of the tool that owns a name. Raises KernelError: E-UNKNOWN-TOOL, or what is wrong with its manifest."""
    found = locate.find(name, directories)
    if found is None:
        raise _unknown(name, directories)
    return load(found)


def load(found: Found) -> ToolSpec:
    """The spec of a found manifest, from the cache where that is sound. Raises KernelError."""
    _usable(found)
    status = found.status
    if status is None or not locate.is_name(found.name):
        return compile(found)
    spec = _cached(found.file, _entry_name(found), _stamp(status))
    if spec is None:
        spec, stamps, began = _compile(found)
        _keep(found, spec, stamps, began)
    return spec


def compile(found: Found) -> ToolSpec:
    """The spec of a found manifest, read and compiled anew; the cache is left alone. Raises KernelError with all problems."""
    _usable(found)
    return _compile(found)[0]


def _usable(found: Found) -> None:
    if found.untrusted:
        hint = "if you trust it, list its directory in `KERNEL_SAFE_TOOLS`, or make the file yours: `chown`, `chmod o-w`"
        raise fail("E-UNTRUSTED", f"`{found.file}` is not used: {found.untrusted}", Place(found.file, 1, 1), hint)
    if found.broken:
        raise fail("E-MANIFEST", found.broken, Place(found.file, 1, 1), found.hint)


def _compile(found: Found) -> tuple[ToolSpec, list[tuple[str, tuple[int, ...]]], int]:
    """(spec, the (file, stamp) pairs it was made of, the time in ns at which reading began)."""
    import gc

    collecting = gc.isenabled()
    gc.disable()  # modules and a tree that live on: a collection finds nothing, and costs a sixteenth of a cold call
    try:
        return _compiled(found)
    finally:
        if collecting:
            gc.enable()


def _compiled(found: Found) -> tuple[ToolSpec, list[tuple[str, tuple[int, ...]]], int]:
    import time

    from kernel import manifest, schema

    began = time.time_ns()
    data, stamp = _read_manifest(found)
    faults: list[Problem] = []
    tree = manifest.read(data, found.file, faults)
    spec = schema.compile_tool(tree, file=found.file, base=found.base, name=found.name, faults=faults)
    hidden = locate.hidden_shipped_file(found)
    if hidden and spec.replaces != found.name and not locate.is_copy(found.file, hidden):
        message = f"`{found.name}` hides the tool of that name that comes with the kernel"
        raise fail("E-MANIFEST", message, tree.place(), f"say so: `replaces: {found.name}`, or use another name")
    stamps = [(found.file, stamp)]
    for file in spec.files:
        try:
            stamps.append((file, _stamp(system.stat(file))))
        except OSError:
            stamps.append((file, ()))  # gone since: no stamp is equal to this one
    return spec, stamps, began


def _read_manifest(found: Found) -> tuple[bytes, tuple[int, ...]]:
    """(content, stamp) of the file itself, asked of the open file, as its name may lead elsewhere by now."""
    try:
        descriptor = system.open(found.file, system.O_RDONLY | system.O_CLOEXEC | system.O_NONBLOCK)
    except OSError as error:
        raise fail("E-FILE", f"`{found.file}` cannot be read: {error.strerror}", Place(found.file, 1, 1)) from None
    try:
        status = system.fstat(descriptor)
        if status.st_mode & _TYPE != _REGULAR:
            raise fail("E-FILE", f"`{found.file}` is no regular file", Place(found.file, 1, 1))
        if found.directory.judged and not found.warning and (reason := locate.distrust(status)):
            raise fail("E-UNTRUSTED", f"`{found.file}` is not used: {reason}", Place(found.file, 1, 1))
        return _read_all(descriptor, _MAX_MANIFEST + 1), _stamp(status)
    except OSError as error:
        raise fail("E-FILE", f"`{found.file}` cannot be read: {error.strerror}", Place(found.file, 1, 1)) from None
    finally:
        system.close(descriptor)


def _read_all(descriptor: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := system.read(descriptor, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


# The cache


def _stamp(status: system.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _maker() -> tuple[Any, ...]:
    """What an entry depends on besides the files: format, fields, kernel and Python."""
    fields = zlib.crc32(repr((ToolSpec.__slots__, ParamSpec.__slots__, Slot.__slots__)).encode())
    return (FORMAT, fields, __version__, sys.hexversion, marshal.version)


def _entry_name(found: Found) -> str:
    path = system.fsencode(found.file)
    return f"{found.name}-{zlib.crc32(path):08x}{zlib.adler32(path):08x}"


def _directory() -> str:
    return system.join(environment.cache_directory(), "specs")


def _cached(file: str, entry: str, stamp: tuple[int, ...]) -> ToolSpec | None:
    """The spec of a file that has the stamp, or None where the cache cannot give it."""
    found = read_entry(entry)
    if type(found) is not tuple or len(found) != 3 or found[0] != _maker():
        return None
    stamps, packed = found[1], found[2]
    try:
        if stamps[0] != (file, stamp) or not _has_shape(packed):
            return None
        for other, known in stamps[1:]:
            if _stamp(system.stat(other)) != known:
                return None
        return ToolSpec.unpack(packed)
    except (OSError, TypeError, ValueError, IndexError, AttributeError):
        return None


def _has_shape(packed: Any) -> bool:
    """Whether it has a tool's fields, each of its type; those of the params are counted when they are unpacked."""
    if type(packed) is not tuple or len(packed) != len(ToolSpec.__slots__):
        return False
    for name, value in zip(ToolSpec.__slots__, packed):
        if type(value) is not type(ToolSpec.DEFAULTS[name]) and not (name == "stdin" and type(value) is tuple):
            return False
    return all(type(param) is tuple for param in packed[ToolSpec.__slots__.index("params")])


def _keep(found: Found, spec: ToolSpec, stamps: list[tuple[str, tuple[int, ...]]], began: int) -> None:
    """Writes an entry, unless a file has changed so lately that it could change unseen."""
    for _, stamp in stamps:
        if not stamp or max(stamp[3], stamp[4]) > began - SETTLED_NS:
            return
    write_entry(_entry_name(found), (_maker(), tuple(stamps), spec.pack()))


def _is_own(directory: str) -> bool:
    """Whether nobody but the caller can have put a file into the cache."""
    status = system.stat(directory)
    return status.st_uid == system.geteuid() and status.st_mode & (_TYPE | _OTHERS) == _DIRECTORY


def read_entry(name: str) -> Any:
    """The value kept under a name, or None: only from the caller's own file, in a 0700 directory of the caller's own."""
    directory = _directory()
    try:
        if not _is_own(directory):
            return None
        descriptor = system.open(f"{directory}/{name}", system.O_RDONLY | system.O_CLOEXEC | system.O_NOFOLLOW | system.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = system.fstat(descriptor)
        if status.st_uid != system.geteuid() or status.st_mode & _TYPE != _REGULAR or status.st_size > _MAX_ENTRY:
            return None
        data = system.read(descriptor, status.st_size)
    except OSError:
        return None
    finally:
        system.close(descriptor)
    payload = memoryview(data)[12:]
    if data[:8] != _MAGIC or int.from_bytes(data[8:12], "little") != zlib.crc32(payload):
        return None
    try:
        return marshal.loads(payload)
    except (EOFError, ValueError, TypeError):
        return None


def write_entry(name: str, value: Any) -> None:
    """Keeps a value of plain data under a name, replacing what was there at once. What cannot be written is no error."""
    directory = _directory()
    try:
        payload = marshal.dumps(value)
        if not system.isdir(directory):
            system.makedirs(directory, 0o700)
        if not _is_own(directory):
            return
        temporary = f"{directory}/.{name}.{system.getpid()}.{id(value):x}"
        flags = system.O_WRONLY | system.O_CREAT | system.O_EXCL | system.O_CLOEXEC | system.O_NOFOLLOW
        descriptor = system.open(temporary, flags, 0o600)
    except (OSError, ValueError):
        return
    try:
        try:
            environment.write_all(descriptor, _MAGIC + zlib.crc32(payload).to_bytes(4, "little") + payload)
        finally:
            system.close(descriptor)
        system.replace(temporary, f"{directory}/{name}")
    except OSError:
        try:
            system.unlink(temporary)
        except OSError:
            pass


# What a call gets for a name that nothing owns


def _unknown(name: str, directories: Sequence[Directory]) -> KernelError:
    """E-UNKNOWN-TOOL: near names, files that a wrong name or owner keeps from being found, and where was looked."""
    from kernel.near import near as nearest

    searched = [directory.path for directory in directories if not directory.untrusted]
    near: list[str] = []
    hints: list[str] = []
    if len(name) <= locate.MAX_NAME:
        listed = locate.scan(directories)
        for found in listed:
            if found.name.lower() == name and (found.broken or found.directory.untrusted):
                reason = f"its directory is not searched: {found.untrusted}" if found.untrusted else found.broken
                hints.append(f"`{found.file}` is not taken: {reason}" + (f" ({found.hint})" if found.hint else ""))
        names = {found.name: None for found in listed if not found.broken and not found.untrusted}
        near = nearest(name, names)
    if not locate.is_name(name):
        hints.append(f"a tool's name is a small letter, then small letters, digits, `_` or `-`, at most {locate.MAX_NAME}")
    if near:
        hints.insert(0, f"did you mean {' or '.join([f'`{other}`' for other in near])}?")
    where = ", ".join([f"`{path}`" for path in searched]) or "no directory"
    hints.append(f"looked in {where}; `kernel list` shows all tools")
    problem = Problem("E-UNKNOWN-TOOL", f"there is no tool `{name}`", WordPlace(0), "\n".join(hints), near=near, searched=searched)
    return KernelError([problem])
