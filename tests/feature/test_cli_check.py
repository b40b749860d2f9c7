"""`kernel check`, `kernel explain`, `kernel init`: before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kernel_case import Case

GOOD = """
    description: Good.
    effect: read
    exec: [echo, "{*}"]
    params:
      - {name: n, type: int, aliases: [-n], default: 3, env: COUNT}
      - {name: pair, consumes: [{name: K}, {name: V}]}
      - {name: token, secret: argv}
      - {name: rest, positional: true, repeatable: true}
    examples:
      - {run: good -n 2 x, says: Two., binds: {n: 2, rest: [x]}, argv: [echo, -n, "2", x]}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path).tool("good", GOOD)


def test_all_problems_of_all_manifests(case: Case) -> None:
    case.tool("one", 'description: One.\neffect: raed\nexec: [echo, "{gone}"]\ncolor: 3\n').tool("two", "a: [\n")
    outcome = case.run("check tools.d")
    assert outcome.exit == 1
    assert outcome.stderr == ""
    assert " --> tools.d/one.yaml:2:9\n2 | effect: raed\n  |         ^^^^\n" in outcome.stdout
    assert outcome.stdout.count("error[") == 4
    assert "tools.d/two.yaml" in outcome.stdout
    assert outcome.stdout.splitlines()[-1].startswith("3 manifests, 4 problems, 1 warning")
    found = json.loads(case.run("check --json tools.d").stdout)
    assert [(problem["file"], problem["line"]) for problem in found["problems"]][:3] == [
        ("DIR/tools.d/one.yaml", 2),
        ("DIR/tools.d/one.yaml", 3),
        ("DIR/tools.d/one.yaml", 4),
    ]


def test_paths(case: Case) -> None:
    case.file("other/tools.d/bad.yaml", "3\n").file("plain/fine.yaml", "description: F.\neffect: read\nexec: [echo]\n")
    assert case.run("check tools.d/good.yaml").ok().stdout.splitlines()[-1] == "1 manifest, 0 problems, 1 warning"
    assert case.run("check plain").ok().stdout == "1 manifest, 0 problems, 0 warnings\n"
    assert case.run("check plain/fine.yaml plain").ok().stdout == "2 manifests, 0 problems, 0 warnings\n"
    assert case.run("check other").exit == 1
    case.file("notes.txt")
    assert "ends in `.yaml`" in case.run("check notes.txt").stdout
    assert "error[E-FILE]" in case.run("check nowhere").stderr


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ("{run: other x}", "does not begin with the tool's name"),
        (
            "{run: good --n}",
            "the example `good --n` fails: `--n` wants a value",
        ),
        ("{run: good x, binds: {rest: [y]}}", 'binds `rest` to `["x"]`, `binds` says `["y"]`'),
        ("{run: good x, binds: {}}", 'binds `rest` to `["x"]`, `binds` says nothing'),
        ("{run: good, binds: {rest: [x]}}", 'says `["x"]`'),
        ("{run: good x, argv: [echo, y]}", "makes another argv"),
    ],
)
def test_examples_are_bound_and_rendered(case: Case, example: str, message: str) -> None:
    text = GOOD[: GOOD.index("      - {run:")]
    case.tool("good", f"{text}      - {example}\n")
    outcome = case.run("check tools.d/good.yaml")
    assert outcome.exit == 1, outcome
    assert message in outcome.stdout
    assert " --> tools.d/good.yaml:10:" in outcome.stdout


def test_examples_run_nothing_and_read_no_variable(case: Case) -> None:
    text = GOOD.replace("binds: {n: 2,", "binds: {n: 2, ").replace("exec: [echo", "exec: [./touch-it")
    case.script("touch-it", "touch touched\n").tool("good", text.replace("argv: [echo", "argv: [./touch-it"))
    case.run("check tools.d/good.yaml", env={"COUNT": "not a number"}).ok()
    assert not (case.cwd / "touched").exists()


def test_here_looks_at_the_machine(case: Case) -> None:
    case.tool("wants", "description: W.\neffect: read\nneeds: {programs: [no-such-program]}\nexec: [no-such-program]\n")
    case.run("check tools.d/wants.yaml").ok()
    outcome = case.run("check --here tools.d/wants.yaml")
    assert outcome.exit == 1
    assert "error[E-NEEDS]: `wants` needs the program `no-such-program`" in outcome.stdout


