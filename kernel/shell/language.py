"""Help on the language itself: its words and signs, each with its form, what it does, and an example."""

from __future__ import annotations

ENTRIES = {
    "if": (
        "if LIST; then LIST; [elif LIST; then LIST;] [else LIST;] fi",
        "runs what belongs to the first condition whose status is 0",
        "if [[ -f notes ]]; then cat notes; fi",
    ),
    "for": (
        "for NAME in WORD…; do LIST; done",
        "runs a list once for each item: words, the lines of `$(…)`, the elements of a list",
        "for f in *.txt; do wc -l $f; done",
    ),
    "while": (
        "while LIST; do LIST; done",
        "runs a list as long as the condition has status 0",
        "seq 3 | while read n; do echo $((n * n)); done",
    ),
    "until": ("until LIST; do LIST; done", "runs a list as long as the condition fails", "until [[ -e ready ]]; do sleep 1; done"),
    "case": (
        "case WORD in PATTERN [| PATTERN]…) LIST;; … esac",
        "runs the list of the first pattern that matches",
        "case $name in *.txt|*.md) echo text;; *) echo other;; esac",
    ),
    "function": (
        "NAME() { LIST; }",
        'gives commands a name; $1, $2 … "$@" are its arguments',
        "greet() { echo hello $1; }; greet you",
    ),
    "{": ("{ LIST; }", "runs commands in this shell, as one", "{ date; ls; } > log"),
    "(": ("( LIST )", "runs commands in a process of their own, which changes nothing here", "(cd /tmp && ls)"),
    "[[": (
        "[[ CONDITION ]]",
        "compares: == and != texts with patterns, -eq -lt … numbers, =~ a regular expression, -f -d -e -s … files;\n"
        "joined by &&, || and !",
        "[[ $name == *.txt && -s $name ]]",
    ),
    "!": ("! PIPELINE", "turns a status round: 0 where it failed, else 1", "! grep -q x file"),
    "|": ("COMMAND | COMMAND…", "hands what one prints to the next; `|&` its messages too", "sort words | uniq -c"),
    "&&": ("COMMAND && COMMAND", "runs the second where the first succeeded", "mkdir new && cd new"),
    "||": ("COMMAND || COMMAND", "runs the second where the first failed", "test -d new || mkdir new"),
    "&": ("LIST &", "runs commands in the background; see `jobs`, `fg`, `wait`", "sleep 60 &"),
    ">": (
        "COMMAND > FILE, >> FILE, 2> FILE, &> FILE, 2>&1",
        "writes what a command prints into a file; >> at its end, 2> the messages, &> both",
        "ls > list",
    ),
    "<": (
        "COMMAND < FILE, <<< TEXT, <<END",
        "reads from a file, from a text, or from the lines down to END",
        "tr a-z A-Z <<< hello",
    ),
    "$": (
        "$NAME, ${NAME}, ${NAME:-TEXT}, ${LIST[0]}, ${RECORD[key]}, ${#NAME}, ${NAME[0:3]}, ${NAME#PATTERN}, ${NAME%PATTERN}",
        "the value of a variable: always one word, never split",
        "echo ${name:-nobody}",
    ),
    "$(": ("$(LIST)", "what commands print; data where the tool declares JSON", "today=$(date +%F)"),
    "$((": ("$((EXPRESSION))", "whole numbers of any size: + - * / % comparisons, && || ! ?: and bits", "echo $((7 * 6))"),
    "=": (
        "NAME=VALUE [COMMAND]",
        "gives a variable a value, for the one command only where one follows; lists are [a b], records {key: value}",
        "sizes=[1 2 3]; echo ${sizes[0]}",
    ),
    "*": (
        "* ? [abc] **",
        "names of files that match; none that does is an error: `glob --maybe` where there may be none",
        "ls src/**/*.py",
    ),
}
_SAME = {
    **dict.fromkeys(("then", "elif", "else", "fi"), "if"),
    **dict.fromkeys(("do", "done", "in"), "for"),
    "esac": "case",
    ";;": "case",
    "}": "{",
    ")": "(",
    "]]": "[[",
    "|&": "|",
    ">>": ">",
    "2>": ">",
    "&>": ">",
    "2>&1": ">",
    ">&2": ">",
    "<<": "<",
    "<<<": "<",
    "<<-": "<",
    "${": "$",
    "))": "$((",
    "?": "*",
    "**": "*",
    "()": "function",
}


def described(word: str) -> str:
    """The help on a word or sign of the language, "" for none."""
    found = ENTRIES.get(_SAME.get(word, word))
    if found is None:
        return ""
    form, says, example = found
    return f"form: {form}\n{says}\nexample: {example}\n"


def listed() -> list[tuple[str, str]]:
    """Each word or sign, and the first line of what it does."""
    return [(word, says.split("\n")[0]) for word, (_, says, _) in ENTRIES.items()]
