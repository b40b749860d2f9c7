"""A node's templates (`exec`, `env`, `stdin`, `cwd`) against its params: forms, coverage, secrets, interpreters."""

from __future__ import annotations

from kernel.interpreters import Word, is_hook, program_text
from kernel.schema_keys import read_environment
from kernel.template import Compiler, Hole, TemplateError, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from kernel.manifest import Node
    from kernel.schema_reader import Reader
    from kernel.spec import ParamSpec, ToolSpec


class Argv:
    """The argv of a node or of the nearest node above that has one: compiled, and as nodes for the checks on it."""

    __slots__ = ("items", "node", "program", "sources")

    def __init__(self, node: Node, program: str, items: tuple[Any, ...], sources: list[tuple[Any, Any]]) -> None:
        self.node = node
        self.program = program
        self.items = items
        self.sources = sources  # (text, node) or ([(text, node), …], node)

    def extended(self, name: str, level: int, node: Node) -> Argv:
        """S3: the argv of a child without its own: its name, then `{*}` for its level."""
        return Argv(
            self.node, self.program, (*self.items, ("text", (name,)), ("rest", level)), [*self.sources, (name, node), ("{*}", node)]
        )


def read_argv(reader: Reader, node: Node, params: dict[str, ParamSpec], level: int) -> Argv:
    """`exec`: the program and its compiled items; one that runs nothing (reported) where there is no program."""
    nothing = Argv(node, "", (), [])
    if node.kind != "list" or not node.items:
        reader.unwanted(node, "exec", "a list of the program and its arguments", "write `[PROGRAM, ARGUMENT…]`; no shell reads it")
        return nothing
    items = node.items
    program = items[0].text if items[0].kind == "scalar" else ""
    if not program or not items[0].own_text:
        reader.problem(items[0], "the first item of `exec` is the program's name", "write `[PROGRAM, ARGUMENT…]`")
        return nothing
    if "{" in program or "}" in program:
        reader.problem(
            items[0],
            "the program of `exec` is never a template",
            "write its name; a placeholder stands in the items behind it",
            code="E-TEMPLATE",
        )
        return nothing
    if program.endswith("/") or "\0" in program:
        reader.problem(
            items[0], f"`{program}` names no program", "write a name, or a path relative to the directory that holds `tools.d/`"
        )
        return nothing
    sources: list[tuple[Any, Any]] = []
    for item in items[1:]:
        source = _source(reader, item)
        if source is not None:
            sources.append(source)
    compiler = Compiler(params, level, reader.template_fault)
    return Argv(node, program, compiler.items(sources), sources)


def _source(reader: Reader, item: Node) -> tuple[Any, Any] | None:
    if item.kind == "map":
        hint = 'quote a placeholder: "{NAME}"' if item.items else ""
        reader.problem(item, "an item of `exec` is text or a list, not a mapping", hint, code="E-TEMPLATE")
        return None
    if item.kind == "scalar":
        text = reader.text(item, "exec", empty=True, free=True)
        return None if text is None else (text, item)
    words = []
    for word in item.items:
        if word.kind != "scalar":
            reader.problem(
                word,
                "a group holds texts only",
                "write the items of the inner list into the group, or a group of its own",
                code="E-TEMPLATE",
            )
            return None
        text = reader.text(word, "exec", empty=True, free=True)
        if text is None:
            return None
        words.append((text, word))
    if not words:
        reader.problem(item, "a group is empty", "take it out", code="E-TEMPLATE")
        return None
    return words, item


def names_in(items: Iterable[Any]) -> set[str]:
    """The params that compiled items name, `{*}` aside."""
    found: set[str] = set()
    for item in items:
        if item[0] == "text":
            found.update([piece[0] for piece in item[1] if not isinstance(piece, str)])
        elif item[0] == "splice":
            found.add(item[1])
        elif item[0] == "group":
            found |= names_in(item[1])
            found.update([name for _, name in item[2]])
    return found


def read_surroundings(reader: Reader, fields: dict[str, Node], spec: ToolSpec, params: dict[str, ParamSpec], level: int) -> None:
    """`env`, `stdin` and `cwd` of a node, over what it inherits."""
    compiler = Compiler(params, level, reader.template_fault)
    if "env" in fields:
        env = dict(spec.env)
        for name, node in read_environment(reader, fields["env"]):
            env[name] = _variable(reader, node, name, compiler)
        spec.env = tuple(env.items())
    if "stdin" in fields:
        text = reader.text(fields["stdin"], "stdin", empty=True, free=True)
        if text in ("caller", "none", "values"):
            spec.stdin = text
        elif text is not None:
            spec.stdin = _words(reader, fields["stdin"], text, compiler)
    if "cwd" in fields:
        spec.cwd = _directory(reader, fields["cwd"], params) or "caller"


def _words(reader: Reader, node: Node, text: str, compiler: Compiler) -> tuple[Any, ...]:
    try:
        return compiler.words(text)
    except TemplateError as error:
        reader.template_fault(node, error)
        return ()


def _variable(reader: Reader, node: Node, name: str, compiler: Compiler) -> tuple[Any, ...] | None:
    text = reader.text(node, "env", empty=True, free=True)
    if text is None or text == "pass":
        return None
    pieces = _words(reader, node, text, compiler)
    if is_hook(name) and any(not isinstance(piece, str) for piece in pieces):
        reader.problem(
            node,
            f"`{name}` makes programs load code, so it takes no placeholder",
            "write a fixed value, or `pass` for the caller's",
        )
    return pieces


