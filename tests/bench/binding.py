"""Rows T5 to T7: bind and check in this process against the libraries that do the same."""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator

from kernel import manifest, schema
from kernel.bind import bind
from kernel.check import check
from kernel.spec import ToolSpec

Row = tuple[str, str, float, float, float, str]

ROUNDS = 21
GROWTH_ROUNDS = 7
MANIFEST = b"""\
exec: ["true", "{*}"]
params:
  - {name: output, aliases: [-o]}
  - {name: include, repeatable: true}
  - {name: define, consumes: [{name: NAME}, {name: VALUE}]}
  - {name: format, choices: [tar, zip, cpio]}
  - {name: level, type: int, min: 0, max: 9, aliases: [-l]}
  - {name: jobs, type: int, min: 1}
  - {name: ratio, type: number, min: 0, max: 1}
  - {name: verbose, type: bool, aliases: [-v]}
  - {name: quiet, type: bool}
  - {name: label}
  - {name: title}
  - {name: target, aliases: [-t]}
  - {name: files, positional: true, repeatable: true}
groups:
  - exclusive: [label, quiet]
"""
TEN_FLAGS = (
    "--output a --include x --format tar --level 6 --jobs 4 --verbose --quiet --title text --target here --define k v"
).split()
VALUES = {"output": "a", "format": "tar", "level": 6, "jobs": 4, "ratio": 0.5, "verbose": True, "label": "text", "include": ["x"]}
SHAPES = {
    "option": ["--output", "a"],
    "operand": ["word"],
    "mixed": ["--level=6", "word", "-v", "--include", "x"],
    "bool": ["--verbose"],
}


def rows() -> Iterator[Row]:
    """(id, what, value, gate, goal, unit) of T5 to T7; a unit that ends in `>` has gates of "at least"."""
    spec = schema.compile_tool(manifest.read(MANIFEST, "bench"), file="", base="", name="bench")
    tool = _per_call(lambda: bind(spec, TEN_FLAGS), 400)
    yield "T5", "bind 10 flags, times faster than argparse", _ratio(_argparse(), tool), 10, 15, "x>"
    yield "T5", "bind 10 flags, times faster than click", _ratio(_click(), tool), 30, 40, "x>"
    for shape, words in SHAPES.items():
        yield "T6", f"growth exponent from 10k to 100k words: {shape}", _exponent(spec, words), 1.15, 1.08, ""
    yield "T7", "check 8 values, times faster than jsonschema", _checking(spec), 25, 40, "x>"


def _per_call(call: Callable[[], object], times: int) -> Callable[[], float]:
    def run() -> float:
        begin = time.perf_counter()
        for _ in range(times):
            call()
        return (time.perf_counter() - begin) / times

    return run


def _ratio(other: Callable[[], float], own: Callable[[], float]) -> float:
    """The median of per-round ratios."""
    return statistics.median(other() / own() for _ in range(ROUNDS))


def _argparse() -> Callable[[], float]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", "-o")
    parser.add_argument("--include", action="append")
    parser.add_argument("--define", nargs=2, action="append")
    parser.add_argument("--format", choices=["tar", "zip", "cpio"])
    parser.add_argument("--level", "-l", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--ratio", type=float)
    parser.add_argument("--verbose", "-v", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--label")
    parser.add_argument("--title")
    parser.add_argument("--target", "-t")
    parser.add_argument("files", nargs="*")
    return _per_call(lambda: parser.parse_args(TEN_FLAGS), 40)


def _click() -> Callable[[], float]:
    import click

    params: list[click.Parameter] = [
        click.Option(["--output", "-o"]),
        click.Option(["--include"], multiple=True),
        click.Option(["--define"], nargs=2, multiple=True),
        click.Option(["--format"], type=click.Choice(["tar", "zip", "cpio"])),
        click.Option(["--level", "-l"], type=click.IntRange(0, 9)),
        click.Option(["--jobs"], type=click.IntRange(1)),
        click.Option(["--ratio"], type=click.FloatRange(0, 1)),
        click.Option(["--verbose", "-v"], is_flag=True),
        click.Option(["--quiet"], is_flag=True),
        click.Option(["--label"]),
        click.Option(["--title"]),
        click.Option(["--target", "-t"]),
        click.Argument(["files"], nargs=-1),
    ]
    command = click.Command("bench", params=params)
    return _per_call(lambda: command.make_context("bench", list(TEN_FLAGS)), 20)


def _exponent(spec: ToolSpec, words: list[str]) -> float:
    """log10 of how much longer ten times the words take; the best of some runs each, in turns."""
    few = words * (10_000 // len(words))
    many = words * (100_000 // len(words))
    took: dict[int, list[float]] = {len(few): [], len(many): []}
    for _ in range(GROWTH_ROUNDS):
        for some in (few, few, few, many):
            took[len(some)].append(_seconds(spec, some))
    return math.log10(min(took[len(many)]) / min(took[len(few)]))


def _seconds(spec: ToolSpec, words: list[str]) -> float:
    """Of the processor: what else runs on the machine costs a longer run more."""
    begin = time.process_time()
    bound = bind(spec, words)
    took = time.process_time() - begin
    assert not bound.problems
    return took


def _checking(spec: ToolSpec) -> float:
    from jsonschema import Draft202012Validator

    text = {"type": "string"}
    properties = {
        "output": text,
        "include": {"type": "array", "items": text},
        "define": {"type": "array", "items": {"type": "array", "items": text, "minItems": 2, "maxItems": 2}},
        "format": {"enum": ["tar", "zip", "cpio"]},
        "level": {"type": "integer", "minimum": 0, "maximum": 9},
        "jobs": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number", "minimum": 0, "maximum": 1},
        "verbose": {"type": "boolean"},
        "quiet": {"type": "boolean"},
        "label": text,
        "title": text,
        "target": text,
        "files": {"type": "array", "items": text},
    }
    validator = Draft202012Validator({"type": "object", "properties": properties, "additionalProperties": False})
    bound = bind(spec, "--output a --include x --format tar --level 6 --jobs 4 --ratio 0.5 --verbose --label text".split())
    assert bound.values == VALUES
    own = _per_call(lambda: check(bound, {}), 400)
    return _ratio(_per_call(lambda: validator.validate(VALUES), 40), own)
