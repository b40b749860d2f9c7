"""`kernel call`: options before TOOL, results as JSON, dry runs, help, errors with carets, exit statuses."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_case import ROOT, Case

SHOW = """
    description: Show words.
    effect: read
    exec: [printf, "[%s]", "{*}"]
    params:
      - {name: n, type: int, aliases: [-n], min: 1, max: 9}
      - {name: mode, choices: [fast, slow]}
      - {name: pair, consumes: [{name: NAME}, {name: VALUE, type: json}]}
      - {name: verbose, type: bool, aliases: [-v]}
      - {name: token, secret: argv, aliases: [-t]}
      - {name: words, positional: true, repeatable: true}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path).tool("words", SHOW)


def test_the_program_gets_the_words(case: Case) -> None:
    case.run("call words --n=2 a 'b c' --mode fast").is_("""
        exit 0
        -- stdout
        [-n][2][--mode][fast][a][b c]\\
        """)


def test_words_behind_the_tool_are_its_own(case: Case) -> None:
    case.tool(
        "all",
        """
        description: Show all.
        effect: read
        exec: [printf, "[%s]", "{*}"]
        flags: none
        params: [{name: words, positional: true, repeatable: true, allow_dash: true}]
        """,
    )
    assert case.run("call all --help --json -- x").stdout == "[--help][--json][--][x]"


def test_all_problems_with_carets(case: Case) -> None:
    case.run("call words --n x --mod fast --mode=quick").is_("""
        exit 2
        -- stderr
        error[E-TYPE]: `--n` wants a whole number, got `x`
         --> kernel call words --n x --mod fast --mode=quick
                                   ^
        error[E-UNKNOWN-FLAG]: `--mod` is no flag of `words`
         --> kernel call words --n x --mod fast --mode=quick
                                     ^^^^^
          hint: did you mean `--mode`?
        error[E-CHOICE]: `--mode` wants one of `fast`, `slow`, got `quick`
         --> kernel call words --n x --mod fast --mode=quick
                                                       ^^^^^
        """)


def test_carets_count_terminal_columns_and_escapes(case: Case) -> None:
    lines = case.run(["call", "words", "漢字", "--\x1b[31m\u202ebad"]).stderr.splitlines()
    assert lines == [
        "error[E-UNKNOWN-FLAG]: `--\\x1b[31m\\u202ebad` is no flag of `words`",
        " --> kernel call words '漢字' $'--\\e[31m\\xe2\\x80\\xaebad'",
        " " * len(" --> kernel call words 'wide' ") + "^" * len("$'--.e[31m.xe2.x80.xaebad'"),
        "  hint: `kernel help words` lists its flags",
    ]


def test_twenty_problems_are_shown(case: Case) -> None:
    outcome = case.run(["call", "words", *[f"--no{number}" for number in range(10_000)]])
    assert outcome.exit == 2
    assert outcome.stderr.count("error[") == 20
    assert outcome.stderr.endswith("and 9980 more\n")
    assert max(map(len, outcome.stderr.splitlines())) < 200


@pytest.mark.parametrize(
    "line",
    [
        "--pair HUNTER2",
        "--pair=HUNTER2",
        "--pair HUNTER2 HUNTER3 --pair HUNTER2",
        "--tok HUNTER2",
        "--tok=HUNTER2",
        "--tokne HUNTER2 -n x",
        "-tHUNTER2",
        "--token HUNTER2 --nope",
        "--token=HUNTER2 -n x",
        "--pin=HUNTER2",
    ],
)
def test_a_secret_in_a_line_that_cannot_be_read_is_stars(case: Case, line: str) -> None:
    case.tool(
        "s",
        """
        description: D.
        effect: read
        exec: [echo, "{*}"]
        env: {TOKEN: "{token}"}
        params:
          - {name: token, secret: true}
          - {name: pin, type: int, secret: argv}
          - {name: pair, consumes: 2, secret: argv}
          - {name: n, type: int, aliases: [-n]}
        """,
    )
    for verb in ("call", "call --json", "explain", "explain --json"):
        done = case.run(f"{verb} s {line}")
        assert done.exit == 2
        assert "HUNTER" not in done.stdout + done.stderr, verb


