"""A call in a sandbox of bubblewrap's, where the manifest asks for one (manifest.md, `sandbox`).

Inside, only the places under `write` can be changed. With `read`, no files exist but those places, the system's own
directories and the program; without it everything can be read. `network: none` leaves no network. Processes outside
are neither seen nor reached, and those inside end with the call. There is no falling back: a sandbox that cannot be
set up is a refusal.
"""

from __future__ import annotations

import os

from kernel import environment, feed, launch, process
from kernel.errors import KernelError, Problem, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernel.plan import Plan
    from kernel.spec import ToolSpec

PROGRAM = "bwrap"
ALWAYS = ("--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL", "--die-with-parent")
# what a program needs to start at all, where `read` leaves out the rest
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu")
ASKING = 10.0  # seconds that setting up an empty sandbox may take


def command(plan: Plan, path: str, argv: list[str], needed: Iterable[str]) -> tuple[str, list[str]]:
    """What to start so that ``path`` runs with ``argv`` in the sandbox of the plan's tool: (path, argv).

    ``needed`` are the files that the program is made of. Its own name, `argv[0]`, is its path there. Raises
    KernelError (E-SANDBOX) where the sandbox cannot be set up, which is tried out first.
    """
    spec = plan.spec
    problem = missing(spec)
    if problem is not None:
        raise KernelError([problem])
    limiter = _limiter(plan)
    prefix = [_bubblewrap() or PROGRAM, *options(spec, [*needed, *limiter[:1]], _directory(plan))]
    refusal = _try(spec, prefix)
    if refusal is not None:
        raise KernelError([refusal])
    return prefix[0], [*prefix, "--", *limiter, path, *argv[1:]]


def options(spec: ToolSpec, needed: Iterable[str] = (), cwd: str = "/") -> list[str]:
    """The options of bubblewrap for a tool whose program lies in the files ``needed``, started in ``cwd``.

    Raises KernelError (E-SANDBOX) for a place that does not exist.
    """
    sandbox = spec.sandbox
    places = {_place(spec, place): "--ro-bind" for place in sandbox.get("read", ())}
    places.update({_place(spec, place): "--bind" for place in sandbox.get("write", ())})
    out = list(ALWAYS)
    if sandbox.get("network") == "none":
        out.append("--unshare-net")
    root = places.pop("/", "" if "read" in sandbox else "--ro-bind")
    if root:
        out += [root, "/", "/"]
    else:
        out += _system()
        for file in needed:
            for name in (file, os.path.realpath(file)):  # where a visible link leads nowhere, nothing starts
                if os.path.exists(name) and not name.startswith(tuple([f"{place}/" for place in (*SYSTEM, *places)])):
                    places.setdefault(name, "--ro-bind")
        out += ["--dir", cwd]
    out += ["--dev", "/dev", "--proc", "/proc"]
    for place in sorted(places, key=lambda each: each.count("/")):  # the inner place decides
        out += [places[place], place, place]
    if not root:
        out += ["--remount-ro", "/"]
    return [*out, "--chdir", cwd]


def missing(spec: ToolSpec) -> Problem | None:
    """What keeps a tool's sandbox from being set up on this machine, as far as a look at the PATH tells."""
    if not spec.sandbox or _bubblewrap() is not None:
        return None
    hint = "install bubblewrap; a tool with `sandbox` never runs without it"
    return Problem("E-SANDBOX", f"`{spec.full_name}` runs in a sandbox only, and `{PROGRAM}` is not installed", hint=hint)


def unusable(spec: ToolSpec) -> Problem | None:
    """The same with trying it out: sets the tool's sandbox up and ends it."""
    if not spec.sandbox:
        return None
    try:
        return missing(spec) or _try(spec, [_bubblewrap() or PROGRAM, *options(spec)])
    except KernelError as error:
        return error.problems[0]


def _bubblewrap() -> str | None:
    try:
        return launch.locate(PROGRAM, "")
    except KernelError:
        return None


def _try(spec: ToolSpec, prefix: list[str]) -> Problem | None:
    """Runs `true` in the sandbox: what bubblewrap says when it fails."""
    probe = os.path.realpath(launch.locate("true", ""))
    stdin = feed.descriptor(b"")
    try:
        argv = [*prefix, "--", probe]
        outcome = process.capture(prefix[0], argv, dict(environment.variables()), stdin=stdin, timeout=ASKING, output=4096)
        said = outcome.err.head().decode("utf-8", "replace").strip()
    except OSError as error:
        said = str(error.strerror)
    else:
        if outcome.status == 0:
            return None
    finally:
        os.close(stdin)
    message = f"the sandbox of `{spec.full_name}` cannot be set up here, so it does not run"
    return Problem("E-SANDBOX", message, hint=said or "bubblewrap ended without a word")


def _place(spec: ToolSpec, place: str) -> str:
    """A place of the manifest with its links followed; relative ones start at the directory that holds `tools.d/`."""
    start = spec.base or environment.working_directory()
    path = os.path.join(start, os.path.expanduser(place) if place[:1] == "~" else place)
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        message = f"the sandbox of `{spec.full_name}` names `{place}`, which cannot be used: {error.strerror}"
        raise fail("E-SANDBOX", message, hint="make the place, or take it out of `sandbox`") from None


def _system() -> list[str]:
    """The system's directories; `/bin` and its like stay the links that they are on most systems."""
    out: list[str] = []
    for place in SYSTEM:
        if os.path.islink(place):
            out += ["--symlink", os.readlink(place), place]
        elif os.path.isdir(place):
            out += ["--ro-bind", place, place]
    resolver = os.path.realpath("/etc/resolv.conf")
    if not resolver.startswith("/etc/") and os.path.isfile(resolver):
        out += ["--ro-bind", resolver, resolver]
    return out


def _limiter(plan: Plan) -> list[str]:
    """`prlimit` with the call's limits: those of bubblewrap's own process come too late for its child."""
    import resource

    names = {resource.RLIMIT_CPU: "cpu", resource.RLIMIT_DATA: "data"}
    limits = [f"--{names[kind]}={soft}:{hard}" for kind, (soft, hard) in launch.resource_limits(plan)]
    if not limits:
        return []
    try:
        return [launch.locate("prlimit", ""), *limits, "--"]
    except KernelError:
        message = f"the `limits` of `{plan.spec.full_name}` cannot be kept in its sandbox: `prlimit` is not installed"
        raise fail("E-SANDBOX", message, hint="install util-linux") from None


def _directory(plan: Plan) -> str:
    return os.path.realpath(plan.cwd or environment.working_directory())
