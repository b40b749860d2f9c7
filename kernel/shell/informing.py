"""`command`, `type`, `which`, `help`, `history`: what a word is, and how it is used."""

from __future__ import annotations

import os

from kernel import environment, locate, store
from kernel.errors import KernelError
from kernel.shell import language, refused
from kernel.shell.data import Data, captured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.own_call import Call

USAGE = {
    ":": (":", "does nothing"),
    ".": (". FILE [ARGUMENT…]", "runs the commands of a file in this shell"),
    "source": ("source FILE [ARGUMENT…]", "runs the commands of a file in this shell"),
    "alias": ("alias [NAME=TEXT…]", "gives a command a shorter name at the prompt; alone, lists the aliases"),
    "bg": ("bg [%JOB]", "lets a stopped job run on in the background"),
    "break": ("break [N]", "leaves the loop, or N loops"),
    "cd": ("cd [-L|-P] [DIR|-]", "goes to a directory: home without DIR, back with `-`"),
    "command": ("command [-v|-V] NAME [WORD…]", "runs the program NAME, whatever else has that name; -v says what NAME is"),
    "continue": ("continue [N]", "goes on with the next round of the loop"),
    "exit": ("exit [STATUS]", "ends the shell"),
    "export": ("export [-n] [NAME[=VALUE]…]", "puts variables into the environment of programs; -n takes them out"),
    "fg": ("fg [%JOB]", "brings a job to the foreground"),
    "help": ("help [NAME]", "lists the tools, or shows how one is used"),
    "history": ("history [N]", "lists the lines typed before"),
    "jobs": ("jobs [-l|-p]", "lists the jobs"),
    "kill": ("kill [-SIGNAL] PID|%JOB…", "sends a signal; -l lists the signals"),
    "local": ("local NAME[=VALUE]…", "makes variables of the function that runs"),
    "read": ("read [-r] [-s] [-p PROMPT] [-d CHARACTER] [-n COUNT] [-t SECONDS] [NAME…]", "reads one line into variables"),
    "return": ("return [STATUS]", "leaves the function"),
    "set": ("set [-e] [-u] [-o pipefail] [-- ARGUMENT…]", "turns options on (`-`) or off (`+`), sets the arguments"),
    "shift": ("shift [N]", "drops the first arguments"),
    "trap": ("trap COMMANDS SIGNAL…", "runs commands when a signal comes, or at the end (EXIT); `-` undoes it"),
    "type": ("type NAME…", "says what a word is"),
    "typeof": ("typeof VALUE…", "prints the kind of each value: string, number, bool, null, list, record"),
    "unalias": ("unalias [-a] NAME…", "forgets aliases"),
    "unset": ("unset [-f] NAME…", "forgets variables, or functions"),
    "wait": ("wait [PID|%JOB…]", "waits for jobs of the background"),
    "which": ("which NAME…", "says whether a word is a builtin, a manifest's tool or a program"),
}


def describe_own(name: str) -> int:
    """The usage of an own word on stdout."""
    usage, says = USAGE[name]
    environment.write_out(f"usage: {usage}\n{says}\n")
    return 0


def command_flags(call: Call) -> str:
    """The flags of `command`; the command is left of the words."""
    flags = call.flags("vVp")
    if not call.words:
        raise call.wrong("E-REQUIRED", "the command is missing")
    return flags


def command(call: Call) -> int:
    """Runs a program although something else has its name; `-v` and `-V` say what a word is."""
    flags = command_flags(call)
    if "v" in flags or "V" in flags:
        found = [_brief(call.evaluator, name) if "V" not in flags else _told(call.evaluator, name) for name in call.words]
        environment.write_out("".join([f"{text}\n" for text in found if text]))
        return 0 if all(found) else 1
    name = call.words[0]
    if name in refused.OWN:
        return call.evaluator.own(name, call.fields[1:], call.node)
    has_program = "/" in name or call.evaluator.tools.program(name) or call.evaluator.tools.find(name) is None
    fields = list(call.fields)
    if not has_program:
        running = call.evaluator.calls.prepare(name, fields[1:], call.node)
        return call.evaluator.start(running, False, lambda: " ".join(call.words))
    return call.evaluator.call(call.node, fields, False, programs_only=True)


def _brief(evaluator: Evaluator, name: str) -> str:
    """What `command -v` prints: a path for a program, an alias' definition, else the name; "" for nothing."""
    from kernel.words import quote

    state = evaluator.state
    if name in state.aliases:
        return f"alias {name}={quote(state.aliases[name])}"
    if name in state.functions or name in refused.OWN or evaluator.tools.where(name) is not None:
        return name
    return _program(evaluator, name)


def _program(evaluator: Evaluator, name: str) -> str:
    if "/" in name:
        return name if "\0" not in name and os.access(name, os.X_OK) and os.path.isfile(name) else ""
    return evaluator.tools.program(name)


def _told(evaluator: Evaluator, name: str) -> str:
    """A sentence about what a word is; "" for nothing."""
    state = evaluator.state
    if name in state.aliases:
        return f"{name} is an alias for `{state.aliases[name]}`"
    if name in refused.CLOSERS or name in ("if", "for", "while", "until", "case", "function", "{", "[[", "!"):
        return f"{name} is a word of the language"
    if name in state.functions:
        return f"{name} is a function"
    if name in refused.OWN:
        return f"{name} is a word of the shell"
    where = origin(evaluator, name)
    return f"{name} is {where}" if where else ""


