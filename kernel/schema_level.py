"""What the params of one level settle together: names, spellings, `emit`, the order of operands (N1, N2, N5, P1, P5)."""

from __future__ import annotations

from kernel import spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.manifest import Node
    from kernel.schema_reader import Reader
    from kernel.spec import ParamSpec


class Draft:
    """A param while its level is read: its record, its node, and what only the level can settle."""

    __slots__ = ("fields", "follow", "negatable", "node", "param", "spelled")

    def __init__(self, node: Node, param: ParamSpec, fields: dict[str, Node]) -> None:
        self.node = node
        self.param = param
        self.fields = fields
        self.spelled: list[str] = []  # declared spellings
        self.follow: list[str] = []  # spellings that follow from the name
        self.negatable = False


def check_level(reader: Reader, drafts: list[Draft]) -> None:
    """Gives the params their spellings and reports what does not go together."""
    _check_names(reader, drafts)
    _check_spellings(reader, drafts)
    for draft in drafts:
        _check_emit(reader, draft)
    _check_operands(reader, [draft for draft in drafts if draft.param.positional])


def _check_names(reader: Reader, drafts: list[Draft]) -> None:
    """N5: names are unique after folding `-` to `_`."""
    taken: dict[str, str] = {}
    for draft in drafts:
        folded = draft.param.name.replace("-", "_")
        if folded in taken:
            reader.problem(
                draft.fields["name"], f"two params are called `{taken[folded]}`", "names are the same with `-` and `_`; rename one"
            )
        taken.setdefault(folded, draft.param.name)


def _check_spellings(reader: Reader, drafts: list[Draft]) -> None:
    """N1, N2: gives every param its spellings."""
    params = [draft.param for draft in drafts]
    for draft in drafts:
        draft.follow = [] if draft.param.positional and not draft.spelled else spellings.of_name(draft.param.name)
    for first, second, spelling in spellings.assign(
        params, [draft.spelled for draft in drafts], [draft.follow for draft in drafts], [draft.negatable for draft in drafts]
    ):
        one, other = params[first], drafts[second]
        if one.name.replace("-", "_") == other.param.name.replace("-", "_"):
            if first == second:
                reader.problem(
                    other.node,
                    f"`{one.name}` is spelled `{spelling}` both as itself and negated",
                    "leave out the alias or `negatable`",
                )
            continue
        node = other.fields.get("aliases") if spelling in other.spelled else other.fields["name"]
        reader.problem(
            node or other.node,
            f"`{one.name}` and `{other.param.name}` are both spelled `{spelling}`",
            "rename one, or give one of them an alias of its own",
            params=[one.name, other.param.name],
        )
    for draft in drafts:
        if not draft.param.spellings and not draft.param.positional:
            reader.problem(
                draft.node,
                f"`{draft.param.name}` has no spelling left, as other params' aliases take all that follow from its name",
                "give it an alias",
            )


def _check_emit(reader: Reader, draft: Draft) -> None:
    """`equals` needs a long spelling and one word, `joined` a one-letter spelling and one word."""
    param = draft.param
    if param.emit == "separate":
        return
    node = draft.fields["emit"]
    if param.is_flag or not param.spellings:
        reader.problem(node, f"`emit: {param.emit}` is for flags that take a word, which `{param.name}` is not", "leave it out")
    elif param.is_tuple and not param.split:
        reader.problem(node, f"`emit: {param.emit}` attaches one word, but `{param.name}` takes {len(param.slots)}", "leave it out")
    elif not emitted(param):
        wanted = "a long spelling" if param.emit == "equals" else "a one-letter spelling"
        reader.problem(
            node, f"`emit: {param.emit}` needs {wanted}, which `{param.name}` does not have", "give it one under `aliases`"
        )


def emitted(param: ParamSpec) -> str:
    """The spelling `{*}` attaches the value to; "" where the params has none that fits its `emit`."""
    for spelling in param.spellings:
        if len(spelling) == 2 if param.emit == "joined" else spelling.startswith("--"):
            return spelling
    return ""


def _check_operands(reader: Reader, drafts: list[Draft]) -> None:
    """P1, P5: at most one repeatable; nothing required behind an optional one; `after` on the last only."""
    repeatable: Draft | None = None
    optional: Draft | None = None
    for draft in drafts:
        param = draft.param
        if param.after:
            if draft is not drafts[-1]:
                reader.problem(
                    draft.fields["after"], f"`{param.name}` has `after`, but is not the last positional", "move it to the end"
                )
            continue
        if param.repeatable:
            if repeatable is not None:
                reader.problem(
                    draft.node,
                    f"`{repeatable.param.name}` and `{param.name}` are both repeatable positionals",
                    "only one can take all remaining operands",
                )
            repeatable = repeatable or draft
        if optional is not None and param.required:
            reader.problem(
                draft.node,
                f"the required positional `{param.name}` follows the optional `{optional.param.name}`",
                f"make `{optional.param.name}` required, or move `{param.name}` before it",
            )
        if not param.required:
            optional = optional or draft
