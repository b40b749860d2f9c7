"""The cache of compiled specs: when it is used, when it is not believed, and what a call gets for unknown names."""

from __future__ import annotations

import marshal
import os
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest

from kernel import locate, manifest, store, system
from kernel.errors import KernelError, Place, Problem
from kernel.locate import Directory, Found
from kernel.spec import ToolSpec

MANIFEST = "description: Say it.\nexec: [echo, '{*}']\nparams:\n  - {name: text, positional: true}\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own, no shipped tools, and files that count as settled at once."""
    monkeypatch.setenv("KERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CI", raising=False)  # it turns distrust into a warning
    monkeypatch.setattr(locate, "shipped_directory", lambda: "")
    monkeypatch.setattr(store, "SETTLED_NS", -1_000_000_000)
    return tmp_path / "cache/specs"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were compiled, in order."""
    seen: list[str] = []
    real = manifest.read

    def read(data: bytes, file: str, faults: list[Problem] | None = None) -> manifest.Node:
        seen.append(os.path.basename(file))
        return real(data, file, faults)

    monkeypatch.setattr(manifest, "read", read)
    return seen


def write(tmp_path: Path, name: str = "x", text: str = MANIFEST) -> Path:
    directory = tmp_path / "tools.d"
    directory.mkdir(exist_ok=True)
    file = directory / f"{name}.yaml"
    file.write_text(text)
    file.chmod(0o644)
    return file


def directory(tmp_path: Path) -> Directory:
    return Directory(str(tmp_path / "tools.d"), "project", judged=True)


def found(tmp_path: Path, name: str = "x") -> Found:
    entry = locate.find(name, [directory(tmp_path)])
    assert entry is not None
    return entry


def entry_of(cache: Path) -> Path:
    (entry,) = cache.iterdir()
    return entry


def test_the_second_load_reads_the_cache(tmp_path: Path, compiled: list[str], cache: Path) -> None:
    write(tmp_path)
    first = store.load(found(tmp_path))
    second = store.load(found(tmp_path))
    assert compiled == ["x.yaml"]
    assert first == second
    assert isinstance(second, ToolSpec)
    assert (second.name, second.file, second.base) == ("x", f"{tmp_path}/tools.d/x.yaml", str(tmp_path))
    assert os.stat(cache).st_mode & 0o777 == 0o700
    assert os.stat(entry_of(cache)).st_mode & 0o777 == 0o600


def test_a_warm_load_opens_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    write(tmp_path)
    store.load(found(tmp_path))
    entry = found(tmp_path)
    asked: list[tuple[str, str]] = []
    real_open, real_stat = os.open, os.stat

    class System:
        def __getattr__(self, name: str) -> Any:
            return getattr(system, name)

        def open(self, path: str, flags: int) -> int:
            asked.append(("open", path))
            return real_open(path, flags)

        def stat(self, path: str) -> os.stat_result:
            asked.append(("stat", path))
            return real_stat(path)

    monkeypatch.setattr(store, "system", System())
    store.load(entry)
    assert asked == [("stat", str(cache)), ("open", str(entry_of(cache)))]


@pytest.mark.parametrize("change", ["content", "touch", "mode", "replace"])
def test_a_changed_manifest_is_compiled_again(tmp_path: Path, compiled: list[str], change: str) -> None:
    file = write(tmp_path)
    store.load(found(tmp_path))
    if change == "content":
        file.write_text(MANIFEST.replace("Say", "Sing"))
    elif change == "touch":
        os.utime(file, (1, 1))
    elif change == "mode":
        file.chmod(0o600)
    else:
        status = os.stat(file)
        other = file.with_suffix(".new")
        other.write_text(MANIFEST.replace("Say it", "Get it"))
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.replace(file)
    spec = store.load(found(tmp_path))
    assert compiled == ["x.yaml", "x.yaml"]
    assert spec.description == {"content": "Sing it.", "replace": "Get it."}.get(change, "Say it.")


def test_a_file_that_changed_lately_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str], cache: Path
) -> None:
    monkeypatch.setattr(store, "SETTLED_NS", 3_600_000_000_000)
    file = write(tmp_path)
    store.load(found(tmp_path))
    os.utime(file, (1, 1))  # an old mtime is not enough: the ctime says when that was done
    store.load(found(tmp_path))
    assert compiled == ["x.yaml", "x.yaml"]
    assert not cache.exists()


def test_the_margin_is_two_seconds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("KERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CI", raising=False)  # it turns distrust into a warning
    write(tmp_path)
    entry = found(tmp_path)
    spec = ToolSpec(name="x")
    assert entry.status is not None
    changed = max(entry.status.st_mtime_ns, entry.status.st_ctime_ns)
    stamps = [(entry.file, store._stamp(entry.status))]
    store._keep(entry, spec, stamps, changed + 1_999_999_999)
    assert not (tmp_path / "cache").exists()
    store._keep(entry, spec, stamps, changed + 2_000_000_000)
    assert (tmp_path / "cache").exists()


SCHEMA = '{"type":"object","properties":{"n":{"type":"string"}},"required":["n"],"additionalProperties":false}'


def test_files_that_a_manifest_names_belong_to_the_key(tmp_path: Path, compiled: list[str]) -> None:
    write(tmp_path, text="exec: [echo, '{n}']\ninput_schema: schema.json\n")
    schema = tmp_path / "schema.json"
    schema.write_text(SCHEMA)
    assert store.load(found(tmp_path)).files == (str(schema),)
    assert store.load(found(tmp_path)).params[0].type == "string"
    assert compiled == ["x.yaml"]
    schema.write_text(SCHEMA.replace("string", "integer"))
    assert store.load(found(tmp_path)).params[0].type == "int"
    assert compiled == ["x.yaml", "x.yaml"]
    schema.unlink()
    with pytest.raises(KernelError):
        store.load(found(tmp_path))


def _forge(value: object) -> bytes:
    payload = marshal.dumps(value)
    return store._MAGIC + zlib.crc32(payload).to_bytes(4, "little") + payload


def _changed(entry: bytes, change: Any) -> bytes:
    return _forge(change(marshal.loads(entry[12:])))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry: b"",
        lambda entry: entry[:8],
        lambda entry: entry[:11],
        lambda entry: entry[:-1],
        lambda entry: b"x" + entry[1:],
        lambda entry: entry[:20] + bytes([entry[20] ^ 1]) + entry[21:],
        lambda entry: entry + b"\0",
        lambda entry: _forge(None),
        lambda entry: _forge(()),
        lambda entry: _forge((1, 2, 3)),
        lambda entry: store._MAGIC + zlib.crc32(b"").to_bytes(4, "little"),
        lambda entry: store._MAGIC + zlib.crc32(b"(\xff").to_bytes(4, "little") + b"(\xff",
        lambda entry: _changed(entry, lambda parts: (("other", *parts[0][1:]), *parts[1:])),
        lambda entry: _changed(entry, lambda parts: (parts[0], (), parts[2])),
        lambda entry: _changed(entry, lambda parts: (parts[0], None, parts[2])),
        lambda entry: _changed(entry, lambda parts: (parts[0], (("/other", parts[1][0][1]),), parts[2])),
        lambda entry: _changed(entry, lambda parts: (parts[0], parts[1], None)),
        lambda entry: _changed(entry, lambda parts: (parts[0], parts[1], parts[2][:-1])),
        lambda entry: _changed(entry, lambda parts: (parts[0], parts[1], (1, *parts[2][1:]))),
        lambda entry: _changed(
            entry,
            lambda parts: (
                parts[0],
                parts[1],
                tuple([((1,),) if n == "params" else v for n, v in zip(ToolSpec.__slots__, parts[2])]),
            ),
        ),
        lambda entry: _changed(
            entry,
            lambda parts: (parts[0], parts[1], tuple([(1,) if n == "params" else v for n, v in zip(ToolSpec.__slots__, parts[2])])),
        ),
    ],
    ids=range(21),
)
def test_a_spoilt_entry_is_compiled_again(tmp_path: Path, compiled: list[str], cache: Path, spoil: Any) -> None:
    write(tmp_path)
    spec = store.load(found(tmp_path))
    entry = entry_of(cache)
    whole = entry.read_bytes()
    entry.write_bytes(spoil(whole))
    assert store.load(found(tmp_path)) == spec
    assert compiled == ["x.yaml", "x.yaml"]
    assert entry.read_bytes() == whole
    store.load(found(tmp_path))
    assert len(compiled) == 2


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o777])
def test_a_directory_that_is_open_to_others_is_not_used(tmp_path: Path, compiled: list[str], cache: Path, mode: int) -> None:
    write(tmp_path)
    store.load(found(tmp_path))
    before = entry_of(cache).stat()
    cache.chmod(mode)
    store.load(found(tmp_path))
    store.load(found(tmp_path))
    assert len(compiled) == 3
    assert entry_of(cache).stat() == before


def test_what_another_user_owns_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str], cache: Path
) -> None:
    write(tmp_path)
    store.load(found(tmp_path))
    real = os.fstat

    class Stolen:
        def __init__(self, status: os.stat_result) -> None:
            self._status = status
            self.st_uid = 4242

        def __getattr__(self, name: str) -> Any:
            return getattr(self._status, name)

    class System:
        def __init__(self, name: str, function: Any) -> None:
            self._replaced = {name: function}

        def __getattr__(self, name: str) -> Any:
            return self._replaced.get(name) or getattr(system, name)

    for name, function in (("fstat", lambda descriptor: Stolen(real(descriptor))), ("stat", lambda path: Stolen(os.stat(path)))):
        with monkeypatch.context() as patch:
            patch.setattr(store, "system", System(name, function))
            assert store.read_entry(entry_of(cache).name) is None
    assert store.read_entry(entry_of(cache).name) is not None


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_an_entry_is_a_regular_file(tmp_path: Path, compiled: list[str], cache: Path, kind: str) -> None:
    write(tmp_path)
    spec = store.load(found(tmp_path))
    entry = entry_of(cache)
    if kind == "link":
        entry.rename(tmp_path / "elsewhere")
        entry.symlink_to(tmp_path / "elsewhere")
    else:
        entry.unlink()
        os.mkfifo(entry) if kind == "fifo" else entry.mkdir()
    assert store.load(found(tmp_path)) == spec
    assert len(compiled) == 2


@pytest.mark.parametrize("place", ["file", "below a file", "no directory"])
def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str], place: str
) -> None:
    (tmp_path / "cache").write_text("")
    where = {"file": tmp_path / "cache", "below a file": tmp_path / "cache/below", "no directory": Path("/proc/none")}[place]
    monkeypatch.setenv("KERNEL_CACHE_DIR", str(where))
    write(tmp_path)
    assert store.load(found(tmp_path)) == store.load(found(tmp_path))
    assert len(compiled) == 2


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    write(tmp_path)

    def full(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.environment, "write_all", full)
    store.load(found(tmp_path))
    assert list(cache.iterdir()) == []


def test_many_threads_may_load_at_once(tmp_path: Path, cache: Path) -> None:
    write(tmp_path)
    specs: list[ToolSpec] = []
    threads = [threading.Thread(target=lambda: specs.append(store.load(found(tmp_path)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(specs) == 8
    assert all(spec == specs[0] for spec in specs)
    assert not entry_of(cache).name.startswith(".")


def test_entries_of_equal_names_are_kept_apart(tmp_path: Path, cache: Path, compiled: list[str]) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        write(tmp_path / place, text=MANIFEST.replace("Say", place))
    for _ in range(2):
        assert store.load(found(tmp_path / "a")).description == "a it."
        assert store.load(found(tmp_path / "b")).description == "b it."
    assert len(list(cache.iterdir())) == 2
    assert len(compiled) == 2


def test_trust_is_never_taken_from_the_cache(tmp_path: Path) -> None:
    file = write(tmp_path)
    store.load(found(tmp_path))
    file.chmod(0o666)
    with pytest.raises(KernelError) as caught:
        store.load(found(tmp_path))
    assert caught.value.code == "E-UNTRUSTED"
    assert "everybody may write to it" in caught.value.problems[0].message


def test_ownership_is_asked_of_the_open_file(tmp_path: Path) -> None:
    file = write(tmp_path)
    entry = found(tmp_path)
    file.chmod(0o666)  # between the look and the reading
    with pytest.raises(KernelError) as caught:
        store.compile(entry)
    assert caught.value.code == "E-UNTRUSTED"


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "E-YAML"), ("a: no\n", "E-YAML"), ("exec: jq\n", "E-MANIFEST"), ("exec: [echo, '{x']\n", "E-TEMPLATE")],
)
def test_a_broken_manifest_says_so_and_harms_no_other(tmp_path: Path, cache: Path, text: str, code: str) -> None:
    broken = write(tmp_path, "broken", text)
    write(tmp_path)
    directories = [directory(tmp_path)]
    for _ in range(2):
        with pytest.raises(KernelError) as caught:
            store.by_name("broken", directories)
        assert caught.value.code == code
        assert isinstance(caught.value.where, Place)
        assert caught.value.where.file == str(broken)
    assert store.by_name("x", directories).name == "x"
    assert entry_of(cache).name.startswith("x-")


def test_files_that_cannot_be_manifests(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "tools.d/link.yaml").symlink_to("nowhere")
    os.mkfifo(tmp_path / "tools.d/fifo.yaml")
    for name, message in (("link", "the link leads nowhere: No such file or directory"), ("fifo", "it is no regular file")):
        with pytest.raises(KernelError) as caught:
            store.by_name(name, [directory(tmp_path)])
        assert (caught.value.code, caught.value.problems[0].message) == ("E-MANIFEST", message)


def test_a_file_that_turns_into_something_else(tmp_path: Path) -> None:
    file = write(tmp_path)
    entry = found(tmp_path)
    file.unlink()
    with pytest.raises(KernelError) as caught:
        store.compile(entry)
    assert caught.value.code == "E-FILE"
    os.mkfifo(file)
    with pytest.raises(KernelError) as caught:
        store.compile(entry)
    assert caught.value.problems[0].message == f"`{file}` is no regular file"


def test_an_unknown_name_gets_near_ones_and_where_was_looked(tmp_path: Path) -> None:
    for name in ("grep", "git-log", "jq"):
        write(tmp_path, name)
    directories = [directory(tmp_path)]
    near = {}
    for name in ("grpe", "git_log", "gi", "JQ", "zzz", "../jq"):
        with pytest.raises(KernelError) as caught:
            store.by_name(name, directories)
        problem = caught.value.problems[0]
        assert (problem.code, problem.message) == ("E-UNKNOWN-TOOL", f"there is no tool `{name}`")
        assert problem.facts["searched"] == [f"{tmp_path}/tools.d"]
        assert f"looked in `{tmp_path}/tools.d`" in problem.hint
        near[name] = problem.facts["near"]
        assert caught.value.status == 2
    assert near == {"grpe": ["grep"], "git_log": ["git-log"], "gi": ["git-log"], "JQ": ["jq"], "zzz": [], "../jq": []}


def test_a_file_that_is_nearly_right_is_named(tmp_path: Path) -> None:
    file = write(tmp_path).rename(tmp_path / "tools.d/x.yml")
    with pytest.raises(KernelError) as caught:
        store.by_name("x", [directory(tmp_path)])
    assert f"`{file}` is not taken: a manifest's file ends in `.yaml`, not `.yml` (rename it to `x.yaml`)" in caught.value.hint


def test_a_directory_that_is_not_searched_is_named(tmp_path: Path) -> None:
    file = write(tmp_path)
    untrusted = directory(tmp_path)
    untrusted.untrusted = "everybody may write to it"
    with pytest.raises(KernelError) as caught:
        store.by_name("x", [untrusted])
    assert f"`{file}` is not taken: its directory is not searched: everybody may write to it" in caught.value.hint


def test_an_absurd_name_is_answered_soon(tmp_path: Path) -> None:
    with pytest.raises(KernelError) as caught:
        store.by_name("x" * 1_000_000, [directory(tmp_path)])
    assert caught.value.code == "E-UNKNOWN-TOOL"


def test_hiding_a_shipped_tool_takes_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    write(shipped, "x", f"{MANIFEST}# shipped\n")
    monkeypatch.setattr(locate, "shipped_directory", lambda: str(shipped / "tools.d"))
    write(tmp_path)
    with pytest.raises(KernelError) as caught:
        store.load(found(tmp_path))
    assert caught.value.code == "E-MANIFEST"
    assert "replaces: x" in caught.value.hint
    write(tmp_path, text=f"{MANIFEST}replaces: x\n")
    assert store.load(found(tmp_path)).replaces == "x"
    write(tmp_path, text=f"{MANIFEST}# shipped\n")
    assert store.load(found(tmp_path)).name == "x"  # a copy hides nothing
