"""How a verb describes its own words: small constructors of specs, and their parsing by the kernel's binder."""

from __future__ import annotations

from kernel import environment, locate
from kernel.bind import bind
from kernel.bound import Bound
from kernel.check import check
from kernel.errors import KernelError, WordPlace
from kernel.spec import ParamSpec, Slot, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


def _spellings(name: str, aliases: Sequence[str]) -> tuple[str, ...]:
    return (*aliases, f"--{name.replace('_', '-')}", *([f"--{name}"] if "_" in name else []))


def switch(name: str, description: str, *aliases: str) -> ParamSpec:
    """A flag that takes no value."""
    return ParamSpec(
        name=name,
        description=description,
        slots=(Slot(type="bool"),),
        spellings=_spellings(name, aliases),
        declared=len(aliases),
        in_rest=True,
    )


def option(
    name: str,
    description: str,
    value: str,
    *,
    complete: str = "",
    choices: Sequence[str] = (),
    repeatable: bool = False,
    between: tuple[int, int] | None = None,
) -> ParamSpec:
    """A flag with one value, which help calls `value`; ``complete`` is a kind of completion (`dir`, `path` …).

    ``between`` makes it an int with these bounds.
    """
    slot = Slot(name=value, complete=(f"@{complete}",) if complete else (), choices=tuple([(text, "") for text in choices]))
    if between is not None:
        slot.type, (slot.min, slot.max) = "int", map(str, between)
    return ParamSpec(
        name=name, description=description, slots=(slot,), spellings=_spellings(name, ()), repeatable=repeatable, in_rest=True
    )


def operand(
    name: str,
    description: str,
    *,
    required: bool = False,
    repeatable: bool = False,
    after: bool = False,
    complete: str = "",
    choices: Sequence[str] = (),
) -> ParamSpec:
    """An operand; ``after`` takes the words behind `--` (P5)."""
    slot = Slot(complete=(f"@{complete}",) if complete else (), choices=tuple([(text, "") for text in choices]))
    return ParamSpec(
        name=name,
        description=description,
        slots=(slot,),
        positional=True,
        required=required,
        repeatable=repeatable,
        after=after,
        in_rest=True,
    )


def verb(name: str, description: str, *params: ParamSpec, **fields: Any) -> ToolSpec:
    """The spec of a verb; ``fields`` are those of ToolSpec (`flags`, `groups`, `examples` …)."""
    return ToolSpec(
        name=name,
        path=("kernel", name),
        description=description,
        effect="read",
        params=params,
        spellings={spelling: index for index, param in enumerate(params) for spelling in param.spellings},
        positionals=tuple([index for index, param in enumerate(params) if param.positional]),
        **fields,
    )


TOOLS = option("tools", "A directory of manifests to search first.", "DIR", complete="dir", repeatable=True)


def directories(options: Mapping[str, Any]) -> list[locate.Directory]:
    """The directories that a verb with TOOLS searches; a line on stderr for each that is not trusted."""
    found = locate.search_path(options["tools"])
    warn(locate.notices(found))
    return found


def point_at_tools(error: KernelError, bound: Bound) -> None:
    """Marks the word that names a directory which `--tools` cannot take."""
    problem = error.problems[0]
    given = problem.facts.get("got", "")
    if problem.code != "E-FILE" or not given or error.words is not None:
        return
    for name, spelling, index, *_ in bound.takes:
        for at, attached in ((index, f"{spelling}={given}"), (index + 1, given)):
            if name == "tools" and at < len(bound.words) and bound.words[at] == attached:
                problem.where = WordPlace(at, len(attached) - len(given))
                error.words, error.prefix = bound.words, bound.spec.path
                return


def warn(lines: Iterable[str]) -> None:
    """Lines for the person on stderr."""
    for line in lines:
        environment.write_error(f"warning: {line}\n")


def wants_help(bound: Bound) -> bool:
    """Whether `--help` stands in flag position of a tool that does not know it (running.md X0)."""
    for problem in bound.problems:
        where = problem.where
        if problem.code == "E-UNKNOWN-FLAG" and isinstance(where, WordPlace) and bound.words[where.index] == "--help":
            return True
    return False


LISTED = " (`kernel list` shows the tools)"


def finish(bound: Bound) -> Bound:
    """The bound words of a verb, checked. Raises KernelError with all problems and hints, ready to be drawn."""
    try:
        return check(bound, environment.variables())
    except KernelError as error:
        from kernel.explain import complete

        error.words, error.prefix = bound.words, bound.spec.path
        for problem in error.problems:
            if problem.code == "E-REQUIRED" and problem.facts["param"] == "tool":
                problem.hint += LISTED
        complete(error, bound.spec)
        for problem in error.problems:
            if problem.code == "E-UNKNOWN-FLAG" and not problem.hint:
                problem.hint = f"`{bound.spec.full_name} --help` lists its flags"
        raise


def parse(spec: ToolSpec, words: list[str]) -> Bound:
    """A verb's words bound and checked."""
    return finish(bind(spec, words))
