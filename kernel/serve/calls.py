"""A call of a served tool, from its arguments to its answer: judged as every call is, run in a thread, ended on a cancel."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import anyio

from kernel import audit, bind_json, check, dispatch, environment, explain, policy, process, render
from kernel.errors import KernelError, fail
from kernel.result import Result
from kernel.serve import answers, correction, pages
from kernel.serve.answers import Answer
from kernel.serve.catalogue import LEVELS, Served, effect_level

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from kernel.bound import Bound
    from kernel.plan import Plan
    from kernel.serve.jobs import Jobs

    Progress = Callable[[float], Awaitable[None]]

TIMEOUT = 50.0  # seconds of a call whose manifest says nothing (X4)
PROGRESS = 1.0  # seconds between two notices of progress
AT_ONCE = 128  # calls that run; those beyond wait for a thread


class Calls:
    """Runs calls for one server. ``workspace`` is what their paths are held to, ``allow`` the highest effect."""

    def __init__(self, workspace: str, allow: str = "read") -> None:
        self.workspace = workspace
        self.allow = allow
        self._pool = ThreadPoolExecutor(AT_ONCE, "call")
        self._lock = threading.Lock()
        self._running = 0
        self._ending = False

    @cached_property
    def jobs(self) -> Jobs:
        """The jobs of the server, which only some have."""
        from kernel.serve.jobs import Jobs

        return Jobs(self.captured, lambda: self._ending)

    def plan(self, served: Served, bound: Bound) -> Plan:
        """The judged plan of a bound call. Raises KernelError with all problems, completed with near names."""
        try:
            check.check(bound, environment.variables())
            plan = render.render(bound)
            if served.founding:
                policy.judge(plan, yes=True, workspace=self.workspace, people=False)
            else:
                if effect_level(plan.effect) > LEVELS.index(self.allow):
                    raise fail("E-EFFECT", f"these arguments make the call `{plan.effect}`, and the server allows `{self.allow}`")
                policy.judge(plan, yes=self.allow == "destructive", workspace=self.workspace, people=False, served=True)
        except KernelError as error:
            explain.complete(error, served.spec)
            raise
        plan.timeout = plan.timeout or TIMEOUT
        return plan

    async def run(self, served: Served, arguments: Mapping[str, Any], progress: Progress | None = None) -> Answer:
        """The answer of a call; what is wrong with it is an answer too. Cancelling it ends the group first."""
        bound = bind_json.bind_mapping(served.spec, arguments, by_model=True)
        try:
            plan = self.plan(served, bound)
        except KernelError as error:
            await _record_refusal(bound, error)
            example = correction.example(served.spec, arguments, error, environment.variables())
            refused = answers.of_error(error, example)
            return answers.founding_error(refused) if served.founding else refused
        if served.spec.task and not served.founding:
            try:
                return self.jobs.start(served, plan)
            except KernelError as error:
                await _record_refusal(bound, error, plan)
                return answers.of_error(error)
        try:
            with served.gate:
                result = await self.captured(plan, progress, inherits=served.founding)
        except KernelError as error:
            await _record_refusal(bound, error, plan)
            refused = answers.of_error(error)
            return answers.founding_error(refused) if served.founding else refused
        if served.founding:
            return answers.founding_result(result)
        return answers.of_result(served.spec, result, pages.keep(served.spec, result))

    async def captured(
        self,
        plan: Plan,
        progress: Progress | None = None,
        *,
        inherits: bool = False,
        cut_short: Callable[[Result], None] | None = None,
    ) -> Result:
        """Runs a judged plan in a thread. When the awaiting task is cancelled, it ends only after the group is gone.

        ``inherits`` gives the child the server's whole environment, which founding configurations count on.
        ``cut_short`` is told what a cancelled call had come to until then.
        """
        reader, writer = os.pipe()
        began = time.monotonic()
        cancelled = threading.Event()
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._work, plan, reader, cancelled, inherits)
        try:
            while True:
                await asyncio.wait([future], timeout=PROGRESS if progress is not None else None)
                if future.done():
                    return future.result()
                if progress is not None:
                    await progress(time.monotonic() - began)
        except BaseException:
            cancelled.set()
            os.write(writer, b"!")
            with anyio.CancelScope(shield=True):
                await asyncio.wait([future])
            if cut_short is not None and future.exception() is None:
                cut_short(future.result())
            raise
        finally:
            os.close(reader)
            os.close(writer)

    def _work(self, plan: Plan, cancel: int, cancelled: threading.Event, inherits: bool) -> Result:
        with self._lock:
            if self._ending or cancelled.is_set():
                return Result()  # nobody reads it
            self._running += 1
        try:
            result = dispatch.captured(plan, stdin=b"", cancel=cancel, one_shot=False, served=not inherits)
            audit.note("mcp", plan.bound, result, plan, served=True)
            return result
        finally:
            with self._lock:
                self._running -= 1

    def end(self) -> None:
        """Ends every call: no other begins, and all groups are gone when it returns. For a thread of its own."""
        with self._lock:
            self._ending = True
        while self._running:
            process.end_all()
            time.sleep(0.005)

    def close(self) -> None:
        """Lets go of what a server holds, after its event loop has ended."""
        if "jobs" in self.__dict__:
            self.jobs.close()


async def _record_refusal(bound: Bound, error: KernelError, plan: Plan | None = None) -> None:
    """Records a call that does not run; in a thread, as another process may hold the record."""
    if audit.wanted(served=True):
        await asyncio.to_thread(audit.note_refused, "mcp", bound, error, plan, served=True)
