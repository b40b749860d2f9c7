"""Long work (serving.md): a tool with `task: true` returns the handle of a job; three tools of the server follow it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from kernel import environment, spill
from kernel.errors import KernelError, fail
from kernel.limits import Gate
from kernel.present.answer import LONGEST_ERROR, clean
from kernel.result import Result
from kernel.serve import pages
from kernel.serve.answers import Answer
from kernel.serve.job_records import SERVER_ENDED, Record, Records
from kernel.serve.own_tools import OwnTool, described, param

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel.plan import Plan
    from kernel.serve.calls import Progress
    from kernel.serve.catalogue import Served


class Run(Protocol):
    """Makes a call of a plan; ``cut_short`` is told what it had come to when it was cancelled."""

    async def __call__(self, plan: Plan, *, cut_short: Callable[[Result], None]) -> Result: ...


MOST_WAITING: Final = 100  # jobs of a tool that have not ended
LOOK: Final = 0.5  # seconds between two looks for jobs that another server was asked to cancel
LONGEST_WAIT: Final = 45  # seconds that `job_status` waits at most: less than clients wait for an answer


class Jobs:
    """The jobs of one server: tasks of its event loop, each with its record.

    ``run`` makes a call of a plan; ``is_ending`` says whether the server has begun to end those that run.

    A job waits (`queued`) while as many of its tool run as may run at once. When the server ends, its jobs end with it.
    """

    def __init__(self, run: Run, is_ending: Callable[[], bool], records: Records | None = None) -> None:
        self._run = run
        self._is_ending = is_ending
        self.records = records or Records(os.path.join(environment.state_directory(), "jobs"))
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._cancelled: set[str] = set()
        self._doors: dict[str, tuple[Gate, asyncio.Semaphore]] = {}
        self._looker: asyncio.Task[None] | None = None

    def start(self, served: Served, plan: Plan) -> Answer:
        """Begins a job of a judged plan: the answer with its handle. Raises KernelError: E-RATE, E-BUSY, E-FILE."""
        gate, room = self._door(served)
        gate.__enter__()
        try:
            id = self.records.add(served.name)
            plan.timeout = served.spec.timeout
            self._tasks[id] = asyncio.get_running_loop().create_task(self._work(id, plan, gate, room))
        except BaseException:
            gate.__exit__()
            raise
        if self._looker is None or self._looker.done():
            self._looker = asyncio.get_running_loop().create_task(self._look())
        facts = {"job": id, "tool": served.name, "state": "queued"}
        text = f"The job `{id}` has begun. `job_status` says how far it is, `job_output` what it wrote, `job_cancel` ends it."
        return Answer([text], facts)

    def _door(self, served: Served) -> tuple[Gate, asyncio.Semaphore]:
        """What counts the jobs that have not ended, and the room for those that run."""
        gate = served.gate
        known = self._doors.get(served.name)
        if known is None or known[0].rate != gate.rate:
            known = self._doors[served.name] = Gate(served.name, MOST_WAITING, gate.rate), asyncio.Semaphore(gate.concurrency)
        return known

    async def _work(self, id: str, plan: Plan, gate: Gate, room: asyncio.Semaphore) -> None:
        """One job, from the queue to its record. A record that cannot be written is one that the next server fails."""
        until_then = Result()

        def cut_short(result: Result) -> None:
            nonlocal until_then
            until_then = result

        try:
            with contextlib.suppress(KernelError):
                async with room:
                    self.records.begin(id)
                    result = await self._run(plan, cut_short=cut_short)
                error = str(result.error) if result.error is not None else None
                if self._is_ending() and not result.ok:
                    error = SERVER_ENDED
                self._keep(id, result, "done" if result.ok else "failed", error)
        except asyncio.CancelledError:
            with contextlib.suppress(KernelError):
                if id in self._cancelled:
                    self._keep(id, until_then, "cancelled")
                else:
                    self._keep(id, until_then, "failed", SERVER_ENDED)
            raise
        finally:
            gate.__exit__()
            self._tasks.pop(id, None)
            self._cancelled.discard(id)

    def _keep(self, id: str, result: Result, state: str, error: str | None = None) -> None:
        """The record of a job's end, and its output, which may be that of a part of the work."""
        output = result.stdout_spill
        if output is None and result.stdout_bytes and (made := spill.create(pages.directory())) is not None:
            descriptor, output = made
            try:
                spill.write(descriptor, memoryview(result.stdout_bytes))
            finally:
                os.close(descriptor)
        self.records.end(
            id,
            state,
            exit_code=result.exit_code,
            signal=result.signal,
            error=error,
            output=output,
            stderr=clean(result.stderr)[:LONGEST_ERROR] or None,
        )

    async def _look(self) -> None:
        """Cancels what was asked for at another server, while there are jobs."""
        while self._tasks:
            await asyncio.sleep(LOOK)
            with contextlib.suppress(KernelError):
                for id in self.records.unwanted():
                    self._end(id)

    def _end(self, id: str) -> bool:
        task = self._tasks.get(id)
        if task is None:
            return False
        self._cancelled.add(id)
        task.cancel()
        return True

    def close(self) -> None:
        """The server ends: no job of it is left open. For after its calls have ended."""
        for id in list(self._tasks):
            with contextlib.suppress(KernelError):
                self.records.end(id, "failed", error=SERVER_ENDED)
        self.records.close()

    # The tools

    def tools(self) -> tuple[OwnTool, ...]:
        """`job_status`, `job_output` and `job_cancel`."""
        job = param("job", "string", "The handle that the tool returned.", required=True)
        wait = param("wait", "int", "Wait up to so many seconds for the job to end.", minimum="0", maximum=str(LONGEST_WAIT))
        offset = param("offset", "int", "The byte to go on from, as the page before said.", minimum="0")
        status = described(
            "job_status", "State of a job", "Say whether a job is queued, running, done, failed or cancelled.", job, wait
        )
        output = described("job_output", "Output of a job", "Read what a job wrote, page by page, when it has ended.", job, offset)
        cancel = described("job_cancel", "Cancel a job", "End a job and all its processes.", job)
        cancel.effect = "write"
        return OwnTool(status, self._status), OwnTool(output, self._output), OwnTool(cancel, self._cancel)

    async def _status(self, values: dict[str, Any], _: Progress | None) -> Answer:
        end = time.monotonic() + values.get("wait", 0)
        while (record := self._record(values["job"])).is_open and (left := end - time.monotonic()) > 0:
            await self._pause(record.id, left)
        return _state(record)

    async def _output(self, values: dict[str, Any], _: Progress | None) -> Answer:
        record = self._record(values["job"])
        if record.is_open:
            return Answer([f"[{_how(record)}: its output can be read when it has ended]"])
        if not record.output:
            page = "[no output is kept]" if record.error == SERVER_ENDED else "[it wrote nothing]"
        else:
            handle = os.path.basename(record.output).removesuffix(".out")
            page = pages.read(handle, values.get("offset", 0)).texts[0]
        said = [f"[stderr]\n{record.stderr}"] if record.stderr and not values.get("offset") else []
        return Answer([f"[{_how(record)}]", page, *said])

    async def _cancel(self, values: dict[str, Any], _: Progress | None) -> Answer:
        record = self._record(values["job"])
        if not record.is_open:
            return _state(record)
        if not self._end(record.id):
            self.records.unwant(record.id)
        end = time.monotonic() + 10 * LOOK
        while (record := self._record(record.id)).is_open and (left := end - time.monotonic()) > 0:
            await self._pause(record.id, left)
        return _state(record)

    async def _pause(self, id: str, seconds: float) -> None:
        """Until the job of this server ends, or for a moment where it is another server's."""
        task = self._tasks.get(id)
        if task is None:
            await asyncio.sleep(min(seconds, LOOK))
        else:
            await asyncio.wait([task], timeout=seconds)

    def _record(self, id: str) -> Record:
        record = self.records.get(id)
        if record is None:
            raise fail(
                "E-FILE", f"there is no job `{id}`, or no longer", hint="a job is forgotten a day after its end", param="job"
            )
        return record


def _state(record: Record) -> Answer:
    facts: dict[str, Any] = {"job": record.id, "tool": record.tool, "state": record.state}
    if record.exit_code is not None:
        facts["exitCode"] = record.exit_code
    for name, seconds in (("startedAt", record.started), ("endedAt", record.ended)):
        if seconds is not None:
            facts[name] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    if record.error:
        facts["error"] = record.error
    return Answer([_how(record)], facts)


def _how(record: Record) -> str:
    """The state in words."""
    parts = [f"{record.tool}: {record.state}"]
    if record.exit_code is not None:
        parts.append(f"exit status {record.exit_code}")
    elif record.signal:
        parts.append(f"ended by {record.signal}")
    if record.error:
        parts.append(record.error)
    if record.started is not None:
        parts.append(f"{(record.ended or time.time()) - record.started:.1f} s")
    return ", ".join(parts)
