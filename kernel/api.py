"""The kernel as a library (architecture.md, Python API): tools by name, called with words or named values.

Nothing here installs a signal handler, replaces or ends the process, changes its directory or writes to its streams;
a Kernel may be used from several threads.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from kernel import bind, bind_json, check, dispatch, environment, explain, locate, masking, policy, render, store
from kernel.errors import KernelError, fail

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

    from kernel.bound import Bound
    from kernel.founding import ToolSchema
    from kernel.plan import Plan
    from kernel.result import Result
    from kernel.spec import ToolSpec

    Words = Sequence[str | bytes | os.PathLike[str] | os.PathLike[bytes]]
    Arguments = Words | Mapping[str, Any] | None
    Input = bytes | str | int | IO[Any] | None


class Kernel:
    """The tools of a search path, and those added in code.

    ``Kernel.load()`` searches as the command line does. ``call`` and ``acall`` run a tool and return its Result
    whatever the child's status; what is wrong with a call before it runs is raised as KernelError.
    """

    def __init__(self, directories: Sequence[locate.Directory]) -> None:
        self._directories = tuple(directories)
        self._added: dict[str, tuple[ToolSpec, Callable[..., Any] | None]] = {}
        self._stdin: int | bytes = b""
        self._cwd = ""
        self._timeout: float | None = None
        self._yes = False

    @classmethod
    def load(
        cls, tools: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (), *, cwd: str | os.PathLike[str] | None = None
    ) -> Kernel:
        """A kernel for the manifests that a call from ``cwd`` finds, those in the directories ``tools`` first.

        Raises KernelError (E-FILE) for one of ``tools`` that is no directory.
        """
        start = None if cwd is None else os.path.abspath(os.fspath(cwd))
        named = [tools] if isinstance(tools, (str, os.PathLike)) else tools
        kernel = cls(locate.search_path([os.fspath(each) for each in named], start))
        kernel._cwd = start or ""
        return kernel

    def using(
        self,
        *,
        stdin: Input = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        yes: bool | None = None,
    ) -> Kernel:
        """The same tools with other options; what is not given stays as it is.

        ``stdin`` is what tools read: text, bytes, a descriptor or a file (nothing by default; a file that is only in
        memory is read to its end here). ``cwd`` is the caller's working directory. ``timeout`` is in seconds, 0 for
        none, instead of the manifest's. ``yes`` confirms destructive calls, which are refused otherwise. Raises
        KernelError (E-TYPE) for what is none of these.
        """
        if timeout is not None and not (isinstance(timeout, (int, float)) and timeout >= 0):
            raise fail("E-TYPE", f"`timeout` wants seconds, 0 for none, got `{timeout!r}`")
        if yes is not None and not isinstance(yes, bool):
            raise fail("E-TYPE", f"`yes` wants True or False, got `{yes!r}`")
        other = type(self)(self._directories)
        other._added = self._added
        other._stdin = self._stdin if stdin is None else _input(stdin)
        other._cwd = self._cwd if cwd is None else os.path.abspath(os.fspath(cwd))
        other._timeout = self._timeout if timeout is None else timeout
        other._yes = self._yes if yes is None else yes
        return other

    def add(self, schema: ToolSchema, *, run: Callable[..., Any] | None = None) -> None:
        """Registers a tool from code; it comes before a manifest of the same name. Raises KernelError (E-MANIFEST …).

        Without ``run`` the schema has `exec` or `builtin`. ``run`` is called with the values by param name (`-` as
        `_`), in the calling thread: `False`, `0` and `[]` for a bool, a count and a list without a value, the others
        only when they have one. What it returns is the output: text, bytes, None for none, or data, which is written
        as JSON. An exception is exit code 1.
        """
        if not hasattr(schema, "compile"):
            raise fail("E-TYPE", f"a tool to add is a `ToolSchema`, got `{schema!r}`")
        if run is not None and not callable(run):
            raise fail("E-TYPE", f"`run` of the tool `{schema.name}` wants a function, got `{run!r}`")
        spec = schema.compile(callable=run is not None)
        self._added[spec.name] = (spec, run)

    def tool(self, name: str) -> ToolSpec:
        """The spec of a tool or subcommand: `git`, `git log`, `git_log`. Raises KernelError (E-UNKNOWN-TOOL …)."""
        if not isinstance(name, str):
            raise fail("E-TYPE", f"a tool's name is text, got `{name!r}`")
        first, *rest = name.split(" ")
        if first in self._added:
            spec = self._added[first][0]
        elif not rest and (folded := self._folded(first)) is not None:
            return folded
        else:
            spec = store.by_name(first, self._directories)
        for part in rest:
            child = spec.child(part)
            if child is None:
                from kernel.near import near

                raise fail("E-SUBCOMMAND", f"`{spec.full_name}` has no subcommand `{part}`", near=near(part, spec.child_names))
            spec = child
        return spec

    def bind(self, tool: str, arguments: Arguments = None, /, **values: Any) -> Bound:
        """A call's values, typed, completed from environment and defaults, and checked. Raises KernelError with all problems."""
        spec = self.tool(tool)
        if arguments is None or hasattr(arguments, "keys"):
            bound = bind_json.bind_mapping(spec, _merged(spec, arguments, values), escapes=True)
        elif isinstance(arguments, (str, bytes)):
            raise fail("E-TYPE", f"the words of `{tool}` are a list, not one text", hint="write kernel.call(tool, [word, …])")
        elif values:
            raise fail("E-TYPE", f"`{tool}` is called with words or with named values, not with both")
        else:
            bound = bind.bind(spec, _words(tool, arguments))
        try:
            return check.check(bound, environment.variables())
        except KernelError as error:
            raise self._completed(error, bound) from None

    def plan(self, tool: str, arguments: Arguments = None, /, **values: Any) -> Plan:
        """What a call would run, with all checks made but the confirmation. Runs nothing. Raises KernelError."""
        return self._plan(self.bind(tool, arguments, **values), ask=False)

    def call(self, tool: str, arguments: Arguments = None, /, **values: Any) -> Result:
        """Runs a tool with words (a list) or values (a mapping, or keywords) and returns its Result.

        Raises KernelError for a call that is not made: bad arguments, refused by policy. ``Result.check()`` raises
        for one that failed.
        """
        return self._run(self._plan(self.bind(tool, arguments, **values), ask=True), -1)

    async def acall(self, tool: str, arguments: Arguments = None, /, **values: Any) -> Result:
        """The same without blocking the event loop. Cancelling it ends the child's group; it returns when that is gone."""
        import asyncio
        from concurrent.futures import Future

        plan = self._plan(self.bind(tool, arguments, **values), ask=True)
        reader, writer = os.pipe()
        future: Future[Result] = Future()

        def work() -> None:
            try:
                future.set_result(self._run(plan, reader))
            except BaseException as error:
                future.set_exception(error)

        # a thread of its own: those of the default executor may all be waiting for other calls
        thread = threading.Thread(target=work, name=f"kernel {plan.spec.full_name}")
        thread.start()
        waiting = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(waiting)
        except asyncio.CancelledError:
            os.write(writer, b"!")
            while not waiting.done():
                try:
                    await asyncio.wait([waiting])
                except asyncio.CancelledError:
                    continue
            raise
        finally:
            thread.join()
            os.close(reader)
            os.close(writer)

    def _plan(self, bound: Bound, *, ask: bool) -> Plan:
        try:
            plan = render.render(bound, self._cwd)
            if self._timeout is not None:
                plan.timeout = self._timeout
            policy.judge(plan, yes=self._yes, ask=ask, cwd=self._cwd, people=False)
        except KernelError as error:
            raise self._completed(error, bound) from None
        return plan

    def _run(self, plan: Plan, cancel: int) -> Result:
        run = self._added.get(plan.spec.path[0], (None, None))[1] if plan.spec.file == "" else None
        if run is not None:
            result = _run_callable(plan, run)
        else:
            result = dispatch.captured(plan, stdin=self._stdin, cancel=cancel, one_shot=False)
        if environment.variable("KERNEL_AUDIT") == "1":
            from kernel import audit

            audit.note("python", plan.bound, result, plan)
        return result

    def _completed(self, error: KernelError, bound: Bound) -> KernelError:
        error.words = masking.words(bound)
        explain.complete(error, bound.spec)
        return error

    def _folded(self, name: str) -> ToolSpec | None:
        """`git_log` as the node `git log`: the longest beginning that is a tool, and its subcommands below it."""
        if locate.is_name(name) and locate.find(name, self._directories) is not None:
            return None
        for at in range(len(name) - 1, 0, -1):
            if name[at] == "_" and locate.is_name(name[:at]) and locate.find(name[:at], self._directories) is not None:
                return _descend(store.by_name(name[:at], self._directories), name[at + 1 :])
        return None


