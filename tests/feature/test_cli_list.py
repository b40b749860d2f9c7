"""`kernel list`, `kernel show`, `kernel help`: what there is, and what is wrong with the rest."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path

import pytest
from kernel_case import Case

from kernel.commands import VERBS

GREET = """
    title: Greeter
    description: Greet somebody. It is polite.
    effect: read
    tags: [people, demo]
    exec: [echo, "hello, {who}", "{*}"]
    env: {GREETING: "{who}"}
    timeout: 5s
    params:
      - {name: who, required: true, positional: true, description: Whom.}
      - {name: loud, type: bool, negatable: true, aliases: [-l, --shout], description: With a raised voice.}
      - {name: times, type: int, min: 1, max: 9, default: 1, env: TIMES}
      - {name: verbose, type: bool, count: true, aliases: [-v]}
      - {name: pair, consumes: [{name: KEY, description: The key.}, {name: VALUE, type: int}], unique_by: KEY}
      - {name: define, split: "=", consumes: [{name: NAME}, {name: VALUE, optional: true}]}
      - name: colour
        choices: [{value: red, description: Like blood.}, {value: blue, description: Like the sky.}]
      - {name: when, optional_value: always, choices: [always, never]}
      - {name: list, repeatable: true, delimiter: ","}
    groups: [{exclusive: [loud, verbose]}]
    examples:
      - {run: greet ada, says: Greet Ada., argv: [echo, "hello, ada", --times, "1"], binds: {who: ada}}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path).tool("greet", GREET)


def listed(case: Case, line: str = "list --json") -> dict[str, dict[str, object]]:
    found = case.run(line).ok().json()
    assert isinstance(found, list)
    return {entry["name"]: entry for entry in found}


def test_a_line_a_tool(case: Case) -> None:
    outcome = case.run("list --tag demo")
    outcome.is_("""
        exit 0
        -- stdout
        NAME   KIND     EFFECT  DESCRIPTION
        greet  program  read    Greet somebody
        """)
    rows = [line.split()[:2] for line in case.run("list").stdout.splitlines()[1:]]
    builtins = [row for row in rows if row[1] in ("builtin", "either")]
    programs = [row for row in rows[1:] if row not in builtins]
    assert rows == [["greet", "program"], *sorted(builtins), *sorted(programs)]
    names = [name for name, _ in rows]
    assert {"greet", "jq", "git"} <= set(names)


def test_the_projects_own(case: Case) -> None:
    case.write("../more/named.yaml", "description: N.\neffect: read\nexec: [echo]\n")
    case.write("../config/tools.d/mine.yaml", "description: M.\neffect: read\nexec: [echo]\n")
    env = {"KERNEL_CONFIG_DIR": str(case.root / "config"), "KERNEL_TOOLS_PATH": "../more"}
    listed = [line.split()[0] for line in case.run("list", env=env).stdout.splitlines()[1:4]]
    assert listed == ["greet", "mine", "named"]
    own = case.run("list --project", env=env).stdout.splitlines()[1:]
    assert [line.split()[0] for line in own] == ["greet", "named"]


def test_a_program_that_is_not_here(case: Case) -> None:
    case.tool("lost", 'description: L.\neffect: read\nexec: [no-such-program, "{*}"]\nparams: [{name: a}]')
    case.tool("gone", "description: G.\neffect: read\nexec: [./gone]")
    case.tool("closed", "description: C.\neffect: read\nexec: [./closed]").file("closed", "#!/bin/sh\n")
    case.tool("own", "description: O.\neffect: read\nexec: [./own]").script("own", "echo")
    for _ in range(2):  # the second time from what is kept, where that is old enough
        assert case.run("list --project").stdout.splitlines()[1:] == [
            "closed  program  read    unavailable: the program `./closed` is not executable; C",
            "gone    program  read    unavailable: the program `./gone` does not exist; G",
            "greet   program  read    Greet somebody",
            "lost    program  read    unavailable: the program `no-such-program` is not installed; L",
            "own     program  read    O",
        ]
    found = {entry["name"]: entry["status"] for entry in case.run("list --project --json").json()}  # type: ignore[attr-defined]
    assert found["lost"] == "unavailable" and found["own"] == "available"


def test_json(case: Case) -> None:
    assert listed(case)["greet"] == {
        "name": "greet",
        "title": "Greeter",
        "description": "Greet somebody. It is polite.",
        "kind": "program",
        "effect": "read",
        "tags": ["people", "demo"],
        "status": "available",
        "reason": None,
        "deprecated": None,
        "hidden": False,
        "file": "DIR/tools.d/greet.yaml",
        "origin": "project",
        "hides": [],
    }


