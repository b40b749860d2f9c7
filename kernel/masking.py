"""A call's words without its secrets (running.md X6): by place, never by searching text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound
    from kernel.spec import ToolSpec

HIDDEN = "***"


def words(bound: Bound) -> list[str]:
    """The call's words with `***` for those of secret params.

    Where a line of a tool with secrets could not be read, one may stand where none is looked for: of a flag that is
    spelled like a secret's only the name is shown, and nothing of the word behind it.
    """
    shown = list(bound.words)
    secrets = {param.name for param in bound.spec.params if param.secret}
    if not secrets:
        return shown
    read = {*bound.commands, bound.separator}
    for trace in bound.trace:
        read.update(trace.words)
        if trace.param not in secrets:
            continue
        own = trace.words[0] if trace.words else -1
        for index in trace.words:
            if index != own:
                shown[index] = HIDDEN
        if own >= 0 and not trace.spelling:
            shown[own] = HIDDEN
        elif own >= 0 and shown[own] != trace.spelling:
            letter = trace.spelling[1:]
            end = len(trace.spelling) if trace.spelling.startswith("--") else shown[own].find(letter, 1) + len(letter)
            shown[own] = shown[own][:end] + (f"={HIDDEN}" if trace.spelling.startswith("--") else HIDDEN)
    doubtful = any(problem.secret for problem in bound.problems)
    follows = False  # behind a flag that was not read, and may be meant for a secret's
    for index, word in enumerate(shown if bound.problems else ()):
        is_flag = word[:1] == "-" and len(word) > 1
        if follows and not is_flag:
            shown[index] = HIDDEN
        follows = is_flag and index not in read and "=" not in word and _is_meant_for_secret(bound.spec, word)
        if index not in read:
            shown[index] = unread(bound.spec, word) if is_flag else HIDDEN if doubtful else shown[index]
    return shown


def unread(spec: ToolSpec, word: str) -> str:
    """A word that spells no flag of the tool; without what stands in it when that may be meant for a secret."""
    if not _is_meant_for_secret(spec, word):
        return word
    name, equals, _ = word.partition("=")
    if word[:2] == "--":
        return name + (f"={HIDDEN}" if equals else "")
    return word[:2] + (HIDDEN if len(word) > 2 else "")


def _is_meant_for_secret(spec: ToolSpec, word: str) -> bool:
    """Whether a flag is spelled like one of a secret param; of a short word, whether there is a secret at all."""
    spellings = [spelling for param in spec.params if param.secret for spelling in param.spellings]
    name = word.partition("=")[0]
    if name[:2] != "--":
        return bool(spellings)
    from difflib import get_close_matches

    bare = [spelling.lstrip("-") for spelling in spellings]
    return any(spelling.startswith(name[2:]) for spelling in bare) or bool(get_close_matches(name[2:], bare, 1, 0.6))
