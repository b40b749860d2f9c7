"""The language of the shell beyond the corpus: what is left out says what to write, errors have carets and statuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from shell_case import ShellCase


@pytest.fixture
def case(tmp_path: Path) -> ShellCase:
    return ShellCase(tmp_path)


@pytest.mark.parametrize(
    ("script", "hint"),
    [
        ("echo `date`", "write `$(date)`"),
        ("eval ls", "run the command itself"),
        ("cat <(ls)", "use a pipe"),
        ("echo ${s:1:2}", "write `${s[1:3]}`"),
        ("echo ${s:2}", "write `${s[2:]}`"),
        ("echo ${s/a/b}", "sed"),
        ("echo ${s^^}", "tr a-z A-Z"),
        ("echo ${!s}", "${u[$key]}"),
        ("echo ${u.name}", "write `${u[name]}`"),
        ("echo $[1+1]", "write `$((…))`"),
        ('echo $"x"', 'write `"…"`'),
        ("[ a = b ]", "write `[[ … ]]`"),
        ("test a = a -a b = b", "[[ a && b ]]"),
        ("test \\( a = a \\) -o b", "[[ a && b ]]"),
        ("x=(1 2)", "write `x=[a b c]`"),
        ("x+=1", "write `x=$x…`"),
        ("x[0]=1", "`x=[a b]`"),
        ("declare -a x", "list=[a b]"),
        ("let x=1", "$((x + 1))"),
        ("((x++))", "x=$((…))"),
        ("for ((i=0; i<3; i++)); do :; done", "for i in $(seq 0 9)"),
        ("select x in a b; do :; done", "case"),
        ("exec ls", "run the command"),
        ("echo $RANDOM", "shuf"),
        ("echo $((x++))", "write `x += 1`"),
        ("echo $((2**3))", "multiply"),
        ("echo $((08))", "write `8`"),
        ("[[ abc =~ 'a' ]]", "re='…'"),
        ("[[ a == a -a b == b ]]", "write `&&`"),
        ("case x in x) ls ;& y) ls;; esac", "function"),
        ("cat < a < b", "keep one of them"),
        ("echo a 3> f", "0 is read with `<`"),
        ("echo a &>> f", "write `>> FILE 2>&1`"),
        ("cat f >&-", "write `> /dev/null`"),
        ("x=$(< f)", "write `$(cat FILE)`"),
        ("time ls", "command time"),
        ("x={a,b}", "x='{a,b}'"),
        ("x=[0-9]*", "x='…'"),
        ("cd() { ls; }", ""),
        ("echo a(b)", "'(…)'"),
        ("echo a\r\necho b", "tr -d '\\r'"),
        ("set -x", "`-e` (errexit)"),
    ],
)
def test_what_is_left_out_says_what_to_write(case: ShellCase, script: str, hint: str) -> None:
    outcome = case.line(f"echo before\n{script}")
    assert (outcome.exit, outcome.stdout) == (2, ""), f"\n{outcome}"
    assert " --> -c:2:" in outcome.stderr and "^" in outcome.stderr
    assert hint in outcome.stderr


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("if true; then echo", "`if` is not closed by `fi`"),
        ("for i in a; do echo", "`for` is not closed by `done`"),
        ("while true; do", "`while` is not closed by `done`"),
        ("case x in", "`case` is not closed by `esac`"),
        ("f() {", "`{` is not closed by `}`"),
        ("( ls", "`(` is not closed by `)`"),
        ("echo $(ls", "`$(` is not closed"),
        ("echo 'a", "the quote `'` is not closed"),
        ('echo "a', 'the quote `"` is not closed'),
        ("echo ${x", "`${` is not closed"),
        ("ls |", "a command is missing behind `|`"),
        ("ls &&", "a command is missing behind `&&`"),
        ("cat <<EOF\nx", "no line `EOF`"),
        ("fi", "`fi` stands without `if`"),
        ("done", "`done` stands without `for` or `while`"),
        ("}", "`}` stands without `{`"),
        ("ls ;; ls", "`;;` is not expected here"),
        ("| ls", "`|` is not expected here"),
        ("if ; then ls; fi", "`;` is not expected here"),
        ("cat <", "a file is missing behind `<`"),
        ("[[ -f ]", "`[[` is not closed"),
        ("[[ a == ]]", "the right side of `==` is missing"),
    ],
)
def test_a_text_that_is_no_commands_runs_nothing(case: ShellCase, script: str, what: str) -> None:
    outcome = case.line(f"echo before\n{script}")
    assert (outcome.exit, outcome.stdout) == (2, ""), f"\n{outcome}"
    assert what in outcome.stderr, outcome.stderr


def test_an_error_points_at_its_word(case: ShellCase) -> None:
    case.line("x=[1 2]\necho ${x[5]}; echo $?").is_("""
        exit 0
        -- stdout
        1
        -- stderr
        error[E-EXPAND]: the list has no element 5
         --> -c:2:6
        2 | echo ${x[5]}; echo $?
          |      ^^^^^^^
          hint: it has 2 elements, 0 to 1; `${x[5]:-…}` gives a default
    """)


@pytest.mark.parametrize(
    ("script", "stdout", "status"),
    [
        # words
        ("x='a  b'; printf '<%s>' $x; echo", "<a  b>\n", 0),
        ("printf '<%s>' $none; echo", "<>\n", 0),
        ("printf '<%s>' a{1..3}b {a..e..2} {03..1} {a,b{1,2}}; echo", "<a1b><a2b><a3b><a><c><e><03><02><01><a><b1><b2>\n", 0),
        ("printf '<%s>' {a,} x{} {} {a..} '{a,b}' \"{a,b}\"; echo", "<a><x{}><{}><{a..}><{a,b}><{a,b}>\n", 0),
        ("printf '<%s>' $'a\\tb\\x41\\u00e9\\101\\'' ; echo", "<a\tbAéA'>\n", 0),
        ("HOME=/h; printf '<%s>' ~ ~/a a~ '~' ~nobodyhere; x=~:~/b; echo $x", "</h></h/a><a~><~><~nobodyhere>/h:/h/b\n", 0),
        ('set -- a \'b c\'; printf \'<%s>\' "$@" "x$@y" "$*" $#; echo', "<a><b c><xa><b cy><a b c><2>\n", 0),
        ("set --; printf '<%s>' \"$@\" z; echo", "<z>\n", 0),
        ("f() { shift; echo $1 $#; }; f a b c", "b 2\n", 0),
        # parameters
        ("x=a.b.c; echo ${x#*.} ${x##*.} ${x%.*} ${x%%.*} ${x#z}", "b.c c a.b a a.b.c\n", 0),
        ("x=a/b; y='*'; echo ${x#\"$y\"} ${x%/*}", "a/b a\n", 0),
        ("echo ${a:-d} ${a:=e} $a ${a:+f} ${b+g}${c-h}", "d e e f h\n", 0),
        ("s=abcdef; echo ${s[1:3]} ${s[2:]} ${s[:2]} ${s[-2:]} ${#s}", "bc cdef ab ef 6\n", 0),
        # typed values
        ("x=[1 2.50 'a b' true]; echo $x ${x[-1]} ${#x}", '[1,2.5,"a b",true] true 4\n', 0),
        ("x=[a [b c] {k: v}]; echo ${x[1][0]} ${x[2][k]}; y=[...]; echo $y", 'b v\n["..."]\n', 0),
        ("x=[a b]; y=[z \"${x[@]}\"]; echo $y; printf '<%s>' ...$x; echo", '["z","a","b"]\n<a><b>\n', 0),
        ("u={a: 1, 'b c': [x]}; echo ${u[b c][0]}; k=a; echo ${u[$k]} \"$u\"", 'x\n1 {"a":1,"b c":["x"]}\n', 0),
        ("x=$(fromjson <<< '[1.0, 1e3]'); echo \"$x\" ${x[0]} ${x[1]}", "[1.0,1e3] 1.0 1e3\n", 0),
        ('x=[x]; typeof $x "$x" ${x[0]}', "list\nstring\nstring\n", 0),
        ("u={a: 1}; [[ a in $u ]] && [[ b not in $u ]] && [[ ell in hello ]] && echo in", "in\n", 0),
        ('x=[1 2]; for i in $x; do printf \'<%s>\' $i; done; for i in "$x"; do echo "<$i>"; done', "<1><2><[1,2]>\n", 0),
        # arithmetic
        ("echo $((1 ? 2 : 3)) $((0 ? 2 : 3)) $((7/-2)) $((-7%3)) $((1<<70)) $((0x1F))", "2 3 -3 -1 1180591620717411303424 31\n", 0),
        ("a=5 b=-3; echo $((a-$b)) $((a=b)) $a $((!a || 0 && x)) $((2,3)) ; echo never", "", 2),
        ("a=5 b=-3; echo $((a-$b)) $((a=b)) $a $((!a || 0 && x))", "8 -3 -3 0\n", 0),
        ("x=abc; echo $((x + 1)); echo $?", "1\n", 0),
        ("echo $((1/0)) || echo caught", "caught\n", 0),
        # conditions
        ("[[ b > a && a < b && ! a > b ]] && [[ abc != a? && (x == x || y == z) ]] && echo ok", "ok\n", 0),
        ("x='a*'; [[ abc == $x ]] && echo pattern; [[ abc == \"$x\" ]] || echo text", "pattern\ntext\n", 0),
        ("re='^(a|b)+$'; [[ abab =~ $re ]] && [[ 'a b' =~ ^a\\ b$ ]] && [[ abc !~ ^(b|c) ]] && echo ok", "ok\n", 0),
        ("[[ 10 -gt 9 && 007 -eq 7 && 0x10 -eq 16 ]] && echo ok; [[ x -gt 1 ]]; echo $?", "ok\n1\n", 0),
        # flow
        (
            "for i in 1 2 3; do for j in 1 2; do [[ $j == 2 ]] && continue 2; [[ $i == 3 ]] && break 2; echo $i$j; done; done",
            "11\n21\n",
            0,
        ),
        ("i=0; until [[ $i -ge 3 ]]; do i=$((i+1)); done; echo $i", "3\n", 0),
        ("f() { return 7; }; f; echo $?; f || echo $?; ! f; echo $?", "7\n7\n0\n", 0),
        ("f() { local x=1; x=2; echo $x; }; x=0; f; echo $x", "2\n0\n", 0),
        ("x=1; (x=2; cd /; exit 3); echo $? $x; [[ $PWD == / ]] || echo here", "3 1\nhere\n", 0),
        ("echo a | read x; echo $x; n=0; printf '1\\n2\\n' | while read i; do n=$((n+i)); done; echo $n", "a\n3\n", 0),
        ("true | false | (exit 3); echo ${PIPESTATUS[@]} ${PIPESTATUS[1]}", "0 1 3 1\n", 0),
        ("set -o pipefail; false | true; echo $?; (exit 4) | (exit 5) | true; echo $?", "1\n5\n", 0),
        ("set -e; f() { false; echo in; }; f || echo no; f && echo yes; (false; echo never); echo never", "in\nin\nyes\n", 1),
        ("set -u; echo ${x:-ok}; echo $x; echo never", "ok\n", 1),
        ("trap '' INT; trap 'echo x' USR1; trap - USR1; trap; find . -name gone -delete; echo $?", "trap -- '' SIGINT\n0\n", 0),
        ("trap 'echo bye $?' EXIT; trap 'echo usr' USR1; kill -USR1 $$; exit 3", "usr\nbye 3\n", 3),
        ("while true; do echo y; done | head -n 2; echo ${PIPESTATUS[0]}", "y\ny\n141\n", 0),
        ('A=1 sh -c \'echo $A\'; echo "[$A]"; f() { echo $A; }; A=2 f; echo "[$A]"', "1\n[]\n2\n[]\n", 0),
        ("IFS=: read -r a b <<< '1:2:3'; echo $a $b; IFS=, ; set -- x y; echo \"$*\"", "1 2:3\nx,y\n", 0),
        ("nosuchprogram-q7 2>/dev/null; echo $?; ./none 2>/dev/null; echo $?; / 2>/dev/null; echo $?", "127\n127\n126\n", 0),
        (
            "echo a > f; echo b >> f; { echo c; echo e >&2; } >> f 2>&1; cat f; cat < none || echo $?",
            "a\nb\nc\ne\n1\n",
            0,
        ),
        ("cat <<-EOF\n\tx $((1+1))\n\tEOF\ncat <<'E'\n$x `a`\nE\ncat <<< \"$(echo q)\"", "x 2\n$x `a`\nq\n", 0),
    ],
)
def test_the_language(case: ShellCase, script: str, stdout: str, status: int) -> None:
    outcome = case.line(script)
    assert (outcome.exit, outcome.stdout) == (status, stdout), f"\n{outcome}"


def test_a_list_is_no_word_for_a_program(case: ShellCase) -> None:
    outcome = case.line("x=[1 2]; /bin/echo $x; echo $?; /bin/echo ...$x; echo $x")
    assert outcome.stdout == "1\n1 2\n[1,2]\n"
    assert "`...$x` passes one word per element" in outcome.stderr


def test_functions_that_never_end_are_an_error(case: ShellCase) -> None:
    outcome = case.line("f() { f; }; f; echo $?")
    assert (outcome.exit, outcome.stdout) == (0, "1\n")
    assert "more than 500 deep" in outcome.stderr


def test_globs(case: ShellCase) -> None:
    for name in ("a.txt", "b c.txt", ".hid", "d/e.txt", "d/f/g.txt", "[x]"):
        case.file(name)
    case.line("printf '<%s>' *.txt .h* d/* ** */ [[]x] \"*\" [a-b]*.txt; echo").prints(
        "<a.txt><b c.txt><.hid><d/e.txt><d/f><[x]><a.txt><b c.txt><d><d/e.txt><d/f><d/f/g.txt><d/><[x]><*><a.txt><b c.txt>\n"
    )
    outcome = case.line("echo *.none; echo $?; echo x > *.txt; echo $?")
    assert outcome.stdout == "1\n1\n"
    assert "no file matches `*.none`" in outcome.stderr and "`*.txt` is 2 files" in outcome.stderr


def test_help_shows_a_tool_as_it_is_typed_here(case: ShellCase) -> None:
    for line in ("help seq", "seq --help", "{ seq --help; }", "seq --help | cat"):
        shown = case.line(line).stdout
        assert "\n  seq [FLAGS] " in shown and "\nexamples\n  seq " in shown, shown


def test_help_lists_ones_own_tools_first(case: ShellCase) -> None:
    case.file("tools.d/zebra.yaml", "description: Z.\neffect: read\nexec: [echo]\n")
    case.file(
        "tools.d/ten.yaml",
        "description: T.\neffect: read\nbuiltin: seq\nparams: [{name: numbers, positional: true, repeatable: true}]\n",
    )
    lines = case.line("help").stdout.splitlines()
    assert lines[0] == "tools of your own"
    own = [line.split()[0] for line in lines[1 : lines.index("")]]
    assert {"zebra", "ten"} <= set(own) and "seq" not in own
    titles = [line for line in lines if line and line[0] != " "]
    assert titles.index("builtins") < titles.index("tools that come with it") < titles.index("words of the shell")
