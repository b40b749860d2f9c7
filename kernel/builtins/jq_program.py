"""A drop-in `jq`: jq's own command line, outputs, messages and exit statuses over libjq.

It needs a process of its own, because libjq cannot be interrupted from Python: SIGINT and SIGPIPE get their default
disposition, so Ctrl-C and a reader that went away end it as they end the program.

Exit statuses: 0; with `-e` 1 for a last output of false or null and 4 for none; 2 usage or files; 3 the filter does
not compile; 5 an uncaught error; what `halt_error` says. What only the real program can do is an error of status 2.
"""

from __future__ import annotations

import os
import sys

from kernel.builtins import jq_library
from kernel.builtins.jq_library import Jv, Library, Unavailable
from kernel.builtins.jq_options import USAGE, USAGE_TEXT, Options, Stop, refuse
from kernel.environment import is_terminal, variable, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

COMPILE, UNCAUGHT, UNAVAILABLE = 3, 5, 127
NULL_OUTPUT, NO_OUTPUT = -1, -4  # 1 and 4 with --exit-status, else 0
BUFFER = 65536


class Program:
    """One run of a filter over its inputs, writing as it goes."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.library = library = options.library
        self.state = library.jq_init()
        self.inputs = library.jq_util_input_init(None, None)
        self.flags = self._print_flags()
        names = options.names
        self.raw = bool(names & {"raw-output", "raw-output0", "join-output"})
        self.sequence = "seq" in names
        self.end = b"\0" if "raw-output0" in names else b"" if "join-output" in names else b"\n"
        self.each = "unbuffered" in names or is_terminal(1)
        self.pending: list[bytes] = []
        self.size = 0
        self.failure: OSError | None = None  # stdout cannot be written to

    def _print_flags(self) -> int:
        names = self.options.names
        flags = self.options.indent
        if "color-output" in names or (is_terminal(1) and not variable("NO_COLOR")):
            flags |= jq_library.PRINT_COLOR
        if "monochrome-output" in names:
            flags &= ~jq_library.PRINT_COLOR
        if "sort-keys" in names:
            flags |= jq_library.PRINT_SORTED
        if "ascii-output" in names:
            flags |= jq_library.PRINT_ASCII
        return flags

    def compile(self) -> bool:
        """Reads the filter and compiles it; libjq itself writes the errors to stderr. Raises Stop."""
        library, options = self.library, self.options
        colors = variable("JQ_COLORS")
        if colors and not library.jq_set_colors(os.fsencode(colors)):
            _complain(b"Failed to set $JQ_COLORS\n")
        if options.directories is None:
            places = [library.text(text) for text in (b"~/.jq", b"$ORIGIN/../lib/jq", b"$ORIGIN/../lib")]
        else:
            places = [library.jq_realpath(library.text(os.fsencode(text))) for text in options.directories]
        paths = library.jv_array()
        for place in places:
            paths = library.jv_array_append(paths, place)
        self._attribute(b"JQ_LIBRARY_PATH", paths)
        self._attribute(b"JQ_ORIGIN", library.text(b"."))
        text, origin = self._filter()
        self._attribute(b"PROGRAM_ORIGIN", library.jq_realpath(library.text(origin)))
        if options.unread:
            if b"ARGS" in text:
                raise refuse("jq: invalid JSON text passed to --jsonargs")
            _complain(b"jq: ignoring invalid JSON text passed to --jsonargs: the filter does not read $ARGS\n")
        named = options.named
        arguments = library.jv_object_set(library.jv_object(), library.text(b"positional"), options.positional)
        arguments = library.jv_object_set(arguments, library.text(b"named"), library.jv_copy(named))
        named = library.jv_object_set(named, library.text(b"ARGS"), arguments)
        return bool(library.jq_compile_args(self.state, text, named))

    def _attribute(self, name: bytes, value: Jv) -> None:
        self.library.jq_set_attr(self.state, self.library.text(name), value)

    def _filter(self) -> tuple[bytes, bytes]:
        """The filter's text and the directory that its imports are relative to."""
        options, library = self.options, self.library
        word = options.filter
        if word is None:
            if "from-file" in options.names or (is_terminal(0) and is_terminal(1)):
                raise Stop(USAGE, USAGE_TEXT)
            word = "."
        if "from-file" not in options.names:
            return os.fsencode(word) if word.strip() else b".", b"."  # until 1.8 an empty filter was the identity
        loaded = library.jv_load_file(os.fsencode(word), 1)
        if library.jv_get_kind(loaded) == jq_library.INVALID:
            raise Stop(USAGE, f"jq: {os.fsdecode(library.display(library.jv_invalid_get_msg(loaded)))}\n")
        text = library.string_bytes(loaded)
        if b"\0" in text:
            raise Stop(USAGE, "jq: program file contains NUL bytes\n")
        return text, os.path.dirname(os.fsencode(word)) or b"."

    def run(self) -> int:
        """Runs the compiled filter over all inputs; the exit status."""
        library, names = self.library, self.options.names
        self._connect()
        status, last = NO_OUTPUT, NO_OUTPUT
        if "null-input" in names:
            status = self.process(library.jv_null())
        else:
            while not library.jq_util_input_errors(self.inputs):
                value = library.jq_util_input_next_input(self.inputs)
                if library.jv_get_kind(value) == jq_library.INVALID:
                    if not library.jv_invalid_has_msg(library.jv_copy(value)):
                        break
                    message = library.display(library.jv_invalid_get_msg(value))
                    if not self.sequence:
                        status = UNCAUGHT
                        _complain(b"jq: parse error: " + message + b"\n")
                        break
                    _complain(b"jq: ignoring parse error: " + message + b"\n")
                    continue
                status = self.process(value)
                if status <= 0 and status != NO_OUTPUT:
                    last = status
                if library.jq_halted(self.state):
                    break
        if library.jq_util_input_errors(self.inputs):
            status = USAGE
        self.flush()
        if self.failure is not None:
            _complain(f"jq: error: writing output failed: {self.failure.strerror}\n".encode())
            status = USAGE
        if "exit-status" in names:
            return abs(last if status == NO_OUTPUT else status)
        return max(status, 0)

    def _connect(self) -> None:
        """Gives libjq its inputs and the places where `debug` and `stderr` write."""
        library, names = self.library, self.options.names
        if "raw-input" in names:
            parser = None
        else:
            parse = jq_library.PARSE_SEQ if self.sequence else 0
            if "stream" in names or "stream-errors" in names:
                parse |= jq_library.PARSE_STREAMING
            if "stream-errors" in names:
                parse |= jq_library.PARSE_STREAM_ERRORS
            parser = library.jv_parser_new(parse)
        library.jq_util_input_set_parser(self.inputs, parser, "slurp" in names)
        for file in self.options.files or ["-"]:
            library.jq_util_input_add_input(self.inputs, os.fsencode(file))
        library.jq_set_input_cb(self.state, library.input_callback(), self.inputs)
        line = self.flags & ~jq_library.PRINT_PRETTY

        def debug(_: object, value: Jv) -> None:
            entry = library.jv_array_append(library.jv_array(), library.text(b"DEBUG:"))
            _complain(library.dump(library.jv_array_append(entry, value), line) + b"\n")

        def stderr(_: object, value: Jv) -> None:
            _complain(library.display(value))

        library.jq_set_debug_cb(self.state, library.callback(debug), None)
        library.jq_set_stderr_cb(self.state, library.callback(stderr), None)

    def process(self, value: Jv) -> int:
        """One input through the filter: writes its outputs; the status so far."""
        library, state = self.library, self.state
        status = NO_OUTPUT
        library.jq_start(state, value, 0)
        while True:
            result = library.jq_next(state)
            kind = library.jv_get_kind(result)
            if kind == jq_library.INVALID:
                break
            if kind == jq_library.STRING and self.raw:
                text = library.string_bytes(library.jv_copy(result))
                if self.end == b"\0" and b"\0" in text:
                    library.jv_free(result)
                    return self._uncaught(library.text(b"Cannot dump a string containing NUL with --raw-output0 option"))
                if self.flags & jq_library.PRINT_ASCII:
                    text = library.dump(result, jq_library.PRINT_ASCII)
                else:
                    library.jv_free(result)
                status = 0
            else:
                text = library.dump(result, self.flags)
                if self.sequence:
                    text = b"\x1e" + text
                status = NULL_OUTPUT if kind in (jq_library.FALSE, jq_library.NULL) else 0
            self.write(text + self.end)
        if library.jq_halted(state):
            library.jv_free(result)
            return self._halted()
        if library.jv_invalid_has_msg(library.jv_copy(result)):
            return self._uncaught(library.jv_invalid_get_msg(result))
        return status

    def _halted(self) -> int:
        """After `halt` or `halt_error`: its message to stderr, its status."""
        library = self.library
        code = library.jq_get_exit_code(self.state)
        kind = library.jv_get_kind(code)
        status = 0 if kind == jq_library.INVALID else UNCAUGHT
        if kind == jq_library.NUMBER:
            status = int(library.jv_number_value(code))
        library.jv_free(code)
        message = library.jq_get_error_message(self.state)
        kind = library.jv_get_kind(message)
        if kind == jq_library.STRING:
            _complain(library.string_bytes(message))
        elif kind not in (jq_library.NULL, jq_library.INVALID):
            _complain(library.dump(message, 0) + b"\n")
        return status

    def _uncaught(self, message: Jv) -> int:
        library = self.library
        note = b"" if library.jv_get_kind(message) == jq_library.STRING else b" (not a string)"
        place = library.display(library.jq_util_input_get_position(self.state))
        _complain(b"jq: error (at " + place + b")" + note + b": " + library.display(message) + b"\n")
        return UNCAUGHT

    def write(self, data: bytes) -> None:
        self.pending.append(data)
        self.size += len(data)
        if self.each or self.size >= BUFFER:
            self.flush()

    def flush(self) -> None:
        data = b"".join(self.pending)
        self.pending.clear()
        self.size = 0
        try:
            if self.failure is None:
                write_all(1, data)
        except OSError as error:
            self.failure = error


def _complain(data: bytes) -> None:
    try:
        write_all(2, data)
    except OSError:
        pass


def run(words: list[str]) -> int:
    """Runs `jq WORDS…` in this process, on its descriptors; the exit status (to be taken modulo 256)."""
    try:
        options = Options(Library())
        options.read(words)
        program = Program(options)
        return program.run() if program.compile() else COMPILE
    except Stop as stop:
        text = os.fsencode(str(stop))
        if stop.status:
            _complain(text)
        else:
            write_all(1, text)
        return stop.status
    except Unavailable as error:
        _complain(f"jq: {error}; install jq 1.7 or newer, or the Python package `jq`\n".encode("utf-8", "surrogateescape"))
        return UNAVAILABLE


def use_default_signals() -> None:
    """Lets SIGINT, SIGPIPE and SIGXFSZ end the process, as they end the program."""
    import signal

    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def main() -> NoReturn:
    use_default_signals()
    sys.exit(run(sys.argv[1:]) & 0xFF)


if __name__ == "__main__":
    main()
