"""Every key of a param: what is refused, where, and what the error says to do (manifest.md, Param keys)."""

from __future__ import annotations

import pytest
from compiled import load, problems, shown

from kernel.spec import ParamSpec, Slot

HEAD = 'exec: [x, "{*}"]\nparams:\n  - '


def param(text: str) -> ParamSpec:
    found = load(HEAD + text).params[0]
    found.place = (0, 0)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{name: 1a}", ["3:12 «1a» `name` wants a letter or `_`, then at most 63 letters, digits, `_` or `-`, got `1a`"]),
        ("{type: string}", ["3:5 «{type: string}» a param has no `name` | write `name: NAME`"]),
        ("{name: a, typ: int}", ["3:15 «typ» a param has no key `typ` | did you mean `type`?"]),
        (
            "{name: a, type: strin}",
            [
                "3:21 «strin» `type` is `string`, `int`, `number`, `bool`, `array`, `object`, `json` or `any`, got `strin` | "
                "did you mean `string`?"
            ],
        ),
        (
            "{name: a, required: true, default: x}",
            ["3:40 «x» `a` is required, so its `default` is never used | leave out `required` or `default`"],
        ),
        ("{name: a, type: int, default: x}", ["3:35 «x» `default` wants a whole number, got `x`"]),
        ("{name: a, type: int, default: 3.5}", ["3:35 «3.5» `default` wants a whole number, got `3.5`"]),
        (
            "{name: a, consumes: 0}",
            [
                "3:25 «0» `consumes` wants a whole number, 1 or more, got `0` | "
                "a flag that takes no word is a bool: write `type: bool`"
            ],
        ),
        (
            "{name: a, consumes: 2, default: x}",
            [
                "3:37 «x» `default` wants a list, as the param is repeatable, got `x` | "
                "write a list with one N-list per occurrence: [[…], […]]"
            ],
        ),
        (
            "{name: a, consumes: 2, default: [x, y]}",
            [
                "3:37 «[x, y]» `default` wants a list of lists of 2 values, got a list | "
                "write a list with one N-list per occurrence: [[…], […]]"
            ],
        ),
        (
            "{name: a, type: bool, consumes: 2}",
            [
                "3:37 «2» `a` is a bool, which takes no word, but has `consumes` | "
                "leave out `consumes`, or give a `type` that takes words"
            ],
        ),
        (
            "{name: a, type: bool, repeatable: true}",
            ["3:39 «true» `a` is a bool, which takes no word, but has `repeatable` | use `count: true` to count occurrences"],
        ),
        ('{name: a, type: bool, default: "no"}', ['3:36 «"no"» `default` wants `true` or `false`, got `no`']),
        (
            "{name: a, secret: true}",
            [
                "3:12 «a» the secret `a` reaches the program by neither `env` nor `stdin` | "
                'write `env: {A: "{a}"}`, or say `secret: argv`'
            ],
        ),
        ("{name: a, secret: maybe}", ["3:23 «maybe» `secret` wants `true` or `argv`, got `maybe`"]),
        ("{name: a, choices: [x, x]}", ["3:28 «x» the choice `x` is listed twice | leave one out"]),
        (
            '{name: a, type: int, choices: [1, "1", b]}',
            ['3:39 «"1"» the choice `1` is listed twice | leave one out', "3:44 «b» `choices` wants a whole number, got `b`"],
        ),
        ("{name: a, type: bool, choices: [x]}", ["3:36 «[x]» `choices` need the type string, int or number, not `bool`"]),
        (
            "{name: a, choices: [x, {value: y, description: z}], default: q}",
            ["3:66 «q» the value `q` of `default` is not among the `choices` | use one of `x`, `y`"],
        ),
        ("{name: a, type: int, min: 5, max: 1}", ["3:31 «5» `min`, 5, is above `max`, 1 | swap them"]),
        (
            "{name: a, min: 5}",
            ["3:20 «5» `min` needs the type int or number, not `string` | use `min_items` and `max_items` for counts of entries"],
        ),
        ("{name: a, type: int, min: 5, default: 1}", ["3:43 «1» the value `1` of `default` is below `min`, 5"]),
        (
            '{name: a, pattern: "(?i)a"}',
            [
                "3:25 «(?i» `(?i` is not read alike by Python and ECMA-262 | "
                "groups are `(…)`, `(?:…)`, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`"
            ],
        ),
        (
            '{name: a, pattern: "a{2"}',
            [
                "3:26 «{» a `{` that begins no repeat is not read alike by Python and ECMA-262 | "
                "write `{2}`, `{2,}` or `{2,5}`, or `\\{` for the character"
            ],
        ),
        ('{name: a, pattern: "a+", default: b}', ["3:39 «b» the value `b` of `default` does not match the pattern `a+`"]),
        (
            "{name: a, emit: equals, positional: true}",
            ["3:21 «equals» `emit: equals` is for flags that take a word, which `a` is not | leave it out"],
        ),
        (
            "{name: a, emit: equals, consumes: 2}",
            ["3:21 «equals» `emit: equals` attaches one word, but `a` takes 2 | leave it out"],
        ),
        (
            "{name: ab, emit: joined}",
            ["3:22 «joined» `emit: joined` needs a one-letter spelling, which `ab` does not have | give it one under `aliases`"],
        ),
        (
            "{name: a, unique_by: X}",
            ["3:26 «X» `unique_by` needs a repeatable param with named slots | write `consumes: [{name: NAME}, …]`"],
        ),
        ("{name: a, consumes: [{name: N}, {name: V}], unique_by: X}", ["3:60 «X» `unique_by` is `N` or `V`, got `X`"]),
        ("{name: a, on_duplicate: first}", ["3:29 «first» `on_duplicate` needs `unique_by` | say which slot is the key"]),
        (
            '{name: a, split: "="}',
            ['3:22 «"="» `a` has `split`, but only one slot | write `consumes: [{name: NAME}, {name: VALUE}]`'],
        ),
        (
            '{name: a, delimiter: ","}',
            [
                '3:26 «","» `delimiter` cuts one word into entries, but `a` is not a repeatable one-word param | '
                "say `repeatable: true`"
            ],
        ),
        (
            '{name: a, delimiter: ",", repeatable: true, default: ["a,b"]}',
            ['3:59 «"a,b"» an entry of `default` is empty or holds the delimiter `,` | write one entry per list item'],
        ),
        (
            "{name: a, consumes: [{name: N}, {name: n}]}",
            ["3:44 «n» two slots are called `n` | slot names differ in more than case"],
        ),
        (
            "{name: a, consumes: [{name: 1}]}",
            ["3:33 «1» `name` wants a word that names the slot (letters, digits, `_`, `-`; no digit first), got `1`"],
        ),
        (
            '{name: a, consumes: [{name: N, optional: true}, {name: V}], split: "="}',
            [
                "3:25 «[{name: N, optional: true}, {name: V}]» only the last slots may be `optional`, not the first | "
                "put the optional slots at the end"
            ],
        ),
        (
            "{name: a, consumes: [{name: N}, {name: V, optional: true}]}",
            [
                "3:25 «[{name: N}, {name: V, optional: true}]» an `optional` slot needs `split` | "
                "words of a flag cannot be left out; say `split: TEXT`"
            ],
        ),
        ('{name: a, after: "--"}', ['3:22 «"--"» `a` has `after`, but is not positional | say `positional: true`']),
        (
            "{name: a, as: {x: y}}",
            ["3:19 «{x: y}» `as` needs a bool or a param with `choices`, which `a` is not | list the values under `choices`"],
        ),
        (
            "{name: a, type: bool, as: {true: on, maybe: x}}",
            ['3:38 «on» `on` without quotes means different things to different YAML readers | write "on" for the text, or `true`'],
        ),
        (
            "{name: a, choices: [r, g], as: {r: [--red], b: x}}",
            ["3:49 «b» the value `b` of `as` is not among the `choices` | `a` is r, g"],
        ),
        ("{name: a, effect: read}", ["3:23 «read» `effect` is `write` or `destructive`, got `read`"]),
        ("{name: a, type: bool, effect: {yep: write}}", ["3:36 «yep» `effect` wants `true` or `false`, got `yep`"]),
        ('{name: a, env: "1A"}', ['3:20 «"1A"» `env` wants a variable\'s name (letters, digits, `_`), got `1A`']),
        ("{name: a, path: exec}", ["3:21 «exec» `path` is `read`, `write`, `dir` or `new`, got `exec`"]),
        ("{name: a, type: int, path: read}", ["3:32 «read» a `path` is text, not `int` | leave `type` out"]),
        ("{name: a, complete: ls}", ["3:25 «ls» `complete` is `path`, `dir`, `host`, `user`, `tool` or `none`, got `ls`"]),
        ("{name: a, items: int}", ["3:22 «int» `items` is for the type array, not `string`"]),
        ("{name: a, type: array, items: int, default: [1, x]}", ["3:49 «[1, x]» an element of `default` is not of the type `int`"]),
        (
            "{name: a, type: array, default: [1, 2], max_items: 1}",
            ["3:37 «[1, 2]» `default` has 2 entries, more than `max_items`, 1"],
        ),
        ("{name: a, min_items: 1}", ["3:26 «1» `min_items` is for repeatable params and arrays | use `min` and `max` for numbers"]),
        (
            "{name: a, repeatable: true, min_items: 2, default: [x]}",
            ["3:56 «[x]» `default` has 1 entries, fewer than `min_items`, 2"],
        ),
        (
            "{name: a, aliases: [--]}",
            ["3:25 «--» the alias `--` is only dashes | an alias is `-x`, `--word`, `-word` or a bare word"],
        ),
        (
            '{name: a, aliases: ["-x=y"]}',
            [
                '3:25 «"-x=y"» the alias `-x=y` holds `=`, which ends a flag\'s spelling | '
                "an alias is `-x`, `--word`, `-word` or a bare word"
            ],
        ),
        (
            '{name: a, aliases: ["a b"]}',
            [
                '3:25 «"a b"» the alias `a b` holds a blank or a control character | '
                "an alias is `-x`, `--word`, `-word` or a bare word"
            ],
        ),
        ("{name: a, aliases: -x}", ["3:24 «-x» `aliases` wants a list, got `-x` | write `[…]` or a line with `- ` for each"]),
        ("{name: a, aliases: [-x, x]}", ["3:29 «x» the alias `x` is given twice | leave one out"]),
        (
            '{name: a, type: bool, default: "true"}',
            ['3:36 «"true"» `default` wants `true` or `false`, not text, got `true` | write it without quotes'],
        ),
        ("{name: a, type: flag}", ["3:21 «flag» `type` knows no `flag` | a flag without a value is `type: bool`"]),
        ('{name: a, required: "yes"}', ['3:25 «"yes"» `required` wants `true` or `false`, got `yes` | write `true`']),
        (
            '{name: a, description: "a\\x1bb"}',
            ['3:28 «"a\\x1bb"» `description` holds the character `\\x1b`, which would change how it is shown | take it out'],
        ),
        (
            '{name: a, description: "a\\u202eb"}',
            ['3:28 «"a\\u202eb"» `description` holds the character `\\u202e`, which would change how it is shown | take it out'],
        ),
        ("{name: a, negatable: true}", ["3:26 «true» `a` is not a bool or a count, but is `negatable` | say `type: bool`"]),
        ("{name: a, count: true, type: string}", ["3:34 «string» a `count` is an int, not `string` | leave `type` out"]),
        (
            "{name: a, count: true, repeatable: true}",
            ["3:40 «true» `a` is a count, which takes no word, but has `repeatable` | leave it out"],
        ),
        ("{name: a, count: true, default: -1}", ["3:37 «-1» `default` wants a whole number, 0 or more, got `-1`"]),
        ("{name: a, optional_value: x, consumes: 2}", ["3:31 «x» `a` takes 2 words, so it cannot stand bare"]),
        ("{name: a, type: int, optional_value: x}", ["3:42 «x» `optional_value` wants a whole number, got `x`"]),
        ("{name: a, values: verbatm}", ["3:23 «verbatm» `values` is `verbatim`, got `verbatm` | did you mean `verbatim`?"]),
        (
            "{name: a, positional: true, consumes: 2}",
            ["3:43 «2» `a` is positional, but takes 2 words | use `split`, or `repeatable: true`"],
        ),
        ("{name: a, default: null}", ['3:24 «null» `default` wants text, got `null` | quote it: "null"']),
        ("{name: a, default: ~}", ['3:24 «~» `default` wants text, got `~` | quote it: "~"']),
        (
            "{name: a, type: bool, optional_value: x}",
            ["3:43 «x» `a` is a bool, which takes no word, but has `optional_value` | leave it out"],
        ),
        (
            "{name: a, positional: true, optional_value: x}",
            ["3:49 «x» `a` is positional, but has `optional_value`, which is for flags | leave out `positional`"],
        ),
        (
            "{name: a, positional: true, count: true}",
            ["3:40 «true» `a` is positional, but has `count`, which is for flags | leave out `positional`"],
        ),
        (
            "{name: a, positional: true, negatable: true, type: bool}",
            ["3:44 «true» `a` is positional, but has `negatable`, which is for flags | leave out `positional`"],
        ),
        (
            '{name: a, consumes: 2, delimiter: ","}',
            [
                '3:39 «","» `delimiter` cuts one word into entries, but `a` is not a repeatable one-word param | '
                "say `repeatable: true`"
            ],
        ),
        ("{name: a, consumes: [{name: N, typ: int}]}", ["3:36 «typ» a slot has no key `typ` | did you mean `type`?"]),
        ("{name: a, consumes: [N]}", ["3:26 «N» a slot is a mapping of keys, got `N` | write `key: value` lines"]),
        ("{name: a, consumes: []}", ["3:25 «[]» `consumes` is an empty list | leave the key out, or list something"]),
        (
            "{name: a, consumes: [{name: N}, {name: V}], choices: [x]}",
            ["3:58 «[x]» `choices` stands beside a list of slots | say it in the slot it is meant for"],
        ),
        ("{name: a, consumes: 5000}", ["3:25 «5000» `consumes` is more than 1000 words | use `repeatable: true` for lists"]),
        (
            "{name: a, type: count}",
            ["3:21 «count» `type` is `string`, `int`, `number`, `bool`, `array`, `object`, `json` or `any`, got `count`"],
        ),
        (
            '{name: a, count: true, as: {"1": x}}',
            ['3:32 «{"1": x}» `as` needs a bool or a param with `choices`, which `a` is not | list the values under `choices`'],
        ),
        ('{name: a, count: true, effect: {"1": write}}', ['3:37 «"1"» `effect` by value needs a bool or a param of one word']),
        (
            "{name: a, consumes: [{name: K}, {name: V, type: int}], default: [[x, y]]}",
            ["3:74 «y» `default` wants a whole number, got `y`"],
        ),
        (
            "{name: a, consumes: [{name: K}, {name: V}], unique_by: K, default: [[x, 1], [x, 2]]}",
            ["3:72 «[[x, 1], [x, 2]]» `default` gives the K `x` twice | keep one, or say `on_duplicate`"],
        ),
        (
            '{name: a, consumes: [{name: K}, {name: V}], split: "=", default: [["a=b", c]]}',
            ['3:72 «"a=b"» the value `a=b` holds `=`, which cuts the word into its slots'],
        ),
        (
            "{name: a, type: array, default: x}",
            ["3:37 «x» `default` wants a JSON array, got `x` | `x` is not JSON (line 1, column 1)"],
        ),
        ("{name: a, type: array, default: {a: 1}}", ["3:37 «{a: 1}» `default` wants a JSON array, got a mapping"]),
        (
            "{name: a, type: object, default: [1]}",
            ["3:38 «[1]» `default` wants a JSON object, got a list | a list is for a param that says `repeatable: true`"],
        ),
        ("{name: a, repeatable: true, type: int, default: [1, x]}", ["3:57 «x» `default` wants a whole number, got `x`"]),
        ("{name: a, min_items: 3, max_items: 1, repeatable: true}", ["3:26 «3» `min_items`, 3, is above `max_items`, 1"]),
        ("{name: a, type: number, max: x}", ["3:34 «x» `max` wants a number, got `x`"]),
        (
            '{name: a, type: int, pattern: "[0-9]"}',
            ['3:35 «"[0-9]"» `pattern` needs text, not the type `int` | use `min`, `max` or `choices`'],
        ),
        ('{name: a, deprecated: ""}', ['3:27 «""» `deprecated` is empty | leave the key out, or say something']),
        ("{name: a, choices: []}", ["3:24 «[]» `choices` is an empty list | leave the key out, or list something"]),
        (
            "{name: a, choices: [{description: x}]}",
            ["3:25 «{description: x}» a choice has no `value` | write `{value: VALUE, description: TEXT}`"],
        ),
        (
            "{name: a, default: [x]}",
            ["3:24 «[x]» `default` wants text, got a list | a list is for a param that says `repeatable: true`"],
        ),
        ('{name: a, type: int, default: "1.0"}', ['3:35 «"1.0"» `default` wants a whole number, got `1.0`']),
        (
            '{name: "a\x1b"}',
            ["3:14 «\x1b» the character `\\x1b` stands raw in the manifest | take it out, or write `\\x1b` inside double quotes"],
        ),
        (
            '{name: a, aliases: ["-\\u202e"]}',
            ['3:25 «"-\\u202e"» `aliases` holds the character `\\u202e`, which would change how it is shown | take it out'],
        ),
        (
            "{name: a, effect: {r: read, w: writ}, choices: [r, w]}",
            ["3:36 «writ» `effect` is `read`, `write` or `destructive`, got `writ` | did you mean `write`?"],
        ),
        ("{name: a, emit: split}", ["3:21 «split» `emit` is `separate`, `equals` or `joined`, got `split`"]),
        ("just text", ["3:5 «just text» a param is a mapping of keys, got `just text` | write `key: value` lines"]),
        ("[name, a]", ["3:5 «[name, a]» a param is a mapping of keys, got a list | write `key: value` lines"]),
    ],
)
def test_refused(text: str, expected: list[str]) -> None:
    assert shown(HEAD + text) == expected


