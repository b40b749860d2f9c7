"""The search path, name → file, ownership, and what hides what."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

from kernel import locate, system
from kernel.errors import KernelError
from kernel.locate import Directory, find, is_name, notices, scan, search_path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with nothing in it, and an environment that names nothing else."""
    for name in ("KERNEL_TOOLS_PATH", "KERNEL_SAFE_TOOLS", "CI", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".git").mkdir()  # nothing above the test's own directory is searched
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("KERNEL_CONFIG_DIR", str(place / "config"))
    monkeypatch.setattr(locate, "shipped_directory", lambda: "")
    return place


def tools(place: Path, *names: str) -> Path:
    """A `tools.d` in a place, holding files of these names."""
    directory = place / "tools.d"
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o755)
    for name in names:
        file = directory / (name if "." in name else f"{name}.yaml")
        file.write_text("exec: [true]\n")
        file.chmod(0o644)
    return directory


def paths(directories: list[Directory]) -> list[str]:
    return [directory.path for directory in directories]


class System:
    """The system module with some functions replaced, for one module only."""

    def __init__(self, **functions: Any) -> None:
        self._functions = functions

    def __getattr__(self, name: str) -> Any:
        return self._functions.get(name) or getattr(system, name)


class Owned:
    """A stat result with another owner, for a process that cannot give its files away."""

    def __init__(self, status: os.stat_result, owner: int) -> None:
        self._status = status
        self.st_uid = owner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._status, name)


def disown(monkeypatch: pytest.MonkeyPatch, *files: Path, owner: int = 4242, caller: int | None = None) -> None:
    """Makes files look as if another user owned them, and the caller like one."""
    theirs = {os.path.realpath(file) for file in files}

    def look(real: Any) -> Any:
        def stat(path: Any) -> Any:
            status = real(path)
            return Owned(status, owner) if os.path.realpath(path) in theirs else status

        return stat

    monkeypatch.setattr(
        locate,
        "system",
        System(stat=look(os.stat), lstat=look(os.lstat), geteuid=lambda: os.geteuid() if caller is None else caller),
    )


@pytest.mark.parametrize("name", ["a", "jq", "git-log", "x_1", "a" * 40])
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "A", "1a", "-a", "_a", "a.b", "a/b", "../a", "a b", "a\n", "é", "a\0", "a" * 41])
def test_what_is_no_name(name: str) -> None:
    assert not is_name(name)


