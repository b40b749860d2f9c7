"""`[[ … ]]`, evaluated."""

from __future__ import annotations

import os
import stat

from kernel.environment import is_terminal
from kernel.errors import Problem
from kernel.shell import patterns
from kernel.shell.arithmetic import Expression, NoValue
from kernel.shell.conditions import NUMERIC
from kernel.shell.data import Data, text_of, to_value
from kernel.shell.source import ExpansionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.shell.expand import Expander
    from kernel.shell.tree import Condition, Word

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}
_KINDS: dict[str, Callable[[int], bool]] = {
    "-f": stat.S_ISREG,
    "-d": stat.S_ISDIR,
    "-b": stat.S_ISBLK,
    "-c": stat.S_ISCHR,
    "-p": stat.S_ISFIFO,
    "-S": stat.S_ISSOCK,
}
_BITS = {"-u": stat.S_ISUID, "-g": stat.S_ISGID, "-k": stat.S_ISVTX}
_ACCESS = {"-r": os.R_OK, "-w": os.W_OK, "-x": os.X_OK}


def holds(node: Condition, expander: Expander) -> bool:
    """Whether a condition is true. Raises ExpansionError for what has no answer."""
    operator = node.operator
    if operator == "&&" and node.left and node.right:
        return holds(node.left, expander) and holds(node.right, expander)
    if operator == "||" and node.left and node.right:
        return holds(node.left, expander) or holds(node.right, expander)
    if operator == "!" and node.left:
        return not holds(node.left, expander)
    if len(node.words) == 1:
        return _unary(operator, node.words[0], expander)
    left, right = node.words
    if operator in ("==", "!="):
        pattern = right.literal if right.literal is not None and not right.glob else None
        text = expander.text(left)
        if pattern is not None:
            return (text == pattern) is (operator == "==")
        return patterns.matches(patterns.compiled(expander.pattern(right)), text) is (operator == "==")
    if operator in NUMERIC:
        return _COMPARED[operator](_number(left, expander), _number(right, expander))
    if operator in ("<", ">"):
        first, second = expander.text(left), expander.text(right)
        return first < second if operator == "<" else first > second
    if operator in ("=~", "!~"):
        return _searched(left, right, expander) is (operator == "=~")
    if operator in ("in", "not in"):
        return _member(left, right, expander) is (operator == "in")
    return _files(operator, expander.text(left), expander.text(right))


def _unary(operator: str, word: Word, expander: Expander) -> bool:
    text = expander.text(word)
    if operator == "-n":
        return text != ""
    if operator == "-z":
        return text == ""
    if operator == "-v":
        return expander.state.get(text) is not None if text else False
    if operator == "-t":
        return text.isdigit() and len(text) < 5 and is_terminal(int(text))
    try:
        if operator in ("-L", "-h"):
            return os.path.islink(text)
        if operator in _ACCESS:
            return os.access(text, _ACCESS[operator])
        status = os.stat(text)
    except (OSError, ValueError):
        return False
    if operator == "-e":
        return True
    if operator == "-s":
        return status.st_size > 0
    if operator in _KINDS:
        return _KINDS[operator](status.st_mode)
    if operator in _BITS:
        return bool(status.st_mode & _BITS[operator])
    if operator == "-O":
        return status.st_uid == os.geteuid()
    if operator == "-G":
        return status.st_gid == os.getegid()
    return status.st_mtime_ns > status.st_atime_ns  # -N


def _files(operator: str, left: str, right: str) -> bool:
    def modified(path: str) -> os.stat_result | None:
        try:
            return os.stat(path)
        except (OSError, ValueError):
            return None

    first, second = modified(left), modified(right)
    if operator == "-ef":
        return first is not None and second is not None and os.path.samestat(first, second)
    if operator == "-ot":
        first, second = second, first
    if first is None:
        return False
    return second is None or first.st_mtime_ns > second.st_mtime_ns


def _number(word: Word, expander: Expander) -> int:
    text = expander.text(word)
    state = expander.state
    try:
        stripped = text.strip()
        if stripped and not stripped.lstrip("+-").isascii():
            raise NoValue(f"`{text}` is no whole number")
        digits = stripped.lstrip("+-")
        if digits.isdigit() and len(digits) > 1 and digits[0] == "0" and len(stripped) - len(digits) < 2:
            number = int(digits)  # `03` counts as 3 where numbers are compared, as in `test`
            return -number if stripped[0] == "-" else number
        return Expression(text, lambda name: _text(state.get(name)), state.assign).value()
    except NoValue as error:
        place = word.source.place(word.start, word.end)
        raise ExpansionError(Problem("E-EXPAND", error.message, place, error.hint or "`==` compares text")) from None


def _text(found: object) -> str:
    return "" if found is None else found.text if isinstance(found, Data) else str(found)


def _member(left: Word, right: Word, expander: Expander) -> bool:
    container = expander.value(right)
    wanted = expander.value(left)
    if isinstance(container, Data) and isinstance(container.value, dict):
        return text_of(wanted) in container.value
    if isinstance(container, Data) and isinstance(container.value, list):
        if isinstance(wanted, Data):
            return any(Data(item).text == Data(to_value(wanted)).text for item in container.value)
        return any((item if isinstance(item, str) else Data(item).text) == wanted for item in container.value)
    return text_of(wanted) in text_of(container)


def _searched(left: Word, right: Word, expander: Expander) -> bool:
    """`=~`: a POSIX extended regular expression that matches somewhere."""
    from kernel.shell.regular import Unreadable, search

    text = expander.text(left)
    pattern = "".join([piece for piece, _ in expander.pattern(right)])
    try:
        return search(pattern, text)
    except Unreadable as error:
        place = right.source.place(right.start, right.end)
        raise ExpansionError(Problem("E-EXPAND", f"`{pattern}` is no regular expression: {error}", place)) from None
