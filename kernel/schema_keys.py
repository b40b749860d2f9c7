"""The tool's keys that stand alone (manifest.md, Tool keys): texts, words, needs, limits, exits, sandbox, examples."""

from __future__ import annotations

from kernel.limits import rate_of
from kernel.schema_params import EFFECTS
from kernel.schema_reader import DIGITS, is_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kernel.manifest import Node
    from kernel.schema_reader import Reader
    from kernel.spec import ToolSpec

SHARED_KEYS = (
    *("name", "title", "description", "needs", "params", "input_schema", "fields", "exec", "builtin", "subcommands", "groups"),
    *("env", "cwd", "stdin", "order", "timeout", "limits", "output", "exits", "effect", "confirm", "roots", "deny", "sandbox"),
    *("flags", "unknown_flags", "end_of_options", "map_positionals", "number_flag", "task", "hidden", "tags", "deprecated"),
    "examples",
)
TOOL_KEYS = (*SHARED_KEYS, "requires", "replaces")
SUBCOMMAND_KEYS = (*SHARED_KEYS, "aliases")
NEEDS_KEYS = ("programs", "env", "os")
LIMIT_KEYS = ("output", "spill", "concurrency", "rate", "cpu", "memory")
SANDBOX_KEYS = ("network", "read", "write")
EXAMPLE_KEYS = ("run", "says", "binds", "argv", "stdout", "exit")
WORDS = {
    "order": ("declared", "typed", "interleaved"),
    "output": ("text", "json", "jsonl", "lines", "table"),
    "effect": EFFECTS,
    "flags": ("anywhere", "before-operands", "none"),
    "unknown_flags": ("error", "pass"),
}
EXITS = ("ok", "empty", "error")
SYSTEMS = ("linux", "macos", "windows", "freebsd")
_TEXTS = {"title": False, "description": True, "confirm": False, "deprecated": False}  # whether it may have several lines
_FLAGS = ("map_positionals", "task", "hidden")


def read_keys(reader: Reader, fields: dict[str, Node], spec: ToolSpec, root: str) -> None:
    """Fills what a node says by keys that stand alone. ``root`` is the tool's name, which its examples begin with."""
    for key, lines in _TEXTS.items():
        if key in fields:
            setattr(spec, key, reader.text(fields[key], key, empty=key == "description", lines=lines) or "")
    for key, allowed in WORDS.items():
        if key in fields:
            setattr(spec, key, reader.word(fields[key], key, allowed) or getattr(spec, key))
    for key in _FLAGS:
        if key in fields:
            setattr(spec, key, reader.flag(fields[key], key))
    readers: dict[str, Callable[[Reader, Node, ToolSpec], None]] = {
        "needs": _needs,
        "limits": _limits,
        "exits": _exits,
        "sandbox": _sandbox,
        "roots": _roots,
        "deny": _deny,
        "tags": _tags,
    }
    for key, read in readers.items():
        if key in fields:
            read(reader, fields[key], spec)
    if "timeout" in fields:
        spec.timeout = reader.duration(fields["timeout"], "timeout")
    if "end_of_options" in fields:
        marker = reader.text(fields["end_of_options"], "end_of_options") or "--"
        spec.end_of_options = "" if marker == "none" else marker
    if "examples" in fields:
        spec.examples = tuple([_example(reader, node, root) for node in reader.sequence(fields["examples"], "examples")])


def newer_kernel(reader: Reader, node: Node, version: str) -> str:
    """`requires`: the version asked for where this kernel is older, "" where it is not or the key is malformed."""
    wanted = condition(reader, node, "requires")
    if wanted and _numbers(wanted.removeprefix(">=")) > _numbers(version):
        return wanted.removeprefix(">=")
    return ""


def condition(reader: Reader, node: Node, key: str) -> str:
    """A version condition `>=1.7`; "" (reported) where it is none."""
    text = node.text if node.kind == "scalar" else ""
    number = text.removeprefix(">=").strip()
    if text.startswith(">=") and all(part and len(part) < 10 and DIGITS.issuperset(part) for part in number.split(".")):
        return f">={number}"
    reader.unwanted(node, key, 'a version condition such as `">=1.7"`')
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    parts = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        parts.append(int(digits or 0))
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _needs(reader: Reader, node: Node, spec: ToolSpec) -> None:
    fields = reader.fields(node, NEEDS_KEYS, "`needs`")
    programs = []
    for entry in reader.sequence(fields["programs"], "programs") if "programs" in fields else []:
        if entry.kind == "map" and len(entry.items) == 1:
            name, wanted = entry.items[0]
            programs.append((reader.text(name, "programs") or "", condition(reader, wanted, name.text)))
        elif entry.kind == "map":
            reader.problem(
                entry, "an entry of `programs` is a name, or one `NAME: CONDITION`", 'write `- jq: ">=1.7"`, one entry each'
            )
        else:
            programs.append((reader.text(entry, "programs") or "", ""))
    variables = [reader.variable(entry, "env") or "" for entry in reader.sequence(fields["env"], "env")] if "env" in fields else []
    systems = [reader.word(entry, "os", SYSTEMS) or "" for entry in reader.sequence(fields["os"], "os")] if "os" in fields else []
    spec.needs_programs = (*spec.needs_programs, *programs)
    spec.needs_env = (*spec.needs_env, *variables)
    spec.needs_os = tuple(systems) if "os" in fields else spec.needs_os


