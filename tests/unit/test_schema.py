"""Every key of a tool: what is refused, where, what the error says to do, and what is read (manifest.md, Tool keys)."""

from __future__ import annotations

import marshal
from pathlib import Path
from typing import Any

import pytest
from compiled import load, problems, shown

from kernel.spec import ToolSpec

PARAMS = (
    "params: [{name: a}, {name: b, required: true}, {name: f, type: bool}, {name: r, repeatable: true}, "
    "{name: t, consumes: [{name: K}, {name: V}]}, {name: c, count: true}, {name: s, secret: true}, {name: d, path: dir}]\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", ["1:1 «{}» `t` says nothing to run | it needs `exec`, `builtin` or `subcommands`"]),
        ("[]", ["1:1 «[]» a manifest is a mapping of keys, got an empty list | write `key: value` lines"]),
        ("description: x", ["1:1 «description: x» `t` says nothing to run | it needs `exec`, `builtin` or `subcommands`"]),
        (
            "exec: foo",
            [
                (
                    "1:7 «foo» `exec` wants a list of the program and its arguments, got `foo` | write "
                    "`[PROGRAM, ARGUMENT…]`; no shell reads it"
                )
            ],
        ),
        (
            "exec: []",
            [
                (
                    "1:7 «[]» `exec` wants a list of the program and its arguments, got an empty list | write "
                    "`[PROGRAM, ARGUMENT…]`; no shell reads it"
                )
            ],
        ),
        (
            'exec: ["{b}"]',
            [
                (
                    '1:8 «"{b}"» the program of `exec` is never a template | write its name; a placeholder '
                    "stands in the items behind it"
                )
            ],
        ),
        (
            "exec: [x, {a: 1}]",
            [('1:11 «{a: 1}» an item of `exec` is text or a list, not a mapping | quote a placeholder: "{NAME}"')],
        ),
        (
            "exec: [x]\nalises: [y]\naliases: [z]",
            [
                "2:1 «alises» a manifest has no key `alises` | did you mean `aliases`?",
                (
                    "3:1 «aliases» a top-level tool has no `aliases`: its one name is its file's | copy or link "
                    "the file, or use `aliases` on a subcommand"
                ),
            ],
        ),
        (
            "exec: [x]\nname: u",
            [("2:7 «u» `name` is `u`, but the file is `t.yaml` | a tool's name is its file's: write `t`, or rename the file")],
        ),
        (
            "exec: [x]\nreplaces: u",
            [
                (
                    "2:11 «u» `replaces` is `u`, but the file is `t.yaml` | a manifest replaces the tool of its "
                    "own name: write `t`, or rename the file"
                )
            ],
        ),
        (
            "requires: 9",
            [
                "1:1 «requires: 9» `t` says nothing to run | it needs `exec`, `builtin` or `subcommands`",
                '1:11 «9» `requires` wants a version condition such as `">=1.7"`, got `9`',
            ],
        ),
        (
            "exec: [x]\ntimeout: 30",
            [
                (
                    "2:10 «30» `timeout` wants a duration (digits and `ms`, `s`, `m` or `h`, more than nothing), "
                    "got `30` | a bare number has no unit: write `30s`"
                )
            ],
        ),
        (
            "exec: [x]\ntimeout: 0s",
            [("2:10 «0s» `timeout` wants a duration (digits and `ms`, `s`, `m` or `h`, more than nothing), got `0s`")],
        ),
        (
            "exec: [x]\ntimeout: 1d",
            [("2:10 «1d» `timeout` wants a duration (digits and `ms`, `s`, `m` or `h`, more than nothing), got `1d`")],
        ),
        (
            "exec: [x]\nlimits: {output: 10, rate: 5, cpu: 1, memory: 1GB, concurrency: 0, foo: 1}",
            [
                (
                    "2:18 «10» `output` wants a size (digits and `B`, `KiB`, `MiB` or `GiB`), got `10` | a bare "
                    "number has no unit: write `10B`"
                ),
                "2:28 «5» `rate` wants calls and a duration, such as `60/60s`, got `5`",
                (
                    "2:36 «1» `cpu` wants a duration (digits and `ms`, `s`, `m` or `h`, more than nothing), got "
                    "`1` | a bare number has no unit: write `1s`"
                ),
                "2:47 «1GB» `memory` wants a size (digits and `B`, `KiB`, `MiB` or `GiB`), got `1GB`",
                "2:65 «0» `concurrency` wants a whole number, 1 or more, got `0`",
                ("2:68 «foo» `limits` has no key `foo` | use one of `output`, `spill`, `concurrency`, `rate`, `cpu`, `memory`"),
            ],
        ),
        (
            "exec: [x]\nexits: {1: empty, 300: ok, a: ok, 2: bad}",
            [
                "2:19 «300» `exits` wants exit codes from 0 to 255, got `300`",
                "2:28 «a» `exits` wants exit codes from 0 to 255, got `a`",
                "2:38 «bad» `exits` is `ok`, `empty` or `error`, got `bad`",
            ],
        ),
        (
            "exec: [x]\nsandbox: {network: all, red: []}",
            ["2:20 «all» `network` is `none`, got `all`", "2:25 «red» `sandbox` has no key `red` | did you mean `read`?"],
        ),
        (
            (
                'exec: [x]\neffect: reed\nconfirm: ""\noutput: yaml\norder: type\nflags: none\nunknown_flags: '
                "pas\ntask: 1\nhidden: true\ntags: [a b]"
            ),
            [
                "2:9 «reed» `effect` is `read`, `write` or `destructive`, got `reed` | did you mean `read`?",
                '3:10 «""» `confirm` is empty | leave the key out, or say something',
                "4:9 «yaml» `output` is `text`, `json`, `jsonl`, `lines` or `table`, got `yaml`",
                ("5:8 «type» `order` is `declared`, `typed` or `interleaved`, got `type` | did you mean `typed`?"),
                "7:16 «pas» `unknown_flags` is `error` or `pass`, got `pas` | did you mean `pass`?",
                "8:7 «1» `task` wants `true` or `false`, got `1`",
                "10:8 «a b» the tag `a b` holds a blank or a comma | write one word",
            ],
        ),
        (
            'exec: [x]\nneeds: {programs: [gh, {jq: "1.7"}, {a: ">=1", b: ">=2"}], env: [A B], os: [linx]}',
            [
                '2:29 «"1.7"» `jq` wants a version condition such as `">=1.7"`, got `1.7`',
                (
                    '2:37 «{a: ">=1", b: ">=2"}» an entry of `programs` is a name, or one `NAME: CONDITION` | '
                    'write `- jq: ">=1.7"`, one entry each'
                ),
                "2:66 «A B» `env` wants a variable's name (letters, digits, `_`), got `A B`",
                ("2:77 «linx» `os` is `linux`, `macos`, `windows` or `freebsd`, got `linx` | did you mean `linux`?"),
            ],
        ),
        (
            "exec: [x]\ngroups: [{exclusiv: [a]}, {exclusive: [a]}, a, {exclusive: [a,b], required: [c]}]",
            [
                "2:11 «exclusiv» an entry of `groups` has no key `exclusiv` | did you mean `exclusive`?",
                "2:39 «[a]» `exclusive` names fewer than two params | list the params it is about",
                "2:40 «a» `exclusive` names `a`, but the tool has no params",
                "2:45 «a» an entry of `groups` is a mapping of keys, got `a` | write `key: value` lines",
                (
                    "2:48 «{exclusive: [a,b], required: [c]}» an entry of `groups` is one of `exclusive`, "
                    "`required`, `together` | write `- exclusive: [A, B]`"
                ),
            ],
        ),
        (
            PARAMS
            + (
                'exec: [x, "{*}"]\nenv: {S: "{s}"}\ngroups: [{exclusive: [a, b, a]}, {required: [zz]}, '
                "{together: [a]}, {required: [a]}]"
            ),
            [
                "4:29 «a» `a` stands twice in the group | leave one out",
                "4:46 «zz» `required` names no param `zz` | use one of `a`, `b`, `f`, `r`, `t`, `c`, `s`, `d`",
                "4:63 «[a]» `together` names fewer than two params | list the params it is about",
            ],
        ),
        (
            PARAMS
            + (
                'exec: [x, "{a}", "{b}", "{f}", "{r}", "{t}", "{c}", "{s}", "{zz}", "{b", "b}", "{r*}x", '
                '"{b*}", "{t*}", "{?f}", "{t[Q]}", "{b[0]}", "{*}", "{*}"]'
            ),
            [
                (
                    "2:12 «{a}» `{a}` stands in a plain item, but `a` may have no value | put the item into a "
                    "group, give `a` a `default`, or make it `required`"
                ),
                (
                    "2:26 «{f}» `{f}` stands in a plain item, but `f` may have no value | put the item into a "
                    "group, give `f` a `default`, or make it `required`"
                ),
                (
                    "2:33 «{r}» `{r}` is one text, but `r` can have several values | write an item `{r*}` of its "
                    'own, or a group, which is repeated: [--flag, "{r}"]'
                ),
                '2:40 «{t}» `{t}` is a whole N-tuple, which is no text | name its slots: "{t[K]}", "{t[V]}"',
                (
                    "2:47 «{c}» `{c}` stands in a plain item, but `c` may have no value | put the item into a "
                    "group, give `c` a `default`, or make it `required`"
                ),
                (
                    "2:54 «{s}» `{s}` would show the secret `s` in the argv | hand it over by `env` or `stdin`, "
                    "or say `secret: argv` to allow it"
                ),
                ("2:61 «{zz}» `{zz}` names no param of the tool | declare it, or write `{{` and `}}` for literal braces"),
                "2:69 «{» a `{` is not closed | write `{{` for one literal brace",
                "2:76 «}» a lone `}` is no literal brace | write `}}` for one literal brace",
                "2:81 «{r*}» `{r*}` is only part of an item | give it an item of its own",
                "2:90 «{b*}» `{b*}` splices a param that is not repeatable | write `{b}`",
                '2:98 «{t*}» `{t*}` splices an N-tuple | use a group: [--flag, "{t[K]}", "{t[V]}"]',
                (
                    "2:106 «{?f}» `{?f}` stands outside a group | put it into a nested list with the items it "
                    'decides on: [--flag, "{?f}"]'
                ),
                '2:114 «{t[Q]}» `t` has no slot `Q` | its slots are "{t[K]}", "{t[V]}"',
                "2:124 «{b[0]}» `{b[0]}` names a slot, but `b` has none | write `{b}`",
                ("2:141 «{*}» `{*}` stands twice in one `exec` | it writes every param that is not named elsewhere; keep one"),
            ],
        ),
        (
            PARAMS
            + (
                'exec: [x, ["{a}"], ["lit"], [["x"]], [], ["{*}"], ["{r}", "{t[0]}"], ["{c}", "{r*}"], '
                '["{t[K]}", "{t[1]}", "{b}"], ["-v", "{?c}"], ["{!f}", y], ["{r}{r}"], "{b}"]\nenv: {S: "{s}"}'
            ),
            [
                (
                    '2:20 «["lit"]» a group names no param | write the words as items of their own, or name a '
                    'param: [--flag, "{name}"]'
                ),
                ('2:30 «["x"]» a group holds texts only | write the items of the inner list into the group, or a group of its own'),
                "2:38 «[]» a group is empty | take it out",
                "2:44 «{*}» `{*}` stands in a group | give it an item of its own, outside the nested list",
                (
                    '2:51 «["{r}", "{t[0]}"]» a group is repeated by both `r` and `t` | splice one of them: '
                    '"{t*}", or use two groups'
                ),
            ],
        ),
        (
            PARAMS + 'exec: [x, "{b}"]\n',
            [
                ("1:17 «a» `a` is used by no template of `t` | write `{a}` or `{*}` in `exec`, or say `unused: true`"),
                ("1:55 «f» `f` is used by no template of `t` | write `{f}` or `{*}` in `exec`, or say `unused: true`"),
                ("1:78 «r» `r` is used by no template of `t` | write `{r}` or `{*}` in `exec`, or say `unused: true`"),
                ("1:107 «t» `t` is used by no template of `t` | write `{t}` or `{*}` in `exec`, or say `unused: true`"),
                ("1:152 «c» `c` is used by no template of `t` | write `{c}` or `{*}` in `exec`, or say `unused: true`"),
                (
                    "1:176 «s» the secret `s` reaches the program by neither `env` nor `stdin` | write `env: {S: "
                    '"{s}"}`, or say `secret: argv`'
                ),
                ("1:201 «d» `d` is used by no template of `t` | write `{d}` or `{*}` in `exec`, or say `unused: true`"),
            ],
        ),
        (
            PARAMS
            + (
                'exec: [x, "{*}"]\nenv: {S: "{s}", 1A: x, PATH: "{a}", LD_PRELOAD: "{a}", PYTHONPATH: y, R: '
                '"{r}", T: "{t}", W: pass, Q: "{*}", Z: "{zz}"}\ncwd: "{d}"\nstdin: "{b} {r*}"'
            ),
            [
                ("3:17 «1A» `1A` is no name of an environment variable | letters, digits and `_`, no digit first"),
                (
                    '3:30 «"{a}"» `PATH` makes programs load code, so it takes no placeholder | write a fixed '
                    "value, or `pass` for the caller's"
                ),
                (
                    '3:49 «"{a}"» `LD_PRELOAD` makes programs load code, so it takes no placeholder | write a '
                    "fixed value, or `pass` for the caller's"
                ),
                ("3:75 «{r}» `{r}` is one text, but `r` can have several values | hand it over in `exec`, or say `stdin: values`"),
                '3:85 «{t}» `{t}` is a whole N-tuple, which is no text | name its slots: "{t[K]}", "{t[V]}"',
                "3:104 «{*}» `{*}` stands outside `exec` | only `{name}` and `{name[SLOT]}` are read here",
                ("3:114 «{zz}» `{zz}` names no param of the tool | declare it, or write `{{` and `}}` for literal braces"),
                "5:13 «{r*}» `{r*}` is only part of an item | give it an item of its own",
            ],
        ),
        (
            PARAMS + 'exec: [x, "{*}"]\nstdin: values\ncwd: "{a}"',
            ['4:6 «"{a}"» `cwd` needs a param of one directory, which `a` is not | say `path: dir` on `a`'],
        ),
        (
            PARAMS + 'exec: [x, "{*}"]\nstdin: values\ncwd: "/x"',
            [('4:6 «"/x"» `cwd` is a path relative to the directory that holds `tools.d/` | write it without the leading `/`')],
        ),
        (
            PARAMS + 'exec: [x, "{*}"]\nstdin: values\ncwd: "a{d}"',
            ['4:6 «"a{d}"» `cwd` names no param: `a{d}` | write `"{NAME}"`, and nothing round it'],
        ),
        (
            PARAMS + 'exec: [x, "{*}"]\nstdin: values\nnumber_flag: f',
            ["4:14 «f» `number_flag` is `a`, `b`, `r`, `s` or `d`, got `f`"],
        ),
        ("exec: [x]\nfields: {}", ["2:9 «{}» `fields` adds to an `input_schema`, which is missing | say it in `params`"]),
        (
            (
                "params: [{name: a, aliases: [-x]}, {name: b, aliases: [x]}, {name: dry_run}, {name: "
                'dry-run}, {name: color, type: bool, negatable: true}, {name: no_color}]\nexec: [x, "{*}"]'
            ),
            [
                ("1:55 «[x]» `a` and `b` are both spelled `-x` | rename one, or give one of them an alias of its own"),
                ("1:85 «dry-run» two params are called `dry_run` | names are the same with `-` and `_`; rename one"),
                (
                    "1:146 «no_color» `color` and `no_color` are both spelled `--no-color` | rename one, or give "
                    "one of them an alias of its own"
                ),
            ],
        ),
        (
            (
                "params: [{name: p, positional: true}, {name: q, positional: true, required: true}, {name: "
                "r, positional: true, repeatable: true}, {name: s, positional: true, repeatable: true}, "
                '{name: u, positional: true, after: "--"}, {name: w, positional: true}]\nexec: [x, "{*}"]'
            ),
            [
                (
                    "1:39 «{name: q, positional: true, required: true}» the required positional `q` follows the "
                    "optional `p` | make `p` required, or move `q` before it"
                ),
                (
                    "1:131 «{name: s, positional: true, repeatable: true}» `r` and `s` are both repeatable "
                    "positionals | only one can take all remaining operands"
                ),
                '1:213 «"--"» `u` has `after`, but is not the last positional | move it to the end',
            ],
        ),
        (
            (
                'exec: [x]\nexamples: [{run: "y a"}, {says: z}, {run: "t \'a"}, {run: [t, 1], binds: [a], '
                "argv: [x, 1], exit: -1, foo: 1}]"
            ),
            [
                '2:18 «"y a"» `run` does not begin with the tool\'s name, `t` | write `run: t …`',
                "2:26 «{says: z}» an example has no `run` | write `run: t …`, the line as typed",
                (
                    "2:43 «\"t 'a\"» `run` is no line of words: the quote `'` is never closed | quote it as at a "
                    "shell, or write a list of words"
                ),
                "2:73 «[a]» `binds` wants a mapping, got a list",
                "2:98 «-1» `exit` wants a whole number, 0 or more, got `-1`",
                ("2:102 «foo» an example has no key `foo` | use one of `run`, `says`, `binds`, `argv`, `stdout`, `exit`"),
            ],
        ),
        (
            (
                'exec: [git, "{*}"]\nparams: [{name: p, positional: true}, {name: d, aliases: [-C]}]\neffect: '
                "write\nsubcommands: [{name: log, effect: read, params: [{name: d}], aliases: [l]}, {name: "
                "l}, {name: Bad}, {foo: 1}, {name: x, exec: [git, x]}, {name: y, subcommands: []}]"
            ),
            [
                (
                    "2:10 «{name: p, positional: true}» `p` is positional, but `t` has subcommands | the first "
                    "operand names the subcommand; use a flag"
                ),
                (
                    "4:35 «read» `t log` states the effect `read`, lower than its parent's `write` | a "
                    "subcommand may raise the effect, not lower it"
                ),
                "4:57 «d» `d` is a param of `t` already | one name stands once on a path; rename one",
                "4:84 «l» two subcommands of `t` are called `l` | rename one",
                "4:95 «Bad» `name` wants a lower-case letter, then at most 39 of a-z 0-9 `_` `-`, got `Bad`",
                "4:101 «{foo: 1}» a subcommand is a mapping with a `name` | write `- name: NAME`",
                (
                    "4:127 «[git, x]» `p` is used by no template of `t x`; this `exec` covers the flags of its "
                    "ancestors only by name | write `{p}` in `exec`, or say `unused: true`"
                ),
                (
                    "4:127 «[git, x]» `d` is used by no template of `t x`; this `exec` covers the flags of its "
                    "ancestors only by name | write `{d}` in `exec`, or say `unused: true`"
                ),
                "4:161 «[]» `subcommands` is an empty list | leave the key out, or list something",
            ],
        ),
        (
            "subcommands: [{name: a}, {name: b, exec: [x]}]",
            ["1:15 «{name: a}» `t a` says nothing to run | it needs `exec`, `builtin` or `subcommands`"],
        ),
        (
            "exec: [x/]",
            [("1:8 «x/» `x/` names no program | write a name, or a path relative to the directory that holds `tools.d/`")],
        ),
        ('exec: [""]', ['1:8 «""» the first item of `exec` is the program\'s name | write `[PROGRAM, ARGUMENT…]`']),
        ("exec: [x]\nenv: {A: [b]}", ["2:10 «[b]» `env` wants text, got a list"]),
        ("exec: [x]\nlimits: {rate: 5/0s}", ["2:16 «5/0s» `rate` wants calls and a duration, such as `60/60s`, got `5/0s`"]),
        (
            "exec: [x]\nlimits: {rate: none}",
            [
                "2:16 «none» `rate` wants calls and a duration, such as `60/60s`, got `none`"
                " | leave it out; a server that counts no calls is started with `--rate none`"
            ],
        ),
        ("exec: [x]\nlimits: {rate: 5/5}", ["2:16 «5/5» `rate` wants calls and a duration, such as `60/60s`, got `5/5`"]),
        (
            'exec: [x]\nreplaces: t\nend_of_options: ""',
            ['3:17 «""» `end_of_options` is empty | leave the key out, or say something'],
        ),
        (
            "exec: [x]\nparams: {name: a}",
            [("2:9 «{name: a}» `params` wants a list, got a mapping | write `[…]` or a line with `- ` for each")],
        ),
        (
            'exec: [x]\ndescription: "a\\tb"',
            [('2:14 «"a\\tb"» `description` holds the character `\\x09`, which would change how it is shown | take it out')],
        ),
        (
            'exec: [x]\ntitle: "two\\nlines"',
            [('2:8 «"two\\nlines"» `title` holds the character `\\x0a`, which would change how it is shown | take it out')],
        ),
        (
            "exec: [x, true, 12, 012]",
            [('1:21 «012» `012` without quotes means different things to different YAML readers | write "012" for the text')],
        ),
        (
            "exec: [x]\nsubcommands: [{name: a, aliases: [b, b]}, {name: b}]",
            [
                "2:22 «a» two subcommands of `t` are called `b` | rename one",
                "2:50 «b» two subcommands of `t` are called `b` | rename one",
            ],
        ),
        (
            ("exec: [x]\nsubcommands: [{name: aaaaaaaaaaaaaaaaaaaa, subcommands: [{name: bbbbbbbbbbbbbbbbbbbb}]}]"),
            [
                (
                    "2:65 «bbbbbbbbbbbbbbbbbbbb» the full name `t_aaaaaaaaaaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbb` is "
                    "longer than 40 characters | shorten the names on its path"
                )
            ],
        ),
        (
            "exec: [x]\nsubcommands: [{name: a_b}, {name: a, subcommands: [{name: b}]}]",
            [
                (
                    "2:59 «b» two subcommands have the full name `t_a_b` | full names are the same with `-`, `_` "
                    "and blanks; rename one"
                )
            ],
        ),
        (
            'exec: [x]\nsubcommands: [{name: a, requires: ">=0.1"}]',
            [
                (
                    "2:25 «requires» a subcommand has no key `requires` | use one of `name`, `title`, "
                    "`description`, `needs`, `params`, `input_schema`, `fields`, `exec`, `builtin`, "
                    "`subcommands`, `groups`, `env`, …"
                )
            ],
        ),
        ("exec: [x]\nsubcommands: [a]", ["2:15 «a» a subcommand is a mapping with a `name` | write `- name: NAME`"]),
        ('exec: [x]\ncwd: ""', ['2:6 «""» `cwd` is empty | leave the key out, or say something']),
        ('exec: [x, "{{a}"]', ["1:15 «}» a lone `}` is no literal brace | write `}}` for one literal brace"]),
        (
            'exec: [x, "{a b}"]',
            [("1:12 «{a b}» `{a b}` is no placeholder | a name has 1 to 128 of the characters A-Z a-z 0-9 `.` `_` `-`")],
        ),
        (
            "exec: [x]\neffect: destructive\nsubcommands: [{name: a}, {name: b, effect: write}]",
            [
                (
                    "3:44 «write» `t b` states the effect `write`, lower than its parent's `destructive` | a "
                    "subcommand may raise the effect, not lower it"
                )
            ],
        ),
    ],
)
def test_refused(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("timeout: 30s", {"timeout": 30.0}),
        ("timeout: 250ms", {"timeout": 0.25}),
        ("timeout: 2h", {"timeout": 7200.0}),
        (
            "limits: {output: 1MiB, spill: true, concurrency: 2, rate: 60/1m, cpu: 5s, memory: 1GiB}",
            {"limits": {"output": 1 << 20, "spill": True, "concurrency": 2, "rate": (60, 60.0), "cpu": 5.0, "memory": 1 << 30}},
        ),
        ("exits: {1: empty, 2: error}", {"exits": {0: "ok", 1: "empty", 2: "error"}}),
        ("exits: {0: empty}", {"exits": {0: "empty"}}),
        (
            "needs: {programs: [gh, {jq: '>= 1.7'}], env: [A], os: [linux]}",
            {"needs_programs": (("gh", ""), ("jq", ">=1.7")), "needs_env": ("A",), "needs_os": ("linux",)},
        ),
        ("sandbox: {network: none, read: [a], write: []}", {"sandbox": {"network": "none", "read": ("a",), "write": ()}}),
        ("roots: [a, b]\ndeny: [c]", {"roots": ("a", "b"), "deny": ("c",)}),
        ("end_of_options: none", {"end_of_options": ""}),
        ("end_of_options: --end-of-options", {"end_of_options": "--end-of-options"}),
        (
            "flags: before-operands\nunknown_flags: pass\norder: interleaved",
            {"flags": "before-operands", "unknown_flags": "pass", "order": "interleaved"},
        ),
        ("map_positionals: true\ntask: true\nhidden: true", {"map_positionals": True, "task": True, "hidden": True}),
        (
            "title: T\ndescription: D.\ntags: [a, b]\ndeprecated: Use u.",
            {"title": "T", "description": "D.", "tags": ("a", "b"), "deprecated": "Use u."},
        ),
        ("output: jsonl\neffect: destructive\nconfirm: Sure?", {"output": "jsonl", "effect": "destructive", "confirm": "Sure?"}),
        ("name: t\nreplaces: t\nrequires: '>=0.1'\nx-note: [1]", {"replaces": "t"}),
        ("stdin: none\ncwd: tools", {"stdin": "none", "cwd": "tools"}),
        ("stdin: values\ncwd: sub/dir", {"stdin": "values", "cwd": "sub/dir"}),
        ("stdin: 'a{{b'", {"stdin": ("a{b",)}),
        ("env: {A: x, B: pass, PATH: /bin, C: ''}", {"env": (("A", ("x",)), ("B", None), ("PATH", ("/bin",)), ("C", ()))}),
        (
            "examples: [{run: \"t 'a b'\", says: S., "
            'binds: {x: [1, {y: null}]}, argv: [t, 1], stdout: "a\\n", exit: 3}, {run: [t, x]}]',
            {
                "examples": (
                    {
                        "run": ["t", "a b"],
                        "place": (2, 12),
                        "says": "S.",
                        "binds": {"x": [1, {"y": None}]},
                        "argv": ["t", "1"],
                        "stdout": "a\n",
                        "exit": 3,
                    },
                    {"run": ["t", "x"], "place": (2, 106)},
                )
            },
        ),
    ],
)
def test_read(text: str, expected: dict[str, Any]) -> None:
    spec = load(f"exec: [x]\n{text}")
    assert {key: getattr(spec, key) for key in expected} == expected


