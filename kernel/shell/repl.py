"""`kernel repl`: the shell, with the words that `kaish` takes."""

from __future__ import annotations

from kernel import environment
from kernel.check import check
from kernel.shell.state import KNOWN
from kernel.spec import ParamSpec, Slot, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound


def _switch(name: str, letter: str, description: str) -> ParamSpec:
    slots = (Slot(type="bool"),)
    return ParamSpec(name=name, description=description, slots=slots, spellings=(letter,), declared=1, in_rest=True)


PARAMS = (
    ParamSpec(
        name="line",
        description="Run this line; the words behind it are `$0`, `$1` and so on.",
        slots=(Slot(name="LINE"),),
        spellings=("-c",),
        declared=1,
        in_rest=True,
    ),
    _switch("errexit", "-e", "End at the first command that fails (`set -e`)."),
    _switch("nounset", "-u", "A variable without a value is an error (`set -u`)."),
    ParamSpec(
        name="option",
        description="Turn an option on by its name (`set -o NAME`).",
        slots=(Slot(name="NAME", choices=tuple([(name, "") for name in KNOWN])),),
        spellings=("-o",),
        declared=1,
        repeatable=True,
        in_rest=True,
    ),
    ParamSpec(name="words", description="The script and its arguments.", positional=True, repeatable=True, in_rest=True),
)
SPEC = ToolSpec(
    name="repl",
    path=("kernel", "repl"),
    description="Start the shell `kaish`: a prompt, a script, or one line. Without a script, commands come from standard input.",
    effect="write",
    params=PARAMS,
    spellings={spelling: index for index, param in enumerate(PARAMS) for spelling in param.spellings},
    positionals=(len(PARAMS) - 1,),
    flags="before-operands",
)


def run(bound: Bound) -> int:
    """Runs the shell to its end. Raises KernelError for a wrong word."""
    check(bound, environment.variables())
    from kernel.shell import doors

    return doors.run(bound.words)
