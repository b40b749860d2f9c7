"""What only a builtin knows of its words, and what the shell knows of its own: said before anything runs, at every door alike."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import shipped
from gnu_case import refused
from kernel_case import Case
from shell_case import ShellCase

from kernel import bind, check
from kernel.builtins import NAMES, usage_of


@pytest.fixture
def case(tmp_path: Path) -> ShellCase:
    return ShellCase(tmp_path)


# a call, and what stands under the caret; nothing where no word is at fault
FAULTS = r"""
cut -f x f|x
cut -f1 -d ab f|ab
cut -b1 -d, f|,
cut -b1 -s f|-s
split -l x|x
split -n 5/3 f|5/3
split -a1 -n 100 f|1
split --additional-suffix=a/b f|a/b
sleep abc|abc
sleep 1 2x|2x
seq a|a
seq 1 0 5|0
seq -f %y 3|%y
seq -w -f %g 3|%g
timeout x true|x
timeout -k 1y 2 true|1y
timeout -s FOO 1 true|FOO
find . -bogus|-bogus
find . -type x|x
find . -maxdepth x|x
find . -size 5q|5q
find . '(' -name a|a
find . -name a ')'|')'
find . -newermt rubbish|rubbish
find . -regex '\('|'\('
find . -exec echo|echo
tr a|a
tr -d a b|b
tr z-a b|z-a
tr ab '[:foo:]'|'[:foo:]'
tr ab '[x*][y*]'|'[x*][y*]'
sort -k x|x
sort -k 1 -k 0|0
sort -t xx|xx
sort -S 1j|1j
sort -c -o x y|x
sort -c a b|b
uniq --group -c|--group
uniq -D -c|-D
date -d rubbish|rubbish
date foo|foo
date -I -R|-R
date -d now -r f|f
mkdir -m x d|x
write -m z f text|z
touch -t x f|x
touch -t 13010000 f|13010000
touch -d rubbish f|rubbish
touch -t 01010000 -r a f|a
mktemp x|x
mktemp --suffix=/a x.XXX|/a
mktemp -p d /x.XXX|/x.XXX
test a b c|b
test 1 -eq x|x
test ! a b|b
printf %y|%y
printf '\xzz'|'\xzz'
printf -- %99999999999d|%99999999999d
checksum --check --tag f|--tag
fromcsv -d xx|xx
fromcsv -d '"'|'"'
tocsv -d ab|ab
map '{}' x|'{}'
env -u a=b|a=b
env -C /|/
env -0 true|-0
wc --files0-from=x y|y
tac -r -s '['|'['
ls --block-size=x|x
ls -l --time-style=x|x
basename a b c|c
sed s/a|s/a
sed -n -e p -e 's/a/\1/'|'s/a/\1/'
sed 'b nowhere'|'b nowhere'
sed|
grep '['|'['
grep -e a -e '\(' f|'\('
grep -P -e a -e b f|b
grep -c|
cp|
cp a|a
cp -T a b c|c
cp --preserve=some a b|some
mv a|a
ln -r a b|-r
rm -r|
"""


def rows(table: str) -> list[tuple[str, str]]:
    """(call, what is marked of it) for each line."""
    return [(call, at) for call, _, at in [line.rpartition("|") for line in table.strip().splitlines()]]


def marked(stderr: str) -> str:
    """What stands over the carets of an error."""
    lines = stderr.splitlines()
    for above, line in itertools.pairwise(lines):
        if line.strip(" |") and not line.strip(" |^"):
            start = line.index("^")
            return above[start : line.rindex("^") + 1]
    return ""


@pytest.mark.parametrize(("call", "at"), rows(FAULTS))
def test_a_fault_of_words_alone(case: ShellCase, call: str, at: str) -> None:
    """Before anything of a script runs, under the word at fault; the call by itself says the same."""
    whole = case.line(f"echo before; {call}")
    assert (whole.exit, whole.stdout) == (2, ""), f"\n{whole}"
    assert marked(whole.stderr) == at, f"\n{whole}"
    case.line(call).is_(str(whole))
    assert case.run([], stdin=f"if true; then {call}; fi\necho $?\n").stdout == "2\n"


@pytest.mark.parametrize(("call", "at"), [("diff a.txt", "a.txt"), ("diff a b c", "c"), ("diff -I '[' a b", "'['")])
def test_a_builtin_that_stands_in_for_a_program(case: ShellCase, call: str, at: str) -> None:
    """What both refuse is said beforehand; alone, the program has the word where there is one."""
    whole = case.line(f"echo before; {call}")
    assert (whole.exit, whole.stdout, marked(whole.stderr)) == (2, "", at), f"\n{whole}"
    case.line(call, env={"PATH": "/nonexistent"}).is_(str(whole))
    without = case.line("echo before; diff --ed a b", env={"PATH": "/nonexistent"})
    assert (without.exit, without.stdout, marked(without.stderr)) == (2, "before\n", "--ed"), f"\n{without}"


def test_a_locale_that_is_set_as_the_script_runs(case: ShellCase) -> None:
    """What is wrong in one locale only is left until the call runs."""
    bytes_are_characters = {"LC_ALL": "C", "LANG": ""}
    case.line("LC_ALL=C.UTF-8 sed y/é/e/ <<< é; echo done", env=bytes_are_characters).prints("e\ndone\n")
    outcome = case.line("echo before; sed y/é/e/ <<< é", env=bytes_are_characters)
    assert (outcome.exit, outcome.stdout) == (2, "before\n")
    assert "strings for `y' command are different lengths" in outcome.stderr


def test_a_time_zone_that_is_set_as_the_script_runs(case: ShellCase) -> None:
    """An hour that one zone leaves out is a time in another."""
    outcome = case.line("echo before; TZ=EST5EDT,M3.2.0,M11.1.0 touch -t 202403100230 a || TZ=UTC0 touch -t 202403100230 a; ls")
    assert (outcome.exit, outcome.stdout) == (0, "before\na\n"), f"\n{outcome}"


def test_every_door_says_the_same(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.run(["call", "cut", "-f", "x"]).is_("""
        exit 2
        -- stderr
        error[E-USAGE]: `cut`: invalid field value 'x'
         --> kernel call cut -f x
                                ^
          hint: `kernel help cut` shows its usage
    """)
    assert case.run(["call", "--dry-run", "cut", "-f", "x"]).stderr == case.run(["call", "cut", "-f", "x"]).stderr
    captured = case.run(["call", "--json", "cut", "-f", "x"])
    error = json.loads(captured.stdout)["error"]
    assert captured.exit == 2
    assert (error["code"], error["message"], error["word"], error["param"]) == (
        "E-USAGE",
        "`cut`: invalid field value 'x'",
        1,
        "fields",
    )
    by_name = case.run(["call", "--args-json", '{"fields": "x"}', "cut"])
    assert by_name.exit == 2
    assert by_name.stderr.splitlines()[0] == "error[E-USAGE]: `cut`: invalid field value 'x'"
    explained = case.run(["explain", "cut", "-f", "x"])
    assert explained.exit == 2
    assert "E-USAGE" in explained.stderr


def test_a_manifest_that_leaves_out_params_of_its_builtin(tmp_path: Path) -> None:
    case = Case(tmp_path).tool(
        "column-of",
        """
        builtin: cut
        effect: read
        params:
          - {name: fields, positional: true, required: true}
        """,
    )
    assert case.run(["call", "column-of", "2"], stdin="a\tb\n").stdout == "b\n"
    refused_call = case.run(["call", "column-of", "x"])
    assert refused_call.exit == 2
    assert "`column-of`: invalid field value 'x'" in refused_call.stderr
    assert marked(refused_call.stderr) == "x"


def test_a_value_of_a_secret_param_is_not_shown(tmp_path: Path) -> None:
    case = Case(tmp_path).tool(
        "hush",
        """
        builtin: sleep
        effect: read
        params:
          - {name: intervals, repeatable: true, secret: env, env: HUSH_TIME}
        """,
    )
    found = case.run(["call", "hush"], env={"HUSH_TIME": "confidential"})
    assert found.exit == 2
    assert "confidential" not in found.stdout + found.stderr


def test_a_question_comes_after_the_fault(tmp_path: Path) -> None:
    """A call that cannot be made is not asked about."""
    assert "E-USAGE" in Case(tmp_path).run(["call", "rm", "-r"]).stderr


RIGHT = r"""
head -5 f
head -n -5 -c 1K f
tail +3 f
tail -n +3 -f f
sort -k1,2n -k3.2b,3.4 -t '\0' f
sort -k2 -S 10% -nr f
sort -S 64 -S 1b -S 2M f
cut -d '' -f1-,3 f
cut --complement -c -3 f
split -n l/3 f
split -C 1k -x f x
sleep 1.5m 2 inf 0x10
seq -s , 1 .5 3
seq -f %05.2f%% 3
seq inf
timeout 0 true
timeout -s 9 -k 1.5 1m true
find
find . -type f,d '(' -name a -o ! -path '*b' ')' -size +5k -mtime -1 -prune , -print0
find . -newermt '1 week ago' -perm -u=x -exec echo '{}' ';'
find -L a b -regextype posix-extended -regex '(a|b)+' -printf '%p %d\n'
find . -user root -newer none
diff -r a b
diff -u -I '^#' a b
tr -cd '[:digit:]\n'
tr '[:lower:]' '[:upper:]'
tr a-z '[x*]'
tr -s a
uniq -cd
uniq -D --all-repeated=prepend
date -d '1 week ago' +%F
date -u -d @0 -Iseconds
date --rfc-3339=ns
mkdir -m u=rwx,g-w,+t d
mkdir -m 1777 d
write -m 644 f text
touch -t 202402291200.30 f
touch -d 'next monday' f
mktemp -t x.XXXXXX
mktemp -d --suffix=.d ./a.XXX
test ! -f a
test -n
test a = b
test 1 -eq ' 2 '
test -l a -eq 1
printf '%5.*f|%-*s|%b%%\n' 1 2 3 a b
printf '\c%y'
printf -- '%s\101\x41\u00e9' a
base64 -w0 f
checksum --tag f
fromcsv -d ';' -f f
tocsv -d "$(printf '\t')" f
map -j4 echo a '{}'
env - A=b true
env -0
env -u A -C / true
wc --files0-from=-
tac -r -s 'a\|b' f
ls -l --block-size=K --time-style=+%F
ls -1 --time-style=none-at-all
basename -a a b c
basename -s .c a.c b.c d.c
sed -n '/a/,/b/{p;q}' f
sed -E 's/(a|b)+/\1/2g;ta;:a' f
sed -e 'a\' -e 'text' f
sed -f none 's/a'
sed --sandbox 5q3 f
grep -F '[' f
grep -e a -f none '\('
grep -E 'a{,2}|b' f
grep -Pow '(?<=a)b' f
grep '' f
cp -t d a
cp --preserve=mode,links --no-preserve=all a b
cp -T a b
mv -n a b c d
ln -s a
ln -rs a b
rm -f
"""


@pytest.mark.parametrize("call", RIGHT.strip().splitlines())
def test_a_right_use_is_not_refused(case: ShellCase, call: str) -> None:
    """GNU's programs take all of these; nothing of them runs here."""
    case.line(f"false && {call}; echo after").prints("after\n")


