"""The keys of the prompt that are not those of every line editor: Enter, F1, the pager."""

from __future__ import annotations

from prompt_toolkit import search
from prompt_toolkit.application import get_app, run_in_terminal
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus, is_searching
from prompt_toolkit.key_binding import KeyBindings

from kernel import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyPressEvent

    from kernel.shell.line_prompt_toolkit import PromptToolkitEditor


def bindings(editor: PromptToolkitEditor) -> KeyBindings:
    """The key bindings of one editor."""
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)

    @keys.add("enter", filter=typing)
    @keys.add("c-j", filter=typing)
    def _(event: KeyPressEvent) -> None:
        """Takes what the menu has chosen; else runs the text, or goes on with it where something is open."""
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif editor.session.is_complete(buffer.text + "\n"):
            buffer.cursor_position = max(buffer.cursor_position, len(buffer.text.rstrip("\n")))
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("enter", filter=is_searching)
    def _(event: KeyPressEvent) -> None:
        """Takes what the search has found and runs it."""
        search.accept_search()
        buffer = event.app.layout.current_buffer
        if buffer is not None and not editor.session.is_complete(buffer.text + "\n"):
            buffer.validate_and_handle()

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        """Drops the text, and the search that is under way."""
        if is_searching():
            search.stop_search()
        event.app.exit(exception=KeyboardInterrupt())

    @keys.add("c-d", filter=typing & Condition(lambda: not get_app().current_buffer.text))
    def _(event: KeyPressEvent) -> None:
        """Ends the input."""
        event.app.exit(exception=EOFError())

    @keys.add("escape", "enter", filter=typing)
    def _(event: KeyPressEvent) -> None:
        """A further line, whether one is wanted or not."""
        event.current_buffer.newline(copy_margin=False)

    @keys.add("escape", "p", filter=typing)
    def _(event: KeyPressEvent) -> None:
        """Runs the line with its output in a pager."""
        buffer = event.current_buffer
        text = buffer.text.rstrip()
        if text and not editor.session.is_complete(text):
            from kernel.shell.paging import paged

            buffer.text = paged(text, editor.session)
            buffer.cursor_position = len(buffer.text)
            buffer.validate_and_handle()

    @keys.add("f1", filter=typing)
    def _(event: KeyPressEvent) -> None:
        """Shows the help of the word under the cursor above the prompt."""
        from kernel.shell.word_help import help_of

        buffer = event.current_buffer
        text = help_of(buffer.text, buffer.cursor_position, editor.names)
        if text:
            run_in_terminal(lambda: environment.write_error(text))

    return keys
