"""Marked tree → ToolSpec (manifest.md): every breach of the format, all of a file together, each with its place."""

from __future__ import annotations

from kernel import __version__
from kernel.builtins import NAMES as BUILTINS
from kernel.errors import KernelError, Problem
from kernel.schema_keys import SUBCOMMAND_KEYS, TOOL_KEYS, newer_kernel, read_keys
from kernel.schema_params import EFFECTS, read_params
from kernel.schema_reader import Reader, is_tool_name
from kernel.schema_templates import Argv, check_interpreters, check_uses, read_argv, read_surroundings
from kernel.spec import ParamSpec, ToolSpec
from kernel.spellings import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kernel.manifest import Node

MAX_DEPTH = 8  # S1: names on a path
MAX_NAME = 40  # S4: of a full name
GROUPS = ("exclusive", "required", "together")
_INHERITED = (
    "base",
    "file",
    "env",
    "cwd",
    "timeout",
    "limits",
    "effect",
    "confirm",
    "roots",
    "deny",
    "sandbox",
    "needs_programs",
    "needs_env",
    "needs_os",
)


def compile_tool(tree: Node, *, file: str, base: str, name: str, in_code: bool = False, faults: Sequence[Problem] = ()) -> ToolSpec:
    """The spec of one manifest.

    ``name`` is the file's stem, ``file`` and ``base`` are absolute ("" for a tool made in code). ``in_code`` says that
    a function runs the tool, so that it need not say what to run. ``faults`` are those the YAML reader found. Raises
    KernelError with all problems of the file, in its order.
    """
    reader = Reader(faults)
    if tree.kind == "map":
        for key, value in tree.items:
            if key.text == "requires":
                version = newer_kernel(reader, value, __version__)
                if version:
                    message = f"`{name}` needs kernel ≥ {version}, this is {__version__}"
                    raise KernelError([Problem("E-MANIFEST", message, reader.place(value), "update `toolkernel`")])
    if not is_tool_name(name):
        reader.problem(tree, f"`{name}` is no name of a tool", "a lower-case letter, then at most 39 of a-z 0-9 `_` `-`")
    spec = ToolSpec(name=name, path=(name,), file=file, base=base)
    _Tree(reader, name, in_code).node(tree, spec, [], None)
    reader.finish()
    return spec


def warnings(spec: ToolSpec) -> list[Problem]:
    """What `kernel check` remarks on in a tool that loads (W-MANIFEST)."""
    from kernel import lint

    return lint.warnings(spec)