def origin(evaluator: Evaluator, name: str) -> str:
    """`builtin`, a manifest with file and line, or a program's path; "" for nothing."""
    found = evaluator.tools.where(name)
    if found is None:
        path = _program(evaluator, name)
        return f"the program {path}" if path else ""
    try:
        spec = store.load(found)
    except KernelError:
        return f"a broken manifest ({found.file}:1)"
    if spec.builtin and not spec.has_exec and found.directory.shipped:
        return f"a builtin ({found.file}:{spec.place[0] or 1})"
    return f"a tool by its manifest ({found.file}:{spec.place[0] or 1})"


def names_only(call: Call) -> None:
    """Raises KernelError for a flag: `type` and `which` have none."""
    call.flags("")


def kinds(call: Call) -> int:
    """`type NAME…`: status 1 when one is nothing."""
    names_only(call)
    status = 0
    for name in call.words:
        told = _told(call.evaluator, name)
        if told:
            environment.write_out(f"{told}\n")
        else:
            environment.write_error(f"{call.name}: there is no `{name}`\n")
            status = 1
    return status


which = kinds


def help(call: Call) -> int:
    """Lists what can be run, by kind, and what the language has; or shows how one word is used."""
    from kernel.present import manual

    evaluator = call.evaluator
    if call.words:
        name = call.words[0]
        if name in USAGE:
            return describe_own(name)
        if text := language.described(name):
            environment.write_out(text)
            return 0
        if name in refused.COMMANDS:
            environment.write_out(f"`{name}` is not part of the language: {refused.COMMANDS[name] or 'see `help`'}\n")
            return 0
        found = evaluator.tools.where(name)
        if found is None:
            path = _program(evaluator, name)
            if path:
                environment.write_out(f"{name} is the program {path}; `{name} --help` or `man {name}` may say more\n")
                return 0
            raise call.wrong("E-UNKNOWN-TOOL", f"there is nothing called `{name}`", "`help` lists what there is", status=1)
        spec = store.load(found)
        for word in call.words[1:]:
            child = spec.child(word)
            if child is None:
                raise call.wrong("E-SUBCOMMAND", f"`{spec.full_name}` has no subcommand `{word}`")
            spec = child
        manual.show(spec, before=())
        return 0
    environment.write_out(_overview(evaluator))
    return 0


def _overview(evaluator: Evaluator) -> str:
    from kernel.spec import first_sentence

    own_tools: list[tuple[str, str]] = []
    builtins: list[tuple[str, str]] = []
    tools: list[tuple[str, str]] = []
    for found in locate.scan(locate.search_path()):
        if found.broken or found.untrusted or found.hidden_by is not None:
            continue
        try:
            spec = store.load(found)
        except KernelError:
            continue
        if not spec.hidden:
            row = (found.name, first_sentence(spec.description))
            kind = builtins if spec.builtin and not spec.has_exec else tools
            (kind if evaluator.tools.is_shipped(found) else own_tools).append(row)
    own = [(name, usage[1]) for name, usage in sorted(USAGE.items())]
    functions = [(name, "") for name in sorted(evaluator.state.functions)]
    parts = []
    columns = _columns()
    kinds = {
        "tools of your own": own_tools,
        "functions": functions,
        "builtins": builtins,
        "tools that come with it": tools,
        "words of the shell": own,
        "words and signs of the language": language.listed(),
    }
    for title, rows in kinds.items():
        if rows:
            width = max(len(name) for name, _ in rows)
            lines = [f"  {name:<{width}}  {_fitting(says, columns - width - 4)}".rstrip() for name, says in rows]
            parts.append("\n".join([title, *lines, ""]))
    return "\n".join(parts) + "\n`help NAME` shows how one is used.\n"


def _columns() -> int:
    """Those of the terminal on stdout, 0 where there is none: nothing is cut then."""
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 0


def _fitting(text: str, columns: int) -> str:
    """The text on one line of so many columns, cut between words; whole where that leaves nothing to read."""
    from textwrap import shorten

    return shorten(text, columns, placeholder=" …") if len(text) > columns > 20 else text


def line_count(call: Call) -> int | None:
    """How many lines `history` is to list, None for all."""
    call.at_most(1)
    if not call.words:
        return None
    text = call.words[0]
    if not (text.isascii() and text.isdigit()):
        raise call.wrong("E-TYPE", f"`{text}` is no count", at=0)
    return int(text[:18])


def history(call: Call) -> int:
    """Lists the lines typed before, the last N of them."""
    lines = call.evaluator.history
    asked = line_count(call)
    count = len(lines) if asked is None else asked
    first = max(len(lines) - count, 0)
    environment.write_out("".join([f"{number:>5}  {text}\n" for number, text in enumerate(lines[first:], first + 1)]))
    return 0


def typeof(call: Call) -> int:
    """Prints the kind of each value; of JSON on stdin where there is none."""
    fields = call.fields
    if not fields:
        parts = []
        while part := os.read(0, 65536):
            parts.append(part)
        fields = [captured(b"".join(parts).decode("utf-8", "surrogateescape").rstrip("\n"))]
    environment.write_out("".join([f"{field.kind if isinstance(field, Data) else 'string'}\n" for field in fields]))
    return 0