def _directory(reader: Reader, node: Node, params: dict[str, ParamSpec]) -> str:
    """`cwd`: caller, tools, a path below the directory that holds `tools.d/`, or `{P}` of a `path: dir` param."""
    text = reader.text(node, "cwd")
    if text is None or text in ("caller", "tools"):
        return text or ""
    if "{" not in text and "}" not in text:
        if text.startswith("/"):
            reader.problem(
                node, "`cwd` is a path relative to the directory that holds `tools.d/`", "write it without the leading `/`"
            )
        return text
    name = text[1:-1]
    param = params.get(name) if text[0] == "{" and text[-1] == "}" else None
    if param is None:
        reader.problem(node, f"`cwd` names no param: `{text}`", 'write `"{NAME}"`, and nothing round it', code="E-TEMPLATE")
    elif param.slots[0].path != "dir" or param.repeatable or param.is_tuple:
        reader.problem(
            node, f"`cwd` needs a param of one directory, which `{name}` is not", f"say `path: dir` on `{name}`", code="E-TEMPLATE"
        )
    return text


def outside_names(spec: ToolSpec) -> tuple[set[str], set[str]]:
    """(params that `env` or `stdin` names, those that `cwd` names as well)."""
    found: set[str] = set()
    for _, pieces in spec.env:
        found.update([piece[0] for piece in pieces or () if not isinstance(piece, str)])
    if not isinstance(spec.stdin, str):
        found.update([piece[0] for piece in spec.stdin if not isinstance(piece, str)])
    return found, found | ({spec.cwd[1:-1]} if spec.cwd.startswith("{") else set())


def check_uses(reader: Reader, spec: ToolSpec, argv: Argv, nodes: dict[str, Node], level: int, node: Node, *, own: bool) -> None:
    """Marks what `{*}` writes, and reports params that nothing uses and secrets that nothing hands over.

    ``nodes`` are the nodes of this level's params. An ancestor's param is reported at ``node`` where the argv is the
    node's ``own``; an inherited one was judged where it stands.
    """
    told, outside = outside_names(spec)
    named = names_in(argv.items) | outside
    covered = {item[1] for item in argv.items if item[0] == "rest"}
    for param in spec.params:
        param.in_rest = param.level in covered and param.name not in named and param.secret != "hidden" and not param.unused
        if param.unused or spec.stdin == "values":
            continue
        where = nodes[param.name] if param.level == level else node
        if param.level != level and not own:
            continue
        if param.secret == "hidden" and param.name not in told:
            reader.problem(
                where,
                f"the secret `{param.name}` reaches the program by neither `env` nor `stdin`",
                f'write `env: {{{param.name.upper().replace("-", "_")}: "{{{param.name}}}"}}`, or say `secret: argv`',
            )
        elif not param.in_rest and param.name not in named:
            covers = "; this `exec` covers the flags of its ancestors only by name" if param.level != level else ""
            reader.problem(
                where,
                f"`{param.name}` is used by no template of `{spec.full_name}`{covers}",
                f"write `{{{param.name}}}`{' or `{*}`' if param.level == level else ''} in `exec`, or say `unused: true`",
                code="E-TEMPLATE",
                param=param.name,
            )


def check_interpreters(reader: Reader, spec: ToolSpec, argv: Argv) -> None:
    """X1: no placeholder is program text, unless the param says `program: true`."""
    params = {param.name: param for param in spec.params}
    words = [Word(argv.program, (), argv.node)]
    level = -1
    rests = [item[1] for item in argv.items if item[0] == "rest"]
    for content, where in argv.sources:
        if content == "{*}":
            level += 1
            words += _rest_words(spec, rests[level] if level < len(rests) else 0, where)
        elif isinstance(content, str):
            words += _template_words(content, where, False)
        else:
            for text, item in content:
                words += _template_words(text, item, True)
    stdin = not isinstance(spec.stdin, str) and any(not isinstance(piece, str) for piece in spec.stdin)
    for word, reads in program_text(words, stdin):
        names = word.names or tuple(outside_names(spec)[0])
        for name in names:
            if name in params and not params[name].program:
                reader.problem(
                    word.where,
                    f"`{name}` would be read by {reads}",
                    "hand it over as an argument of a fixed program, or say `program: true`, which makes the tool destructive",
                    code="E-TEMPLATE",
                    param=name,
                )


def _template_words(text: str, where: Any, optional: bool) -> list[Word]:
    try:
        parts = parse(text)
    except TemplateError:
        return []
    holes = [part for part in parts if isinstance(part, Hole)]
    if holes and holes[0].form in ("when", "unless"):
        return []
    lead = parts[0] if parts and isinstance(parts[0], str) else ""
    return [Word(lead, tuple([hole.name for hole in holes]), where, optional)]


def _rest_words(spec: ToolSpec, level: int, where: Any) -> list[Word]:
    """What `{*}` may write: the spelling and the values of each flag, then the operands."""
    flags: list[Word] = []
    operands: list[Word] = []
    for param in spec.params:
        if param.level != level or not param.in_rest:
            continue
        value = Word("", (param.name,), where, not param.required)
        if param.spellings:  # a positional that has them may be given, and is then written, as a flag
            attached = param.emit != "separate"
            lead = param.spelling + ("=" if param.emit == "equals" else "")
            flags.append(Word(lead, (param.name,) if attached else (), where, True))
            flags += [value] * len(param.slots) if not (attached or param.is_flag) else []
        if param.positional:
            operands.append(value)
    return flags + operands
