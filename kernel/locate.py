"""Where manifests come from (manifest.md): the search path, name → file, who may have written it, what hides what.

A file's stem is its tool's name, so finding a tool asks each directory for one file and scans nothing.
"""

from __future__ import annotations

from kernel import environment, system
from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_NAME = 40
_FIRST = frozenset("abcdefghijklmnopqrstuvwxyz")
_REST = _FIRST | frozenset("0123456789_-")
_TYPE, _REGULAR, _DIRECTORY, _LINK = 0o170000, 0o100000, 0o040000, 0o120000
_OTHERS_WRITE = 0o002


class Directory:
    """One directory of the search path.

    ``base`` is its parent, "the directory that holds `tools.d/`". ``origin`` is `--tools`, `KERNEL_TOOLS_PATH`,
    `project`, `user` or `shipped`. ``untrusted`` says why it is not searched ("" when it is); ``warning`` says the
    same where `CI=true` lets it be searched. ``judged`` is False where nobody's ownership is asked for.
    """

    __slots__ = ("base", "judged", "origin", "path", "untrusted", "warning")

    def __init__(self, path: str, origin: str, judged: bool = False) -> None:
        self.path = path
        self.base = system.dirname(path)
        self.origin = origin
        self.judged = judged
        self.untrusted = ""
        self.warning = ""

    @property
    def shipped(self) -> bool:
        """Whether it is the set that comes with the package."""
        return self.origin == "shipped"

    @property
    def of_project(self) -> bool:
        """Whether it is the project's, or named for this call: neither the user's own nor the set of the package."""
        return self.origin not in ("user", "shipped")

    def __repr__(self) -> str:
        return f"<Directory {self.path} {self.origin}{' untrusted' if self.untrusted else ''}>"


class Found:
    """A manifest file that was found.

    ``untrusted`` says why it may not be used ("" when it may), ``warning`` the same where `CI=true` lets it be used;
    ``broken`` says why it is no manifest (a wrong name, not a file), with ``hint``. ``hides`` are the files of the same
    name in later directories, ``hidden_by`` the one that wins over this one (both by ``scan`` only). ``status`` is its
    stat, after links; None where that failed.
    """

    warning = broken = hint = ""  # of nearly every file, so they cost nothing there: a list makes thousands
    hides: tuple[Found, ...] = ()
    hidden_by: Found | None = None

    def __init__(self, name: str, file: str, directory: Directory, status: system.stat_result | None) -> None:
        self.name = name
        self.file = file
        self.directory = directory
        self.status = status
        self.untrusted = directory.untrusted

    @property
    def base(self) -> str:
        """The directory that holds the `tools.d/` it stands in."""
        return self.directory.base

    def __repr__(self) -> str:
        return f"<Found {self.name} {self.file}>"


def is_name(name: str) -> bool:
    """Whether a text can be a tool's name: `^[a-z][a-z0-9_-]{0,39}$`."""
    return 0 < len(name) <= MAX_NAME and name[0] in _FIRST and _REST.issuperset(name)


def search_path(tools: Sequence[str] = (), cwd: str | None = None) -> list[Directory]:
    """The directories to search, in order, each once; untrusted ones are among them, marked.

    ``tools`` are those of `--tools`; relative ones, here and in the environment, start at ``cwd`` (by default the
    working directory). Raises E-FILE for a `--tools` that is no directory.
    """
    start = system.abspath(cwd) if cwd is not None else environment.working_directory()
    seen: set[tuple[int, int]] = set()
    out: list[Directory] = []

    def add(path: str, origin: str, judged: bool = False) -> bool:
        try:
            status = system.stat(path)
        except (OSError, ValueError):  # ValueError: a NUL byte
            return False
        if status.st_mode & _TYPE != _DIRECTORY:
            return False
        identity = (status.st_dev, status.st_ino)
        if identity not in seen:
            seen.add(identity)
            directory = Directory(path, origin, judged)
            if judged:
                _judge(directory, status)
            out.append(directory)
        return True

    for given in tools:
        if not given or not add(system.normpath(system.join(start, given)), "--tools"):
            hint = "`--tools` takes a directory that holds manifests"
            raise fail("E-FILE", f"`{given}` is no directory", hint=hint, got=given)
    for given in environment.variable("KERNEL_TOOLS_PATH").split(":"):
        if given:
            add(system.normpath(system.join(start, given)), "KERNEL_TOOLS_PATH")
    for place in _upward(start):
        add(system.join(place, "tools.d"), "project", judged=True)
    add(system.join(environment.config_directory(), "tools.d"), "user", judged=True)
    shipped = shipped_directory()
    if shipped:
        add(shipped, "shipped")
    return out


