"""What `kernel check` remarks on in a manifest that loads: warnings, each with its place and a way out."""

from __future__ import annotations

import sys

from kernel.errors import KernelError, Place, Problem
from kernel.spec import ParamSpec, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from kernel.manifest import Node

_FREE_TEXT = ("string", "any", "json", "array", "object")


def warnings(spec: ToolSpec) -> list[Problem]:
    """The warnings of a tool and its subcommands, in the order of the file."""
    source = Source(spec.file)
    found = [problem for node in _nodes(spec) for problem in _of_node(node, source)]
    return sorted(found, key=_position)


def _position(problem: Problem) -> tuple[int, int]:
    where = problem.where
    return (where.line, where.column) if isinstance(where, Place) else (0, 0)


class Source:
    """The manifest's tree, for places that a compiled spec does not keep."""

    def __init__(self, file: str) -> None:
        self.tree: Node | None = None
        if file:
            from kernel.manifest import read

            try:
                with open(file, "rb") as stream:
                    self.tree = read(stream.read(), file)
            except (OSError, KernelError):
                return

    def place(self, place: tuple[int, int]) -> Place | None:
        """A place of the file with the text of its line."""
        if self.tree is None or not place[0]:
            return None
        source = self.tree.source
        width = len(source.line_text(place[0]).rstrip()) - place[1] + 1
        return source.place(*place, width)

    def argv(self, spec: ToolSpec) -> list[Place | None] | None:
        """The places of a node's own `exec` items, None where it has no `exec` of its own."""
        if self.tree is None:
            return [None] * (len(spec.exec) + 1) if len(spec.path) < 2 else None
        node: Node | None = self.tree
        for name in spec.path[1:]:
            children = _child(node, "subcommands")
            node = next((child for child in children.items if _text(child, "name") == name), None) if children else None
        argv = _child(node, "exec")
        return [item.place() for item in argv.items] if argv is not None else None


def _child(node: Node | None, key: str) -> Node | None:
    pairs = node.items if node is not None and node.kind == "map" else []
    return next((value for name, value in pairs if name.text == key), None)


def _text(node: Node, key: str) -> str:
    child = _child(node, key)
    return child.text if child is not None else ""


def _nodes(spec: ToolSpec) -> Iterator[ToolSpec]:
    yield spec
    for packed in spec.children:
        yield from _nodes(ToolSpec.unpack(packed))


def _of_node(spec: ToolSpec, source: Source) -> Iterator[Problem]:
    level = len(spec.path) - 1
    here = source.place(spec.place)

    def warn(message: str, hint: str, place: Place | None = here) -> Problem:
        return Problem("W-MANIFEST", message, place, hint)

    if not spec.description:
        yield warn(f"`{spec.full_name}` has no `description`", "say in one sentence what it does")
    if not spec.effect and (spec.has_exec or spec.builtin):
        yield warn(
            f"`{spec.full_name}` states no `effect`, so it counts as `write`", "write `effect: read`, `write` or `destructive`"
        )
    if level == 0:
        yield from _of_limits(spec, warn)
    items = source.argv(spec)
    if spec.has_exec and items is not None:
        for number, message, hint in _dash_risks(spec):
            yield warn(message, hint, items[number] if number < len(items) else here)
    for param in spec.params:
        if param.level == level:
            yield from _of_param(param, spec, source.place(param.place))
    if len(spec.groups) and level == 0:
        yield from _of_groups(spec, warn)
    yield from _of_operands(spec, source)


def _of_limits(spec: ToolSpec, warn: Any) -> Iterator[Problem]:
    if "output" in spec.limits or "spill" in spec.limits:
        yield warn(
            "`limits.output` and `limits.spill` do not apply to attached calls (`kernel call`)",
            "they hold when the tool is captured or served",
        )
    if sys.platform == "darwin" and spec.timeout:
        message = "on macOS a timeout ends the child's process group alone"
        yield warn(message, "a child that starts a session of its own goes on; end it in the program")
    if sys.platform != "linux" and ("memory" in spec.limits or "cpu" in spec.limits):
        yield warn("`limits.memory` and `limits.cpu` are kept on Linux only", "a call on this system runs without them")


