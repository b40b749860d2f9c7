"""Where a param's values came from, for messages about them: the word, the entry of a list, the variable."""

from __future__ import annotations

from kernel.errors import Problem, WordPlace
from kernel.faults import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound, Trace
    from kernel.spec import ParamSpec


class Places:
    """Where a param's values were typed. The occurrences are gone through once, when the first place is asked for."""

    def __init__(self, bound: Bound, param: ParamSpec) -> None:
        self.bound = bound
        self.param = param
        self.owners: list[Trace] | None = None  # by entry

    def of(self, entry: int, slot: int) -> WordPlace | None:
        """The word that holds the value of an entry's slot, None when it did not come from words."""
        if self.owners is None:
            self.owners = self._find() if self.bound.origins.get(self.param.name) == "argv" else []
        if entry >= len(self.owners):
            return None
        trace = self.owners[entry]
        at = self._word(trace, slot)
        return WordPlace(at, self._start(trace, at))

    def tell(self, problem: Problem, entry: int = -1) -> None:
        """Says in a message what no place says: the entry of a list (`tags[2]`), and the variable that gave the value (T3)."""
        param = self.param
        if problem.where is not None:
            return
        if entry >= 0 and param.repeatable:
            problem.message = problem.message.replace(f"`{label(param)}`", f"`{param.name}[{entry}]`", 1)
        if self.bound.origins.get(param.name) == "env":
            problem.message += f" from the variable `{param.env}`"

    def _find(self) -> list[Trace]:
        owners: list[Trace] = []
        delimiter = self.param.delimiter
        for trace in self.bound.trace:
            if trace.param != self.param.name or trace.hidden:
                continue
            at = self._word(trace, 0)
            pieces = self.bound.words[at][self._start(trace, at) :].count(delimiter) + 1 if delimiter else 1
            owners += [trace] * pieces
        return owners

    def _word(self, trace: Trace, slot: int) -> int:
        shared = bool(self.param.split or self.param.delimiter)
        return trace.words[min(1 if shared else 1 + slot, len(trace.words) - 1)]

    def _start(self, trace: Trace, at: int) -> int:
        if len(trace.words) == 1 or at != trace.words[0]:
            return 0
        end = len(trace.spelling)
        return end + (end > 2 and self.bound.words[at][end : end + 1] == "=")