def test_secrets_are_stars(case: Case) -> None:
    outcome = case.run("call words --token s3cret -ts3cret --token=s3cret -vts3cret --bad")
    assert "s3cret" not in outcome.stderr
    assert "--token '***'" in outcome.stderr.replace("***", "'***'").replace("''***''", "'***'")
    assert case.run("call --dry-run words --token s3cret").stdout == "printf '[%s]' -t '***'\n"
    assert "s3cret" not in case.run("call --json --dry-run words --token s3cret").stdout
    assert "s3cret" not in case.run("explain words --token s3cret").stdout


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("call words --json a", "kernel call --json words a"),
        ("call words a --timeout 5s", "kernel call --timeout 5s words a"),
        ("call words --timeout=5s a", "kernel call --timeout=5s words a"),
        ("call --yes words a --dry-run", "kernel call --dry-run words a"),
    ],
)
def test_a_kernel_option_behind_the_tool(case: Case, line: str, hint: str) -> None:
    outcome = case.run(line)
    assert outcome.exit == 2
    assert f"hint: an option of the kernel stands before the tool: `{hint}`" in outcome.stderr


def test_unknown_tools_and_verbs(case: Case) -> None:
    outcome = case.run("call wrds a")
    assert outcome.exit == 2
    head, arrow, carets, hint, *_ = outcome.stderr.splitlines()
    assert (head, arrow) == ("error[E-UNKNOWN-TOOL]: there is no tool `wrds`", " --> kernel call wrds a")
    assert carets == " " * len(" --> kernel call ") + "^^^^"
    assert hint.startswith("  hint: did you mean `words`?")
    assert "hint: a tool is run by `kernel call seq 3`" in case.run("seq 3").stderr
    assert "hint: did you mean `kernel explain seq`?" in case.run("explai seq").stderr
    assert case.run("../../etc/passwd").exit == 2


# Options before TOOL


def test_json_is_one_object(case: Case) -> None:
    found = case.run("call --json words a").ok().json()
    assert isinstance(found, dict)
    assert (found["exit_code"], found["stdout"], found["status"], found["error"]) == (0, "[a]", "ok", None)
    assert found["argv"] == ["printf", "[%s]", "a"]


@pytest.mark.parametrize(
    ("line", "code", "status"),
    [
        ("call --json words --bad", "E-UNKNOWN-FLAG", 2),
        ("call --json nothing-like-it", "E-UNKNOWN-TOOL", 2),
        ("call --json", "E-REQUIRED", 2),
        ("call --bogus --json words", "E-UNKNOWN-FLAG", 2),
        ("call --json --timeout 5 words", "E-TYPE", 2),
        ("call --json --args-json '{\"n\": }' words", "E-JSON", 2),
        ("call --json --tools nowhere words", "E-FILE", 2),
        ("call --json gone", "E-NOT-FOUND", 127),
        ("call --json --timeout 200ms slow", "E-TIMEOUT", 124),
    ],
)
def test_json_whatever_happens(case: Case, line: str, code: str, status: int) -> None:
    case.tool("gone", "description: Gone.\neffect: read\nexec: [no-such-program-anywhere]\n")
    case.tool("slow", "description: Slow.\neffect: read\nexec: [sleep, '60']\n")
    outcome = case.run(line)
    found = json.loads(outcome.stdout)
    assert (found["error"]["code"], outcome.exit) == (code, status), outcome
    assert outcome.stdout.count("\n") == 1
    assert f"error[{code}]" in outcome.stderr
    if code != "E-TIMEOUT":
        assert case.run(line.replace("--json ", "").replace("call --json", "call")).exit == status


def test_json_lists_all_problems(case: Case) -> None:
    found = json.loads(case.run("call --json words --n x --bad").stdout)
    assert [problem["code"] for problem in found["error"]["problems"]] == ["E-TYPE", "E-UNKNOWN-FLAG"]


def test_json_exit_status_is_the_childs(case: Case) -> None:
    case.script("end", "kill -KILL $$\n").tool("killed", "description: Die.\neffect: read\nexec: [./end]\n")
    case.script("seven", "exit 7\n").tool("seven", "description: Seven.\neffect: read\nexec: [./seven]\n")
    outcome = case.run("call --json killed")
    assert outcome.exit == -signal.SIGKILL
    assert json.loads(outcome.stdout)["signal"] == "SIGKILL"
    assert (case.run("call --json seven").exit, case.run("call seven").exit) == (7, 7)


