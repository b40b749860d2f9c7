"""What a tool needs of this machine: programs, versions, variables, the system (manifest.md, `needs`)."""

from __future__ import annotations

import os
import sys

from kernel import environment, launch
from kernel.errors import NOT_FOUND, USAGE, KernelError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.plan import Plan
    from kernel.spec import ToolSpec

ASKING = 5.0  # seconds a program may take to tell its version
SYSTEMS = {"linux": "linux", "darwin": "macos"}


def settle(plan: Plan) -> None:
    """Takes the builtin where the program's needs are not met; refuses a tool that has no other way to run.

    Raises KernelError E-NEEDS: 127 when a program is missing, else 2; E-USAGE for words that the builtin calls wrong.
    """
    spec = plan.spec
    if spec.builtin and spec.has_exec:
        if falls_back(spec):
            from kernel import misuse

            plan.builtin = spec.builtin
            misuse.refuse(plan.bound, plan.builtin)
        return
    problems = missing(spec)
    if problems:
        programs = any("program" in problem.facts for problem in problems)
        raise KernelError(problems, status=NOT_FOUND if programs else USAGE)


def falls_back(spec: ToolSpec) -> bool:
    """Whether a tool with both `exec` and `builtin` runs the builtin on this machine."""
    return bool(missing(spec, versions=True)) or _path_of(spec.program, spec.base) is None


def missing(spec: ToolSpec, *, versions: bool = False) -> list[Problem]:
    """What the tool needs and this machine does not have; versions are asked for only on wish."""
    tool = spec.full_name
    problems = []
    for program, condition in spec.needs_programs:
        path = _path_of(program, spec.base)
        if path is None:
            places = ":".join(launch.search_places())
            where = "install it; PATH is empty, or holds no absolute directory"
            if places:
                where = f"install it, or see that a directory of PATH holds it: {places}"
            problems.append(
                Problem("E-NEEDS", f"`{tool}` needs the program `{program}`, which is not installed", hint=where, program=program)
            )
        elif condition and versions:
            found = version(path)
            if not satisfies(found, condition):
                got = f"which is {found}" if found else "which does not tell its version"
                problems.append(
                    Problem("E-NEEDS", f"`{tool}` needs `{program}` {condition}, not `{path}`, {got}", program=program, got=found)
                )
    for name in spec.needs_env:
        if name not in environment.variables():
            hint = f"set it: export {name}=…"
            problems.append(Problem("E-NEEDS", f"`{tool}` needs the variable `{name}`, which is not set", hint=hint, variable=name))
    if spec.sandbox:
        from kernel import sandbox

        problem = sandbox.unusable(spec) if versions else sandbox.missing(spec)
        if problem is not None:
            problems.append(problem)
    system = SYSTEMS.get(sys.platform, sys.platform)
    if spec.needs_os and system not in spec.needs_os:
        wanted = " or ".join(spec.needs_os)
        problems.append(Problem("E-NEEDS", f"`{tool}` runs on {wanted}, not on {system}", wanted=list(spec.needs_os), got=system))
    return problems


def _path_of(program: str, base: str) -> str | None:
    try:
        return launch.locate(program, base)
    except KernelError:
        return None


def satisfies(found: str, condition: str) -> bool:
    """Whether a version meets a condition `>=1.7`; one that is not known meets none."""
    return bool(found) and _numbers(found) >= _numbers(condition.removeprefix(">="))


def _numbers(version: str) -> list[int]:
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    while numbers and numbers[-1] == 0:
        numbers.pop()  # 1.7.0 is 1.7
    return numbers


def version(path: str) -> str:
    """The version that a program prints for `--version`, "" for none; kept by path, size and time of change."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    key = f"{path}\n{status.st_ino} {status.st_size} {status.st_mtime_ns}\n"
    file = os.path.join(environment.cache_directory(), "versions", path.replace("%", "%%").replace("/", "%"))
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as kept:
            text = kept.read(4096)
        if text.startswith(key):
            return text[len(key) :]
    except OSError:
        pass
    found = _ask(path)
    _keep(file, key + found)
    return found


def _ask(path: str) -> str:
    import re

    from kernel import feed, process

    stdin = feed.descriptor(b"")
    try:
        outcome = process.capture(
            path, [path, "--version"], dict(environment.variables()), stdin=stdin, timeout=ASKING, output=4096
        )
    except OSError:
        return ""
    finally:
        os.close(stdin)
    if outcome.ended:
        return ""
    for data in (outcome.out.head(), outcome.err.head()):
        found = re.search(rb"\d+(?:\.\d+)+", data)
        if found:
            return found.group().decode("ascii")
    return ""


def _keep(file: str, text: str) -> None:
    """Writes atomically; a cache that cannot be written is no error."""
    temporary = f"{file}.{os.urandom(6).hex()}"
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        with open(temporary, "x", encoding="utf-8", errors="surrogateescape") as new:
            new.write(text)
        os.replace(temporary, file)
    except OSError:
        pass
