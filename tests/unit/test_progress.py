"""The progress line at the prompt: its text, what it is taken from, how it comes and goes on a terminal."""

from __future__ import annotations

import importlib
import os
import pty
import signal
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from shipped import spec_of

from kernel import bind, check
from kernel.builtins import module_name
from kernel.builtins import watch as watching
from kernel.builtins.io import Io
from kernel.builtins.progress import Line, amount, bar, clock, described
from kernel.builtins.quoting import file_name
from kernel.builtins.watch import Watch, sizes
from kernel.builtins.width import text_width
from kernel.shell.session import Session

TERM = {"TERM": "xterm"}
ERASE = b"\x1b[J"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock_of_watch(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(watching.time, "monotonic", found)
    return found


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """(the side of the person, the side of the program)"""
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, slave
    os.close(master)
    os.close(slave)


class Reading:
    """Files that a builtin would read, and the watch over it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.io = Io("x", {}, str(directory), lambda _: 0)
        self.watch = self.io.watch = Watch(2, {})

    def file(self, name: str, size: int) -> str:
        with open(self.directory / name, "wb") as file:
            file.truncate(size)
        return name

    def begin(self, name: str, size: int | None = None) -> int:
        """Opens a file (made here if it has a size) as a builtin does."""
        if size is not None:
            self.file(name, size)
        descriptor = os.open(self.directory / name, os.O_RDONLY | os.O_NONBLOCK)
        self.io.begin(name, descriptor)
        return descriptor

    def end(self, descriptor: int) -> None:
        self.io.end(descriptor)
        os.close(descriptor)


@pytest.fixture
def reading(tmp_path: Path, clock_of_watch: Clock) -> Reading:
    return Reading(tmp_path)


# --- the text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (102400, "100 KiB"),
        (1023 * 1024, "1.0 MiB"),
        (210 << 20, "210 MiB"),
        (3 << 30, "3.0 GiB"),
        (1 << 62, "4096 PiB"),
    ],
)
def test_bytes_are_told_in_binary_units(size: int, text: str) -> None:
    assert amount(size) == text


def test_a_time_and_a_bar() -> None:
    assert [clock(seconds) for seconds in (0, 8.1, 754, 3723)] == ["0:00", "0:09", "12:34", "1:02:03"]
    assert [bar(done, 10, 4) for done in (0, 5, 9, 10, 11)] == ["[....]", "[##..]", "[###.]", "[####]", "[####]"]


def test_a_wide_terminal_shows_everything_and_a_narrow_one_what_fits() -> None:
    def shown(columns: int) -> str:
        return described("/mnt/disk/image.iso", " (2 of 3)", 1 << 30, 4 << 30, 256 << 20, columns)

    assert shown(120) == "/mnt/disk/image.iso (2 of 3)  [######..................]  25%  1.0 GiB of 4.0 GiB  256 MiB/s  0:12 left"
    assert shown(79) == ".../image.iso (2 of 3)  [#.....]  25%  1.0 GiB of 4.0 GiB  256 MiB/s  0:12 left"
    assert shown(66) == "...mage.iso (2 of 3)  [#.....]  25%  1.0 GiB of 4.0 GiB  256 MiB/s"
    assert shown(40) == ".../image.iso (2 of 3)  [##.......]  25%"
    assert [shown(columns) for columns in (20, 4, 3, 0)] == ["25%", "25%", "", ""]


@pytest.mark.parametrize(
    "name", ["f", "a name with blanks.txt", "日本語のファイル名とても長い名前", "x" * 300, "evil\x1b[2J\n\r\udcff"]
)
def test_a_text_fits_any_width_and_holds_no_control_character(name: str) -> None:
    for columns in range(130):
        text = described(file_name(name), "", 17, 4000, 3.5, columns)
        assert text_width(text) <= columns and text.isprintable()
        assert ("0%" in text) == (columns >= 4)


def test_without_a_rate_none_is_told_and_at_the_end_no_time() -> None:
    assert described("f", "", 1, 2, None, 100).endswith(" 50%  1 B of 2 B")
    assert described("f", "", 1, 2, 0.0, 100).endswith(" 50%  1 B of 2 B  0 B/s")
    assert described("f", "", 3, 2, 5.0, 100).endswith("100%  2 B of 2 B  5 B/s")


# --- what it is taken from


def test_one_file_is_told_once_it_takes_long(reading: Reading, clock_of_watch: Clock) -> None:
    descriptor = reading.begin("f", 1000)
    os.lseek(descriptor, 100, os.SEEK_SET)
    assert reading.watch.text(80) == ""
    clock_of_watch.now += 1
    assert reading.watch.text(80) == "f  [##......................]  10%  100 B of 1.0 KiB"
    os.lseek(descriptor, 300, os.SEEK_SET)
    clock_of_watch.now += 2
    assert reading.watch.text(80).endswith(" 30%  300 B of 1.0 KiB  100 B/s  0:07 left")
    reading.end(descriptor)
    assert reading.watch.text(80) == ""


def test_of_several_files_all_is_told(reading: Reading) -> None:
    names = [reading.file(name, size) for name, size in (("a", 100), ("b", 200), ("c", 700), ("none", 0))]
    reading.io.expect([*names, "missing", "."])
    reading.end(reading.begin("a"))
    second = reading.begin("b")
    os.lseek(second, 100, os.SEEK_SET)
    assert reading.watch.text(80) == "b (2 of 3)  [####....................]  20%  200 B of 1.0 KiB"
    os.lseek(second, 0, os.SEEK_SET)
    reading.end(second)  # not read to its end: it is over all the same
    reading.watch.passed(700)
    assert reading.watch.text(80) == ""  # there is nothing left that could be told


def test_what_is_not_read_from_front_to_back_says_where_it_is(reading: Reading, clock_of_watch: Clock) -> None:
    descriptor = reading.begin("f", 1000)
    os.lseek(descriptor, 0, os.SEEK_END)
    reading.watch.at(descriptor, 250)
    clock_of_watch.now += 1
    assert " 25%  250 B" in reading.watch.text(80)


def test_input_counts_from_where_it_was_begun(reading: Reading, clock_of_watch: Clock) -> None:
    reading.file("f", 1000)
    descriptor = os.open(reading.directory / "f", os.O_RDONLY)
    os.lseek(descriptor, 800, os.SEEK_SET)
    reading.io.stdin = descriptor
    reading.io.expect(["-"])
    reading.io.begin("-", descriptor)
    os.lseek(descriptor, 900, os.SEEK_SET)
    assert reading.watch.text(80) == "standard input  [############............]  50%  100 B of 200 B"
    reading.end(descriptor)


def test_nothing_is_told_where_the_size_is_not_known(reading: Reading, clock_of_watch: Clock, terminal: tuple[int, int]) -> None:
    os.mkfifo(reading.directory / "pipe")
    for descriptor in (reading.begin("pipe"), os.open("/dev/zero", os.O_RDONLY), os.dup(terminal[1]), reading.begin("empty", 0)):
        reading.io.begin("it", descriptor)
        clock_of_watch.now += 2
        assert reading.watch.text(80) == ""
        reading.end(descriptor)


def test_beside_a_pipe_only_the_file_at_hand_is_told(reading: Reading, clock_of_watch: Clock) -> None:
    os.mkfifo(reading.directory / "pipe")
    reading.io.expect([reading.file("f", 100), "pipe"])
    descriptor = reading.begin("f")
    assert reading.watch.text(80) == ""
    clock_of_watch.now += 1
    assert reading.watch.text(80) == "f  [........................]   0%  0 B of 100 B"
    reading.end(descriptor)


def test_trees_are_measured_without_going_in_circles(tmp_path: Path) -> None:
    (tmp_path / "tree/deep").mkdir(parents=True)
    for name, size in (("tree/a", 10), ("tree/deep/b", 200), ("beside", 3000)):
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "tree/link").symlink_to("../beside")
    (tmp_path / "tree/deep/loop").symlink_to("..")
    os.mkfifo(tmp_path / "tree/pipe")
    tree = str(tmp_path / "tree")
    assert sum(sizes(tree, True, True, False)) == 210
    assert sum(sizes(tree, True, True, True)) == 3210
    assert sum(sizes(tree, False, True, True)) == 0
    assert sum(sizes(f"{tree}/link", False, True, False)) == 3000
    assert sum(sizes(f"{tree}/link", False, False, False)) == 0
    assert list(sizes(f"{tree}/pipe", False, True, False)) == [-1]


def test_a_large_tree_is_measured_bit_by_bit(reading: Reading, clock_of_watch: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        reading.file(f"{number}", 10)
    reading.io.expect(["."], trees=True)
    descriptor = reading.begin("0")
    looks = 0
    monkeypatch.setattr(watching, "MEASURING", 0.0)  # one file a look
    while not (text := reading.watch.text(80)):
        looks += 1
    assert looks == 10 and text.startswith("0 (1 of 9) ")
    reading.end(descriptor)


def test_a_call_may_say_that_its_input_tells_nothing(reading: Reading, clock_of_watch: Clock) -> None:
    reading.io.tell_nothing()
    descriptor = reading.begin("f", 100)
    clock_of_watch.now += 2
    assert reading.watch.text(80) == ""
    reading.end(descriptor)


# --- on the terminal


def test_a_line_needs_a_terminal_that_can_draw(terminal: tuple[int, int], tmp_path: Path) -> None:
    line = Line(terminal[1])
    assert line.is_possible({"TERM": "xterm"})
    assert not any(line.is_possible(variables) for variables in ({"TERM": "dumb"}, {"TERM": ""}, {}))
    with open(tmp_path / "f", "wb") as file:
        assert not Line(file.fileno()).is_possible(TERM)


def test_the_line_goes_before_anything_is_written_and_stays_away_behind_output(terminal: tuple[int, int], tmp_path: Path) -> None:
    master, slave = terminal
    io = Io("x", TERM, str(tmp_path), lambda _: 0, 0, slave, slave)
    io.watch = Watch(slave, TERM)
    io.expect(["f"])
    try:
        io.watch.line.draw("some text")
        shown = os.read(master, 1000)
        assert shown.startswith(ERASE) and b"some text" in shown
        io.complain("a message")
        assert os.read(master, 1000) == ERASE + b"x: a message\n"
        assert not io.watch.over
        io.watch.line.draw("again")
        os.read(master, 1000)
        io.write(b"part of a line")
        io.flush()
        assert os.read(master, 1000) == ERASE + b"part of a line"
        assert io.watch.over
    finally:
        io.watch.stop()


def test_output_to_a_file_leaves_the_line_and_output_to_a_pipe_ends_it(terminal: tuple[int, int], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with open(tmp_path / "out", "wb") as out:
        io = Io("x", TERM, str(tmp_path), lambda _: 0, 0, out.fileno(), terminal[1])
        io.watch = Watch(terminal[1], TERM)
        io.expect(["f"])
        try:
            io.watch.line.draw("some text")
            io.put(out.fileno(), b"data")
            assert io.watch.line.stands and not io.watch.over
            io.watch.inner = frozenset([writer])
            io.put(writer, b"data")
            assert io.watch.line.stands and not io.watch.over
            io.watch.inner = frozenset()
            io.put(writer, b"data")
            assert not io.watch.line.stands and io.watch.over
        finally:
            io.watch.stop()
    os.close(reader)
    os.close(writer)


def test_a_timer_or_a_signal_that_is_somebody_elses_is_left_alone(terminal: tuple[int, int]) -> None:
    def armed() -> bool:
        watch = Watch(terminal[1], TERM)
        watch.expect([])
        found = signal.getitimer(signal.ITIMER_REAL)[0]
        watch.stop()
        return 0 < found < 50

    assert armed()
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    try:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        assert not armed() and signal.getsignal(signal.SIGALRM) == signal.SIG_IGN
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 1000)
        assert not armed() and signal.getitimer(signal.ITIMER_REAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_only_calls_at_the_prompt_are_watched_and_an_option_turns_it_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    watched: list[str] = []
    run = watching.run
    monkeypatch.setattr(watching, "run", lambda io, call: watched.append(io.name) or run(io, call))
    out = tmp_path / "out"
    before = signal.getsignal(signal.SIGINT)
    try:
        for interactive, line in (
            (True, f"wc -c {__file__} > {out}"),
            (True, f"set +o progress; cat {__file__} > {out}"),
            (False, f"head {__file__} > {out}"),
            (True, f"x=$(tac {__file__})"),
        ):
            assert Session(interactive=interactive).run_text(line, "test") == 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert watched == ["wc"]


# --- the builtins


class Told(Watch):
    """A watch that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(2, {})
        self.begun: list[str] = []
        self.unfinished: set[int] = set()

    def begin(self, name: str, descriptor: int) -> None:
        super().begin(name, descriptor)
        self.begun.append(name)
        self.unfinished.add(descriptor)

    def end(self, descriptor: int) -> None:
        super().end(descriptor)
        self.unfinished.discard(descriptor)


@pytest.mark.parametrize(
    ("words", "begun"),
    [
        ("cat f g", "f g"),
        ("cat -n - g", "- g"),
        ("cut -c 1 f", "f"),
        ("head -n -1 f", "f"),
        ("head f", ""),
        ("tail -n +2 f g", "f g"),
        ("tail f", ""),
        ("tac f", "f"),
        ("tac -r -s n f", "f"),
        ("wc f g", "f g"),
        ("wc", "-"),
        ("sort f g", "f g"),
        ("sort -m f g", "f g"),
        ("sort -c -", "-"),
        ("uniq f", "f"),
        ("tr a b", "-"),
        ("grep one f g", "f g"),
        ("grep -r one d", "d/deep/f"),
        ("grep one", "-"),
        ("sed s/a/b/ f g", "f g"),
        ("sed -i s/a/b/ f g", "f g"),
        ("diff f g", "f g"),
        ("diff -r d d", "d/deep/f d/deep/f"),
        ("split f", "f"),
        ("split -n 2 f", "f"),
        ("split -n l/2 f", "f"),
        ("tee out", "-"),
        ("write out", "-"),
        ("base64 f", "f"),
        ("checksum f g", "f g"),
        ("checksum --check sums", "sums f"),
        ("cp f g out", "f g"),
        ("cp -r d out", "d/deep/f"),
        ("fromcsv f", "f"),
        ("fromjson", "-"),
        ("fromjsonl -", "-"),
        ("fromyaml", "-"),
        ("tojson", "-"),
    ],
)
def test_builtins_say_what_they_read(words: str, begun: str, tmp_path: Path) -> None:
    (tmp_path / "d/deep").mkdir(parents=True)
    for name in ("f", "g", "d/deep/f"):
        (tmp_path / name).write_text("1\n2\n3\n")
    (tmp_path / "sums").write_text("14c5ba7d9d7f9d65b7b9dd7ab61e4ba0e7e2c3a5a27f9d7d0ffd2b1e2a9d6b0a  f\n")
    if words.startswith("cp"):
        (tmp_path / "out").mkdir()
    name, *rest = words.split()
    spec = spec_of(name)
    null = os.open(os.devnull, os.O_WRONLY)
    stdin = os.open(tmp_path / "f", os.O_RDONLY)
    try:
        bound = check.check(bind.bind(spec, rest), {})
        io = Io(name, {}, str(tmp_path), lambda _: 0, stdin, null, null)
        io.watch = told = Told()
        importlib.import_module(module_name(spec.builtin)).run(bound, io)
    finally:
        os.close(null)
        os.close(stdin)
    assert told.begun == begun.split()
    assert not told.unfinished
