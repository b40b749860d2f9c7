"""A line whose output goes to a pager: a list of records as a table, in lines that may be wider than the screen."""

from __future__ import annotations

from kernel import environment, words
from kernel.errors import KernelError
from kernel.shell import showing
from kernel.shell.tree import Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.shell.session import Session
    from kernel.shell.tree import Command, Pipeline

PAGER = "less -FRX"
TABLE = "table --maybe"  # what is no list of records passes it as it is
SIDEWAYS = {"less": " -S"}  # has lines that are too long cut off, and scrolled to


def paged(text: str, session: Session) -> str:
    """The text with the last pipeline's output in `$PAGER`; in front of a comment, a here-document's body and a `;`."""
    pager = environment.variable("PAGER") or PAGER
    try:
        items = session.parse(text, "prompt").items
    except KernelError:
        items = []
    if not items or items[-1][1]:
        return f"{text} | {pager}"  # wrong, or in the background: what runs the text says so
    last = items[-1][0]
    pipeline = last.rest[-1][1] if last.rest else last.first
    node = pipeline.stages[-1]
    behind = node.source.text[_end(node) :]  # the text's own end, whatever aliases have put in front of it
    at = len(text) - len(behind)
    return f"{text[:at]} | {_with_table(pipeline, pager, session)}{text[at:]}"


def _end(node: Command) -> int:
    """Where a command ends with its redirections, and without the blanks and the comment behind."""
    ends = [redirect.end for redirect in node.redirects]
    if not isinstance(node, Simple):
        return max([node.end, *ends])
    ends += [part.end for part in (*node.words, *node.assignments, *(node.declared or ()))]
    return max(ends)


def _with_table(pipeline: Pipeline, pager: str, session: Session) -> str:
    view = showing.view(pipeline.stages[-1], session.evaluator)
    if view is None or not view.drawn:
        return pager
    try:
        program = words.split(pager)[0].text.rpartition("/")[2]
    except words.WordsError:
        program = ""
    return f"{TABLE} | {pager}{SIDEWAYS.get(program, '')}"