def test_groups_and_number_flag() -> None:
    spec = load(
        'exec: [x, "{*}"]\nparams: [{name: a}, {name: n, type: int}]\nnumber_flag: n\n'
        "groups: [{exclusive: [a, n]}, {required: [a]}]"
    )
    assert spec.groups == (("exclusive", ("a", "n")), ("required", ("a",)))
    assert spec.number_flag == 1


def test_a_templates_named_params_are_not_in_the_rest() -> None:
    spec = load(
        """
        exec: [x, "{a}", [--b, "{b}"], "{*}"]
        params:
          - {name: a, required: true}
          - {name: b}
          - {name: c}
          - {name: d, path: dir}
          - {name: e}
          - {name: f}
          - {name: s, secret: true}
          - {name: u, unused: true}
          - {name: v, secret: argv}
        env: {E: "x{e}", S: "{s}"}
        stdin: "{f}"
        cwd: "{d}"
        """
    )
    assert [param.name for param in spec.params if param.in_rest] == ["c", "v"]


def test_a_newer_kernel_is_asked_for_before_anything_else() -> None:
    found = problems("exec: 3\nnew_key: 1\nrequires: '>=9.1'")
    assert [problem.message for problem in found] == ["`t` needs kernel ≥ 9.1, this is 0.3.0"]


