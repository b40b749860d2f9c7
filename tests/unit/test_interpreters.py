"""Placeholders that an interpreter would read as program text (running.md X1)."""

from __future__ import annotations

import pytest
from compiled import load, problems

REFUSED = r"""
[sh, -c, "{a}"]
[bash, -lc, "{a}"]
[/bin/bash, -c, "echo {a}"]
[bash, -c, -e, "{a}"]
[bash, [-c, "{a}"]]
[fish, --command, "{a}"]
[pwsh, -Command, "{a}"]
[python3.11, -c, "{a}"]
[python3, -Ic, "{a}"]
[python3, "-c{a}"]
[python3, -W, ignore, -c, "{a}"]
[perl, -ne, "{a}", file]
[ruby, -e, "{a}"]
[node, --eval, "{a}"]
[node, "--eval={a}"]
[node, -p, "{a}"]
[deno, eval, "{a}"]
[php, -r, "{a}"]
[lua5.4, -e, "{a}"]
[psql, -c, "{a}"]
[awk, "{a}", file]
[awk, -F, ":", "{a}", file]
[gawk, -e, "{a}"]
[gawk, "--source={a}"]
[sed, "{a}"]
[sed, -n, -e, "{a}"]
[sed, "s/{a}/x/"]
[sed, "--expression={a}"]
[sqlite3, db, "{a}"]
[sqlite3, db, -cmd, "{a}"]
[env, A=b, sh, -c, "{a}"]
[env, "LD_PRELOAD={a}", ls]
[env, "{a}"]
[env, -S, "{a}"]
[env, "--split-string={a}"]
[env, -i, -u, X, bash, -c, "{a}"]
[nice, -n, "5", bash, -c, "{a}"]
[timeout, 5s, bash, -c, "{a}"]
[timeout, "5", "{a}"]
[sudo, -u, bob, sh, -c, "{a}"]
[sudo, "{a}"]
[busybox, sh, -c, "{a}"]
[busybox, awk, "{a}", file]
[env, nice, sudo, timeout, "5", bash, -c, "{a}"]
[xargs, "{a}"]
[xargs, -n, "1", sh, -c, "{a}"]
[find, ., -exec, "{a}", ;]
[find, ., -exec, sh, -c, "{a}", ;]
[find, ., -ok, "{a}", +]
[ssh, host, "{a}"]
[ssh, -o, "ProxyCommand={a}", host]
[ssh, "-o{a}", host]
[docker, exec, box, sh, -c, "{a}"]
[su, bob, -c, "{a}"]
[watch, "{a}"]
[sh, -c, "{*}"]
[awk, "{*}"]
"""
ALLOWED = r"""
[bash, -c, 'echo "$1"', x, "{a}"]
[bash, "{a}"]
[bash, -x, script.sh, -c, "{a}"]
[python3, -m, json.tool, "{a}"]
[python3, script.py, -c, "{a}"]
[perl, -e, "print 1", "{a}"]
[node, app.js, -e, "{a}"]
[env, "FOO={a}", ls]
[nice, -n, "{a}", ls]
[timeout, "{a}", ls]
[awk, "{{print $1}}", "{a}"]
[awk, -f, prog.awk, "{a}"]
[awk, -v, "x={a}", "{{print x}}"]
[gawk, --sandbox, "{a}"]
[sed, -e, s/a/b/, "{a}"]
[sed, --sandbox, "{a}"]
[sqlite3, "{a}"]
[sqlite3, "{a}", select 1]
[sqlite3, -safe, -readonly, db, "{a}"]
[find, ., -name, "{a}", -exec, rm, "{{}}", ;]
[ssh, "{a}", uptime]
[ssh, -p, "{a}", host, uptime]
[xargs, grep, "{a}"]
[grep, -c, "{a}"]
[git, -c, "{a}"]
"""


def manifest(exec: str, params: str = "{name: a, positional: true, required: true}", more: str = "") -> str:
    return f"exec: {exec}\nparams: [{params}]\n{more}"


@pytest.mark.parametrize("exec", REFUSED.strip().split("\n"))
def test_program_text_is_refused(exec: str) -> None:
    found = problems(manifest(exec))
    assert [problem.code for problem in found] == ["E-TEMPLATE"]
    assert found[0].facts["param"] == "a"
    assert "program: true" in found[0].hint


@pytest.mark.parametrize("exec", ALLOWED.strip().split("\n"))
def test_an_argument_is_allowed(exec: str) -> None:
    assert problems(manifest(exec)) == ()


@pytest.mark.parametrize("exec", REFUSED.strip().split("\n")[::7])
def test_a_program_param_is_allowed_and_makes_the_tool_destructive(exec: str) -> None:
    text = manifest(exec, "{name: a, positional: true, required: true, program: true}", "effect: read")
    assert load(text).effect == "destructive"


@pytest.mark.parametrize("exec", ["[sh]", "[sh, -s, x]", '[python3, "-"]', "[sqlite3, db]", "[env, sh]"])
def test_program_text_on_standard_input(exec: str) -> None:
    assert problems(manifest(exec, more='stdin: "{a}"')) != ()
    assert problems(manifest(exec, more="stdin: none\nenv: {A: '{a}'}")) == ()


def test_standard_input_of_a_fixed_program_is_data() -> None:
    assert problems(manifest("[python3, script.py]", more='stdin: "{a}"')) == ()


@pytest.mark.parametrize(
    ("exec", "params"),
    [
        ('[bash, "{*}"]', "{name: command, aliases: [-c]}"),
        ('[find, "{*}"]', "{name: run, aliases: [-exec]}"),
        ('[sed, "{*}"]', "{name: expression, aliases: [-e], emit: equals}"),
        ('[sed, "{*}"]', "{name: script, positional: true}"),
        ('[env, "{*}"]', "{name: command, positional: true, repeatable: true}"),
        ('[ssh, host, "{*}"]', "{name: words, positional: true, repeatable: true}"),
    ],
)
def test_the_rest_of_the_params_is_looked_at(exec: str, params: str) -> None:
    assert problems(manifest(exec, params)) != ()
    assert problems(manifest(exec, params[:-1] + ", program: true}")) == ()


def test_the_rest_behind_a_wrapper_may_hold_its_own_options() -> None:
    assert problems(manifest('[sudo, -n, "{*}"]', "{name: user, aliases: [-u]}")) == ()


def test_an_inherited_argv_is_judged_at_the_leaf() -> None:
    text = """
    exec: [sudo]
    subcommands:
      - {name: sh, params: [{name: command, aliases: [-c], positional: true}]}
    """
    assert [problem.facts.get("param") for problem in problems(text)] == ["command"]


@pytest.mark.parametrize("chain", ["env", "docker, env", "find, ., -exec", "docker, node", "sudo, docker, find, -exec"])
def test_long_chains_end(chain: str) -> None:
    exec = f'[{", ".join([chain] * 400)}, sh, -c, "{{a}}"]'
    assert problems(manifest(exec)) != ()
