"""How the prompt is laid out on the screen: few windows, since every key walks through all of them."""

from __future__ import annotations

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition, has_focus, is_done
from prompt_toolkit.formatted_text import ANSI, fragment_list_width, to_formatted_text
from prompt_toolkit.formatted_text.utils import split_lines
from prompt_toolkit.key_binding import merge_key_bindings
from prompt_toolkit.key_binding.bindings.auto_suggest import load_auto_suggest_bindings
from prompt_toolkit.key_binding.bindings.open_in_editor import load_open_in_editor_bindings
from prompt_toolkit.layout import ConditionalContainer, Dimension, Float, FloatContainer, HSplit, Layout, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import (
    AppendAutoSuggestion,
    ConditionalProcessor,
    HighlightIncrementalSearchProcessor,
    HighlightSelectionProcessor,
)
from prompt_toolkit.widgets import SearchToolbar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.lexers import Lexer
    from prompt_toolkit.output import Output
    from prompt_toolkit.styles import BaseStyle

MENU = 8  # lines kept free for the menu, which has at most twice as many


class Screen:
    """The application of one editor. ``prompt`` is what stands in front of the text, ``lexer`` what colours it."""

    def __init__(
        self,
        buffer: Buffer,
        lexer: Lexer,
        continuation: Callable[[int], StyleAndTextTuples],
        toolbar: Callable[[], StyleAndTextTuples],
        keys: KeyBindings,
        style: BaseStyle,
        terminal: tuple[Input, Output],
    ) -> None:
        self.buffer = buffer
        self._continuation = continuation
        self._above: StyleAndTextTuples = []
        self._before: StyleAndTextTuples = []
        search = SearchToolbar()
        self._control = BufferControl(
            buffer,
            search_buffer_control=search.control,
            preview_search=True,
            include_default_input_processors=False,
            input_processors=[
                HighlightIncrementalSearchProcessor(),
                HighlightSelectionProcessor(),
                ConditionalProcessor(AppendAutoSuggestion(), has_focus(buffer) & ~is_done),
            ],
            lexer=lexer,
        )
        window = Window(self._control, height=self._height, get_line_prefix=self._prefix, wrap_lines=True)
        above = Window(FormattedTextControl(lambda: self._above), dont_extend_height=True)
        menu = CompletionsMenu(max_height=2 * MENU, scroll_offset=1, extra_filter=has_focus(buffer))
        below = Window(
            FormattedTextControl(toolbar, style="class:bottom-toolbar"),
            dont_extend_height=True,
            height=Dimension(min=1),
            wrap_lines=True,
        )
        body = HSplit(
            [
                ConditionalContainer(above, Condition(lambda: bool(self._above))),
                window,
                search,
                ConditionalContainer(below, ~is_done & ~has_focus(search.control)),
            ]
        )
        floats = [Float(menu, xcursor=True, ycursor=True, transparent=True)]
        self.app: Application[str] = Application(
            Layout(FloatContainer(body, floats), focused_element=window),
            style=style,
            include_default_pygments_style=False,
            key_bindings=merge_key_bindings([load_auto_suggest_bindings(), load_open_in_editor_bindings(), keys]),
            input=terminal[0],
            output=terminal[1],
        )

    def colour(self, lexer: Lexer) -> None:
        """Has the text drawn anew, with the colours of another lexer."""
        self._control.lexer = lexer
        self.app.invalidate()

    def show(self, prompt: str) -> None:
        """Sets the prompt, escape sequences included; all of its lines but the last stand above the text."""
        *above, before = list(split_lines(to_formatted_text(ANSI(prompt))))
        self._above = [fragment for line in above for fragment in (*line, ("", "\n"))][:-1]
        self._before = list(before)

    def _prefix(self, line: int, wraps: int) -> StyleAndTextTuples:
        if not line and not wraps:
            return self._before
        return [("", " " * fragment_list_width(self._before))] if wraps else self._continuation(line)

    def _height(self) -> Dimension:
        return Dimension(min=MENU) if self.buffer.complete_state is not None and not self.app.is_done else Dimension()
