"""`read`: one line into variables, and never a byte more than the line from what the next command reads."""

from __future__ import annotations

import os
import stat

from kernel import environment
from kernel.shell.data import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.shell.own_call import Call

CHUNK = 4096
INSTEAD = {"a": "name each variable: `read -r a b c`", "u": "redirect it: `read -r line < FILE`", "N": "write `-n`"}


def take_line(descriptor: int, end: bytes = b"\n", most: int = -1, deadline: float = -1.0) -> tuple[bytes, bool, bool]:
    """(bytes without the end, whether the end was there, whether time ran out); the descriptor stands right behind it.

    A file is read in chunks and set back, anything else byte by byte. ``most`` limits the count of characters, in UTF-8.
    """
    seekable = most < 0 and deadline < 0 and stat.S_ISREG(os.fstat(descriptor).st_mode)
    if seekable:
        return _from_file(descriptor, end)
    out = bytearray()
    read = os.read
    left = 0  # bytes of the character that has begun
    while most != 0 or left > 0:
        if deadline >= 0 and not _ready(descriptor, deadline):
            return bytes(out), False, True
        byte = read(descriptor, 1)
        if byte == end:
            return bytes(out), True, False
        if not byte:
            return bytes(out), False, False
        out += byte
        if most >= 0:
            code = byte[0]
            if left and code >> 6 == 2:
                left -= 1
            else:
                most -= 1
                left = (code >= 0xC0) + (code >= 0xE0) + (code >= 0xF0)
    return bytes(out), True, False


def _from_file(descriptor: int, end: bytes) -> tuple[bytes, bool, bool]:
    parts: list[bytes] = []
    while chunk := os.read(descriptor, CHUNK):
        cut = chunk.find(end)
        if cut >= 0:
            parts.append(chunk[:cut])
            os.lseek(descriptor, cut + 1 - len(chunk), os.SEEK_CUR)
            return b"".join(parts), True, False
        parts.append(chunk)
    return b"".join(parts), False, False


def _ready(descriptor: int, deadline: float) -> bool:
    import select
    import time

    return bool(select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))[0])


class Options:
    """What `read` is asked for; a count or a time of -1 is none."""

    __slots__ = ("count", "end", "prompt", "raw", "seconds", "silent")

    def __init__(self) -> None:
        self.raw = self.silent = False
        self.prompt = ""
        self.end = b"\n"
        self.count = -1
        self.seconds = -1.0


def options_of(call: Call) -> Options:
    """The options; the names are left of the words. Raises KernelError for a flag or a name that is none."""
    found = Options()
    while call.words and call.words[0][:1] == "-" and len(call.words[0]) > 1:
        letters = call.words[0][1:]
        if letters == "-":
            call.take()
            break
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter == "r":
                found.raw = True
            elif letter == "s":
                found.silent = True
            elif letter in "pdnt":
                if not letters and len(call.words) == 1:
                    raise call.wrong("E-ARITY", f"`-{letter}` wants a value", at=0)
                if not letters:
                    call.take()
                _take_value(call, found, letter, letters or call.words[0])
                letters = ""
            else:
                hint = INSTEAD.get(letter, "its flags: `-r`, `-s`, `-p`, `-d`, `-n`, `-t`")
                raise call.wrong("E-UNKNOWN-FLAG", f"`-{letter}` is no flag of it", hint, at=0)
        call.take()
    call.names()
    return found


def _take_value(call: Call, found: Options, letter: str, text: str) -> None:
    """Notes the value of a flag, which is the first of the words, or its end."""
    if letter == "p":
        found.prompt = text
    elif letter == "d":
        found.end = (text[:1] or "\0").encode()
    else:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not (0 <= number < 1e9) or (letter == "n" and number != int(number)):
            raise call.wrong("E-TYPE", f"`-{letter}` wants a number, not `{text}`", at=0)
        if letter == "n":
            found.count = int(number)
        else:
            found.seconds = number


