"""The front door: the first word is a verb; `call` without options runs straight through the stages."""

from __future__ import annotations

import sys

from kernel import environment, system
from kernel.errors import KernelError, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from kernel.spec import ToolSpec


def main() -> NoReturn:
    """Runs the process's own words and ends the process (running.md X10)."""
    if sys.flags.no_site:
        sys.meta_path.append(environment.LateSite)
    status = run(sys.argv[1:])
    for stream in (environment.stdout(), environment.stderr()):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass  # closed by the caller, or its reader is gone: nobody is left to tell
    system._exit(status)  # nothing is left to run: the interpreter's own teardown costs as much as a call


def run(words: list[str]) -> int:
    """Runs `kernel WORDS…` and returns the exit status; ends the process where a signal is the answer."""
    try:
        if len(words) > 1 and words[0] == "call" and not words[1].startswith("-"):
            return call(words[1], words[2:])
        return _verb(words)
    except KernelError as error:
        return _report(error)
    except KeyboardInterrupt:
        return _end_by(2)  # X11
    except BrokenPipeError:
        return _end_by(13)  # the reader is gone, which is no error
    except OSError as error:
        return _report(refusal(error))
    except MemoryError as error:
        refused = refusal(error)
    except Exception as error:
        from kernel.present import fault

        return fault.report(error)
    return _report(refused)  # here, where the memory that the call held is free again


def call(name: str, words: list[str]) -> int:
    """`kernel call NAME WORDS…`: binds, checks, renders, judges and becomes the program, or runs the builtin."""
    from kernel import bind, check, dispatch, locate, policy, render, store

    directories = locate.search_path()
    for notice in locate.notices(directories):
        environment.write_error(f"warning: {notice}\n")
    try:
        spec = store.by_name(name, directories)
    except KernelError as error:
        error.words, error.prefix = [name, *words], ("kernel", "call")
        raise
    bound = bind.bind(spec, words)
    try:
        if bound.problems:
            from kernel.commands.verb import wants_help

            if wants_help(bound):
                return show_help(bound.spec)
        check.check(bound, environment.variables())
        for line in bound.deprecations():
            environment.write_error(f"warning: {line}\n")
        plan = render.render(bound)
        policy.judge(plan)
    except KernelError as error:
        from kernel.commands.call import complete

        raise complete(error, bound, ("kernel", "call", name)) from None
    return dispatch.attached(plan)


def show_help(spec: ToolSpec) -> int:
    """The manual of a tool or verb on stdout."""
    from kernel.present import manual

    manual.show(spec)
    return 0


def _verb(words: list[str]) -> int:
    from kernel.commands import VERBS

    first = words[0] if words else ""
    if first in ("--version", "--help", ""):
        from kernel.commands import about

        if words[1:] and first == "--version":
            raise about.beyond(words)
        return about.run(first)
    entry = VERBS.get(first)
    if entry is None:
        from kernel.commands import about

        raise about.unknown(words)
    module_name, _, function = entry[0].partition(":")
    __import__(module_name)  # importlib itself is slower to load than some verbs
    module = sys.modules[module_name]
    own_line = getattr(module, "run_words", None)  # a verb may have lines that are not its SPEC's
    if own_line is not None and (done := own_line(words[1:])) is not None:
        return int(done)
    from kernel.bind import bind
    from kernel.commands.verb import wants_help

    bound = bind(module.SPEC, words[1:])
    if bound.problems and wants_help(bound):
        return show_help(module.SPEC)
    try:
        status: int = getattr(module, function)(bound)
    except KernelError as error:
        from kernel.commands.verb import point_at_tools

        point_at_tools(error, bound)
        raise
    return status


def _report(error: KernelError) -> int:
    from kernel.present import coloured, problem

    environment.write_error(problem.describe(error, colour=coloured(2)))
    return error.status


def _end_by(number: int) -> int:
    from kernel.dispatch import end_by_signal

    return end_by_signal(number)
