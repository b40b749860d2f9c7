"""Every construct of bash that the language leaves out is an error that says what to write; what it says works."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell_case import ShellCase


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> ShellCase:
    found = ShellCase(tmp_path_factory.mktemp("left-out"))
    return found.file("f", "a 1\nb 2\n").file("d/x.txt", "").file("s.sh", "echo sourced $1\n")


# the line, what its error mentions, a line in the way that it says, what that prints
LEFT_OUT = [
    ("echo `date`", "$(date)", "echo $(echo hi)", "hi\n"),
    ('eval "$x"', "`$x`", "x=echo; $x hi", "hi\n"),
    ("[ -f f ]", "[[ … ]]", "[[ -f f ]] && test -f f && echo yes", "yes\n"),
    ("(( x = 1 ))", "$((…))", "x=$((1 + 2)); [[ $x -lt 4 ]] && echo $x", "3\n"),
    ("let x=1", "$((x + 1))", "x=1; x=$((x + 1)); echo $x", "2\n"),
    ("for ((i = 0; i < 2; i++)); do :; done", "$(seq 0 9)", "for i in $(seq 0 2); do printf $i; done", "012"),
    ("for ((;;)); do :; done", "while [[ $i -lt 10 ]]", "i=8; while [[ $i -lt 10 ]]; do printf $i; i=$((i + 1)); done", "89"),
    ("select x in a b; do :; done", "`read`", "read x <<< b; case $x in a|b) echo $x ;; esac", "b\n"),
    ("coproc cat", "command &", "echo hi & wait", "hi\n"),
    ("exec > out", "{ …; } > FILE", "{ echo hi; } > out; cat out; rm out", "hi\n"),
    ("declare -a x", "local name=value", "f() { local x=2; echo $x; }; f", "2\n"),
    ("typeset -i x", "list=[a b]", "list=[a b]; echo ${list[1]}", "b\n"),
    ("readonly x=1", "name=value", "x=1; echo $x", "1\n"),
    ("x=(a b)", "x=[a b c]", "x=[a b c]; echo ${#x}", "3\n"),
    ("x+=(d)", "x=[...$x …]", "x=[a]; x=[...$x d]; echo $x", '["a","d"]\n'),
    ("x+=b", "x=$x…", "x=a; x=${x}b; echo $x", "ab\n"),
    ("x[0]=a", "u={key: value}", "u={key: value}; echo ${u[key]}", "value\n"),
    ("echo ${!x}", "${u[$key]}", "u={a: 1}; key=a; echo ${u[$key]}", "1\n"),
    ("echo ${!x[@]}", '$(keys <<< "$x")', 'x={a: 1, b: 2}; for k in $(keys <<< "$x"); do printf $k; done', "ab"),
    ("echo ${!x*}", "`set`", "x_y=1; set | grep x_y", "x_y=1\n"),
    ("echo ${x:1:2}", "${x[1:3]}", "x=abcd; echo ${x[1:3]}", "bc\n"),
    ("echo ${x:1}", "${x[1:]}", "x=abcd; echo ${x[1:]}", "bcd\n"),
    ("echo ${x: -2}", "${x[-2:]}", "x=abcd; echo ${x[-2:]}", "cd\n"),
    ("echo ${x: -3:2}", "${x[-3:-1]}", "x=abcd; echo ${x[-3:-1]}", "bc\n"),
    ("echo ${x:1:-1}", "${x[1:-1]}", "x=abcd; echo ${x[1:-1]}", "bc\n"),
    ("echo ${x:$n:2}", "${x[FROM:TO]}", "x=abcd; n=1; echo ${x[$n:$((n + 2))]}", "bc\n"),
    ('echo "${@:2}"', '"${@[1:]}"', 'set -- a "b c" d; printf "<%s>" "${@[1:]}"', "<b c><d>"),
    ('echo "${@:1:1}"', '"${@[0:1]}"', 'set -- "" b; printf "<%s>" "${@[0:1]}" ${@[-1]}', "<><b>"),
    ("echo ${x/a.c/b}", "$(sed 's/a\\.c/b/' <<< \"$x\")", "x=a.cabc; echo $(sed 's/a\\.c/b/' <<< \"$x\")", "babc\n"),
    ("echo ${x//a/b}", "$(sed 's/a/b/g' <<< \"$x\")", "x=aab; echo $(sed 's/a/b/g' <<< \"$x\")", "bbb\n"),
    ("echo ${x/%a/b}", "$(sed 's/a$/b/' <<< \"$x\")", "x=aa; echo $(sed 's/a$/b/' <<< \"$x\")", "ab\n"),
    ("echo ${x/[a]/b}", "$(sed 's/…/…/' <<< \"$x\")", "x=aa; echo $(sed 's/[a]/b/' <<< \"$x\")", "ba\n"),
    ("echo ${x^^}", '$(tr a-z A-Z <<< "$x")', 'x=ab; echo $(tr a-z A-Z <<< "$x")', "AB\n"),
    ("echo ${x,,}", '$(tr A-Z a-z <<< "$x")', 'x=AB; echo $(tr A-Z a-z <<< "$x")', "ab\n"),
    ("echo ${x^}", "$(sed 's/./\\u&/' <<< \"$x\")", "x=ab; echo $(sed 's/./\\u&/' <<< \"$x\")", "Ab\n"),
    ("echo ${x~~}", "tr a-zA-Z A-Za-z", 'x=aB; echo $(tr a-zA-Z A-Za-z <<< "$x")', "Ab\n"),
    ("echo ${x@Q}", '$(printf %q "$x")', "x=\"a'b\"; echo $(printf %q \"$x\")", '"a\'b"\n'),
    ("echo ${x@U}", '$(tr a-z A-Z <<< "$x")', "", ""),
    ("echo ${x.y}", "${x[y]}", "x={y: 1}; echo ${x[y]}", "1\n"),
    ("echo $[1 + 2]", "$((…))", "echo $((1 + 2))", "3\n"),
    ('echo $"hi"', '"…"', 'echo "hi"', "hi\n"),
    ("echo $((x++))", "x += 1", "x=1; echo $((x += 1))", "2\n"),
    ("echo $((--x))", "x -= 1", "x=1; echo $((x -= 1))", "0\n"),
    ("echo $((x ** 2))", "x * x", "x=3; echo $((x * x))", "9\n"),
    ("echo $((1, 2))", "two commands", "", ""),
    ("echo $((16#ff))", "0xff", "echo $((0xff))", "255\n"),
    ("echo $((1.5 * 2))", "jq -n", "", ""),
    ("echo $((010))", "`10`", "echo $((10))", "10\n"),
    ("echo $((a[0]))", "${list[0]}", "list=[4]; echo $((${list[0]} + 1))", "5\n"),
    ("echo hi &>> out", ">> FILE 2>&1", "echo hi >> out 2>&1; cat out; rm out", "hi\n"),
    ("cat <> f", "< FILE", "cat < f", "a 1\nb 2\n"),
    ("cat <&3", "< FILE", "", ""),
    ("echo hi 3> out", "`2>`", "{ echo hi >&2; } 2> out; cat out; rm out", "hi\n"),
    ("echo hi {fd}> out", "`2>`", "", ""),
    ("echo hi >&-", "> /dev/null", "echo hi > /dev/null", ""),
    ("echo hi >& out", "&> FILE", "echo hi &> out; cat out; rm out", "hi\n"),
    ("case a in a) echo 1 ;& b) echo 2 ;; esac", "function", "f() { echo 2; }; case a in a) echo 1; f ;; b) f ;; esac", "1\n2\n"),
    ("case a in @(a|b)) echo y ;; esac", "a|b)", "case a in a|b) echo y ;; esac", "y\n"),
    ("[[ a == @(a|b) ]]", "[[ $x =~ ^(a|b)$ ]]", "x=b; [[ $x =~ ^(a|b)$ ]] && echo y", "y\n"),
    ("ls !(d)", "[[ $x =~ ^(a|b)$ ]]", "", ""),
    ('[[ abc =~ "b" ]]', "[[ $x =~ $re ]]", "x=abc; re='b'; [[ $x =~ $re ]] && echo y", "y\n"),
    ("[[ -v x ]]", "[[ -n ${NAME+set} ]]", "NAME=; [[ -n ${NAME+set} ]] && echo y", "y\n"),
    ("[[ -a f ]]", "`-e`", "[[ -e f ]] && echo y", "y\n"),
    ("[[ -f f -a -d d ]]", "`&&`", "[[ -f f && -d d ]] && echo y", "y\n"),
    ("test -f f -a -d d", "test a && test b", "test -f f && test -d d && echo y", "y\n"),
    ("test \\( f \\)", "[[ a && b ]]", "[[ f && d ]] && echo y", "y\n"),
    ("test -v x", 'test -n "${NAME+set}"', 'NAME=; test -n "${NAME+set}" && echo y', "y\n"),
    ("printf -v x %03d 7", "name=$(printf …)", "name=$(printf %03d 7); echo $name", "007\n"),
    ("mapfile -t x < f", "while read -r line", "while read -r line; do echo \"<$line>\"; done < f", "<a 1>\n<b 2>\n"),
    ("readarray x < f", "done < FILE", "", ""),
    ("getopts a o", "while [[ $# -gt 0 ]]", "set -- a; while [[ $# -gt 0 ]]; do case $1 in a) echo 1 ;; esac; shift; done", "1\n"),
    ("shopt -s extglob", "set -o pipefail", "set -o pipefail; false | true; echo $?", "1\n"),
    ("pushd d", "cd -", 'cd d; cd - > /dev/null; basename "$PWD"', "work\n"),
    ("popd", "cd -", "", ""),
    ("dirs", "`pwd`", "basename $(pwd)", "work\n"),
    ("builtin echo hi", "command NAME", "command echo hi", "hi\n"),
    ("enable -n echo", "command NAME", "", ""),
    ("hash -r", "command -v NAME", "command -v cd", "cd\n"),
    ("caller", "says its line", "", ""),
    ("compgen -c", "manifest", "", ""),
    ("complete -F f x", "manifest", "", ""),
    ("compopt -o x", "manifest", "", ""),
    ("bind -p", "set -o vi", "set -o vi; set -o emacs", ""),
    ("disown", "nohup", "nohup true", ""),
    ("logout", "exit", "exit", ""),
    ("suspend", "kill -STOP $$", "", ""),
    ("times", "$(date +%s%N)", "a=$(date +%s%N); b=$(date +%s%N); [[ $((b - a)) -ge 0 ]] && echo y", "y\n"),
    ("time true", "command time", "", ""),
    ("ulimit -n 9", "prlimit", "", ""),
    ("umask 077", "chmod", "touch out; chmod 600 out; stat -c %a out; rm out", "600\n"),
    ("fc -l", "history", "history", ""),
    ("diff <(sort f) f", "use a pipe", "sort -r f | diff - f > /dev/null; echo $?", "1\n"),
    ("tee >(cat) < f", "command > FILE", "cat f > out; rm out", ""),
    ("echo $(< f)", "$(cat FILE)", 'echo "$(cat f)"', "a 1\nb 2\n"),
    ("echo $-", "set -o", "set -o | grep -c errexit", "1\n"),
    ("echo ${-}", "set -o", "", ""),
    ("echo $RANDOM", "shuf -i 0-32767", "x=$(shuf -i 0-32767 -n 1); [[ $x -ge 0 ]] && echo y", "y\n"),
    ("echo $SECONDS", "date +%s", "[[ $(date +%s) -gt 0 ]] && echo y", "y\n"),
    ("echo $EPOCHREALTIME", "$(date +%s.%6N)", "[[ $(date +%s.%6N) == *.?????? ]] && echo y", "y\n"),
    ("echo $LINENO", "says its line", "", ""),
    ("echo $BASHPID", "`$$`", "[[ $$ -gt 1 ]] && echo y", "y\n"),
    ("echo ${BASH_REMATCH[1]}", "sed -nE", "x=a1; echo $(sed -nE 's/a(.)/\\1/p' <<< \"$x\")", "1\n"),
    ("echo $BASH_SOURCE", "`$0`", "echo $0", "kaish\n"),
    ("echo $FUNCNAME", "argument", "f() { echo $1; }; f f", "f\n"),
    ("echo $DIRSTACK", "$OLDPWD", "cd d; [[ $OLDPWD == */work ]] && echo y", "y\n"),
    ("echo $_", "name of its own", "", ""),
    ("{ echo hi }", "a `;`", "{ echo hi; }", "hi\n"),
    ("f() echo hi", "f() { …; }", "f() { echo hi; }; f", "hi\n"),
    ("read -a x <<< 'a b'", "read -r a b c", "read -r a b c <<< '1 2 3'; echo $c", "3\n"),
    ("read -u 3 x", "< FILE", "read -r x < f; echo $x", "a 1\n"),
    ("set -x", "`-e` (errexit)", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "mention", "instead", "printed"), LEFT_OUT, ids=[row[0] for row in LEFT_OUT])
def test_what_is_left_out_says_what_to_write(case: ShellCase, line: str, mention: str, instead: str, printed: str) -> None:
    outcome = case.line(line if line.startswith(("read -", "set ")) else f"echo before; {line}")
    assert outcome.exit == 2 and not outcome.stdout, outcome
    assert mention in outcome.stderr and "^" in outcome.stderr, outcome
    if not instead:
        return
    found = case.line(instead)
    assert (found.stdout, found.stderr) == (printed, ""), found


@pytest.mark.parametrize("name", ["HOSTNAME", "UID", "EUID", "PPID", "OSTYPE"])
def test_what_bash_sets_by_itself_is_no_empty_text(case: ShellCase, name: str) -> None:
    outcome = case.line(f"echo ${name}")
    assert (outcome.exit, outcome.stdout) == (1, "")
    case.line(f"echo ${{{name}:-none}}; {name}=mine; echo ${name}").prints("none\nmine\n")
    written = outcome.stderr.partition("write `")[2].partition("`")[0]
    assert len(case.line(f"echo {written}").stdout) > 1, outcome


def test_a_reserved_word_stands_right_behind_a_closer(case: ShellCase) -> None:
    case.line("if (true) then echo y; fi; while [[ $((i += 1)) -lt 3 ]] do echo $i; done; { { echo a; } }").prints("y\n1\n2\na\n")
    case.line("for i in 1; do { echo $i; } done; case a in a) (echo b) esac; if true; then { echo c; } fi").prints("1\nb\nc\n")
    assert case.line("(echo a) echo b").exit == 2


def test_the_separators_can_be_kept_and_put_back(case: ShellCase) -> None:
    case.line('old=$IFS; IFS=,; read a b <<< 1,2; IFS=$old; read c d <<< "3 4"; echo $a $b $c $d').prints("1 2 3 4\n")


def test_the_arguments_are_a_list(case: ShellCase, tmp_path: Path) -> None:
    case.line('set -- a "b c" d; printf "<%s>" ${@[1]} "${@[1:]}" "${*[1:]}" ${@[-1]} ${#@}').prints("<b c><b c><d><b c d><d><3>")
    case.line('set -- a; shift; printf "<%s>" x "${@[0:]}"; echo ${@[0]:-none}').prints("<x>none\n")
    assert "the list has no element 3" in case.line("set -- a b; echo ${@[3]}").stderr


def test_a_list_takes_elements_and_files(case: ShellCase) -> None:
    case.line("x=[a b]; x=[...$x c]; echo $x ${#x}").prints('["a","b","c"] 3\n')
    case.line("x=[d/*.txt 'd/*.txt' {k: d/*.txt}]; echo $x").prints('["d/x.txt","d/*.txt",{"k":"d/*.txt"}]\n')
    outcome = case.line("x=[a]; x=[*.none]; echo $? $x")
    assert outcome.stdout == '1 ["a"]\n' and "no file matches" in outcome.stderr
