"""The kernel as a library (architecture.md, Python API)."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from kernel_case import Case

from kernel import Kernel, KernelError, ParamSchema, ToolSchema

SH = """
    effect: read
    exec: [./run.sh, "{*}"]
    params:
      - {name: words, positional: true, repeatable: true}
      - {name: n, type: int, aliases: [-n]}
      - {name: tool, description: a param called as an argument of call is}
"""


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    case = Case(tmp_path).tool("x", SH).script("run.sh", 'printf "%s|" "$@"')
    for name, value in case.env.items():
        monkeypatch.setenv(name, value)
    return case


@pytest.fixture
def kernel(case: Case) -> Kernel:
    return Kernel.load(cwd=case.cwd)


def is_running(pid: str) -> bool:
    """Whether a process runs (one that has ended and was not waited for does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_words_a_mapping_or_named_values(kernel: Kernel) -> None:
    for found in (
        kernel.call("x", ["-n", "1", "a", "--", "-b"]),
        kernel.call("x", {"n": 1, "words": ["a", "-b"]}),
        kernel.call("x", n=1, words=("a", "-b")),
        kernel.call("x", {"n": 1}, words=["a", "-b"]),
    ):
        assert (found.exit_code, found.stdout, found.status) == (0, "-n|1|--|a|-b|", "ok")
    assert kernel.call("x", tool="t").stdout == "--tool|t|"
    assert kernel.call("x").argv == ["./run.sh"]


def test_words_may_be_bytes_and_paths(kernel: Kernel) -> None:
    assert kernel.call("x", [b"\xff", Path("a/b")]).stdout_bytes == b"\xff|a/b|"
    assert kernel.call("x", words=[os.fsdecode(b"\xff")]).stdout_bytes == b"\xff|"
    assert kernel.call("x", words=[b"\xff", Path("a/b")]).stdout_bytes == b"\xff|a/b|"


@pytest.mark.parametrize(
    ("arguments", "values", "code"),
    [
        (["--nope"], {}, "E-UNKNOWN-FLAG"),
        ({"n": "x"}, {}, "E-TYPE"),
        (None, {"nope": 1}, "E-UNKNOWN-KEY"),
        ({"n": 1}, {"n": 2}, "E-DUPLICATE"),
        ("a line", {}, "E-TYPE"),
        (["a"], {"n": 2}, "E-TYPE"),
    ],
)
def test_a_call_that_is_not_made_is_an_error(kernel: Kernel, arguments: Any, values: dict[str, Any], code: str) -> None:
    with pytest.raises(KernelError) as caught:
        kernel.call("x", arguments, **values)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (5, "the words of `x` are a list, not `5`"),
        ([1], "word 1 of `x` is no text, but `1`"),
        (["a", None], "word 2 of `x` is no text, but `None`"),
        ({1: 2}, "`1` is no argument of `x`"),
        ({"words": {"a"}}, "`words` wants an array with one entry per occurrence, got a value of the Python type `set`"),
        ({"words": ["\ud800"]}, '`words[0]` wants text, got `"\ufffd"`: the surrogate U+D800 stands alone'),
    ],
)
def test_values_that_are_none_are_named(kernel: Kernel, arguments: Any, message: str) -> None:
    with pytest.raises(KernelError) as caught:
        kernel.call("x", arguments)
    assert caught.value.problems[0].message == message


def test_errors_and_results_travel_between_processes(kernel: Kernel) -> None:
    with pytest.raises(KernelError) as caught:
        kernel.call("x", ["--nope", "-n", "y"])
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.status, error.words) == (str(caught.value), 2, ["--nope", "-n", "y"])
    result = pickle.loads(pickle.dumps(kernel.call("x", ["a"])))
    assert (result.stdout, repr(result)) == ("a|", "<Result ok exit_code=0 stdout='a|'>")


def test_one_directory_need_not_stand_in_a_list(case: Case) -> None:
    for tools in (case.cwd / "tools.d", str(case.cwd / "tools.d")):
        assert Kernel.load(tools).call("x", ["a"]).stdout == "a|"


def test_errors_have_near_names(kernel: Kernel) -> None:
    with pytest.raises(KernelError) as caught:
        kernel.call("x", ["--tol", "x"])
    assert caught.value.problems[0].facts["near"] == ["--tool"]


def test_a_result_can_be_checked(case: Case, kernel: Kernel) -> None:
    assert kernel.call("x", ["a"]).check().stdout == "a|"
    case.script("run.sh", "echo last words >&2; exit 4")
    found = kernel.call("x")
    assert (found.ok, found.exit_code) == (False, 4)
    with pytest.raises(KernelError) as caught:
        found.check()
    assert (caught.value.code, caught.value.hint) == ("E-FAILED", "last words")
    (case.cwd / "run.sh").unlink()
    with pytest.raises(KernelError) as caught:
        kernel.call("x").check()
    assert caught.value.code == "E-NOT-FOUND"


