"""What a call gave back (running.md, Result)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernel.errors import KernelError


class Result:
    """The outcome of a captured call.

    ``exit_code`` is None when the child was ended by a signal, timed out or never ran; ``signal`` is then its name
    (`SIGKILL`). ``stdout``/``stderr`` are text with invalid UTF-8 replaced; the exact bytes are ``stdout_bytes`` and
    ``stderr_bytes``; ``stdout_size`` and ``stderr_size`` count all bytes that came. ``duration_s`` is in seconds.
    ``data`` is the parsed output when the manifest declares one; where the output is not the JSON that it declares,
    ``data`` is None and ``data_fault`` says why.
    ``status`` is `ok`, `empty` or `error`. ``error`` is None when the program ran.
    """

    __slots__ = (
        "argv",
        "data",
        "data_fault",
        "duration_s",
        "error",
        "exit_code",
        "signal",
        "status",
        "stderr_bytes",
        "stderr_size",
        "stderr_spill",
        "stderr_tail",
        "stderr_truncated",
        "stdout_bytes",
        "stdout_size",
        "stdout_spill",
        "stdout_tail",
        "stdout_truncated",
        "timed_out",
    )

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.signal: str | None = None
        self.stdout_bytes = b""
        self.stderr_bytes = b""
        self.stdout_size = 0
        self.stderr_size = 0
        self.stdout_tail: str | None = None
        self.stderr_tail: str | None = None
        self.stdout_spill: str | None = None
        self.stderr_spill: str | None = None
        self.timed_out = False
        self.stdout_truncated = False
        self.stderr_truncated = False
        self.duration_s = 0.0
        self.argv: list[str] = []
        self.data: Any = None
        self.data_fault = ""
        self.status = "error"
        self.error: KernelError | None = None

    def __repr__(self) -> str:
        how = f"exit_code={self.exit_code}" if self.signal is None else f"signal={self.signal!r}"
        out = self.stdout if len(self.stdout_bytes) <= 60 else self.stdout[:59] + "…"
        return f"<Result {self.status} {how} stdout={out!r}>"

    @property
    def stdout(self) -> str:
        return self.stdout_bytes.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        return self.stderr_bytes.decode("utf-8", "replace")

    @property
    def ok(self) -> bool:
        """Whether the call did what it should: `ok` or `empty`."""
        return self.status != "error"

    def check(self) -> Result:
        """Itself when ok; raises the call's KernelError otherwise (made from the exit status when the program ran)."""
        if self.ok:
            return self
        if self.error is not None:
            raise self.error
        from kernel.errors import fail

        how = f"exit status {self.exit_code}" if self.exit_code is not None else f"signal {self.signal}"
        last = self.stderr.strip().splitlines()[-1:] or [""]
        raise fail("E-FAILED", f"`{self.argv[0] if self.argv else ''}` ended with {how}", hint=last[0])

    def to_dict(self) -> dict[str, Any]:
        """The result object of `--json`: every field, `stdout`/`stderr` as text, `error` as data."""
        return {
            "exit_code": self.exit_code,
            "signal": self.signal,
            "status": self.status,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "stdout_truncated": self.stdout_truncated,
            "stderr_truncated": self.stderr_truncated,
            "stdout_tail": self.stdout_tail,
            "stderr_tail": self.stderr_tail,
            "stdout_spill": self.stdout_spill,
            "stderr_spill": self.stderr_spill,
            "timed_out": self.timed_out,
            "duration_s": self.duration_s,
            "argv": self.argv,
            "data": self.data,
            "error": self.error.problems[0].to_dict() if self.error is not None else None,
        }
