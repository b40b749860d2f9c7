"""What a message points at: the word that is meant, the param that holds it, the verb's own help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_case import ROOT, Case

from kernel.bind import bind
from kernel.bound import Bound, Trace
from kernel.check import check
from kernel.errors import KernelError, WordPlace
from kernel.manifest import read
from kernel.schema import compile_tool

PICK = """
    description: Pick.
    effect: read
    exec: [echo, "{*}"]
    params:
      - {name: how, positional: true, required: true, choices: [fast, slow], description: How.}
      - {name: count, positional: true, type: int, min: 1}
      - {name: where, positional: true, path: dir}
      - {name: kind, choices: [a, b]}
"""
PAIRS = b"""
description: Many values.
effect: read
exec: [echo, "{*}"]
params:
  - {name: pair, consumes: [{name: KEY}, {name: NUMBER, type: int, max: 9}], unique_by: KEY, aliases: [-p]}
  - {name: list, delimiter: ",", repeatable: true, choices: [a, b]}
  - {name: words, positional: true, repeatable: true, pattern: "[a-z]+"}
"""


def many(words: list[str]) -> KernelError:
    spec = compile_tool(read(PAIRS, "/p/tools.d/t.yaml"), file="/p/tools.d/t.yaml", base="/p", name="t")
    with pytest.raises(KernelError) as caught:
        check(bind(spec, words), {})
    return caught.value


def places(error: KernelError) -> list[tuple[int, int]]:
    return [(problem.where.index, problem.where.start) for problem in error.problems if isinstance(problem.where, WordPlace)]


def test_each_of_many_faults_has_its_own_word() -> None:
    assert places(many(["ok", "A", "ok", "B"])) == [(1, 0), (3, 0)]
    assert places(many(["-p", "k", "10", "--pair=l", "1", "-pz", "11"])) == [(2, 0), (6, 0)]
    assert places(many(["-p", "k", "1", "--pair=k", "1", "-pk", "2"])) == [(3, 7), (5, 2)]
    assert places(many(["--list=a,c,b", "--list", "b,d", "x"])) == [(0, 7), (2, 0)]


def test_a_fault_is_named_as_its_own_occurrence_was() -> None:
    error = many(["-p", "k", "10", "--pair", "l", "11"])
    assert [problem.message.split()[0] for problem in error.problems] == ["`-p`", "`--pair`"]


@pytest.mark.parametrize("words", [["W"] * 200, ["-p", "k", "1"] * 200, ["-p", "k", "10"] * 200])
def test_places_are_found_in_one_walk_over_the_words(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    walks = 0
    trace = vars(Bound)["trace"].fget

    def counted(bound: Bound) -> list[Trace]:
        nonlocal walks
        walks += 1
        found: list[Trace] = trace(bound)
        return found

    monkeypatch.setattr(Bound, "trace", property(counted))
    assert len(many(words).problems) >= 199
    assert walks == 1


def test_a_refused_dash_is_marked_where_it_stands(tmp_path: Path) -> None:
    case = Case(tmp_path).tool(
        "t", 'description: T.\neffect: read\nexec: [echo, "{a*}"]\nparams: [{name: a, positional: true, repeatable: true}]'
    )
    shown = case.run("call t -- b-x -x c -x").stderr.splitlines()
    assert [line for line in shown if set(line) == {" ", "^"}] == [
        "                          ^^",
        "                               ^^",
    ]


def test_a_nul_byte_is_told_of_the_param_that_holds_it(tmp_path: Path) -> None:
    case = Case(tmp_path).tool("t", 'description: T.\neffect: read\nexec: [echo, "x{a}"]\nparams: [{name: a, required: true}]')
    case.run(["call", "--args-json", '{"a": "b\\u0000"}', "t"]).is_(
        """
        exit 2
        -- stderr
        error[E-ENCODING]: `a` holds a NUL byte, which no program can be given
          hint: leave the byte out
        """
    )


def test_help_tells_what_an_operand_may_be(tmp_path: Path) -> None:
    shown = Case(tmp_path).tool("pick", PICK).run("help pick").ok().stdout
    assert "  HOW    How. (required; one of fast, slow)\n  COUNT  (int; at least 1)\n  WHERE  (a directory)\n" in shown
    assert "  --kind a|b\n" in shown


def test_an_unknown_flag_of_a_verb_leads_to_its_help(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.run("list -h").is_(
        """
        exit 2
        -- stderr
        error[E-UNKNOWN-FLAG]: `-h` is no flag of `kernel list`
         --> kernel list -h
                         ^^
          hint: `kernel list --help` lists its flags
        """
    )
    assert "did you mean `--json`?" in case.run("list --jsn").stderr


def test_explain_marks_a_tool_that_is_not_there(tmp_path: Path) -> None:
    shown = Case(tmp_path).run("explain nosuch a").stderr.splitlines()
    assert shown[1:3] == [" --> kernel explain nosuch a", "                    ^^^^^^"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("words", [["list"], ["--version"], ["completion", "bash"]])
def test_output_that_finds_no_room_is_told(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        run = subprocess.run([sys.executable, "-m", "kernel", *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (2, "error[E-FILE]: `stdout` cannot be read or written: No space left on device\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("line", ["check", "check tools.d", "check ."])
def test_a_directory_that_cannot_be_listed_is_not_taken_for_a_good_one(tmp_path: Path, line: str) -> None:
    case = Case(tmp_path).tool("pick", PICK)
    tools = case.cwd / "tools.d"
    tools.chmod(0o311)
    try:
        found = case.run(line)
    finally:
        tools.chmod(0o755)
    assert (found.exit, found.stdout) == (2, "")
    assert found.stderr == "error[E-FILE]: `DIR/tools.d` cannot be read: Permission denied\n"


GROUP = """
    description: Fast or slow.
    effect: read
    exec: [echo, "{*}"]
    params:
      - {name: fast, type: bool, aliases: [-f]}
      - {name: slow, type: bool, aliases: [-s]}
      - {name: words, positional: true, repeatable: true}
    groups: [{exclusive: [fast, slow]}]
"""


def test_a_group_names_its_flags_as_typed(tmp_path: Path) -> None:
    outcome = Case(tmp_path).tool("go", GROUP).run("call go --fast -s")
    assert "at most one of `--fast` (given), `-s` (given) may be given" in outcome.stderr


def test_an_entry_of_a_json_list_is_named(tmp_path: Path) -> None:
    outcome = Case(tmp_path).tool("go", GROUP).run("""call --args-json '{"words":["a",1]}' go""")
    assert "`words[1]` wants text, got `1`" in outcome.stderr


def test_what_is_typed_beside_the_tool_is_told(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert "kernel show --json nosuch" in case.run("show --json nosuch").stderr
    assert "`--exec` wants a command" in case.run("call --exec").stderr
    assert "--> kernel list --tools /nope\n                         ^^^^^" in case.run("list --tools /nope").stderr
    assert "--> kernel list --tools=/nope\n                         ^^^^^" in case.run("list --tools=/nope").stderr
    outcome = case.run("--version junk")
    assert (outcome.exit, outcome.stdout) == (2, "")
    case.tool("far", "effect: read\nexec: [nosuchprogram]\nneeds: {programs: [nosuchprogram]}")
    assert "PATH is empty" in case.run("call far", env={"PATH": ""}).stderr
