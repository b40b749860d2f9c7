"""Signals and traps of a shell: SIGINT ends the command at hand, a trapped signal runs its commands between two others."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]

from kernel.shell.control import Exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from kernel.shell.tree import List

NAMES = {name[3:]: getattr(_signal, name) for name in dir(_signal) if name[:3] == "SIG" and name[3] != "_"}
NUMBERS = {int(number): name for name, number in sorted(NAMES.items(), reverse=True) if name not in ("CLD", "POLL", "IOT")}
NEVER = ("KILL", "STOP")
ENDING = (int(_signal.SIGHUP), int(_signal.SIGTERM))  # they end a shell, which runs its trap of `EXIT` before


class Interrupted(Exception):
    """A signal ended what the shell was waiting for."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Signals:
    """What the shell does about signals. ``pending`` are trapped ones whose commands have not run yet."""

    def __init__(self) -> None:
        self.traps: dict[str, tuple[str, List | None]] = {}  # name (`EXIT`, `INT`, …) -> text, commands (None: ignored)
        self.pending: list[int] = []
        self.waiting = False  # for a child: SIGINT is for it
        self.listening = False  # in `wait`: a trapped signal ends it
        self.interrupted = False
        self.ending = 0  # the signal that ends the shell: what it raises can get lost where Python drops what a callback raises
        self.installed = False
        self.usual: dict[int, Any] = {}  # what signals do that are not trapped, where that is not the system's default

    def install(self) -> None:
        """Takes over SIGINT, where it is not ignored."""
        if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:
            _signal.signal(_signal.SIGINT, self._interrupt)
        self.installed = True

    def _interrupt(self, number: int, _: FrameType | None) -> None:
        if "INT" in self.traps:
            self._trapped(number, None)
        elif self.waiting:
            self.interrupted = True
        else:
            raise KeyboardInterrupt

    def _trapped(self, number: int, _: FrameType | None) -> None:
        self.pending.append(number)
        if self.listening:
            raise Interrupted(number)

    def _end(self, number: int, _: FrameType | None) -> None:
        self.ending = number
        raise Exit(128 + number, number)

    def trap(self, name: str, text: str, commands: List | None) -> None:
        """Sets what a signal (or `EXIT`) does: commands, or nothing at all (None)."""
        self.traps[name] = (text, commands)
        if name == "EXIT":
            for number in ENDING:
                if commands is not None and _signal.getsignal(number) == _signal.SIG_DFL:
                    self.usual[number] = self._end
                    _signal.signal(number, self._end)
        else:
            _signal.signal(
                NAMES[name], _signal.SIG_IGN if commands is None else self._interrupt if name == "INT" else self._trapped
            )

    def untrap(self, name: str) -> None:
        """Gives a signal back its usual meaning."""
        if self.traps.pop(name, None) is not None and name != "EXIT":
            usual = self.usual.get(int(NAMES[name]), _signal.SIG_DFL)
            _signal.signal(NAMES[name], self._interrupt if name == "INT" else usual)

    def in_child(self) -> None:
        """In a fork: nothing is trapped; what was ignored stays so."""
        for name, (_, commands) in list(self.traps.items()):
            if commands is not None:
                del self.traps[name]
                if name != "EXIT":
                    _signal.signal(NAMES[name], _signal.SIG_DFL)
        for number, usual in self.usual.items():
            if callable(usual) and _signal.getsignal(number) == usual:
                _signal.signal(number, _signal.SIG_DFL)
        self.usual = {}
        self.pending.clear()
        self.waiting = self.listening = self.interrupted = False
        self.ending = 0

    def take(self) -> list[int]:
        """The signals whose traps are due."""
        taken, self.pending = self.pending, []
        return taken


def name_of(text: str) -> str:
    """The name of a signal given as `INT`, `SIGINT`, `2` or `EXIT`; "" for none."""
    upper = text.upper().removeprefix("SIG")
    if upper.isdigit():
        return "EXIT" if upper == "0" else NUMBERS.get(int(upper), "") if len(upper) < 4 else ""
    return upper if upper == "EXIT" or upper in NAMES else ""
