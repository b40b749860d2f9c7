"""`jobs`, `fg`, `bg`, `wait`, `kill`."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os

from kernel import environment
from kernel.shell.jobs import RUNNING, STOPPED, Job
from kernel.shell.signals import NAMES, NUMBERS, Interrupted, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.own_call import Call


def line(call: Call, job: Job, pids: bool = False) -> str:
    """A job as `jobs` shows it."""
    current = call.evaluator.jobs.current
    mark = "+" if current[-1:] == [job.number] else "-" if current[-2:-1] == [job.number] else " "
    shown = f"{job.pids[0]} " if pids else ""
    state = job.state if job.state != "Done" or not job.status else f"Exit {job.status}"
    return f"[{job.number}]{mark}  {shown}{state:<10} {job.text}{' &' if job.state == RUNNING else ''}\n"


def list_flags(call: Call) -> str:
    """The flags of `jobs`, which takes nothing else."""
    flags = call.flags("lp")
    call.at_most(0)
    return flags


def jobs(call: Call) -> int:
    """Lists the jobs: `-l` with process numbers, `-p` those alone."""
    flags = list_flags(call)
    table = call.evaluator.jobs
    changed = table.poll()
    for job in sorted(
        [*table.table.values(), *[job for job in changed if job.number not in table.table]], key=lambda job: job.number
    ):
        environment.write_out(f"{job.pids[0]}\n" if "p" in flags else line(call, job, "l" in flags))
    return 0


def one_job(call: Call) -> str:
    """The job that `fg` or `bg` means."""
    call.at_most(1)
    return call.words[0] if call.words else "%+"


def _named(call: Call) -> Job:
    text = one_job(call)
    call.evaluator.jobs.poll()
    job = call.evaluator.jobs.find(text)
    if job is None:
        raise call.wrong(
            "E-CHOICE", f"there is no job `{text}`" if call.words else "there is no job", "`jobs` lists them", status=1
        )
    return job


def foreground(call: Call) -> int:
    """Brings a job to the foreground and waits for it."""
    table = call.evaluator.jobs
    job = _named(call)
    environment.write_out(f"{job.text}\n")
    table.resume(job)
    _continue(job)
    statuses = table.foreground(job)
    if job.state == STOPPED:
        environment.write_error(f"\n[{job.number}]+  Stopped    {job.text}\n")
    call.evaluator.state.pipe_statuses = statuses
    return statuses[-1]


def background(call: Call) -> int:
    """Lets a stopped job run on in the background."""
    job = _named(call)
    job.state = RUNNING
    _continue(job)
    environment.write_out(line(call, job))
    return 0


def _continue(job: Job) -> None:
    try:
        if job.group:
            os.killpg(job.group, _signal.SIGCONT)
        else:
            for pid in job.pids:
                os.kill(pid, _signal.SIGCONT)
    except OSError:
        pass  # it has just ended


def waited_for(call: Call) -> list[str]:
    """What `wait` is to wait for; it has no flags."""
    call.flags("")
    return call.words


def wait(call: Call) -> int:
    """Waits for all jobs, or for the named ones: the status of the last of them, 127 for one that is none."""
    waited_for(call)
    table = call.evaluator.jobs
    try:
        if not call.words:
            for job in list(table.table.values()):
                if job.state != STOPPED:
                    table.wait_for(job)
            return 0
        status = 0
        for word in call.words:
            job_found = table.find(word)
            if job_found is not None:
                status = table.wait_for(job_found)
            elif word.isdigit() and int(word) in table.finished:
                status = table.finished.pop(int(word))
            else:
                environment.write_error(f"wait: `{word}` is no job or process of this shell\n")
                status = 127
        return status
    except Interrupted as interrupted:
        return 128 + interrupted.number


def order(call: Call) -> str | list[str]:
    """The signal that `kill` sends to the words that are left, or the lines of a list of signals."""
    words = call.words
    name = "TERM"
    if words and words[0] in ("-l", "-L"):
        call.take()
        return [_listed(call, at) for at in range(len(words))]
    if words and words[0] in ("-s", "-n"):
        if len(words) < 2:
            raise call.wrong("E-ARITY", f"`{words[0]}` wants a signal", at=0)
        call.take()
        name = _signal_name(call, words[0])
        call.take()
    elif words and words[0][:1] == "-" and words[0] != "--" and len(words[0]) > 1:
        name = _signal_name(call, words[0][1:])
        call.take()
    if words[:1] == ["--"]:
        call.take()
    if not words:
        raise call.wrong("E-REQUIRED", "the process is missing", "as in `kill 1234`, `kill %1`, `kill -INT %1`")
    for at, word in enumerate(words):
        digits = word.removeprefix("-")
        if word[:1] != "%" and not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise call.wrong("E-TYPE", f"`{word}` is no process number", at=at)
    return name


def _signal_name(call: Call, text: str) -> str:
    name = "0" if text == "0" else name_of(text)
    if not name or name == "EXIT":
        raise call.wrong("E-CHOICE", f"`{text}` is no signal", "`kill -l` lists them", at=0)
    return name


def kill(call: Call) -> int:
    """Sends a signal (TERM) to processes and jobs; `-l` lists the signals. Status 1 when one could not be sent."""
    name = order(call)
    if isinstance(name, list):
        lines = name or [f"{number:>2}) SIG{name}" for number, name in sorted(NUMBERS.items())]
        environment.write_out("".join([f"{line}\n" for line in lines]))
        return 0
    number = 0 if name == "0" else int(NAMES[name])
    return max([_send(call, word, number) for word in call.words])


def _send(call: Call, word: str, number: int) -> int:
    try:
        if word[:1] == "%":
            job = call.evaluator.jobs.find(word)
            if job is None:
                raise call.wrong("E-CHOICE", f"there is no job `{word}`", "`jobs` lists them", status=1)
            if job.group:
                os.killpg(job.group, number)
            else:
                for pid in job.pids:
                    os.kill(pid, number)
            if number in (_signal.SIGTERM, _signal.SIGHUP) and job.state == STOPPED:
                _continue(job)  # a stopped process cannot end
        else:
            os.kill(int(word), number)
    except OSError as error:
        environment.write_error(f"kill: `{word}`: {error.strerror}\n")
        return 1
    return 0


def _listed(call: Call, at: int) -> str:
    """The name of a signal's number (or of a status that it makes), the number of its name."""
    word = call.words[at]
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 6 else -1
    if number > 128:
        number -= 128
    name = NUMBERS.get(number) if number >= 0 else name_of(word)
    if not name:
        raise call.wrong("E-CHOICE", f"`{word}` is no signal", "`kill -l` lists them", at=at)
    return name if number >= 0 else str(int(NAMES[name]))
