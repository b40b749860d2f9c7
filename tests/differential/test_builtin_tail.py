"""tail beside GNU tail."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, both_refuse, need, quick, same, texts
from hypothesis import given
from hypothesis import strategies as st
from shipped import spec_of

from kernel import bind, check
from kernel.builtins import tail
from kernel.builtins.io import Io

need("tail")
COUNTS = ["0", "1", "2", "3", "10", "1K", "+0", "+1", "+2", "+5", "+100", "-2"]


@quick
@given(data=texts, unit=st.sampled_from(["-n", "-c"]), count=st.sampled_from(COUNTS), zero=st.sampled_from([[], ["-z"]]))
def test_any_input(data: bytes, unit: str, count: str, zero: list[str]) -> None:
    same(["tail", unit, count, *zero], data)


@pytest.mark.parametrize("words", [[], ["-q"], ["-v"], ["-n", "1", "-v"], ["-c", "3"], ["-n", "+2"], ["-c", "+2"], ["--lines=2"]])
def test_several_files(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"".join([b"%d\n" % number for number in range(20)]))
    (tmp_path / "g").write_bytes(b"a\nb\nno end")
    (tmp_path / "e").write_bytes(b"")
    (tmp_path / "d").mkdir()
    for files in (["f"], ["f", "g"], ["e", "g", "-"], ["nofile", "g"], *([] if "-c" in words else [["d", "g"]])):
        same(["tail", *words, *files], b"stdin\n", cwd=tmp_path, messages=True)


def test_short_forms(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"1\n2\n3\n")
    for words in (["-2", "f"], ["+2", "f"], ["-2"], ["+2"]):
        same(["tail", *words], b"a\nb\nc\n", cwd=tmp_path)


def test_a_long_file_is_read_from_its_end(tmp_path: Path) -> None:
    data = b"".join([b"line %d\n" % number for number in range(60_000)])
    (tmp_path / "f").write_bytes(data)
    for words in (["-n", "5"], ["-n", "50000"], ["-n", "70000"], ["-c", "100000"], ["-n", "+59990"]):
        same(["tail", *words, "f"], cwd=tmp_path)
        same(["tail", *words], data)


@pytest.mark.parametrize("words", [["-n", "x"], ["-c", "5x"], ["-n", "++1"]])
def test_a_count_that_is_none(words: list[str]) -> None:
    both_refuse(["tail", *words])


@pytest.mark.parametrize("flag", ["-f", "-F", "--follow=name"])
def test_a_file_that_grows_is_followed_until_the_process_is_gone(flag: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\ntwo\n")
    watched = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    reading, writing = os.pipe()
    words = [flag, "-n", "1", "-s", "0.02", "--pid", str(watched.pid), "f"]
    bound = check.check(bind.bind(spec_of("tail"), words), {})
    io = Io("tail", ENVIRONMENT, str(tmp_path), lambda _: 0, 0, writing, writing)
    thread = threading.Thread(target=tail.run, args=(bound, io))
    thread.start()
    try:
        seen = os.read(reading, 100)
        with open(tmp_path / "f", "ab") as file:
            file.write(b"three\n")
        while b"three" not in seen:
            seen += os.read(reading, 100)
        assert seen == b"two\nthree\n"
        if flag != "-f":
            (tmp_path / "fresh").write_bytes(b"four\n")
            os.replace(tmp_path / "fresh", tmp_path / "f")
            while b"four" not in seen:
                seen += os.read(reading, 1000)
            assert b"has been replaced" in seen
    finally:
        watched.communicate(b"\n")
        thread.join()
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize("flag", ["-f", "--follow=name"])
def test_what_cannot_be_followed_is_given_up(flag: str, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for files in (["d"], ["none"], ["d", "none"]):
        same(["tail", flag, *files], cwd=tmp_path, messages=True)


def test_a_directory_is_waited_for_to_become_a_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    reading, writing = os.pipe()
    watched = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    bound = check.check(bind.bind(spec_of("tail"), ["-F", "-s", "0.02", "--pid", str(watched.pid), "d"]), {})
    io = Io("tail", ENVIRONMENT, str(tmp_path), lambda _: 0, 0, writing, writing)
    thread = threading.Thread(target=tail.run, args=(bound, io))
    thread.start()
    try:
        seen = b""
        while b"cannot follow" not in seen:
            seen += os.read(reading, 1000)
        (tmp_path / "d").rmdir()
        (tmp_path / "d").write_bytes(b"a file now\n")
        while b"a file now" not in seen:
            seen += os.read(reading, 1000)
        assert b"giving up" not in seen and b"'d' has appeared;  following new file" in seen
    finally:
        watched.communicate(b"\n")
        thread.join()
        os.close(reading)
        os.close(writing)
