"""Asking a person on the terminal before a call runs, and remembering a "yes, always" (running.md X9)."""

from __future__ import annotations

import os

from kernel import environment
from kernel.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.plan import Plan

TERMINAL = "/dev/tty"
_session: set[str] = set()  # calls confirmed for as long as this process lives


def require(plan: Plan, people: bool = True, *, session: bool = False) -> None:
    """Returns when the call is confirmed: now on the terminal, or before by "always". Raises KernelError (E-EFFECT).

    ``people=False`` asks nobody. ``session`` offers "for this session", where the process is one.
    """
    key = call_key(plan)
    if key in _session or os.path.exists(_file(key)):
        return
    tool = plan.spec.full_name
    what = f"`{tool}` is destructive" if plan.effect == "destructive" else f"`{tool}` asks before it runs"
    if not people:
        raise fail("E-EFFECT", f"{what} and was not confirmed", hint="confirm it in the code: `kernel.using(yes=True)`")
    answer = _ask(plan, session)
    if answer is None:
        hint = f"add `--yes`: kernel call --yes {plan.spec.path[0] if plan.spec.path else plan.spec.name} …"
        raise fail("E-EFFECT", f"{what}, and there is no terminal to confirm it on", hint=hint)
    if answer == "n":
        raise fail("E-EFFECT", f"{what} and was not confirmed")
    if answer == "a":
        _remember(key, plan)
    elif answer == "s":
        _session.add(key)


def call_key(plan: Plan) -> str:
    """What "these values" are: the manifest by path and content, the leaf, every value but a secret's.

    A tool with path params is confirmed for one working directory: the same words name other files elsewhere.
    """
    import hashlib

    from kernel import strict_json

    spec, bound = plan.spec, plan.bound
    content = ""
    if spec.file:
        try:
            with open(spec.file, "rb") as file:
                content = hashlib.sha256(file.read()).hexdigest()
        except OSError:
            content = "unreadable"
    secret = {param.name for param in spec.params if param.secret}
    values = {name: "***" if name in secret else text for name, text in bound.texts.items()}
    at_paths = any(slot.path for param in spec.params for slot in param.slots)
    where = (plan.cwd or environment.working_directory()) if at_paths else ""
    argv = [] if spec.file else plan.masked()
    parts: list[Any] = [spec.file, content, list(spec.path), values, where, argv]
    return hashlib.sha256(strict_json.dumps(_exact(parts)).encode()).hexdigest()


def _exact(value: Any) -> Any:
    """Texts with bytes that are no UTF-8 told apart, as JSON cannot."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").hex()
    if isinstance(value, dict):
        return {name: _exact(value[name]) for name in sorted(value)}
    return [_exact(each) for each in value] if isinstance(value, (list, tuple)) else str(value)


def _file(key: str) -> str:
    return os.path.join(environment.state_directory(), "confirmed", key)


def _remember(key: str, plan: Plan) -> None:
    """Keeps the answer, with a line for a person who looks into the file; a state that cannot be written is no error."""
    file = _file(key)
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        with open(file, "x", encoding="utf-8") as kept:
            kept.write(f"{plan.spec.file}\n{_line(plan)}\n")
    except OSError:
        pass


def _line(plan: Plan) -> str:
    from kernel import words

    texts = plan.masked() if not plan.builtin else [*plan.spec.path, *_shown_words(plan)]
    return printable(words.join(texts))


def _shown_words(plan: Plan) -> list[str]:
    """A builtin's words as typed; with a secret among them, none."""
    return [] if any(param.secret for param in plan.spec.params) else plan.bound.words


def printable(text: str) -> str:
    """Text for the terminal: control, bidi and invisible characters as escapes."""
    return "".join([each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text])


def _ask(plan: Plan, session: bool) -> str | None:
    """The first letter of the answer: y, n, s or a; None without a terminal."""
    try:
        terminal = os.open(TERMINAL, os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    question = printable(plan.spec.confirm) or f"Run `{printable(plan.spec.full_name)}`? It is destructive."
    choices = "[y]es, once / [s] for this session / [a]lways / [N]o" if session else "[y]es, once / [a]lways / [N]o"
    try:
        environment.write_all(terminal, f"{_line(plan)}\n{question}\n{choices}: ".encode("utf-8", "replace"))
        answer = os.read(terminal, 1024).decode("utf-8", "replace").strip().lower()
    except OSError:
        return None
    finally:
        os.close(terminal)
    if answer in ("y", "yes", "once"):
        return "y"
    if answer in ("a", "always"):
        return "a"
    return "s" if session and answer in ("s", "session") else "n"
