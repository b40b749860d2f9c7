"""The prompt in a real terminal: completion, history, marks, keys, jobs; and on a plain one."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell_case import ROOT, START, ShellCase
from terminal import Screen, Terminal

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
PAINT = """
    description: Paint a thing.
    effect: read
    exec: [echo, "{*}"]
    params:
      - {name: colour, choices: [{value: crimson, description: Deep red}, {value: cyan}], default: cyan, description: The colour.}
      - {name: coats, type: int, min: 1, max: 9, description: How many coats.}
      - {name: size, consumes: [{name: UNIT, choices: [metres, feet], description: The unit}, {name: HEIGHT, description: Tall}]}
      - {name: pin, secret: argv}
      - {name: file, positional: true, path: read}
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def case(tmp_path: Path, cache: Path) -> ShellCase:
    found = ShellCase(tmp_path, cache).tool("paint", PAINT)
    found.file("plain.txt", "").file("a b.txt", "")
    found.env["PAGER"] = "less"
    return found


class Prompt:
    """A prompt on a screen."""

    def __init__(self, case: ShellCase, root: Path | None = None) -> None:
        self.screen = Screen(root or case.root, case.cwd, case.env, [sys.executable, "-c", START])
        self.ready()

    def ready(self) -> str:
        """The screen once the shell waits for a line."""
        return self.screen.until(lambda shown: shown.rstrip().endswith("kaish>"), "the prompt")

    def again(self, *keys: str) -> str:
        """Presses keys that lead to the next prompt: the screen there."""
        before = self.screen.text().count("kaish>")
        self.screen.key(*keys)
        return self.screen.until(
            lambda shown: shown.count("kaish>") > before and shown.rstrip().endswith("kaish>"), "the next prompt"
        )

    def run(self, line: str) -> str:
        """Runs a line to its end: the screen."""
        self.screen.type(line)
        return self.again("Enter")

    def line(self) -> str:
        """The last line of the prompt's own, behind `kaish> `."""
        rows = [row for row in self.screen.text().split("\n") if row.startswith("kaish>")]
        return rows[-1].removeprefix("kaish>").removeprefix(" ") if rows else ""

    def expect_line(self, line: str) -> None:
        self.screen.until(lambda _: self.line() == line, f"the line {line!r}")


@pytest.fixture
def prompt(case: ShellCase) -> Iterator[Prompt]:
    found = Prompt(case)
    yield found
    found.screen.close()