TREE = """
exec: [git, "{*}"]
effect: read
timeout: 5s
env: {A: x, B: y}
limits: {concurrency: 2, output: 1KiB}
deny: [secrets]
needs: {programs: [git]}
params:
  - {name: dir, aliases: [-C]}
groups: [{required: [dir]}]
subcommands:
  - name: log
    aliases: [l]
    effect: write
    env: {B: z}
    limits: {output: 2KiB}
    deny: [more]
    params:
      - {name: max, type: int}
      - {name: revs, positional: true, repeatable: true}
    groups: [{together: [dir, max]}]
  - name: remote
    params: [{name: verbose, type: bool}]
    subcommands:
      - {name: add, params: [{name: url, positional: true}]}
      - {name: show, exec: [git, remote, show, ["-C", "{dir}"], "{*}", ["-v", "{?verbose}"]]}
"""


def leaf(spec: ToolSpec, *names: str) -> ToolSpec:
    for name in names:
        found = spec.child(name)
        assert found is not None
        spec = found
    return spec


def test_a_leaf_inherits_and_adds() -> None:
    log = leaf(load(TREE), "log")
    assert (log.name, log.path, log.full_name) == ("log", ("t", "log"), "t log")
    assert (log.effect, log.timeout, log.env) == ("write", 5.0, (("A", ("x",)), ("B", ("z",))))
    assert log.limits == {"concurrency": 2, "output": 2048}
    assert (log.deny, log.needs_programs) == (("secrets", "more"), (("git", ""),))
    assert log.groups == (("required", ("dir",)), ("together", ("dir", "max")))
    assert [(param.name, param.level) for param in log.params] == [("dir", 0), ("max", 1), ("revs", 1)]
    assert log.positionals == (2,)
    assert load(TREE).child_names == {"log": 0, "l": 0, "remote": 1}


