"""timeout: a program run for a limited time."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from kernel.builtins.guard import About, Failure, guarded, reason
from kernel.builtins.quoting import quoted
from kernel.builtins.sleep import interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from kernel.bound import Bound
    from kernel.builtins.io import Io

_NEVER = 1e9
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def usage(bound: Bound) -> None:
    """Failure for a time or a signal that is none."""
    _asked(bound)


@guarded(failure=125)
def run(bound: Bound, io: Io) -> int:
    """The program's status; 124 when its time was up, 137 when it had to be killed; 126 and 127 when it did not start."""
    return Runner(bound, io, *_asked(bound)).run()


def _asked(bound: Bound) -> tuple[float, float, int]:
    """The time, how long after it the program is killed (0: never), and the signal."""
    values = bound.values
    with About("duration"):
        limit = _seconds(values["duration"])
    with About("kill_after"):
        grace = _seconds(values["kill_after"]) if "kill_after" in values else 0.0
    with About("signal"):
        return limit, grace, _signal(values.get("signal", "TERM"))


def _seconds(text: str) -> float:
    return min(interval(text), _NEVER)


def _signal(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 <= int(text) < signal.NSIG:
        return int(text)
    name = text.upper().removeprefix("SIG")
    try:
        return int(signal.Signals[f"SIG{name}"])
    except KeyError:
        raise Failure(f"{quoted(text)}: invalid signal") from None


class Runner:
    """One run: the program in a group of its own (unless --foreground), its deadline, signals passed on."""

    def __init__(self, bound: Bound, io: Io, limit: float, grace: float, number: int) -> None:
        self.values = bound.values
        self.io = io
        self.limit = limit
        self.grace = grace
        self.number = number
        self.received = 0
        self.group = not self.values["foreground"]

    def run(self) -> int:
        words: list[str] = self.values["words"]
        io = self.io
        io.flush()
        try:
            child = subprocess.Popen(
                words,
                env=dict(io.env),
                cwd=io.cwd,
                stdin=io.stdin,
                stdout=io.stdout,
                stderr=io.stderr,
                process_group=0 if self.group else None,
            )
        except (OSError, ValueError) as error:
            said = reason(error) if isinstance(error, OSError) else "Invalid argument"
            status = 127 if isinstance(error, FileNotFoundError) else 126
            raise Failure(f"failed to run command {quoted(words[0])}: {said}", status) from None
        before = {each: signal.signal(each, self.received_signal) for each in FORWARDED}
        try:
            return self.watch(child, words[0])
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def received_signal(self, number: int, frame: FrameType | None) -> None:
        self.received = number

    def send(self, child: subprocess.Popen[bytes], number: int) -> None:
        try:
            if self.group:
                os.killpg(child.pid, number)
                if number not in (signal.SIGKILL, signal.SIGCONT):
                    os.killpg(child.pid, signal.SIGCONT)
            else:
                child.send_signal(number)
        except ProcessLookupError:
            pass

    def watch(self, child: subprocess.Popen[bytes], word: str) -> int:
        deadline = time.monotonic() + self.limit if self.limit else float("inf")
        timed_out = killed = False
        while True:
            try:
                status = child.wait(min(0.5, max(deadline - time.monotonic(), 0.0)))
                break
            except subprocess.TimeoutExpired:
                pass
            if self.received:
                self.send(child, self.received)
                self.received = 0
                if self.grace:
                    deadline = min(deadline, time.monotonic() + self.grace)
            if time.monotonic() < deadline:
                continue
            killed = timed_out and self.grace > 0
            number = signal.SIGKILL if killed else self.number
            if self.values["verbose"]:
                self.io.complain(f"sending signal {_name(number)} to command {quoted(word)}")
            self.send(child, number)
            deadline = time.monotonic() + self.grace if self.grace and not timed_out else float("inf")
            timed_out = True
        if timed_out and not self.values["preserve_status"] and not killed and self.number != signal.SIGKILL:
            return 124
        return status if status >= 0 else 128 - status


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)
