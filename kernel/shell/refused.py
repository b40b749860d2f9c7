"""Commands of bash that the language leaves out, each with what to write instead."""

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
    "caller": "",
    "compgen": "",
    "complete": "",
    "dirs": "",
    "disown": "start it with `nohup` or `setsid`",
    "logout": "write `exit`",
    "popd": "write `cd -`",
    "pushd": "write `cd`, and `cd -` for the way back",
    "suspend": "",
    "time": "write `command time …` for the program",
    "times": "",
    "ulimit": "set `limits` in a manifest",
    "umask": "set the mode with `chmod` or `install -m`",
    "hash": "",
    "fc": "write `history`",
}
OWN = frozenset(
    "cd export set unset alias unalias type command help history jobs fg bg wait kill exit source read local shift trap return "
    "break continue : . which typeof".split()
)  # the shell's own words, which nothing replaces (`which` and `typeof` read what only the shell knows)
VARIABLES = {
    "BASH_REMATCH": "take the part out: `$(sed -nE 's/…(…)…/\\1/p' <<< \"$x\")`",
    "RANDOM": "write `$(shuf -i 0-32767 -n 1)`",
    "SRANDOM": "write `$(shuf -i 0-4294967295 -n 1)`",
    "SECONDS": "take the difference of two `$(date +%s)`",
    "EPOCHSECONDS": "write `$(date +%s)`",
    "LINENO": "an error of the shell says its line",
    "BASHPID": "`$$` is the shell's process number",
    "_": "give the value a name of its own",
    "FUNCNAME": "",
    "BASH_SOURCE": "`$0` is the script",
}
CLOSERS = {
    "then": "if", "elif": "if", "else": "if", "fi": "if", "do": "for` or `while", "done": "for` or `while", "esac": "case",
    "}": "{", "]]": "[[", "in": "for` or `case",
}  # fmt: skip
