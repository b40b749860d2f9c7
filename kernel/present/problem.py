"""Problems worded and drawn: what, where with carets, wanted and got, the way out (docs/design/language.md)."""

from __future__ import annotations

from kernel import environment, words
from kernel.errors import KernelError, Place, Problem, WordPlace
from kernel.present.printable import columns, paragraphs, printable, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 20  # U1: problems drawn of one call
LINE = 100  # columns of a source line that are shown around its mark
VALUE = 100  # characters of a value inside a message
MESSAGE = 2000
_STYLES = {"error": "1;31", "warning": "1;33", "hint": "1;36", "mark": "1;31", "where": "1;34"}


def describe(error: KernelError, *, colour: bool = False) -> str:
    """The text of an error, ending in a newline: its first 20 problems, then `and N more`."""
    return describe_all(error.problems, given=error.words, prefix=error.prefix, colour=colour, limit=SHOWN)


def describe_all(
    problems: Sequence[Problem],
    *,
    level: str = "error",
    given: list[str] | None = None,
    prefix: Iterable[str] = (),
    colour: bool = False,
    limit: int | None = None,
) -> str:
    """Problems as text. ``level`` is `error` or `warning`; ``given`` are the words that a WordPlace counts in."""
    shown = problems if limit is None else problems[:limit]
    text = "".join([_block(problem, level, given, list(prefix), colour) for problem in shown])
    more = len(problems) - len(shown)
    return f"{text}and {more} more\n" if more else text


def _styled(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour else text


def _block(problem: Problem, level: str, given: list[str] | None, prefix: list[str], colour: bool) -> str:
    message = _message(problem.message)
    lines = [f"{_styled(f'{level}[{problem.code}]', level, colour)}: {message}"]
    where = problem.where
    if isinstance(where, Place):
        lines += _file_lines(where, colour)
    elif where is not None and given is not None:
        text, start, width = _call_line(given, prefix, where, problem.secret)
        line, marks = _marked(text, start, width)
        arrow = " --> "
        lines.append(_styled(arrow, "where", colour) + line)
        lines.append(" " * len(arrow) + _styled(marks, "mark", colour))
    for name in ("wanted", "got"):
        items = _items(problem.facts.get(name))
        if items and not (problem.secret and name == "got") and not all(item in problem.message + problem.hint for item in items):
            lines.append(f"  {name}: {printable(shortened(' '.join(items), 2 * VALUE))}")  # what the sentence does not say
    if problem.hint:
        first, *rest = paragraphs(problem.hint)
        lines.append(f"  {_styled('hint', 'hint', colour)}: {first}")
        lines += [f"        {line}" for line in rest]
    return "\n".join(lines) + "\n"


def _message(text: str) -> str:
    """A message with each value in backticks cut to a line."""
    parts = text.split("`")
    parts[1::2] = [shortened(part, VALUE) for part in parts[1::2]]
    return printable(shortened("`".join(parts), MESSAGE))


def _items(fact: object) -> list[str]:
    """A fact as the texts it consists of."""
    if isinstance(fact, (list, tuple)):
        return [str(item) for item in fact]
    return [] if fact is None else [str(fact)]


def short_path(file: str) -> str:
    """A file as a person names it: relative to the working directory when it lies below."""
    here = environment.working_directory().rstrip("/") + "/"
    return file[len(here) :] if file.startswith(here) else file


def _file_lines(where: Place, colour: bool) -> list[str]:
    place = f"{printable(short_path(where.file))}:{where.line}:{where.column}"
    lines = [f"{_styled(' --> ', 'where', colour)}{place}"]
    if where.text.strip():
        line, marks = _marked(where.text, where.column - 1, where.width)
        number = str(where.line)
        lines.append(_styled(f"{number} | ", "where", colour) + line)
        lines.append(_styled(f"{' ' * len(number)} | ", "where", colour) + _styled(marks, "mark", colour))
    return lines


def _marked(text: str, start: int, width: int) -> tuple[str, str]:
    """A line made printable and short, and the line of carets under `width` of its characters from `start`."""
    start = min(start, len(text))
    width = max(1, min(width, LINE))
    first = 0 if len(text) <= LINE else max(0, min(start - LINE // 2, len(text) - LINE))
    last = first + LINE if len(text) > LINE else len(text)
    end = min(start + width, max(last, start + 1))
    before = ("…" if first else "") + printable(text[first:start])
    inside = printable(text[start:end])
    after = printable(text[end:last]) + ("…" if last < len(text) else "")
    return before + inside + after, " " * columns(before) + "^" * max(1, columns(inside))


def _call_line(given: list[str], prefix: list[str], where: WordPlace, secret: bool) -> tuple[str, int, int]:
    """The words around the place as a shell line, and the span of the line to mark; a secret word is `***`."""
    index = min(where.index, len(given))
    near = range(max(0, index - LINE // 2), min(len(given), index + LINE // 2))
    line = [] if near.start else list(prefix)
    offset, width = 0, 1
    for position in near:
        if position == index:
            offset = len(" ".join(line)) + 1 if line else 0
            word, start, width = ("***", 0, 3) if secret else _marked_word(given[index], where)
            offset += start
            line.append(word)
        else:
            line.append(words.quote(shortened(given[position], 2 * LINE)))
    text = ("… " if near.start else "") + " ".join(line)
    if index == len(given):
        return f"{text} ", len(text) + 1, 1
    return text, offset + (2 if near.start else 0), width


def _marked_word(word: str, where: WordPlace) -> tuple[str, int, int]:
    """The marked word quoted, and the span to mark in it: the asked one where quoting keeps it in sight."""
    start = min(where.start, len(word))
    width = where.width or len(word) - start
    if len(word) > 4 * LINE:
        first = max(0, start - LINE)
        word = word[first : first + 4 * LINE]
        start, width = start - first, min(width, LINE)
    quoted = words.quote(word)
    if quoted == word:
        return quoted, start, width
    if quoted == f"'{word}'":
        return (quoted, 0, len(quoted)) if width >= len(word) else (quoted, start + 1, width)
    return quoted, 0, len(quoted)
