"""`kernel completion SHELL` prints a script; the script calls back with `--words` for what may stand at the cursor."""

from __future__ import annotations

from kernel import environment, locate
from kernel.commands import VERBS, resolve, verb
from kernel.errors import KernelError, fail
from kernel.export import completion
from kernel.export.completion import Offer
from kernel.present.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.spec import ToolSpec

SHELLS = ("bash", "zsh", "fish")
_WORDS = verb.switch("words", "Print what may stand at the end of the words behind SHELL.")
_LINE = verb.operand("line", "With --words: the words so far.", repeatable=True)
_WORDS.hidden = _LINE.hidden = True  # for the scripts
SPEC = verb.verb(
    "completion",
    "Print the completion script of a shell, for its start file.",
    verb.operand("shell", "The shell.", required=True, choices=SHELLS),
    _LINE,
    _WORDS,
    flags="before-operands",
    examples=(
        {"run": ["completion", "bash"], "says": 'In ~/.bashrc: eval "$(kernel completion bash)"'},
        {"run": ["completion", "zsh"], "says": 'In ~/.zshrc, behind compinit: eval "$(kernel completion zsh)"'},
        {"run": ["completion", "fish"], "says": "In ~/.config/fish/config.fish: kernel completion fish | source"},
    ),
)
TOOL_VERBS = ("help", "show", "schema")  # their operands name a tool, then its subcommands
CALLS = ("call", "explain")  # the words behind the tool are the tool's


def run(bound: Bound) -> int:
    """Prints the script, or the candidates."""
    options = verb.finish(bound).values
    shell = options["shell"]
    if options["words"]:
        line = [_unquoted(word) for word in options["line"]] if shell != "zsh" else options["line"]
        _print(at_cursor(line[:-1], line[-1] if line else ""), line[-1] if line else "")
        return 0
    if options["line"]:
        raise fail("E-TOO-MANY", f"`{options['line'][0]}` is more than the name of a shell")
    name = f"kernel.export.completion_{shell}"
    script: str = getattr(__import__(name, fromlist=["SCRIPT"]), "SCRIPT")  # noqa: B009
    environment.write_out(script)
    return 0


def _print(found: Offer, current: str) -> None:
    """First `SOURCE TAB PREFIX TAB HINT`, then `TEXT TAB DESCRIPTION` for each candidate."""
    lines = [f"{found.source}\t{found.prefix}\t{printable(found.hint)}\n"]
    for text, said in found.matching(current):
        if text.isprintable():  # a line that a candidate would break, or an escape that a shell would insert, is none
            lines.append(f"{text}\t{printable(said)}\n")
    environment.write_out("".join(lines))


def _unquoted(word: str) -> str:
    """A word as the shell would read it; one that is still being quoted, without its quotes. Nothing is expanded."""
    out, quote, index = [], "", 0
    while index < len(word):
        character = word[index]
        if character == "\\" and quote != "'" and index + 1 < len(word):
            index += 1
            out.append(word[index])
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        else:
            out.append(character)
        index += 1
    return "".join(out)


def at_cursor(words: list[str], current: str) -> Offer:
    """What may stand behind the complete words of a `kernel` line where `current` is begun."""
    if not words:
        verbs = [(name, summary.removesuffix(".")) for name, (_, summary) in VERBS.items()]
        return Offer([*verbs, ("--help", "Show the verbs"), ("--version", "Show the version")], hint="VERB")
    entry = VERBS.get(words[0])
    if entry is None:
        return Offer()
    module_name = entry[0].partition(":")[0]
    __import__(module_name)
    import sys

    spec: ToolSpec = sys.modules[module_name].SPEC
    try:
        return _of_verb(spec, words[1:], current)
    except KernelError:
        return Offer()  # a tool that is unknown or broken has nothing to offer; the call says why


def _of_verb(spec: ToolSpec, words: list[str], current: str) -> Offer:
    from kernel.bind import bind

    bound = bind(spec, words)
    tool = bound.values.get("tool")
    if tool:
        typed = [tool, *bound.values.get("words", [])] if isinstance(tool, str) else list(tool)
        directories = locate.search_path(bound.values.get("tools", []))
        if spec.name in CALLS:
            if bound.values.get("exec"):
                return Offer(source="files")
            from kernel import store

            return completion.offer(store.by_name(typed[0], directories), typed[1:], current)
        if spec.name in TOOL_VERBS and not current.startswith("-"):
            return Offer(completion.subcommands(resolve.node(typed, directories)))
    found = completion.offer(spec, words, current)
    if found.source == "tools":
        from kernel.commands.catalogue import entries

        found.source = ""
        listed = entries(locate.search_path(bound.values.get("tools", [])))
        found.candidates = [(tool.name, tool.summary) for tool in listed if not tool.hidden]
        if spec.name == "help":
            found.candidates += [(name, summary.removesuffix(".")) for name, (_, summary) in VERBS.items()]
    return found