def _limits(reader: Reader, node: Node, spec: ToolSpec) -> None:
    fields = reader.fields(node, LIMIT_KEYS, "`limits`")
    limits: dict[str, Any] = dict(spec.limits)
    for key in ("output", "memory"):
        if key in fields:
            limits[key] = reader.size(fields[key], key)
    if "spill" in fields:
        limits["spill"] = reader.flag(fields["spill"], "spill")
    if "concurrency" in fields:
        limits["concurrency"] = reader.integer(fields["concurrency"], "concurrency", 1)
    if "cpu" in fields:
        limits["cpu"] = reader.duration(fields["cpu"], "cpu")
    if "rate" in fields:
        limits["rate"] = _rate(reader, fields["rate"])
    spec.limits = {key: limit for key, limit in limits.items() if limit is not None}


def _rate(reader: Reader, node: Node) -> tuple[int, float] | None:
    """`60/60s`: calls in a window."""
    found = rate_of(node.text)
    if found is not None:
        return found
    without = "leave it out; a server that counts no calls is started with `--rate none`" if node.text == "none" else ""
    reader.unwanted(node, "rate", "calls and a duration, such as `60/60s`", without)
    return None


def _exits(reader: Reader, node: Node, spec: ToolSpec) -> None:
    exits = {0: "ok"}
    for key, value in reader.pairs(node, "exits"):
        code = key.text
        if not (0 < len(code) <= 3 and DIGITS.issuperset(code) and int(code) <= 255 and str(int(code)) == code):
            reader.problem(key, f"`exits` wants exit codes from 0 to 255, got `{code}`")
            continue
        exits[int(code)] = reader.word(value, "exits", EXITS) or "error"
    spec.exits = exits


def _sandbox(reader: Reader, node: Node, spec: ToolSpec) -> None:
    fields = reader.fields(node, SANDBOX_KEYS, "`sandbox`")
    sandbox: dict[str, Any] = {"write": ()}  # an empty one allows the least: it is not the same as none
    if "network" in fields and reader.word(fields["network"], "network", ("none",)):
        sandbox["network"] = "none"
    for key in ("read", "write"):
        if key in fields:
            sandbox[key] = reader.texts(fields[key], key)
    spec.sandbox = sandbox


def _roots(reader: Reader, node: Node, spec: ToolSpec) -> None:
    spec.roots = reader.texts(node, "roots")


def _deny(reader: Reader, node: Node, spec: ToolSpec) -> None:
    spec.deny = (*spec.deny, *reader.texts(node, "deny"))


def _tags(reader: Reader, node: Node, spec: ToolSpec) -> None:
    tags = reader.texts(node, "tags")
    for entry, tag in zip(node.items, tags):
        if " " in tag or "," in tag:
            reader.problem(entry, f"the tag `{tag}` holds a blank or a comma", "write one word")
    spec.tags = tags


def _example(reader: Reader, node: Node, root: str) -> dict[str, Any]:
    """One example as plain data: {run, says?, binds?, argv?, stdout?, exit?, place}."""
    fields = reader.fields(node, EXAMPLE_KEYS, "an example")
    example: dict[str, Any] = {"run": [], "place": (node.line, node.column)}
    if "run" in fields:
        example["run"] = _run(reader, fields["run"], root)
    elif node.kind == "map":
        reader.problem(node, "an example has no `run`", f"write `run: {root} …`, the line as typed")
    if "says" in fields:
        example["says"] = reader.text(fields["says"], "says", lines=True) or ""
    if "binds" in fields:
        reader.pairs(fields["binds"], "binds")
        example["binds"] = reader.data(fields["binds"])
    if "argv" in fields:
        example["argv"] = list(reader.texts(fields["argv"], "argv", empty=True, free=True))
    if "stdout" in fields:
        example["stdout"] = reader.text(fields["stdout"], "stdout", empty=True, free=True) or ""
    if "exit" in fields:
        example["exit"] = reader.integer(fields["exit"], "exit") or 0
    return example


def _run(reader: Reader, node: Node, root: str) -> list[str]:
    """`run`: a line as typed at a shell, or its words."""
    if node.kind == "list":
        words = list(reader.texts(node, "run", empty=True, free=True))
    else:
        line = reader.text(node, "run", free=True)
        if line is None:
            return []
        from kernel.words import split

        try:
            words = [word.text for word in split(line)]
        except ValueError as error:
            reader.problem(node, f"`run` is no line of words: {error}", "quote it as at a shell, or write a list of words")
            return []
    if words[:1] != [root]:
        reader.problem(node, f"`run` does not begin with the tool's name, `{root}`", f"write `run: {root} …`")
    return words


def read_environment(reader: Reader, node: Node) -> list[tuple[str, Node]]:
    """The (name, template) pairs of `env`, names checked."""
    found = []
    for key, value in reader.pairs(node, "env"):
        if is_variable(key.text):
            found.append((key.text, value))
        else:
            reader.problem(key, f"`{key.text}` is no name of an environment variable", "letters, digits and `_`, no digit first")
    return found
