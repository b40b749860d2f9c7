"""In-process tools, a module each: ``run(bound, io) -> int`` is the door, the shipped manifest its params.

A module may define ``usage(bound) -> None``: it raises Failure for what is wrong with the words alone, whatever files,
streams and variables hold, and changes nothing. ``misuse`` asks it before a call runs, a shell before a whole text does.

The module of a builtin has its name (`printf` → ``kernel.builtins.printf``); a name that Python or the layout
claims has a trailing underscore (`true` → ``true_``).
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.bound import Bound

NAMES = frozenset(
    "echo cat head tail wc sort uniq cut tr grep seq env date pwd ls printf true false test sleep tee basename "
    "dirname fromjson tojson keys values jq "
    "sed find map tac base64 cp mv rm ln mkdir touch realpath mktemp uname hostname timeout write checksum split "
    "fromjsonl tojsonl fromyaml toyaml fromcsv tocsv typeof table glob stat diff tree".split()
)
NAMING_FILES = frozenset("checksum grep jq sed sort test wc".split())

AS_THE_PROGRAM = frozenset(("diff",))  # which stand in for a program that calls the same words wrong


def module_name(builtin: str) -> str:
    """The dotted module of a builtin's name, which must be one of NAMES."""
    return f"kernel.builtins.{builtin}_" if builtin in ("true", "false", "test", "env") else f"kernel.builtins.{builtin}"


def usage_of(builtin: str) -> Callable[[Bound], None] | None:
    """What a builtin has to say of words alone, None where the binder knows all of it."""
    name = module_name(builtin)
    __import__(name)
    usage: Callable[[Bound], None] | None = getattr(sys.modules[name], "usage", None)
    return usage


def files_named_by(builtin: str, bound: Bound, directory: str) -> list[tuple[str, str, str]]:
    """(param, `read` or `write`, name) of the files that a call opens though no param with `path` holds their names."""
    if builtin not in NAMING_FILES:
        return []
    __import__("kernel.builtins.named_files")
    found: list[tuple[str, str, str]] = sys.modules["kernel.builtins.named_files"].find(builtin, bound, directory)
    return found