class _Tree:
    """Compiles a tool's nodes, root first; a child is compiled over a copy of what it inherits."""

    def __init__(self, reader: Reader, name: str, in_code: bool) -> None:
        self.reader = reader
        self.name = name
        self.in_code = in_code
        self.full_names: set[str] = set()
        self.incomplete = False  # a param could not be read, so that what names it cannot be judged

    def node(self, tree: Node, spec: ToolSpec, above: list[ParamSpec], argv: Argv | None) -> None:
        """Fills the spec of one node: ``above`` are its ancestors' params, ``argv`` is the nearest one above."""
        reader = self.reader
        level = len(spec.path) - 1
        spec.place = (tree.line, tree.column)
        fields = self.fields(tree, level)
        if tree.kind != "map":
            return
        self.check_name(fields, spec, level)
        before = spec.effect
        read_keys(reader, fields, spec, self.name)
        if before and spec.effect and EFFECTS.index(spec.effect) < EFFECTS.index(before):
            reader.problem(
                fields["effect"],
                f"`{spec.full_name}` states the effect `{spec.effect}`, lower than its parent's `{before}`",
                "a subcommand may raise the effect, not lower it",
            )
        nodes = self.params(fields, spec, above, level)
        if not self.incomplete:
            self.groups(fields, spec)
            self.numbers(fields, spec)
        if "builtin" in fields:
            self.builtin(fields["builtin"], spec)
        argv = self.templates(tree, fields, spec, nodes, argv)
        if any(param.program for param in spec.params):
            spec.effect = "destructive"
        if "subcommands" in fields:
            self.children(fields["subcommands"], spec, argv)
        elif argv is None and not ("builtin" in fields or (self.in_code and level == 0)):
            reader.problem(tree, f"`{spec.full_name}` says nothing to run", "it needs `exec`, `builtin` or `subcommands`")

    def templates(
        self, tree: Node, fields: dict[str, Node], spec: ToolSpec, nodes: dict[str, Node], above: Argv | None
    ) -> Argv | None:
        """`exec`, `env`, `stdin` and `cwd`. Returns the argv that subcommands go on from (S3), None for none."""
        reader = self.reader
        level = len(spec.path) - 1
        params = {param.name: param for param in spec.params}
        found = len(reader.problems)
        if self.incomplete:
            return Argv(tree, "", (), [])
        argv: Argv | None = None
        runs = "exec" in fields
        if "exec" in fields:
            argv = read_argv(reader, fields["exec"], params, level)
        elif above is not None:
            argv = above.extended(spec.name, level, tree)
            runs = "builtin" not in fields and "subcommands" not in fields
        read_surroundings(reader, fields, spec, params, level)
        if runs and argv is not None:
            spec.has_exec, spec.program, spec.exec = True, argv.program, argv.items
            if len(reader.problems) == found:
                check_uses(reader, spec, argv, nodes, level, fields.get("exec", tree), own="exec" in fields)
                check_interpreters(reader, spec, argv)
        return argv

    def fields(self, tree: Node, level: int) -> dict[str, Node]:
        """The node's values by key."""
        if level == 0 and tree.kind == "map":
            for key, _ in tree.items:
                if key.text == "aliases":
                    self.reader.problem(
                        key,
                        "a top-level tool has no `aliases`: its one name is its file's",
                        "copy or link the file, or use `aliases` on a subcommand",
                    )
            return self.reader.fields(tree, (*TOOL_KEYS, "aliases"), "a manifest")
        return self.reader.fields(
            tree, TOOL_KEYS if level == 0 else SUBCOMMAND_KEYS, "a manifest" if level == 0 else "a subcommand"
        )

    def check_name(self, fields: dict[str, Node], spec: ToolSpec, level: int) -> None:
        reader = self.reader
        for key in ("name", "replaces") if level == 0 else ():
            if key in fields and reader.text(fields[key], key) not in (spec.name, None):
                what = "a tool's name is its file's" if key == "name" else "a manifest replaces the tool of its own name"
                reader.problem(
                    fields[key],
                    f"`{key}` is `{fields[key].text}`, but the file is `{spec.name}.yaml`",
                    f"{what}: write `{spec.name}`, or rename the file",
                )
            elif key == "replaces" and key in fields:
                spec.replaces = spec.name
        full = "_".join(spec.path)
        if len(full) > MAX_NAME:
            where = fields.get("name")
            if where is not None:
                reader.problem(
                    where, f"the full name `{full}` is longer than {MAX_NAME} characters", "shorten the names on its path"
                )

    def params(self, fields: dict[str, Node], spec: ToolSpec, above: list[ParamSpec], level: int) -> dict[str, Node]:
        """The node's params behind its ancestors' and the tables over them. Returns the nodes of its own."""
        reader = self.reader
        if "params" in fields and "input_schema" in fields:
            reader.problem(fields["input_schema"], "`params` and `input_schema` stand together", "keep one of them")
        if "fields" in fields and "input_schema" not in fields:
            reader.problem(fields["fields"], "`fields` adds to an `input_schema`, which is missing", "say it in `params`")
        own: list[ParamSpec] = []
        nodes: dict[str, Node] = {}
        if "input_schema" in fields:
            from kernel.schema_inputs import read_input_schema

            if above or "subcommands" in fields:
                message = "`input_schema` is for a tool without subcommands, whose ancestors have no params"
                reader.problem(fields["input_schema"], message, "use `params`")
            own, nodes = read_input_schema(reader, fields, spec, level)
            self.incomplete = self.incomplete or not spec.input_schema
        elif "params" in fields:
            drafts = read_params(reader, reader.sequence(fields["params"], "params"), level)
            self.incomplete = self.incomplete or len(drafts) < len(fields["params"].items)
            own = [draft.param for draft in drafts]
            nodes = {draft.param.name: draft.fields["name"] for draft in drafts}
            taken = {param.name.replace("-", "_"): param for param in above}
            for draft in drafts:
                other = taken.get(draft.param.name.replace("-", "_"))
                if other is not None:
                    reader.problem(
                        draft.fields["name"],
                        f"`{draft.param.name}` is a param of `{' '.join(spec.path[: other.level + 1])}` already",
                        "one name stands once on a path; rename one",
                    )
                if "subcommands" in fields and draft.param.positional:
                    reader.problem(
                        draft.node,
                        f"`{draft.param.name}` is positional, but `{spec.full_name}` has subcommands",
                        "the first operand names the subcommand; use a flag",
                    )
        spec.params = (*[ParamSpec.unpack(param.pack()) for param in above], *own)
        spec.spellings, spec.negations = tables(spec.params)
        spec.positionals = tuple([index for index, param in enumerate(spec.params) if param.positional and param.level == level])
        spec.digit_flags = any(spelling[1:2].isdigit() for spelling in spec.spellings)
        return nodes

    def groups(self, fields: dict[str, Node], spec: ToolSpec) -> None:
        reader = self.reader
        names = [param.name for param in spec.params]
        for node in reader.sequence(fields["groups"], "groups") if "groups" in fields else []:
            said = reader.fields(node, GROUPS, "an entry of `groups`")
            if len(said) != 1:
                if node.kind == "map" and not (len(node.items) == 1 and not said):
                    reader.problem(
                        node, "an entry of `groups` is one of `exclusive`, `required`, `together`", "write `- exclusive: [A, B]`"
                    )
                continue
            for kind, value in said.items():
                members: list[str] = []
                for entry in reader.sequence(value, kind):
                    name = self.member(entry, kind, names)
                    if name in members:
                        reader.problem(entry, f"`{name}` stands twice in the group", "leave one out")
                    elif name is not None:
                        members.append(name)
                if value.kind == "list" and len(value.items) < 2 and (kind != "required" or not value.items):
                    reader.problem(value, f"`{kind}` names fewer than two params", "list the params it is about")
                spec.groups = (*spec.groups, (kind, tuple(members)))

    def member(self, node: Node, kind: str, names: list[str]) -> str | None:
        """The param that an entry of a group names."""
        if node.kind == "scalar" and node.text in names:
            return str(node.text)
        if not names:
            self.reader.problem(node, f"`{kind}` names {self.reader.shown(node)}, but the tool has no params")
        elif node.kind != "scalar":
            self.reader.unwanted(node, kind, "names of params")
        else:
            hint, near = self.reader.near_hint(node.text, names)
            self.reader.problem(node, f"`{kind}` names no param {self.reader.shown(node)}", hint, near=near)
        return None

    def numbers(self, fields: dict[str, Node], spec: ToolSpec) -> None:
        """V9."""
        if "number_flag" not in fields:
            return
        node = fields["number_flag"]
        names = {param.name: index for index, param in enumerate(spec.params) if not param.is_flag and not param.is_tuple}
        name = self.reader.word(node, "number_flag", list(names)) if names else None
        if not names:
            self.reader.problem(node, "`number_flag` names a param of one word, but the tool has none")
        elif name is not None:
            spec.number_flag = names[name]

    def builtin(self, node: Node, spec: ToolSpec) -> None:
        name = self.reader.word(node, "builtin", sorted(BUILTINS))
        if name is None:
            return
        spec.builtin = name
        from kernel.schema_builtin import check_builtin

        check_builtin(self.reader, node, spec, compile_tool)

    def children(self, node: Node, spec: ToolSpec, argv: Argv | None) -> None:
        """The subcommands, packed into the spec."""
        reader = self.reader
        packed: list[tuple[Any, ...]] = []
        names: dict[str, int] = {}
        for tree in reader.sequence(node, "subcommands", empty=False):
            found = [value for key, value in tree.items if key.text == "name"] if tree.kind == "map" else []
            if not found:
                reader.problem(tree, "a subcommand is a mapping with a `name`", "write `- name: NAME`")
                continue
            if not self.is_name(found[0], "name"):
                continue
            name = found[0].text
            if len(spec.path) >= MAX_DEPTH:
                reader.problem(found[0], f"subcommands are nested deeper than {MAX_DEPTH} names")
                return
            child = ToolSpec(
                name=name, path=(*spec.path, name), groups=spec.groups, **{key: getattr(spec, key) for key in _INHERITED}
            )
            child.aliases = self.aliases(tree)
            for text in (name, *child.aliases):
                if text in names:
                    reader.problem(found[0], f"two subcommands of `{spec.full_name}` are called `{text}`", "rename one")
                names[text] = len(packed)
            folded = "_".join(child.path).replace("-", "_")
            if folded in self.full_names:
                reader.problem(
                    found[0],
                    f"two subcommands have the full name `{folded}`",
                    "full names are the same with `-`, `_` and blanks; rename one",
                )
            self.full_names.add(folded)
            self.node(tree, child, list(spec.params), argv)
            packed.append(child.pack())
        spec.children = tuple(packed)
        spec.child_names = names

    def aliases(self, tree: Node) -> tuple[str, ...]:
        for key, value in tree.items:
            if key.text == "aliases":
                entries = self.reader.sequence(value, "aliases")
                return tuple([entry.text for entry in entries if self.is_name(entry, "aliases")])
        return ()

    def is_name(self, node: Node, key: str) -> bool:
        if node.kind == "scalar" and is_tool_name(node.text):
            return True
        self.reader.unwanted(node, key, "a lower-case letter, then at most 39 of a-z 0-9 `_` `-`")
        return False