def read(call: Call) -> int:
    """`read [-r] [-s] [-p PROMPT] [-d CHARACTER] [-n COUNT] [-t SECONDS] [NAME…]`: status 1 at the end of the input."""
    options = options_of(call)
    if options.prompt and environment.is_terminal(0):
        environment.write_error(options.prompt)
    data, ended, late = _taken(options.silent, options.raw, options.end, options.count, options.seconds)
    _assign(call, call.words, data.replace(b"\0", b"").decode("utf-8", "surrogateescape"), options.raw)
    return 142 if late else 0 if ended else 1


def _taken(silent: bool, raw: bool, end: bytes, count: int, seconds: float) -> tuple[bytes, bool, bool]:
    import time

    deadline = time.monotonic() + seconds if seconds >= 0 else -1.0
    before = None
    if silent and environment.is_terminal(0):
        import termios

        before = termios.tcgetattr(0)
        quiet = list(before)
        quiet[3] &= ~termios.ECHO
        termios.tcsetattr(0, termios.TCSADRAIN, quiet)
    try:
        data, ended, late = take_line(0, end, count, deadline)
        while not raw and ended and len(data) - len(data.rstrip(b"\\")) & 1:
            more, ended, late = take_line(0, end, count, deadline)  # a backslash continues the line
            data = data[:-1] + more
    finally:
        if before is not None:
            import termios

            termios.tcsetattr(0, termios.TCSADRAIN, before)
            environment.write_error("\n")
    return data, ended, late


def _assign(call: Call, names: list[str], text: str, raw: bool) -> None:
    state = call.evaluator.state
    found = state.get("IFS")
    separators = " \t\n" if found is None else text_of(found)
    characters = _unescaped(text, raw)
    if not names:
        state.assign("REPLY", "".join([character for character, _ in characters]))
        return
    fields = split(characters, separators, len(names))
    for index, name in enumerate(names):
        state.assign(name, fields[index] if index < len(fields) else "")


def _unescaped(text: str, raw: bool) -> list[tuple[str, bool]]:
    """Characters, each with whether a backslash took its meaning."""
    if raw:
        return [(character, False) for character in text]
    out: list[tuple[str, bool]] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            out.append((text[at], True))
        elif text[at] != "\\":
            out.append((text[at], False))
        at += 1
    return out


def split(characters: list[tuple[str, bool]], separators: str, count: int) -> list[str]:
    """The fields that IFS makes, at most ``count``: the last is the rest of the line, less blanks of IFS at its ends."""
    blank = [character for character in separators if character in " \t\n"]

    def is_blank(at: int) -> bool:
        return not characters[at][1] and characters[at][0] in blank

    def is_separator(at: int) -> bool:
        return not characters[at][1] and characters[at][0] in separators

    size = len(characters)
    at = 0
    while at < size and is_blank(at):
        at += 1
    fields: list[str] = []
    while at < size:
        if len(fields) == count - 1:
            fields.append(_rest(characters, at, is_blank, is_separator))
            break
        start = at
        while at < size and not is_separator(at):
            at += 1
        fields.append("".join([character for character, _ in characters[start:at]]))
        while at < size and is_blank(at):
            at += 1
        if at < size and is_separator(at):
            at += 1
            while at < size and is_blank(at):
                at += 1
    return fields


def _rest(characters: list[tuple[str, bool]], at: int, is_blank: Callable[[int], bool], is_separator: Callable[[int], bool]) -> str:
    """The rest of a line; a separator at its very end is dropped where it is the only one."""
    end = len(characters)
    while end > at and is_blank(end - 1):
        end -= 1
    if end > at and is_separator(end - 1) and not any(is_separator(place) for place in range(at, end - 1)):
        end -= 1
        while end > at and is_blank(end - 1):
            end -= 1
    return "".join([character for character, _ in characters[at:end]])