def test_a_tool_a_flag_a_choice_a_path_and_a_slot_are_completed(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("pain")
    screen.key("Tab")
    prompt.expect_line("paint")
    screen.type("--co")
    screen.key("Tab")
    screen.expect("--coats INT")
    shown = screen.expect("--colour crimson|cyan")
    assert "The colour (default cyan)" in shown and "1 to 9" in shown  # type, range, default, description
    screen.type("l")
    screen.key("Tab")
    prompt.expect_line("paint --colour")
    screen.type("cr")
    screen.key("Tab")
    prompt.expect_line("paint --colour crimson")
    screen.type("--size ")
    screen.key("Tab")
    screen.expect("UNIT: The unit")  # the slot's name is shown, and never inserted
    screen.type("fe")
    screen.key("Tab")
    prompt.expect_line("paint --colour crimson --size feet")
    screen.expect("HEIGHT: Tall")
    screen.type("3 a")
    screen.key("Tab")
    prompt.expect_line("paint --colour crimson --size feet 3 a\\ b.txt")
    screen.key("Enter")
    screen.expect("\n--colour crimson --size feet 3 a b.txt")


def test_the_menu_is_walked_through_and_enter_takes_what_it_shows(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("paint --colour c")
    screen.key("Tab")
    screen.expect("Deep red")
    screen.key("Tab")
    prompt.expect_line("paint --colour crimson")
    screen.key("Tab")
    prompt.expect_line("paint --colour cyan")
    screen.key("Enter")
    screen.until(lambda shown: "Deep red" not in shown, "the menu closed")
    screen.key("Enter")
    screen.expect("\n--colour cyan")


def test_variables_quotes_and_nested_commands_are_completed(prompt: Prompt) -> None:
    screen = prompt.screen
    prompt.run("long_name=7")
    screen.type("echo $(if true; then echo ${long_n")
    screen.key("Tab")
    prompt.expect_line("echo $(if true; then echo ${long_name}")
    screen.type('; paint "a ')
    screen.key("Tab")
    prompt.expect_line('echo $(if true; then echo ${long_name}; paint "a b.txt"')
    screen.type("; fi)", enter=True)
    screen.expect("\n7\n--colour cyan a b.txt")


def test_a_wrong_flag_is_marked_before_enter(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("paint --colur x | cat")
    screen.expect("`--colur` is no flag of `paint`; did you mean `--colour`?")
    assert "\x1b[4m\x1b[31m--colur" in screen.styled() or "\x1b[4;31m--colur" in screen.styled()
    screen.key("C-u")
    screen.type("paint --coats many")
    screen.expect("`--coats` wants a whole number")
    screen.key("C-u")
    screen.type("paint --colour cri")  # may still become right
    screen.expect("COLOUR: The colour")
    assert "crimson" not in screen.text()
    screen.key("C-u")
    screen.type("pinat x")
    screen.expect("there is no command `pinat`")


def test_history_is_recalled_searched_and_suggested(case: ShellCase, prompt: Prompt) -> None:
    screen = prompt.screen
    prompt.run("echo first")
    prompt.run("echo second")
    screen.key("Up", "Up")
    prompt.expect_line("echo first")
    prompt.again("C-c")
    screen.type("echo f")
    prompt.expect_line("echo first")  # in grey
    prompt.again("Right", "Enter")
    screen.key("C-r")
    screen.type("sec")
    prompt.expect_line("echo second")
    screen.key("Enter")
    screen.until(lambda shown: shown.count("\nsecond") == 2, "the line that was searched")
    prompt.ready()
    screen.key("C-r")
    screen.type("fir")
    prompt.expect_line("echo first")
    prompt.again("C-c")
    screen.type("echo again ")
    screen.key("M-.")
    prompt.expect_line("echo again second")
    prompt.again("C-c")
    prompt.run("paint --pin 1234 x")
    prompt.run("true x")
    prompt.run("echo !! again")
    screen.expect("\ntrue x again")
    prompt.run("MY_TOKEN=hush true")
    kept = (case.root / "state" / "history").read_text()
    assert "echo second" in kept and str(case.cwd) in kept
    assert "paint --pin *** x" in kept and "1234" not in kept and "hush" not in kept


def test_the_history_of_the_directory_comes_first(case: ShellCase, prompt: Prompt) -> None:
    screen = prompt.screen
    prompt.run("echo here")
    prompt.run("cd /")
    prompt.run("echo there")
    screen.close()
    later = Prompt(case, case.root / "tmp")
    try:
        later.screen.type("echo ")
        later.expect_line("echo here")
        later.again("C-c")
        later.screen.key("Up", "Up")
        later.expect_line("echo here")
    finally:
        later.screen.close()


def test_an_open_construct_goes_on(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("echo 'a", enter=True)
    screen.expect("'>")
    screen.type("b'", enter=True)
    screen.expect("\na\nb\n")
    screen.type("for i in 1 2; do", enter=True)
    screen.expect("for>")
    screen.type("echo $i |", enter=True)
    screen.type("cat", enter=True)
    screen.type("done", enter=True)
    screen.expect("\n1\n2\n")


def test_a_paste_of_ten_lines_is_run_at_enter(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.paste("\n".join([f"echo line-$(({number} * 11))" for number in range(1, 11)]))
    screen.expect("$((10 * 11))")
    assert "line-11\n" not in screen.text()
    screen.key("Enter")
    screen.expect("\nline-11\nline-22\n")
    screen.expect("\nline-110\n")


def test_jobs_are_interrupted_stopped_and_continued(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("{ echo go; command sleep 60; } | cat; echo never", enter=True)
    screen.expect("\ngo")
    prompt.again("C-c")
    shown = prompt.run("echo $?")
    assert "\nnever" not in shown and "\n130" in shown
    screen.type("sh -c 'echo started; exec sleep 60'", enter=True)
    screen.expect("\nstarted")
    assert "Stopped" in prompt.again("C-z")
    screen.type("fg", enter=True)
    screen.until(lambda shown: shown.rstrip().endswith("sleep 60"), "the job in the foreground")
    prompt.again("C-c")
    assert "\nback" in prompt.run("echo back")


def test_output_without_an_end_is_kept_and_stopped_jobs_are_named(prompt: Prompt, case: ShellCase) -> None:
    screen = prompt.screen
    prompt.run("trap 'echo bye > ended' EXIT")
    assert "\nabc%\nkaish>" in prompt.run("printf abc")
    assert "\nfull\nkaish>" in prompt.run("echo full")
    width = int(screen.fact("pane_width"))
    assert f"\n{'x':>{width}}\nkaish>" in prompt.run(f"printf '%{width}s' x")
    screen.type("sh -c 'echo started; exec sleep 60'", enter=True)
    screen.expect("\nstarted")
    prompt.again("C-z")
    assert "there are stopped jobs" in prompt.run("exit")
    assert "Stopped" in prompt.run("jobs")
    prompt.run("kill %1")
    screen.until(lambda shown: "Exit 143" in shown or not prompt.again("Enter"), "the end of the job")
    screen.type("sh -c 'echo once more; exec sleep 60'", enter=True)
    screen.expect("\nonce more")
    prompt.again("C-z")
    assert "there are stopped jobs" in prompt.again("C-d").split("once more")[-1]
    screen.type("exit", enter=True)
    while not (case.cwd / "ended").exists():
        time.sleep(0.02)


def test_builtins_side_by_side_are_a_job(prompt: Prompt, case: ShellCase) -> None:
    screen = prompt.screen
    screen.type("echo go; tee -a log | cat -n | tail -n 1; echo over $?", enter=True)
    screen.expect("\ngo\n")
    screen.type("one", enter=True)
    log = case.cwd / "log"
    while not log.exists() or not log.read_text():  # Ctrl-Z takes away what was not read yet
        time.sleep(0.02)
    assert "Stopped" in prompt.again("C-z")
    screen.type("fg", enter=True)
    screen.until(lambda shown: shown.rstrip().endswith("tail -n 1"), "the job in the foreground")
    screen.type("two", enter=True)
    screen.key("C-d")
    assert "\n     2  two" in prompt.ready()
    screen.type("echo on; cat | tail -n 1 | cat; echo never", enter=True)
    screen.expect("\non\n")
    prompt.again("C-c")
    assert "\n130 130 130" in prompt.run('echo "${PIPESTATUS[@]}"')


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_long_output_is_paged_when_asked(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("seq 10000")
    screen.key("M-p")
    screen.until(lambda shown: shown.startswith("1\n2\n") and screen.fact("alternate_on") == "1", "the pager")
    screen.key("G")
    screen.expect("\n10000\n")
    screen.key("q")
    prompt.ready()
    screen.key("Up")
    prompt.expect_line("seq 10000 | less")


def test_the_size_of_the_terminal_may_change(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("echo " + "x" * 80)
    screen.expect("x" * 80)
    screen.resize(50, 20)
    screen.until(lambda shown: "kaish> echo " + "x" * 38 in shown, "the line in less room")
    assert "\n" + "x" * 50 + "\n" + "x" * 30 + "y" in prompt.run("y")
    assert "\n50" in prompt.run("stty size | cut -d' ' -f2")


def test_f1_shows_the_help_of_the_word(prompt: Prompt) -> None:
    screen = prompt.screen
    screen.type("paint --coats")
    screen.key("F1")
    screen.expect("How many coats. (1 to 9)")
    prompt.expect_line("paint --coats")
    screen.key("Home", "F1")
    screen.expect("Paint a thing.")
    assert "\n  paint [FLAGS] [FILE]\n" in screen.text()  # as it is typed here


def test_records_are_a_table_and_plain_in_a_pipe(case: ShellCase, prompt: Prompt) -> None:
    text = '[{"name": "a", "size": 1.0}, {"name": "b", "size": null, "tags": ["x"]}, {"size": 1e400}]'
    case.file("rows.json", f"{text}\n")
    table = '\nname   size  tags\na       1.0\nb            ["x"]\n      1e400\n'  # numbers as written, and to the right
    assert table in prompt.run("fromjson < rows.json")
    assert prompt.run("cat rows.json | fromjson").count(table) == 2
    assert prompt.run("table rows.json").count(table) == 3  # the same
    shown = prompt.run("fromjson < rows.json > out; cat out; fromjson < rows.json | cat; jq -c . rows.json")
    assert (shown.count(table), shown.count('\n[{"name":"a","size":1.0},')) == (3, 3)
    assert "\na  b\n1  2\n" in prompt.run("fromcsv <<< $'a,b\\n1,2'")
    assert prompt.run("paint --json x | cut -c1-14").count('\n{"exit_code":0') == 1


def test_a_table_leaves_no_column_out(case: ShellCase, prompt: Prompt) -> None:
    screen = prompt.screen
    case.file("wide.json", json.dumps([{f"column {at:02}": f"value {at:02}" for at in range(20)}]))
    screen.resize(40, 30)
    shown = prompt.run("fromjson < wide.json")
    assert "\n".join([f"column {at:02}  value {at:02}" for at in range(20)]) in shown
    screen.type("fromjson < wide.json # wide")
    screen.key("M-p")
    screen.until(lambda shown: "\ncolumn 00  column 01  column 02  column>\n" in shown, "the pager")
    screen.key("Right")  # by half a screen
    screen.expect("column 03")
    screen.key("q")
    prompt.ready()
    screen.resize(100, 30)
    screen.key("Up")
    prompt.expect_line("fromjson < wide.json | table --maybe | less -S # wide")


def test_json_has_its_colours_as_it_comes(case: ShellCase, prompt: Prompt) -> None:
    case.tool("feed", "description: D.\neffect: read\nexec: [cat]\noutput: json\n")
    case.file("first", '{"a": [1, "s"]}\n').file("second", '{"b": null}\n')
    prompt.screen.type("{ cat first; read go < /dev/tty; cat second; } | feed", enter=True)
    prompt.screen.until(lambda shown: '\n{"a"' in shown, "the first value")
    assert re.search(r'\x1b\[[0-9;]*34m"a"', prompt.screen.styled())
    assert '\n{"b": null}\n' in prompt.again("Enter")
    prompt.run("NO_COLOR=1; export NO_COLOR; cat first | feed")
    assert '\n{"a": [1, "s"]}\n' in re.sub(r"\x1b\[(0|39|49)m", "", prompt.screen.styled())


def test_the_init_file_the_prompt_and_aliases(case: ShellCase) -> None:
    (case.root / "config" / "init.kaish").write_text("alias p='paint --colour'\nprompt() { echo \"[$?] \"; }\nset -o vi\n")
    screen = Screen(case.root, case.cwd, case.env, [sys.executable, "-c", START])
    try:
        screen.expect("[0]")
        screen.type("p cri")
        screen.key("Tab")
        screen.expect("[0] p crimson")
        screen.key("Enter")
        screen.expect("\n--colour crimson\n[0]")
        screen.type("falsee")
        screen.expect("there is no command")
        screen.key("Escape")
        screen.until(lambda _: screen.fact("cursor_x") == "9", "vi's command mode")
        screen.key("x", "Enter")
        screen.expect("\n[1]")
    finally:
        screen.close()


def test_a_signal_from_outside_leaves_the_line_alone(case: ShellCase, prompt: Prompt) -> None:
    prompt.run("echo $$ > pid")
    prompt.screen.type("echo ha")
    prompt.expect_line("echo ha")
    os.kill(int((case.cwd / "pid").read_text()), signal.SIGINT)
    assert "\nhalf" in prompt.run("lf")


def test_typing_ahead_of_the_editor_is_kept(case: ShellCase) -> None:
    screen = Screen(case.root, case.cwd, case.env, [sys.executable, "-c", START])
    try:
        screen.type("echo typed-$((40 + 2))", enter=True)
        screen.type("echo then-$((40 + 3))", enter=True)
        screen.expect("\ntyped-42")
        screen.expect("\nthen-43")
    finally:
        screen.close()


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_without_an_editor_lines_are_plain_and_completed(case: ShellCase, term: str) -> None:
    blocked = f"import sys; sys.modules['prompt_toolkit'] = None; {START}" if term == "xterm" else START
    shell = Terminal([sys.executable, "-c", blocked], case.cwd, {**case.env, "TERM": term})
    shell.expect("kaish> ")
    shell.send("pain\t--colour cri\t; exit 3\n")
    shell.expect("\n--colour crimson\r\n")
    assert shell.wait() == 3
    advice = "toolkernel[repl] (prompt_toolkit) adds menus, hints and marks while you type"
    assert shell.shown.count(advice) == (term == "xterm")
    if term == "dumb":
        assert "\x1b" not in shell.shown


def test_the_init_file_of_the_guide(case: ShellCase) -> None:
    (sample,) = re.findall(r"^```sh\n(.*?prompt\(\).*?)^```$", (ROOT / "docs/guides/prompt.md").read_text(), re.M | re.S)
    (case.root / "config" / "init.kaish").write_text(sample)
    shell = Terminal([sys.executable, "-c", START], case.cwd, {**case.env, "TERM": "dumb"})
    shell.expect(f"{case.cwd.name} 0> ")
    shell.send("false\n")
    shell.expect(f"{case.cwd.name} 1> ")
    shell.send("alias ll\n")
    shell.expect("ls -l")
    shell.expect(f"{case.cwd.name} 0> ")
    shell.send("exit 4\n")
    assert shell.wait() == 4


def test_the_package_names_the_editor() -> None:
    assert 'repl = ["prompt_toolkit' in (ROOT / "pyproject.toml").read_text()


RAW = """
import os, signal, sys, termios
modes = termios.tcgetattr(0)
modes[3] &= ~(termios.ECHO | termios.ICANON)
termios.tcsetattr(0, termios.TCSANOW, modes)
os.kill(0, getattr(signal, sys.argv[1]))
print(["cooked", "raw"][termios.tcgetattr(0)[3] == modes[3]], flush=True)
"""


def test_the_terminal_is_put_back_after_a_job_that_could_not(prompt: Prompt, case: ShellCase) -> None:
    case.file("raw.py", RAW)
    case.file("set.py", "import sys, termios\nprint(sys.argv[1], bool(termios.tcgetattr(0)[3] & termios.ECHO))\n")
    prompt.run(f"command {sys.executable} raw.py SIGKILL")
    assert "killed True" in prompt.run(f"command {sys.executable} set.py killed")
    assert "Stopped" in prompt.run(f"command {sys.executable} raw.py SIGSTOP")
    assert "stopped True" in prompt.run(f"command {sys.executable} set.py stopped")
    assert "\nraw" in prompt.run("fg")


def test_a_prompt_function_that_fails_leaves_the_usual_prompt(prompt: Prompt) -> None:
    assert "there is no command" in prompt.run("prompt() { gone_prompt; }")


def test_jobs_are_told_that_the_terminal_has_gone(prompt: Prompt, case: ShellCase) -> None:
    prompt.run("sleep 600 | cat | cat & command sleep 600 & jobs -p > pids; echo $$ >> pids")
    pids = [int(each) for each in (case.cwd / "pids").read_text().split()]
    os.kill(pids[-1], signal.SIGHUP)
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        time.sleep(0.02)
