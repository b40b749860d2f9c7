"""Each shipped manifest has every option of its program's help page, or says why not (`x-left-out`)."""

from __future__ import annotations

import os

import pytest
import shipped
import shipped_options

from kernel import manifest, schema_reader
from kernel.spec import ToolSpec

RECORD = shipped_options.recorded()

# What the manifests write and no help page lists: options of newer versions, or that only the manual page has.
BEYOND = {
    "awk": {"-k"},
    "curl-get": {"--http3"},
    "find-files": {"-samefile", "-newermt", "-ipath"},
    "git": {"--literal-pathspecs"},
    "git diff": {"--cached", "--merge-base"},
    "x509": {"-sha256", "-sha384", "-sha512", "-sha1", "-md5"},
}
MANUAL_ONLY = {"git log", "git show"}  # their `-h` lists few of the options of the manual page


def node_of(name: str) -> ToolSpec:
    path = name.split(" ")
    node = shipped.spec_of(path[0])
    for step in path[1:]:
        child = node.child(step)
        assert child is not None, name
        node = child
    return node


def left_out(name: str) -> dict[str, str]:
    """Spelling → reason, of a node's own `x-left-out`."""
    path = name.split(" ")
    file = shipped.DIRECTORY / f"{path[0]}.yaml"
    reader = schema_reader.Reader()
    tree = reader.data(manifest.read(file.read_bytes(), str(file)))
    for step in path[1:]:
        tree = next(child for child in tree["subcommands"] if child["name"] == step)
    return {spelling: reason for reason, spellings in tree.get("x-left-out", {}).items() for spelling in spellings}


def listed_spellings(name: str) -> set[str]:
    """All spellings that the recorded page names."""
    return {spelling for option in RECORD[name]["options"] for spelling in option.split(" ")}


def spellings(node: ToolSpec) -> set[str]:
    """All that callers can write for the params of the node's own level."""
    level = max(len(node.path) - 1, 0)
    found: set[str] = set()
    for param in node.params:
        if param.level == level:
            found |= {*param.spellings, *param.negations}
            found |= {word for _, words in param.replace if isinstance(words, tuple) for word in words}
    return found


def written(node: ToolSpec) -> set[str]:
    """The options that the child's argv can hold because of the node's own level."""
    level = max(len(node.path) - 1, 0)
    found: set[str] = set()
    for param in node.params:
        if param.level != level or not param.in_rest or param.positional:
            continue
        if param.replace and any(isinstance(words, tuple) for _, words in param.replace):
            found |= {words[0].partition("=")[0] for _, words in param.replace if words and isinstance(words, tuple)}
            continue
        longs = [spelling for spelling in param.spellings if spelling.startswith("--")]
        found.add(longs[0] if param.emit == "equals" else param.spelling)
        found |= set(param.negations[:1])
    return found


@pytest.mark.parametrize("name", RECORD)
def test_each_listed_option_is_declared_or_left_out_with_a_reason(name: str) -> None:
    known = spellings(node_of(name)) | left_out(name).keys()
    missing = [option for option in RECORD[name]["options"] if known.isdisjoint(option.split(" "))]
    assert missing == []


@pytest.mark.parametrize("name", RECORD)
def test_nothing_is_both_declared_and_left_out(name: str) -> None:
    declared = {
        option
        for option in spellings(node_of(name))
        if option in {each for group in RECORD[name]["options"] for each in group.split(" ")}
    }
    assert declared & left_out(name).keys() == set()


@pytest.mark.parametrize("name", [name for name in RECORD if name not in MANUAL_ONLY])
def test_what_is_written_is_an_option_of_the_program(name: str) -> None:
    listed = listed_spellings(name)
    if name.startswith("git"):  # each of its switches has a negation that the page does not list
        listed |= {f"--no-{spelling[2:]}" for spelling in listed}
    assert written(node_of(name)) - listed - BEYOND.get(name, set()) == set()


def test_every_node_with_a_program_has_a_page() -> None:
    """Those without one take no options of their own."""
    nodes = {
        node.full_name: node
        for name in shipped.NAMES
        for node in shipped.leaves(shipped.spec_of(name))
        if node.has_exec and not node.builtin
    }
    without = nodes.keys() - RECORD.keys() - MANUAL_ONLY - {"rg-files"}
    assert {name for name in without if written(nodes[name])} == set()


@pytest.mark.parametrize("name", RECORD)
def test_the_installed_program_lists_what_was_recorded(name: str) -> None:
    program = shipped_options.PAGES[name][0][0]
    if not shipped_options.installed(name):
        if os.environ.get("CI") and program not in ("docker", "kubectl"):
            pytest.fail(f"`{program}` is not installed")
        pytest.skip(f"`{program}` is not installed")
    listed = shipped_options.listed(name)
    version = shipped_options.version(name)
    if version != RECORD[name]["version"]:
        new = [option for option in listed if option not in RECORD[name]["options"]]
        pytest.skip(f"version {version} is installed, {RECORD[name]['version']} is recorded; new: {', '.join(new) or 'nothing'}")
    assert listed == RECORD[name]["options"]
