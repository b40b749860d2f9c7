"""Paths held to roots (running.md X7)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kernel import bind_json, paths
from kernel.check import check
from kernel.errors import KernelError
from kernel.plan import Plan
from kernel.render import render
from kernel.spec import ParamSpec, Slot, ToolSpec
from kernel.template import pieces

ROWS = [json.loads(line) for line in (Path(__file__).parent.parent / "corpus/run/paths.jsonl").read_text().splitlines()]
REASONS = {"outside": "outside-roots", "denied": "denied", "unresolvable": "unresolvable"}


def planned(base: str, argv: list[str], values: dict[str, Any], **fields: Any) -> Plan:
    """A plan of a tool whose params are all paths, relative ones from `base`."""
    params = tuple([ParamSpec(name=name, required=True, slots=(Slot(path="read"),)) for name in values])
    spec = ToolSpec(
        name="t",
        path=("t",),
        base=base,
        file=f"{base}/tools.d/t.yaml",
        params=params,
        has_exec=True,
        program=argv[0],
        exec=tuple([("text", pieces(item)) for item in argv[1:]]),
        **fields,
    )
    return render(check(bind_json.bind_mapping(spec, values), {}), base)


def plant(base: Path, tree: list[dict[str, str]]) -> None:
    for entry in tree:
        path = base / entry["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry["kind"] == "dir":
            path.mkdir(exist_ok=True)
        elif entry["kind"] == "file":
            path.touch()
        else:
            path.symlink_to(entry["to"].replace("$BASE", str(base)))


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_contract_rows(row: dict[str, Any], tmp_path: Path) -> None:
    base = Path(os.path.realpath(tmp_path))
    given = row["input"]
    plant(base, given["tree"])
    workspace = given["cwd"].replace("$BASE", str(base))
    values = {name: text.replace("$BASE", str(base)) for name, text in given.get("arguments", {"path": "notes/a.md"}).items()}
    plan = planned(workspace, given["argv"], values, roots=tuple(given["roots"]), deny=tuple(given["deny"]))
    if row["expect"].get("startup") == "error":
        with pytest.raises(KernelError) as caught:
            paths.problems(plan, workspace, workspace)
        assert caught.value.code == "E-PATH"
        return
    found = paths.problems(plan, workspace, workspace)
    if row["expect"]["decision"] == "allow":
        assert found == []
    else:
        assert [REASONS[problem.facts["reason"]] for problem in found] == [row["expect"]["reason"]]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    made = Path(os.path.realpath(tmp_path))
    (made / "ws/sub").mkdir(parents=True)
    (made / "out").mkdir()
    return made


@pytest.mark.parametrize(
    ("item", "value", "allowed"),
    [
        ("{p}", "sub/new/deeper", True),
        ("{p}", "sub/../x", True),
        ("{p}", "sub/missing/../x", False),
        ("{p}", "..", False),
        ("{p}", "../ws/x", True),
        ("{p}", "../ws2", False),
        ("{p}", "/", False),
        ("{p}", "", True),
        ("--file={p}", "sub", True),
        ("--file=../{p}", "sub", False),
        ("-I{p}", "sub", True),
        ("-I../{p}", "ws", True),
        ("-I../{p}", "sub", False),
        ("sub/{p}", "../../out", False),
        ("{p}/../../out", "sub", False),
        ("{p}/x", "sub", True),
    ],
)
def test_the_value_and_what_the_child_sees(base: Path, item: str, value: str, allowed: bool) -> None:
    plan = planned(str(base / "ws"), ["cat", item], {"p": value})
    assert (paths.problems(plan, str(base / "ws"), str(base / "ws")) == []) is allowed


def test_without_roots_only_deny_is_judged(base: Path) -> None:
    plan = planned(str(base / "ws"), ["cat", "{p}", "{q}"], {"p": "../out/x", "q": "sub/x"}, deny=("sub",))
    assert [problem.facts["param"] for problem in paths.problems(plan)] == ["q"]


def test_values_are_relative_to_the_childs_directory(base: Path) -> None:
    plan = planned(str(base / "ws"), ["cat", "{p}"], {"p": "../../out/x"}, cwd="sub")
    assert plan.cwd == str(base / "ws/sub")
    assert [problem.facts["reason"] for problem in paths.problems(plan, str(base / "ws"), str(base))] == ["outside"]


def test_the_param_that_is_the_directory_is_relative_to_the_callers(base: Path) -> None:
    plan = planned(str(base / "ws"), ["ls", "{d}"], {"d": "sub"}, cwd="{d}")
    assert plan.cwd == str(base / "ws/sub")
    assert paths.problems(plan, str(base / "ws"), str(base / "ws")) == []
    assert paths.problems(planned(str(base / "ws"), ["ls", "{d}"], {"d": "../out"}, cwd="{d}"), str(base / "ws"), str(base / "ws"))


def test_a_file_is_no_directory_to_go_through(base: Path) -> None:
    (base / "ws/file").touch()
    with pytest.raises(paths.Unresolvable):
        paths.resolve(str(base / "ws/file/x"))
    with pytest.raises(paths.Unresolvable):
        paths.resolve(str(base / "ws/file/../x"))


def test_a_chain_of_links_is_followed_and_a_loop_is_not(base: Path) -> None:
    (base / "ws/a").symlink_to("b")
    (base / "ws/b").symlink_to("sub/../sub")
    assert paths.resolve(str(base / "ws/a/x")) == str(base / "ws/sub/x")
    (base / "ws/c").symlink_to("d")
    (base / "ws/d").symlink_to("c")
    with pytest.raises(paths.Unresolvable):
        paths.resolve(str(base / "ws/c"))


def test_the_root_of_everything_holds_everything() -> None:
    assert paths.is_inside("/etc", "/")
    assert paths.is_inside("/", "/")
    assert not paths.is_inside("/etcetera", "/etc")


def test_served_calls_are_kept_from_what_no_agent_is_to_touch(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNEL_STATE_DIR", str(base / "ws/state"))
    (base / "ws/link").symlink_to(".git")
    (base / "ws/.git").mkdir()
    workspace = str(base / "ws")

    def refused(path: str, use: str = "read", served: bool = True) -> bool:
        plan = planned(workspace, ["cat", "{p}"], {"p": path})
        plan.spec.params[0].slots = (Slot(path=use),)
        return bool(paths.problems(plan, workspace, served=served))

    for path in (".git", ".git/config", "sub/.git/x", ".env", "sub/.env", ".env.local", "link/config", "state/output/x"):
        assert refused(path) and not refused(path, served=False), path
    for path in (".github", ".envrc", "x.env", ".gitignore", "tools.d/x.yaml"):
        assert not refused(path), path
    for use in ("write", "new", "dir"):
        assert refused("tools.d/x.yaml", use) and refused("sub/tools.d", use) and not refused("tools", use)
