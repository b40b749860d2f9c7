"""The shell's own words: what only the shell itself can do. Nothing replaces them (L5)."""

from __future__ import annotations

import os
import sys

from kernel import environment
from kernel.shell import own_reading
from kernel.shell.control import Break, Exit, Return
from kernel.shell.data import text_of
from kernel.shell.own_call import Call
from kernel.shell.tree import Assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kernel.shell.data import Field
    from kernel.shell.evaluate import Evaluator
    from kernel.shell.tree import Simple, Word

    Own = Callable[[Call], int]
    Reader = Callable[[Call], object]


def run(evaluator: Evaluator, name: str, own: Own, fields: list[Field], node: Simple) -> int:
    """Runs an own word. Raises KernelError for a wrong use of it (2)."""
    if len(fields) == 1 and fields[0] == "--help" and name != ":":
        from kernel.shell import informing

        return informing.describe_own(name)
    return own(Call(evaluator, name, fields, node))


def _nothing(call: Call) -> int:
    return 0


def _status(call: Call) -> int:
    status = own_reading.status(call)
    return call.evaluator.state.status if status is None else status


def _exit(call: Call) -> int:
    raise Exit(_status(call))


def _return(call: Call) -> int:
    status = _status(call)
    if not (call.evaluator.depth or call.evaluator.sourced):
        raise call.wrong("E-EXPAND", "it stands outside a function", "`exit` ends the shell", status=2)
    raise Return(status)


def _break(call: Call) -> int:
    levels = own_reading.levels(call)
    if not call.evaluator.loops:
        raise call.wrong("E-EXPAND", "it stands outside a loop")
    raise Break(levels, call.name == "continue")


def _cd(call: Call) -> int:
    physical = own_reading.is_physical(call)
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


def _declared(call: Call) -> list[Field | None]:
    """The values of the operands of `export` and `local`, None where there is none; ``call`` then has their words."""
    if call.node.declared is None or call.node.words[0].plain != call.name:
        return [text.partition("=")[2] if "=" in text else None for text in call.words]
    words: list[str] = []
    operands: list[Word | Assignment] = []
    values: list[Field | None] = []
    for operand in call.node.declared:
        if isinstance(operand, Assignment):
            words.append(operand.name)
            values.append(call.evaluator.declare(operand))
            operands.append(operand)
            continue
        for field in call.evaluator.expander.fields([operand]):
            name, equals, value = text_of(field).partition("=")
            words.append(name)
            values.append(value if equals else None)
            operands.append(operand)
    call.words, call.operands = words, operands
    return values


def _export(call: Call) -> int:
    state = call.evaluator.state
    values = _declared(call)
    wanted = own_reading.exports(call)
    if not call.words:
        lines = [f"export {name}={_quoted(state.variables.get(name))}\n" for name in sorted(state.exported)]
        environment.write_out("".join(lines))
    for text, value in zip(call.words, values[call.taken :], strict=True):
        name = text.partition("=")[0]
        if value is not None:
            state.assign(name, value)
        state.export(name, wanted)
    return 0


def _quoted(field: Field | None) -> str:
    from kernel.words import quote

    return "" if field is None else quote(text_of(field))


def _local(call: Call) -> int:
    state = call.evaluator.state
    values = _declared(call)
    own_reading.local_names(call)
    if not state.frames:
        raise call.wrong("E-EXPAND", "it stands outside a function")
    frame = state.frames[-1]
    for text, value in zip(call.words, values, strict=True):
        name = text.partition("=")[0]
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
    state = call.evaluator.state
    changes, rest = own_reading.settings(call)
    if not call.words:
        lines = [f"{name}={_quoted(value)}\n" for name, value in sorted(state.variables.items())]
        environment.write_out("".join(lines))
        return 0
    for name, wanted in changes:
        if name == "?":
            environment.write_out("".join([f"{known:<15}{'on' if on else 'off'}\n" for known, on in state.options.items()]))
        else:
            state.set_option(name, wanted)
    if rest is not None:
        state.arguments = list(call.fields[rest:])
    return 0


def _unset(call: Call) -> int:
    state = call.evaluator.state
    functions = own_reading.of_functions(call)
    for name in call.words:
        if functions:
            state.functions.pop(name, None)
        else:
            state.unset(name)
    return 0


def _shift(call: Call) -> int:
    state = call.evaluator.state
    count = own_reading.count(call)
    if count > len(state.arguments):
        return 1
    state.arguments = state.arguments[count:]
    return 0


def _alias(call: Call) -> int:
    own_reading.alias_names(call)
    aliases = call.evaluator.state.aliases
    status = 0
    for word in call.words or sorted(aliases):
        name, equals, value = word.partition("=")
        if equals:
            aliases[name] = value
        elif name in aliases:
            environment.write_out(f"alias {name}={_quoted(aliases[name])}\n")
        else:
            environment.write_error(f"alias: there is no alias `{name}`\n")
            status = 1
    return status


def _unalias(call: Call) -> int:
    aliases = call.evaluator.state.aliases
    if own_reading.all_aliases(call):
        aliases.clear()
    missing = [name for name in call.words if aliases.pop(name, None) is None]
    for name in missing:
        environment.write_error(f"unalias: there is no alias `{name}`\n")
    return 1 if missing else 0


def _trap(call: Call) -> int:
    signals = call.evaluator.signals
    asked = own_reading.trapped(call)
    if asked is None:
        for name, (text, _) in signals.traps.items():
            environment.write_out(f"trap -- {_quoted(text)} {name if name == 'EXIT' else 'SIG' + name}\n")
        return 0
    action, found, commands = asked
    for name in found:
        if action == "-":
            signals.untrap(name)
        else:
            signals.trap(name, action, commands)
    return 0


def _later(module: str, function: str) -> Callable[[Call], Any]:
    """What is loaded when it is first used."""

    def loaded(call: Call) -> Any:
        name = f"kernel.shell.{module}"
        __import__(name)
        return getattr(sys.modules[name], function)(call)

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
# what each takes of its words: it raises KernelError for what is wrong with the words alone, and changes nothing
READERS: dict[str, Reader] = {
    "exit": own_reading.status,
    "return": own_reading.status,
    "break": own_reading.levels,
    "continue": own_reading.levels,
    "cd": own_reading.is_physical,
    "export": own_reading.exports,
    "local": own_reading.local_names,
    "set": own_reading.settings,
    "unset": own_reading.of_functions,
    "shift": own_reading.count,
    "alias": own_reading.alias_names,
    "unalias": own_reading.all_aliases,
    "trap": own_reading.trapped,
    ".": _later("sourcing", "has_file"),
    "source": _later("sourcing", "has_file"),
    "read": _later("reading", "options_of"),
    "jobs": _later("job_words", "list_flags"),
    "fg": _later("job_words", "one_job"),
    "bg": _later("job_words", "one_job"),
    "wait": _later("job_words", "waited_for"),
    "kill": _later("job_words", "order"),
    "command": _later("informing", "command_flags"),
    "type": _later("informing", "names_only"),
    "which": _later("informing", "names_only"),
    "history": _later("informing", "line_count"),
}
