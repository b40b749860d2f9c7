"""The reference pages are what the code says."""

from __future__ import annotations

import importlib.util

import pytest
from kernel_case import ROOT

PLACE = ROOT / "docs" / "reference"


def pages() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("reference_pages", PLACE / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, str] = module.pages()
    return found


@pytest.mark.parametrize("name", ["errors.md", "verbs.md", "manifest-keys.md"])
def test_a_page_is_current(name: str) -> None:
    assert (PLACE / name).read_text(encoding="utf-8") == pages()[name], "run `python docs/reference/generate.py`"


def test_pages_speak_of_everything() -> None:
    found = pages()
    assert "| `E-ARITY` | 2 | `missing_value` |" in found["errors.md"]
    assert "## explain\n" in found["verbs.md"]
    assert "| `consumes` |" in found["manifest-keys.md"]