def test_bytes_that_are_no_text(case: Case) -> None:
    odd = b"\xff\xfe".decode("utf-8", "surrogateescape")
    assert case.run(["call", "words", odd]).stdout == f"[{odd}]"
    found = json.loads(case.run(["call", "--json", "words", odd]).stdout)
    assert found["argv"][-1] == "\ufffd\ufffd"
    assert base64.b64decode(found["argv_bytes"][-1]) == b"\xff\xfe"
    outcome = case.run(["call", "words", "--" + odd])
    assert outcome.exit == 2
    assert "`--\ufffd\ufffd` is no flag" in outcome.stderr


def test_arguments_as_json(case: Case) -> None:
    assert case.run(["call", "--args-json", '{"n": 3, "pair": [["a", {"b": 1}]], "words": ["x"]}', "words"]).stdout == (
        '[-n][3][--pair][a][{"b":1}][x]'
    )
    case.file("args.json", '{"mode": "slow"}')
    assert case.run("call --args-json @args.json words").stdout == "[--mode][slow]"
    assert case.run("call --args-json - words", stdin='{"words": ["y"]}').stdout == "[y]"


def test_arguments_as_json_and_as_words(case: Case) -> None:
    case.run("call --args-json {} words a").is_("""
        exit 2
        -- stderr
        error[E-TOO-MANY]: `a` stands after the tool while `--args-json` gives its arguments
         --> kernel call --args-json … words a
                                             ^
          hint: give the arguments as words or as JSON, not both
        """)


def test_subcommands_at_the_json_door(case: Case) -> None:
    case.tool(
        "tree-tool",
        """
        description: A tree.
        effect: read
        exec: [echo]
        subcommands: [{name: deep_down, description: Down., params: [{name: by, type: int}]}]
        """,
    )
    for name in (["tree-tool", "deep_down"], ["tree_tool_deep_down"], ["tree-tool_deep-down"]):
        assert case.run(["call", "--args-json", '{"by": 2}', *name]).stdout == "deep_down --by 2\n", name


@pytest.mark.parametrize("text", ["@missing", "@/", '{"n": 1,}', "[1]", '{"a":1,"a":2}', "\ufeff{}", "", "@binary", "@big"])
def test_json_that_cannot_be_read(case: Case, text: str) -> None:
    case.file("binary", b"\xff{}")
    with open(case.cwd / "big", "wb") as big:
        big.truncate(17 << 20)
    outcome = case.run(["call", "--args-json", text, "words"])
    assert outcome.exit == 2
    assert outcome.stderr.startswith("error[E-")
    assert "E-INTERNAL" not in outcome.stderr


def test_exec_is_a_tool_of_the_moment(case: Case) -> None:
    assert case.run(["call", "--args-json", '{"x": "a b"}', "--exec", "printf", "[%s]", "{x}"]).stdout == "[a b]"
    assert case.run("call --exec echo hello").stdout == "hello\n"
    case.file(
        "schema.json", '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}'
    )
    line = ["call", "--input-schema", "@schema.json", "--args-json", '{"n": 12.50e1}', "--exec", "echo", "{n}"]
    assert case.run(line).stdout == "125\n"
    case.run(["call", "--args-json", "{}", "--exec", "echo", "{x}"]).is_("""
        exit 2
        -- stderr
        error[E-REQUIRED]: `x` is required and has no value
          hint: add `x` to the JSON arguments
        """)


def test_the_dash_guard_of_exec(case: Case) -> None:
    line = ["--args-json", '{"x": "-e"}', "--exec", "echo", "{x}"]
    assert "error[E-DASH]" in case.run(["call", *line]).stderr
    assert case.run(["call", "--allow-dash", "x", *line]).exit == 0
    assert "`--input-schema` speaks of `--exec`" in case.run(["call", "--input-schema", "{}", "words"]).stderr


