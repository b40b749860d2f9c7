"""In-process tools, a module each: ``run(bound, io) -> int`` is the door, the shipped manifest its params.

The module of a builtin has its name (`printf` → ``kernel.builtins.printf``); a name that Python or the layout
claims has a trailing underscore (`true` → ``true_``).
"""

from __future__ import annotations

NAMES = frozenset(
    "echo cat head tail wc sort uniq cut tr grep seq env date pwd ls printf true false test sleep tee basename "
    "dirname fromjson tojson keys values jq "
    "sed find map tac base64 cp mv rm ln mkdir touch realpath mktemp uname hostname timeout write checksum split "
    "fromjsonl tojsonl fromyaml toyaml fromcsv tocsv typeof table glob stat diff tree".split()
)


def module_name(builtin: str) -> str:
    """The dotted module of a builtin's name, which must be one of NAMES."""
    return f"kernel.builtins.{builtin}_" if builtin in ("true", "false", "test", "env") else f"kernel.builtins.{builtin}"
