"""A declarative tool kernel: one YAML manifest per command, for people and agents alike."""

from __future__ import annotations

__version__ = "0.3.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.api import Kernel as Kernel
    from kernel.errors import KernelError as KernelError
    from kernel.founding import ParamSchema as ParamSchema
    from kernel.founding import ToolSchema as ToolSchema
    from kernel.result import Result as Result

_HOMES = {
    "Kernel": "kernel.api",
    "KernelError": "kernel.errors",
    "Result": "kernel.result",
    "ParamSchema": "kernel.founding",
    "ToolSchema": "kernel.founding",
}

__all__ = ["Kernel", "KernelError", "ParamSchema", "Result", "ToolSchema", "__version__"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kernel' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(home), name)