def _upward(start: str) -> Iterable[str]:
    """A directory and those above it, up to the first that holds `.git`, the home directory or a file-system boundary."""
    try:
        home = system.stat(environment.home())
        home_identity = (home.st_dev, home.st_ino)
    except (OSError, ValueError):
        home_identity = (-1, -1)
    try:
        here = system.stat(start)
    except OSError:
        return
    place = start
    while True:
        yield place
        above = system.dirname(place)
        if above == place or (here.st_dev, here.st_ino) == home_identity or _exists(system.join(place, ".git")):
            return
        try:
            there = system.stat(above)
        except OSError:
            return
        if there.st_dev != here.st_dev:
            return
        place, here = above, there


def _exists(path: str) -> bool:
    try:
        system.lstat(path)
    except OSError:
        return False
    return True


def named(path: str) -> Directory:
    """A directory that somebody names outright: whatever it is called, nobody's ownership is asked for."""
    return Directory(system.abspath(path), "--tools")


def at(path: str) -> Found:
    """A manifest by its file's path, judged by its name and kind only."""
    file = system.abspath(path)
    stem, dot, ending = system.basename(file).rpartition(".")
    directory = named(system.dirname(file))
    try:
        status = system.lstat(file)
    except OSError as error:
        raise fail("E-FILE", f"`{path}` cannot be read: {error.strerror}") from None
    found = _look(stem if dot else ending, file, directory, status)
    if found is None:
        raise fail("E-FILE", f"`{path}` is a directory", hint="name a manifest")
    if ending != "yaml" or not is_name(stem):
        _misnamed(found, stem if dot else ending, ending if dot else "")
    return found


def shipped_directory() -> str:
    """The set that comes with the package: inside it, or beside it in a checkout; "" where there is none."""
    package = system.dirname(system.abspath(__file__))
    for path in (system.join(package, "tools.d"), system.join(system.dirname(package), "tools.d")):
        if system.isdir(path):
            return path
    return ""


def is_shipped(name: str, file: str) -> bool:
    """Whether a file is the manifest of that name which comes with the package; where none does, any file is taken for it."""
    shipped = shipped_directory()
    return not shipped or file == system.join(shipped, f"{name}.yaml")


def hidden_shipped_file(found: Found) -> str:
    """The shipped manifest that a manifest from elsewhere hides, which takes `replaces: NAME`; "" for none."""
    shipped = shipped_directory()
    if found.directory.shipped or not shipped:
        return ""
    path = system.join(shipped, f"{found.name}.yaml")
    try:
        status = system.stat(path)
    except OSError:
        return ""
    return "" if found.status is not None and system.samestat(status, found.status) else path


def is_copy(file: str, other_file: str) -> bool:
    """Whether two files have the same content: a copy of a manifest hides nothing (a checkout of the kernel is full of them)."""
    try:
        with open(file, "rb") as one, open(other_file, "rb") as other:
            return one.read() == other.read()
    except OSError:
        return False


def _judge(directory: Directory, status: system.stat_result) -> None:
    reason = distrust(status)
    if not reason:
        return
    if _is_safe(status):
        directory.judged = False
    elif environment.variable("CI") == "true":
        directory.warning = reason
    else:
        directory.untrusted = reason


def distrust(status: system.stat_result) -> str:
    """Why a file may have been written by somebody else, "" when it cannot."""
    owner = status.st_uid
    if owner != 0 and owner != system.geteuid():
        return f"it is owned by user {status.st_uid}, neither you nor root"
    if status.st_mode & _OTHERS_WRITE:
        return "everybody may write to it"
    return ""


def _is_safe(status: system.stat_result) -> bool:
    """Whether `KERNEL_SAFE_TOOLS` lists the directory."""
    for path in environment.variable("KERNEL_SAFE_TOOLS").split(":"):
        if path.startswith("/"):
            try:
                if system.samestat(system.stat(path), status):
                    return True
            except (OSError, ValueError):
                pass
    return False


def notices(directories: Iterable[Directory]) -> list[str]:
    """One line for stderr for each directory that is not searched, or is only because of `CI=true`."""
    lines = []
    for directory in directories:
        if directory.untrusted:
            lines.append(f"`{directory.path}` is not searched: {directory.untrusted}")
        elif directory.warning:
            lines.append(f"`{directory.path}` is searched because of `CI=true`: {directory.warning}")
    return lines


