"""What may stand at the cursor: commands, what a tool's manifest says of its words, files, variables; and what is wanted."""

from __future__ import annotations

import os

from kernel import words
from kernel.bind import bind
from kernel.export import completion
from kernel.present import manual
from kernel.shell import informing, own_words
from kernel.shell.data import text_of
from kernel.shell.glance import Glance
from kernel.shell.names import Names, is_private, parsed, value
from kernel.spec import first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kernel.shell.glance import Piece
    from kernel.spec import ParamSpec, ToolSpec

KERNEL = "kernel"
PATIENCE = 2.0  # seconds that another program has for an answer
STAND_IN = "0"  # for a word whose value is not known
MOST = 2000  # candidates of one question
_SPECIAL = frozenset(" \t\n'\"\\$`|&;<>()*?[]{}!~#")
_NAMING = frozenset(("help", "type", "which", "command"))
_JOBS = frozenset(("fg", "bg", "jobs", "wait", "kill"))


class Candidate:
    """``rest`` is what to insert at the cursor, ``shown`` what to list, ``says`` what it means (asked for when shown)."""

    __slots__ = ("_says", "rest", "shown")

    def __init__(self, rest: str, shown: str, says: str | Callable[[], str] = "") -> None:
        self.rest = rest
        self.shown = shown
        self._says = says

    @property
    def says(self) -> str:
        return self._says if isinstance(self._says, str) else self._says()


class Offering:
    """The candidates at the cursor, and a hint: what is wanted there, never inserted."""

    __slots__ = ("candidates", "hint")

    def __init__(self, candidates: Iterable[Candidate] = (), hint: str = "") -> None:
        self.candidates = list(candidates)
        self.hint = hint


class _Typed:
    """The word that is begun: as written, what is open in it, and its value so far."""

    def __init__(self, written: str, quote: str, text: str) -> None:
        self.written = written
        self.quote = quote
        self.text = text

    def rest(self, full: str, done: bool = True) -> str:
        """What to insert for a value that continues the word; ``done`` closes the quote and adds a blank."""
        rest = full[len(self.text) :]
        if self.quote == "'":
            rest = rest.replace("'", "'\\''")
        elif self.quote == '"':
            rest = "".join([f"\\{each}" if each in '"$`\\' else each for each in rest])
        elif not self.quote:
            if not rest.isprintable():
                rest = words.quote(rest)
            else:
                rest = "".join([f"\\{each}" if each in _SPECIAL and (each != "~" or not self.written) else each for each in rest])
        return rest + (self.quote[-1:] if self.quote in ("'", '"', "$'") else "") + " " if done else rest


def offering(text: str, names: Names) -> Offering:
    """What may stand at the end of the text in front of the cursor."""
    glance = Glance(text)
    piece, quote = glance.begun, glance.quote
    if quote in ("#", "<<", "$(("):
        return Offering()
    written = text[piece.start :] if piece is not None else ""
    variable = _variable(written, quote, names)
    if variable is not None:
        return variable
    if piece is not None and piece.kind == "assignment":
        written = written[written.index("=") + 1 :]
    word = parsed(written, quote) if written else None
    known = value(word, names.evaluator.state) if word is not None else "" if not written else None
    if known is None:
        return Offering()
    typed = _Typed(written, quote, known)
    kind = piece.kind if piece is not None else "argument" if glance.here.words else "command"
    if kind == "command":
        return _commands(typed, names)
    if kind in ("assignment", "target", "word"):
        return Offering(_files(typed, known, ""))
    return _arguments(glance, piece, typed, names)


def _variable(written: str, quote: str, names: Names) -> Offering | None:
    """The variables, where the word ends in `$name` or `${name`."""
    if quote == "'":
        return None
    at = max(written.rfind("$"), written.rfind("${"))
    if at < 0 or written[at - 1 : at] == "\\":
        return None
    begun = written[at + 1 :]
    brace = begun[:1] == "{"
    name = begun[1:] if brace else begun
    if (name and not (name.replace("_", "a").isalnum() and name.isascii())) or (brace and quote not in ("${", '"')):
        return None
    state = names.evaluator.state
    found = []
    for variable in sorted(state.variables):
        if variable.startswith(name):
            shown = text_of(state.variables[variable]).replace("\n", " ")[:60]
            says = "" if is_private(variable) else shown
            found.append(Candidate(variable[len(name) :] + ("}" if brace else ""), f"${variable}", says))
    return Offering(found)


