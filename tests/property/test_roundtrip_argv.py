"""R2: a program that reads its argv with getopt, told the declared spellings, sees the values of the call.

The reader is getopt(1) of util-linux, asked about one word at a time and extended by the arities: it says what a word
is and whether the next one belongs to it; a param of N slots takes N - 1 more. A failing run prints its seed, which
ROUNDTRIP_SEED takes; the short run has always the same one, `-m nightly` runs more examples from a new one.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections import Counter
from functools import lru_cache
from typing import Any

import pytest
from call_case import tool
from hard_values import HARD, LONG, new_seed, run, short_seed
from hypothesis import note
from hypothesis import strategies as st

from kernel.bind import bind
from kernel.bind_json import bind_mapping
from kernel.bound import Bound
from kernel.check import check
from kernel.conform import as_yaml
from kernel.errors import KernelError
from kernel.render import render
from kernel.spec import ParamSpec, ToolSpec

pytestmark = pytest.mark.skipif(
    "util-linux" not in subprocess.run(["getopt", "-V"], capture_output=True, text=True, check=False).stdout
    if shutil.which("getopt")
    else True,
    reason="needs getopt(1) of util-linux",
)

NAMES = ["alpha", "beta_b", "g", "delta", "al"]
LETTERS = "abxyz1"
VALUES = st.one_of(
    st.sampled_from(sorted(HARD.values())),
    st.sampled_from(["--alpha", "--alpha=3", "-a", "-ab", "-5", "--no-alpha", "'", "\"'\\", " ", "x y", "é", "--al", "NEXT", "\n"]),
    st.text(st.sampled_from("ab=-:, 1é"), max_size=4),
)
INTEGERS = st.one_of(st.integers(-99, 99).map(str), st.sampled_from(["0644", "+5", LONG, f"-{LONG}"]))
SHAPES = ["plain", "list", "tuple", "bool", "count", "int", "optional", "split", "delimiter", "equals", "joined"]
drawn: Counter[str] = Counter()


# ---- the schema and the call ---------------------------------------------------------------------------------------


@st.composite
def flags(draw: st.DrawFn, name: str, letter: str) -> dict[str, Any]:
    """A flag param of any shape, with a letter, a long alias, both or neither."""
    aliases = draw(st.sampled_from([[], [f"-{letter}"], [f"--{name}-long"], [f"-{letter}", f"--{name}-long"]]))
    param: dict[str, Any] = {"name": name, "aliases": aliases, "values": "verbatim"}
    shape = draw(st.sampled_from(SHAPES))
    drawn[shape] += 1
    if shape in ("bool", "count"):
        del param["values"]
        param |= {"type": "bool", "negatable": draw(st.booleans())} if shape == "bool" else {"count": True}
    elif shape == "tuple":
        param |= {"consumes": draw(st.integers(2, 3)), "repeatable": draw(st.booleans())}
    elif shape == "optional":
        del param["values"]
        param |= {"optional_value": draw(st.sampled_from(["auto", "-"]))}
    elif shape == "split":
        slots = [{"name": "A"}, {"name": "B"}, *([{"name": "C", "optional": True}] if draw(st.booleans()) else [])]
        param |= {"split": draw(st.sampled_from([":", "="])), "consumes": slots, "repeatable": draw(st.booleans())}
    elif shape == "delimiter":
        param |= {"delimiter": ",", "repeatable": True}
    elif shape == "equals":
        param |= {"emit": "equals", "repeatable": draw(st.booleans())}
    elif shape == "joined":
        param |= {"emit": "joined", "aliases": [f"-{letter}", *aliases[1:]], "repeatable": draw(st.booleans())}
    else:
        param |= {"repeatable": shape == "list", "type": "int" if shape == "int" else "string"}
    return param


@st.composite
def tools(draw: st.DrawFn) -> ToolSpec:
    letters = draw(st.permutations(LETTERS))
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, 4))]
    params = [draw(flags(name, letters[at])) for at, name in enumerate(names)]
    operands = [{"name": f"p{at}", "positional": True} for at in range(draw(st.integers(0, 2)))]
    if draw(st.booleans()):
        operands.append({"name": "rest", "positional": True, "repeatable": True})
    order = draw(st.sampled_from(["declared", "typed"]))
    return tool(as_yaml({"exec": ["program", "{*}"], "params": params + operands, "order": order}))


def occurrence(draw: st.DrawFn, param: ParamSpec) -> Any:
    """One value that this shape can carry."""
    if param.count:
        return draw(st.integers(0, 5))
    if param.is_flag:
        return draw(st.booleans())
    if param.split:
        parts = [draw(VALUES) for _ in param.slots]
        return [part.replace(param.split, "") for part in parts[:-1]] + parts[-1:]
    if param.is_tuple:
        return [draw(VALUES) for _ in param.slots]
    value = draw(INTEGERS if param.type == "int" else VALUES)
    if param.delimiter:
        return value.replace(param.delimiter, "") or "x"
    if param.emit == "joined" or param.optional_value is not None:
        return value or "x"  # refused, or told from the bare flag by no reader
    return value


@st.composite
def calls(draw: st.DrawFn) -> Bound:
    spec = draw(tools())
    given: dict[str, Any] = {}
    gap = False
    for param in spec.params:
        gap = gap or (param.positional and not draw(st.booleans()))
        if (param.positional and gap) or (not param.positional and not draw(st.booleans())):
            continue
        count = draw(st.integers(1, 3)) if param.repeatable else 1
        values = [occurrence(draw, param) for _ in range(count)]
        given[param.name] = values if param.repeatable else values[0]
        record(given[param.name], spec)
    return check(bind_mapping(spec, given, escapes=True), {})


def record(value: Any, spec: ToolSpec) -> None:
    if isinstance(value, list):
        for part in value:
            record(part, spec)
    elif isinstance(value, str):
        drawn.update([name for name, hard in HARD.items() if hard == value])
        drawn["a declared spelling"] += value in spec.spellings


# ---- the independent reader ------------------------------------------------------------------------------------------


class Reader:
    """Reads an argv by getopt(1), told of each param its spellings and how many words it takes."""

    def __init__(self, spec: ToolSpec) -> None:
        self.short, self.long = "+", []
        self.owners: dict[str, tuple[ParamSpec, bool]] = {}
        for param in spec.params:
            takes = "" if param.is_flag else "::" if param.optional_value is not None else ":"
            for spelling in param.spellings:
                self.owners[spelling] = (param, True)
                if spelling.startswith("--"):
                    self.long.append(spelling[2:] + takes)
                else:
                    self.short += spelling[1:] + takes
            for spelling in param.negations:
                self.owners[spelling] = (param, False)
                self.long.append(spelling[2:])

    def ask(self, word: str) -> list[str]:
        """What getopt(1) makes of a word that is followed by the word NEXT."""
        return list(asked(self.short, ",".join(self.long), word))

    def read(self, argv: list[str]) -> tuple[dict[str, Any], list[str]]:
        """The values by param, and the operands."""
        values: dict[str, Any] = {}
        operands: list[str] = []
        at = 0
        while at < len(argv):
            said = self.ask(argv[at])
            at += 1
            if said == ["--", "NEXT"] and argv[at - 1] == "--":
                return values, operands + argv[at:]
            if said[0] == "--":
                operands.append(argv[at - 1])
                continue
            takes_next = said[-1] == "--"
            while said[0] != "--":
                param, on = self.owners[said.pop(0)]
                if param.is_flag:
                    values[param.name] = (values.get(param.name, 0) + 1) if param.count else on
                    continue
                first = said.pop(0)
                if takes_next:
                    first = argv[at]
                    at += 1
                text: Any = first
                if param.optional_value is not None and first == "":
                    text = param.optional_value
                elif param.split:
                    text = first.split(param.split, len(param.slots) - 1)
                elif param.is_tuple:
                    text = [first, *argv[at : at + len(param.slots) - 1]]
                    at += len(param.slots) - 1
                if param.delimiter:
                    values.setdefault(param.name, []).extend(first.split(param.delimiter))
                elif param.repeatable:
                    values.setdefault(param.name, []).append(text)
                else:
                    values[param.name] = text
        return values, operands


@lru_cache(maxsize=4096)
def asked(short: str, long: str, word: str) -> tuple[str, ...]:
    command = ["getopt", "-o", short, *(["-l", long] if long else []), "-n", "reader", "--", word, "NEXT"]
    done = subprocess.run(command, capture_output=True, env={"LC_ALL": "C", "PATH": os.environ["PATH"]}, check=True)
    return tuple(shlex.split(os.fsdecode(done.stdout)))


# ---- the property ------------------------------------------------------------------------------------------------------


def expected(bound: Bound) -> tuple[dict[str, Any], list[str]]:
    values = {}
    operands: list[str] = []
    for param in bound.spec.params:
        if not bound.has(param.name):
            continue
        text = bound.texts[param.name]
        if param.positional:
            operands += text if param.repeatable else [text]
        elif param.count:
            if bound.values[param.name]:
                values[param.name] = bound.values[param.name]
        elif param.is_flag:
            if bound.values[param.name] or param.negations:
                values[param.name] = bound.values[param.name]
        else:
            values[param.name] = text
    return values, operands


def holds(bound: Bound) -> None:
    argv = render(bound).argv()[1:]
    note(f"argv: {argv}")
    found = Reader(bound.spec).read(argv)
    assert found == expected(bound)
    # what the program got is a line of the tool as well, and makes the same argv, in whatever order
    again = bind(bound.spec, argv)
    try:
        check(again, {})
    except KernelError:
        drawn["only for programs"] += 1  # V4: a line may not say what an argv may
        return
    drawn["a line"] += 1
    assert render(again).argv()[1:] == argv


ALL = (*HARD, "a declared spelling", "a line", *SHAPES)


def test_a_program_reads_the_same_values() -> None:
    run(calls(), holds, 200, short_seed(), drawn, ALL)


@pytest.mark.nightly
def test_a_program_reads_the_same_values_at_length() -> None:
    run(calls(), holds, 2000, new_seed(), drawn, ALL)
