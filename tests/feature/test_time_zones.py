"""The time zone of a call is that of its environment, whatever ran before or beside it."""

from __future__ import annotations

from pathlib import Path

from shell_case import ShellCase


def test_a_zone_in_front_of_a_call_is_its_own(tmp_path: Path) -> None:
    case = ShellCase(tmp_path)
    case.line("TZ=UTC-5 date -d @0 +%H; date -d @0 +%H").prints("05\n00\n")
    case.line("touch -d @0 f; TZ=UTC-5 date -d @0 +%H; find f -printf '%TH\\n'").prints("05\n00\n")
    case.line("export TZ=UTC-3; date -d @0 +%H; unset TZ; date -d @0 +%H").prints("03\n00\n")


def test_neighbours_in_a_pipeline_have_each_their_own(tmp_path: Path) -> None:
    case = ShellCase(tmp_path)
    line = "TZ=UTC-5 date -d @0 +%H > a | TZ=UTC+3 date -d @0 +%H > b | date -d @0 +%H > c; cat a b c"
    for _ in range(5):
        case.line(line).prints("05\n21\n00\n")