def _of_param(param: ParamSpec, spec: ToolSpec, place: Place | None) -> Iterator[Problem]:
    from kernel.pattern import read
    from kernel.pattern_ambiguity import has_nested_repeats, repeats_ambiguously

    def warn(message: str, hint: str) -> Problem:
        return Problem("W-MANIFEST", message, place, hint, param=param.name)

    for slot in param.slots:
        if slot.pattern and has_nested_repeats(read(slot.pattern)):
            yield warn(
                f"the pattern of `{param.name}` nests unbounded repeats, which is slow for clients that try one way after another",
                "give one of the repeats an upper bound: `{0,100}`",
            )
            break
        if slot.pattern and repeats_ambiguously(read(slot.pattern)):
            yield warn(
                f"the pattern of `{param.name}` can match one text in many ways, which is slow for clients that try them all",
                "let no two alternatives match the same text, and repeat nothing that is optional",
            )
            break
    if param.secret == "argv":
        yield warn(
            f"the secret `{param.name}` stands in the argv, which other users of the machine can see",
            "hand it over by `env` or `stdin` where the program can read it there",
        )
    if param.unused and param.in_rest:
        yield warn(f"`{param.name}` is marked `unused`, but a template names it", "leave out `unused`")


def _of_groups(spec: ToolSpec, warn: Any) -> Iterator[Problem]:
    for kind, members in spec.groups:
        required = [name for name in members if (param := spec.param(name)) is not None and param.required]
        if kind == "exclusive" and required:
            yield warn(
                f"`{required[0]}` is required, so nothing else of its `exclusive` group can be given",
                "make it optional, and say `required: [A, B]` for the group",
            )
        elif kind == "required" and required:
            yield warn(f"the `required` group of `{required[0]}` always holds, as that param is required", "leave the group out")


def _of_operands(spec: ToolSpec, source: Source) -> Iterator[Problem]:
    """P1 fills an optional positional behind a repeatable one by no operand."""
    repeatable = ""
    for index in spec.positionals:
        param = spec.params[index]
        if repeatable and not param.required and not param.after and not param.repeatable:
            yield Problem(
                "W-MANIFEST",
                f"no operand ever reaches the optional `{param.name}`: `{repeatable}` before it takes all",
                source.place(param.place),
                "make it required, move it before, or give it `aliases`",
                param=param.name,
            )
        repeatable = repeatable or (param.name if param.repeatable else "")


# The dash guard (running.md X8), as far as it can be foreseen


def _dash_risks(spec: ToolSpec) -> Iterator[tuple[int, str, str]]:
    """(index in `exec`, message, hint) of each item a value may begin."""
    params = {param.name: param for param in spec.params}
    marker = spec.end_of_options
    previous = ""  # the literal word before the item, where one stands there
    for number, item in enumerate(spec.exec, 1):
        if item[0] == "text" and len(item[1]) == 1 and isinstance(item[1][0], str) and item[1][0] in ("--", marker):
            return
        inner = item[1] if item[0] == "group" else (item,)
        before, previous = previous, ""
        for part in inner:
            name, slot = (part[1], -1) if part[0] == "splice" else _first_value(part[1]) if part[0] == "text" else ("", -1)
            literal = part[1][0] if part[0] == "text" and part[1] and isinstance(part[1][0], str) else ""
            if part[0] == "text" and len(part[1]) == 1 and literal in ("--", marker):
                return
            param = params.get(name)
            follows = item[0] == "group" and part is not inner[0] and param is not None and before in param.spellings
            if param is not None and not follows and _may_begin_with_dash(param, slot):
                yield (
                    number,
                    f"this item begins with `{name}`: a value that looks like an option is refused here",
                    f"{_guard(before, name, marker)}, or say `allow_dash: true` on `{name}`",
                )
            before = literal if part[0] == "text" and len(part[1]) == 1 else ""
        previous = before if item[0] == "text" else ""


def _guard(before: str, name: str, marker: str) -> str:
    """How an item that begins with a param's value is kept from being an option: ``before`` is the word in front of it."""
    joined = joined_value(before, name)
    if joined:
        operand = f", put `{marker}` before it if it is an operand" if marker else ""
        return f"write `{joined}` as one item if it is the value of `{before}`{operand}"
    return f"put `{marker}` before it if the program knows it" if marker else "put an option's spelling before it"


def joined_value(option: str, name: str) -> str:
    """The one item that gives a param's value to an option, `--grep={word}` or `-d{word}`; "" for a word that is no such option."""
    if len(option) == 2 and option[0] == "-" and option[1].isalnum():
        return f"{option}{{{name}}}"
    if option[:2] == "--" and len(option) > 2 and "=" not in option:
        return f"{option}={{{name}}}"
    return ""


def _first_value(pieces: Sequence[Any]) -> tuple[str, int]:
    """The name and slot (-1 for the whole value) that an item's text begins with; ("", -1) for literal text."""
    return pieces[0] if pieces and not isinstance(pieces[0], str) else ("", -1)


def _may_begin_with_dash(param: ParamSpec, at: int) -> bool:
    """Whether the text of a slot may begin with a dash; a whole value begins with its first slot."""
    from kernel.pattern_match import begins_without

    slot = param.slots[max(at, 0)]
    return slot.type in _FREE_TEXT and not slot.allow_dash and not slot.choices and not begins_without(slot.pattern, "-")
