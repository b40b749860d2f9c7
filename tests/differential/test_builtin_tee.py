"""tee beside GNU tee."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import both_refuse, need, ours, quick, same, texts, theirs
from hypothesis import given

need("tee")


@quick
@given(data=texts)
def test_any_input(data: bytes) -> None:
    same(["tee"], data)


@pytest.mark.parametrize(
    "words",
    [["one"], ["one", "two"], ["-a", "one"], ["-i", "one"], ["-p", "one"], ["one", "no/such"], ["--output-error=exit", "one"]],
)
def test_files(words: list[str], tmp_path: Path) -> None:
    places = [tmp_path / "ours", tmp_path / "theirs"]
    for place in places:
        place.mkdir()
        (place / "one").write_bytes(b"before\n")
    data = b"x\xff\0" * 100_000
    mine, other = ours(["tee", *words], data, cwd=places[0]), theirs(["tee", *words], data, cwd=places[1])
    assert mine == other
    contents = [{path.name: path.read_bytes() for path in place.iterdir()} for place in places]
    assert contents[0] == contents[1]


def test_an_unknown_mode_is_refused() -> None:
    assert both_refuse(["tee", "--output-error=never"]) is None
