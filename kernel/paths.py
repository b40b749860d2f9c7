"""Are the paths of a call inside its roots, and is none denied? (running.md X7)

Judged when the call is made: what changes afterwards is not seen. This is no sandbox.
"""

from __future__ import annotations

import os
import stat

from kernel import environment
from kernel.errors import Problem, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from kernel.plan import Item, Plan
    from kernel.spec import ParamSpec

    # the child's working directory -> (param that leads there, what is done with the file, its name)
    Others = Callable[[str], Iterable[tuple[str, str, str]]]

MOST_LINKS = 40


class Unresolvable(Exception):
    """A path that leads nowhere: a dangling link, a loop, a file in place of a directory."""


def problems(
    plan: Plan, workspace: str = "", cwd: str = "", *, served: bool = False, others: Others | None = None
) -> list[Problem]:
    """What is wrong with the paths of a call that is held to roots, one problem for each value.

    Roots are the manifest's, else ``workspace``; without either only `deny` is judged. Relative roots and denied
    places start at the workspace, else at the directory that holds `tools.d/`; relative values at the child's
    working directory. ``served`` denies as well what no agent is to touch: the kernel's own directories, and names like
    `.git` and `.env` at any depth. ``others`` is asked last, of a call whose own paths pass, which files it opens
    besides. Raises KernelError (E-PATH) for a denied place that cannot be resolved.
    """
    spec = plan.spec
    caller = cwd or environment.working_directory()
    start = os.path.join(caller, workspace) if workspace else spec.base or caller
    roots = [_place(root, start) for root in spec.roots] or ([_place(start, start)] if workspace else [])
    denied = [_denied(place, start) for place in spec.deny]
    if served:
        denied += [place for place in map(_own, _own_directories()) if place]

    def refused(candidate: str, directory: str, use: str) -> str:
        reason = judge(candidate, directory, roots, denied)
        if served and not reason and is_guarded(resolve(os.path.join(directory, candidate)), use):
            return "guarded"
        return reason

    found = []
    for param, slot, text in _values(plan):
        # a param that chooses the child's directory is itself relative to the caller's
        directory = caller if spec.cwd == f"{{{param.name}}}" else plan.cwd or caller
        candidates = [text] if param.slots[slot].path else []
        candidates += [path for path in _in_items(plan, param.name, text) if path != text]
        for candidate in candidates:
            reason = refused(candidate, directory, param.slots[slot].path)
            if reason:
                found.append(_problem(param.name, text, candidate, reason, bool(spec.roots)))
                break
    for name, use, text in others(plan.cwd or caller) if others is not None and not found else ():
        reason = refused(text, plan.cwd or caller, use)
        if reason:
            found.append(_problem(name, text, text, reason, bool(spec.roots)))
    return found


def judge(path: str, directory: str, roots: Sequence[str], denied: Sequence[str]) -> str:
    """Why a path may not be used: `denied`, `outside`, `unresolvable`; "" when it may. Deny wins.

    ``roots`` and ``denied`` are resolved places; no roots means everywhere.
    """
    try:
        place = resolve(os.path.join(directory, path))
    except Unresolvable:
        return "unresolvable"
    if any(is_inside(place, each) for each in denied):
        return "denied"
    if roots and not any(is_inside(place, root) for root in roots):
        return "outside"
    return ""


def resolve(path: str) -> str:
    """An absolute path with all links followed, before `..` is applied, component by component.

    What does not exist is named below its deepest existing ancestor. Raises Unresolvable.
    """
    waiting = [part for part in reversed(path.split("/")) if part]
    place = "/"
    links = 0
    while waiting:
        part = waiting.pop()
        if part == ".":
            continue
        if part == "..":
            place = os.path.dirname(place)
            continue
        candidate = os.path.join(place, part)
        try:
            mode = os.lstat(candidate).st_mode
        except FileNotFoundError:
            rest = list(reversed(waiting))
            if ".." in rest:
                raise Unresolvable from None  # the system finds nothing there either
            return os.path.join(candidate, *[each for each in rest if each != "."])
        except (OSError, ValueError):
            raise Unresolvable from None
        if stat.S_ISLNK(mode):
            links += 1
            try:
                os.stat(candidate)
                target = os.readlink(candidate)
            except OSError:
                raise Unresolvable from None
            if links > MOST_LINKS:
                raise Unresolvable
            if target.startswith("/"):
                place = "/"
            waiting.extend([each for each in reversed(target.split("/")) if each])
            continue
        if waiting and not stat.S_ISDIR(mode):
            raise Unresolvable
        place = candidate
    return place