def test_what_cannot_be_called_is_listed_with_the_reason(case: Case) -> None:
    case.tool("broken", "description: 3\neffect: raed\n").file("tools.d/Wrong Name.yaml", "").file("tools.d/old.yml", "")
    case.tool("missing", "description: M.\neffect: read\nexec: [nosuch]\nneeds: {programs: [nosuch]}\n")
    case.tool("foreign", "description: F.\neffect: read\nexec: [echo]\n")
    case.tool("seq", "description: Mine.\nreplaces: seq\nexec: [echo]\n")
    case.tool("shy", "description: Shy.\neffect: read\nhidden: true\nexec: [echo]\n")
    os.chmod(case.cwd / "tools.d/foreign.yaml", 0o666)
    found = listed(case)
    states = {
        name: (found[name]["status"], found[name]["reason"]) for name in ("broken", "Wrong Name", "old", "missing", "foreign")
    }
    assert {name: state for name, (state, _) in states.items()} == {
        "broken": "broken",
        "Wrong Name": "broken",
        "old": "broken",
        "missing": "unavailable",
        "foreign": "untrusted",
    }
    assert all(reason for _, reason in states.values())
    assert "nosuch" in str(states["missing"][1])
    assert found["seq"]["hides"]
    assert found["seq"]["effect"] == "write"
    assert "shy" not in found
    assert "shy" in listed(case, "list --json --all")
    text = case.run("list").ok().stdout
    assert "unavailable: " in text
    assert "Mine (hides " in text


def test_a_second_list_sees_every_change(case: Case) -> None:
    """The facts are kept, with the stamps of their files."""
    file = case.cwd / "tools.d/greet.yaml"
    for age in (100, 90):  # old enough to be kept
        os.utime(file, (file.stat().st_atime - age, file.stat().st_mtime - age))
        assert listed(case)["greet"]["title"] == "Greeter"
    case.tool("greet", GREET.replace("Greeter", "Changer"))
    assert listed(case)["greet"]["title"] == "Changer"
    file.unlink()
    assert "greet" not in listed(case)
    case.tool("other", GREET)
    assert "other" in listed(case)


def test_a_damaged_catalogue_is_made_again(case: Case) -> None:
    before = listed(case)
    for kept in (case.root / "cache").rglob("catalogue-*"):
        kept.write_bytes(kept.read_bytes()[:-9])
    assert listed(case) == before
    for kept in (case.root / "cache").rglob("catalogue-*"):
        kept.write_bytes(b"")
    assert listed(case) == before


def test_outside_text_is_escaped(case: Case) -> None:
    (case.cwd / "tools.d" / "a\x1b[31m.yaml").write_text("")
    text = case.run("list").ok().stdout
    assert "a\\x1b[31m" in text
    assert "\x1b" not in text


def test_help_of_a_tool(case: Case) -> None:
    case.run("help greet").is_("""
        exit 0
        -- stdout
        Greeter
          Greet somebody. It is polite.

        usage
          kernel call greet [FLAGS] WHO

        operands
          WHO  Whom. (required)

        flags
          -l, --shout, --loud, --no-shout  With a raised voice.
          --times INT                      (1 to 9; default 1; else from $TIMES)
          -v, --verbose                    (counts)
          --pair KEY VALUE                 (VALUE: int; repeatable; KEY: must differ)
            KEY                            The key.
          --define NAME[=VALUE]            (repeatable)
          --colour red|blue
            red                            Like blood.
            blue                           Like the sky.
          --when[=always|never]            (alone it means always)
          --list TEXT                      (repeatable, or a list separated by `,`)

        rules
          at most one of: -l, -v

        examples
          kernel call greet ada
              Greet Ada.

        about
          effect   read: changes nothing
          runs     echo 'hello, {who}' {*}
          timeout  5 s
          tags     people, demo
          from     tools.d/greet.yaml
        """)


def test_show_says_how_it_runs(case: Case) -> None:
    text = case.run("show greet").ok().stdout
    assert "  env GREETING  {who}\n" in text
    found = case.run("show --json greet").ok().json()
    assert isinstance(found, dict)
    assert found["exec"] == ["echo", "hello, {who}", "{*}"]
    assert found["arguments"]["required"] == ["who"]
    assert found["examples"] == [{"run": ["greet", "ada"], "says": "Greet Ada."}]


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_help(case: Case, verb: str) -> None:
    outcome = case.run(["help", verb]).ok()
    assert outcome.stdout.startswith(f"kernel {verb}\n")
    assert case.run([verb, "--help"]).ok().stdout == outcome.stdout


def test_overview_and_version(case: Case) -> None:
    overview = case.run("--help").ok().stdout
    assert all(f"\n  {verb} " in overview for verb in VERBS)
    assert case.run("help").stdout == overview
    alone = case.run([])
    assert (alone.exit, alone.stdout, alone.stderr) == (2, "", overview)
    assert case.run("--version").stdout.startswith("kernel ")