def unlisted(directories: Iterable[Directory]) -> list[str]:
    """One line for stderr for each directory whose files cannot be listed (mode 0711: a call by name still finds them)."""
    lines = []
    for directory in directories:
        try:
            system.scandir(directory.path).close()
        except OSError as error:
            lines.append(f"the tools of `{directory.path}` cannot be listed: {error.strerror}")
    return lines


def find(name: str, directories: Iterable[Directory]) -> Found | None:
    """The manifest that owns a name: the first in order, broken and untrusted ones included. None when there is none.

    Raises E-FILE for a directory that may not be searched: the owner of the name could be there.
    """
    if not is_name(name):
        return None
    for directory in directories:
        if directory.untrusted:
            continue
        file = f"{directory.path}/{name}.yaml"
        try:
            status = system.lstat(file)
        except PermissionError as error:
            hint = "it needs permission to read and enter: `chmod u+rx`"
            raise fail("E-FILE", f"`{directory.path}` cannot be searched for `{name}`: {error.strerror}", hint=hint) from None
        except OSError:
            continue
        found = _look(name, file, directory, status)
        if found is not None:
            return found
    return None


def _look(name: str, file: str, directory: Directory, status: system.stat_result) -> Found | None:
    """What a directory entry is as a manifest; None for a folder."""
    mode = status.st_mode & _TYPE
    if mode == _LINK:
        try:
            status = system.stat(file)
        except OSError as error:
            found = Found(name, file, directory, None)
            found.broken = f"the link leads nowhere: {error.strerror}"
            return found
        mode = status.st_mode & _TYPE
    if mode == _DIRECTORY:
        return None
    found = Found(name, file, directory, status)
    if mode != _REGULAR:
        found.broken = "it is no regular file"
    elif directory.judged and (reason := distrust(status)):
        if directory.untrusted:
            pass
        elif environment.variable("CI") == "true":
            found.warning = reason
        else:
            found.untrusted = reason
    return found


def scan(directories: Iterable[Directory]) -> list[Found]:
    """Every manifest of the directories, sorted by name, a winner before what it hides; misnamed ones are broken.

    Files in an untrusted directory are listed as untrusted and own no name. Dot files, `*~`, folders and files with
    other endings than `.yaml` and `.yml` are left out.
    """
    winners: dict[str, Found] = {}
    hidden: dict[str, list[Found]] = {}
    out: list[Found] = []
    for directory in directories:
        try:
            with system.scandir(directory.path) as entries:
                listed = [(entry.name, entry) for entry in entries]
        except OSError:
            continue
        prefix = f"{directory.path}/"
        for filename, entry in listed:
            stem, dot, ending = filename.rpartition(".")
            if filename[0] == "." or not dot or (ending != "yaml" and ending.lower() not in ("yaml", "yml")):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone since
            found = _look(stem, prefix + filename, directory, status)
            if found is None:
                continue
            out.append(found)
            if ending != "yaml" or not is_name(stem):
                _misnamed(found, stem, ending)
            elif directory.untrusted:
                continue
            elif stem in winners:
                found.hidden_by = winners[stem]
                hidden.setdefault(stem, []).append(found)
            else:
                winners[stem] = found
    for name, files in hidden.items():
        winners[name].hides = tuple(
            [file for file in files if not (file.directory.shipped and is_copy(winners[name].file, file.file))]
        )
    out.sort(key=_name)  # stable: the order of the directories stays
    return out


def _name(found: Found) -> str:
    return found.name


def _misnamed(found: Found, stem: str, ending: str) -> None:
    right = stem.lower().replace(" ", "_").replace(".", "_")
    if ending != "yaml":
        found.broken = "a manifest's file ends in `.yaml`" + (f", not `.{ending}`" if ending else "")
    else:
        found.broken = f"`{stem}` is no tool's name: a small letter, then small letters, digits, `_` or `-`, at most {MAX_NAME}"
    if not is_name(right):
        import unicodedata

        right = unicodedata.normalize("NFKD", right).encode("ascii", "ignore").decode()
        right = "".join([letter if letter in _REST else "_" for letter in right]).lstrip("_-0123456789")[:MAX_NAME].rstrip("_-")
    found.hint = f"rename it to `{right}.yaml`" if is_name(right) else "rename it to a name such as `my_tool.yaml`"
