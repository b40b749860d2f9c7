"""The process as the kernel sees it: streams, environment, working directory, terminal, own directories.

Nothing else in the kernel touches ``sys.stdout``, ``sys.stderr``, ``sys.stdin`` or ``os.environ``.
"""

from __future__ import annotations

import sys

from kernel import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import TextIO

APPLICATION = "toolkernel"
_copy: dict[str, str] = {}


def variables() -> MutableMapping[str, str]:
    """The environment variables of this process (surrogateescape text).

    They are `os.environ` where something has imported `os`, else a copy to read from.
    """
    os = sys.modules.get("os")
    if os is not None:
        live: MutableMapping[str, str] = os.environ
        return live
    if not _copy:
        from posix import environ

        for name, value in environ.items():
            _copy[system.fsdecode(name)] = system.fsdecode(value)
    return _copy


def variable(name: str) -> str:
    """The value of an environment variable, "" when unset."""
    return variables().get(name, "")


def working_directory() -> str:
    """The working directory; where it no longer exists, a name by which nothing can be found or made there."""
    return system.here()


def home() -> str:
    found = variables().get("HOME")
    if found:
        return found
    import os

    return os.path.expanduser("~")


def _directory(own: str, xdg: str, fallback: str) -> str:
    given = variables().get(own)
    if given:
        return system.abspath(given)
    base = variables().get(xdg)
    if not base or not base.startswith("/"):
        base = system.join(home(), fallback)
    return system.join(base, APPLICATION)


def config_directory() -> str:
    return _directory("KERNEL_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")


def cache_directory() -> str:
    return _directory("KERNEL_CACHE_DIR", "XDG_CACHE_HOME", ".cache")


def state_directory() -> str:
    return _directory("KERNEL_STATE_DIR", "XDG_STATE_HOME", ".local/state")


def stdin() -> TextIO:
    return sys.stdin


def stdout() -> TextIO:
    return sys.stdout


def stderr() -> TextIO:
    return sys.stderr


def is_terminal(descriptor: int) -> bool:
    """Whether a descriptor (0, 1, 2 …) is a terminal; False for a closed one."""
    try:
        return system.isatty(descriptor)
    except OSError:
        return False


def write_out(text: str) -> None:
    """Text to stdout as UTF-8, surrogates back to the bytes they stand for.

    Raises an OSError that names stdout, BrokenPipeError for a closed pipe.
    """
    try:
        write_all(1, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise OSError(error.errno, error.strerror, "stdout") from None


def write_error(text: str) -> None:
    """Text to stderr; a stderr that cannot be written to is no error."""
    try:
        write_all(2, text.encode("utf-8", "surrogateescape"))
    except OSError:
        pass


def write_all(descriptor: int, data: bytes) -> None:
    """All of data to a descriptor, however little the system takes at once."""
    view = memoryview(data)
    while view:
        try:
            view = view[system.write(descriptor, view) :]
        except BlockingIOError:
            import select

            select.select([], [descriptor], [])


class LateSite:
    """A module finder that runs `site`, which the launcher leaves out, when a module is wanted that nothing else finds."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        import site

        sys.meta_path.remove(LateSite)
        site.main()
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None