def _commands(typed: _Typed, names: Names) -> Offering:
    if "/" in typed.text:
        return Offering(_files(typed, typed.text, "programs"))
    found = []
    for name, kind in names.commands(typed.text)[:MOST]:
        found.append(Candidate(typed.rest(name), name, _about(name, kind, names)))
    return Offering(found)


def _about(name: str, kind: str, names: Names) -> str | Callable[[], str]:
    if kind == "word of the shell":
        return informing.USAGE[name][1] if name in informing.USAGE else kind
    if kind != "tool":
        return kind

    def said() -> str:
        spec = names.spec(name)
        return "" if spec is None else first_sentence(spec.description)

    return said


def _arguments(glance: Glance, piece: Piece | None, typed: _Typed, names: Names) -> Offering:
    before = [each for each in glance.here.words if each is not piece]
    given = [value_of(glance, each, names) for each in before]
    name, *rest = given
    alias = names.evaluator.state.aliases.get(name)
    if alias is not None:
        name, *rest = [*[word.text for word in _split(alias)], *rest] or [""]
    if name in own_words.TABLE:
        return _own(name, rest, typed, names)
    spec = names.spec(name)
    if spec is not None:
        return _of_tool(spec, rest, typed, names)
    program = names.evaluator.tools.program(name) if name == KERNEL else ""
    return _of_kernel(program, rest, typed) if program else Offering(_files(typed, typed.text, ""))


def _of_kernel(program: str, given: list[str], typed: _Typed) -> Offering:
    """What the kernel's own command says of its words, in the form that it has for other shells' scripts."""
    import subprocess

    asked = [program, "completion", "--words", "bash", *given, typed.text]
    try:
        answer = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return Offering()
    first, *lines = answer.stdout.decode("utf-8", "surrogateescape").split("\n")
    source, prefix, hint = [*first.split("\t"), "", ""][:3]
    found = []
    for line in lines:
        text, _, says = line.partition("\t")
        if text:
            found.append(Candidate(typed.rest(prefix + text), text, says))
    if source in ("files", "dirs"):
        found += _files(typed, typed.text[len(prefix) :], source)
    return Offering(found, hint)


def _split(text: str) -> list[words.Word]:
    try:
        return words.split(text)
    except words.WordsError:
        return []


def value_of(glance: Glance, piece: Piece, names: Names) -> str:
    """The value of a word of the text, as far as it is known."""
    word = parsed(glance.text[piece.start : piece.end])
    found = value(word, names.evaluator.state) if word is not None else None
    return STAND_IN if found is None else found


def _of_tool(spec: ToolSpec, given: list[str], typed: _Typed, names: Names) -> Offering:
    offer = completion.offer(spec, given, typed.text)
    found = []
    leaf = bind(spec, given).spec if offer.candidates else spec
    for text, said in offer.matching(typed.text):
        full = offer.prefix + text
        param = param_of(leaf, full) if full[:1] == "-" and not offer.prefix else None
        shown, says = (text, said) if param is None else (_shown_flag(param, full), flag_facts(param))
        found.append(Candidate(typed.rest(full), shown, says))
    if offer.source in ("files", "dirs"):
        found += _files(typed, typed.text[len(offer.prefix) :], offer.source)
    elif offer.source:
        known = _SOURCES[offer.source](names)
        begin = typed.text[len(offer.prefix) :]
        found += [Candidate(typed.rest(offer.prefix + text), text) for text in known if text.startswith(begin)]
    elif not found and not offer.candidates and not offer.hint:
        found += _files(typed, typed.text, "") if typed.text[:1] != "-" else []
    return Offering(found, offer.hint)


def param_of(spec: ToolSpec, spelling: str) -> ParamSpec | None:
    """The param of a flag's spelling, negations included."""
    index = spec.spellings.get(spelling)
    if index is not None:
        return spec.params[index]
    return next((param for param in spec.params if spelling in param.negations), None)


