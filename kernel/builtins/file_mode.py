"""File modes: `755`, `u+x,go-w` and `drwxr-xr-x`."""

from __future__ import annotations

import os
import stat

_WHO = {"u": 0o4700, "g": 0o2070, "o": 0o1007}
_BITS = {"r": 0o444, "w": 0o222, "s": 0o6000, "t": 0o1000}
_SHIFTS = {"u": 6, "g": 3, "o": 0}


def mask() -> int:
    """The file mode creation mask of this process."""
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(b"Umask:"):
                    return int(line[6:], 8)
    except OSError:
        pass
    found = os.umask(0o077)  # for a moment another thread may see this one
    os.umask(found)
    return found


def parse_mode(text: str, before: int, *, directory: bool, umask: int) -> int | None:
    """The mode that text makes of ``before``: octal digits, or clauses such as `u=rwx,g+w`. None for what is none."""
    if text and text.strip("01234567") == "":
        mode = int(text, 8)
        if mode > 0o7777:
            return None
        # short octal modes leave the set-id bits of directories alone
        return mode | (before & 0o6000 if directory and len(text) < 5 else 0)
    for clause in text.split(","):
        after = _clause(clause, before, directory, umask)
        if after is None:
            return None
        before = after
    return before


def _clause(clause: str, mode: int, directory: bool, umask: int) -> int | None:
    at = 0
    who = 0
    while at < len(clause) and clause[at] in "ugoa":
        who |= _WHO.get(clause[at], 0o7777)
        at += 1
    if at >= len(clause):
        return None
    reach = who or 0o7777 & ~umask
    while at < len(clause):
        sign = clause[at]
        if sign not in "+-=":
            return None
        at += 1
        start = at
        if at < len(clause) and clause[at] in "ugo":
            same = mode >> _SHIFTS[clause[at]] & 7
            bits = same * 0o111
            at += 1
        else:
            bits = 0
            while at < len(clause) and clause[at] in "rwxXst":
                letter = clause[at]
                if letter == "x" or (letter == "X" and (directory or mode & 0o111)):
                    bits |= 0o111
                bits |= _BITS.get(letter, 0)
                at += 1
            digits = clause[at:]
            if at == start and digits and digits.strip("01234567") == "":
                bits, at, reach = int(digits, 8), len(clause), 0o7777
        bits &= reach
        if sign == "+":
            mode |= bits
        elif sign == "-":
            mode &= ~bits
        else:
            kept = 0o6000 if directory else 0
            mode = (mode & ~((who or 0o7777) & ~(kept & ~bits))) | bits
    return mode


def shown_mode(mode: int) -> str:
    """As `ls -l` shows it: `drwxr-xr-x`."""
    return stat.filemode(mode)


KINDS = {
    stat.S_IFREG: "regular file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symbolic link",
    stat.S_IFBLK: "block special file",
    stat.S_IFCHR: "character special file",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


def kind(info: os.stat_result) -> str:
    """The kind of a file in GNU's words."""
    if stat.S_ISREG(info.st_mode) and info.st_size == 0:
        return "regular empty file"
    return KINDS.get(stat.S_IFMT(info.st_mode), "weird file")