LEFT = [
    'cut -f "$x" f',
    'cut -f"$x" f',
    'cut "$x" f',
    "cut ${x:+-f1} f",
    "cut -d, -f$((1 + 1)) f",
    'head -n "$x" f',
    'sort -k "$x,$x" f',
    'sed "s/$x/b" f',
    'sed "$x" f',
    'sed "s/a" "$x"',  # `-ep`
    'grep "[" "$x"',  # `-F`
    'grep "[$x" f',
    'find "$x" -bogus',  # `-name`
    'find . -name "$x" -size "$x"',
    'test "$x" y z',  # `(` … or `!`
    'test "$x" -eq "$x"',
    'test a "$@" c',
    'cp "$x" a',
    'cp a "$@"',
    "cp a ...$x",
    "diff a *.none",
    'tr a "$x"',
    'seq "$x"',
    'mkdir -m "$x" d',
    'date "+%Y $x"',
    'date "$x"',
    'printf "$x" a',
    'basename "$@" a b c',
    "find . -user nosuchuser-q7",
    "find . -newer none",
]


@pytest.mark.parametrize("call", LEFT)
def test_what_a_value_could_cure_is_left_until_it_is_reached(case: ShellCase, call: str) -> None:
    assert case.line(f"echo before; {call}").stdout.startswith("before\n")


