"""Lines typed with prompt_toolkit: the menu, suggestions, colours, marks and the toolbar, over what the other modules say."""

from __future__ import annotations

import asyncio
import signal

from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.enums import DEFAULT_BUFFER, EditingMode
from prompt_toolkit.history import History as BaseHistory
from prompt_toolkit.input.defaults import create_input
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from kernel import environment
from kernel.present import coloured
from kernel.present.printable import printable
from kernel.shell import line_keys
from kernel.shell.glance import Glance
from kernel.shell.line_editor import LineEditor, continued
from kernel.shell.line_layout import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.formatted_text import StyleAndTextTuples

    from kernel.shell.marking import Mark
    from kernel.shell.offering import Candidate
    from kernel.shell.session import Session

PAUSE = 0.08  # seconds without a key after which the line is looked at
STYLE = Style.from_dict(
    {
        "kaish.command": "ansigreen",
        "kaish.keyword": "ansiblue bold",
        "kaish.operator": "ansiblue",
        "kaish.string": "ansiyellow",
        "kaish.document": "ansiyellow",
        "kaish.variable": "ansicyan",
        "kaish.assignment": "ansicyan",
        "kaish.flag": "ansimagenta",
        "kaish.comment": "ansibrightblack",
        "kaish.wrong": "ansired underline",
        "bottom-toolbar": "noreverse",
        "kaish.message": "ansired",
        "kaish.hint": "ansibrightblack",
        "prompt-continuation": "ansibrightblack",
    }
)


class _Output(Vt100_Output):
    """Output that never asks the terminal where the cursor is: an answer that comes late would be the next program's input."""

    def get_rows_below_cursor_position(self) -> int:
        """One is enough to begin with; the terminal scrolls when more is drawn."""
        return 1


