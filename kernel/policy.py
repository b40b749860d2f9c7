"""May this plan run? Dash guard, effect, paths; passes or refuses and changes nothing (running.md X6-X9)."""

from __future__ import annotations

from kernel.errors import KernelError, Problem, WordPlace
from kernel.values import to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.plan import Item, Piece, Plan


def judge(
    plan: Plan,
    *,
    yes: bool = False,
    ask: bool = True,
    workspace: str = "",
    cwd: str = "",
    people: bool = True,
    served: bool = False,
) -> None:
    """Raises KernelError for a plan that may not run: E-USAGE, E-DASH, E-PATH, E-EFFECT, with ways out as hints.

    ``yes`` confirms a destructive call beforehand. ``ask=False`` is for `--dry-run`: all checks, no question.
    ``workspace`` holds every path of the call to that directory (manifest `roots` do so too); relative ones start
    at ``cwd``, the caller's working directory. ``people=False`` is a caller who cannot be asked: a library.
    ``served`` adds the places that no served call may touch (X7).
    """
    if plan.builtin:
        from kernel import builtins

        if builtins.usage_of(plan.builtin) is not None:
            from kernel import misuse

            misuse.refuse(plan.bound, plan.builtin)
    problems = dash_problems(plan)
    spec = plan.spec
    if workspace or spec.roots or spec.deny:
        from kernel import paths

        problems += paths.problems(plan, workspace, cwd, served=served, others=_others(plan))
    if problems:
        raise KernelError(problems)
    if ask and not yes and (plan.effect == "destructive" or spec.confirm):
        from kernel import confirm

        confirm.require(plan, people)


def _others(plan: Plan) -> Callable[[str], list[tuple[str, str, str]]] | None:
    """What names the files that a call opens though no `path` param holds them (X7)."""
    from kernel import builtins

    if plan.spec.builtin not in builtins.NAMING_FILES:
        return None
    from kernel import misuse

    whole = misuse.whole(plan.spec.builtin, plan.bound)
    return lambda directory: builtins.files_named_by(plan.spec.builtin, whole, directory)


def dash_problems(plan: Plan) -> list[Problem]:
    """The items that the program would take for options although their text came from a caller (X8)."""
    problems: list[Problem] = []
    if plan.builtin:
        return problems
    marker = plan.spec.end_of_options
    typed: dict[tuple[str, str], list[int]] = {}
    option = ""  # the literal word that stands before an item
    for item in plan.items:
        pieces = item.pieces
        before, option = option, pieces[0].text if len(pieces) == 1 and not pieces[0].param else ""
        first = pieces[0] if pieces else None
        if len(pieces) > 1 and first is not None and not first.text:
            first = next((piece for piece in pieces if piece.text), None)
        if first is None:
            continue
        if not first.param:
            if first.text in ("--", marker) and first.text and item.text() == first.text and all(not p.param for p in pieces):
                break
        elif first.text[:1] == "-" and item.judged and looks_like_option(item.text()) and _is_free(plan, first):
            typed = typed or _typed(plan)
            problems.append(_refusal(plan, item, first, _word(plan, first, typed), before))
    if problems and plan.spec.builtin:
        from kernel import needs

        if needs.falls_back(plan.spec):
            return []
    return problems


def looks_like_option(text: str) -> bool:
    """`-` or `--` followed by a character that is neither blank nor `-`, or exactly `--`; `-` alone is none."""
    if text[:1] != "-":
        return False
    behind = text[2:] if text[:2] == "--" else text[1:]
    if not behind:
        return text == "--"
    return behind[0] not in "- \t\n\v\f\r"


def _is_free(plan: Plan, piece: Piece) -> bool:
    """Whether the piece is text of a caller's own making that the manifest does not vouch for."""
    param = plan.spec.param(piece.param)
    if param is None:
        return True
    if plan.spec.unknown_flags == "pass" and param.positional and plan.bound.origins.get(param.name) == "argv":
        return False  # a wrapper: the caller's own words for the program
    slot = param.slots[piece.slot]
    if slot.allow_dash or slot.choices or slot.type not in ("string", "any"):
        return False
    return slot.type == "string" or not _is_typed(plan.bound.values.get(param.name), piece.text)


def _is_typed(value: object, text: str) -> bool:
    """Whether `text` stands for a value of type `any` that came as a number (T1), or for an entry of a list that did."""
    if isinstance(value, list):
        return any(_is_typed(each, text) for each in value)
    return value is not None and not isinstance(value, (str, dict)) and to_text(value) == text


def _refusal(plan: Plan, item: Item, piece: Piece, where: WordPlace | None, before: str) -> Problem:
    from kernel.lint import joined_value

    spec = plan.spec
    param = spec.param(piece.param)
    hidden = param is not None and param.secret != ""
    text = "***" if hidden else item.text()
    joined = joined_value(before, piece.param)
    place = "`exec`" if spec.file else "the command"
    if joined:
        way = f"write `{joined}` in {place} if it is the value of `{before}`, put `--` before it if it is an operand, or "
    else:
        way = f"put {'an item ' if spec.file else ''}`--` before `{{{piece.param}}}` in {place}, or "
    way += "say `allow_dash: true` on the param" if spec.file else f"allow it by `--allow-dash {piece.param}`"
    return Problem(
        "E-DASH",
        f"`{piece.param}` would reach `{spec.program}` as an option: `{text}`",
        where,
        hint=f"a file is written `./{text}`; {way}" if not hidden and param is not None and param.slots[piece.slot].path else way,
        secret=hidden,
        param=piece.param,
    )


def _typed(plan: Plan) -> dict[tuple[str, str], list[int]]:
    """The words of the call that are values as a whole: their indices by param and text."""
    typed: dict[tuple[str, str], list[int]] = {}
    for trace in plan.bound.trace:
        for index in trace.words[1:] if not trace.hidden else ():
            typed.setdefault((trace.param, plan.bound.words[index]), []).append(index)
    return typed


def _word(plan: Plan, piece: Piece, typed: dict[tuple[str, str], list[int]]) -> WordPlace | None:
    """The word of the call that is a piece's text, each in its turn, else the one that ends with it."""
    whole = typed.get((piece.param, piece.text))
    if whole:
        return WordPlace(whole.pop(0) if len(whole) > 1 else whole[0])
    for (param, word), indices in typed.items():
        if param == piece.param and word.endswith(piece.text):
            return WordPlace(indices[0], len(word) - len(piece.text))
    return None