CERTAIN = [
    ('cut -f x "$x"', "x"),
    ('export "$x" 1y', "1y"),
    ('sort -t xx "$x"', "xx"),
    ('mkdir -m z "$x"', "z"),
    ('sleep abc "$x"', "abc"),
    ('test "$x" -eq y', "y"),
    ('printf %y "$x"', "%y"),
    ('seq a "$x"', "a"),
    ('timeout x "$x"', "x"),
    ('find . -name "$x" -size 5q', "5q"),
    ('split -l x "$@"', "x"),
    ('date -d rubbish "+$x"', "rubbish"),
]


@pytest.mark.parametrize(("call", "at"), CERTAIN)
def test_what_no_value_could_cure_is_said_beforehand(case: ShellCase, call: str, at: str) -> None:
    outcome = case.line(f"echo before; {call}")
    assert (outcome.exit, outcome.stdout) == (2, ""), f"\n{outcome}"
    assert marked(outcome.stderr) == at


def test_a_word_that_turns_out_wrong(case: ShellCase) -> None:
    """The call that is reached says the same, on the redirected stderr; the script goes on."""
    case.line('x=y; cut -f "$x" f 2> said; echo $?; cat said').is_(
        """
        exit 0
        -- stdout
        2
        error[E-USAGE]: `cut`: invalid field value 'y'
         --> cut -f y
                    ^
          hint: `cut --help` shows its usage
    """.replace("cut -f y\n", "cut -f y f\n")
    )