def _descend(spec: ToolSpec, rest: str) -> ToolSpec | None:
    for name in spec.child_names:
        folded = name.replace("-", "_")
        child = spec.child(name)
        if child is not None and rest == folded:
            return child
        if child is not None and rest.startswith(folded + "_") and (found := _descend(child, rest[len(folded) + 1 :])):
            return found
    return None


def _words(tool: str, arguments: Any) -> list[str]:
    try:
        given = list(arguments)
    except TypeError:
        message = f"the words of `{tool}` are a list, not `{arguments!r}`"
        raise fail("E-TYPE", message, hint="write kernel.call(tool, [word, …])") from None
    for number, word in enumerate(given, 1):
        if not isinstance(word, (str, bytes, os.PathLike)):
            message = f"word {number} of `{tool}` is no text, but `{word!r}`"
            raise fail("E-TYPE", message, hint="words are texts; values of other types are given by name")
    return [os.fsdecode(word) for word in given]


def _input(stdin: Any) -> int | bytes:
    if isinstance(stdin, str):
        return stdin.encode("utf-8", "surrogateescape")
    if isinstance(stdin, bytes):
        return stdin
    try:
        descriptor = stdin if isinstance(stdin, int) and not isinstance(stdin, bool) else stdin.fileno()
        os.fstat(descriptor)
    except (AttributeError, OSError, OverflowError):
        if not hasattr(stdin, "read"):
            raise fail("E-TYPE", f"`stdin` wants text, bytes, a file or an open descriptor, got `{stdin!r}`") from None
        return _input(stdin.read())
    found: int = descriptor
    return found


