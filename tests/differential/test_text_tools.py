"""tac, base64, checksum, mktemp, uname, hostname and timeout against the GNU programs."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest
from builtin_case import ENVIRONMENT, Twins, as_here, builtin, plain, program
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

INPUTS = [
    b"",
    b"\n",
    b"a",
    b"a\nb\n",
    b"a\nb",
    b"\n\na\n\n",
    b"\xff\xfe\n\x00\n",
    b"x" * 70000 + b"\n" + b"y" * 70000,
    b"a,b,c",
    b"a12b3c",
]
INPUTS.append(b"".join(b"%d\n" % number for number in range(30000)))


@pytest.mark.parametrize("words", ["", "-b", "-s ,", "-b -s ,", "-r -s [0-9][0-9]*", "-s ab", "-s 00", "-rb -s x*", "-s aa"])
def test_tac(tmp_path: Path, words: str) -> None:
    twins = Twins(tmp_path, lambda place: None)
    for text in INPUTS if "-r" not in words else INPUTS[:7] + INPUTS[8:10]:
        twins.compare("tac", words.split(), text)


def test_tac_of_files(tmp_path: Path) -> None:
    twins = Twins(tmp_path, lambda place: [(place / f"f{number}").write_bytes(text) for number, text in enumerate(INPUTS)] and None)
    twins.compare("tac", [f"f{number}" for number in range(len(INPUTS))] + ["none"])
    assert builtin("tac", ["."], tmp_path).status == 1


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from([b"a", b"ab", b"aab", b"\n", b"b"])).map(b"".join))
def test_tac_by_generated_text(tmp_path: Path, text: bytes) -> None:
    for words in (["-s", "ab"], ["-b", "-s", "aa"], ["-s", "aba"]):
        got = builtin("tac", words, tmp_path, text)
        assert got == program("tac", words, tmp_path, text)


GROUPS = [
    b"aGk=",
    b"aGkK",
    b"aGk",
    b"a",
    b"aG",
    b"aGk=aGk=",
    b"aGk==",
    b"====",
    b"aG=",
    b"a=b=",
    b"aGkK!aGkK",
    b"a\nG\nk\nK\n",
    b"aGk=\nx",
    b"aG*k",
]


@pytest.mark.parametrize("words", ["", "-w 0", "-w20", "-w 1", "-d", "-di", "--decode", "-w 3 none"])
def test_base64(tmp_path: Path, words: str) -> None:
    twins = Twins(tmp_path, lambda place: None)
    for text in [*INPUTS, *GROUPS, bytes(range(256)), b"QUJD" * 40000, b"QUJD\n" * 40000]:
        if words.endswith("none") or len(text) < 10**6:
            twins.compare("base64", words.split(), text)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text("aGk=\n*", max_size=20))
def test_base64_decodes_any_text_alike(tmp_path: Path, text: str) -> None:
    for words in (["-d"], ["-d", "-i"]):
        assert builtin("base64", words, tmp_path, text.encode()) == program("base64", words, tmp_path, text.encode())


def fill(place: Path) -> None:
    for name, text in (("a", b"one\n"), ("b", b""), ("c\nd", b"x"), ("e\\f", b"y"), ("g h", bytes(300000))):
        (place / name).write_bytes(text)


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512", "b2"])
def test_checksum(tmp_path: Path, algorithm: str) -> None:
    fill(tmp_path)
    own = ["-a", "blake2b" if algorithm == "b2" else algorithm]
    for words in (["a", "b", "c\nd", "e\\f", "g h"], ["--tag", "a", "c\nd"], ["-z", "a", "c\nd"], ["none", "a"], []):
        wanted = program(f"{algorithm}sum", words, tmp_path, b"in")
        got = builtin("checksum", own + words, tmp_path, b"in")
        assert got.stdout == wanted.stdout
        assert (got.status, got.stderr.replace(b"checksum", b"")) == (
            wanted.status,
            wanted.stderr.replace(f"{algorithm}sum".encode(), b""),
        )


STDIN = b"standard input"
CHECKED = [
    b"%(a)s  a\n%(b)s *b\n",
    b"%(a)s  b\n%(a)s  none\nrubbish\n",
    b"# comment\n\\%(x)s  c\\nd\n%(a)s  a",
    b"rubbish\n",
    b"SHA256 (a) = %(a)s\nMD5 (a) = 00\n",
    b"%(a)s  none\n",
]


@pytest.mark.parametrize("words", ["", "--quiet", "--status", "--strict", "-w", "--ignore-missing"])
def test_checksum_checks(tmp_path: Path, words: str) -> None:
    fill(tmp_path)
    sums = {}
    for key, name in ((b"a", "a"), (b"b", "b"), (b"x", "c\nd")):
        sums[key] = re.sub(rb"^\\", b"", program("sha256sum", [name], tmp_path).stdout)[:64]
    for text in CHECKED:
        given_text = text % sums
        wanted = program("sha256sum", ["-c", *words.split()], tmp_path, given_text)
        got = builtin("checksum", ["-c", "-a", "sha256", *words.split()], tmp_path, given_text)
        assert got.stdout == wanted.stdout
        assert plain(got.stderr).replace(b"checksum:", b"sha256sum:") == plain(wanted.stderr).replace(
            b"'standard input'", b"standard input"
        )
        assert got.status == wanted.status


def test_checksum_knows_the_algorithm_by_the_line(tmp_path: Path) -> None:
    fill(tmp_path)
    lines = b"".join(program(f"{name}sum", ["a", "c\nd"], tmp_path).stdout for name in ("md5", "sha1", "sha512"))
    assert builtin("checksum", ["-c"], tmp_path, lines).stdout.count(b": OK\n") == 6


MKTEMP = [
    "x.XXX",
    "-d x.XXXX",
    "x.XX",
    "x",
    "--suffix=.txt x.XXX",
    "xXXXa",
    "-u q.XXXX",
    "-p sub y.XXX",
    "-t z.XXX",
    "--tmpdir=none y.XXX",
    "none/x.XXX",
]
MKTEMP += [
    "--tmpdir=sub",
    "-q none/x.XXX",
    "--suffix=/a x.XXX",
    "-t a/b.XXX",
    "-p sub /x.XXX",
    "a.XXX.XXX",
    "-p sub -d",
    "--suffix=a x.XXXb",
]


@pytest.mark.parametrize("words", MKTEMP)
def test_mktemp(tmp_path: Path, words: str) -> None:
    answers = []
    for run in (program, builtin):
        place = tmp_path / run.__name__
        (place / "sub").mkdir(parents=True)
        answer = run("mktemp", words.split(), place)
        kept = sorted(
            (re.sub(r"[A-Za-z0-9]{3,}", "*", str(path.relative_to(place))), oct(path.lstat().st_mode)) for path in place.rglob("*")
        )
        shape = (os.path.dirname(answer.stdout), len(answer.stdout))
        for path in Path("/tmp").glob("z.???"):
            if path.name == answer.stdout.decode().strip().rpartition("/")[2]:
                path.unlink()
        answers.append((answer, shape, kept))
    (wanted, *facts), (got, *own_facts) = answers
    wanted = as_here(wanted, got)
    assert (got.status, plain(got.stderr), own_facts) == (wanted.status, plain(wanted.stderr), facts)


@pytest.mark.parametrize("words", ["", "-s", "-n", "-r", "-m", "-p", "-i", "-o", "-sr", "-rs", "-snrmo"])
def test_uname(tmp_path: Path, words: str) -> None:
    assert builtin("uname", words.split(), tmp_path) == program("uname", words.split(), tmp_path)


def test_hostname(tmp_path: Path) -> None:
    assert builtin("hostname", [], tmp_path).stdout == os.fsencode(socket.gethostname()) + b"\n"
    assert builtin("hostname", ["-s"], tmp_path).stdout == os.fsencode(socket.gethostname().partition(".")[0]) + b"\n"


TIMEOUT = [
    "5 echo hi",
    "0.05 sleep 9",
    "5 false",
    "5 none-such",
    "5 /",
    "-s KILL 0.05 sleep 9",
    "-s 1 0.05 sleep 9",
    "--preserve-status 0.05 sleep 9",
]
TIMEOUT += [
    "0 echo hi",
    "-k 0.05 0.05 python3 -c 'import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(9)'",
    "-v 0.05 sleep 9",
    "1d echo x",
    ".5m echo x",
    "x echo",
    "5q echo",
]
TIMEOUT += ["-s NONE 1 echo", "--foreground 0.05 sleep 9", "5 sh -c 'exit 7'", "5 sh -c 'kill -9 $$'", "5 cat"]


@pytest.mark.parametrize("line", TIMEOUT)
def test_timeout(tmp_path: Path, line: str) -> None:
    from kernel import words

    argv = [word.text for word in words.split(line)]
    wanted = program("timeout", argv, tmp_path, b"in\n")
    got = builtin("timeout", argv, tmp_path, b"in\n", ENVIRONMENT)
    wanted = as_here(wanted, got)
    status = wanted.status if wanted.status >= 0 else 128 - wanted.status  # the program ends by the same signal itself
    assert (got.status, got.stdout, plain(got.stderr)) == (status, wanted.stdout, plain(wanted.stderr))
