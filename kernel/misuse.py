"""What a builtin itself says against its words, asked before it runs: the same fault at every door, with its place."""

from __future__ import annotations

from kernel import locate, masking
from kernel.bound import Bound
from kernel.builtins import usage_of
from kernel.builtins.guard import Failure
from kernel.check import check
from kernel.errors import USAGE, KernelError, Problem, WordPlace
from kernel.places import Places


def refuse(bound: Bound, builtin: str) -> None:
    """Raises KernelError E-USAGE (or E-UNSUPPORTED) for words that ``builtin`` calls wrong, whatever there is to read."""
    failure = fault(bound, builtin)
    if failure is not None:
        raise error(bound, failure)


def fault(bound: Bound, builtin: str) -> Failure | None:
    """What ``builtin`` finds wrong with the words of a checked call, None for nothing."""
    usage = usage_of(builtin)
    if usage is None:
        return None
    try:
        usage(whole(builtin, bound))
    except Failure as failure:
        return failure
    return None


def error(bound: Bound, failure: Failure) -> KernelError:
    """The error at the word of a fault, with the call's words."""
    spec = bound.spec
    param = spec.param(failure.param)
    message, hint = f"`{spec.full_name}`: {' '.join(failure.message.splitlines())}", failure.advice
    hidden = any(each.secret for each in spec.params) and (param is None or param.secret != "")
    if hidden:
        message = f"`{spec.full_name}` refuses {f'the value of `{param.name}`' if param is not None else 'its words'}"
        hint = ""
    place = None
    if failure.word >= 0:
        place = WordPlace(failure.word)
    elif param is not None:
        place = Places(bound, param).of(failure.entry, 0)
    facts: dict[str, object] = {"param": param.name} if param is not None else {}
    found = KernelError([Problem(failure.code, message, place, hint, secret=hidden, **facts)], status=USAGE)
    found.words, found.prefix = masking.words(bound), spec.path
    return found


def whole(builtin: str, bound: Bound) -> Bound:
    """The call as the builtin sees it: `complete` where the manifest is the caller's own."""
    if locate.is_shipped(builtin, bound.spec.file):
        return bound
    other = _copied(bound)
    complete(builtin, other)
    return other


def complete(builtin: str, bound: Bound) -> None:
    """Gives a builtin what its own manifest declares and the caller's leaves out: the params without a value."""
    from kernel import store
    from kernel.spec import ToolSpec

    full = store.by_name(builtin, [locate.Directory(locate.shipped_directory(), "shipped")])
    declared = {param.name for param in bound.spec.params}
    spec = ToolSpec(name=bound.spec.name, path=bound.spec.path, params=tuple([p for p in full.params if p.name not in declared]))
    rest = check(Bound(spec), {})
    bound.values.update(rest.values)
    bound.texts.update(rest.texts)
    bound.origins.update(rest.origins)


def _copied(bound: Bound) -> Bound:
    other = Bound(bound.spec, bound.words)
    other.takes, other.dropped, other.by_json = bound.takes, bound.dropped, bound.by_json
    other.values, other.texts, other.origins = dict(bound.values), dict(bound.texts), dict(bound.origins)
    return other
