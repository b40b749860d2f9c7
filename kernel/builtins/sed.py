"""sed: text edited by a script as it streams by."""

from __future__ import annotations

import os
import secrets
import stat

from kernel.builtins.guard import Failure, InputError, guarded, in_every_locale, is_utf8, raw, reason
from kernel.builtins.io import Io as Streams
from kernel.builtins.lines import close_input, read
from kernel.builtins.sed_input import Input, Output
from kernel.builtins.sed_run import Machine, Quit
from kernel.builtins.sed_script import Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound, Trace
    from kernel.builtins.io import Io
    from kernel.builtins.sed_script import Part


def usage(bound: Bound) -> None:
    """Failure for a script that is none. One that comes from a file in part is left until it is read."""
    parts = Parts(bound)
    if "in_place" in bound.values and not parts.files:
        raise Failure("no input files", 4, param="in_place")
    if not parts.names:
        in_every_locale(lambda utf8: script_of(bound, parts.texts, utf8))


@guarded(failure=4)
def run(bound: Bound, io: Io) -> int:
    """Status 1 for a file that holds no script, 2 for input that cannot be read, 4 for a script or an output; `q` gives its own."""
    values = bound.values
    utf8 = is_utf8(io.env)
    parts = Parts(bound)
    files = parts.files
    script = script_of(bound, parts.read(io), utf8)
    in_place = "in_place" in values
    end = b"\0" if values["null_data"] else b"\n"
    separate = in_place or bool(values["separate"])
    source = Input(io, files, end, separate=separate, unbuffered=bool(values["unbuffered"]))
    machine = Machine(
        io, script, source, quiet=bool(values["quiet"]), width=values.get("line_length", 70), encoding=_encoding(utf8)
    )
    try:
        if in_place:
            return Editor(bound, io, machine, source, files).run()
        status = stream(machine)
        return 2 if source.failed else status
    finally:
        machine.close()


def stream(machine: Machine) -> int:
    """Cycles until the input or the script ends: the script's status."""
    try:
        while machine.load():
            machine.cycle()
            machine.flush_queue()
    except Quit as end:
        machine.finish(end)
        machine.source.give_back()
        return max(end.status, 0)
    return 0


class Parts:
    """The parts of a script in the order they were typed, and what is left as the files to edit.

    ``texts`` are (file or "", text, word of the call or -1); ``names`` the files whose text is still to be read. A
    first operand may be the script.
    """

    def __init__(self, bound: Bound) -> None:
        values = bound.values
        self.files: list[str] = list(values["files"])
        typed = [trace for trace in bound.trace if trace.param in ("script", "file")]
        names = list(values["file"])
        if names and any(trace.param == "script" and not trace.spelling for trace in typed):
            script = next(trace for trace in typed if trace.param == "script" and not trace.spelling)
            self.files.insert(0, _typed(bound, script))  # with -f a first operand is a file
            typed.remove(script)
        self.texts: list[Part] = []
        for trace in typed:
            word = trace.words[-1]
            self.texts.append((names.pop(0), "", word) if trace.param == "file" else ("", _typed(bound, trace), word))
        if not any(trace.param == "script" for trace in typed) and bound.origins.get("script", "argv") != "argv":
            self.texts.append(("", values["script"], -1))
        self.texts += [(name, "", -1) for name in names]
        self.names = [name for name, _, _ in self.texts if name]
        if not self.texts:
            raise Failure("no script is given")

    def read(self, io: Io) -> list[Part]:
        """The parts with the texts of the files."""
        return [(name, _from_file(io, name) if name else text, word) for name, text, word in self.texts]


def script_of(bound: Bound, parts: list[Part], utf8: bool) -> Script:
    """The script of a call's parts. Failure for what is none."""
    values = bound.values
    return Script(
        [(name, raw(text).decode(*_encoding(utf8)), word) for name, text, word in parts],
        extended=bool(values["regexp_extended"]),
        posix=bool(values["posix"]),
        sandbox=bool(values["sandbox"]),
        utf8=utf8,
    )


def _encoding(utf8: bool) -> tuple[str, str]:
    return ("utf-8", "surrogateescape") if utf8 else ("latin-1", "strict")


def _typed(bound: Bound, trace: Trace) -> str:
    """The text of one occurrence: of a single param the binder keeps the last value, of -e each counts."""
    word = bound.words[trace.words[-1]]
    if len(trace.words) < 2 or trace.words[0] != trace.words[1]:
        return word
    return word.partition("=")[2] if word.startswith("--") else word[word.index("e") + 1 :]


def _from_file(io: Io, name: str) -> str:
    try:
        descriptor = io.stdin if name == "-" else os.open(io.path(name), os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Failure(f"couldn't open file {name}: {reason(error)}", 4) from None
    data = b""
    try:
        while chunk := read(descriptor):
            data += chunk
    except InputError as error:
        raise Failure(f"read error on {name}: {error}", 4) from None
    finally:
        close_input(io, descriptor)
    text = data.decode("utf-8", "surrogateescape")
    return text[:-1] if text.endswith("\n") else text


class Editor:
    """-i: each file by itself, its new content renamed over it when it is whole."""

    def __init__(self, bound: Bound, io: Io, machine: Machine, source: Input, files: list[str]) -> None:
        self.io = io
        self.machine = machine
        self.source = source
        self.suffix = str(bound.values["in_place"])
        self.files = files
        self.failed = 0

    def run(self) -> int:
        for name in self.files:
            path = self.io.path(name)
            try:
                info = os.stat(path)
                if not stat.S_ISREG(info.st_mode):
                    self.io.complain(f"couldn't edit {name}: not a regular file")
                    self.failed = 4
                    continue
                status = self.edit(name, path, info)
            except OSError as error:
                self.io.complain(f"can't read {name}: {reason(error)}")
                self.failed = self.failed or 2
                continue
            if status is not None:
                return status
        return self.failed

    def edit(self, name: str, path: str, info: os.stat_result) -> int | None:
        """One file; a status when the script has ended the run."""
        source, machine = self.source, self.machine
        reading = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        beside = os.path.join(os.path.dirname(path), f".sed{secrets.token_hex(6)}")
        writing = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        source.name, source.number, source.descriptor = name, 0, reading
        source.records, source.files = source.read_records(reading), []
        self.io.begin(name, reading)
        buffer = Streams(self.io.name, self.io.env, self.io.cwd, self.io.call, self.io.stdin, writing, self.io.stderr)
        machine.out = Output(buffer, writing, buffered=True)
        status: int | None = None
        try:
            try:
                while machine.load():
                    machine.cycle()
                    machine.flush_queue()
            except Quit as end:
                machine.finish(end)
                status = end.status if end.status >= 0 else None
            buffer.flush()
            os.fchmod(writing, stat.S_IMODE(info.st_mode))
            try:
                os.fchown(writing, info.st_uid, info.st_gid)
            except OSError:
                pass  # only root gives files away
            self.keep(name, path)
            os.rename(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
        finally:
            os.close(writing)
            source.close()
            source.ahead.clear()
        return status

    def keep(self, name: str, path: str) -> None:
        """The old content under its backup's name."""
        if not self.suffix:
            return
        os.replace(path, self.io.path(kept_as(name, self.suffix)))


def kept_as(name: str, suffix: str) -> str:
    """The name of the old content of an edited file; a suffix with `*` is the name itself, one with `/` a place."""
    head, base = os.path.split(name)
    kept = suffix.replace("*", base) if "*" in suffix else base + suffix
    return kept if "/" in kept else os.path.join(head, kept)
