"""Manifests that change while they are served: the whole of a new snapshot, or the whole of the old one (serving.md)."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from kernel import locate
from kernel.errors import KernelError
from kernel.serve import catalogue, own_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kernel.serve.adapter import Adapter
    from kernel.serve.catalogue import Choice

EVERY = 0.5  # seconds between two looks

Signature = tuple[tuple[str, int, int, int], ...]


def signature(choice: Choice, files: Iterable[str]) -> Signature:
    """What tells whether manifests changed: each file with its inode, size and time of change, and the directories that
    are searched now, so that one which appears is seen; empty while one of `--tools` is gone."""
    try:
        directories = locate.search_path(choice.tools, choice.workspace)
    except KernelError:
        return ()
    found = [(directory.path, 0, 0, int(bool(directory.untrusted))) for directory in directories]
    names = set(files)
    for directory in directories:
        try:
            with os.scandir(directory.path) as entries:
                names.update([entry.path for entry in entries if entry.name.endswith((".yaml", ".yml"))])
        except OSError:
            continue
    for name in names:
        try:
            status = os.stat(name)
        except OSError:
            continue
        # the change of the inode, not of the content: whom a file may be written by decides too
        found.append((name, status.st_ino, status.st_size, status.st_ctime_ns))
    return tuple(sorted(found))


async def watch(adapter: Adapter, choice: Choice, report: Callable[[str], None]) -> None:
    """Looks for changes for ever. ``report`` gets a line for each tool that is newly left out."""
    toolbox = adapter.toolbox
    seen = _look(choice, toolbox.snapshot)
    while True:
        await asyncio.sleep(EVERY)
        now = await asyncio.to_thread(_look, choice, toolbox.snapshot)
        if now == seen:
            continue
        seen = now
        before = toolbox.snapshot
        try:
            snapshot = await asyncio.to_thread(catalogue.build, choice, own_tools.RESERVED, before)
        except KernelError as error:
            report(f"what was served before is served: {error}")
            continue
        for name, reason in snapshot.left_out:
            if (name, reason) not in before.left_out:
                report(f"`{name}` is not served as it is now: {reason}")
        listed = toolbox.list
        toolbox.replace(snapshot)
        if toolbox.list != listed:
            await adapter.changed()


def _look(choice: Choice, snapshot: catalogue.Snapshot) -> Signature:
    return signature(choice, [file for spec in snapshot.specs.values() for file in spec.files])
