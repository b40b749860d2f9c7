"""Whatever is typed, a look at it ends with an answer: what it looks like, what is wrong, what may come next."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell_case import ROOT, ShellCase

from kernel.shell import history, marking, offering, word_help
from kernel.shell.glance import Glance
from kernel.shell.names import Names
from kernel.shell.session import Session

WORDS = [
    *"if then fi for in do done case esac while [[ ]] { } ( ) ; ;; && | & < > <<EOF EOF 2>&1 $( $(( ${ $x $ ` x= x=[ #".split(),
    *"sort --key -n jq --arg head - = a ~/ / * f() cd set -o ! !!".split(),
    *["'", '"', "\\", "\n", "\t", " ", "<<-'E F'", "\x00", "é", "$(" * 500, "(" * 500],
]
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=12).map("".join) | st.lists(
    st.sampled_from(WORDS), max_size=8
).map(" ".join)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    case = ShellCase(tmp_path_factory.mktemp("looks"))
    patch = pytest.MonkeyPatch()
    for name in ("KERNEL_CACHE_DIR", "KERNEL_STATE_DIR", "KERNEL_CONFIG_DIR", "HOME"):
        patch.setenv(name, case.env[name])
    patch.chdir(case.cwd)
    patch.setattr("kernel.shell.signals.Signals.install", lambda _: None)
    try:
        found = Session()
        yield found
    finally:
        patch.undo()


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_a_glance_covers_the_text_and_ends_where_it_ends(text: str) -> None:
    glance = Glance(text)
    for piece in glance.pieces:
        assert 0 <= piece.start <= piece.end <= len(text)
    for command in glance.commands:
        starts = [piece.start for piece in command.words]
        assert starts == sorted(set(starts))
    if glance.begun is not None:
        assert glance.begun.end == len(text)


@given(text=TEXTS, cursor=st.integers(0, 40))
@settings(max_examples=150, deadline=None)
def test_every_look_has_an_answer(session: Session, text: str, cursor: int) -> None:
    names = Names(session.evaluator)
    cursor = min(cursor, len(text))
    for mark in marking.marks(text, cursor, session, names):
        assert 0 <= mark.start < mark.end and mark.message
    for candidate in offering.offering(text[:cursor], names).candidates[:50]:
        assert isinstance(candidate.rest, str) and candidate.shown
    offering.hint(text[:cursor], names)
    history.without_secrets(text, names)
    word_help.help_of(text, cursor, names)
    session.is_complete(text)


def test_words_of_the_kernels_own_command_are_offered(session: Session, tmp_path: Path) -> None:
    kernel = tmp_path / "kernel"
    kernel.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m kernel "$@"\n')
    kernel.chmod(0o755)
    state = session.evaluator.state
    before = state.variables["PATH"]
    state.assign("PATH", f"{tmp_path}:{before}")
    try:
        names = Names(session.evaluator)
        verbs = offering.offering("kernel ", names)
        assert {"call", "mcp"} <= {each.shown for each in verbs.candidates} and verbs.hint == "VERB"
        [tool] = offering.offering("kernel call unam", names).candidates
        assert (tool.rest, tool.shown) == ("e ", "uname") and tool.says
        assert "--arg" in [each.shown for each in offering.offering("kernel call jq --a", names).candidates]
    finally:
        state.assign("PATH", before)
