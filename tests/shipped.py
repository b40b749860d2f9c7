"""The shipped manifests, and the files that their examples speak of."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import subprocess
import tarfile
import wave
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from kernel_case import ROOT, Case

from kernel import locate, store
from kernel.spec import ToolSpec

DIRECTORY = ROOT / "tools.d"
NAMES = sorted(path.stem for path in DIRECTORY.glob("*.yaml"))
CORPUS = ROOT / "tests/corpus/shipped"
NOTES = {"notes/a.txt": "first line\na needle here\nuse -v for more\n", "notes/b.md": "needle two\n"}
FILES = {
    **NOTES,
    "notes/empty": "",
    "table.txt": "apple 10\npear 20\n",
    "colons.txt": "apple:10\npear:20\n",
    "data.json": '{"b": null, "a": [1, 2]}\n',
    "old.txt": "one\ntwo\n",
    "new.txt": "one\nzwei\n",
    "-dash.txt": "text\n",
    "out/.keep": "",
}


@cache
def spec_of(name: str) -> ToolSpec:
    """The compiled manifest `tools.d/NAME.yaml`. Raises KernelError with all that is wrong with it."""
    found = locate.find(name, [locate.named(str(DIRECTORY))])
    assert found is not None, name
    return store.compile(found)


def leaves(spec: ToolSpec) -> Iterator[ToolSpec]:
    """The node and all nodes below it."""
    yield spec
    for packed in spec.children:
        yield from leaves(ToolSpec.unpack(packed))


def examples() -> Iterator[tuple[str, ToolSpec, dict[str, Any]]]:
    """(id, root spec, example) for every example of every manifest."""
    for name in NAMES:
        root = spec_of(name)
        for node in leaves(root):
            for number, example in enumerate(node.examples):
                yield f"{node.full_name}-{number}", root, example


def fill(case: Case) -> Case:
    """Writes the files of the examples into the case's working directory, and a repository into `repository/`."""
    for name, content in FILES.items():
        case.file(name, content)
    case.file("cert.pem", (CORPUS / "cert.pem").read_bytes())
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in NOTES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    case.file("notes.tar.gz", gzip.compress(packed.getvalue(), mtime=0))
    with zipfile.ZipFile(case.cwd / "notes.zip", "w") as zipped:
        for name, content in NOTES.items():
            zipped.writestr(zipfile.ZipInfo(name), content)
    with wave.open(str(case.cwd / "tone.wav"), "wb") as tone:
        tone.setparams((1, 2, 8000, 0, "NONE", ""))
        tone.writeframes(bytes(1600))
    database = sqlite3.connect(case.cwd / "shop.db")
    database.executescript("create table fruit (name text, price int); insert into fruit values ('pear', 20), ('apple', 10);")
    database.close()
    return case


def repository(case: Case) -> Path:
    """A git repository of two commits in `repository/`: a tag on the first, a changed file and a new one."""
    place = case.cwd / "repository"
    place.mkdir()
    dated = {"GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z"}
    environment = {**case.env, **dated, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*words: str) -> None:
        person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *person, *words], cwd=place, env=environment, check=True, capture_output=True)

    git("init")
    (place / "fruit.txt").write_text("apple\n")
    git("add", "fruit.txt")
    git("commit", "-m", "Add apple")
    git("tag", "v1")
    (place / "fruit.txt").write_text("apple\npear\n")
    git("commit", "-am", "Add pear")
    (place / "fruit.txt").write_text("apple\npear\nfig\n")
    (place / "new.txt").write_text("new\n")
    return place
