"""What an agent reads: no terminal codes, bounded, and never torn inside a character."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.errors import KernelError, Problem
from kernel.result import Result
from kernel.serve import answers, pages
from kernel.spec import ToolSpec


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext é 🙂", "plain\n\ttext é 🙂"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07shown", "shown"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1$q\x1b\\a\x1b(Bb\x1b7c", "abc"),
        ("\x9b31mred\x07\x08\x7f", "red"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("open \x1b]0;never closed", "open "),
        ("\x1b", ""),
    ],
)
def test_terminal_control_sequences_are_stripped(text: str, shown: str) -> None:
    assert answers.clean(text) == shown


def result(stdout: bytes, **fields: object) -> Result:
    made = Result()
    made.stdout_bytes, made.exit_code, made.status = stdout, 0, "ok"
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def test_long_texts_are_cut_and_say_so() -> None:
    text = answers.of_result(ToolSpec(name="x"), result(b"y" * 50_000)).texts[0]
    assert text == "y" * 40_000 + "\n[10,000 more characters are cut]"
    text = answers.of_result(ToolSpec(name="x"), result(b"y", stdout_truncated=True)).texts[0]
    assert text == "y\n[the output was longer: the tool keeps its first 1 bytes]"
    failed = answers.of_result(ToolSpec(name="x"), result(b"y" * 50_000, status="error", exit_code=1, stderr_bytes=b"z" * 50_000))
    assert failed.is_error and len(failed.texts[0]) < 10_000
    many = KernelError([Problem("E-TYPE", f"`{n}` " + "x" * 900) for n in range(50)])
    assert len(answers.of_error(many).texts[0]) < 10_100


def test_data_is_rooted_in_an_object_and_left_out_of_a_cut_answer() -> None:
    spec = ToolSpec(name="x", output="json")
    assert answers.of_result(spec, result(b"[1]", data=[1])).structured == {"result": [1]}
    assert answers.of_result(spec, result(b'{"a":1}', data={"a": 1})).structured == {"a": 1}
    assert answers.of_result(spec, result(b" " * 50_000 + b"1", data=1)).structured is None


def test_an_output_that_is_not_the_json_it_is_declared_to_be_is_told() -> None:
    answer = answers.of_result(ToolSpec(name="x", output="json"), result(b"{oops", data_fault="why (line 1, column 2)"))
    assert answer.texts == ["{oops\n[the output is not the JSON that the tool declares: why (line 1, column 2)]"]
    assert (answer.structured, answer.is_error) == (None, False)


def test_nothing_found_is_no_error() -> None:
    answer = answers.of_result(ToolSpec(name="x"), result(b"", status="empty", exit_code=1))
    assert (answer.is_error, answer.texts) == (False, ["[nothing found: exit status 1]"])


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=40), st.integers(1, 4000))
def test_pages_together_are_the_whole(tmp_path_factory: pytest.TempPathFactory, text: str, times: int) -> None:
    from hypothesis import assume

    assume(answers.clean(text) == text)
    whole = (text * (1 + times * 30 // len(text.encode()))).encode()
    got, at = "", 0
    while at < len(whole):
        shown, used = pages._page(whole[at : at + answers.LONGEST + 4])
        assert used > 0 and len(shown) <= answers.LONGEST
        got, at = got + shown, at + used
    assert got == whole.decode()


def test_a_long_output_is_read_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNEL_STATE_DIR", str(tmp_path))
    spec = ToolSpec(name="x", limits={"spill": True})
    assert pages.keep(ToolSpec(name="x"), result(b"y" * 90_000)) is None
    assert pages.keep(spec, result(b"y" * 40_000)) is None
    kept = pages.keep(spec, result(b"a" * 40_000 + b"b" * 40_000 + b"c" * 10_000))
    assert kept is not None
    handle = kept[1].split('"')[3]
    assert kept[0] == "a" * 40_000 and '"offset": 40000' in kept[1]
    assert pages.read(handle, 40_000).texts == ["b" * 40_000 + "\n[10,000 more bytes: go on with offset 80000]"]
    assert pages.read(handle, 80_000).texts == ["c" * 10_000 + "\n[the end]"]
    for bad in ("../../etc/passwd", "x" * 32, "0" * 32, ""):
        with pytest.raises(KernelError):
            pages.read(bad, 0)