def test_the_order_of_the_search_path(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("one", "two", "three/inner", "path", "user"):
        tools(tmp_path / place)
    monkeypatch.setenv("KERNEL_CONFIG_DIR", str(tmp_path / "user"))
    monkeypatch.setenv("KERNEL_TOOLS_PATH", f"{tmp_path}/path/tools.d::{tmp_path}/none")
    shipped = tools(tmp_path / "shipped")
    monkeypatch.setattr(locate, "shipped_directory", lambda: str(shipped))
    tools(tmp_path / "three")
    found = search_path([f"{tmp_path}/one/tools.d", "../../two/tools.d"], str(tmp_path / "three/inner"))
    assert [(directory.path.removeprefix(f"{tmp_path}/"), directory.origin) for directory in found] == [
        ("one/tools.d", "--tools"),
        ("two/tools.d", "--tools"),
        ("path/tools.d", "KERNEL_TOOLS_PATH"),
        ("three/inner/tools.d", "project"),
        ("three/tools.d", "project"),
        ("user/tools.d", "user"),
        ("shipped/tools.d", "shipped"),
    ]
    assert found[0].base == f"{tmp_path}/one"
    assert [directory.judged for directory in found] == [False, False, False, True, True, True, False]
    assert found[-1].shipped


def test_the_working_directory_is_where_it_begins(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tools(tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    assert paths(search_path())[0] == str(own)


def test_a_directory_is_searched_once(home: Path, tmp_path: Path) -> None:
    own = tools(tmp_path / "project")
    (tmp_path / "link").symlink_to(own)
    found = search_path([str(own), str(tmp_path / "link")], str(tmp_path / "project"))
    assert [(directory.path, directory.origin) for directory in found] == [(str(own), "--tools")]


def test_the_search_ends_at_a_repository(home: Path, tmp_path: Path) -> None:
    tools(tmp_path)
    inner = tools(tmp_path / "repository/inner")
    root = tools(tmp_path / "repository")
    (tmp_path / "repository/.git").write_text("gitdir: elsewhere\n")
    assert paths(search_path(cwd=str(tmp_path / "repository/inner"))) == [str(inner), str(root)]


def test_the_search_ends_at_home(home: Path, tmp_path: Path) -> None:
    tools(tmp_path)
    inner, own = tools(home / "work"), tools(home)
    assert paths(search_path(cwd=str(home / "work"))) == [str(inner), str(own)]


def test_home_is_known_by_any_path(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools(tmp_path)
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert paths(search_path(cwd=str(home))) == []


def test_the_search_ends_at_a_file_system_boundary(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools(tmp_path)
    inner, mounted = tools(tmp_path / "mount/inner"), tools(tmp_path / "mount")

    class Elsewhere(Owned):
        st_dev = -7

    def stat(path: Any) -> Any:
        status = os.stat(path)
        return Elsewhere(status, status.st_uid) if str(path).startswith(f"{tmp_path}/mount") else status

    monkeypatch.setattr(locate, "system", System(stat=stat))
    assert paths(search_path(cwd=str(tmp_path / "mount/inner"))) == [str(inner), str(mounted)]


def test_a_directory_that_is_gone_is_no_error(home: Path, tmp_path: Path) -> None:
    assert search_path(cwd=str(tmp_path / "never")) == []


@pytest.mark.parametrize("given", ["none", "file", "", "a\0b"])
def test_tools_must_be_a_directory(home: Path, tmp_path: Path, given: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KernelError) as caught:
        search_path([given], str(tmp_path))
    assert caught.value.code == "E-FILE"
    assert caught.value.problems[0].message == f"`{given}` is no directory"


def test_find(home: Path, tmp_path: Path) -> None:
    near, far = tools(tmp_path / "a/b", "x"), tools(tmp_path / "a", "x", "y")
    directories = search_path(cwd=str(tmp_path / "a/b"))
    found = find("x", directories)
    assert found is not None
    assert (found.name, found.file, found.base) == ("x", f"{near}/x.yaml", str(tmp_path / "a/b"))
    assert found.status == os.stat(near / "x.yaml")
    assert (found.untrusted, found.broken) == ("", "")
    other = find("y", directories)
    assert other is not None
    assert other.file == f"{far}/y.yaml"
    assert find("z", directories) is None


def test_find_asks_once_for_each_directory_and_scans_nothing(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools(tmp_path / "a/b")
    tools(tmp_path / "a", "x")
    directories = search_path(cwd=str(tmp_path / "a/b"))
    asked: list[str] = []

    def lstat(path: Any) -> os.stat_result:
        asked.append(path)
        return os.lstat(path)

    def never(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("scanned")

    monkeypatch.setattr(locate, "system", System(lstat=lstat, stat=never, scandir=never, listdir=never, open=never))
    assert find("x", directories) is not None
    assert asked == [f"{tmp_path}/a/b/tools.d/x.yaml", f"{tmp_path}/a/tools.d/x.yaml"]


@pytest.mark.parametrize("name", ["../x", "x/../x", "X", "x.yaml", "x\0", ""])
def test_no_path_is_built_from_what_is_no_name(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    tools(tmp_path, "x")
    directories = search_path(cwd=str(tmp_path))
    monkeypatch.setattr(locate, "system", System(lstat=lambda path: pytest.fail("asked for a path")))
    assert find(name, directories) is None


def test_a_broken_file_owns_its_name(home: Path, tmp_path: Path) -> None:
    near = tools(tmp_path / "a/b")
    tools(tmp_path / "a", "link", "fifo", "folder", "loop")
    (near / "link.yaml").symlink_to("nowhere")
    (near / "loop.yaml").symlink_to("loop.yaml")
    os.mkfifo(near / "fifo.yaml")
    (near / "folder.yaml").mkdir()
    directories = search_path(cwd=str(tmp_path / "a/b"))
    reasons = {}
    for name in ("link", "loop", "fifo", "folder"):
        found = find(name, directories)
        assert found is not None
        reasons[name] = (found.base == f"{tmp_path}/a/b", found.broken)
    assert reasons == {
        "link": (True, "the link leads nowhere: No such file or directory"),
        "loop": (True, "the link leads nowhere: Too many levels of symbolic links"),
        "fifo": (True, "it is no regular file"),
        "folder": (False, ""),  # folders are ignored
    }


def test_a_link_is_judged_by_where_it_leads(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tools(tmp_path / "project")
    target = tmp_path / "target.yaml"
    target.write_text("exec: [true]\n")
    target.chmod(0o646)
    (own / "x.yaml").symlink_to(target)
    found = find("x", search_path(cwd=str(tmp_path / "project")))
    assert found is not None
    assert found.untrusted == "everybody may write to it"
    target.chmod(0o644)
    found = find("x", search_path(cwd=str(tmp_path / "project")))
    assert found is not None
    assert (found.untrusted, found.status) == ("", os.stat(target))


def test_a_directory_that_everybody_may_write_to_is_not_searched(home: Path, tmp_path: Path) -> None:
    own = tools(tmp_path / "a/b", "x")
    far = tools(tmp_path / "a", "x")
    own.chmod(0o777)
    directories = search_path(cwd=str(tmp_path / "a/b"))
    assert directories[0].untrusted == "everybody may write to it"
    found = find("x", directories)
    assert found is not None
    assert found.file == f"{far}/x.yaml"
    assert notices(directories) == [f"`{own}` is not searched: everybody may write to it"]
    listed = scan(directories)
    assert [(entry.file, entry.untrusted, entry.hidden_by) for entry in listed] == [
        (f"{own}/x.yaml", "everybody may write to it", None),
        (f"{far}/x.yaml", "", None),
    ]
    assert listed[1].hides == ()


def test_a_directory_of_another_user_is_not_searched(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tools(tmp_path, "x")
    disown(monkeypatch, own)
    directories = search_path(cwd=str(tmp_path))
    assert directories[0].untrusted == "it is owned by user 4242, neither you nor root"
    assert find("x", directories) is None


def test_the_callers_own_and_roots_are_searched(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tools(tmp_path, "x")
    for owner in (4242, 0):
        with monkeypatch.context() as patch:
            disown(patch, own, own / "x.yaml", owner=owner, caller=4242)
            found = find("x", search_path(cwd=str(tmp_path)))
            assert found is not None
            assert found.untrusted == ""


def test_an_untrusted_manifest_owns_its_name(home: Path, tmp_path: Path) -> None:
    own = tools(tmp_path / "a/b", "x")
    tools(tmp_path / "a", "x")
    (own / "x.yaml").chmod(0o666)
    found = find("x", search_path(cwd=str(tmp_path / "a/b")))
    assert found is not None
    assert (found.file, found.untrusted) == (f"{own}/x.yaml", "everybody may write to it")


def test_what_is_named_outright_is_not_judged(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tools(tmp_path, "x")
    own.chmod(0o777)
    (own / "x.yaml").chmod(0o666)

    def usable(given: tuple[str, ...] = ()) -> bool:
        directories = search_path(given, str(tmp_path))
        found = find("x", directories)
        return found is not None and not found.untrusted and not notices(directories)

    assert not usable()
    assert usable((str(own),))
    for name in ("KERNEL_TOOLS_PATH", "KERNEL_SAFE_TOOLS"):
        with monkeypatch.context() as patch:
            patch.setenv(name, f"{tmp_path}/other{os.pathsep}{own}")
            assert usable()
    with monkeypatch.context() as patch:
        patch.setenv("KERNEL_SAFE_TOOLS", "tools.d")  # no relative path: it would trust whatever directory one stands in
        assert not usable()


@pytest.mark.parametrize(("value", "lets"), [("true", True), ("1", False), ("", False)])
def test_ci_makes_it_a_warning(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, lets: bool) -> None:
    own = tools(tmp_path, "x")
    own.chmod(0o777)
    (own / "x.yaml").chmod(0o666)
    monkeypatch.setenv("CI", value)
    directories = search_path(cwd=str(tmp_path))
    found = find("x", directories)
    assert (found is not None) is lets
    assert ("because of `CI=true`" in notices(directories)[0]) is lets
    if found is not None:
        assert (found.untrusted, found.warning) == ("", "everybody may write to it")


def test_scan(home: Path, tmp_path: Path) -> None:
    near = tools(
        tmp_path / "a/b", "b", "a", "c.yml", "D.yaml", "e.YAML", "bad name.yaml", "README.md", ".f.yaml", "g.yaml~", "h.json"
    )
    (near / "folder.yaml").mkdir()
    far = tools(tmp_path / "a", "a", "z")
    listed = scan(search_path(cwd=str(tmp_path / "a/b")))
    assert [(entry.name, entry.file.removeprefix(f"{tmp_path}/"), bool(entry.broken), entry.hint) for entry in listed] == [
        ("D", "a/b/tools.d/D.yaml", True, "rename it to `d.yaml`"),
        ("a", "a/b/tools.d/a.yaml", False, ""),
        ("a", "a/tools.d/a.yaml", False, ""),
        ("b", "a/b/tools.d/b.yaml", False, ""),
        ("bad name", "a/b/tools.d/bad name.yaml", True, "rename it to `bad_name.yaml`"),
        ("c", "a/b/tools.d/c.yml", True, "rename it to `c.yaml`"),
        ("e", "a/b/tools.d/e.YAML", True, "rename it to `e.yaml`"),
        ("z", "a/tools.d/z.yaml", False, ""),
    ]
    winner, hidden = listed[1], listed[2]
    assert (winner.hides, winner.hidden_by) == ((hidden,), None)
    assert (hidden.hides, hidden.hidden_by) == ((), winner)
    assert hidden.file == f"{far}/a.yaml"


def test_an_unreadable_directory_is_passed_over(home: Path, tmp_path: Path) -> None:
    gone = Directory(str(tmp_path / "gone"), "project")
    assert scan([gone]) == []
    assert find("x", [gone]) is None


def test_hidden_shipped_files(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = tools(tmp_path / "package", "jq", "linked")
    monkeypatch.setattr(locate, "shipped_directory", lambda: str(shipped))
    own = tools(tmp_path / "project", "jq", "mine")
    (own / "linked.yaml").symlink_to(shipped / "linked.yaml")
    directories = search_path(cwd=str(tmp_path / "project"))
    hidden = {}
    for name in ("jq", "mine", "linked"):
        found = find(name, directories)
        assert found is not None
        hidden[name] = locate.hidden_shipped_file(found)
    assert hidden == {"jq": f"{shipped}/jq.yaml", "mine": "", "linked": ""}
    found = find("jq", directories[1:])
    assert found is not None
    assert found.directory.shipped
    assert locate.hidden_shipped_file(found) == ""


def test_the_shipped_set_is_there() -> None:
    assert os.path.isfile(os.path.join(locate.shipped_directory(), "jq.yaml"))


def test_a_file_by_its_path(tmp_path: Path) -> None:
    own = tools(tmp_path, "x", "c.yml", "plain.txt", "Up.yaml")
    assert locate.at(str(own / "x.yaml")).broken == ""
    assert locate.at(str(own / "c.yml")).hint == "rename it to `c.yaml`"
    assert locate.at(str(own / "plain.txt")).broken == "a manifest's file ends in `.yaml`, not `.txt`"
    assert locate.at(str(own / "Up.yaml")).broken
    for name in ("none.yaml", ""):
        with pytest.raises(KernelError) as caught:
            locate.at(str(own / name))
        assert caught.value.code == "E-FILE"


def test_a_directory_that_may_not_be_searched_hides_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(system, "lstat", refused)
    with pytest.raises(KernelError, match="cannot be searched for `jq`: Permission denied"):
        locate.find("jq", [locate.named(str(tmp_path))])


@pytest.mark.parametrize(("file", "right"), [("-x", "x"), ("Ünï", "uni"), ("2 b", "b"), ("日本", "my_tool")])
def test_a_misnamed_file_is_told_a_name(tmp_path: Path, file: str, right: str) -> None:
    (found,) = locate.scan([locate.named(str(tools(tmp_path, f"{file}.yaml")))])
    assert f"`{right}.yaml`" in found.hint


def test_a_directory_that_cannot_be_listed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directories = [locate.named(str(tmp_path))]
    assert locate.unlisted(directories) == []

    def refused(path: str) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(system, "scandir", refused)
    assert locate.unlisted(directories) == [f"the tools of `{tmp_path}` cannot be listed: Permission denied"]