def test_bind_and_plan_run_nothing(case: Case, kernel: Kernel) -> None:
    case.script("run.sh", "touch ran")
    assert kernel.bind("x", ["-n", "007"]).values["n"] == 7
    plan = kernel.plan("x", ["-n", "007"])
    assert (plan.argv(), plan.effect) == (["./run.sh", "-n", "007"], "read")
    assert not (case.cwd / "ran").exists()


def test_stdin_is_empty_unless_given(case: Case, kernel: Kernel) -> None:
    case.script("run.sh", "cat")
    assert kernel.call("x").stdout == ""
    assert kernel.using(stdin="é").call("x").stdout == "é"
    assert kernel.using(stdin=b"\xff").call("x").stdout_bytes == b"\xff"
    with open(case.file("in", "from a file").cwd / "in") as file:
        assert kernel.using(stdin=file).call("x").stdout == "from a file"


def test_stdin_may_be_a_file_in_memory(case: Case, kernel: Kernel) -> None:
    case.script("run.sh", "cat")
    assert kernel.using(stdin=io.BytesIO(b"bytes")).call("x").stdout == "bytes"
    assert kernel.using(stdin=io.StringIO("text")).call("x").stdout == "text"


@pytest.mark.parametrize(
    ("name", "value"), [("stdin", 5.5), ("stdin", True), ("stdin", -1), ("yes", "no"), ("yes", 1), ("timeout", "5")]
)
def test_options_of_another_kind_are_refused(kernel: Kernel, name: str, value: Any) -> None:
    with pytest.raises(KernelError, match=f"`{name}` wants") as caught:
        kernel.using(**{name: value})
    assert caught.value.code == "E-TYPE"


def test_options_are_of_the_copy_alone(case: Case, kernel: Kernel) -> None:
    case.script("run.sh", "pwd; sleep ${1-0}")
    (case.cwd / "sub").mkdir()
    other = kernel.using(cwd=case.cwd / "sub")
    before = os.getcwd()
    assert other.call("x").stdout == f"{case.cwd}/sub\n"
    assert kernel.call("x").stdout == f"{case.cwd}\n"
    assert os.getcwd() == before
    found = other.using(timeout=0.2).call("x", ["300"])
    assert (found.timed_out, found.stdout, found.exit_code) == (True, f"{case.cwd}/sub\n", None)
    with pytest.raises(KernelError) as caught:
        found.check()
    assert caught.value.status == 124


def test_a_manifests_timeout_can_be_lifted(case: Case, kernel: Kernel) -> None:
    case.tool("x", SH + "    timeout: 50ms").script("run.sh", "sleep 0.3; echo done")
    assert kernel.call("x").timed_out
    assert kernel.using(timeout=0).call("x").stdout == "done\n"


def test_a_destructive_call_takes_a_yes(case: Case, kernel: Kernel) -> None:
    case.tool("x", SH.replace("effect: read", "effect: destructive"))
    with pytest.raises(KernelError) as caught:
        kernel.call("x")
    assert caught.value.code == "E-EFFECT"
    assert kernel.using(yes=True).call("x", ["a"]).stdout == "a|"
    assert kernel.plan("x").effect == "destructive"


def test_tools_by_full_name(case: Case, kernel: Kernel) -> None:
    case.tool(
        "my_git",
        """
        effect: read
        exec: [./run.sh, "{*}"]
        subcommands:
          - {name: log, description: L., params: [{name: n, type: int}]}
          - {name: remote-add, description: R.}
        """,
    )
    for name in ("my_git log", "my_git_log"):
        assert kernel.tool(name).path == ("my_git", "log")
        assert kernel.call(name, n=3).stdout == "log|--n|3|"
    assert kernel.call("my_git", ["log", "--n", "3"]).stdout == "log|--n|3|"
    assert kernel.tool("my_git_remote_add").full_name == "my_git remote-add"
    for name in ("nosuch", "my_git nosuch", "my_git_nosuch", "../x", ""):
        with pytest.raises(KernelError):
            kernel.tool(name)


# ---- tools from code ---------------------------------------------------------------------------------------------------


def test_a_tool_from_code(kernel: Kernel) -> None:
    schema = ToolSchema(
        "greet",
        "Say hello.",
        [
            ParamSchema.required("name", "string", "Whom."),
            ParamSchema("dry-run", "bool"),
            ParamSchema("pair", consumes=2),
            ParamSchema.optional("times", "int", 2, "How often."),
        ],
    )
    seen: list[dict[str, Any]] = []

    def run(**values: Any) -> object:
        seen.append(values)
        return {"hello": values["name"]} if values["dry_run"] else f"hello {values['name']}\n"

    kernel.add(schema, run=run)
    found = kernel.call("greet", ["--name", "Bo", "--pair", "a", "1"])
    assert (found.exit_code, found.stdout, found.status, found.data) == (0, "hello Bo\n", "ok", None)
    assert seen == [{"name": "Bo", "dry_run": False, "pair": [["a", "1"]], "times": 2}]
    found = kernel.using(timeout=9).call("greet", {"name": "Bo", "dry_run": True})
    assert (found.data, found.stdout) == ({"hello": "Bo"}, '{"hello":"Bo"}\n')
    with pytest.raises(KernelError) as caught:
        kernel.call("greet")
    assert caught.value.code == "E-REQUIRED"


