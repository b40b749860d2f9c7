"""Where an argv hands a placeholder to an interpreter as program text (running.md X1).

Programs are known by base name and looked for behind wrappers too. No list is complete: what is found here is
refused, what is not found is not thereby safe.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Word:
    """One argv item as it is known at load: ``lead`` is its literal text up to the first placeholder in it.

    ``names`` are the params in it, () for a literal. ``optional`` words may be absent from the argv.
    """

    __slots__ = ("lead", "names", "optional", "where")

    def __init__(self, lead: str, names: tuple[str, ...] = (), where: Any = None, optional: bool = False) -> None:
        self.lead = lead
        self.names = names
        self.where = where
        self.optional = optional

    @property
    def is_option(self) -> bool:
        return len(self.lead) > 1 and self.lead[0] == "-"


class Language:
    """How an interpreter is told its program: letters and long names of the options whose value is program text,
    letters of other options that take a word, and letters that name a program file."""

    __slots__ = ("files", "letters", "longs", "values")

    def __init__(self, letters: str, longs: str = "", values: str = "", files: str = "") -> None:
        self.letters = letters
        self.longs = tuple(longs.split())
        self.values = values
        self.files = files


_SHELL = Language("c", "--command --init-command -command -encodedcommand -c", "oO")
_AWK = Language("e", "--source", "Fviloj", "fE")
_SED = Language("e", "--expression", "l", "f")
_LANGUAGES = {
    **dict.fromkeys("sh bash dash zsh ksh mksh ash fish csh tcsh yash rbash pwsh powershell nu xonsh elvish".split(), _SHELL),
    **dict.fromkeys("awk gawk mawk nawk bwk".split(), _AWK),
    **dict.fromkeys("sed gsed".split(), _SED),
    **dict.fromkeys("python pypy ipython".split(), Language("c", "", "WXQ", "m")),
    **dict.fromkeys("node nodejs bun".split(), Language("ep", "--eval --print -pe", "rC")),
    **dict.fromkeys("lua luajit".split(), Language("e", "", "l")),
    **dict.fromkeys("R Rscript".split(), Language("e", "", "fg")),
    **dict.fromkeys("mysql mariadb".split(), Language("e", "--execute", "uhPSD")),
    "deno": Language("", "eval", ""),
    "elixir": Language("e", "--eval --rpc-eval", "rS"),
    "emacs": Language("", "--eval --execute -eval", "l"),
    "expect": Language("c", "", ""),
    "gdb": Language("", "-ex --eval-command -iex", "x"),
    "ghc": Language("e", "", ""),
    "groovy": Language("e", "", "c"),
    "guile": Language("c", "", "lL"),
    "julia": Language("eE", "--eval --print", "LJptC"),
    "make": Language("", "--eval", "CfI"),
    "osascript": Language("e", "", "l"),
    "perl": Language("eE", "", "I"),
    "php": Language("rBREF", "--run --process-begin --process-code --process-end", "dcz", "f"),
    "psql": Language("c", "--command", "dhpUvFPR", "f"),
    "ruby": Language("e", "", "IrCKT"),
    "scala": Language("e", "", ""),
    "vim": Language("c", "--cmd", "uU"),
}
_SCRIPT_IS_OPERAND = (_AWK, _SED)

# program: (letters of options that take a word, operands before the command)
_WRAPPERS = {
    "env": ("uC", 0),
    "nice": ("n", 0),
    "ionice": ("cnp", 0),
    "timeout": ("sk", 1),
    "sudo": ("ugUhpCDRTrt", 0),
    "doas": ("uC", 0),
    "stdbuf": ("ioe", 0),
    "time": ("fo", 0),
    "xargs": ("adEILnPs", 0),
    "chroot": ("", 1),
    "taskset": ("", 1),
    "chrt": ("TPD", 1),
    "exec": ("a", 0),
    **dict.fromkeys("nohup setsid command builtin busybox toybox caffeinate unbuffer fakeroot".split(), ("", 0)),
}
_MAX_CHAIN = 32
# The command of these stands behind options of many kinds; every interpreter's name in them is looked at.
_LOOSE = frozenset(
    "docker podman nerdctl kubectl oc nsenter unshare systemd-run firejail bwrap strace ltrace gdbserver valgrind setpriv "
    "runuser su script flock tini dumb-init uv poetry pipenv npx bundle conda mamba nix nix-shell tmux screen setarch".split()
)
_TAKES_COMMAND_TEXT = frozenset({"su", "runuser", "script", "flock"})  # by `-c`
_JOINS_TO_SHELL = frozenset({"watch", "parallel", "eval", "at", "batch"})
_FIND_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_SQLITE_VALUES = frozenset("-init -separator -newline -nullvalue -mmap -vfs -maxsize -key -hexkey -textkey".split())
_SAFE = {"sed": ("--sandbox",), "awk": ("--sandbox", "-S"), "sqlite3": ("-safe", "--safe")}


def is_hook(variable: str) -> bool:
    """Whether an environment variable makes loaders or interpreters run something: it takes no placeholder."""
    return variable in ("PATH", "NODE_OPTIONS", "BASH_ENV") or variable.startswith(("LD_", "DYLD_", "PYTHON", "GIT_"))


def program_text(words: Sequence[Word], stdin: bool = False, depth: int = 0) -> list[tuple[Word, str]]:
    """The words that hand a placeholder over as program text, each with what reads it.

    ``words[0]`` is the command. ``stdin`` says that the standard input is a template that names a param; a breach
    there is reported at ``words[0]``.
    """
    if depth > _MAX_CHAIN:
        return _too_long(words)
    name = words[0].lead.rpartition("/")[2].removesuffix(".exe")
    bare = name if name in _LANGUAGES else name.rstrip("0123456789.-")
    rest = words[1:]
    if name in ("find", "gfind", "bfs"):
        return _find(rest, depth)
    if bare == "sqlite":
        return _sqlite(words, stdin)
    if name in ("ssh", "autossh"):
        return _ssh(rest)
    if name in _JOINS_TO_SHELL:
        return [(word, f"the shell that `{name}` starts") for word in rest if word.names]
    if name in _WRAPPERS:
        return _wrapped(name, rest, stdin, depth)
    if bare in _LANGUAGES:
        return _interpreter(bare, _LANGUAGES[bare], words, stdin)
    if name in _LOOSE:
        return _loose(name, rest, depth)
    return []


def _loose(name: str, rest: Sequence[Word], depth: int) -> list[tuple[Word, str]]:
    """Behind a program whose command stands anywhere: whatever an interpreter's name is followed by."""
    found = _command_text(name, rest) if name in _TAKES_COMMAND_TEXT else []
    known = []
    for index, word in enumerate(rest):
        base = word.lead.rpartition("/")[2].rstrip("0123456789.-")
        if not word.names and (base in _LANGUAGES or base in _WRAPPERS):
            known.append(index)
    if len(known) > _MAX_CHAIN:
        return _too_long(rest)
    for index in known:
        inner = program_text(rest[index:], depth=depth + _MAX_CHAIN // 2)
        found += [entry for entry in inner if entry not in found]
    return found


def _too_long(words: Sequence[Word]) -> list[tuple[Word, str]]:
    """Every placeholder of an argv that names too many programs to be judged."""
    return [(word, f"a chain of more than {_MAX_CHAIN} programs") for word in words if word.names]


def _takes_text(language: Language, lead: str) -> int:
    """How an option word asks for program text: -1 not at all, 0 in the next word, 1 attached to itself."""
    option, equals, _ = lead.partition("=")
    if option.lower() in language.longs:
        return 1 if equals else 0
    if lead.startswith("--"):
        return -1
    for index, letter in enumerate(lead[1:], 1):
        if letter in language.letters:
            return 1 if index + 1 < len(lead) and language is not _SHELL else 0
        if letter in language.values + language.files:
            return -1
    return -1


def _takes_value(letters: str, lead: str) -> bool:
    """Whether an option word takes the next word: its first letter that takes one is its last."""
    if lead.startswith("--"):
        return False
    for index, letter in enumerate(lead[1:], 1):
        if letter in letters:
            return index + 1 == len(lead)
    return False


def _interpreter(name: str, language: Language, words: Sequence[Word], stdin: bool) -> list[tuple[Word, str]]:
    found: list[tuple[Word, str]] = []
    reads = f"`{name}` as program text"
    safe = _SAFE.get("sed" if language is _SED else "awk" if language is _AWK else "", ())
    rest = words[1:]
    operands: list[Word] = []
    has_program = False
    reads_input = False  # a shell's `-s`
    pending = False  # the next word that is no option is program text
    index = 0
    while index < len(rest):
        word = rest[index]
        index += 1
        reads_input = reads_input or (language is _SHELL and word.is_option and word.lead[1] != "-" and "s" in word.lead)
        if word.lead in safe and not word.names and not word.optional:
            return []
        if pending and not (language is _SHELL and word.is_option and not word.names):
            pending = False
            if word.names:
                found.append((word, reads))
            continue
        if word.is_option or (word.lead in language.longs and not operands):
            how = _takes_text(language, word.lead)
            if how >= 0 and word.names:
                found.append((word, reads))
            elif how == 0:
                pending = True
            has_program = has_program or (how >= 0 and not word.optional)
            if how < 0 and not word.names:
                if _takes_value(language.files, word.lead):
                    has_program = has_program or not word.optional
                    if language not in _SCRIPT_IS_OPERAND:
                        return found  # the words behind belong to the program
                    index += 1
                elif _takes_value(language.values, word.lead) or (
                    word.lead.startswith("--")
                    and "=" not in word.lead
                    and index < len(rest)
                    and not rest[index].is_option
                    and not rest[index].names
                ):
                    index += 1
            continue
        operands.append(word)
        if language not in _SCRIPT_IS_OPERAND:
            break  # the program's file: the words behind are its own
    if language in _SCRIPT_IS_OPERAND:
        if not has_program and operands and operands[0].names:
            found.append((operands[0], reads))
        return found
    if stdin and not has_program and (reads_input or not [word for word in operands if word.lead != "-"]):
        found.append((words[0], f"`{name}` as program text on its standard input"))
    return found


def _wrapped(name: str, rest: Sequence[Word], stdin: bool, depth: int) -> list[tuple[Word, str]]:
    """The command behind a wrapper, and the wrapper's own ways to name one."""
    letters, before = _WRAPPERS[name]
    found: list[tuple[Word, str]] = []
    index = 0
    while index < len(rest):
        word = rest[index]
        if name == "env" and not word.is_option and "=" in word.lead:
            if word.names and is_hook(word.lead.partition("=")[0]):
                found.append((word, f"`{word.lead.partition('=')[0]}`, which makes programs load code"))
        elif word.is_option:
            if name == "env" and (word.lead.startswith("--split-string") or (not word.lead.startswith("--") and "S" in word.lead)):
                texts = [word, *rest[index + 1 : index + 2]]
                return [*found, *[(text, "`env` as a command line") for text in texts if text.names]]
            if not word.names and _takes_value(letters, word.lead):
                index += 1
        elif before:
            before -= 1
        elif word.names:
            return [*found, (word, f"`{name}` as the command")]
        else:
            return [*found, *program_text(rest[index:], stdin, depth + 1)]
        index += 1
    return found


def _command_text(name: str, rest: Sequence[Word]) -> list[tuple[Word, str]]:
    """`-c TEXT` anywhere in the words of su, script or flock."""
    found = []
    for index, word in enumerate(rest):
        option = word.lead.partition("=")[0]
        if option == "--command" or (word.is_option and not word.lead.startswith("--") and "c" in word.lead):
            found += [(text, f"`{name}` as a command") for text in [word, *rest[index + 1 : index + 2]] if text.names]
    return found


def _find(rest: Sequence[Word], depth: int) -> list[tuple[Word, str]]:
    found: list[tuple[Word, str]] = []
    index = 0
    while index < len(rest):
        word = rest[index]
        index += 1
        if word.lead not in _FIND_EXECUTES or word.names:
            continue
        command = []
        while index < len(rest) and (rest[index].names or rest[index].lead not in (";", "+")):
            command.append(rest[index])
            index += 1
        if command and command[0].names:
            found.append((command[0], f"`find {word.lead}` as the command"))
        elif command:
            found += program_text(command, depth=depth + 1)
    return found


def _sqlite(words: Sequence[Word], stdin: bool) -> list[tuple[Word, str]]:
    if any(word.lead in _SAFE["sqlite3"] and not word.optional for word in words):
        return []
    found: list[tuple[Word, str]] = []
    operands = 0
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if word.is_option:
            if word.lead.lstrip("-") == "cmd":
                if index < len(words) and words[index].names:
                    found.append((words[index], "`sqlite3` as a script"))
                index += 1
            elif "-" + word.lead.lstrip("-") in _SQLITE_VALUES:
                index += 1
            continue
        operands += 1
        if operands > 1 and word.names:
            found.append((word, "`sqlite3` as a script"))
    if stdin and operands < 2:
        found.append((words[0], "`sqlite3` as a script on its standard input"))
    return found


def _ssh(rest: Sequence[Word]) -> list[tuple[Word, str]]:
    """`ssh HOST WORDS` joins the words for the remote shell; `-o` can name a command."""
    found: list[tuple[Word, str]] = []
    host = False
    index = 0
    while index < len(rest):
        word = rest[index]
        index += 1
        if host:
            if word.names:
                found.append((word, "the shell that `ssh` starts"))
        elif word.is_option:
            value = rest[index] if _takes_value("BbcDEeFIiJLlmOopQRSWw", word.lead) and index < len(rest) else None
            if word.lead[1] in "oF":
                found += [
                    (text, "`ssh` as options, which can name commands") for text in (word, value) if text is not None and text.names
                ]
            index += value is not None
        else:
            host = True
    return found