def test_shipped_manifests_pass(case: Case) -> None:
    assert " 0 problems" in case.run("check").ok().stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\t",
        "a: &a [*a]",
        "[" * 100_000,
        "a: {b: {" * 20_000,
        "a: 1\na: 2\n",
        "description: no\nexec: [012]\n",
        "\ufeff",
        "%YAML 1.2\n---\n",
        "exec: !!python/object:os.system x\n",
        "&a a: *a\n",
        "x: \x00\n",
        "b0: &b0 [1]\n" + "".join([f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 9)]),
    ],
    ids=lambda text: str(len(text)),
)
def test_hostile_manifests_are_messages(case: Case, text: str) -> None:
    case.file("tools.d/bad.yaml", text.encode("utf-8", "surrogateescape"))
    for words in (["check", "tools.d/bad.yaml"], ["call", "bad"], ["list"], ["call", "--json", "bad"]):
        outcome = case.run(words)
        assert "E-INTERNAL" not in outcome.stdout + outcome.stderr, outcome
        assert "Traceback" not in outcome.stderr
        assert outcome.exit == {"check": 1, "call": 2, "list": 0}[words[0]]
    assert case.run("call good x").exit == 0


def test_a_program_that_is_not_here_is_a_warning(case: Case) -> None:
    case.tool("lost", "description: T.\neffect: read\nexec: [no-such-program, a]")
    case.tool("known", "description: T.\neffect: read\nneeds: {programs: [no-such-program]}\nexec: [no-such-program, a]")
    case.tool("closed", "description: T.\neffect: read\nexec: [./closed]").file("closed", "#!/bin/sh\n")
    case.run("check tools.d/closed.yaml tools.d/known.yaml tools.d/lost.yaml").is_("""
        exit 0
        -- stdout
        warning[W-MANIFEST]: the program `./closed` is not executable
         --> tools.d/closed.yaml:3:8
        3 | exec: [./closed]
          |        ^^^^^^^^
          hint: found `DIR/closed`, which may not be executed: `chmod +x closed`
        warning[W-MANIFEST]: the program `no-such-program` is not installed
         --> tools.d/lost.yaml:3:8
        3 | exec: [no-such-program, a]
          |        ^^^^^^^^^^^^^^^
          hint: mend the name, install it, or say `needs: {programs: [no-such-program]}` where it may be missing
        3 manifests, 0 problems, 2 warnings
        """)


@pytest.mark.parametrize(
    ("param", "argv", "hint"),
    [
        ("aliases: [-b]", "[echo, --below, 5]", "say `aliases: [--below, -b]` of `below`"),
        ("aliases: [-b, -u]", "[echo, -u, 5]", "say `aliases: [-u, -b]` of `below`"),
        ("aliases: [--under], emit: equals", "[echo, --below=5]", "say `aliases: [--below, --under]` of `below`"),
        ("aliases: [-b]", "[echo, --below, 6]", ""),
        ("aliases: [-b]", "[echo, --other, 5]", ""),
        ("aliases: [-b]", "[echo, --below, 5, x]", ""),
    ],
)
def test_another_spelling_in_an_argv_says_which_one_is_written(case: Case, param: str, argv: str, hint: str) -> None:
    case.tool(
        "other",
        f"""
        description: T.
        effect: read
        exec: [echo, "{{*}}"]
        params: [{{name: below, type: int, {param}}}]
        examples: [{{run: other --below 5, argv: {argv}}}]
        """,
    )
    outcome = case.run("check tools.d/other.yaml")
    assert outcome.exit == 1
    said = f"\n  hint: `{{*}}` writes a flag by its first alias: {hint}\n" if hint else "1 manifest, 1 problem"
    assert said in outcome.stdout, outcome.stdout
    assert ("hint" in outcome.stdout) == bool(hint)


# explain


def test_explain(case: Case) -> None:
    case.run("explain good -n 1 -n 2 --pair a b -- x", env={"COUNT": "7"}).is_("""
        exit 0
        -- stdout
        words of `good`
          -n      flag of `n`, replaced by a later one
          1       value of `n`, replaced by a later one
          -n      flag of `n`
          2       value of `n`
          --pair  flag of `pair`
          a       value of `pair`, its K
          b       value of `pair`, its V
          --      ends the flags
          x       operand of `rest`

        values
          n     2 from the words (hides "1" from the words, "7" from the environment, "3" from the default)
          pair  [["a","b"]] from the words
          rest  ["x"] from the words

        runs
          argv  echo -n 2 --pair a b x

        the same call, plainly
          kernel call good -n 2 --pair a b x
        """)