def test_a_tool_from_code_that_raises(kernel: Kernel) -> None:
    def run() -> None:
        raise LookupError("nothing there")

    kernel.add(ToolSchema("broken", "B."), run=run)
    found = kernel.call("broken")
    assert (found.exit_code, found.status, found.stderr) == (1, "error", "LookupError: nothing there\n")


@pytest.mark.parametrize("end", [SystemExit(3), SystemExit()])
def test_a_tool_from_code_that_ends_itself_does_not_end_the_program(kernel: Kernel, end: SystemExit) -> None:
    def run() -> None:
        raise end

    kernel.add(ToolSchema("leaver", "L."), run=run)
    found = kernel.call("leaver")
    assert (found.exit_code, found.status, found.stderr) == (1, "error", f"SystemExit: {end}\n")


def test_data_that_is_no_json_is_no_data(kernel: Kernel) -> None:
    kernel.add(ToolSchema("odd", "D."), run=lambda: {"a": {1}})
    found = kernel.call("odd")
    assert (found.status, found.exit_code, found.data) == ("error", 1, None)
    assert "TypeError" in found.stderr


def test_a_param_that_is_none_is_refused_as_such() -> None:
    with pytest.raises(KernelError, match="a param of the tool `t` is a `ParamSchema`, got `'x'`"):
        ToolSchema("t", "D.", ["x"])  # type: ignore[list-item]


def test_what_is_no_tool_is_refused_as_such(kernel: Kernel) -> None:
    nothing: Any = None
    for refused in (lambda: kernel.call(nothing), lambda: kernel.add(nothing), lambda: kernel.add(nothing, run=print)):
        with pytest.raises(KernelError) as caught:
            refused()
        assert caught.value.code == "E-TYPE"


def test_a_program_described_in_code(kernel: Kernel) -> None:
    words = ParamSchema("words", positional=True, repeatable=True)
    kernel.add(ToolSchema("say", "S.", [words], exec=["echo", "{*}"], effect="read"))
    assert kernel.call("say", ["a", "b"]).stdout == "a b\n"


# ---- threads and tasks -------------------------------------------------------------------------------------------------


def test_calls_from_several_threads(kernel: Kernel) -> None:
    results: dict[int, str] = {}

    def run(number: int) -> None:
        found = kernel.call("x", [str(number)]) if number % 2 else kernel.call("x", n=number)
        results[number] = found.stdout

    threads = [threading.Thread(target=run, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: (f"{number}|" if number % 2 else f"-n|{number}|") for number in range(16)}


def test_many_calls_in_one_loop(kernel: Kernel) -> None:
    async def main() -> list[str]:
        return [found.stdout for found in await asyncio.gather(*[kernel.acall("x", [str(number)]) for number in range(40)])]

    assert asyncio.run(main()) == [f"{number}|" for number in range(40)]


def test_cancelling_a_task_ends_the_group_first(case: Case, kernel: Kernel) -> None:
    case.script("run.sh", "(setsid sleep 300 & echo $! > away); trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done")

    async def main() -> None:
        task = asyncio.create_task(kernel.acall("x"))
        while not ((case.cwd / "pid").exists() and (case.cwd / "pid").read_text()):
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0.1)
        task.cancel()  # once more while the grace runs
        with pytest.raises(asyncio.CancelledError):
            await task
        for name in ("pid", "away"):
            assert not is_running((case.cwd / name).read_text().strip())

    asyncio.run(main())


def test_a_timeout_of_the_loop_cancels(case: Case, kernel: Kernel) -> None:
    case.script("run.sh", "sleep 300")

    async def main() -> float:
        begin = time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await kernel.acall("x")
        return time.monotonic() - begin

    assert asyncio.run(main()) < 60


def test_an_error_of_the_call_is_raised_where_it_is_awaited(kernel: Kernel) -> None:
    async def main() -> None:
        with pytest.raises(KernelError):
            await kernel.acall("x", ["--nope"])

    asyncio.run(main())


def test_the_library_leaves_the_process_alone(case: Case, kernel: Kernel, capfd: pytest.CaptureFixture[str]) -> None:
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP]
    before = ([signal.getsignal(number) for number in numbers], os.getcwd(), set(os.listdir("/proc/self/fd")))
    case.script("run.sh", "echo out; echo err >&2; exit 1")
    kernel.call("x")
    kernel.using(timeout=0.05, cwd="/").call("sleep", ["300"])
    after = ([signal.getsignal(number) for number in numbers], os.getcwd(), set(os.listdir("/proc/self/fd")))
    assert before == after
    assert capfd.readouterr() == ("", "")
