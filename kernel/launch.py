"""What starting a program takes: its file, environment, directory, stdin and limits; and what a refusal means."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]

from kernel import environment, system
from kernel.errors import KernelError, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernel.plan import Piece, Plan

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"  # where the environment has no PATH
SERVED = frozenset(["PATH", "HOME", "LANG", "TZ", "TMPDIR", "KERNEL_CALL"])  # the last is the mark of a call this one is in


def locate(program: str, base: str, places: list[str] | None = None) -> str:
    """The absolute path of a program (X2): looked up once on the caller's PATH, or from ``base`` when it has a slash.

    Raises KernelError E-NOT-FOUND (127) or E-NOT-EXECUTABLE (126), both with the searched places.
    """
    if "/" in program:
        path = system.join(base or environment.working_directory(), program)
        if system.access(path, system.X_OK) and system.isfile(path):
            return path
        path = path.replace("/./", "/")  # what is said is to be read; `part/..` may lead over a link
        if not system.exists(path):
            raise fail("E-NOT-FOUND", f"`{program}` does not exist", hint=f"it was looked for at `{path}`", searched=[path])
        raise _not_executable(program, path, [path])
    if places is None:
        places = search_places()
    for place in places:
        path = f"{place}/{program}"
        if system.access(path, system.X_OK) and system.isfile(path):
            return path
    for place in places:
        path = f"{place}/{program}"
        if system.isfile(path):
            raise _not_executable(program, path, places)
    searched = ", ".join([f"`{place}`" for place in places]) or "nothing, as PATH has no absolute entry"
    raise fail("E-NOT-FOUND", f"`{program}` is not installed", hint=f"searched: {searched}", searched=places)


def search_places() -> list[str]:
    """The directories of the caller's PATH; empty and relative entries are skipped."""
    path = environment.variables().get("PATH", DEFAULT_PATH)
    return [place for place in path.split(":") if place[:1] == "/"]


def _not_executable(program: str, path: str, places: list[str]) -> KernelError:
    if not system.isfile(path):
        hint = f"`{path}` is no regular file"
    else:
        from kernel.words import quote

        shown = path.removeprefix(environment.working_directory().rstrip("/") + "/") if "/" in program else path
        hint = f"found `{path}`, which may not be executed: `chmod +x {quote(shown)}`"
    return fail("E-NOT-EXECUTABLE", f"`{program}` is not executable", hint=hint, searched=places)


def text_of(pieces: list[Piece]) -> str:
    return "".join([piece.text for piece in pieces])


def variables(plan: Plan, *, served: bool = False) -> dict[str, str]:
    """The caller's environment with the plan's own variables; of a served call, only what X5 lets through."""
    merged = served_variables(plan) if served else dict(environment.variables())
    for name, pieces in plan.env.items():
        merged[name] = text_of(pieces)
    return merged


def served_variables(plan: Plan) -> dict[str, str]:
    """What of this process's environment a served call sees: the harmless few, and what the manifest names (X5)."""
    named = {name for name, pieces in plan.spec.env if pieces is None}
    everything = environment.variables()
    return {name: everything[name] for name in everything if name in SERVED or name.startswith("LC_") or name in named}


def enter(plan: Plan) -> None:
    """Changes this process to the plan's working directory. Raises KernelError (E-FILE)."""
    if plan.cwd:
        try:
            system.chdir(plan.cwd)
        except OSError as error:
            raise directory_error(plan, error) from None


def directory_error(plan: Plan, error: OSError) -> KernelError:
    tool = plan.spec.full_name
    return fail("E-FILE", f"the working directory `{plan.cwd}` of `{tool}` cannot be entered: {error.strerror}")


def input_descriptor(plan: Plan) -> int:
    """The descriptor that becomes the child's stdin where the plan says so, -1 where it is the caller's."""
    if plan.stdin == "caller":
        return -1
    from kernel import feed

    return feed.descriptor(b"" if isinstance(plan.stdin, str) else system.fsencode(text_of(plan.stdin)))


def resource_limits(plan: Plan) -> list[tuple[int, tuple[int, int]]]:
    """`limits.cpu` and `limits.memory` as (resource, (soft, hard)), never above what this process may ask for (X4)."""
    limits = plan.spec.limits
    if not ("cpu" in limits or "memory" in limits):
        return []
    import resource

    wanted = []
    if "cpu" in limits:
        seconds = max(round(limits["cpu"]), 1)
        wanted.append((resource.RLIMIT_CPU, seconds, seconds + 2))
    if "memory" in limits:
        # not RLIMIT_AS: node, Java and Go reserve far more address space at start than they use
        wanted.append((resource.RLIMIT_DATA, limits["memory"], limits["memory"]))
    pairs = []
    for kind, soft, hard in wanted:
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        pairs.append((kind, (soft, hard)))
    return pairs


def start_error(plan: Plan, path: str, error: OSError) -> KernelError:
    """What the system's refusal to start a program means (126)."""
    import errno

    if error.errno == errno.E2BIG:
        return _too_long(plan)
    if error.errno == errno.ENOEXEC:
        return fail("E-NOT-EXECUTABLE", f"`{path}` is no program that the system can run", hint="a script needs a `#!` line")
    if error.errno == errno.ENOENT and system.exists(path):
        return fail("E-NOT-EXECUTABLE", f"the interpreter that `{path}` names does not exist", hint="see its `#!` line")
    return fail("E-NOT-EXECUTABLE", f"`{path}` cannot be started: {error.strerror}")


def _too_long(plan: Plan) -> KernelError:
    sizes = [len(system.fsencode(item.text())) for item in plan.items]
    index = max(range(len(sizes)), key=sizes.__getitem__)
    params = [piece.param for piece in plan.items[index].pieces if piece.param]
    named = f"argument {index}" + (f" (`{params[0]}`)" if params else "")
    return fail(
        "E-NOT-EXECUTABLE",
        f"the arguments of `{plan.spec.program}` are too long for the system: "
        f"{named} has {sizes[index]} bytes, all together have {sum(sizes)}",
        hint="hand long text over by a file or by stdin",
        item=index,
    )


def end_by_signal(signal: int | str) -> int:
    """Ends this process by a signal, given by number or name, as its child was ended (X10).

    Returns the status that a shell would show when the signal does not end it.
    """
    if isinstance(signal, str):
        name, _, above = signal.partition("+")  # `SIGRTMIN+3`
        number = int(getattr(_signal, name)) + int(above or 0)
    else:
        number = signal
    import resource

    # where the child dumped its core, a second dump of the kernel would only hide it
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (_signal.SIGKILL, _signal.SIGSTOP):
        _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [number])
    system.kill(system.getpid(), number)
    return 128 + number
