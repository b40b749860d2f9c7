"""The record of calls: JSON Lines in the state directory, kept to five files of 10 MiB (`kernel audit`, `kernel replay`).

A secret is never in it. A value over 4 KiB stands as its length and hash. Several processes may write at once.
"""

from __future__ import annotations

import os
import time

from kernel import environment, masking, strict_json
from kernel.errors import KernelError
from kernel.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from kernel.bound import Bound
    from kernel.plan import Plan

FILES = 5
LARGEST = 10 << 20  # bytes of a file
LONGEST = 4096  # bytes of a value that is kept as it is
MOST = 64 * 1024  # bytes of all the words of a call that are kept as they are
PATIENCE = 2.0  # seconds to wait for another writer


def wanted(*, served: bool = False) -> bool:
    """Whether calls are recorded: served ones unless KERNEL_AUDIT is 0, all others only when it is 1."""
    return environment.variable("KERNEL_AUDIT") == "1" or (served and environment.variable("KERNEL_AUDIT") != "0")


def note(door: str, bound: Bound, result: Result, plan: Plan | None = None, *, served: bool = False) -> str:
    """Records a call that has ended, where that is wanted: its id, "" when nothing was written.

    ``door`` says where it came in: `call`, `json`, `python`, `mcp` …. ``plan`` is None for a call that was refused
    before there was one. A record that cannot be written is no error of the call; a line on stderr tells of it.
    """
    if not wanted(served=served):
        return ""
    sizes = (max(result.stdout_size, len(result.stdout_bytes)), max(result.stderr_size, len(result.stderr_bytes)))
    return _write(_record(door, bound, result, plan, sizes))


def note_refused(door: str, bound: Bound, error: KernelError, plan: Plan | None = None, *, served: bool = False) -> str:
    """Records a call that was refused, for its arguments or by a rule, where that is wanted; as ``note`` does."""
    result = Result()
    result.error = error
    return note(door, bound, result, plan, served=served)


def attend(plan: Plan, run: Callable[[Plan], int], door: str) -> int:
    """Runs an attached call by ``run``, which returns its status (negative for a signal), and records it."""
    result = Result()
    started = time.monotonic()
    try:
        status = run(plan)
    except KernelError as error:
        result.error = error
        raise
    else:
        if status < 0:
            from kernel.collect import signal_name

            result.signal = signal_name(-status)
        else:
            result.exit_code = status
            result.status = plan.spec.exits.get(status, "ok" if status == 0 else "error")
        return status
    finally:
        result.duration_s = time.monotonic() - started
        _write(_record(door, plan.bound, result, plan, None))


def _record(door: str, bound: Bound, result: Result, plan: Plan | None, sizes: tuple[int, int] | None) -> dict[str, Any]:
    spec = bound.spec
    secret = {param.name for param in spec.params if param.secret}
    values: dict[str, Any] = {}
    hashed: list[str] = []
    for name, origin in bound.origins.items():
        if origin != "default":
            value, whole = ("***", True) if name in secret else _kept(bound.values[name])
            values[name] = value
            if not whole:
                hashed.append(name)
    words, whole = (None, True) if bound.by_json else _kept_words(masking.words(bound))
    argv, _ = _kept_words(plan.masked() if plan is not None else [])
    began = time.time() - result.duration_s
    return {
        "id": os.urandom(5).hex(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(began)) + f".{int(began % 1 * 1000):03}Z",
        "door": door,
        "tool": spec.full_name,
        "file": spec.file,
        "manifest": manifest_hash(spec.file),
        "cwd": (plan.cwd if plan is not None and spec.cwd == "caller" else "") or environment.working_directory(),
        "words": words,
        "values": values,
        "secrets": sorted(secret & values.keys()),
        "hashed": hashed if whole else [*hashed, "words"],
        "argv": argv,
        "status": result.status,
        "exit": result.exit_code,
        "signal": result.signal,
        "error": result.error.code if result.error is not None else None,
        "bytes": {"stdout": sizes[0], "stderr": sizes[1]} if sizes is not None else None,
        "duration": round(result.duration_s, 6),
    }