def is_inside(place: str, root: str) -> bool:
    """Whether a resolved place is the root or lies below it, by whole components."""
    return place == root or place.startswith(root if root == "/" else root + "/")


def is_guarded(place: str, use: str) -> bool:
    """Whether a resolved place has a component that served calls may not touch, read or written (X7)."""
    for part in place.split("/"):
        if part in (".git", ".env") or part.startswith(".env.") or (part == "tools.d" and use != "read"):
            return True
    return False


def _own_directories() -> list[str]:
    return [environment.config_directory(), environment.cache_directory(), environment.state_directory()]


def _own(place: str) -> str:
    try:
        return resolve(place)
    except Unresolvable:
        return ""


def _expanded(place: str, start: str) -> str:
    if place == "~" or place.startswith("~/"):
        return environment.home() + place[1:]
    return os.path.join(start, place)


def _place(root: str, start: str) -> str:
    path = _expanded(root, start)
    try:
        return resolve(path)
    except Unresolvable:
        raise fail("E-PATH", f"the root `{root}` cannot be resolved", hint="see its links") from None


def _denied(place: str, start: str) -> str:
    try:
        return resolve(_expanded(place, start))
    except Unresolvable:
        hint = "a denied place may be missing, but no dangling link"
        raise fail("E-PATH", f"the denied place `{place}` cannot be resolved", hint=hint) from None


def _values(plan: Plan) -> Iterator[tuple[ParamSpec, int, str]]:
    """Every text of a param with `path`, with its slot."""
    for param in plan.spec.params:
        if any(slot.path for slot in param.slots) and plan.bound.has(param.name):
            yield from _texts(param, plan.bound.texts[param.name])


def _texts(param: ParamSpec, text: Any) -> Iterator[tuple[ParamSpec, int, str]]:
    if isinstance(text, str):
        yield param, 0, text
    elif param.is_tuple and text and isinstance(text[0], str):
        for slot, each in enumerate(text):
            if param.slots[slot].path:
                yield param, slot, each
    else:
        for each in text:
            yield from _texts(param, each)


def _in_items(plan: Plan, name: str, text: str) -> Iterator[str]:
    """The paths that the child will see where a template puts text round the value."""
    for item in plan.items:
        own = [piece for piece in item.pieces if piece.param == name]
        if len(own) == 1 and own[0].text == text and len(item.pieces) > 1:
            yield _without_prefix(item)
    for pieces in plan.env.values():
        if len(pieces) > 1 and any(piece.param == name and piece.text == text for piece in pieces):
            yield "".join([piece.text for piece in pieces])


def _without_prefix(item: Item) -> str:
    """An item without `--name=` or `-x` at its front, where that is literal."""
    text = item.text()
    first = item.pieces[0]
    literal = "" if first.param else first.text
    if literal[:2] == "--":
        return text[literal.index("=") + 1 :] if "=" in literal else text
    if len(literal) > 1 and literal[0] == "-":
        return text[2:]
    return text


def _problem(name: str, text: str, candidate: str, reason: str, from_manifest: bool) -> Problem:
    roots = "the manifest's `roots`" if from_manifest else "the workspace"
    shown = f"`{name}`: `{text}`" + (f" (as `{candidate}`)" if candidate != text else "")
    message, hint = {
        "denied": (f"{shown} is denied", "a `deny` names the place, or it is one of the kernel's own"),
        "guarded": (f"{shown} is denied", "no served call touches `.git`, `.env` or, to write, `tools.d`"),
        "outside": (f"{shown} lies outside {roots}", f"give a path inside {roots}"),
        "unresolvable": (f"{shown} cannot be resolved", "it leads over a dangling link, a loop, or a file that is no directory"),
    }[reason]
    return Problem("E-PATH", message, hint=hint, param=name, reason=reason)
