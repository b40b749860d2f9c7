"""The founding command line: blocks of `--tool --name N … --exec CMD ARGS…` (serving.md), with its own small grammar."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from kernel import environment, input_schema, paths
from kernel.errors import KernelError, Problem, fail
from kernel.limits import CONCURRENCY, RATE, Gate
from kernel.serve import answers, catalogue
from kernel.serve.catalogue import Served, Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernel.spec import ToolSpec

REFUSED: Final = 1  # the exit status of a start that is refused
NAME_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
LARGEST: Final = 1 << 40

TEXTS: Final = ("--name", "--description", "--input-schema")
LISTS: Final = ("--fs-path-field", "--fs-root", "--fs-deny-path", "--allow-dash")
COUNTS: Final = (
    "--process-timeout-ms",
    "--process-output-limit-bytes",
    "--process-max-concurrency",
    "--process-rate-limit-count",
    "--process-rate-limit-window-ms",
)


def snapshot(words: Sequence[str]) -> Snapshot:
    """The tools that the words describe. Raises KernelError with exit status 1."""
    try:
        found = Snapshot()
        for block in _blocks(words):
            served = _served(block)
            if served.name in found.tools:
                raise fail("E-DUPLICATE", f"two tools are called `{served.name}`", hint="give each a name of its own")
            found.tools[served.name] = served
        found.tools = dict(sorted(found.tools.items()))
        return found
    except KernelError as error:
        raise KernelError(error.problems, status=REFUSED) from None


class Block:
    """One `--tool`: its options by name, and the words behind `--exec`."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.lists: dict[str, list[str]] = {name: [] for name in LISTS}
        self.counts: dict[str, int] = {}
        self.argv: list[str] = []


def _blocks(words: Sequence[str]) -> list[Block]:
    blocks: list[Block] = []
    at = 0
    while at < len(words):
        if words[at] != "--tool":
            raise fail("E-UNEXPECTED-VALUE", f"`{words[at]}` stands where a tool begins", hint="a tool begins with `--tool`")
        end = at + 1
        while end < len(words) and words[end] != "--tool":
            end += 1
        blocks.append(_block(words[at + 1 : end], len(blocks) + 1))
        at = end
    return blocks


def _block(words: Sequence[str], number: int) -> Block:
    block = Block()
    at = 0
    while at < len(words) and words[at] != "--exec":
        option = words[at]
        if option.startswith("--task-"):
            hint = "write a manifest with `task: true`: it runs as a job, and its record survives a restart"
            raise fail("E-UNSUPPORTED", f"`{option}` of tool {number} is not served by the founding command line", hint=hint)
        if option not in (*TEXTS, *LISTS, *COUNTS):
            known = ", ".join([f"`{name}`" for name in (*TEXTS, *LISTS, *COUNTS, "--exec")])
            raise fail("E-UNKNOWN-FLAG", f"`{option}` is no option of tool {number}", hint=f"it takes {known}")
        if at + 1 == len(words) or words[at + 1] == "--exec":
            raise fail("E-ARITY", f"`{option}` of tool {number} wants a value")
        _take(block, option, words[at + 1], number)
        at += 2
    block.argv = list(words[at + 1 :])
    if "--name" not in block.texts:
        raise fail("E-REQUIRED", f"tool {number} has no name", hint="add `--name NAME` before `--exec`")
    if not block.argv:
        raise fail("E-REQUIRED", f"tool {number} has no command", hint="add `--exec COMMAND ARGUMENTS…` as its last option")
    return block


def _take(block: Block, option: str, value: str, number: int) -> None:
    if option in LISTS:
        block.lists[option].append(value)
        return
    if option in block.texts or option in block.counts:
        raise fail("E-DUPLICATE", f"`{option}` is given twice for tool {number}")
    if option in TEXTS:
        block.texts[option] = value
    elif value.isascii() and value.isdigit() and 0 < int(value[:20]) <= LARGEST:
        block.counts[option] = int(value)
    else:
        raise fail("E-TYPE", f"`{option}` of tool {number} wants a whole number above 0, got `{value}`")


