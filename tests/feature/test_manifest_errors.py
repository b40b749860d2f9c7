"""Broken manifests as their authors meet them: place, caret, what was expected, how to fix it."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_case import Case


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def test_three_mistakes_are_told_together_and_fixed_from_the_messages(case: Case) -> None:
    case.script("count.sh", 'echo "$@"')
    case.tool(
        "count",
        """
        description: Count words.
        exec: [./count.sh, "{*}"]
        effect: read
        timeout: 5
        params:
          - {name: least, type: int, default: many}
          - {name: colour, choises: [red, green]}
        """,
    )
    case.run("call count").is_(
        """
        exit 2
        -- stderr
        error[E-MANIFEST]: `timeout` wants a duration (digits and `ms`, `s`, `m` or `h`, more than nothing), got `5`
         --> tools.d/count.yaml:4:10
        4 | timeout: 5
          |          ^
          hint: a bare number has no unit: write `5s`
        error[E-MANIFEST]: `default` wants a whole number, got `many`
         --> tools.d/count.yaml:6:39
        6 |   - {name: least, type: int, default: many}
          |                                       ^^^^
        error[E-MANIFEST]: a param has no key `choises`
         --> tools.d/count.yaml:7:20
        7 |   - {name: colour, choises: [red, green]}
          |                    ^^^^^^^
          hint: did you mean `choices` or `consumes`?
        """
    )
    case.tool(
        "count",
        """
        description: Count words.
        exec: [./count.sh, "{*}"]
        effect: read
        timeout: 5s
        params:
          - {name: least, type: int, default: 3}
          - {name: colour, choices: [red, green]}
        """,
    )
    case.run("call count --colour red").is_("exit 0\n-- stdout\n--least 3 --colour red\n")
    case.run("check tools.d").is_("exit 0\n-- stdout\n1 manifest, 0 problems, 0 warnings\n")


def test_a_command_line_is_no_argv(case: Case) -> None:
    case.tool("x", "exec: ls -l {path}\nparams: [{name: path}]")
    case.run("call x").is_(
        """
        exit 2
        -- stderr
        error[E-MANIFEST]: `exec` wants a list of the program and its arguments, got `ls -l {path}`
         --> tools.d/x.yaml:1:7
        1 | exec: ls -l {path}
          |       ^^^^^^^^^^^^
          hint: write `[PROGRAM, ARGUMENT…]`; no shell reads it
        """
    )


def test_a_misspelt_placeholder_is_marked_in_its_item(case: Case) -> None:
    case.tool("x", 'exec: [cat, "--from={pth}"]\nparams: [{name: path, required: true}]')
    case.run("call x --path a").is_(
        """
        exit 2
        -- stderr
        error[E-TEMPLATE]: `{pth}` names no param of the tool
         --> tools.d/x.yaml:1:21
        1 | exec: [cat, "--from={pth}"]
          |                     ^^^^^
          hint: write `{path}`
        """
    )


def test_program_text_from_a_caller_is_refused(case: Case) -> None:
    case.tool("x", 'exec: [sudo, bash, -c, "echo {text}"]\nparams: [{name: text, required: true}]')
    case.run("call x --text a").is_(
        """
        exit 2
        -- stderr
        error[E-TEMPLATE]: `text` would be read by `bash` as program text
         --> tools.d/x.yaml:1:24
        1 | exec: [sudo, bash, -c, "echo {text}"]
          |                        ^^^^^^^^^^^^^
          hint: hand it over as an argument of a fixed program, or say `program: true`, which makes the tool destructive
        """
    )


def test_a_broken_subcommand_breaks_its_tool_only(case: Case) -> None:
    case.tool("good", "exec: [echo, fine]")
    case.tool(
        "bad",
        """
        exec: [git, "{*}"]
        effect: write
        subcommands:
          - {name: log, effect: read}
        """,
    )
    case.run("call good").is_("exit 0\n-- stdout\nfine\n")
    case.run("call bad log").is_(
        """
        exit 2
        -- stderr
        error[E-MANIFEST]: `bad log` states the effect `read`, lower than its parent's `write`
         --> tools.d/bad.yaml:4:25
        4 |   - {name: log, effect: read}
          |                         ^^^^
          hint: a subcommand may raise the effect, not lower it
        """
    )
    assert case.run("check tools.d").exit == 1


def test_a_newer_kernel_is_all_that_is_asked_for(case: Case) -> None:
    case.tool("x", 'requires: ">=99"\nexec: [x]\nholograms: true')
    case.run("call x").is_(
        """
        exit 2
        -- stderr
        error[E-MANIFEST]: `x` needs kernel ≥ 99, this is 0.3.0
         --> tools.d/x.yaml:1:11
        1 | requires: ">=99"
          |           ^^^^^^
          hint: update `toolkernel`
        """
    )


def test_an_input_schema_file_is_placed(case: Case) -> None:
    case.file("schemas/x.json", '{"type": "object",\n "properties": {"a": {"type": "string"},},\n "additionalProperties": false}')
    case.tool("x", 'exec: [echo, "{a}"]\ninput_schema: schemas/x.json')
    case.run("call x --a 1").is_(
        """
        exit 2
        -- stderr
        error[E-SCHEMA]: an input schema is strict JSON: a comma stands before `}`
         --> schemas/x.json:2:40
        2 |  "properties": {"a": {"type": "string"},},
          |                                        ^
        """
    )
    case.file(
        "schemas/x.json",
        '{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}',
    )
    case.run("call x --a 1").is_("exit 0\n-- stdout\n1\n")


def test_check_warns_of_what_loads(case: Case) -> None:
    case.tool(
        "x",
        """
        description: Look for a word.
        effect: read
        exec: [grep, "{word}", [-f, "{file}"]]
        params:
          - {name: word, required: true}
          - {name: file, aliases: [-f], pattern: "(a+)+"}
        """,
    )
    case.run("check tools.d").is_(
        """
        exit 0
        -- stdout
        warning[W-MANIFEST]: this item begins with `word`: a value that looks like an option is refused here
         --> tools.d/x.yaml:3:14
        3 | exec: [grep, "{word}", [-f, "{file}"]]
          |              ^^^^^^^^
          hint: put `--` before it if the program knows it, or say `allow_dash: true` on `word`
        warning[W-MANIFEST]: the pattern of `file` nests unbounded repeats, which is slow for clients that try one way after another
         --> tools.d/x.yaml:6:5
        6 |   - {name: file, aliases: [-f], pattern: "(a+)+"}
          |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          hint: give one of the repeats an upper bound: `{0,100}`
        1 manifest, 0 problems, 2 warnings
        """
    )


def test_ten_thousand_flags_load(case: Case) -> None:
    case.tool("x", 'exec: [echo, "{*}"]\nparams:\n' + "".join([f"  - {{name: f{number}}}\n" for number in range(10_000)]))
    case.run("call x --f9999 a").is_("exit 0\n-- stdout\n--f9999 a\n")


def test_faults_of_the_yaml_and_of_the_manifest_come_together(case: Case) -> None:
    text = (
        "description: A.\neffects: read\nexec: [echo, '{*}']\nparams:\n  - {name: a, required: yes}\n  - {name: b, type: integr}\n"
    )
    shown = case.tool("x", text).run("call x").stderr
    assert [line for line in shown.splitlines() if line.startswith(" -->")] == [
        " --> tools.d/x.yaml:2:1",
        " --> tools.d/x.yaml:5:25",
        " --> tools.d/x.yaml:6:21",
    ]
