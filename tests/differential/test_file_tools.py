"""cp, mv, rm, ln, mkdir, touch, realpath and split against the GNU programs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from builtin_case import Twins, as_here, builtin, plain, program

from kernel import words

LONG_AGO = 1_700_000_000 * 10**9


def make(place: Path) -> None:
    """Files, links and directories to work on, with times that are the same on both sides."""
    (place / "a").write_text("one\n")
    (place / "b").write_text("two\n")
    (place / "ro").write_text("read only\n")
    (place / "d/s").mkdir(parents=True)
    (place / "d/x").write_text("x\n")
    (place / "d/s/y").write_text("y\n")
    (place / "e").mkdir()
    (place / "l").symlink_to("a")
    (place / "dl").symlink_to("d")
    (place / "broken").symlink_to("nowhere")
    (place / "a b").write_text("blank\n")
    (place / "it's").write_text("quote\n")
    os.link(place / "a", place / "h")
    for number, name in enumerate(("a", "b", "ro", "d/x", "d/s/y", "a b", "it's")):
        os.utime(place / name, ns=(10**18 + number * 10**9, 10**18 + number * 10**9 + 5))
    for name in ("d/s", "d", "e"):
        os.utime(place / name, (10**9, 10**9))
    for name in ("l", "dl", "broken"):
        os.utime(place / name, (10**9, 10**9), follow_symlinks=False)
    os.chmod(place / "ro", 0o444)
    os.chmod(place / "b", 0o750)


@pytest.fixture
def twins(tmp_path: Path) -> Twins:
    return Twins(tmp_path, make)


CP = """
-n a b|-v a c|a|a b|a b e|-t e a b|-T a e|-r d new|-r d e|-R d/. e|-a d new|-d l k|-l a k|-s a k|-f a ro|a ro2|none x|d x
a b nodir|a a|a h|l m|-P l m|broken m|-r broken m|-u a b|-u b a|-p b k|--preserve=mode,timestamps b k|-b a b
--backup=numbered a b|-S .old -b a b|-S /../x -bv a b|-v --backup=t a b|-r d d|-rv d/ new|-rL dl new|-rH dl new|--parents d/s/y e
--remove-destination a l|a d|-r d a|--attributes-only b k|-v "a b" "it's" e|a e/|a none/|-r d e a b|a l
--no-preserve=mode -p b k|-i a b|-T d e|-rT d e|a a e|-lf a b|-r dl new|dl new|-sr d new
--no-preserve=mode ro k|-p --no-preserve=mode ro k|-a --no-preserve=mode d new|-r --no-preserve=mode d new
"""
MV = """
a c|-v a c|a b e|-t e a b|-n a b|-u a b|-u b a|a nodir/x|none x|a b nodir|d e|d new|-T d e|-T a e|d d|d d/s|a d|d a|a a|a h|l m
-v l a|a l|-b a h|-b l a|-b a b|--backup=numbered -v a b|-i a b|-f a ro|-v d e|a e/|--strip-trailing-slashes d/ new|d/ new|a
d/x e|d/s/y d/x a e|-v 'a b' "it's" e|d/x d/s/y d/x e
"""
RM = """
a|-v a|a none|-f none a|d|-r d|-rv d|-d e|-d d|-dv e|-r .|-r d/..|-r /|l|-r l|-r dl|dl/|-rf d none b|-v "a b" "it's"|broken
-r a d e|-i a|-ri d|d/x/z|-f|--interactive=never -v a|-I a b d/x l|-Ir d|-fd e a
"""
LN = """
a k|a h|-s a k|-sf b a|-sv a k|-f a b|-fv a b|-s none k|none k|d k|-s d e|-sn d dl|-sfn e dl|-sf e dl|a b e|-s ../a ../b e
-t e a|-T a e|-sT a e|-sr a e/k|-sr d/s/y e|-v a k|-s a a|-f a a|-sb b a|-bS .o a b|d/x|-s d/x|-L l k|-P l k|l k|-si a b
a nodir/k|-fv l a|-sfv a l
"""
MKDIR = """
n|d|-p d|-vp n/m/k|-m 700 n|-m u=rwx,go= n|-m g-w,u-x n|-pm 711 n/m|a/n|-p a/n|none/n|-v n m d|-m =rx n|-m u+s n|-m 2755 n
-m a=rwX n|-m o= n|-p n/../m|-m 9 n|-m u=g n|-m +x n
"""


def lines(table: str) -> list[str]:
    return [line for row in table.split("\n") for line in row.split("|") if line]


def split_words(line: str) -> list[str]:
    return [word.text for word in words.split(line)]


@pytest.mark.parametrize(("name", "table"), [("cp", CP), ("mv", MV), ("rm", RM), ("ln", LN), ("mkdir", MKDIR)])
def test_files(twins: Twins, name: str, table: str) -> None:
    """Each line on a tree of its own; usage errors, which have a status of their own here, aside."""
    for line in lines(table):
        given = split_words(line)
        wanted = program(name, given, _fresh(twins), b"n\n")
        if b"Try '" in wanted.stderr or b"invalid mode" in wanted.stderr:
            got = builtin(name, given, _fresh(twins), b"n\n")
            assert got.status == 2 and not got.stdout, line
            continue
        twins.compare(name, given, b"n\n", times=name == "cp" and given[0] in ("-a", "-p"))


def _fresh(twins: Twins) -> Path:
    twins.number += 1
    place = twins.root / f"fresh-{twins.number}"
    place.mkdir()
    make(place)
    return place


TOUCH = """
n|-c n|a|-d @100 n|-d "2024-01-02 03:04:05" n a|-t 202401020304.05 n|-t 01020304 -c none|-r a n|-am -d @5 a|-a -d @5 a
-m -d @5 b|-h -d @7 l|-d @7 broken|-d "1 day" -r a n|--time=atime -d @9 a|nodir/x|-d rubbish a|-t 99 a|d -d @5|-h -d @8 none
-t 9901010000 a|-t 190001010000.60 a|-cd @3 none a
"""
REALPATH = """
a|l|dl/x|dl/../a|none|none/x|-e none|-m none/x/../y|-e l|broken|-e broken|a/|d/|/usr/../usr/.|.|--relative-to=d a
--relative-to=. d/s/y|-s l|-L dl/../a|--relative-base=d d/x a|--relative-base=. --relative-to=d a d/x|-z a b|-q none a|//|/
-s dl/../a|a/x|-e a/|-m a/x|d/../none|-P dl/..|-s none/../a|none/..|''|--relative-to=none a|--relative-base=none a
-e --relative-to=a b|--relative-to=/ a|--relative-to=dl a|-sm none/./x|-e d/s/../x|-m broken/x|dl|-L dl/s/..
"""


@pytest.mark.parametrize(("name", "table"), [("touch", TOUCH), ("realpath", REALPATH)])
def test_names_and_times(tmp_path: Path, name: str, table: str) -> None:
    place = tmp_path / "place"
    for line in lines(table):
        given = split_words(line)
        outcomes = []
        for run in (program, builtin):
            place.mkdir()
            make(place)
            answer = run(name, given, place)
            infos = {each.name: each.lstat() for each in place.iterdir()}
            # what was read or written just now has a time of its own on each side
            old = {each: info.st_mtime_ns for each, info in infos.items() if info.st_mtime_ns < LONG_AGO}
            if name == "touch":
                old |= {f"{each} read": info.st_atime_ns for each, info in infos.items() if info.st_atime_ns < LONG_AGO}
            outcomes.append((answer, old, sorted(infos)))
            shutil.rmtree(place)
        (wanted, *facts), (got, *own_facts) = outcomes
        wanted = as_here(wanted, got)
        found = (got.status, got.stdout, plain(got.stderr), own_facts)
        assert found == (wanted.status, wanted.stdout, plain(wanted.stderr), facts), line


SPLIT = """
f|-l 3 f|-b 4 f|-C 5 f|-n 2 f|-n 3 f|-n l/3 f|-n r/3 f|-n 2/3 f|-n l/2/3 f|-n r/2/3 f|-3 f|-d -l 2 f p.|-a 1 -l 1 f|-x -l 1 f
--numeric-suffixes=9 -l 1 f|--additional-suffix=.txt -l 4 f|-e -n 50 f|-n 50 f|-n l/50 f|-t : -l 1 f|-t '\\0' -l 1 f
--verbose -l 5 f|-l 1 none|-b 1K f|-n r/50 f|-e -n r/50 f|-l 0 f|-l 4 - p|-b 0 f|-a 1 -b 1 f|-d -b 1 f|-n l/2 e|-n 2 e|e
--hex-suffixes=3 -l 4 f|-C 3 f|-a 3 -n 2 f|-a 1 -n 30 f|-n 4/3 f|-n 0 f|-l 2 -b 2 f|-te -l 2 f
"""


def test_split(tmp_path: Path) -> None:
    text = b"".join(b"line %d:%s\n" % (number, b"x" * (number * 7 % 30)) for number in range(23)) + b"\x00\xff no newline"

    def pieces(place: Path) -> None:
        (place / "f").write_bytes(text)
        (place / "e").write_bytes(b"")

    twins = Twins(tmp_path, pieces)
    for line in lines(SPLIT):
        given = split_words(line)
        wanted = program("split", given, _scratch(tmp_path, pieces), text)
        if wanted.status and b"exhausted" not in wanted.stderr and b"none" not in wanted.stderr:
            assert builtin("split", given, _scratch(tmp_path, pieces), text).status == 2, line
            continue
        twins.compare("split", given, text)


_scratches = iter(range(10**6))


def _scratch(root: Path, fill: Callable[[Path], None]) -> Path:
    place = root / f"scratch-{next(_scratches)}"
    place.mkdir()
    fill(place)
    return place
