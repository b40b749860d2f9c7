"""Rules S1–S4 of the argv grammar, as far as binding goes."""

from __future__ import annotations

from call_case import call, codes, given, load_error, refused, tool

from kernel.bind import bind
from kernel.explain import complete

GIT = tool(
    """
    exec: [git, "{*}"]
    params:
      - {name: dir, aliases: [-C]}
      - {name: paginate, type: bool, aliases: [-p]}
    subcommands:
      - name: log
        params:
          - {name: oneline, type: bool}
          - {name: copies, type: bool, aliases: [-C]}
          - {name: revs, positional: true, repeatable: true}
      - name: remote
        aliases: [rem]
        params: [{name: verbose, type: bool, aliases: [-v]}]
        subcommands:
          - name: add
            params: [{name: name, positional: true, required: true}, {name: url, positional: true, required: true}]
    """,
    "git",
)


def test_s1_the_first_operand_names_the_child() -> None:
    bound = call(GIT, "log --oneline main")
    assert bound.spec.path == ("git", "log")
    assert bound.commands == (0,)
    assert given(GIT, "rem -v add origin url") == {"verbose": True, "name": "origin", "url": "url"}


def test_s1_only_the_nodes_own_flags_stand_before_it() -> None:
    assert given(GIT, "-C d log") == {"dir": "d"}
    error = refused(GIT, "--oneline log")
    complete(error, call(GIT, "log").spec)
    assert (error.code, error.problems[0].hint) == (
        "E-UNKNOWN-FLAG",
        "`--oneline` is a flag of `git log`: write it right behind `log`",
    )
    assert codes(GIT, "remote -p add a b") == ["E-UNKNOWN-FLAG"]


def test_s1_an_unknown_child() -> None:
    error = refused(GIT, "lgo --oneline")
    error.prefix = ("kernel", "call", "git")
    complete(error, GIT)
    problem = error.problems[0]
    assert (problem.code, problem.facts["near"], problem.facts["wanted"]) == ("E-SUBCOMMAND", ["log"], ["log", "remote"])
    assert problem.facts["line"] == ["kernel", "call", "git", "log", "--oneline"]


def test_s1_a_missing_child() -> None:
    assert given(GIT, "-C d") == {"dir": "d"}  # git itself can be run
    assert codes(GIT, "remote") == ["E-SUBCOMMAND"]
    assert refused(GIT, "remote -v").problems[0].message == "`git remote` wants a subcommand"


def test_s1_no_double_dash_before_it() -> None:
    assert codes(GIT, "-- log") == codes(GIT, "remote -- add a b") == ["E-SUBCOMMAND"]


def test_s1_a_node_with_children_has_no_positionals() -> None:
    assert "positional" in load_error("subcommands: [{name: a, exec: [x]}]\nparams: [{name: p, positional: true}]")


def test_s2_ancestors_flags_are_valid_at_the_leaf() -> None:
    assert given(GIT, "log -p --dir d") == {"paginate": True, "dir": "d"}
    assert given(GIT, "-p remote add a b --dir d") == {"paginate": True, "name": "a", "url": "b", "dir": "d"}


def test_s2_the_leafs_spelling_wins() -> None:
    assert given(GIT, "-C d log -C") == {"dir": "d", "copies": True}


def test_s2_v4_counts_the_spellings_valid_at_that_place() -> None:
    assert given(GIT, "-C --oneline log") == {"dir": "--oneline"}
    assert codes(GIT, "log --dir --oneline") == ["E-ARITY"]


def test_s2_one_name_twice_on_a_path() -> None:
    assert "`a`" in load_error("params: [{name: a}]\nsubcommands: [{name: x, exec: [y], params: [{name: a}]}]")


def test_s4_the_full_name() -> None:
    assert bind(GIT, ["remote", "add"]).spec.full_name == "git remote add"
