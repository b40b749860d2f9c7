"""`kernel init [NAME] [-- CMD ARG…]`: writes a manifest to start from, and the call to try."""

from __future__ import annotations

import os

from kernel import environment, locate, strict_json, words
from kernel.commands import verb
from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound

SPEC = verb.verb(
    "init",
    "Write tools.d/NAME.yaml, a manifest to start from. A file that is there is never overwritten.",
    verb.operand("name", "The tool's name; left out, that of CMD, or `hello`."),
    verb.operand("command", "The command that the tool runs; `{word}` in it becomes a param.", repeatable=True, after=True),
    examples=(
        {"run": ["init", "hello"], "says": "A tool that greets."},
        {"run": ["init", "lines", "--", "wc", "-l", "{file}"], "says": "A tool of one required operand that runs `wc -l FILE`."},
    ),
)
EFFECT = (
    "# read: changes nothing; write: changes files or other state; destructive: may lose something, so it asks first.\n"
    "effect: read   # or write, destructive\n"
)
WORDS_OF_YAML = frozenset("true false null yes no on off y n".split())
GREETING = ["echo", "hello, {name}"]


def run(bound: Bound) -> int:
    """Writes the manifest if it passes its own check. Raises KernelError and writes nothing otherwise."""
    options = verb.finish(bound).values
    command = list(options["command"])
    name = options["name"] if "name" in options else _name_of(command)
    if not locate.is_name(name):
        hint = "a name is a small letter, then small letters, digits, `_` or `-`, at most 40"
        raise fail("E-MANIFEST", f"`{name}` is no name of a tool", hint=hint)
    file = os.path.join(environment.working_directory(), "tools.d", f"{name}.yaml")
    text, line = manifest_text(name, command or GREETING)
    _judge(name, file, text)
    _write(file, text)
    shown = words.quote(f"tools.d/{name}.yaml")
    call = words.join(["kernel", "call", *line])
    environment.write_out(f"wrote {shown}\n  try it:    {call}\n  change it: edit {shown}, then `kernel check`\n")
    return 0


def _name_of(command: list[str]) -> str:
    if not command:
        return "hello"
    name = os.path.basename(command[0]).partition(".")[0].lower()
    if not locate.is_name(name):
        hint = f"put one first: `kernel init NAME -- {words.join(command)}`"
        raise fail("E-REQUIRED", f"`{command[0]}` gives no name for the tool", hint=hint)
    return name


def manifest_text(name: str, command: list[str]) -> tuple[str, list[str]]:
    """The text of a manifest that runs the command, and a line of words to try it with.

    A `{word}` of the command becomes a required operand; without one, further operands go to its end.
    """
    command, joined = _joined(command)
    found = dict.fromkeys([place for word in command[1:] for place in _placeholders(word)])
    items = [_literal(command[0])] + [word if _placeholders(word) else _literal(word) for word in command[1:]]
    params = [_param(place, f"What stands for {place} in the command.") for place in found]
    if not found:
        items.append("{*}")
        said = f"    description: Further words for {_plain(command[0])}.\n"
        params = [f"  - name: words\n    positional: true\n    repeatable: true\n{said}"]
    line = [name, *["world" if place == "name" and command is GREETING else place for place in found]]
    filled = [_filled(item, dict(zip(found, line[1:]))) for item in items if item != "{*}"]
    shipped = locate.find(name, [place for place in locate.search_path() if place.shipped])
    return (
        f"description: {_yaml(_said(command))}\n"
        + EFFECT
        + (f"replaces: {name}   # the tool of that name that the kernel ships\n" if shipped else "")
        + (f"# {joined} is one word, so that no value is read as an option; a program may want two.\n" if joined else "")
        + f"exec: [{', '.join([_yaml(item) for item in items])}]\n"
        + "params:\n"
        + "".join(params)
        + f"examples:\n  - run: [{', '.join([_yaml(word) for word in line])}]\n"
        + f"    argv: [{', '.join([_yaml(item) for item in filled])}]\n"
    ), line


def _joined(command: list[str]) -> tuple[list[str], str]:
    """The command with `--name {word}` as `--name={word}`, and the first of these; "" where there is none.

    A program that takes no value there refuses the word, where two words would hand it a value as an option.
    """
    from kernel.lint import joined_value

    out = command[:1]
    first = ""
    for word in command[1:]:
        option = out[-1] if len(out) > 1 else ""
        name = word[1:].partition("}")[0]
        if option[:2] == "--" and _placeholders(word) and word.startswith(f"{{{name}}}") and not _placeholders(option):
            joined = joined_value(option, name)
            if joined:
                out[-1] = joined + word[len(name) + 2 :]
                first = first or _plain(out[-1])
                continue
        out.append(word)
    return (out, first) if first else (command, "")


def _said(command: list[str]) -> str:
    return "Say hello to somebody." if command is GREETING else f"Run {_plain(words.join(command))}."


def _param(name: str, description: str) -> str:
    return f"  - name: {_yaml(name)}\n    positional: true\n    required: true\n    description: {description}\n"


def _placeholders(word: str) -> list[str]:
    """The params that a word names; none where its braces are no template, or no name that a param can have."""
    from kernel import template

    try:
        found = template.placeholders(word)
    except template.TemplateError:
        return []
    from kernel.schema_reader import is_param_name

    return found if all(is_param_name(place) for place in found) else []


def _literal(word: str) -> str:
    return word.replace("{", "{{").replace("}", "}}")


def _filled(item: str, values: dict[str, str]) -> str:
    for place, value in values.items():
        item = item.replace(f"{{{place}}}", value)
    return item.replace("{{", "{").replace("}}", "}")


def _plain(text: str) -> str:
    """Text that a description may hold: no control or bidi characters."""
    return "".join([character if character.isprintable() else "?" for character in text])


def _yaml(text: str) -> str:
    """A scalar: bare where every YAML reads it as the same text, else in double quotes."""
    letters = [character for character in text if character not in "_./ "]
    bare = letters and text[0].isalpha() and all(letter.isascii() and letter.isalnum() for letter in letters)
    return text if bare and text[-1] != " " and text.lower() not in WORDS_OF_YAML else strict_json.dumps(text)


def _judge(name: str, file: str, text: str) -> None:
    from kernel import manifest, schema

    data = text.encode("utf-8", "surrogateescape")
    schema.compile_tool(manifest.read(data, file), file=file, base=os.path.dirname(os.path.dirname(file)), name=name)


def _write(file: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        raise fail("E-FILE", f"`{file}` is there already", hint="edit it, or choose another name") from None
    except OSError as error:
        raise fail("E-FILE", f"`{file}` cannot be written: {error.strerror}") from None
    try:
        environment.write_all(descriptor, text.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)
