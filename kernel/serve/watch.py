"""Manifests that change while they are served: the whole of a new snapshot, or the whole of the old one (serving.md)."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from kernel.serve import catalogue, own_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.serve.adapter import Adapter
    from kernel.serve.catalogue import Choice

EVERY = 0.5  # seconds between two looks

Signature = tuple[tuple[str, int, int, int], ...]


def signature(directories: list[str], files: list[str]) -> Signature:
    """What tells whether manifests changed: each file with its inode, size and time of change."""
    found = []
    for directory in directories:
        try:
            with os.scandir(directory) as entries:
                files = [*files, *[entry.path for entry in entries if entry.name.endswith((".yaml", ".yml"))]]
        except OSError:
            continue
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            continue
        found.append((file, status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(sorted(set(found)))


async def watch(adapter: Adapter, choice: Choice, report: Callable[[str], None]) -> None:
    """Looks for changes for ever. ``report`` gets a line for each tool that is newly left out."""
    toolbox = adapter.toolbox
    seen = _look(toolbox.snapshot)
    while True:
        await asyncio.sleep(EVERY)
        now = await asyncio.to_thread(_look, toolbox.snapshot)
        if now == seen:
            continue
        seen = now
        before = toolbox.snapshot
        snapshot = await asyncio.to_thread(catalogue.build, choice, own_tools.RESERVED, before)
        for name, reason in snapshot.left_out:
            if (name, reason) not in before.left_out:
                report(f"`{name}` is not served as it is now: {reason}")
        listed = toolbox.list
        toolbox.replace(snapshot)
        if toolbox.list != listed:
            await adapter.changed()


def _look(snapshot: catalogue.Snapshot) -> Signature:
    schemas = [file for spec in snapshot.specs.values() for file in spec.files]
    return signature(snapshot.searched, schemas)