def test_a_node_between_runs_nothing_but_hands_its_argv_on() -> None:
    remote = leaf(load(TREE), "remote")
    assert not remote.has_exec
    add = leaf(remote, "add")
    assert (add.program, add.exec) == ("git", (("rest", 0), ("text", ("remote",)), ("rest", 1), ("text", ("add",)), ("rest", 2)))
    assert [param.in_rest for param in add.params] == [True, True, True]


def test_a_leaf_with_its_own_argv_names_what_its_ancestors_declare() -> None:
    show = leaf(load(TREE), "remote", "show")
    assert [(param.name, param.in_rest) for param in show.params] == [("dir", False), ("verbose", False)]
    assert shown(TREE.replace(' ["-C", "{dir}"],', ""))[0].startswith("27:28 «[git, remote, show,")


def test_a_leaf_with_a_builtin_takes_no_argv() -> None:
    own = leaf(load("exec: [git]\nsubcommands: [{name: own, builtin: 'true'}]"), "own")
    assert (own.has_exec, own.builtin) == (False, "true")


def test_depth_is_bounded() -> None:
    text = "exec: [x]\n" + "".join([f"{'  ' * level}subcommands:\n{'  ' * level}- name: n{level}\n" for level in range(8)])
    assert len(problems(text)) == 1
    assert "deeper than 8" in problems(text)[0].message


