"""The prompt on a terminal: lines are read, completed where a construct is open, run; jobs are watched."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os

from kernel import environment
from kernel.shell import line_editor
from kernel.shell.control import Exit
from kernel.shell.first_prompt import PROMPT, FirstPrompt, is_plain
from kernel.shell.jobs import DONE, STOPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.errors import KernelError
    from kernel.shell.line_editor import LineEditor
    from kernel.shell.session import Session

ADVICE = "toolkernel[repl] (prompt_toolkit) adds menus, hints and marks while you type"


def run(session: Session, first: FirstPrompt | None = None) -> int:
    """Runs the prompt to its end: the status to end with. ``first`` is the prompt that is shown already."""
    terminal = _terminal()
    if terminal >= 0:
        session.evaluator.jobs.start_control(terminal)
    return session.ended(lambda: _started(session, first))


def _started(session: Session, first: FirstPrompt | None) -> int:
    text = PROMPT
    if first is None:
        line_editor.run_init_file(session)
        text = line_editor.prompt_text(session)
        if not is_plain():
            first = FirstPrompt(text)
    try:
        editor = _editor(session)
    finally:
        if first is not None:
            first.hand_over()
    _tell_of_editor(editor)
    return _loop(session, editor, text)


def _terminal() -> int:
    """A descriptor of the controlling terminal, clear of those that commands use; -1 for none."""
    import fcntl

    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return -1
    kept = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 100)
    os.close(descriptor)
    return kept


def _editor(session: Session) -> LineEditor:
    """The editor that this terminal and this installation have."""
    if not is_plain():
        try:
            import prompt_toolkit  # noqa: F401
        except ImportError:
            pass
        else:
            from kernel.shell.line_prompt_toolkit import PromptToolkitEditor

            return PromptToolkitEditor(session)
    from kernel.shell.line_readline import ReadlineEditor

    return ReadlineEditor(session)


def _tell_of_editor(editor: LineEditor) -> None:
    """Says in a line what this terminal could show, where only the package for it is missing."""
    if is_plain() or editor.draws:
        return
    from kernel.present import coloured

    dim, end = ("\x1b[2m", "\x1b[0m") if coloured(2) else ("", "")
    environment.write_error(f"{dim}{ADVICE}{end}\x1b[K\n")


def _loop(session: Session, editor: LineEditor, prompt: str) -> int:
    number = 1
    warned = False  # that jobs are stopped, when the end was asked for
    while True:
        try:
            if not prompt:
                line_editor.end_line()
            _tell_jobs(session)
            text = editor.read(prompt or line_editor.prompt_text(session))
            prompt = ""
            if text is None:
                environment.write_error("exit\n")
                if not warned and _stopped(session):
                    warned = True
                    continue
                return session.state.status
            if not text.strip():
                continue
            text = recalled(text, session.history)
            editor.keep(text.rstrip("\n"))
            wrong = event(text, f"line {number}")
            if wrong is None:
                session.run_text(text, f"line {number}")
            else:
                session.state.status = session.evaluator.report(wrong)
            number += 1
            warned = False
        except KeyboardInterrupt:
            environment.write_error("\n")
            session.state.status = 130
        except Exit as left:
            if left.signal == _signal.SIGPIPE:  # a reader went away: nothing that should end the prompt
                session.state.status = left.status
                continue
            if not left.signal and not warned and _stopped(session):
                warned = True
                continue
            raise


def recalled(text: str, history: list[str]) -> str:
    """The text with `!!` as a whole unquoted word replaced by the line before; shown, as bash does."""
    if "!!" not in text:
        return text
    from kernel.words import WordsError, split

    try:
        words = split(text)
    except WordsError:
        return text  # it will be said when the text is parsed
    out, at = "", 0
    for word in words:
        if word.text == "!!" and not word.quoted:
            out += text[at : word.start] + (history[-1] if history else "")
            at = word.end
    if not at:
        return text
    out += text[at:]
    environment.write_error(f"{out.rstrip()}\n")
    return out


def event(text: str, name: str) -> KernelError | None:
    """The error about a word that recalls a line in bash, and is none of the language; None for a text without."""
    if "!" not in text and text[:1] != "^":
        return None
    from kernel.shell.source import Source, syntax
    from kernel.words import WordsError, split

    try:
        words = [word for word in split(text) if not word.quoted]
    except WordsError:
        return None
    for word in words:
        written = text[word.start : word.end]
        first = not text[: word.start].strip()
        if written in ("!$", "!^", "!*"):
            hint = "Alt-. inserts the last word of the line before"
        elif first and written[:1] == "!" and (written[1:2].isalnum() or written[1:2] in ("-", "?")) and len(written) > 1:
            hint = "Up goes back through the lines that begin as this one does, Ctrl-R searches all"
        elif first and written[:1] == "^" and written.count("^") > 1:
            hint = "Up brings the line back, to be changed"
        else:
            continue
        return syntax(Source(text, name), word.start, word.end, f"`{written}` is not part of the language", hint)
    return None


def _stopped(session: Session) -> bool:
    """Whether there are stopped jobs, which the end of the shell would end; that is said."""
    stopped = [job for job in session.evaluator.jobs.table.values() if job.state == STOPPED]
    if stopped:
        environment.write_error("there are stopped jobs, which end with the shell: leave again, or see `jobs` and `fg`\n")
    return bool(stopped)


def _tell_jobs(session: Session) -> None:
    jobs = session.evaluator.jobs
    for job in jobs.poll():
        if job.state != "Running":
            state = f"Exit {job.status}" if job.state == DONE and job.status else job.state
            environment.write_error(f"[{job.number}]  {state}    {job.text}\n")
