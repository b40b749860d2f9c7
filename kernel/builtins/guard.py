"""The frame round every builtin's ``run``: refusals become a line and a status, output is flushed, errors of writing said."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kernel.bound import Bound
    from kernel.builtins.io import Io

    Run = Callable[[Bound, Io], int]


class Failure(Exception):
    """Ends a builtin: ``message`` goes to stderr behind the tool's name ("" for none), ``status`` is the exit status.

    One about the words alone, as a builtin's ``usage`` raises it, says which: a value of ``param``, in a list its
    ``entry``, or the call's ``word`` of that index. ``joint`` marks a word that only the words beside it make wrong.
    ``advice`` is a second line. ``code`` is what the fault is called where it is reported before the builtin runs.
    """

    def __init__(
        self,
        message: str,
        status: int = 2,
        *,
        param: str = "",
        entry: int = 0,
        word: int = -1,
        joint: bool = False,
        advice: str = "",
        code: str = "E-USAGE",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.param = param
        self.entry = entry
        self.word = word
        self.joint = joint
        self.advice = advice
        self.code = code

    @property
    def lines(self) -> str:
        """The message and the advice, as a program prints them."""
        return f"{self.message}\n{self.advice}" if self.advice else self.message


class About:
    """A context in which each Failure that says nothing else is about ``param`` (in a list, its ``entry``) or ``word``."""

    def __init__(self, param: str = "", entry: int = 0, *, word: int = -1) -> None:
        self.param = param
        self.entry = entry
        self.word = word

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, failure: object, trace: object) -> None:
        if isinstance(failure, Failure) and not failure.param and failure.word < 0:
            failure.param, failure.entry, failure.word = self.param, self.entry, self.word


def in_every_locale(read: Callable[[bool], object]) -> None:
    """Failure where ``read`` has one both for UTF-8 and for bytes as characters: a script may set the locale as it runs."""
    try:
        read(True)
    except Failure:
        read(False)


class InputError(Exception):
    """An input could not be read, and why. Not an OSError, so that it is never taken for an error of writing."""


def reason(error: OSError) -> str:
    """The system's words for an error: `No such file or directory`."""
    return os.strerror(error.errno) if error.errno else str(error)


def guarded(failure: int = 1) -> Callable[[Run], Run]:
    """Decorates ``run``: Failure is said, the output flushed; an output that cannot be written ends with ``failure``.

    A reader that went away still raises BrokenPipeError: what follows from it is for the caller to decide.
    """

    def decorate(run: Run) -> Run:
        def guarded_run(bound: Bound, io: Io) -> int:
            try:
                status = run(bound, io)
                io.flush()
            except Failure as refused:
                if refused.message:
                    io.complain(refused.lines)
                io.flush()
                return refused.status
            except BrokenPipeError:
                raise
            except OSError as error:
                io.discard()
                io.complain(f"write error: {reason(error)}")
                return failure
            except MemoryError:
                io.discard()
            else:
                return status
            io.complain("memory exhausted")  # here, where the memory that the call held is free again
            return failure

        guarded_run.__doc__ = run.__doc__
        return guarded_run

    return decorate


def refuse_left_out(bound: Bound, program: str, names: Iterable[str]) -> None:
    """Raises Failure for an option that is declared for the installed program, which this builtin stands in for."""
    for name in names:
        if bound.values.get(name):
            message = f"`--{name.replace('_', '-')}` is not supported without the program `{program}`"
            raise Failure(message, param=name, code="E-UNSUPPORTED")


def last_given(bound: Bound, *names: str) -> str:
    """Which of the params was given last, "" for none: for flags of which the last one counts.

    Where there are no words (JSON, defaults), the last in the order of ``names`` that is true or has a value.
    """
    for trace in reversed(bound.trace):
        if trace.param in names and _is_on(bound.values.get(trace.param)):
            return trace.param
    for name in reversed(names):
        if _is_on(bound.values.get(name)):
            return name
    return ""


def _is_on(value: object) -> bool:
    return value is not None and value is not False and value != []


def raw(text: str) -> bytes:
    """The bytes of a word (argv-grammar W1)."""
    return text.encode("utf-8", "surrogateescape")


def is_utf8(env: Mapping[str, str]) -> bool:
    """Whether the locale variables name UTF-8; without one, bytes are characters (the C locale)."""
    name = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    return name.lower().replace("-", "").partition(".")[2].startswith("utf8")
