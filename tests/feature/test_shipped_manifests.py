"""Every shipped manifest loads, and its examples bind, render and run as they say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import shipped
from kernel_case import Case

from kernel import bind, check, needs, policy, render, schema, strict_json
from kernel.plan import Plan
from kernel.spec import ToolSpec

EXAMPLES = list(shipped.examples())
RUNNABLE = [row for row in EXAMPLES if "stdout" in row[2] or "exit" in row[2]]
REAL = [name for name in shipped.NAMES if any(node.has_exec for node in shipped.leaves(shipped.spec_of(name)))]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    made = shipped.fill(Case(tmp_path_factory.mktemp("shipped")))
    if needs.missing(shipped.spec_of("git")) == []:
        shipped.repository(made)
    return made


def plan_of(root: ToolSpec, words: list[str]) -> Plan:
    bound = check.check(bind.bind(root, words), {})
    return render.render(bound)


def require(root: ToolSpec) -> None:
    """Skips when the program is not there and no builtin stands in for it; on CI that is a failure."""
    missing = [] if root.builtin else needs.missing(root, versions=True)
    if missing and os.environ.get("CI"):
        pytest.fail(missing[0].message)
    if missing:
        pytest.skip(missing[0].message)


@pytest.mark.parametrize("name", shipped.NAMES)
def test_a_manifest_loads(name: str) -> None:
    root = shipped.spec_of(name)
    assert [str(problem.message) for problem in schema.warnings(root)] == []
    assert root.description
    assert root.effect, "a shipped tool states its effect"
    for node in shipped.leaves(root):
        assert node.description, node.full_name
        assert [param.name for param in node.params if not param.description and not param.is_tuple] == []
        if not node.children:
            assert node.examples, f"{node.full_name} has no example"


@pytest.mark.parametrize("name", REAL)
def test_a_real_program_is_named_in_needs(name: str) -> None:
    root = shipped.spec_of(name)
    programs = {node.program for node in shipped.leaves(root) if node.has_exec}
    assert programs == {program for program, _ in root.needs_programs}
    assert not any("/" in program for program in programs)


@pytest.mark.parametrize(("root", "example"), [row[1:] for row in EXAMPLES], ids=[row[0] for row in EXAMPLES])
def test_an_example_binds_and_renders(root: ToolSpec, example: dict[str, Any]) -> None:
    assert example["says"]
    plan = plan_of(root, example["run"][1:])
    policy.judge(plan, ask=False)
    if "binds" in example:
        given = {name: value for name, value in plan.bound.values.items() if plan.bound.origins.get(name) == "argv"}
        assert strict_json.dumps(given) == strict_json.dumps({name: example["binds"][name] for name in given})
        assert given.keys() == example["binds"].keys()
    if "argv" in example:
        assert plan.argv() == example["argv"]
    elif root.name in REAL and not root.builtin:
        pytest.fail("an example of a real program states its argv")


@pytest.mark.parametrize(("root", "example"), [row[1:] for row in RUNNABLE], ids=[row[0] for row in RUNNABLE])
def test_an_example_runs(case: Case, root: ToolSpec, example: dict[str, Any]) -> None:
    require(root)
    outcome = case.run(["call", *example["run"]], cwd="repository" if root.name == "git" else "", env={"LC_ALL": "C.UTF-8"})
    assert outcome.exit == example.get("exit", 0), str(outcome)
    if "stdout" in example:
        assert outcome.stdout == example["stdout"]


def test_every_real_program_has_an_example_that_runs() -> None:
    """Those that would need a daemon, a cluster or a network have their argv alone."""
    run = {root.name for _, root, _ in RUNNABLE}
    assert set(REAL) - run == {"docker", "kubectl"}


def test_extracting_writes_below_the_directory(case: Case) -> None:
    require(shipped.spec_of("tar-extract"))
    case.run("call tar-extract -C out notes.tar.gz").ok()
    assert (case.cwd / "out/notes/b.md").read_text() == "needle two\n"


def test_deleting_is_asked_for_and_then_done(case: Case) -> None:
    require(shipped.spec_of("find-files"))
    case.file("rubbish/empty")
    refused = case.run("call find-files rubbish -name empty -delete")
    assert (refused.exit, (case.cwd / "rubbish/empty").exists()) == (2, True)
    case.run("call --yes find-files rubbish -name empty -delete").ok()
    assert not (case.cwd / "rubbish/empty").exists()


def test_a_token_reaches_curl_by_its_input_alone(case: Case) -> None:
    root = shipped.spec_of("curl-get")
    bound = check.check(bind.bind(root, ["http://127.0.0.1:9/"]), {"CURL_GET_TOKEN": "s3cret"})
    plan = render.render(bound)
    assert "s3cret" not in " ".join(plan.argv())
    assert plan.argv()[9:11] == ["--config", "-"]
    assert not isinstance(plan.stdin, str)
    assert "".join(piece.text for piece in plan.stdin) == 'oauth2-bearer = "s3cret"\n'


def test_the_package_list_names_each_program_once() -> None:
    lines = (Path(shipped.ROOT) / "tests/debian-packages.txt").read_text().splitlines()
    names = [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]
    assert len(names) == len(set(names))
