"""Checks a manifest's examples: each is bound and rendered, and compared with the binds and argv it states."""

from __future__ import annotations

from kernel import strict_json, words
from kernel.bind import bind
from kernel.check import check
from kernel.errors import KernelError, Place, Problem
from kernel.policy import dash_problems
from kernel.render import render
from kernel.spec import ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kernel.bound import Bound
    from kernel.spec import ParamSpec


def example_problems(spec: ToolSpec) -> list[Problem]:
    """What is wrong with the examples of a tool and its subcommands. Nothing is run and no variable is read."""
    return [problem for example in _all(spec) for problem in _problems(spec, example)]


def _all(spec: ToolSpec) -> list[dict[str, Any]]:
    found = list(spec.examples)
    for packed in spec.children:
        found += _all(ToolSpec.unpack(packed))
    return found


def _problems(spec: ToolSpec, example: dict[str, Any]) -> list[Problem]:
    run = list(example["run"])
    line, column = example.get("place", (1, 1))
    place = Place(spec.file, line, column)
    shown = words.join(run)
    try:
        bound = check(bind(spec, run[1:]), {})
        plan = render(bound)
    except KernelError as error:
        return [
            Problem(problem.code, f"the example `{shown}` fails: {problem.message}", place, problem.hint)
            for problem in error.problems
        ]
    found = [Problem(p.code, f"the example `{shown}` fails: {p.message}", place, p.hint) for p in dash_problems(plan)]
    if example.get("binds") is not None:
        found += _compared(shown, place, example["binds"], bound)
    if example.get("argv") is not None and plan.argv() != list(example["argv"]):
        wanted, got = words.join(list(example["argv"])), words.join(plan.argv())
        hint = _spelling_hint(bound.spec.params, list(example["argv"]), plan.argv())
        found.append(Problem("E-MANIFEST", f"the example `{shown}` makes another argv", place, hint, wanted=wanted, got=got))
    return found


def _spelling_hint(params: Sequence[ParamSpec], wanted: list[str], got: list[str]) -> str:
    """How to have `{*}` write the flags as an example states them, where they differ in spelling alone; "" otherwise."""
    others: dict[str, tuple[ParamSpec, str]] = {}
    for stated, written in zip(wanted, got):
        if stated == written:
            continue
        param = next((each for each in params if _is_spelled(each, stated) and _is_spelled(each, written)), None)
        stated, _, value = stated.partition("=")
        if param is None or value != written.partition("=")[2]:
            return ""
        others[param.name] = (param, stated)
    if not others or len(wanted) != len(got):
        return ""
    ways = []
    for param, stated in others.values():
        aliases = [stated, *[alias for alias in param.spellings[: param.declared] if alias != stated]]
        ways.append(f"say `aliases: [{', '.join(aliases)}]` of `{param.name}`")
    return f"`{{*}}` writes a flag by its first alias: {', and '.join(ways)}"


def _is_spelled(param: ParamSpec, word: str) -> bool:
    return word.partition("=")[0] in param.spellings


def _compared(shown: str, place: Place, stated: dict[str, Any], bound: Bound) -> list[Problem]:
    """Differences between what an example states and what its words bind; a stated default counts as bound."""
    given = {name for name, origin in bound.origins.items() if origin == "argv"}
    found = []
    for name in dict.fromkeys([*stated, *sorted(given)]):
        wanted = _text(stated[name]) if name in stated else "nothing"
        got = _text(bound.values[name]) if name in bound.values else "nothing"
        if wanted != got:
            message = f"the example `{shown}` binds `{name}` to {got}, `binds` says {wanted}"
            found.append(Problem("E-MANIFEST", message, place, param=name))
    return found


def _text(value: Any) -> str:
    return f"`{strict_json.dumps(value)}`"
