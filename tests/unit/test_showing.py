"""What of a line's output is shown as data at the prompt, and what the pager gets of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from shell_case import ShellCase

from kernel.shell import paging, showing
from kernel.shell.session import Session

MULTI = """
    description: D.
    effect: read
    exec: [echo, "{*}"]
    subcommands:
      - {name: facts, description: D., output: json, params: [{name: pretty, type: bool}, {name: rawfile}]}
      - {name: names, description: D.}
"""
STREAM = "description: D.\neffect: read\nexec: [cat]\noutput: jsonl\n"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    case = ShellCase(tmp_path_factory.mktemp("showing")).tool("multi", MULTI).tool("stream", STREAM)
    patch = pytest.MonkeyPatch()
    for name in ("KERNEL_CACHE_DIR", "KERNEL_STATE_DIR", "KERNEL_CONFIG_DIR", "HOME"):
        patch.setenv(name, case.env[name])
    patch.setenv("PAGER", "less")
    patch.chdir(case.cwd)
    patch.setattr("kernel.shell.signals.Signals.install", lambda _: None)
    found = Session(interactive=True)
    found.run_text("compact=-c; alias pick='jq .name'; alias numbers=seq; fun() { :; }", "test")
    yield found
    patch.undo()


def shown(session: Session, line: str) -> str:
    """`table`, `text` or `bare` for what the last stage of a line prints, "" for what is left alone."""
    item = session.parse(line, "test").items[-1][0]
    view = showing.view(item.first.stages[-1], session.evaluator)
    return "" if view is None else "table" if view.drawn else "text" if view.coloured else "bare"


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("table", "fromjson|cat x | fromjson|fromjson < x|fromcsv <<< a|fromcsv -t 2> x|A=1 fromjson 2>&1|fromyaml x|tojsonl"),
        ("table", "jq .|jq --rawfile a b .|jq -sR .|jq $unknown|multi facts|multi facts --rawfile x|fromcsv --tabs|tojsonl < x"),
        (
            "text",
            "jq -c .|jq -rc .|jq -j .|jq -a .|jq -S .|jq -C .|jq --tab .|jq --indent 1 .|jq . -c|jq $compact .|jq --raw-output0 .",
        ),
        ("text", "fromjson -i 2|fromjson -r < x|fromyaml -i 2 x|multi facts --pretty"),
        ("bare", "jq -M .|jq -cM ."),
        (
            "",
            "fromjson > x|fromjson >> x|fromjson &> x|fromjson >&2|fromjson | cat|fun|fun < x|echo a|cd x|cat x|multi names|stream",
        ),
        ("", "./fromjson|command jq .|$name x|{ fromjson; }|(fromjson)|x=1|none-such"),
    ],
)
def test_what_is_shown(session: Session, kind: str, lines: str) -> None:
    for line in lines.replace(" | ", " \0 ").split("|"):
        line = line.replace("\0", "|")
        assert (line, shown(session, line)) == (line, kind)


def test_an_option_turns_it_off(session: Session) -> None:
    session.run_text("set +o tables", "test")
    try:
        assert shown(session, "fromjson") == ""
        assert paging.paged("fromjson", session) == "fromjson | less"
    finally:
        session.run_text("set -o tables", "test")


@pytest.mark.parametrize(
    ("line", "paged"),
    [
        ("seq 9", "seq 9 | less"),
        ("seq 9  # so many", "seq 9 | less  # so many"),
        ("seq 9; ", "seq 9 | less; "),
        ("true && seq 9 2>&1", "true && seq 9 2>&1 | less"),
        ("numbers 9 # so many", "numbers 9 | less # so many"),
        ("{ seq 9; } 2> x # so many", "{ seq 9; } 2> x | less # so many"),
        ("cat <<EOF\ntext\nEOF", "cat <<EOF | less\ntext\nEOF"),
        ("export x=1 # so", "export x=1 | less # so"),
        ("seq \\\n 9", "seq \\\n 9 | less"),
        ("seq 9 &", "seq 9 & | less"),  # an error that says so
        ("seq 9 )", "seq 9 ) | less"),
        ("jq -c . x", "jq -c . x | less"),
        ("jq . x > y", "jq . x > y | less"),
        ("jq . x # y", "jq . x | table --maybe | less -S # y"),
        ("pick x", "pick x | table --maybe | less -S"),
        ("true; fromcsv <<EOF\na,b\nEOF", "true; fromcsv <<EOF | table --maybe | less -S\na,b\nEOF"),
    ],
)
def test_the_pager_comes_behind_the_last_pipeline(session: Session, line: str, paged: str) -> None:
    assert paging.paged(line, session) == paged


@pytest.mark.parametrize(
    ("pager", "called"),
    [
        ("", "less -FRX -S"),
        ("/usr/bin/less -R", "/usr/bin/less -R -S"),
        ("more", "more"),
        ("less 'open", "less 'open"),
    ],
)
def test_the_pager_is_the_users(session: Session, monkeypatch: pytest.MonkeyPatch, pager: str, called: str) -> None:
    monkeypatch.setenv("PAGER", pager)
    assert paging.paged("fromjson", session) == f"fromjson | table --maybe | {called}"