def _served(block: Block) -> Served:
    name = block.texts["--name"]
    if not 0 < len(name) <= 128 or not NAME_CHARACTERS.issuperset(name):
        raise fail("E-TYPE", f"`{name}` is no tool's name", hint="a name has 1 to 128 of the characters A-Z a-z 0-9 `.` `_` `-`")
    schema = block.texts.get("--input-schema")
    if schema is not None and schema.startswith("@"):
        schema = _file(schema[1:])
    spec = input_schema.ad_hoc(block.argv, schema, block.lists["--allow-dash"])
    spec.name, spec.path = name, (name,)
    spec.description = block.texts.get("--description", spec.description)
    spec.base = environment.working_directory()
    spec.timeout = block.counts.get("--process-timeout-ms", 0) / 1000
    if "--process-output-limit-bytes" in block.counts:
        spec.limits = {"output": block.counts["--process-output-limit-bytes"]}
    _hold_to_paths(spec, block)
    gate = Gate(name, block.counts.get("--process-max-concurrency", CONCURRENCY), _rate(block.counts))
    listing = {**catalogue.listing(name, spec), "description": spec.description, "outputSchema": answers.FOUNDING_SCHEMA}
    return Served(name, spec, gate, listing, founding=True)


def _rate(counts: dict[str, int]) -> tuple[int, float]:
    count, window = counts.get("--process-rate-limit-count"), counts.get("--process-rate-limit-window-ms")
    if (count is None) != (window is None):
        missing = "--process-rate-limit-count" if count is None else "--process-rate-limit-window-ms"
        raise fail("E-GROUP", "a rate has a count and a window", hint=f"add `{missing}`")
    return RATE if count is None or window is None else (count, window / 1000)


def _hold_to_paths(spec: ToolSpec, block: Block) -> None:
    """Roots and denied places, which must be sound at the start. Raises KernelError."""
    fields = {param.name: param for param in spec.params}
    problems: list[Problem] = []
    for field in block.lists["--fs-path-field"]:
        if field not in fields:
            problems.append(Problem("E-SCHEMA", f"`--fs-path-field` names `{field}`, which is no field"))
        elif fields[field].type != "string":
            problems.append(Problem("E-SCHEMA", f"`--fs-path-field` names `{field}`, which is no string"))
        else:
            fields[field].slots[0].path = "write"
    if not block.lists["--fs-path-field"] and (block.lists["--fs-root"] or block.lists["--fs-deny-path"]):
        problems.append(Problem("E-GROUP", "roots and denied places speak of path fields", hint="add `--fs-path-field FIELD`"))
    for root in block.lists["--fs-root"]:
        if not os.path.isdir(os.path.join(spec.base, root)):
            problems.append(Problem("E-PATH", f"the root `{root}` is no directory"))
    for place in block.lists["--fs-deny-path"]:
        try:
            paths.resolve(os.path.join(spec.base, place))
        except (paths.Unresolvable, ValueError):
            hint = "a denied place may be missing, but no dangling link"
            problems.append(Problem("E-PATH", f"the denied place `{place}` cannot be resolved", hint=hint))
    if problems:
        raise KernelError(problems)
    spec.roots, spec.deny = tuple(block.lists["--fs-root"]), tuple(block.lists["--fs-deny-path"])


def _file(name: str) -> str:
    try:
        with open(name, "rb") as file:
            return file.read(1 << 20).decode()
    except (OSError, ValueError) as error:
        raise fail("E-FILE", f"the input schema `{name}` cannot be read: {getattr(error, 'strerror', None) or error}") from None


def wants(words: Sequence[str]) -> bool:
    """Whether the words of `kernel mcp` are the founding command line."""
    return words[:1] == ["--tool"]
