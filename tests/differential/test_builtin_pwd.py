"""pwd beside GNU pwd."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, both_refuse, need, same

need("pwd")


@pytest.mark.parametrize("words", [["-P"], ["-L"], ["-LP"], ["-PL"]])
def test_links(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for given in ("link", "real", "nowhere", "real/../link", "link/."):
        env = {**ENVIRONMENT, "PWD": f"{tmp_path}/{given}"}
        same(["pwd", *words], cwd=tmp_path / "link", env=env)


def test_an_operand_is_refused() -> None:
    assert both_refuse(["pwd", "-x"]) is None
