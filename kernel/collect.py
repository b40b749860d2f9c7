"""A plan run to a Result: program or builtin in a process of its own, output collected (running.md, Result)."""

from __future__ import annotations

import os
import signal
import stat

from kernel import child, environment, feed, launch, process, terminal
from kernel.errors import KernelError, fail
from kernel.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.plan import Plan
    from kernel.stream import Stream


def run(plan: Plan, *, stdin: int | bytes, cancel: int = -1, one_shot: bool = False, served: bool = False) -> Result:
    """Runs the plan and returns what came of it; see ``dispatch.captured``."""
    result = Result()
    result.argv = plan.masked()
    owned: list[int] = []
    try:
        descriptor = launch.input_descriptor(plan)
        if descriptor < 0 and not isinstance(stdin, bytes) and _is_open(stdin):
            descriptor = stdin
        else:
            if descriptor < 0:
                descriptor = feed.descriptor(stdin if isinstance(stdin, bytes) else b"")
            owned.append(descriptor)
        path, argv, keep = child.command(plan)
        if keep >= 0:
            owned.append(keep)
        outcome, received = _capture(plan, path, argv, descriptor, keep, cancel, one_shot, served)
    except KernelError as error:
        result.error = error
        return result
    finally:
        for each in owned:
            os.close(each)
    _fill(plan, result, outcome, received)
    return result


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _capture(
    plan: Plan, path: str, argv: list[str], stdin: int, keep: int, cancel: int, one_shot: bool, served: bool
) -> tuple[process.Outcome, int]:
    """The outcome, and the signal that cancelled the call (0 for none)."""
    limits = plan.spec.limits
    directory = os.path.join(environment.state_directory(), "output") if limits.get("spill") else ""
    options: dict[str, Any] = {
        "stdin": stdin,
        "cwd": plan.cwd,
        "keep": keep,
        "timeout": plan.timeout,
        "output": limits.get("output", process.OUTPUT),
        "spill": directory,
        "limits": launch.resource_limits(plan),
        "one_shot": one_shot,
    }
    variables = launch.variables(plan, served=served)
    try:
        if not one_shot:
            return process.capture(path, argv, variables, cancel=cancel, **options), 0
        from kernel.interrupts import Interrupts

        modes = terminal.settings()
        with Interrupts() as interrupts:
            outcome = process.capture(path, argv, variables, cancel=interrupts.descriptor, reader=_reader(), **options)
            if outcome.ended:
                terminal.put_back(modes)
            return outcome, interrupts.received
    except OSError as error:
        if plan.cwd and not os.path.isdir(plan.cwd):
            raise launch.directory_error(plan, error) from None
        raise launch.start_error(plan, path, error) from None


def _reader() -> int:
    """Stdout where it is a pipe: nobody is left to tell when its reader goes (X11)."""
    try:
        return 1 if stat.S_ISFIFO(os.fstat(1).st_mode) else -1
    except OSError:
        return -1


def _fill(plan: Plan, result: Result, outcome: process.Outcome, received: int) -> None:
    spec, status = plan.spec, outcome.status
    result.duration_s = outcome.duration
    result.stdout_bytes, result.stdout_tail = _kept(outcome.out)
    result.stderr_bytes, result.stderr_tail = _kept(outcome.err)
    result.stdout_truncated, result.stderr_truncated = outcome.out.truncated, outcome.err.truncated
    result.stdout_size, result.stderr_size = outcome.out.size, outcome.err.size
    result.stdout_spill, result.stderr_spill = outcome.out.spill, outcome.err.spill
    if status is not None and status < 0:
        result.signal = signal_name(-status)
    if outcome.ended == "timeout":
        result.timed_out = True
        result.error = timed_out(plan)
    elif outcome.ended:
        if received:
            result.signal = signal_name(received)
    elif status is None:
        result.error = fail("E-INTERNAL", f"the exit status of `{spec.program}` was lost: this process waits for it elsewhere too")
    elif status >= 0:
        result.exit_code = status
        result.status = spec.exits.get(status, "ok" if status == 0 else "error")
        if result.status != "error" and not result.stdout_truncated:
            result.data = _parsed(spec.output, result)
        if result.data is None and result.status != "error" and plan.bound.output in ("json", "jsonl"):
            result.data_fault = _fault(plan.bound.output, result)


def timed_out(plan: Plan) -> KernelError:
    return fail("E-TIMEOUT", f"`{plan.spec.full_name}` was ended after its timeout of {plan.timeout:g} s", timeout=plan.timeout)


def _kept(stream: Stream) -> tuple[bytes, str | None]:
    return stream.head(), stream.tail().decode("utf-8", "replace") if stream.truncated else None


def signal_name(number: int) -> str:
    """`SIGTERM` for 15; a real-time signal counts from SIGRTMIN."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"


def _parsed(kind: str, result: Result) -> Any:
    """`data` of a result: the output as the manifest declares it, None where it is not that."""
    if kind == "text":
        return None
    text = result.stdout
    if kind in ("lines", "table"):
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return lines if kind == "lines" else _table(lines)
    from kernel import strict_json

    try:
        if kind == "json":
            return strict_json.loads(text)
        return [strict_json.loads(line) for line in text.split("\n") if line.strip()]
    except strict_json.JsonError:
        return None


def _fault(kind: str, result: Result) -> str:
    """Why an output that is to be JSON gave no data, "" where none was to be expected."""
    from kernel import strict_json

    if result.stdout_truncated:
        return f"only its first {len(result.stdout_bytes):,} bytes are kept"
    text = result.stdout
    if strict_json.is_several(text):
        return ""  # null, nothing at all, or several values, as jq prints them
    for number, part in enumerate([text] if kind == "json" else text.split("\n")):
        try:
            if kind == "json" or part.strip():
                strict_json.loads(part)
        except strict_json.JsonError as error:
            return f"{error.message} (line {error.line + number}, column {error.column})"
    return ""


def _table(lines: list[str]) -> list[dict[str, str]]:
    """Columns under a line of heads, by blanks; the last column keeps the rest of its line."""
    heads = lines[0].split() if lines else []
    rows = []
    for line in lines[1:]:
        cells = line.split(None, len(heads) - 1) if heads else []
        rows.append(dict(zip(heads, cells, strict=False)))
    return rows