OWN = """
cd a b|b
cd -Z a|-Z
cd a b "$x"|b
export 1x=2|1x=2
export "1x=$y"|"1x=$y"
export 1x=$y|1x=$y
export a=$y -q|-q
f() { local 1x; }|1x
shift x|x
shift 1 2|2
exit x|x
exit 1 2|2
f() { return x; }|x
for i in 1; do break 0; done|0
continue a|a
unset 1x|1x
unset -q a|-q
trap 'x' BOGUS|BOGUS
trap 'x' INT KILL|KILL
trap - INT BOGUS "$x"|BOGUS
trap x|trap x
kill -BOGUS 1|-BOGUS
kill -s "$x" abc def|abc
kill|kill
kill -l 999|999
read 1x|1x
read -n x|x
read -r a -q|-q
read -p|-p
jobs x|x
fg 1 2|2
wait -q|-q
command -x ls|-x
command cd a b|b
command|command
type -x a|-x
history x|x
alias 'a b=c'|'a b=c'
alias cd=ls|cd=ls
unalias -q|-q
set -Z|-Z
set -o nosuch|nosuch
set -e x|x
.|.
source|source
"""


@pytest.mark.parametrize(("call", "at"), rows(OWN))
def test_a_wrong_use_of_an_own_word(case: ShellCase, call: str, at: str) -> None:
    outcome = case.line(f"echo before; {call}")
    assert (outcome.exit, outcome.stdout) == (2, ""), f"\n{outcome}"
    assert marked(outcome.stderr) == at, f"\n{outcome}"


def test_commands_of_a_trap_are_read_beforehand(case: ShellCase) -> None:
    outcome = case.line("echo before; trap 'if' INT")
    assert (outcome.exit, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("error[E-SYNTAX]")


@pytest.mark.parametrize(
    "call",
    [
        'cd "$x" a',  # `-P`
        'cd "$@"',
        "cd *.none b",
        'shift "$x"',
        "shift ${x:-1}",
        'exit "$x"',
        'f() { return "$x"; }',
        'unset "$x" y',
        'export "$x"',
        "export x=$y z",
        'kill "$x"',
        'kill -"$x" 1',
        'kill -s "$x" 1',
        'trap "$x" INT',
        'trap - "$x"',
        'read -n "$x" y',
        'command "$x" a',
        'set "$x"',
        "set -- a b",
        'alias "$x"',
        "cd --help",
        "command -v cd ls",
        "if false; then . ./none; cd a b; fi",
        "trap - INT; trap '' TERM; trap : EXIT 15; trap",
        "kill -l; kill -l 9 TERM 137",
        "kill -0 $$; kill -s 0 $$; kill -n 0 -- $$",
        "read -r -d '' -n 1 -t 0 x; read -rsp p y; read -- z",
        "f() { local a b=1; }; f; export -n a; export -- b",
        "shift 0; shift; set -eu +e -o pipefail; unset -f a-b; unset -v b",
        "for i in 1 2; do for j in 1; do continue 2; done; done",
        "exit -1",
    ],
)
def test_a_use_of_an_own_word_that_may_be_right(case: ShellCase, call: str) -> None:
    assert case.line(f"echo before; {call}").stdout.startswith("before\n")


def test_every_example_is_well_used() -> None:
    """Whatever a shipped manifest shows, its builtin has nothing against it."""
    asked = set()
    for name in sorted(NAMES):
        if usage_of(name) is None:
            continue
        spec = shipped.spec_of(name)
        for example in spec.examples:
            bound = check.check(bind.bind(spec, list(example["run"][1:])), {})
            assert refused(bound) == "", example["run"]
            asked.add(name)
    assert len(asked) > 20
