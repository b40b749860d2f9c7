"""A call's words without its secrets (running.md X6): by place, never by searching text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.bound import Bound


def words(bound: Bound) -> list[str]:
    """The call's words with `***` for those of secret params (running.md X6)."""
    shown = list(bound.words)
    secrets = {param.name for param in bound.spec.params if param.secret}
    for trace in bound.trace:
        if trace.param not in secrets:
            continue
        own = trace.words[0] if trace.words else -1
        for index in trace.words:
            if index != own:
                shown[index] = "***"
        if own >= 0 and not trace.spelling:
            shown[own] = "***"
        elif own >= 0 and shown[own] != trace.spelling:
            letter = trace.spelling[1:]
            end = len(trace.spelling) if trace.spelling.startswith("--") else shown[own].find(letter, 1) + len(letter)
            shown[own] = shown[own][:end] + ("=***" if trace.spelling.startswith("--") else "***")
    return shown
