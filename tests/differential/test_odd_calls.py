"""Calls that are odd but right (or odd and wrong for a program too): kinds of words that once were read differently here."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from builtin_case import Twins

THREE = b"1\n2\n3\n"
SIGNS = b"a+\n+b\nb\n*a\n?b\nab-e%]\n"

CALLS = {
    "cut": (
        b"a:b:c\n",
        [
            "-d: -f 1-18446744073709551614",
            "-c 18446744073709551614",
            "-f 18446744073709551615",
            "-f1 -f2",
            "-b1 -b1",
        ],
    ),
    "head": (THREE, ["-n k", "-n -k", "-c KB", "-n +2", "-n 1Z", "-c 18446744073709551616"]),
    "tail": (
        THREE,
        [
            *["-n k", "-n 1Z", "-c +18446744073709551616"],
            *["+2", "+2l", "+3c", "+1b", "+", "-q +2", "--retry", "--pid=1", "--pid=0 -n1"],
        ],
    ),
    "tac": (b"a1b2c", ["-s ''", "-r -s ''", "-b -s ''", "-r -s '[0-9]'"]),
    "sort": (
        b"\ta\tb\n--\tz\n1e3\n [x]\n\xc3\xa9a\n",
        ["-d", "-i", "-di", "-id", "-idr", "-fdi"],
    ),
    "split": (THREE, ["-l +2", "-l ' 2'", "-b +2", "-l 1k", "-n r/k", "-b k", "-C ' 4'"]),
    "grep": (
        SIGNS,
        [
            *[r"'^\+'", r"'^\?b'", r"'\(^\+b\)'", r"'^*a'", r"-E '^+b'", r"'\<*a'", "'[a-c-e]'", "'[ab-]'", "'[%--]'", "'[a-c-]'"],
            *["'[[:alpha:]-z]'", "'[--/]'", "'[]-a]'", "-E -F a", "-G -E a", "-P -F a", "-E -E a", "-A 99999999999999999999 b"],
            *[
                "-C 99999999999999999999 zzz",
                "-c b d",
                "-L b d a",
                "-c b d a",
                "-l b d",
                "-cs b d",
                "-vc b d",
                "-Lq b d",
                "-m -1 b",
                "-c -m -1 b",
            ],
        ],
    ),
    "sed": (
        THREE,
        [
            *[
                "'b # c'",
                "'b#c'",
                "'t # c'",
                "'{:a;n;ba}'",
                "'{:a}'",
                "':x}'",
                "':a }'",
                "'v # c;q'",
                "'v 4.2;q'",
            ],
            *[
                "'v 9.9'",
                r"'$,$c\x'",
                r"'/3/,$c\x'",
                r"'3,$c\x'",
                r"'1,$c\x'",
                r"'$,4c\x'",
                "'0r a'",
                "'0r a' a b",
                "-s '0r a' a b",
            ],
            *[
                "-n '0r a'",
                "'0R a'",
                "'0!r a'",
                "0ra",
                "-i p",
                "-i.k 0ra a b",
                "'r d'",
                "q256",
                "'q 257'",
                "-f none",
            ],
            *["'$q 5' none a", "'$q 5' a none", r"'/^\+/d'", "'s/[a-c-e]//'"],
        ],
    ),
    "seq": (b"", ["-w 0x10 20", "-w 5 0x8", "-w 0x1p2", "-w 0x1 .5 0x3", "-w 1 0xA"]),
    "printf": (b"", [r"'%d\c' 09", r"'%x|\cz' q", r"'%b' 'a\cb' q", r"'%d%b' z '\c'"]),
    "date": (
        b"",
        [
            *["-u -d '2020-06-15 12:00 +1 day'", "-u -d '2020-06-15 12:00 -2 days ago'", "-u -d '2020-06-15 12:00 +24 hours'"],
            *["-u -d '2020-06-15 12:00 +25 days'", "-u -d '2020-06-15 12:00 + 1 day'", "-u -d '2020-06-15 12:00 1 day'"],
            *["-u -d '2020-06-15 12pm +1 day'", "-u -d '2020-06-15 12:00 UTC +3 hours'", "-u -d '2020-06-15 +1 day'"],
            *["-u -d '2016-12-31 23:59:60'", "-u -d @0 +%-N", "-u -d @0 '+%-3N|%_N|%N'"],
        ],
    ),
    "base64": (b"abc" * 50, ["-w 99999999999999999999", "-w 9223372036854775807", "-w 9223372036854775808"]),
    "timeout": (b"", ["0x5 true", "0x1p3 true", "5x true", "1e1 true", "5S true"]),
    "env": (b"", ["-i -u '' A=1", "-i -u A=B A=1", "-u A=B A=1", "- -u '' A=1"]),
    "tee": (b"x\n", ["--output-error=exit none/x new", "--output-error=exit new d", "--output-error=warn none/x new"]),
    "ls": (
        b"",
        [
            *["-a -I '*'", "-A -I '?hid'", "-a -I '.*'", "-I '[!a]'", "-I '[[:alpha:]]'", "--hide '*' -a", "-B", "loop", "-d loop"],
            *["--block-size=si -s a", "--block-size=human-readable -s a", "--block-size=x"],
        ],
    ),
    "mkdir": (b"", ["-p n/.", "-p n/..", "-p n/./m", "-pv n/m/.", "n/.", "-p a", "-p a/.", "-p d/."]),
    "find": (
        b"",
        [
            *["-regex '.*n.x'", "-regextype emacs -regex './n.*'", "-regextype findutils-default -regex './n.*'"],
            *["-regex '.*/[(a]'", r"-regex '.*/\(a\|b\)'", "-O2 a", "-O1 -L a", "d -nowarn", "d -noleaf -warn -name x"],
        ],
    ),
    "cp": (
        b"",
        [
            "-b d/x d",
            "-S .o -t d d/x",
            "--backup=t d//x d/x",
            "-b a ./a",
            "-S .o a b",
            "--suffix=.o a b",
            "--backup=none -S .o a b",
            "-b a b",
            "-t d -t d a",
            "-t d -t e a",
        ],
    ),
    "mv": (
        b"",
        [
            "-T -b d/ d",
            "-b a ./a",
            "-b d/x d",
            "-b d a",
            "-b -T a d",
            "-u d a",
            "-i d a",
            "-S .o a b",
            "--suffix= a b",
            "--backup=off -S .o a b",
            "-t d -t d a",
        ],
    ),
    "wc": (b"1\n", ["''", "-l '' a", "'' a b", "-c a ''"]),
    "ln": (b"", ["-f -S .o a b", "-s -t d -t d a", "-sf --backup=off -S .o a b"]),
}


def tree(place: Path) -> None:
    """Two files, directories with one, a link to itself, names with a newline and a dot."""
    for name, text in {"a": "one\n", "b": "two\n", "d/x": "x\n", "e/y": "y\n", "n\nx": "", ".hid": "", "b~": ""}.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    (place / "loop").symlink_to("loop")


@pytest.mark.parametrize("tool", CALLS)
def test_the_program_gives_the_same(tmp_path: Path, tool: str) -> None:
    twins = Twins(tmp_path, tree)
    stdin, lines = CALLS[tool]
    for line in lines:
        twins.compare(tool, shlex.split(line), stdin, messages=False)
