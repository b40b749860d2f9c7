"""The help of the word under the cursor."""

from __future__ import annotations

from kernel.bind import bind
from kernel.present import manual, plain
from kernel.shell import informing, language, refused
from kernel.shell.glance import Glance
from kernel.shell.offering import param_of, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.glance import Command, Piece
    from kernel.shell.names import Names


def help_of(text: str, cursor: int, names: Names) -> str:
    """The help of the word at the cursor: the line of a flag, else the whole of its command's; "" for none."""
    glance = Glance(text)
    command, piece = _at(glance, cursor)
    if command is None or piece is None or not command.words:
        return ""
    name, *given = [value_of(glance, each, names) for each in command.words]
    if name in informing.USAGE:
        usage, says = informing.USAGE[name]
        return f"usage: {usage}\n{says}\n"
    if text := language.described(name):
        return text
    if name in refused.COMMANDS:
        return f"`{name}` is not part of the language: {refused.COMMANDS[name]}\n"
    spec = names.spec(name)
    if spec is None:
        where = informing.origin(names.evaluator, name)
        return f"{name} is {where}\n" if where else f"there is no command `{name}`\n"
    index = command.words.index(piece)
    leaf = bind(spec, given[:index]).spec
    if index:
        flag = given[index - 1].partition("=")[0]
        param = param_of(leaf, flag)
        if param is not None:
            return f"{manual.flag_names(param)}\n  {param.description} ({'; '.join(manual.facts_of(param)) or 'optional'})\n"
    return plain.draw(manual.sections(leaf, before=()))


def _at(glance: Glance, cursor: int) -> tuple[Command | None, Piece | None]:
    """The innermost command and word at a place, or right in front of it."""
    found: tuple[Command | None, Piece | None] = (None, None)
    for command in glance.commands:
        for piece in command.words:
            if piece.start <= cursor <= piece.end:
                found = command, piece
    if found[0] is None:
        before = [command for command in glance.commands if command.words[0].start <= cursor]
        return (before[-1], before[-1].words[0]) if before else (None, None)
    return found
