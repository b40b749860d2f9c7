"""The prompt on a terminal: lines are read, completed where a construct is open, run; jobs are watched."""

from __future__ import annotations

import os

from kernel import environment
from kernel.shell.control import Exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kernel.shell.session import Session

    class Editor(Protocol):
        """What reads a command: one line, or more while ``session.is_complete`` says that something is open."""

        def read(self, session: Session) -> str | None:
            """The next text to run; None at the end of the input. KeyboardInterrupt drops what was typed."""

        def close(self) -> None:
            """Keeps what is to be kept."""


def run(session: Session) -> int:
    """Runs the prompt to its end: the status to end with."""
    terminal = _terminal()
    if terminal >= 0:
        session.evaluator.jobs.start_control(terminal)
    editor = _editor()
    try:
        return session.ended(lambda: _loop(session, editor))
    finally:
        editor.close()


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


def _editor() -> Editor:
    from kernel.shell.line_readline import Lines

    return Lines()


def _loop(session: Session, editor: Editor) -> int:
    number = 1
    while True:
        try:
            _tell_jobs(session)
            text = editor.read(session)
            if text is None:
                environment.write_error("exit\n")
                return session.state.status
            if not text.strip():
                continue
            text = recalled(text, session.history)
            session.history.append(text.rstrip("\n"))
            session.run_text(text, f"line {number}")
            number += 1
        except KeyboardInterrupt:
            environment.write_error("\n")
            session.state.status = 130
        except Exit as left:
            if left.signal:  # a reader went away: nothing that should end the prompt
                session.state.status = left.status
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


def _tell_jobs(session: Session) -> None:
    jobs = session.evaluator.jobs
    for job in jobs.poll():
        if job.state != "Running":
            status = f" {job.status}" if job.state == "Done" and job.status else ""
            environment.write_error(f"[{job.number}]  {job.state}{status}    {job.text}\n")
