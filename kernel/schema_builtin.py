"""A manifest with `builtin` against the shipped manifest of that builtin: only its params, same type and arity."""

from __future__ import annotations

import os

from kernel.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.manifest import Node
    from kernel.schema_reader import Reader
    from kernel.spec import ParamSpec, ToolSpec


def shipped_manifest(builtin: str) -> str:
    """The file that declares a builtin's params: in the package, else beside it; "" where there is none."""
    package = os.path.dirname(os.path.abspath(__file__))
    for directory in (package, os.path.dirname(package)):
        file = os.path.join(directory, "tools.d", f"{builtin}.yaml")
        if os.path.isfile(file):
            return file
    return ""


def check_builtin(reader: Reader, node: Node, spec: ToolSpec, compile_tool: Callable[..., ToolSpec]) -> None:
    """Reports params that the builtin does not have, or has with another type or arity, at `builtin`.

    ``compile_tool`` is ``schema.compile_tool``, handed down so that no import points upward.
    """
    file = shipped_manifest(spec.builtin)
    if not file or (spec.file and os.path.realpath(spec.file) == os.path.realpath(file)) or not spec.params:
        return
    shipped = _compiled(file, spec.builtin, compile_tool)
    if shipped is None:
        return
    for param in spec.params:
        known = shipped.param(param.name)
        if known is None:
            hint, close = reader.near_hint(param.name, [other.name for other in shipped.params])
            reader.problem(node, f"the builtin `{spec.builtin}` has no param `{param.name}`", hint, param=param.name, near=close)
        elif _form(known) != _form(param):
            reader.problem(
                node,
                f"`{param.name}` is {_described(param)}, but {_described(known)} in the builtin `{spec.builtin}`",
                "keep the builtin's type and arity",
                param=param.name,
            )


def _compiled(file: str, name: str, compile_tool: Callable[..., ToolSpec]) -> ToolSpec | None:
    """The shipped manifest's spec. Its own faults are reported where it is loaded, not here."""
    from kernel.manifest import read

    try:
        with open(file, "rb") as stream:
            data = stream.read()
        return compile_tool(read(data, file), file=file, base=os.path.dirname(os.path.dirname(file)), name=name)
    except (OSError, KernelError):
        return None


def _form(param: ParamSpec) -> tuple[object, ...]:
    return tuple([slot.type for slot in param.slots]), param.repeatable, param.count, param.split, param.delimiter


def _described(param: ParamSpec) -> str:
    kinds = " ".join([slot.type for slot in param.slots])
    return "a count" if param.count else f"`{kinds}`" + (", repeatable" if param.repeatable else "")
