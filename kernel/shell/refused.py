"""What the language leaves out of bash, each with what to write instead."""

from __future__ import annotations

COMMANDS = {
    "eval": "run the command itself; a value is one word: `$x`",
    "[": "write `[[ … ]]`, or `test …`",
    "declare": "write `name=value`, `local name=value` or `list=[a b]`",
    "typeset": "write `name=value`, `local name=value` or `list=[a b]`",
    "readonly": "write `name=value`",
    "let": "write `x=$((x + 1))`",
    "select": "print the choices, `read` the answer and use `case`",
    "mapfile": "loop over the lines: `while read -r line; do …; done < FILE`",
    "readarray": "loop over the lines: `while read -r line; do …; done < FILE`",
    "shopt": "there are no options but those of `set`: `set -e`, `set -u`, `set -o pipefail`",
    "exec": "run the command; redirect a group: `{ …; } > FILE`",
    "getopts": "loop over the arguments: `while [[ $# -gt 0 ]]; do case $1 in …`",
    "coproc": "run it in the background: `command &`",
    "builtin": "write the command itself, or `command NAME` for the program",
    "enable": "write the command itself, or `command NAME` for the program",
    "bind": "`set -o vi` and `set -o emacs` choose the keys",
    "caller": "an error of the shell says its line",
    "compgen": "a tool's manifest says what completes its words",
    "complete": "a tool's manifest says what completes its words",
    "compopt": "a tool's manifest says what completes its words",
    "dirs": "`pwd` says where you are, `cd -` goes back",
    "disown": "start it with `nohup` or `setsid`",
    "logout": "write `exit`",
    "popd": "write `cd -`",
    "pushd": "write `cd`, and `cd -` for the way back",
    "suspend": "write `kill -STOP $$`",
    "time": "take the difference of two `$(date +%s%N)`, or write `command time …` for the program",
    "times": "take the difference of two `$(date +%s%N)`",
    "ulimit": "write `prlimit … COMMAND`, or set `limits` in a manifest",
    "umask": "set the mode with `chmod` or `install -m`",
    "hash": "`command -v NAME` says what a name runs",
    "fc": "write `history`",
}
OWN = frozenset(
    "cd export set unset alias unalias type command help history jobs fg bg wait kill exit source read local shift trap return "
    "break continue : . which typeof".split()
)  # the shell's own words, which nothing replaces (`which` and `typeof` read what only the shell knows)
VARIABLES = {
    "BASH_ARGC": "`$#` counts the arguments",
    "BASH_ARGV": '`"$@"` are the arguments',
    "BASH_COMMAND": "an error of the shell shows the command",
    "BASH_LINENO": "an error of the shell says its line",
    "BASH_SUBSHELL": "set a variable in the `( … )`",
    "DIRSTACK": "`$PWD` is here, `$OLDPWD` where you were",
    "EPOCHREALTIME": "write `$(date +%s.%6N)`",
    "BASHOPTS": "`set -o` lists the options",
    "SHELLOPTS": "`set -o` lists the options",
    "BASH_REMATCH": "take the part out: `$(sed -nE 's/…(…)…/\\1/p' <<< \"$x\")`",
    "RANDOM": "write `$(shuf -i 0-32767 -n 1)`",
    "SRANDOM": "write `$(shuf -i 0-4294967295 -n 1)`",
    "SECONDS": "take the difference of two `$(date +%s)`",
    "EPOCHSECONDS": "write `$(date +%s)`",
    "LINENO": "an error of the shell says its line",
    "BASHPID": "`$$` is the shell's process number",
    "_": "give the value a name of its own",
    "FUNCNAME": "give the name to the function as an argument",
    "BASH_SOURCE": "`$0` is the script",
}
# what bash sets by itself: an error where nobody else did
UNSET = {
    "EUID": "write `$(id -u)`",
    "GROUPS": "write `$(id -G)`",
    "HOSTNAME": "write `$(hostname)`",
    "HOSTTYPE": "write `$(uname -m)`",
    "MACHTYPE": "write `$(uname -m)`",
    "OSTYPE": "write `$(uname -s)`",
    "PPID": "write `$(ps -o ppid= -p $$)`",
    "UID": "write `$(id -u)`",
}
CONDITIONS = {
    "-a": "write `-e`",
    "-o": "`set -o` lists the options",
    "-v": "write `[[ -n ${NAME+set} ]]`",
    "-R": "write `[[ -n ${NAME+set} ]]`",
}
EXTENDED = (
    "extended patterns are not part of the language",
    "`case` takes several patterns, as in `a|b)`; a condition takes a regular expression: `[[ $x =~ ^(a|b)$ ]]`",
)
_UPPER, _LOWER = "tr a-z A-Z", "tr A-Z a-z"
_CASES = {"^^": _UPPER, ",,": _LOWER, "^": r"sed 's/./\u&/'", ",": r"sed 's/./\l&/'"}
_CONVERSIONS = {"U": _UPPER, "L": _LOWER, "u": _CASES["^"]}
CLOSERS = {
    "then": "if", "elif": "if", "else": "if", "fi": "if", "do": "for` or `while", "done": "for` or `while", "esac": "case",
    "}": "{", "]]": "[[", "in": "for` or `case",
}  # fmt: skip