def test_dry_runs(case: Case) -> None:
    case.tool(
        "full",
        """
        description: All of it.
        effect: destructive
        exec: [cat, "{*}"]
        cwd: tools
        env: {GREETING: "hello {who}"}
        stdin: "dear {who}\\n"
        params: [{name: who, required: true}, {name: file, positional: true}]
        """,
    )
    case.run(["call", "--dry-run", "full", "--who", "you & me", "a b"]).is_("""
        exit 0
        -- stdout
        # env: GREETING='hello you & me'
        # cwd: DIR
        # stdin: $'dear you & me\\n'
        cat 'a b'
        """)
    found = case.run(["call", "--dry-run", "--json", "full", "--who", "x", "f"]).ok().json()
    assert isinstance(found, dict)
    assert (found["argv"], found["effect"], found["env"]) == (["cat", "f"], "destructive", {"GREETING": "hello x"})
    assert case.run(["call", "--dry-run", "full"]).exit == 2


def test_a_dry_run_can_be_pasted(case: Case) -> None:
    word = 'a\'b "$HOME" \x1b[0m\n`x` \\'
    line = case.run(["call", "--dry-run", "words", "--", word]).ok().stdout
    assert line.count("\n") == 1
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout == f"[{word}]"


def test_timeouts(case: Case) -> None:
    case.tool("slow", "description: Slow.\neffect: read\nexec: [sleep, '60']\n")
    assert case.run("call --timeout 100ms slow").exit == 124
    assert case.run("call --timeout 60s words a").stdout == "[a]"
    assert "hint: write `--timeout 5s`" in case.run("call --timeout 5 words").stderr
    for long in ("9" * 5000, "9" * 10 + "s"):
        ended = case.run(["call", "--timeout", long, "words"])
        assert (ended.exit, "hint: write at most nine digits" in ended.stderr) == (2, True)


def test_confirmation(case: Case) -> None:
    case.tool("wipe", "description: Wipe.\neffect: destructive\nexec: [echo, wiped]\n")
    assert case.run("call wipe").exit == 2
    assert case.run("call --yes wipe").stdout == "wiped\n"
    assert case.run("call --dry-run wipe").stdout == "echo wiped\n"


def test_workspace(case: Case) -> None:
    case.tool("see", 'description: See.\neffect: read\nexec: [echo, "{*}"]\nparams: [{name: f, positional: true, path: read}]\n')
    case.file("in/a.txt")
    assert case.run("call --workspace in see in/a.txt").exit == 0
    assert "error[E-PATH]" in case.run("call --workspace in see /etc/passwd").stderr
    for none in ("", "nowhere", "in/a.txt"):  # else a slip would hold the call to nothing
        ended = case.run(["call", "--workspace", none, "see", "in/a.txt"])
        assert (ended.exit, ended.stderr.splitlines()[0]) == (2, f"error[E-FILE]: the workspace `{none}` is no directory")


def test_tools_of_another_directory(case: Case) -> None:
    case.file("other/hello.yaml", "description: Hello.\neffect: read\nexec: [echo, hello]\n")
    assert case.run("call --tools other hello").stdout == "hello\n"
    assert case.run("call --tools nowhere hello").exit == 2


# Help, deprecation


@pytest.mark.parametrize("line", ["call words --help", "call words a --help", "call --yes words --help", "help words"])
def test_help_in_flag_position(case: Case, line: str) -> None:
    outcome = case.run(line).ok()
    assert "usage\n  kernel call words [FLAGS] [WORDS…]\n" in outcome.stdout


def test_help_that_is_a_value_or_the_tools_own(case: Case) -> None:
    assert case.run("call words --mode --help").exit == 2  # V4: an undeclared flag is a value
    assert case.run("call words -- --help").stdout == "[--][--help]"
    case.tool("own", 'description: Own.\neffect: read\nexec: [printf, "[%s]", "{*}"]\nparams: [{name: help, type: bool}]\n')
    assert case.run("call own --help").stdout == "[--help]"
    case.tool(
        "wrap",
        """
        description: Wrap.
        effect: read
        exec: [printf, "[%s]", "{*}"]
        unknown_flags: pass
        params: [{name: words, positional: true, repeatable: true}]
        """,
    )
    assert case.run("call wrap --help").stdout == "[--help]"


def test_help_as_json_is_still_one_object(case: Case) -> None:
    found = case.run("call --json words --help").ok().json()
    assert isinstance(found, dict)
    assert found["exit_code"] == 0
    assert "usage" in found["stdout"]


