"""A long output read page by page: `read_output` (serving.md)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kernel import environment, spill
from kernel.errors import fail
from kernel.serve.answers import LONGEST, Answer, clean

if TYPE_CHECKING:
    from kernel.result import Result
    from kernel.spec import ToolSpec

_HEX = frozenset("0123456789abcdef")


def directory() -> str:
    """Where the outputs lie that pages are read from."""
    return os.path.join(environment.state_directory(), "output")


def keep(spec: ToolSpec, result: Result) -> tuple[str, str] | None:
    """The first page of a result's stdout, and how the rest is read; None when it fits, or the tool keeps none."""
    if not spec.limits.get("spill") or (not result.stdout_truncated and len(result.stdout_bytes) <= LONGEST):
        return None
    path = result.stdout_spill
    if path is None and not result.stdout_truncated:
        made = spill.create(directory())
        if made is None:
            return None
        descriptor, path = made
        try:
            if not spill.write(descriptor, memoryview(result.stdout_bytes)):
                return None
        finally:
            os.close(descriptor)
    if path is None:
        return None
    handle = os.path.basename(path).removesuffix(".out")
    text, used = _page(result.stdout_bytes)
    return text, f'[the output goes on: call `read_output` with {{"handle": "{handle}", "offset": {used}}}]'


def read(handle: str, offset: int) -> Answer:
    """A page from the byte ``offset`` on. Raises KernelError (E-FILE) for a handle that leads to nothing."""
    if len(handle) != 32 or not _HEX.issuperset(handle):
        raise fail("E-FILE", "the handle is none that a tool gave", param="handle")
    try:
        with open(os.path.join(directory(), f"{handle}.out"), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            offset = min(offset, size)
            file.seek(offset)
            text, used = _page(file.read(LONGEST + 4))
    except OSError:
        raise fail("E-FILE", "the output is no longer kept", hint="call the tool again", param="handle") from None
    end = offset + used
    note = f"[{size - end:,} more bytes: go on with offset {end}]" if end < size else "[the end]"
    return Answer([f"{text}\n{note}"])


def _page(data: bytes) -> tuple[str, int]:
    """The text of the first page of some bytes, and how many of them it is; no character is torn."""
    used = min(len(data), LONGEST)
    while 0 < used < len(data) and data[used] & 0xC0 == 0x80 and used > LONGEST - 4:
        used -= 1
    return clean(data[:used].decode("utf-8", "replace")), used