class PromptToolkitEditor(LineEditor):
    """Reads commands of one or more lines."""

    draws = True

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.message = ""  # of the toolbar: what is wrong
        self.hint = ""  # what is wanted at the cursor
        self.marks: list[Mark] = []
        self._marked = ""  # the text that the marks are about
        self._colours = _Colours(self), _Colours(self)  # two that take turns: another one is drawn anew
        self._waiting: asyncio.TimerHandle | None = None
        self._loop = asyncio.new_event_loop()
        output = _Output.from_pty(environment.stderr(), term=environment.variable("TERM"))
        output.enable_cpr = False
        self._buffer = Buffer(
            name=DEFAULT_BUFFER,
            completer=_Completions(self),
            auto_suggest=_Suggestions(self),
            history=_Lines(self),
            enable_history_search=True,
            accept_handler=self._accept,
            multiline=True,
            tempfile_suffix=".kaish",
        )
        self._screen = Screen(
            self._buffer,
            self._colours[0],
            self._continuation,
            self._toolbar,
            line_keys.bindings(self),
            STYLE if coloured(2) else Style([]),
            (create_input(environment.stdin()), output),
        )
        self._buffer.on_text_changed += self._changed
        self._buffer.on_cursor_position_changed += self._changed

    def read(self, prompt: str) -> str | None:
        self.marks, self.message, self.hint = [], "", ""
        app = self._screen.app
        app.editing_mode = EditingMode.VI if self.session.state.options["vi"] else EditingMode.EMACS
        self._screen.show(prompt)
        self._buffer.reset()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is a key here; half a run cannot be taken up again
        try:
            return self._loop.run_until_complete(app.run_async(set_exception_handler=False, handle_sigint=False))
        except EOFError:
            return None
        except KeyboardInterrupt:
            self.session.state.status = 130
            return ""
        finally:
            self._forget()
            signal.signal(signal.SIGINT, before)

    def _accept(self, buffer: Buffer) -> bool:
        self._screen.app.exit(result=buffer.text)
        return True  # the text stays on the screen

    # The line while it is typed

    def _changed(self, _: Buffer) -> None:
        self._forget()
        self._waiting = self._loop.call_later(PAUSE, self._look)

    def _forget(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _look(self) -> None:
        """Finds what is wrong in the line, and what is wanted at the cursor."""
        from kernel.shell import marking, offering

        self._waiting = None
        document = self._buffer.document
        cursor = document.cursor_position
        self.marks = marking.marks(document.text, cursor, self.session, self.names)
        self._marked = document.text
        at_cursor = [mark for mark in self.marks if mark.start <= cursor <= mark.end]
        self.message = next((mark.message for mark in (*at_cursor, *self.marks)), "")
        self.hint = offering.hint(document.text_before_cursor, self.names)
        self._colours = self._colours[::-1]
        self._screen.colour(self._colours[0])

    def _toolbar(self) -> StyleAndTextTuples:
        if self.message:
            return [("class:kaish.message", self.message)]
        return [("class:kaish.hint", printable(self.hint))]

    def _continuation(self, line: int) -> StyleAndTextTuples:
        before = self._buffer.document.lines[:line]
        return [("class:prompt-continuation", continued(self.session.is_complete("\n".join(before) + "\n")))]

    def spans(self, text: str) -> Iterable[tuple[int, int, str]]:
        """(start, end, style) of the text, what is drawn over others last."""
        glance = Glance(text)
        commands = {id(command.words[0]): command for command in glance.commands}
        for piece in glance.pieces:
            style = piece.kind
            written = text[piece.start : piece.end]
            if style == "command" and id(piece) in commands and not self.names.is_command(written):
                continue
            if style == "argument":
                if written[:1] != "-" or written == "-":
                    continue
                style = "flag"
            yield piece.start, piece.end, f"class:kaish.{style}"
        if text == self._marked:
            for mark in self.marks:
                yield mark.start, mark.end, "class:kaish.wrong"


class _Completions(Completer):
    def __init__(self, editor: PromptToolkitEditor) -> None:
        self._editor = editor

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        from kernel.shell import offering

        found = offering.offering(document.text_before_cursor, self._editor.names)
        if found.hint:
            self._editor.hint = found.hint
        for candidate in found.candidates:
            says = _saying(candidate)
            yield Completion(candidate.rest, 0, display=printable(candidate.shown), display_meta=says)


def _saying(candidate: Candidate) -> Callable[[], str]:
    return lambda: printable(candidate.says)


class _Suggestions(AutoSuggest):
    def __init__(self, editor: PromptToolkitEditor) -> None:
        self._editor = editor

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        rest = self._editor.history.suggestion(document.text, environment.working_directory())
        return Suggestion(rest) if rest else None


class _Lines(BaseHistory):
    """The history as the editor walks through it, in the order for the directory at hand."""

    def __init__(self, editor: PromptToolkitEditor) -> None:
        super().__init__()
        self._editor = editor

    async def load(self) -> AsyncGenerator[str, None]:
        for text in self._editor.history.newest_first(environment.working_directory()):
            yield text

    def load_history_strings(self) -> Iterable[str]:
        return self._editor.history.newest_first(environment.working_directory())

    def get_strings(self) -> list[str]:
        """The oldest first, for Alt-. and its like."""
        return list(self.load_history_strings())[::-1]

    def append_string(self, string: str) -> None:
        """The prompt keeps the texts itself, as they are run."""

    def store_string(self, string: str) -> None:
        """See `append_string`."""


class _Colours(Lexer):
    def __init__(self, editor: PromptToolkitEditor) -> None:
        self._editor = editor

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        text = document.text
        styles = [""] * len(text)
        for start, end, style in self._editor.spans(text):
            styles[start:end] = [style] * (min(end, len(text)) - start)
        lines: list[StyleAndTextTuples] = [[]]
        for character, style in zip(text, styles):
            if character == "\n":
                lines.append([])
            elif lines[-1] and lines[-1][-1][0] == style:
                lines[-1][-1] = (style, lines[-1][-1][1] + character)
            else:
                lines[-1].append((style, character))
        return lambda number: lines[number] if number < len(lines) else []
