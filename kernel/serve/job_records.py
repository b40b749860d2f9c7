"""What is known of jobs, in one SQLite file of the state directory: any number of servers at once, and after they are gone.

A server holds a lock on a file of its own for as long as it lives. A job that runs in a server whose lock is free was
left behind: it is `failed`, and is never run again. A record goes a day after its job has ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Final

from kernel import environment, spill
from kernel.errors import fail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TTL: Final = float(spill.AGE)  # seconds a record is kept after its job has ended: as long as the job's output
SERVER_ENDED: Final = "the server that ran it ended"
PATIENCE: Final = 5.0  # seconds to wait for another writer
STATES: Final = ("queued", "running", "done", "failed", "cancelled")
OPEN: Final = "('queued', 'running')"
_FIELDS: Final = (
    "id",
    "tool",
    "state",
    "server",
    "created",
    "started",
    "ended",
    "exit_code",
    "signal",
    "error",
    "output",
    "stderr",
)
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, tool TEXT NOT NULL, state TEXT NOT NULL, server TEXT NOT NULL, created REAL NOT NULL,
    started REAL, ended REAL, exit_code INTEGER, signal TEXT, error TEXT, output TEXT, stderr TEXT,
    unwanted INTEGER NOT NULL DEFAULT 0
)
"""


class Record:
    """One job. Times are seconds since 1970, None before they come.

    ``exit_code``, ``signal`` and ``error`` say how it ended; ``output`` is the path of the file with its stdout, ""
    for none; ``stderr`` is the beginning of what it said there.
    """

    __slots__ = _FIELDS
    id: str
    tool: str
    state: str
    server: str
    created: float
    started: float | None
    ended: float | None
    exit_code: int | None
    signal: str | None
    error: str | None
    output: str | None
    stderr: str | None

    def __init__(self, row: tuple[object, ...]) -> None:
        for name, value in zip(_FIELDS, row, strict=True):
            setattr(self, name, value)

    @property
    def is_open(self) -> bool:
        """Whether it has not ended yet."""
        return self.state in ("queued", "running")