def _shown_flag(param: ParamSpec, spelling: str) -> str:
    names = manual.flag_names(param)
    value_name = names[names.rindex(param.shown_spellings[-1]) + len(param.shown_spellings[-1]) :] if param.shown_spellings else ""
    return spelling if param.is_flag else spelling + value_name


def flag_facts(param: ParamSpec) -> str:
    """What a flag means, its type, range and default included, in one line."""
    said = first_sentence(param.description)
    facts = "; ".join([fact for fact in manual.facts_of(param) if not fact.startswith("matches ")])
    return f"{said} ({facts})".strip() if facts else said


def _own(name: str, given: list[str], typed: _Typed, names: Names) -> Offering:
    """The words of the shell's own commands."""
    state = names.evaluator.state
    usage = informing.USAGE.get(name, (name, ""))[0]
    known: Iterable[str]
    if name == "cd":
        return Offering(_files(typed, typed.text, "dirs"), usage)
    if name in _NAMING and typed.text[:1] != "-":
        if name == "help" and given and (spec := names.spec(given[0])) is not None:
            for word in given[1:]:
                spec = spec.child(word) or spec
            known = [text for text, _ in completion.subcommands(spec)]
        else:
            return Offering(_commands(typed, names).candidates, usage)
    elif name in ("export", "unset", "local", "read"):
        known = sorted(state.variables)
    elif name in ("alias", "unalias"):
        known = sorted(state.aliases)
    elif name == "set" and given[-1:] == ["-o"]:
        known = sorted(state.options)
    elif name in _JOBS:
        known = [f"%{number}" for number in names.evaluator.jobs.table]
    elif name == "trap" and given:
        from kernel.shell.signals import NAMES

        known = ["EXIT", *NAMES]
    else:
        return Offering(_files(typed, typed.text, ""), usage)
    return Offering([Candidate(typed.rest(text), text) for text in known if text.startswith(typed.text)], usage)


# What the system knows


def _files(typed: _Typed, begun: str, what: str) -> list[Candidate]:
    """The files that continue a path; ``what`` may be `dirs` or `programs` (and the directories on the way)."""
    directory, _, name = begun.rpartition("/")
    directory = f"{directory}/" if "/" in begun else ""
    found = []
    before = typed.text[: len(typed.text) - len(begun)]
    try:
        entries = sorted(os.scandir(directory or "."), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return []
    for entry in entries:
        if not entry.name.startswith(name) or (entry.name[:1] == "." and not name):
            continue
        try:
            is_directory = entry.is_dir()
        except OSError:
            is_directory = False
        if not is_directory and (what == "dirs" or (what == "programs" and not os.access(entry.path, os.X_OK))):
            continue
        full = before + directory + entry.name
        found.append(
            Candidate(typed.rest(f"{full}/", False), f"{entry.name}/", "directory")
            if is_directory
            else Candidate(typed.rest(full), entry.name)
        )
        if len(found) >= MOST:
            break
    return found


def _hosts(names: Names) -> list[str]:
    found: set[str] = set()
    for path, first in (("/etc/hosts", 1), (os.path.expanduser("~/.ssh/known_hosts"), 0)):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = [line.split("#")[0].split() for line in file]
        except OSError:
            continue
        for fields in lines:
            found.update(fields[first:] if first else fields[:1] and fields[0].split(","))
    return sorted(name for name in found if name[:1] not in ("|", "@", "["))


def _users(names: Names) -> list[str]:
    import pwd

    return sorted(entry.pw_name for entry in pwd.getpwall())


_SOURCES: dict[str, Callable[[Names], list[str]]] = {
    "hosts": _hosts,
    "users": _users,
    "tools": lambda names: names.evaluator.tools.names(),
}


def hint(text: str, names: Names) -> str:
    """What is wanted at the end of the text, "" where that is a command or nothing is known."""
    glance = Glance(text)
    if not glance.here.words or glance.begun is glance.here.words[0]:
        return ""
    return offering(text, names).hint