ONE = {"name": "ab", "spellings": ("--ab",), "in_rest": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{name: ab, x-note: 1}", {}),
        ("{name: ab, type: integer}", {"slots": (Slot(type="int"),)}),
        ("{name: ab, type: boolean}", {"slots": (Slot(type="bool"),)}),
        ("{name: ab, type: float, min: 1, max: 2.5}", {"slots": (Slot(type="number", min="1", max="2.5"),)}),
        ("{name: ab, type: int, default: 007}", None),
        ("{name: ab, type: int, default: '007'}", {"slots": (Slot(type="int"),), "default": "007"}),
        ("{name: ab, type: int, default: -5}", {"slots": (Slot(type="int"),), "default": "-5"}),
        ("{name: ab, default: ''}", {"default": ""}),
        ("{name: ab, default: 12}", {"default": "12"}),
        ("{name: ab, type: bool, default: true}", {"slots": (Slot(type="bool"),), "default": "true"}),
        ("{name: ab, count: true, default: 2}", {"slots": (Slot(type="int"),), "count": True, "default": "2"}),
        ("{name: ab, count: true, type: bool, max: 3}", {"slots": (Slot(type="int", max="3"),), "count": True}),
        ("{name: ab, repeatable: true, default: [x, y]}", {"repeatable": True, "default": ["x", "y"]}),
        ("{name: ab, repeatable: true, default: []}", {"repeatable": True}),
        ("{name: ab, consumes: 1}", {}),
        ("{name: ab, consumes: 2}", {"slots": (Slot(), Slot()), "repeatable": True}),
        ("{name: ab, consumes: 2, repeatable: false, default: [x, y]}", {"slots": (Slot(), Slot()), "default": ["x", "y"]}),
        ("{name: ab, consumes: 2, type: int, min: 0}", {"slots": (Slot(type="int", min="0"),) * 2, "repeatable": True}),
        (
            "{name: ab, type: int, allow_dash: true, "
            "consumes: [{name: K, type: string, description: D.}, {name: V, allow_dash: false, max: 9}]}",
            {"slots": (Slot(name="K", description="D.", allow_dash=True), Slot(name="V", type="int", max="9")), "repeatable": True},
        ),
        ("{name: ab, consumes: [{name: K}]}", {"slots": (Slot(name="K"),)}),
        (
            "{name: ab, consumes: [{name: K}, {name: V, optional: true}], split: '=', default: [[a], [b, c=d]]}",
            {
                "slots": (Slot(name="K"), Slot(name="V", optional=True)),
                "split": "=",
                "repeatable": True,
                "default": [["a"], ["b", "c=d"]],
            },
        ),
        (
            "{name: ab, consumes: [{name: K}, {name: V}], unique_by: V, on_duplicate: last, default: [[a, x], [b, x]]}",
            {
                "slots": (Slot(name="K"), Slot(name="V")),
                "repeatable": True,
                "unique_by": 1,
                "on_duplicate": "last",
                "default": [["b", "x"]],
            },
        ),
        ("{name: ab, type: json, default: {a: [1, null, x]}}", {"slots": (Slot(type="json"),), "default": '{"a":[1,null,"x"]}'}),
        ("{name: ab, type: json, default: text}", {"slots": (Slot(type="json"),), "default": '"text"'}),
        ("{name: ab, type: object, default: {a: 1.50}}", {"slots": (Slot(type="object"),), "default": '{"a":1.50}'}),
        (
            "{name: ab, type: array, items: int, default: [1, 2], max_items: 2}",
            {"slots": (Slot(type="array"),), "items": "int", "default": "[1,2]", "max_items": 2},
        ),
        ("{name: ab, type: array, default: '[1 ,2]'}", {"slots": (Slot(type="array"),), "default": "[1 ,2]"}),
        (
            "{name: ab, choices: [x, 2, {value: true, description: D.}]}",
            {"slots": (Slot(choices=(("x", ""), ("2", ""), ("true", "D."))),)},
        ),
        (
            "{name: ab, optional_value: auto, choices: [auto, always]}",
            {"slots": (Slot(choices=(("auto", ""), ("always", ""))),), "optional_value": "auto"},
        ),
        ("{name: ab, values: verbatim, secret: argv, env: AB}", {"verbatim": True, "secret": "argv", "env": "AB"}),
        ("{name: ab, secret: false, path: new, complete: dir}", {"slots": (Slot(path="new", complete=("@dir",)),)}),
        (
            "{name: ab, complete: [a, b], hidden: true, deprecated: Use c.}",
            {"slots": (Slot(complete=("a", "b")),), "hidden": True, "deprecated": "Use c."},
        ),
        ("{name: ab, effect: destructive}", {"effects": (("", "destructive"),)}),
        ("{name: ab, type: bool, effect: {true: write}}", {"slots": (Slot(type="bool"),), "effects": (("true", "write"),)}),
        (
            "{name: ab, type: int, choices: [1, 2], effect: {'01': write}}",
            {"slots": (Slot(type="int", choices=(("1", ""), ("2", ""))),), "effects": (("1", "write"),)},
        ),
        (
            "{name: ab, type: bool, as: {true: [--on, now], false: 'off'}}",
            {"slots": (Slot(type="bool"),), "replace": (("true", ("--on", "now")), ("false", "off"))},
        ),
        ("{name: ab, emit: equals}", {"emit": "equals"}),
        ("{name: ab, emit: joined, aliases: [-a]}", {"emit": "joined", "spellings": ("-a", "--ab"), "declared": 1}),
        (
            "{name: ab, emit: equals, repeatable: true, delimiter: ',', default: [x]}",
            {"emit": "equals", "repeatable": True, "delimiter": ",", "default": ["x"]},
        ),
        (
            "{name: ab, emit: equals, consumes: [{name: K}, {name: V}], split: ':'}",
            {"emit": "equals", "slots": (Slot(name="K"), Slot(name="V")), "split": ":", "repeatable": True},
        ),
        ("{name: ab, unused: true}", {"unused": True, "in_rest": False}),
        ("{name: ab, positional: true, after: '--'}", {"positional": True, "after": True, "spellings": ()}),
        ('{name: ab, description: "two\\nlines"}', {"description": "two\nlines"}),
    ],
)
def test_read(text: str, expected: dict[str, object] | None) -> None:
    if expected is None:
        assert [problem.code for problem in problems(HEAD + text)] == ["E-YAML"]
    else:
        assert param(text) == ParamSpec(**{**ONE, **expected})


@pytest.mark.parametrize("name", ["a", "_", "A9", "a" * 64, "a-b_c"])
def test_names(name: str) -> None:
    assert param(f"{{name: {name}}}").name == name


@pytest.mark.parametrize("name", ["9a", "-a", "a" * 65, "a.b", "é", "a b", '""'])
def test_what_is_no_name(name: str) -> None:
    assert len(problems(HEAD + f"{{name: {name}}}")) == 1


def test_a_large_int_keeps_its_text() -> None:
    digits = "9" * 4000
    assert param(f"{{name: ab, type: int, default: {digits}}}").default == digits


def test_all_problems_of_a_file_come_together_in_its_order() -> None:
    text = """
exec: [x, "{*}"]
timeout: 5
params:
  - {name: a, type: int, default: x}
  - {name: b, choises: [x]}
  - {name: c, min: 1}
effect: reed
"""
    assert [line.split(" ")[0] for line in shown(text)] == ["3:10", "5:35", "6:15", "7:20", "8:9"]