def test_explain_as_json(case: Case) -> None:
    found = case.run("explain --json good x", env={"COUNT": "7"}).ok().json()
    assert isinstance(found, dict)
    assert [(row["param"], row["value"], row["origin"]) for row in found["values"]] == [("n", 7, "env"), ("rest", ["x"], "argv")]
    assert found["argv"] == ["echo", "-n", "7", "x"]
    assert found["line"] == ["kernel", "call", "good", "-n", "7", "x"]


def test_a_failing_line_is_explained_too(case: Case) -> None:
    outcome = case.run("explain good -n x --bad y")
    assert outcome.exit == 2
    assert "  --bad  in error: E-UNKNOWN-FLAG\n" in outcome.stdout
    assert outcome.stderr.startswith("error[E-TYPE]: `-n` wants a whole number, got `x`\n --> kernel explain good -n x --bad y\n")
    found = json.loads(case.run("explain --json good -n x").stdout)
    assert found["problems"][0]["code"] == "E-TYPE"


def test_explain_runs_nothing(case: Case) -> None:
    case.script("touch-it", "touch touched\n").tool("toucher", "description: T.\neffect: destructive\nexec: [./touch-it]\n")
    assert "./touch-it" in case.run("explain toucher").ok().stdout
    assert not (case.cwd / "touched").exists()


# init


@pytest.mark.parametrize(
    ("line", "call", "stdout"),
    [
        ("init", "call hello world", "hello, world\n"),
        ("init hi", "call hi world", "hello, world\n"),
        ("init count -- wc -l {file}", "call count notes.txt", "2 notes.txt\n"),
        ("init -- printf '[%s]'", "call printf a b", None),
        ("init say -- printf '[%s]' fixed", "call say a", "[fixed][a]"),
        ("init braces -- printf %s '{{x}} {' {y}", "call braces 1", "{{x}} {1"),
        ("init two -- printf %s-%s {first_one} {second}{second}", "call two a b", "a-bb"),
        ("init odd -- printf %s 'a\"b\\c: #{x' \"don't\"", "call odd", "a\"b\\c: #{xdon't"),
        ("init own -- ./own.sh", "call own x", "mine x\n"),
        ("init flag -- ./own.sh log --grep {word} -n {count}", "call flag -- -v 3", "mine log --grep=-v -n 3\n"),
    ],
)
def test_init_writes_what_works_and_passes_check(case: Case, line: str, call: str, stdout: str | None) -> None:
    case.file("notes.txt", "a\nb\n").script("own.sh", 'echo mine "$@"\n')
    outcome = case.run(line)
    if stdout is None:
        outcome.ok()
        return
    assert outcome.exit == 0, outcome
    name = call.split()[1]
    assert outcome.stdout.startswith(f"wrote tools.d/{name}.yaml\n  try it:    kernel call {name}")
    text = (case.cwd / f"tools.d/{name}.yaml").read_text()
    assert "\neffect: read   # or write, destructive\n" in text
    case.run(f"check tools.d/{name}.yaml").ok()
    assert case.run(call).stdout == stdout, text


def test_init_writes_the_value_of_an_option_as_one_word_with_it(case: Case) -> None:
    case.run("init greplog -- git log --grep {word} --format %s").ok()
    text = (case.cwd / "tools.d/greplog.yaml").read_text()
    assert "\n# --grep={word} is one word, so" in text
    assert '\nexec: [git, log, "--grep={word}", "--format", "%s"]\n' in text
    assert case.run("check tools.d/greplog.yaml").stdout == "1 manifest, 0 problems, 0 warnings\n"


def test_init_never_overwrites(case: Case) -> None:
    before = (case.cwd / "tools.d/good.yaml").read_text()
    outcome = case.run("init good")
    assert (outcome.exit, outcome.stdout) == (2, "")
    assert "error[E-FILE]: `DIR/tools.d/good.yaml` is there already" in outcome.stderr
    assert (case.cwd / "tools.d/good.yaml").read_text() == before


