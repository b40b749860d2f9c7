"""Builtins side by side in a pipeline share one process: statuses, ends, streams, and JSON that is handed over as values."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shell_case import START, ShellCase

from kernel.builtins import link
from kernel.strict_json import Number

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="there is no /proc")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> ShellCase:
    found = ShellCase(tmp_path_factory.mktemp("adjacent"))
    found.file("words", "b\na\nc\na\n").file("bad.csv", "a,b\n1,2\n3\n").file("a.json", '{"a": [1.50, "x"], "b": null}')
    return found


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@needs_proc
def test_they_share_one_process(case: ShellCase) -> None:
    line = "cat | tail -n 3 | sort | wc -l; echo over"
    shell = subprocess.Popen(
        [sys.executable, "-c", START, "-c", line], cwd=case.cwd, env=case.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert shell.stdin is not None and shell.stdout is not None
    while not children(shell.pid):
        time.sleep(0.01)
    [shared] = children(shell.pid)
    while len(os.listdir(f"/proc/{shared}/task")) < 4:
        time.sleep(0.01)
    assert children(shared) == []
    out, _ = shell.communicate(b"1\n2\n3\n4\n")
    assert out == b"3\nover\n"


@needs_bash
@pytest.mark.parametrize(
    "line",
    [
        "sort words | uniq -c | sort -rn | head -n 1 | cat -A",
        "seq 1000000 | head -n 1 | cat; echo ${PIPESTATUS[@]}",
        "seq 5 | grep x | cat; echo ${PIPESTATUS[@]}",
        "seq 5 | grep x | wc -l; echo $?",
        "cat nofile 2> /dev/null | sort | wc -l; echo ${PIPESTATUS[@]}",
        "set -o pipefail; cat nofile 2> /dev/null | sort | wc -l; echo $?",
        "set -o pipefail; seq 3 | grep -q 9 | cat; echo $?",
        "seq 3 | cat | false; echo $?",
        "! seq 3 | cat | grep -q 9; echo $?",
        "cat < words | sort > sorted | cat; cat sorted",
        "cat nofile |& sed 's/^cat: .*/x/' | wc -l",
        "sort nofile 2>&1 >/dev/null | wc -l",
        "A=1 LC_ALL=C sort words | A=2 uniq | wc -l; echo ${A-unset}",
        "sort <<< 'b\na' | cat -n",
        "sort <<EOF | cat -n\nb\na\nEOF",
        "x=zz; echo $x | cat | tr z y; echo ${x%z} | cat | cat; echo {a,b}{1..3} | tr ' ' '\n' | tail -n 2",
        "echo ~ | cat | wc -l; set -- 1 '2 3'; printf '%s\n' \"$@\" | cat | cat",
        'x=$(seq 3 | sort -r | head -n 2); echo "$x"; echo $(seq 3 | grep 9 | cat)$?',
        "i=1; echo $((i=i+1)) | cat | cat; echo $i; echo ${new:=5} | cat | cat; echo ${new-unset}",
        "echo 2 | head -n $(cat) words | cat",
        "seq 3 | tee copy | tail -n 1 | cat; cat copy",
        "seq 3 | sort -o out1 | cat; cat out1",
        "(seq 10000000; echo late > late) | head -n 1 | cat; test -e late; echo $?",
        "yes | head -n 2 | sort | uniq -c",
        'seq 3 | cat | while read x; do echo "<$x>"; done | cat | tac',
        "f() { cat; }; seq 2 | cat | f | cat | wc -l",
        "seq 3 | cat | sh -c 'cat; exit 3' | cat | cat; echo ${PIPESTATUS[@]}",
        "if seq 3 | cat | grep -q 2; then echo yes; fi; seq 3 | cat | grep 9 || echo no",
        "set -e; seq 3 | grep 9 | cat; echo on; seq 3 | cat | grep 9; echo off",
        "sleep 0.2 | cat | cat & wait $!; echo $?; seq 3 | grep 9 & wait $!; echo $?",
        "trap 'echo bye' EXIT; seq 2 | cat | cat",
    ],
)
def test_as_in_bash(line: str, case: ShellCase) -> None:
    line = line.replace("${PIPESTATUS[@]}", '"${PIPESTATUS[@]}"')
    assert BASH is not None
    wanted = subprocess.run([BASH, "-c", line], cwd=case.cwd, env=case.env, capture_output=True, check=False)
    found = case.line(line)
    assert (found.out, found.exit) == (wanted.stdout, wanted.returncode), found


def test_early_end_is_seen_while_the_others_live(case: ShellCase) -> None:
    """The group's own input is let go by the member that read it, not by the process."""
    case.line(
        "(yes; echo gone > gone) | head -n 1 | sleep 2 & while ! test -s gone; do sleep 0.02; done; jobs > state; wait; cat state"
    )
    found = case.line("cat gone state")
    assert found.stdout.startswith("gone\n") and "Running" in found.stdout


