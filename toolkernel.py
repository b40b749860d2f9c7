"""The public API under the distribution's name, where `kernel` is somebody else's module."""

from kernel import Kernel, KernelError, ParamSchema, Result, ToolSchema, __version__

__all__ = ["Kernel", "KernelError", "ParamSchema", "Result", "ToolSchema", "__version__"]
