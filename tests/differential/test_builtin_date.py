"""date beside GNU date."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from gnu_case import ENVIRONMENT, both_refuse, need, ours, quick, same, theirs
from hypothesis import given, settings
from hypothesis import strategies as st

need("date")
FULL = "+%Y-%m-%dT%H:%M:%S.%N%z"
NEW_YORK = {**ENVIRONMENT, "TZ": "America/New_York"}
KOLKATA = {**ENVIRONMENT, "TZ": "Asia/Kolkata"}
TEXTS = """@0|@-1|@1.5|@-1.25|@1e3|2024-02-29|2023-02-29|2024-02-29 12:34|2024-02-29 12:34:56.789|2024-02-29T12:34:56Z
2024-02-29T12:34:56+02:00|2024-02-29 12:34:56 +0200|2024-02-29 12:34 UTC|20240229|20240229 1234|12:34 20240229
02/29/2024|29 Feb 2024|29-Feb-2024|Feb 29, 2024|Feb 29 2024 10:00|Thu Feb 29 12:34:56 UTC 2024
Thu, 29 Feb 2024 12:34:56 +0000|1 Jan 70|2024-01-31 1 month|2024-03-31 1 month ago|2024-03-01 yesterday
2024-03-01 tomorrow|2024-03-01 10:00 2 hours ago|2024-03-01 -3 days|2024-03-01 +3 days|2024-03-01 3 weeks
2024-03-01 1 year ago|2024-03-01 fortnight|2024-03-01 1 day 2 hours|10:30pm 2024-01-01|10pm 2024-01-01
12am 2024-01-01|13pm 2024-01-01|2024-01-01 25:00|2024-13-01|nonsense|2024-01-01 foo||2024-11-03 01:30|1900-01-01
9999-12-31|2024-01-01 next day|2024-01-01 last month|2024-01-01 12:00 EST|2024-01-01 00:00 -0530|2024-1-5|70-01-01
2024-02-29 next year|2024-01-01 third day|2024-01-01 10:00:00 pm|1/2/03|@99999999999999999999|2024-01-01 10
2024-01-01 1000|2024-01-01 10:00 tomorrow|2024/02/29|2024-01-01 noon|2024-01-01 1 sec|2024-01-01 5 mins
2024-01-01 100000 days|2024-01-01 12:00:00.5 UTC|2024-01-01 z|-1 day 2024-01-01|2024-01-01 1 month 1 day ago""".replace(
    "\n", "|"
).split("|")
RELATIVE = """now|today|yesterday|tomorrow|monday|next monday|last friday|this sunday|sunday|2 days ago|next week|last year
next month|1 week|3 tuesday|10:00|10:00 tomorrow|tomorrow 10am|saturday 10:00|friday next week|1 hour ago""".replace(
    "\n", "|"
).split("|")
LETTERS = "aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWyYzZ"


@pytest.mark.parametrize("text", TEXTS)
def test_a_date(text: str) -> None:
    same(["date", "-d", text, FULL], env=NEW_YORK)
    same(["date", "-u", "-d", text, FULL], env=KOLKATA)


@pytest.mark.parametrize("text", RELATIVE)
def test_a_date_from_now_on(text: str) -> None:
    for words in (["-d", text, "+%Y-%m-%d %H"], ["-u", "-d", text, "+%Y-%m-%d %H"]):
        for _ in range(3):  # the hour may change between the two
            before = time.time() // 3600
            mine, other = ours(["date", *words], env=NEW_YORK), theirs(["date", *words], env=NEW_YORK)
            if time.time() // 3600 == before:
                break
        assert mine == other


directives = st.builds(
    lambda flags, width, letter: f"%{flags}{width}{letter}|",
    st.sampled_from(["", "", "", "-", "_", "0", "^", "#"]),
    st.sampled_from(["", "", "", "3", "5", "10", "12"]),
    st.sampled_from(LETTERS),
)


@settings(quick, max_examples=150)
@given(
    form=st.lists(directives, min_size=1, max_size=4).map("".join),
    seconds=st.one_of(st.sampled_from([0, -1, 10**9]), st.integers(-(10**10), 10**11)),
    nanoseconds=st.integers(0, 10**9 - 1),
    env=st.sampled_from([ENVIRONMENT, NEW_YORK, KOLKATA]),
)
def test_any_format(form: str, seconds: int, nanoseconds: int, env: dict[str, str]) -> None:
    same(["date", "-d", f"@{seconds}.{nanoseconds:09}", f"+{form}"], env=env)


@pytest.mark.parametrize(
    "form", ["%:z", "%::z", "%:::z", "%_z", "%-z", "%10z", "%-:z", "%", "abc%", "%%", "%H%%%M", "%Q", "%x %X", "%+4Y"]
)
def test_forms(form: str) -> None:
    same(["date", "-d", "@1234567890", f"+{form}"], env=NEW_YORK)


@pytest.mark.parametrize(
    "words", [["-I"], ["-Ihours"], ["-Iminutes"], ["-Iseconds"], ["-Ins"], ["-R"], ["--rfc-3339=date"], ["--rfc-3339=ns"], []]
)
def test_ready_made_formats(words: list[str]) -> None:
    for env in (ENVIRONMENT, NEW_YORK, KOLKATA):
        same(["date", "-d", "@1234567890.123456789", *words], env=env)
        same(["date", "-u", "-d", "@1234567890.123456789", *words], env=env)


def test_weeks_of_many_years() -> None:
    for year in range(1998, 2028):
        for day in ("01-01", "01-03", "12-29", "12-31"):
            words = ["date", "-u", "-d", f"{year}-{day}", "+%G %g %V %U %W %j %u %w"]
            assert (
                ours(words).stdout
                == time.strftime("%G %g %V %U %W %j %u %w\n", time.strptime(f"{year}-{day}", "%Y-%m-%d")).encode()
            )
    same(["date", "-u", "-d", "2020-12-31", "+%G %g %V %U %W %j %u %w"])


def test_the_time_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    same(["date", "-r", "f", "-Ins"], cwd=tmp_path, env=NEW_YORK)
    assert same(["date", "-r", "nofile"], cwd=tmp_path, messages=True).status == 1


@pytest.mark.parametrize("words", [["-I", "-R"], ["-Ifoo"], ["--rfc-3339=x"], ["-r", "/", "-d", "@0"], ["+%F", "+%T"], ["1234"]])
def test_what_is_refused(words: list[str]) -> None:
    if words == ["1234"]:
        assert ours(["date", *words]).status == 2  # the clock cannot be set here
    else:
        both_refuse(["date", *words])