def test_errors_name_the_stage(case: ShellCase) -> None:
    found = case.line('x=nine; seq 3 | head -n $x | cat; echo "${PIPESTATUS[@]}"')
    assert found.stdout == "0 2 0\n"
    assert "nine" in found.stderr
    found = case.line("x=--help; seq 3 | cat $x | head -n 1")
    assert found.stdout.strip() and not found.stderr


def test_values_keep_their_form(case: ShellCase) -> None:
    case.line("cat a.json | fromjson | toyaml").prints("a:\n- 1.50\n- x\nb: null\n")
    case.line("fromjson < a.json | keys -j | fromjsonl").prints('["a","b"]\n')
    case.line("fromjson '[1.0, [2e3]]' | values -j | tojsonl | fromjsonl | tojsonl").prints("1.0\n[2e3]\n")
    case.line("fromcsv bad.csv | table").is_("""
        exit 1
        -- stderr
        fromcsv: row 3 has 1 cells, the header has 2
        table: the array breaks off: what was to write it has failed
    """)


def test_a_reader_that_leaves_ends_its_writer(case: ShellCase) -> None:
    case.line('seq 300000 | fromjsonl | tojsonl | fromjson; echo "${PIPESTATUS[@]}"')
    found = case.line('seq 300000 | tojsonl | fromjson x | cat; echo "${PIPESTATUS[@]}"')
    assert found.stdout == "141 0 1 0\n" or found.stdout == "141 141 1 0\n", found


def test_redirected_values_are_text(case: ShellCase) -> None:
    case.line("fromjson '[1]' > one | toyaml < a.json; cat one").prints("a:\n- 1.50\n- x\nb: null\n[1]\n")
    found = case.line("fromcsv bad.csv |& toyaml")
    assert found.exit == 1 and "found `fromcsv:`" in found.stderr


SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from([0.5, 1e300]) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=6
)
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), SCALARS, min_size=1, max_size=3), max_size=4)
WRITERS = (
    "fromjson",
    "fromjsonl",
    "tojsonl",
    "fromyaml",
    "fromcsv",
    "fromcsv -n",
    "fromcsv -l",
    "keys -j",
    "values -j",
    "tojson -l",
)
READERS = ("fromjson", "keys", "values", "typeof", "toyaml", "tojsonl", "fromjsonl", "tocsv", "table", "tojson")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_handed_over_is_as_written_and_read(case: ShellCase, data: st.DataObject) -> None:
    """A pair of tools gives the same side by side as with a process for each, where text goes between them."""
    documents = data.draw(st.lists(VALUES | ROWS, max_size=3))
    text = "\n".join([json.dumps(each) for each in documents])
    if data.draw(st.integers(0, 4)) == 0:
        text = data.draw(st.text(max_size=20))
    case.file("in", text.encode("utf-8", "replace"))
    writer, reader = data.draw(st.sampled_from(WRITERS)), data.draw(st.sampled_from(READERS))
    together = case.line(f'{writer} < in | {reader}; echo "${{PIPESTATUS[@]}}"')
    apart = case.line(f'{writer} < in | ({reader}); echo "${{PIPESTATUS[@]}}"')
    assert together.stdout == apart.stdout, (writer, reader, text)