@pytest.mark.parametrize("verb", ["help", "show", "schema"])
def test_names_that_no_tool_has(case: Case, verb: str) -> None:
    assert f" --> kernel {verb} greeet\n" in case.run([verb, "greeet"]).stderr
    outcome = case.run([verb, "git", "lgo"])
    assert outcome.exit == 2
    assert f"error[E-SUBCOMMAND]: `git` has no subcommand `lgo`\n --> kernel {verb} git lgo\n" in outcome.stderr
    assert case.run([verb, "git_log"]).stdout == case.run([verb, "git", "log"]).stdout


def test_a_verb_before_a_tool_of_the_same_name(case: Case) -> None:
    case.tool("list", "description: Mine.\neffect: read\nexec: [echo]\n")
    assert "`kernel show list`" in case.run("help list").ok().stdout
    assert case.run("show list").ok().stdout.startswith("kernel call list\n")


def on_terminal(case: Case, *words: str, **env: str) -> str:
    """What a run writes to a terminal."""
    import subprocess
    import sys

    from kernel_case import ROOT

    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.cli import main; main()"
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=case.cwd,
        env={**case.env, "TERM": "xterm", "COLUMNS": "120", **env},
        stdin=end,
        stdout=end,
        stderr=end,
    ):
        os.close(end)
        seen = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
    os.close(terminal)
    return seen.decode()


def test_colour_on_a_terminal_only_and_not_with_no_color(case: Case) -> None:
    for words in (["list"], ["help", "greet"], ["call", "greet", "--bad"], ["check"], ["explain", "greet", "x"]):
        plain = on_terminal(case, *words, NO_COLOR="1")
        assert "\x1b[3" not in plain, words
        assert "\x1b[9" not in plain, words
        assert "\x1b[" not in case.run(words).stdout + case.run(words).stderr
    assert "\x1b[" in on_terminal(case, "list")
    assert "\x1b[" in on_terminal(case, "call", "greet", "--bad")


def test_markup_in_a_manifest_is_text(case: Case) -> None:
    case.tool("marked", "description: '[red]not red[/red] :smile:'\neffect: read\nexec: [echo]\n")
    assert "[red]not red[/red] :smile:" in on_terminal(case, "help", "marked")
    assert "[red]not red[/red] :smile:" in on_terminal(case, "list")


def test_schema(case: Case) -> None:
    case.run("schema greet").ok()
    found = json.loads(case.run("schema greet").stdout)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["properties"]["pair"]["items"] == {
        "type": "object",
        "properties": {"key": {"type": "string", "description": "The key."}, "value": {"type": "integer"}},
        "required": ["key", "value"],
        "additionalProperties": False,
    }
    assert found["properties"]["define"]["items"]["required"] == ["name"]
    assert found["properties"]["times"] == {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}
    assert found["properties"]["verbose"] == {"type": "integer", "minimum": 0}
    assert found["properties"]["colour"]["enum"] == ["red", "blue"]
    assert (found["required"], found["additionalProperties"]) == (["who"], False)
    tool = json.loads(case.run("schema --dialect mcp greet").stdout)
    assert tool["annotations"]["readOnlyHint"] is True
    assert tool["inputSchema"]["type"] == "object"
    assert json.loads(case.run("schema --manifest").stdout)["type"] == "object"
    assert case.run("schema --manifest greet").exit == 2
    assert "error[E-SUBCOMMAND]" in case.run("schema git").stderr


def test_an_input_schema_is_published_on_one_line(case: Case) -> None:
    case.tool(
        "strict",
        """
        description: S.
        effect: read
        exec: [echo, "{n}"]
        input_schema: {type: object, additionalProperties: false, required: [n], properties: {n: {type: integer}}}
        """,
    )
    text = case.run("schema strict").ok().stdout
    assert text.count("\n") == 1
    assert json.loads(text)["properties"] == {"n": {"type": "integer"}}


@pytest.mark.parametrize(
    ("cwd", "said"),
    [
        ("", ""),
        ("cwd: tools\n", "the one that holds tools.d; relative paths start there"),
        ("cwd: sub\n", "sub in the one that holds tools.d; relative paths start there"),
        ('cwd: "{place}"\n', "PLACE; relative paths start there"),
    ],
)
def test_help_says_where_relative_paths_start(case: Case, cwd: str, said: str) -> None:
    param = "params: [{name: place, positional: true, required: true, path: dir}]"
    case.tool("away", f"description: A.\neffect: read\n{cwd}exec: [ls, '{{*}}']\n{param}\n")
    for verb in ("help", "show"):
        rows = [line.split(maxsplit=1) for line in case.run(f"{verb} away").ok().stdout.splitlines() if line.strip()]
        assert [row[1] for row in rows if row[0] == "directory"] == ([said] if said else [])
