"""find: what is below directories and meets conditions."""

from __future__ import annotations

import os

from kernel.builtins.find_entry import Entry, Unread
from kernel.builtins.find_expression import Expression, Quit
from kernel.builtins.find_tests import Shape, Tests
from kernel.builtins.guard import Failure, guarded, in_every_locale, reason
from kernel.builtins.io import Io
from kernel.builtins.quoting import quoted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound


def usage(bound: Bound) -> None:
    """Failure for an expression that is none, whatever files and users there are."""

    def read(utf8: bool) -> None:
        io = Io(bound.spec.name, {"LC_ALL": "C.UTF-8" if utf8 else "C"}, "/", lambda _: 0)
        _expression(bound, io, Shape(io))

    in_every_locale(read)


@guarded()
def run(bound: Bound, io: Io) -> int:
    """Status 1 when something could not be looked at; 2 for an expression that is none."""
    expression = _expression(bound, io, Tests(io))
    walk = Walk(io, expression)
    try:
        for start in expression.paths:
            walk.start(start)
    except Quit:
        pass
    for batch in expression.batches:
        batch.run()
    return 1 if walk.failed or expression.failed else 0


def _expression(bound: Bound, io: Io, tests: Tests) -> Expression:
    words = words_of(bound)
    try:
        expression = Expression(io, words, tests)
    except Failure as failure:
        if words != bound.words or failure.word >= len(words):
            failure.word = -1  # its place is none on the line
        raise
    # what the call was judged by is what the binder saw: an action that hides from it does not run
    for name, acts in (("delete", expression.deletes), ("exec", expression.runs)):
        if acts and not bound.values[name]:
            raise Failure(f"`-{name}` must stand before `--` and outside of other options' values", param=name)
    return expression


def words_of(bound: Bound) -> list[str]:
    """The words as typed, and what came as values from elsewhere in the order of the params, as conditions that must all hold."""
    words = list(bound.words)
    paths: list[str] = []
    for param in bound.spec.params:
        name = param.name
        if bound.origins.get(name, "argv") == "argv":
            continue
        value = bound.values[name]
        if name == "paths":
            for path in value:
                if path[:1] in ("-", "!", "(", ")", ","):
                    raise Failure(f"a path cannot begin as {quoted_name(path)} does: write `./{path}`", param="paths")
            paths += value
        elif param.type == "bool":
            if name == "exec" and value:
                raise Failure("`-exec` takes its command from the words of a line", param="exec")
            words += [param.spelling] * bool(value)
        else:
            for each in value if param.repeatable else [value]:
                words += [param.spelling, each if isinstance(each, str) else str(each)]
    return [*paths, *words] if paths else words


class Walk:
    """The way through the directories; ``failed`` says that something could not be looked at."""

    def __init__(self, io: Io, expression: Expression) -> None:
        self.io = io
        self.expression = expression
        self.failed = False

    def complain(self, path: str, error: OSError) -> None:
        self.io.complain(f"{quoted_name(path)}: {reason(error)}")
        self.failed = True

    def start(self, path: str) -> None:
        """One start path with all below it, without recursion: directories wait with the names still to come."""
        rules = self.expression
        top = Entry(path, self.io.path(path), path, 0, rules.follow != "")
        try:
            info = top.info()
        except OSError as error:
            return self.complain(path, error)
        device = info.st_dev
        waiting: list[tuple[Entry, list[str] | None]] = [(top, None)]
        ways: dict[tuple[int, int], str] = {}  # the directories above, by device and inode
        while waiting:
            entry, names = waiting.pop()
            if names is None:
                names = self.enter(entry, device, ways)
                if names is None:
                    continue
                ways[entry.info().st_dev, entry.info().st_ino] = entry.path
                waiting.append((entry, names))
                continue
            if names:
                name = names.pop()
                waiting.append((entry, names))
                inner = entry.path + name if entry.path.endswith("/") else f"{entry.path}/{name}"
                below = Entry(inner, os.path.join(entry.place, name), path, entry.depth + 1, rules.follow == "always")
                waiting.append((below, None))
                continue
            ways.popitem()
            if rules.depth_first:
                self.visit(entry)
        return None

    def enter(self, entry: Entry, device: int, ways: dict[tuple[int, int], str]) -> list[str] | None:
        """Visits an entry, before what is below it unless depth comes first. The names in it; None for what is not entered."""
        rules = self.expression
        try:
            info = entry.info()
            is_directory = entry.is_directory()
        except OSError as error:
            self.complain(entry.path, error)
            return None
        if is_directory and (info.st_dev, info.st_ino) in ways:
            above = ways[info.st_dev, info.st_ino]
            same = f"{quoted_name(entry.path)} is part of the same file system loop as {quoted_name(above)}"
            self.io.complain(f"File system loop detected; {same}.")
            self.failed = True
            return None
        deeper = is_directory and (rules.most < 0 or entry.depth < rules.most)
        deeper = deeper and not (rules.one_file_system and info.st_dev != device)
        if not (deeper and rules.depth_first):
            self.visit(entry)
        if not deeper or (entry.pruned and not rules.depth_first):
            return None
        try:
            with os.scandir(entry.place) as found:
                return [each.name for each in found][::-1]
        except OSError as error:
            self.complain(entry.path, error)
            if rules.depth_first:
                self.visit(entry)
            return None

    def visit(self, entry: Entry) -> None:
        if entry.depth < self.expression.least:
            return
        try:
            self.expression.test(entry)
        except Unread as unread:
            self.complain(entry.path, unread.error)
        except BrokenPipeError:
            raise
        except OSError as error:
            self.complain(entry.path, error)
