"""The shell's own words: what only the shell itself can do. Nothing replaces them (L5)."""

from __future__ import annotations

import os

from kernel import environment
from kernel.errors import KernelError, Problem
from kernel.shell.control import Break, Exit, Return
from kernel.shell.data import text_of
from kernel.shell.scanner import is_name
from kernel.shell.tree import Assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.shell.data import Field
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Simple

    Own = Callable[["Call"], int]


class Call:
    """A call of an own word: its words as fields and as texts."""

    __slots__ = ("evaluator", "fields", "name", "node", "words")

    def __init__(self, evaluator: Evaluator, name: str, fields: list[Field], node: Simple) -> None:
        self.evaluator = evaluator
        self.name = name
        self.fields = fields
        self.words = [text_of(field) for field in fields]
        self.node = node

    def wrong(self, code: str, message: str, hint: str = "", status: int | None = None) -> KernelError:
        """An error about the call; its place is the whole call."""
        place = self.node.source.place(self.node.start, self.node.end)
        return KernelError([Problem(code, f"`{self.name}`: {message}", place, hint)], status=status)

    def flags(self, known: str) -> str:
        """Takes the leading one-letter flags off the words. Raises KernelError for another one."""
        given = ""
        while self.words and self.words[0][:1] == "-" and self.words[0] != "-":
            word = self.words.pop(0)
            self.fields.pop(0)
            if word == "--":
                break
            for letter in word[1:]:
                if letter not in known:
                    wanted = ", ".join([f"`-{each}`" for each in known]) or "none"
                    raise self.wrong("E-UNKNOWN-FLAG", f"`{word}` is no flag of it", f"its flags: {wanted}")
                given += letter
        return given

    def at_most(self, count: int) -> None:
        if len(self.words) > count:
            raise self.wrong("E-TOO-MANY", f"it takes at most {count} operand{'s' * (count != 1)}, not {len(self.words)}")


def run(evaluator: Evaluator, name: str, own: Own, fields: list[Field], node: Simple) -> int:
    """Runs an own word. Raises KernelError for a wrong use of it (2)."""
    if len(fields) == 1 and fields[0] == "--help" and name != ":":
        from kernel.shell import informing

        return informing.describe_own(name)
    return own(Call(evaluator, name, fields, node))


def _nothing(call: Call) -> int:
    return 0


def _status(call: Call, default: int) -> int:
    call.at_most(1)
    if not call.words:
        return default
    text = call.words[0].strip()
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise call.wrong("E-TYPE", f"`{text}` is no whole number")
    return int(text) & 255


def _exit(call: Call) -> int:
    raise Exit(_status(call, call.evaluator.state.status))


def _return(call: Call) -> int:
    status = _status(call, call.evaluator.state.status)
    if not (call.evaluator.depth or call.evaluator.sourced):
        raise call.wrong("E-EXPAND", "it stands outside a function", "`exit` ends the shell", status=2)
    raise Return(status)


def _break(call: Call) -> int:
    call.at_most(1)
    levels = call.words[0] if call.words else "1"
    if not (levels.isascii() and levels.isdigit() and int(levels[:9]) > 0):
        raise call.wrong("E-TYPE", f"`{levels}` is no count of loops")
    if not call.evaluator.loops:
        raise call.wrong("E-EXPAND", "it stands outside a loop")
    raise Break(int(levels[:9]), call.name == "continue")


def _cd(call: Call) -> int:
    physical = call.flags("LP")[-1:] == "P"
    call.at_most(1)
    state = call.evaluator.state
    if call.words:
        target = call.words[0]
        if target == "-":
            target = _text(state.get("OLDPWD"))
            if not target:
                raise call.wrong("E-FILE", "there is no directory to go back to", status=1)
    else:
        target = _text(state.get("HOME"))
        if not target:
            raise call.wrong("E-FILE", "`HOME` is not set", status=1)
    here = _text(state.get("PWD")) or environment.working_directory()
    path = target if physical else os.path.normpath(os.path.join(here, target)) if target else here
    try:
        try:
            os.chdir(path)
        except FileNotFoundError:
            os.chdir(target)  # what `..` means where the way here led through a link that is gone
            physical = True
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name holds a NUL byte"
        raise call.wrong("E-FILE", f"`{target}` cannot be entered: {reason}", status=1) from None
    if path[:2] == "//" and path[:3] != "///":
        path = path[1:]
    state.assign("OLDPWD", here)
    state.assign("PWD", environment.working_directory() if physical else path)
    call.evaluator.tools.stale()
    if call.words == ["-"]:
        environment.write_out(f"{_text(state.get('PWD'))}\n")
    return 0


