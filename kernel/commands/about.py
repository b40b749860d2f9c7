"""What the program says of itself: the overview, the version, and which word is no verb."""

from __future__ import annotations

import kernel
from kernel import environment, locate, words
from kernel.commands import VERBS
from kernel.errors import USAGE, KernelError, WordPlace, fail
from kernel.present.section import Section
from kernel.present.view import show


def overview() -> list[Section]:
    """The verbs and the two lines to try first."""
    return [
        Section(f"kernel {kernel.__version__}", ["One YAML manifest per command: typed flags, help, completion and checks."]),
        Section("usage", ["kernel VERB …", "kernel call TOOL ARGS…"]),
        Section("verbs", [(name, summary) for name, (_, summary) in VERBS.items()]),
        Section("next", [("kernel list", "the tools found from here"), ("kernel help TOOL", "how one of them is used")]),
    ]


def run(word: str) -> int:
    """`kernel --version`, `kernel --help`, and `kernel` alone, which is an unfinished line (2)."""
    if word == "--version":
        environment.write_out(f"kernel {kernel.__version__}\n")
        return 0
    show(overview(), 1 if word else 2)
    return 0 if word else USAGE


def beyond(typed: list[str]) -> KernelError:
    """The error of words behind an option that stands alone."""
    error = fail("E-TOO-MANY", f"`{typed[0]}` stands alone, got `{typed[1]}` behind it", WordPlace(1), "leave it out")
    error.words, error.prefix = typed, ("kernel",)
    return error


def unknown(typed: list[str]) -> KernelError:
    """The error of a first word that is no verb: the call it meant, or the verb that is near."""
    from kernel.near import near as nearest

    first = typed[0]
    hint = f"the verbs are {', '.join([f'`{name}`' for name in VERBS])}"
    near = nearest(first, VERBS)
    try:
        found = locate.find(first, locate.search_path())
    except KernelError:
        found = None
    if found is not None:
        hint = f"a tool is run by `{words.join(['kernel', 'call', *typed])}`"
    elif near:
        hint = f"did you mean `{words.join(['kernel', near[0], *typed[1:]])}`?"
    error = fail("E-UNKNOWN-VERB", f"`{first}` is no verb of `kernel`", WordPlace(0), hint, near=near)
    error.words, error.prefix = typed, ("kernel",)
    return error