class Records:
    """The records under ``directory``, for one thread. Every method raises KernelError (E-FILE) where they cannot be kept."""

    def __init__(self, directory: str, *, ttl: float = TTL, clock: Callable[[], float] = time.time) -> None:
        self._directory = directory
        self._ttl = ttl
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._lock = -1
        self.server = ""

    def add(self, tool: str) -> str:
        """A new job of this server, queued: its id, which nobody can guess."""
        id = os.urandom(16).hex()
        with self._database() as database:
            self._live()
            self._settle(database)
            database.execute(
                "INSERT INTO jobs (id, tool, state, server, created) VALUES (?, ?, 'queued', ?, ?)",
                (id, tool, self.server, self._clock()),
            )
        return id

    def begin(self, id: str) -> None:
        """The job runs now."""
        with self._database() as database:
            database.execute("UPDATE jobs SET state = 'running', started = ? WHERE id = ?", (self._clock(), id))

    def end(
        self,
        id: str,
        state: str,
        *,
        exit_code: int | None = None,
        signal: str | None = None,
        error: str | None = None,
        output: str | None = None,
        stderr: str | None = None,
    ) -> None:
        """The job has ended: `done`, `failed` or `cancelled`. One that has ended already stays as it is."""
        with self._database() as database:
            database.execute(
                "UPDATE jobs SET state = ?, ended = ?, exit_code = ?, signal = ?, error = ?, output = ?, stderr = ?"
                f" WHERE id = ? AND state IN {OPEN}",
                (state, self._clock(), exit_code, signal, error, output, stderr, id),
            )

    def get(self, id: str) -> Record | None:
        """The job as it is now, None where there is none of this id any more."""
        if not os.path.exists(self._file):
            return None
        with self._database() as database:
            self._settle(database)
            row = database.execute(f"SELECT {', '.join(_FIELDS)} FROM jobs WHERE id = ?", (id,)).fetchone()
        return None if row is None else Record(row)

    def unwant(self, id: str) -> None:
        """Asks the server that runs the job to cancel it."""
        with self._database() as database:
            database.execute(f"UPDATE jobs SET unwanted = 1 WHERE id = ? AND state IN {OPEN}", (id,))

    def unwanted(self) -> list[str]:
        """The jobs of this server that somebody asked to cancel."""
        with self._database() as database:
            rows = database.execute(
                f"SELECT id FROM jobs WHERE server = ? AND unwanted AND state IN {OPEN}", (self.server,)
            ).fetchall()
        return [id for (id,) in rows]

    def close(self) -> None:
        """This server is gone: what it still runs counts as failed from now on."""
        if self._lock >= 0:
            with contextlib.suppress(OSError):
                os.unlink(self._lock_of(self.server))
            os.close(self._lock)
            self._lock = -1
        self._close_file()

    @property
    def _file(self) -> str:
        return os.path.join(self._directory, "jobs.sqlite")

    @contextlib.contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The open file, in one transaction. One that is damaged is set aside, so that the next call finds a new one."""
        try:
            if self._connection is None:
                self._connection = self._open()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            message = f"the records of jobs cannot be kept in `{self._directory}`: {error}"
            hint = "make room and see that the directory can be written, or set KERNEL_STATE_DIR"
            if _is_damage(error):
                self._close_file()
                self._set_aside()
                hint = "call again: the damaged file is set aside, and a new one is made"
            raise fail("E-FILE", message, hint=hint) from None

    def _open(self) -> sqlite3.Connection:
        """The file, made where there is none; one that holds no records is set aside."""
        try:
            return self._opened()
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise
        self._set_aside()
        return self._opened()

    def _opened(self) -> sqlite3.Connection:
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
        connection = sqlite3.connect(self._file, timeout=PATIENCE, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_TABLE)
            connection.execute(f"SELECT {', '.join(_FIELDS)}, unwanted FROM jobs LIMIT 1").fetchall()
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self) -> None:
        """Gives the damaged file another name and says so; by one server only, where several find it."""
        lock = os.open(os.path.join(self._directory, "aside.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self._opened().close()
            except sqlite3.Error as error:
                if not _is_damage(error):
                    return
            else:
                return  # another server was faster
            aside = f"{self._file}.damaged"
            os.replace(self._file, aside)
            for part in ("-wal", "-shm"):  # what was not yet written into that file belongs to no other
                spill.remove(self._file + part)
        finally:
            os.close(lock)
        environment.write_error(f"warning: `{self._file}` holds no records of jobs; it is now `{aside}`, and a new one is made\n")

    def _close_file(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # Which servers live

    def _live(self) -> None:
        """Takes the lock that says so, before the first job."""
        if self._lock >= 0:
            return
        self.server = os.urandom(8).hex()
        self._lock = os.open(self._lock_of(self.server), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def _lock_of(self, server: str) -> str:
        return os.path.join(self._directory, f"{server}.server")

    def _settle(self, database: sqlite3.Connection) -> None:
        """Fails the jobs of servers that are gone, and removes what is too old."""
        now = self._clock()
        rows = database.execute(f"SELECT DISTINCT server FROM jobs WHERE state IN {OPEN} AND server != ?", (self.server,))
        for (server,) in rows.fetchall():
            if self._is_gone(server):
                database.execute(
                    f"UPDATE jobs SET state = 'failed', ended = ?, error = ? WHERE server = ? AND state IN {OPEN}",
                    (now, SERVER_ENDED, server),
                )
        old = database.execute("DELETE FROM jobs WHERE ended < ? RETURNING output", (now - self._ttl,)).fetchall()
        for (output,) in old:
            if output:
                spill.remove(output)

    def _is_gone(self, server: str) -> bool:
        file = self._lock_of(server)
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            spill.remove(file)
            return True
        finally:
            os.close(descriptor)


def _is_damage(error: Exception) -> bool:
    """Whether the file is no database, a damaged one, or one with other tables, all of which a new file heals."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of it says more of the same
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