def test_deprecated_tools_and_params(case: Case) -> None:
    case.tool(
        "old",
        """
        description: Old.
        effect: read
        deprecated: use new
        exec: [echo, "{*}"]
        params: [{name: a, deprecated: use b}, {name: b, default: x, deprecated: use c}]
        """,
    )
    case.run("call old --a 1").is_("""
        exit 0
        -- stdout
        --a 1 --b x
        -- stderr
        warning: `old` is deprecated: use new
        warning: `a` is deprecated: use b
        """)
    assert case.run("call --yes old --a 1").stderr == case.run("call old --a 1").stderr


def test_an_untrusted_directory_is_told_of(case: Case) -> None:
    os.chmod(case.cwd / "tools.d", 0o777)
    for line in ("call seq 1", "call --yes seq 1", "list", "help seq"):
        outcome = case.run(line).ok()
        assert outcome.stderr == "warning: `DIR/tools.d` is not searched: everybody may write to it\n"
    assert case.run("call words a").exit == 2


def test_a_missing_subcommand_shows_the_usage(case: Case) -> None:
    case.tool("node", "description: N.\neffect: read\nsubcommands: [{name: leaf, description: L., exec: [echo, leaf]}]\n")
    outcome = case.run("call node")
    assert outcome.exit == 2
    assert "usage: kernel call node SUBCOMMAND …" in outcome.stderr
    assert case.run("call node leaf").stdout == "leaf\n"


# The end of the process


def launch(case: Case, script: str) -> subprocess.CompletedProcess[str]:
    """Runs a bash script in which `kernel` is the program."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from kernel.cli import main; main()"
    head = f'kernel() {{ \'{sys.executable}\' -c "{code}" "$@"; }}\n'
    return subprocess.run(["bash", "-c", head + script], cwd=case.cwd, env=case.env, capture_output=True, text=True)


def test_a_closed_pipe_is_silent(case: Case) -> None:
    case.tool("many", "description: Many.\neffect: read\nexec: [seq, '1000000']\n")
    for line in ("list", "call many", "call --json many", "help call"):
        done = launch(case, f"kernel {line} | true; echo ${{PIPESTATUS[0]}}")
        assert done.stderr == ""
        assert done.stdout in ("0\n", "141\n")


def test_a_closed_stdout_is_no_traceback(case: Case) -> None:
    done = launch(case, "kernel list >&-; echo $?")
    assert "Traceback" not in done.stderr
    assert done.stdout == "2\n"
    assert done.stderr.startswith("error[E-FILE]")


def test_a_full_disk_is_no_traceback(case: Case) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    done = launch(case, "kernel list >/dev/full; echo $?")
    assert (done.stdout, done.stderr.startswith("error[E-FILE]")) == ("2\n", True)


def test_internal_errors_are_messages(case: Case, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import kernel.locate\n"
        "def broken(*a): raise RuntimeError('gone \\x1b[31m')\n"
        "kernel.locate.search_path = broken\nfrom kernel.cli import main; main()"
    )
    for extra, traced in (({}, False), ({"KERNEL_TRACEBACK": "1"}, True)):
        done = subprocess.run(
            [sys.executable, "-c", code, "call", "x"], cwd=case.cwd, env={**case.env, **extra}, capture_output=True, text=True
        )
        assert done.returncode == 125
        assert "error[E-INTERNAL]: internal error: RuntimeError: gone \\x1b[31m" in done.stderr
        assert ("Traceback" in done.stderr) is traced


def test_interrupts_end_by_the_signal(case: Case) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import kernel.locate\n"
        "def broken(*a): raise KeyboardInterrupt\n"
        "kernel.locate.search_path = broken\nfrom kernel.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "call", "x"], cwd=case.cwd, env=case.env, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("words", [[], [""], ["call", ""], ["call", "\n"], ["", "call"], ["list", ""], ["help", ""], ["\x1b[31m"]])
def test_empty_and_odd_words(case: Case, words: list[str]) -> None:
    outcome = case.run(words)
    assert outcome.exit == 2
    assert "Traceback" not in outcome.stderr
    assert "\x1b" not in outcome.stderr


@pytest.mark.parametrize("line", ["call", "call --json", "call --dry-run", "show", "explain"])
def test_a_call_without_a_tool_names_the_list(case: Case, line: str) -> None:
    refused = case.run(line)
    assert refused.exit == 2
    assert "  hint: write the operand `TOOL` (`kernel list` shows the tools)" in refused.stderr
