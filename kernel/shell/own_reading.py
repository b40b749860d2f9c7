"""What the shell's own words take of their words. Each raises KernelError for what is wrong with the words alone.

Nothing is changed and nothing looked at, so that a text can be asked about before anything of it runs (L2).
"""

from __future__ import annotations

from kernel.shell.refused import OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.own_call import Call
    from kernel.shell.tree import List


def status(call: Call) -> int | None:
    """The status that `exit` or `return` names."""
    call.at_most(1)
    if not call.words:
        return None
    text = call.words[0].strip()
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise call.wrong("E-TYPE", f"`{text}` is no whole number", at=0)
    return int(text) & 255


def levels(call: Call) -> int:
    """How many loops are left."""
    call.at_most(1)
    text = call.words[0] if call.words else "1"
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise call.wrong("E-TYPE", f"`{text}` is no count of loops", at=0)
    return int(text[:9])


def is_physical(call: Call) -> bool:
    """Whether links are followed as they are, `-P`; at most the directory is left of the words."""
    physical = call.flags("LP")[-1:] == "P"
    call.at_most(1)
    return physical


def exports(call: Call) -> bool:
    """Whether the names, which are left of the words, go to programs; `-n` takes them back."""
    wanted = True
    while call.words and call.words[0] in ("-n", "-p", "--"):
        if call.take() == "-n":
            wanted = False
    for at, text in enumerate(call.words):
        if text[:1] == "-":
            raise call.wrong("E-UNKNOWN-FLAG", f"`{text}` is no flag of it", "its flags: `-n`, `-p`", at=at)
    call.names(assigned=True)
    return wanted


def local_names(call: Call) -> None:
    """Only names may stand there, with values or without."""
    for at, text in enumerate(call.words):
        if text[:1] == "-":
            hint = "write `local name=value`; a list is `local x=[a b]`"
            raise call.wrong("E-UNKNOWN-FLAG", f"`{text}` is no flag of it", hint, at=at)
    call.names(assigned=True)


def settings(call: Call) -> tuple[list[tuple[str, bool]], int | None]:
    """What is turned on or off (`?`: the list is asked for), and where the arguments begin, None for no arguments."""
    from kernel.shell.state import KNOWN

    words = call.words
    changes, rest = _changes(words)
    for name, _, at in changes:
        if name != "?" and name not in KNOWN:
            of_the_prompt = "`-o vi`, `-o emacs`, `-o tables`, `-o progress`"
            hint = f"the options: `-e` (errexit), `-u` (nounset), `-o pipefail`; at the prompt {of_the_prompt}"
            raise call.wrong("E-UNKNOWN-FLAG", f"`{name}` is no option of the shell", hint, at=at)
    if rest is not None and rest < len(words) and words[rest - 1 : rest] != ["--"]:
        hint = f"`set -- {words[rest]}` sets the arguments"
        raise call.wrong("E-TOO-MANY", f"`{words[rest]}` is no option", hint, at=rest)
    return [(name, wanted) for name, wanted, _ in changes], rest


def option_changes(words: list[str]) -> list[tuple[str, bool]]:
    """What words of `set` turn on or off; `?` asks for the list."""
    return [(name, wanted) for name, wanted, _ in _changes(words)[0]]


def _changes(words: list[str]) -> tuple[list[tuple[str, bool, int]], int | None]:
    """(option, whether it is turned on, place of its word) each, and where the arguments begin, None for no arguments."""
    from kernel.shell.state import KNOWN

    letters = {letter: name for name, letter in KNOWN.items() if letter}
    changes: list[tuple[str, bool, int]] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word == "--":
            return changes, index
        if word[:1] not in ("-", "+") or len(word) == 1:
            return changes, index - 1
        for letter in word[1:]:
            if letter == "o":
                changes.append((words[index] if index < len(words) else "?", word[0] == "-", index))
                index += 1
            else:
                changes.append((letters.get(letter, f"{word[0]}{letter}"), word[0] == "-", index - 1))
    return changes, None


def of_functions(call: Call) -> bool:
    """Whether the words left name functions."""
    functions = "f" in call.flags("fv")
    if not functions:
        call.names()
    return functions


def count(call: Call) -> int:
    """How many arguments go."""
    call.at_most(1)
    text = call.words[0] if call.words else "1"
    if not (text.isascii() and text.isdigit()):
        raise call.wrong("E-TYPE", f"`{text}` is no count", at=0)
    return int(text[:18])


def alias_names(call: Call) -> None:
    """What gets a text must be a name that may be given one."""
    for at, word in enumerate(call.words):
        name, equals, _ = word.partition("=")
        if equals and (not name or any(character in " \t\n'\"\\$`|&;<>()/=" for character in name)):
            raise call.wrong("E-TYPE", f"`{name}` is no name of an alias", at=at)
        if equals and name in OWN:
            raise call.wrong("E-TYPE", f"`{name}` is a word of the shell and cannot be replaced", at=at)


def all_aliases(call: Call) -> bool:
    """Whether all are meant."""
    return "a" in call.flags("a")


def trapped(call: Call) -> tuple[str, list[str], List | None] | None:
    """The text, the names of the signals and the commands (None: none); no text where the traps are asked for."""
    from kernel.shell import parser
    from kernel.shell.signals import NEVER, name_of
    from kernel.shell.source import Source

    if "p" in call.flags("p") or not call.words:
        return None
    action = call.words[0]
    if len(call.words) == 1:
        raise call.wrong("E-REQUIRED", "the signals are missing", "as in `trap 'rm -f tmp' EXIT`")
    found = []
    for at, text in enumerate(call.words[1:], 1):
        name = name_of(text)
        if not name or name in NEVER:
            hint = "`EXIT`, `INT`, `TERM`, `HUP` …"
            raise call.wrong("E-CHOICE", f"`{text}` is no signal that can be trapped", hint, at=at)
        found.append(name)
    commands = None
    if action not in ("", "-"):
        commands = parser.parse(Source(action, "trap"), call.evaluator.state.aliases)
    return action, found, commands