@pytest.mark.parametrize("line", ["init 'Foo bar'", "init ../x", "init -- 7z", "init x -- sh -c '{y}'", "init a b", "init ''"])
def test_init_that_cannot_be(case: Case, line: str) -> None:
    outcome = case.run(line)
    assert outcome.exit == 2
    assert "Traceback" not in outcome.stderr
    assert [path.name for path in (case.cwd / "tools.d").iterdir()] == ["good.yaml"]


def test_init_of_a_shipped_name_says_replaces(case: Case) -> None:
    case.run("init seq").ok()
    assert "replaces: seq" in (case.cwd / "tools.d/seq.yaml").read_text()
    assert case.run("call seq world").stdout == "hello, world\n"


def test_names_that_agents_could_not_tell_apart(case: Case) -> None:
    case.tool("two-words", "description: T.\neffect: read\nexec: [echo]\n")
    case.tool(
        "two",
        """
        description: T.
        effect: read
        subcommands:
          - {name: words, description: W., exec: [echo]}
          - {name: other, description: O., exec: [echo]}
        """,
    )
    outcome = case.run("check tools.d")
    assert outcome.exit == 1
    assert "`two-words` and `two words` are both `two_words` to agents and models" in outcome.stdout
    assert " --> tools.d/two-words.yaml:1:1" in outcome.stdout
    case.file("other/good.yaml", "description: Another of this name.\neffect: read\nexec: [echo]\n")
    case.file("other/two_words.yaml", "description: T.\neffect: read\nexec: [echo]\n")
    assert "both `two_words`" in case.run("check other tools.d/two-words.yaml").stdout
    assert case.run("check other tools.d/good.yaml").exit == 0


@pytest.mark.parametrize(
    ("provider", "param", "message"),
    [
        ("openai", "name: a, pattern: '(?!x).*'", "the pattern of `a` looks around, which OpenAI refuses"),
        ("gemini", "name: a-b", "Gemini takes names of at most 64 letters, digits and `_`, not `a-b`"),
        ("gemini", "name: a, consumes: [{name: X-Y}, {name: Z}]", "not `X-Y`"),
        ("gemini", "name: a, type: int, choices: [1, 2]", "choices of text only"),
        ("gemini", "name: a, type: array, items: object", "`a` is `object`"),
        ("gemini", "name: a, consumes: [{name: X}, {name: Y, type: json}]", "`a` is `json`"),
    ],
)
def test_what_an_api_refuses(case: Case, provider: str, param: str, message: str) -> None:
    case.tool("odd", f"description: O.\neffect: read\nexec: [echo, '{{*}}']\nparams:\n  - {{{param}}}\n")
    assert case.run("check tools.d/odd.yaml").ok().stdout == "1 manifest, 0 problems, 0 warnings\n"
    outcome = case.run(f"check --profile {provider} tools.d/odd.yaml").ok()
    assert message in outcome.stdout
    assert " --> tools.d/odd.yaml:5:5" in outcome.stdout
    others = [each for each in ("openai", "anthropic", "gemini") if each != provider]
    line = f"check --profile {others[0]} --profile {others[1]} tools.d/odd.yaml"
    assert case.run(line).ok().stdout == "1 manifest, 0 problems, 0 warnings\n"


def test_what_an_api_refuses_of_an_input_schema_and_of_a_description(case: Case) -> None:
    name = "n" * 65
    case.tool(
        "strict",
        f"""
        description: {"Long. " * 200}
        effect: read
        exec: [echo, "{{{name}}}"]
        input_schema: {{type: object, additionalProperties: false, required: [{name}], properties: {{{name}: {{type: integer}}}}}}
        """,
    )
    assert "at most 64 characters" in case.run("check --profile anthropic tools.d/strict.yaml").ok().stdout
    assert "OpenAI takes at most 1,024" in case.run("check --profile openai tools.d/strict.yaml").ok().stdout
    assert "Gemini takes names" in case.run("check --profile gemini tools.d/strict.yaml").ok().stdout


def test_a_file_that_is_not_there_may_be_a_tools_name(tmp_path: Path) -> None:
    case = Case(tmp_path).tool("x", "effect: read\nexec: [true]\n")
    ended = case.run("check x")
    assert (ended.exit, ended.stderr.splitlines()[1]) == (2, "  hint: the tool's manifest is `DIR/tools.d/x.yaml`")
    assert "hint: give manifests or directories of them" in case.run("check nowhere/x.yaml").stderr