def _merged(spec: ToolSpec, arguments: Any, values: dict[str, Any]) -> Mapping[str, Any]:
    if not arguments:
        return values
    both = [name for name in values if name in arguments]
    if both:
        raise fail("E-DUPLICATE", f"`{both[0]}` of `{spec.full_name}` is given twice", hint="give it in the mapping or by name")
    return {**arguments, **values}


def _run_callable(plan: Plan, run: Callable[..., Any]) -> Result:
    """Runs a tool that was added in code, and makes a Result of what it returns."""
    import time

    from kernel import strict_json
    from kernel.result import Result

    result = Result()
    result.argv = plan.masked()
    started = time.monotonic()
    try:
        returned = run(**{name.replace("-", "_"): value for name, value in plan.bound.values.items()})
        if isinstance(returned, (str, bytes)):
            result.stdout_bytes = returned if isinstance(returned, bytes) else returned.encode("utf-8", "surrogateescape")
        elif returned is not None:
            result.stdout_bytes = (strict_json.dumps(returned) + "\n").encode()
            result.data = returned
        result.exit_code, result.status = 0, "ok"
    except KernelError as error:
        result.error = error
    except (Exception, SystemExit) as error:  # a tool that ends itself does not end the program it runs in
        result.exit_code = 1
        result.stderr_bytes = f"{type(error).__name__}: {error}\n".encode("utf-8", "replace")
    result.duration_s = time.monotonic() - started
    return result
