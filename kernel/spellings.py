"""How params are spelled as flags (argv-grammar N1, N2, S2): declared aliases, what follows from names, clashes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernel.spec import ParamSpec


def of_alias(alias: str) -> str:
    """The spelling an alias stands for: with dashes itself; without, `-x` for one letter and `--word` for more."""
    if alias.startswith("-"):
        return alias
    return f"-{alias}" if len(alias) == 1 else f"--{alias}"


def alias_fault(alias: str) -> str:
    """Why an alias cannot be a spelling, "" when it can."""
    if not alias.strip("-"):
        return "is only dashes"
    if alias.startswith("---"):
        return "begins with three dashes"
    if "=" in alias:
        return "holds `=`, which ends a flag's spelling"
    if not alias.isprintable() or " " in alias:
        return "holds a blank or a control character"
    return ""


def of_name(name: str) -> list[str]:
    """The spellings that follow from a name, the one to write first: `dry_run` is `--dry-run` and `--dry_run`."""
    if len(name) == 1:
        return [f"--{name}", f"-{name}"]
    body = name.lstrip("_")
    lead = name[: len(name) - len(body)]
    return list(dict.fromkeys([f"--{lead}{body.replace('_', '-')}", f"--{name}", f"--{lead}{body.replace('-', '_')}"]))


def of_property(name: str) -> list[str]:
    """The spellings of an input schema's property: `--NAME`, with `-` for `_`; one letter is `-x` as well."""
    found = [f"--{name}", f"--{name.replace('_', '-')}"]
    if len(name) == 1 and name.isalpha():
        found.append(f"-{name}")
    return list(dict.fromkeys(found))


def assign(
    params: Sequence[ParamSpec], aliases: Sequence[Sequence[str]], names: Sequence[Sequence[str]], negatable: Sequence[bool]
) -> list[tuple[int, int, str]]:
    """Fills ``spellings``, ``declared`` and ``negations`` of one level's params.

    ``aliases`` are each param's declared spellings, ``names`` what follows from its name. Returns the clashes as
    (index, index of the other, spelling); an index pair of the same param is a spelling given twice, or a flag
    that its own negation spells. A spelling that only follows from a name gives way to another param's alias.
    """
    clashes: list[tuple[int, int, str]] = []
    declared: dict[str, int] = {}
    for index, spellings in enumerate(aliases):
        for spelling in spellings:
            if spelling in declared:
                clashes.append((declared[spelling], index, spelling))
            declared.setdefault(spelling, index)
    derived: dict[str, int] = {}
    for index, param in enumerate(params):
        own = list(dict.fromkeys(aliases[index]))
        follow = [spelling for spelling in names[index] if spelling not in declared]
        longs = [spelling for spelling in own + follow if spelling.startswith("--")]
        negations = [f"--no-{spelling[2:]}" for spelling in longs] if negatable[index] else []
        for negation in negations:
            if declared.get(negation) == index:
                clashes.append((index, index, negation))
        negations = [negation for negation in negations if negation not in declared]
        for spelling in follow + negations:
            if spelling in derived:
                clashes.append((derived[spelling], index, spelling))
            derived.setdefault(spelling, index)
        param.spellings = tuple(own + follow)
        param.declared = len(own)
        param.negations = tuple(negations)
    return clashes


def tables(levels: Iterable[ParamSpec]) -> tuple[dict[str, int], dict[str, int]]:
    """(spelling → index, negation → index) over the params of a path, root first: the nearest level wins (S2)."""
    flags: dict[str, tuple[int, int]] = {}
    negations: dict[str, tuple[int, int]] = {}
    for index, param in enumerate(levels):
        for spelling in param.spellings:
            flags[spelling] = (param.level, index)
        for spelling in param.negations:
            negations[spelling] = (param.level, index)
    return (
        {spelling: index for spelling, (level, index) in flags.items() if negations.get(spelling, (-1, 0))[0] < level},
        {spelling: index for spelling, (level, index) in negations.items() if flags.get(spelling, (-1, 0))[0] < level},
    )