def limited(case: ShellCase, line: str, **limits: int) -> subprocess.CompletedProcess[str]:
    """Runs a line in a process that may have no more than this of something: `AS=…`, `NOFILE=…`."""
    setting = ";".join([f"resource.setrlimit(resource.RLIMIT_{name}, ({most}, {most}))" for name, most in limits.items()])
    return subprocess.run(
        [sys.executable, "-c", f"import resource; {setting}; {START}", "-c", line],
        cwd=case.cwd,
        env=case.env,
        capture_output=True,
        text=True,
        check=False,
    )


@needs_proc
def test_what_the_system_refuses_is_said(case: ShellCase) -> None:
    many = " | cat" * 60
    found = limited(case, f"sleep 0.5{many}; echo over $?", AS=120 << 20)
    assert (found.stdout, found.stderr) == ("over 2\n", "error[E-FILE]: the system refused to start one more thread\n")
    found = limited(case, f"seq 3{many}; echo over $?", NOFILE=40)
    assert (found.stdout, found.stderr) == ("over 2\n", "error[E-FILE]: the system refused: Too many open files\n")


@needs_proc
def test_memory_that_does_not_suffice_is_an_error(case: ShellCase) -> None:
    case.file("large", "")
    os.truncate(case.cwd / "large", 300 << 20)
    found = limited(case, "tac large | wc -c; echo over", AS=200 << 20)
    assert (found.stdout, found.stderr) == ("0\nover\n", "tac: memory exhausted\n")
    found = limited(case, "x=$(tr '\\0' x < large); echo over", AS=200 << 20)
    assert (found.stdout, found.stderr) == ("", "error[E-FILE]: the memory does not suffice\n")


def test_large_values_wait_in_no_great_number() -> None:
    """A writer is held up by what waits, as by a pipe: by its size, not only by its number."""
    handed = link.Link()
    given: list[int] = []

    def write() -> None:
        for number in range(200):
            handed.give(link.VALUES, [{"a": "x" * 300_000}, Number("1" * 300_000)])
            given.append(number)
        handed.end()

    writer = threading.Thread(target=write)
    writer.start()
    assert handed.kind() == link.VALUES
    while len(given) < 17:
        time.sleep(0.001)
    time.sleep(0.02)
    assert len(given) <= 18
    assert len(list(handed.taken())) == 200
    writer.join()


def test_pipestatus_is_kept_over_a_trap(case: ShellCase) -> None:
    found = case.line('trap "true | true" USR1; kill -USR1 $$ | false | true; echo "${PIPESTATUS[@]}"')
    assert found.stdout == "0 1 0\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("waiting", ["sleep 30 | cat | cat", "sleep 30", "command sleep 30", "x=$(sleep 30)"])
def test_the_trap_of_exit_runs_where_a_signal_ends_the_shell(number: int, waiting: str, case: ShellCase) -> None:
    line = f"trap 'echo cleaned' EXIT; echo on; {waiting}; echo never"
    words = [sys.executable, "-c", START, "-c", line]
    shell = subprocess.Popen(words, cwd=case.cwd, env=case.env, stdout=subprocess.PIPE, start_new_session=True)
    assert shell.stdout is not None
    assert shell.stdout.readline() == b"on\n"
    os.killpg(shell.pid, number)
    out, _ = shell.communicate()
    assert (out, shell.returncode) == (b"cleaned\n", -number)


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_standard_streams_are_no_other_files(closed: int, case: ShellCase) -> None:
    """What is opened never gets the number of one, and who does not use it is not hindered."""
    line = "seq 2 | cat | tail -n 1 > a; echo b > b; x=$(seq 3 | cat | tac); cat > c <<< $x; read y; echo $? > d; cat a b c d > all"
    start = f"import os; os.close({closed}); {START}"
    subprocess.run([sys.executable, "-c", start, "-c", line], cwd=case.cwd, env=case.env, stdin=subprocess.DEVNULL, check=False)
    assert (case.cwd / "all").read_text() == f"2\nb\n3\n2\n1\n{2 if closed == 0 else 1}\n"


@needs_full
def test_what_cannot_be_written_fails_alone(case: ShellCase) -> None:
    case.line("alias a=b; alias > /dev/full; echo on $?").is_("""
        exit 0
        -- stdout
        on 2
        -- stderr
        error[E-FILE]: `stdout` cannot be read or written: No space left on device
    """)