def expansion(written: str, rest: str) -> tuple[str, str]:
    """What bash's `${…}` is called, and what to write instead. ``written`` is its name with keys, ``rest`` what follows."""
    name, first = written.partition("[")[0], rest[:1]
    value = f'"${name}"' if name == written else f'"${{{written}}}"'
    if first == ":":
        return f"`${{{written}{rest}}}`", f"write {_slice(name, rest[1:])}; the end is not included"
    if first == ".":
        return "access by a dot", f"write `${{{written}[{rest[1:]}]}}`"
    if first == "/":
        return "`${name/…/…}`", f"write `$(sed '{_substitution(rest[1:])}' <<< {value})`"
    if first in ("^", ",", "~"):
        command = _CASES.get(rest, "tr a-zA-Z A-Za-z" if first == "~" else _CASES[first])
        return "changing case in `${…}`", f"write `$({command} <<< {value})`"
    if first == "@":
        command = _CONVERSIONS.get(rest[1:], "")
        hint = f"write `$({command} <<< {value})`" if command else "`help` lists the tools that convert values"
        return "`${name@…}`", f"write `$(printf %q {value})`" if rest == "@Q" else hint
    return f"`${{{written}{rest}}}`", ""


def indirection(rest: str) -> tuple[str, str]:
    """The same for `${!…}`; ``rest`` is what follows the `!`."""
    if rest.endswith(("[@]", "[*]")):
        return "`${!name[@]}`", f'the keys of a record are `$(keys <<< "${rest[:-3]}")`'
    if rest.endswith(("@", "*")):
        return "`${!name*}`", "`set` lists the variables"
    return "`${!name}`", "a record holds values by name: `u={a: 1}`, then `${u[$key]}`"


def _slice(name: str, text: str) -> str:
    """`${s:0:3}` in the form that the language has."""
    low, colon, count = [part.strip() for part in text.partition(":")]
    start, size = _number(low or "0"), _number(count or "0")
    if start is None or size is None or (name in "@*" and start < 1):
        return f"`${{{name}[FROM:TO]}}`"
    start -= name in "@*"  # there `$1` is the first
    end = "" if not colon or (start < 0 <= start + size) else str(size if size < 0 else start + size)
    shown = f"${{{name}[{start}:{end}]}}"
    return f'`"{shown}"`' if name in "@*" else f"`{shown}`"


def _number(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _substitution(text: str) -> str:
    """`a/b`, `/a/b`, `#a/b` or `%a/b` as a command of sed; what is no plain text is left open."""
    every, text = ("g", text[1:]) if text[:1] == "/" else ("", text)
    begins, ends = text[:1] == "#", text[:1] == "%"
    old, _, new = text[begins or ends :].partition("/")
    if not (old and (old + new).replace(" ", "").replace("_", "").replace("-", "").replace(".", "").isalnum()):
        return f"s/…/…/{every}"
    old = old.replace(".", "\\.")
    return f"s/{'^' * begins}{old}{'$' * ends}/{new}/{every}"