@pytest.mark.parametrize(
    "text", [TREE, 'exec: [x, "{*}"]\n' + PARAMS + "stdin: values", "exec: [x]\nlimits: {rate: 1/1s}\nexamples: [{run: t}]"]
)
def test_a_spec_is_kept_by_marshal(text: str) -> None:
    spec = load(text)
    assert ToolSpec.unpack(marshal.loads(marshal.dumps(spec.pack()))) == spec


BUILTIN = (
    "builtin: wc\nparams: [{name: lines, type: bool, description: Other words.}, "
    "{name: files, positional: true, repeatable: true, path: read, required: true}]"
)


def test_a_builtins_params_may_be_narrowed() -> None:
    assert load(BUILTIN).builtin == "wc"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("builtin: wc", "builtin: wcc", "1:10 «wcc» `builtin` knows no `wcc` | did you mean `wc`?"),
        ("name: lines", "name: linse", "1:10 «wc» the builtin `wc` has no param `linse` | did you mean `lines`?"),
        (
            "type: bool",
            "type: int",
            "1:10 «wc» `lines` is `int`, but `bool` in the builtin `wc` | keep the builtin's type and arity",
        ),
        (
            "repeatable: true, ",
            "",
            "1:10 «wc» `files` is `string`, but `string`, repeatable in the builtin `wc` | keep the builtin's type and arity",
        ),
    ],
)
def test_a_builtins_params_are_its_own(old: str, new: str, expected: str) -> None:
    assert shown(BUILTIN.replace(old, new)) == [expected]