def _text(field: Field | None) -> str:
    return "" if field is None else text_of(field)


def _declared(call: Call) -> list[tuple[str, Field | None]]:
    """The operands of `export` and `local`: names with their values, None where there is none."""
    found: list[tuple[str, Field | None]] = []
    if call.node.declared is None or call.node.words[0].plain != call.name:
        for text in call.words:
            name, equals, value = text.partition("=")
            found.append((name, value if equals else None))
    else:
        for operand in call.node.declared:
            if isinstance(operand, Assignment):
                found.append((operand.name, call.evaluator.declare(operand)))
                continue
            for field in call.evaluator.expander.fields([operand]):
                name, equals, value = text_of(field).partition("=")
                found.append((name, value if equals else None))
    for name, _ in found:
        if not is_name(name) and name[:1] != "-":
            raise call.wrong("E-TYPE", f"`{name}` is no name of a variable", "ASCII letters, digits and `_`, no digit first")
    return found


def _export(call: Call) -> int:
    state = call.evaluator.state
    operands = _declared(call)
    wanted = True
    while operands and operands[0][0] in ("-n", "-p", "--"):
        wanted = wanted and operands[0][0] != "-n"
        del operands[0]
    for name, _ in operands:
        if name[:1] == "-":
            raise call.wrong("E-UNKNOWN-FLAG", f"`{name}` is no flag of it", "its flags: `-n`, `-p`")
    if not operands:
        lines = [f"export {name}={_quoted(state.variables.get(name))}\n" for name in sorted(state.exported)]
        environment.write_out("".join(lines))
    for name, value in operands:
        if value is not None:
            state.assign(name, value)
        state.export(name, wanted)
    return 0


def _quoted(field: Field | None) -> str:
    from kernel.words import quote

    return "" if field is None else quote(text_of(field))


def _local(call: Call) -> int:
    state = call.evaluator.state
    operands = _declared(call)
    if not state.frames:
        raise call.wrong("E-EXPAND", "it stands outside a function")
    frame = state.frames[-1]
    for name, value in operands:
        if name[:1] == "-":
            raise call.wrong("E-UNKNOWN-FLAG", f"`{name}` is no flag of it", "write `local name=value`; a list is `local x=[a b]`")
        if name not in frame:
            frame[name] = state.remember(name)
            if value is None:
                exported = name in state.exported
                state.unset(name)
                if exported:
                    state.exported.add(name)
        if value is not None:
            state.assign(name, value)
    return 0


def _set(call: Call) -> int:
    from kernel.shell.state import KNOWN

    state, words = call.evaluator.state, list(call.words)
    if not words:
        lines = [f"{name}={_quoted(value)}\n" for name, value in sorted(state.variables.items())]
        environment.write_out("".join(lines))
        return 0
    changes, rest = option_changes(words)
    for name, wanted in changes:
        if name == "?":
            environment.write_out("".join([f"{known:<15}{'on' if on else 'off'}\n" for known, on in state.options.items()]))
        elif name not in KNOWN:
            raise unknown_option(call, name)
        else:
            state.set_option(name, wanted)
    if rest is not None:
        if rest < len(words) and words[rest - 1 : rest] != ["--"]:
            raise call.wrong("E-TOO-MANY", f"`{words[rest]}` is no option", f"`set -- {words[rest]}` sets the arguments")
        state.arguments = list(call.fields[rest:])
    return 0


def option_changes(words: list[str]) -> tuple[list[tuple[str, bool]], int | None]:
    """What words of `set` turn on or off (`?`: the list is asked for), and where the arguments begin (None: no arguments)."""
    from kernel.shell.state import KNOWN

    letters = {letter: name for name, letter in KNOWN.items() if letter}
    changes: list[tuple[str, bool]] = []
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
                changes.append((words[index] if index < len(words) else "?", word[0] == "-"))
                index += 1
            else:
                changes.append((letters.get(letter, f"{word[0]}{letter}"), word[0] == "-"))
    return changes, None


