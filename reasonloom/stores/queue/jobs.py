"""Enqueues jobs and reads their state; a job's arguments are ids, never contents."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException, UniqueViolation

from reasonloom import __version__
from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DatabaseUnavailable, NotFound
from reasonloom.stores.access import Access
from reasonloom.stores.queue.tables import queue_conninfo
from reasonloom.stores.statements import load

SQL = load(__file__)
AWAY = (ConnectorException, psycopg.OperationalError, psycopg.InterfaceError)
"""Errors of Procrastinate when the database is unavailable."""

MOST_ATTEMPTS = 3
"""Attempts after which a job is quarantined: it stays, as failed, until someone retries it."""

NOT_REACHED = "the queue of jobs could not be reached; try again in a moment"


@dataclass(frozen=True, slots=True)
class JobIds:
    """What a job is about: an owner, one of its spaces, and a key within the kind of job."""

    owner: str = ""
    space: str = ""
    key: str = ""

    @property
    def caller(self) -> Caller:
        """The owner and space."""
        return Caller(self.owner, self.space)


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job; `queue` is the name with the version that may run it.

    Attributes:
        status: todo, doing, failed, succeeded, cancelled or aborted.
        reason: why it failed last: an error's type, or worker_died; empty if it never did.
        since: when it got its status.
    """

    id: int
    kind: str
    queue: str
    status: str
    attempts: int
    ids: JobIds
    reason: str
    since: datetime | None


class JobNotFound(NotFound):
    """No such job, or it has not failed."""

    kind = "Failed job"


def versioned(queue: str) -> str:
    """Return the queue that workers of this version serve; those of another one do not see it."""
    return f"{queue}@{__version__}"


class Queue:
    """The queue, while it is open.

    All methods raise DatabaseUnavailable if the database is unavailable.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def enqueue(self, kind: str, queue: str, ids: JobIds, *, pause: int = 0) -> bool:
        """Enqueue a job unless the same one waits or runs; return whether it was new.

        Two jobs of one kind and the same ids never run at the same time. `pause` is in seconds.
        """
        lock = "\x1f".join((kind, ids.owner, ids.space, ids.key))
        values = {"kind": kind, "queue": versioned(queue), "lock": lock, "pause": pause}
        try:
            return bool(await self._run(SQL.part("enqueue"), **values, args=asdict(ids)))
        except UniqueViolation:
            return False

    async def take_over(self, seconds: float) -> list[JobRow]:
        """Free the jobs of workers that were silent for so long; quarantine those of many attempts.

        Returns these jobs with their new status, todo or failed.
        """
        return await self._rows(SQL.part("take_over"), seconds=seconds, most=MOST_ATTEMPTS)

    async def uncount(self, job: int) -> None:
        """Let an attempt that is no fault of the job not count."""
        await self._run(SQL.part("uncount"), job=job)

    async def note_failure(self, job: int, reason: str) -> None:
        """Note why an attempt failed."""
        await self._run(SQL.part("note_failure"), job=job, reason=reason)

    async def failed(self, kind: str, owner: str) -> list[JobRow]:
        """Return the quarantined jobs of a kind and owner."""
        return await self._rows(SQL.part("failed"), kind=kind, owner=owner)

    async def withdraw(self, kind: str, owner: str, statuses: list[str]) -> None:
        """Remove the jobs of a kind and owner that have one of these statuses."""
        await self._run(SQL.part("withdraw"), kind=kind, owner=owner, statuses=statuses)

    async def listed(self, status: str | None = None, *, limit: int = 100) -> list[JobRow]:
        """Return the newest jobs, of one status or of all."""
        return await self._rows(SQL.part("listed"), status=status, most=limit)

    async def counts(self) -> dict[str, dict[str, int]]:
        """Return how many jobs each queue has, by status."""
        found: dict[str, dict[str, int]] = {}
        for row in await self._run(SQL.part("counts")):
            found.setdefault(row["queue_name"], {})[row["status"]] = row["jobs"]
        return found

    async def workers(self, seconds: float) -> int:
        """Return how many workers sent a heartbeat in the last so many seconds."""
        return int((await self._run(SQL.part("workers"), seconds=seconds))[0]["workers"])

    async def retry(self, job: int) -> None:
        """Let a quarantined job run again, with all its attempts.

        Raises:
            JobNotFound: there is no such job, or it has not failed.
            Conflict: the same job was enqueued anew meanwhile, and waits.
        """
        try:
            if not await self._run(SQL.part("retry"), job=job):
                raise JobNotFound(str(job), field="job")
        except UniqueViolation:
            raise Conflict(f"job {job}: the same one was enqueued again and waits") from None

    async def _rows(self, statement: str, **values: Any) -> list[JobRow]:
        return [_row(row) for row in await self._run(statement, **values)]

    async def _run(self, statement: str, **values: Any) -> Sequence[dict[str, Any]]:
        try:
            return await self.app.connector.execute_query_all_async(statement, **values)
        except UniqueViolation:
            raise
        except AWAY as error:
            raise DatabaseUnavailable(NOT_REACHED) from error


def _row(row: dict[str, Any]) -> JobRow:
    known = {name: str(row["args"].get(name, "")) for name in JobIds.__dataclass_fields__}
    return JobRow(
        row["id"], row["task_name"], row["queue_name"], row["status"], row["attempts"],
        JobIds(**known), row["reason"] or "", row["since"],
    )  # fmt: skip


@asynccontextmanager
async def open_queue(access: Access, *, connections: int = 2) -> AsyncIterator[Queue]:
    """Yield the queue of a database; its tables must exist.

    Raises:
        DatabaseUnavailable: the database is unavailable.
    """
    connector = PsycopgConnector(
        conninfo=queue_conninfo(access), min_size=1, max_size=connections, timeout=10.0
    )
    queue = Queue(App(connector=connector))
    try:
        await queue.app.open_async()
    except AWAY as error:
        raise DatabaseUnavailable(NOT_REACHED) from error
    try:
        yield queue
    finally:
        await queue.app.close_async()
