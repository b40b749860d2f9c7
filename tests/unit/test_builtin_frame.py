"""What all builtins share: refusals, errors of writing, sizes, quoting, numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from gnu_case import ours
from kernel_case import ROOT
from shipped import spec_of

from kernel import bind, check
from kernel.builtins import cat, long_double
from kernel.builtins.guard import is_utf8, last_given
from kernel.builtins.io import Io
from kernel.builtins.quoting import file_name, quoted, shell_word
from kernel.builtins.sizes import human, parse_size


def test_a_full_disk_is_said_and_ends_with_1() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    full = os.open("/dev/full", os.O_WRONLY)
    reading, writing = os.pipe()
    try:
        bound = check.check(bind.bind(spec_of("cat"), ["/etc/passwd"]), {})
        assert cat.run(bound, Io("cat", {}, "/", lambda _: 0, 0, full, writing)) == 1
        assert os.read(reading, 200) == b"cat: write error: No space left on device\n"
    finally:
        for descriptor in (full, reading, writing):
            os.close(descriptor)


def test_a_reader_that_went_away_ends_the_builtin() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        bound = check.check(bind.bind(spec_of("cat"), ["/etc/passwd"]), {})
        with pytest.raises(BrokenPipeError):
            cat.run(bound, Io("cat", {}, "/", lambda _: 0, 0, writing, 2))
    finally:
        os.close(writing)


def test_a_file_that_is_its_own_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"text\n")
    target = os.open(tmp_path / "f", os.O_WRONLY | os.O_APPEND)
    try:
        bound = check.check(bind.bind(spec_of("cat"), ["f"]), {})
        assert cat.run(bound, Io("cat", {}, str(tmp_path), lambda _: 0, 0, target, target)) == 1
    finally:
        os.close(target)
    assert (tmp_path / "f").read_bytes() == b"text\ncat: f: input file is output file\n"


def test_a_name_with_a_nul_is_no_file() -> None:
    for name in ("cat", "head", "wc", "ls"):
        bound = check.check(bind.bind(spec_of(name), []), {})
        bound.values["files"] = ["a\0b"]
        sink = os.open(os.devnull, os.O_WRONLY)
        try:
            module = __import__(f"kernel.builtins.{name}", fromlist=["run"])
            assert module.run(bound, Io(name, {}, "/", lambda _: 0, 0, sink, sink)) in (1, 2)
        finally:
            os.close(sink)


def test_the_last_of_several_flags_counts() -> None:
    spec = spec_of("head")
    assert last_given(check.check(bind.bind(spec, ["-q", "-v"]), {}), "quiet", "verbose") == "verbose"
    assert last_given(check.check(bind.bind(spec, ["-v", "-q"]), {}), "quiet", "verbose") == "quiet"
    assert last_given(check.check(bind.bind(spec, []), {}), "quiet", "verbose") == ""


@pytest.mark.parametrize(
    ("env", "answer"),
    [
        ({}, False),
        ({"LANG": "en_US.UTF-8"}, True),
        ({"LC_ALL": "C", "LANG": "C.UTF-8"}, False),
        ({"LC_CTYPE": "C.utf8"}, True),
        ({"LC_ALL": "", "LANG": "C.UTF-8"}, True),
    ],
)
def test_the_locale(env: dict[str, str], answer: bool) -> None:
    assert is_utf8(env) is answer


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("12", 12),
        ("2b", 1024),
        ("1k", 1024),
        ("1kB", 1000),
        ("1K", 1024),
        ("1KiB", 1024),
        ("3MB", 3 * 10**6),
        ("1G", 2**30),
        ("x", None),
        ("", None),
        ("1x", None),
        ("1kb", None),
        ("-1", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0"), (1023, "1023"), (1024, "1.0K"), (1025, "1.1K"), (10240, "10K"), (10241, "11K"), (1048575, "1.0M"), (2**30, "1.0G")],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert human(size) == text


def test_quoting() -> None:
    assert [shell_word(text) for text in ("a", "a b", "it's", "", "a\nb", "'\n'")] == [
        "a",
        "'a b'",
        '"it\'s"',
        "''",
        "'a'$'\\n''b'",
        "''\\'''$'\\n'\\'''",
    ]
    assert file_name("a:b") == "'a:b'"
    assert quoted("a'b\n") == "'a\\'b\\n'"


def test_long_doubles() -> None:
    number, problem = long_double.parse("0.1")
    assert (number.magnitude, problem) == (Fraction(14757395258967641293, 2**67), "")
    assert long_double.parse("1e5000")[1] == "Numerical result out of range"
    assert long_double.parse("1" * 50000)[0].word == "inf"
    assert long_double.parse("0." + "0" * 50000 + "1")[0].magnitude == 0
    assert long_double.parse("1e" + "9" * 5000)[0].word == "inf"


def test_an_unknown_option_is_named() -> None:
    found = ours(["cat", "--frobnicate"])
    assert found.status == 2
    assert b"--frobnicate" in found.stderr


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        ("OverflowError('too much')", 125, "error[E-INTERNAL]: internal error: OverflowError: too much (at <string>:"),
        ("fail('E-EFFECT', 'not confirmed')", 2, "error[E-EFFECT]: not confirmed\n"),
    ],
)
def test_the_process_of_a_builtin_prints_no_trace(raised: str, status: int, said: str) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from kernel import bind, builtin_process, feed, inside, locate, store
from kernel.builtins import remote
from kernel.errors import fail
def broken(*_):
    raise {raised}
inside.call = broken
bound = bind.bind(store.by_name("true", locate.search_path()), [])
builtin_process.main(feed.descriptor(remote.pack("true", bound)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr
