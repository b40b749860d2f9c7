"""A call that is held to a workspace opens no file outside it, whichever way the call names the file (running.md X7)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from kernel_case import Case

from kernel import bind, check, locate, policy, render, store
from kernel.builtins import NAMING_FILES
from kernel.builtins.named_files import BY_BUILTIN
from kernel.errors import KernelError


@pytest.fixture
def case(tmp_path: Path) -> Case:
    case = Case(tmp_path)
    (case.root / "secret").write_text("root\n")
    (case.root / "secret.jq").write_text(".")
    case.file("f", "root\n").file("p", "root\n").file("ok.jq", ".").file("data.json", "{}")
    case.file("list", f"f\0{case.root}/secret\0").file("inside", "f\0p\0")
    case.file("read.sed", f"r {case.root}/secret\n").file("ok.sed", "r p\n")
    case.file("sums", f"{'0' * 64}  ../secret\n")
    return case


@pytest.mark.parametrize(
    ("line", "param", "named"),
    [
        ("grep -f p ROOT/secret", "pattern", "ROOT/secret"),
        ("grep ../secret -f p f", "pattern", "../secret"),
        ("sed -f ok.sed ../secret", "script", "../secret"),
        ("sed -f read.sed f", "script", "ROOT/secret"),
        ("sed -n 'r ../secret' f", "script", "../secret"),
        ("sed -n -e p -e 'R ../secret' f", "script", "../secret"),
        ("sed 'w ../new' f", "script", "../new"),
        ("sed 's/o/x/w ../new' f", "script", "../new"),
        ("sed -i../*~ s/o/x/ f", "in_place", "../f~"),
        ("jq -f ../secret.jq data.json", "filter", "../secret.jq"),
        ("jq data.json -f -n ../secret.jq", "files", "../secret.jq"),
        ("sort --files0-from list", "files0_from", "ROOT/secret"),
        ("wc --files0-from=list", "files0_from", "ROOT/secret"),
        ("checksum -c sums", "files", "../secret"),
        ("test -r ../secret", "expression", "../secret"),
        ("test f -nt ../secret -o -z x", "expression", "../secret"),
        ("test ! -L ../secret", "expression", "../secret"),
    ],
)
def test_what_lies_outside_is_refused(case: Case, line: str, param: str, named: str) -> None:
    line = line.replace("ROOT", str(case.root))
    ended = case.run(f"call --json --workspace . {line}")
    error = json.loads(ended.stdout)["error"]
    assert (ended.exit, error["code"], error["param"]) == (2, "E-PATH", param)
    assert error["message"] == f"`{param}`: `{named}` lies outside the workspace"
    assert not (case.root / "new").exists()


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("grep -f p f", "root\n"),
        ("grep -c ../secret f", "0\n"),  # a pattern
        ("grep -e ../secret -f p f", "root\n"),
        ("sed -f ok.sed f", "root\nroot\n"),
        ("sed -n 's,root,../secret,p' f", "../secret\n"),
        ("sed 'r /dev/stdin' f", "root\n"),
        ("sed -n 'w /dev/stdout' f", "root\n"),
        ("jq -cf ok.jq data.json", "{}\n"),
        ("sort --files0-from inside", "root\nroot\n"),
        ("test -f f", ""),
        ("test ../secret = ../secret", ""),
    ],
)
def test_what_lies_inside_or_is_no_file_passes(case: Case, line: str, out: str) -> None:
    if line.startswith("jq"):
        pytest.importorskip("jq", reason="neither a program jq is sure to be here nor the package")
    ended = case.run(f"call --workspace . {line}")
    assert (ended.stdout, ended.stderr) == (out, "")


def test_without_a_workspace_nothing_is_judged(case: Case) -> None:
    assert case.run("call grep -f p ../secret").ok().stdout == "root\n"
    assert case.run("call sed -n -f read.sed f").ok().stdout == "root\n"


def test_what_cannot_be_known_is_refused(case: Case) -> None:
    ended = case.run("call --workspace . sort --files0-from -", stdin=b"f\0")
    assert "which files are opened is read from stdin, so they cannot be judged" in ended.stderr
    os.mkfifo(case.cwd / "fifo")
    ended = case.run("call --workspace . wc --files0-from fifo")
    assert "`fifo` names files that cannot be judged: it is no regular file" in ended.stderr
    assert case.run("call --workspace . wc --files0-from missing").exit == 1  # the builtin's own word


def test_a_manifest_of_ones_own_is_judged_as_the_shipped_one_is(case: Case) -> None:
    case.tool(
        "look",
        """
        effect: read
        builtin: grep
        params:
          - {name: pattern, positional: true}
          - {name: files, positional: true, repeatable: true, path: read}
          - {name: file, repeatable: true, aliases: [-f], path: read}
        """,
    )
    assert "`pattern`: `../secret` lies outside" in case.run("call --workspace . look -f p ../secret").stderr
    assert case.run("call --workspace . look -f p f").ok().stdout == "root\n"
    case.tool(
        "held",
        """
        effect: read
        builtin: wc
        roots: [.]
        params: [{name: files0_from, path: read}]
        """,
    )
    assert "lies outside the manifest's `roots`" in case.run("call held --files0-from list").stderr


def test_a_library_judges_every_call(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.cwd)
    shipped = locate.find("test", locate.search_path())
    assert shipped is not None
    spec = store.load(shipped)
    for _ in range(3):
        bound = check.check(bind.bind(spec, ["-r", "../secret"]), {})
        with pytest.raises(KernelError, match="lies outside the workspace"):
            policy.judge(render.render(bound), workspace=".")


def test_each_builtin_that_names_files_has_its_way_to_tell_them() -> None:
    assert BY_BUILTIN.keys() == NAMING_FILES
