"""The doors of the shell: `kaish -c LINE [NAME ARG…]`, `kaish FILE [ARG…]`, commands from a pipe, a terminal."""

from __future__ import annotations

import os
import sys

from kernel import environment
from kernel.errors import NOT_EXECUTABLE, NOT_FOUND, KernelError, refusal
from kernel.shell.first_prompt import FirstPrompt, init_file, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from kernel.shell.session import Session

USAGE = """\
usage: kaish [-e] [-u] [-o OPTION] [FILE [ARGUMENT…]]
       kaish [-e] [-u] [-o OPTION] -c LINE [NAME [ARGUMENT…]]
A shell whose commands are the kernel's tools: checked before they run. Without FILE or LINE, commands come from
standard input, or from the prompt on a terminal. `help` lists the tools, docs/guides/prompt.md the language.
"""
# what must stand in a further line before an open construct can be closed
CLOSERS = {
    "if": "fi", "for": "done", "while": "done", "until": "done", "case": "esac", "{": "}", "(": ")", "$(": ")", "$((": "))",
    "${": "}", "[": "]", "[[": "]]", "'": "'", '"': '"', "$'": "'",
}  # fmt: skip
BODIES = ("if", "for", "while", "until", "case", "{", "(")


def main() -> NoReturn:
    """The program `kaish`: runs the process's own words and ends the process."""
    if sys.flags.no_site:
        sys.meta_path.append(environment.LateSite)
    os._exit(run(sys.argv[1:]))


def run(words: list[str]) -> int:
    """Runs `kaish WORDS…`: the exit status. The options are those of the shell, then the script and its arguments."""
    _hold_standard()
    try:
        return _run(list(words))
    except KernelError as error:
        return _said(error)
    except BrokenPipeError:
        from kernel.launch import end_by_signal

        return end_by_signal(13)
    except KeyboardInterrupt:
        from kernel.launch import end_by_signal

        return end_by_signal(2)
    except (OSError, MemoryError) as error:
        refused = refusal(error)
    except Exception as error:
        from kernel.present import fault

        return fault.report(error)
    return _said(refused)  # here, where the memory that the commands held is free again


def _hold_standard() -> None:
    """Takes the place of standard streams that are closed, so that no other file gets their number: each refuses its use."""
    for descriptor, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            held = os.open(os.devnull, mode)  # the lowest number that is free
            os.set_inheritable(held, True)


def _said(error: KernelError) -> int:
    from kernel.present import coloured, problem

    environment.write_error(problem.describe(error, colour=coloured(2)))
    return error.status


def _run(words: list[str]) -> int:
    options: list[str] = []
    line = False
    while words and words[0][:1] in ("-", "+") and len(words[0]) > 1:
        word = words.pop(0)
        if word == "--":
            break
        if word == "--help":
            environment.write_out(USAGE)
            return 0
        if word == "--version":
            from kernel import __version__

            environment.write_out(f"kaish {__version__}\n")
            return 0
        if word[0] == "-" and "c" in word[1:] and not word.startswith("--"):
            line = True
            word = word.replace("c", "", 1)
            if word == "-":
                continue
        options.append(word)
        if word[-1] == "o" and words:
            options.append(words.pop(0))
    if not line and not words and environment.is_terminal(0) and environment.is_terminal(2):
        return _at_terminal(options)
    from kernel.shell.session import SYNTAX_STATUS, Session

    if line:
        if not words:
            environment.write_error("kaish: `-c` wants a line\n")
            return SYNTAX_STATUS
        text = words.pop(0)
        session = Session(words[0] if words else "kaish", words[1:])
        return _set(session, options) or session.run_script(text, "-c")
    if words:
        return _file(words, options)
    session = Session("kaish", [])
    return _set(session, options) or session.ended(lambda: from_pipe(session))


def _at_terminal(options: list[str]) -> int:
    """The prompt, which is drawn before the shell is loaded where nothing else is to be said or run first."""
    first = None if options or is_plain() or init_file() else FirstPrompt()
    try:
        from kernel.shell import prompt
        from kernel.shell.session import Session

        session = Session("kaish", [], interactive=True)
        return _set(session, options) or prompt.run(session, first)
    finally:
        if first is not None:
            first.hand_over()


def _set(session: Session, options: list[str]) -> int:
    """The options given in front: 0, or the status of a wrong one."""
    from kernel.shell.own_reading import option_changes
    from kernel.shell.session import SYNTAX_STATUS

    for name, wanted in option_changes(options):
        if name not in session.state.options:
            environment.write_error(f"kaish: `{name}` is no option; see `kaish --help`\n")
            return SYNTAX_STATUS
        session.state.set_option(name, wanted)
    return 0


def _file(words: list[str], options: list[str]) -> int:
    from kernel.shell.session import Session
    from kernel.shell.sourcing import read_text

    path = words[0]
    try:
        text = read_text(path)
    except KernelError as error:
        error.status = NOT_EXECUTABLE if os.path.exists(path) else NOT_FOUND
        raise
    session = Session(path, words[1:])
    return _set(session, options) or session.run_script(text, path)


def from_pipe(session: Session) -> int:
    """Runs commands from standard input, each as soon as it is complete; what they read comes behind their lines."""
    from kernel.shell.reading import take_line
    from kernel.shell.source import Unfinished

    state = session.state
    # The command, and within it a text for each body that is open: what stands whole in a body does not end it, so that
    # what is around it need not be parsed again.
    levels = [""]
    first, number = 1, 0
    wanted = ""  # what the next line must hold for the command to be complete
    delimiter: str | None = None
    ended = True
    while ended:
        data, ended, _ = take_line(0)
        if not ended and not data and levels == [""]:
            break
        number += 1
        line = data.decode("utf-8", "surrogateescape")
        if levels == [""]:
            first = number
        levels[-1] += f"{line}\n" if ended else line
        if ended and ((wanted and wanted not in line) or (delimiter is not None and line.lstrip("\t") != delimiter)):
            continue
        if ended and line.endswith("\\"):
            continue
        if not ended:
            levels = ["".join(levels)]
        wanted, delimiter = "", None
        while True:
            try:
                commands = session.parse(levels[-1], "stdin", first)
            except Unfinished as error:
                if not ended:
                    return session.evaluator.report(error)
                if error.what in BODIES:
                    levels.append("")
                else:
                    wanted = CLOSERS.get(error.what, "")
                    delimiter = error.what[2:] if error.what[:2] == "<<" else None
                break
            except KernelError as error:
                if len(levels) == 1:
                    return session.evaluator.report(error)
                inner = levels.pop()  # it ends the body, or is wrong
                levels[-1] += inner
                continue
            if len(levels) > 1:
                levels[-2] += levels[-1]
                levels[-1] = ""
                break
            levels = [""]
            if commands.items:
                session.run(commands)
            break
    return state.status