def manifest_hash(file: str) -> str:
    """SHA-256 of a manifest's content, "" for a tool without one."""
    import hashlib

    try:
        with open(file, "rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except OSError:
        return ""


def _kept(value: Any) -> tuple[Any, bool]:
    """A value as it is recorded, and whether it is whole: a long one, or one that JSON cannot say, is a hash."""
    text = value if isinstance(value, str) else strict_json.dumps(value)
    data = text.encode("utf-8", "surrogateescape")
    if len(data) <= LONGEST and not _has_bytes(value):
        return value, True
    return _hash(data), False


def _kept_words(words: Sequence[str]) -> tuple[Any, bool]:
    kept = [_kept(word) for word in words]
    if sum([len(word) for word in words]) > MOST or len(words) > MOST // 16:
        return _hash("\0".join(words).encode("utf-8", "surrogateescape")), False
    return [value for value, _ in kept], all(whole for _, whole in kept)


def _hash(data: bytes) -> dict[str, Any]:
    import hashlib

    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _has_bytes(value: Any) -> bool:
    """Whether a text in it holds bytes that are no UTF-8."""
    if isinstance(value, str):
        return any("\ud800" <= each <= "\udfff" for each in value) if not value.isascii() else False
    if isinstance(value, dict):
        return any(_has_bytes(name) or _has_bytes(each) for name, each in value.items())
    return isinstance(value, (list, tuple)) and any(map(_has_bytes, value))


# The files


def directory() -> str:
    return os.path.join(environment.state_directory(), "audit")


def _file(number: int) -> str:
    return os.path.join(directory(), f"audit.{number}.jsonl" if number else "audit.jsonl")


def _write(record: dict[str, Any]) -> str:
    try:
        _append((strict_json.dumps(record) + "\n").encode("utf-8", "replace"))
    except OSError as error:
        environment.write_error(f"warning: the call is not recorded: `{directory()}`: {error.strerror}\n")
        return ""
    identity: str = record["id"]
    return identity


def _append(line: bytes) -> None:
    """Adds a line, under a lock so that files are moved on once and no line ends up within another."""
    os.makedirs(directory(), mode=0o700, exist_ok=True)
    lock = _locked()
    try:
        file = _open(os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            size = os.fstat(file).st_size
            if size and size + len(line) > LARGEST:
                os.close(file)
                for number in range(FILES - 1, 0, -1):
                    if os.path.exists(_file(number - 1)):
                        os.replace(_file(number - 1), _file(number))
                file = _open(os.O_RDWR | os.O_APPEND | os.O_CREAT)
            elif size and os.pread(file, 1, size - 1) != b"\n":
                line = b"\n" + line  # a writer was killed, or the disk was full
            environment.write_all(file, line)
        finally:
            os.close(file)
    finally:
        os.close(lock)


def _open(flags: int) -> int:
    return os.open(_file(0), flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _locked() -> int:
    """A descriptor that holds the lock until it is closed; without the lock when another writer hangs."""
    import fcntl

    lock = os.open(os.path.join(directory(), "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except OSError:
            if time.monotonic() > end:
                return lock
            time.sleep(0.005)


def records() -> Iterator[dict[str, Any]]:
    """The records, the latest first; lines that are none are passed over."""
    files = []
    try:
        lock = _locked()
    except OSError:
        return  # nothing was ever recorded
    try:
        for number in range(FILES):
            try:
                files.append(open(_file(number), "rb"))  # noqa: SIM115  (all are opened before a writer moves one)
            except OSError:
                continue
    finally:
        os.close(lock)
    for file in files:
        with file:
            lines = file.read().split(b"\n")
        for line in reversed(lines):
            try:
                record = strict_json.loads(line.decode())
            except ValueError:
                continue
            if isinstance(record, dict) and "id" in record:
                yield record