def test_exec_and_builtin_stand_together() -> None:
    spec = load('exec: [wc, "{*}"]\nneeds: {programs: [wc]}\n' + BUILTIN)
    assert spec.has_exec and spec.builtin == "wc"


SHIPPED = sorted((Path(__file__).resolve().parent.parent.parent / "tools.d").glob("*.yaml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: str(file.stem))
def test_shipped_manifests_load(file: Path) -> None:
    assert load(file.read_text(), name=file.stem).name == file.stem


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "- a",
        "1",
        '""',
        "{exec: {a: b}}",
        "exec: [[]]",
        "params: [[[]]]\nexec: [x]",
        "exec: [x]\nsubcommands: {a: b}",
        "exec: [x]\ngroups: {}",
        "exec: [x]\nenv: []",
        "exec: [x]\nneeds: []",
        "exec: [x]\nlimits: 1",
        "exec: [x]\nexits: []",
        "exec: [x]\nexamples: [1]",
        "exec: [x]\nexamples: {}",
        "exec: [x]\ninput_schema: []",
        "exec: [x]\ninput_schema: {properties: {a: 1}}",
        "exec: [x]\nsubcommands: [{name: [a]}]",
        "exec: [x]\nparams: [{name: [a], type: {}}]",
        "exec: [x]\nstdin: []",
        "exec: [x]\ncwd: {}",
        "exec: [x]\nbuiltin: []",
        "exec: [x]\nnumber_flag: {}",
        "exec: [x]\nname: []",
        "exec: [x]\nrequires: []",
        "exec: [x]\nparams: [{name: a, choices: {}, consumes: {}, default: {}, as: [], effect: [], complete: {}, aliases: {}}]",
    ],
)
def test_any_shape_gives_an_error_with_a_place(text: str) -> None:
    assert shown(text)