def unknown_option(call: Call, name: str) -> KernelError:
    """The error for an option that the shell does not have."""
    of_the_prompt = "`-o vi`, `-o emacs`, `-o tables`, `-o progress`"
    hint = f"the options: `-e` (errexit), `-u` (nounset), `-o pipefail`; at the prompt {of_the_prompt}"
    return call.wrong("E-UNKNOWN-FLAG", f"`{name}` is no option of the shell", hint)


def _unset(call: Call) -> int:
    functions = "f" in call.flags("fv")
    for name in call.words:
        if functions:
            call.evaluator.state.functions.pop(name, None)
        elif is_name(name):
            call.evaluator.state.unset(name)
        else:
            raise call.wrong("E-TYPE", f"`{name}` is no name of a variable")
    return 0


def _shift(call: Call) -> int:
    call.at_most(1)
    state = call.evaluator.state
    count = call.words[0] if call.words else "1"
    if not (count.isascii() and count.isdigit()):
        raise call.wrong("E-TYPE", f"`{count}` is no count")
    if int(count) > len(state.arguments):
        return 1
    state.arguments = state.arguments[int(count) :]
    return 0


def _alias(call: Call) -> int:
    aliases = call.evaluator.state.aliases
    status = 0
    for word in call.words or sorted(aliases):
        name, equals, value = word.partition("=")
        if equals:
            if not name or any(character in " \t\n'\"\\$`|&;<>()/=" for character in name):
                raise call.wrong("E-TYPE", f"`{name}` is no name of an alias")
            if name in TABLE:
                raise call.wrong("E-TYPE", f"`{name}` is a word of the shell and cannot be replaced")
            aliases[name] = value
        elif name in aliases:
            environment.write_out(f"alias {name}={_quoted(aliases[name])}\n")
        else:
            environment.write_error(f"alias: there is no alias `{name}`\n")
            status = 1
    return status


def _unalias(call: Call) -> int:
    aliases = call.evaluator.state.aliases
    if "a" in call.flags("a"):
        aliases.clear()
    missing = [name for name in call.words if aliases.pop(name, None) is None]
    for name in missing:
        environment.write_error(f"unalias: there is no alias `{name}`\n")
    return 1 if missing else 0


def _trap(call: Call) -> int:
    from kernel.shell import parser
    from kernel.shell.signals import NEVER, name_of
    from kernel.shell.source import Source

    signals = call.evaluator.signals
    if "p" in call.flags("p") or not call.words:
        for name, (text, _) in signals.traps.items():
            environment.write_out(f"trap -- {_quoted(text)} {name if name == 'EXIT' else 'SIG' + name}\n")
        return 0
    action, *names = call.words
    if not names:
        raise call.wrong("E-REQUIRED", "the signals are missing", "as in `trap 'rm -f tmp' EXIT`")
    found = []
    for text in names:
        name = name_of(text)
        if not name or name in NEVER:
            raise call.wrong("E-CHOICE", f"`{text}` is no signal that can be trapped", "`EXIT`, `INT`, `TERM`, `HUP` …")
        found.append(name)
    commands = None
    if action not in ("", "-"):
        commands = parser.parse(Source(action, "trap"), call.evaluator.state.aliases)
    for name in found:
        if action == "-":
            signals.untrap(name)
        else:
            signals.trap(name, action, commands)
    return 0


def _later(module: str, function: str) -> Own:
    """An own word whose code is loaded when it is first used."""

    def loaded(call: Call) -> int:
        import sys

        name = f"kernel.shell.{module}"
        __import__(name)
        status: int = getattr(sys.modules[name], function)(call)
        return status

    return loaded


TABLE: dict[str, Own] = {
    ":": _nothing,
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _break,
    "cd": _cd,
    "export": _export,
    "local": _local,
    "set": _set,
    "unset": _unset,
    "shift": _shift,
    "alias": _alias,
    "unalias": _unalias,
    "trap": _trap,
    "typeof": _later("informing", "typeof"),
    ".": _later("sourcing", "source"),
    "source": _later("sourcing", "source"),
    "read": _later("reading", "read"),
    "jobs": _later("job_words", "jobs"),
    "fg": _later("job_words", "foreground"),
    "bg": _later("job_words", "background"),
    "wait": _later("job_words", "wait"),
    "kill": _later("job_words", "kill"),
    "command": _later("informing", "command"),
    "type": _later("informing", "kinds"),
    "which": _later("informing", "which"),
    "help": _later("informing", "help"),
    "history": _later("informing", "history"),
}
