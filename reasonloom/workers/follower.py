"""Enqueues jobs and waits for their answers, as long as it takes workers to give them."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reasonloom.compose import now
from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable, ServiceFault
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.queue import parcels
from reasonloom.stores.queue.jobs import JobIds, JobRow, Queue, open_queue, versioned
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.stores.servers.opening import open_database, queue_access
from reasonloom.workers.kinds import Kind
from reasonloom.workers.parcels import ERROR, opened

log = logging.getLogger(__name__)
T = TypeVar("T")
Warn = Callable[[str], None]
PAUSE = 0.05
"""Seconds between two looks for answers."""

WATCH = 1.0
"""Seconds between two looks for quarantined jobs and for workers."""

ALONE = 5.0
"""Seconds without any answer after which missing workers are reported."""

AWAY_PAUSE, AWAY_LIMIT = 1.0, 300.0
"""Seconds between two tries while the database is unavailable, and until it is given up."""


@dataclass
class Follower:
    """Follows the jobs of one kind and owner.

    `warn` gets a sentence if no worker takes the jobs.
    """

    kind: Kind
    caller: Caller
    database: Database
    queue: Queue
    silence: float
    warn: Warn = log.warning
    _left: list[str] = field(default_factory=list)
    _waiting: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    _heard: float = field(default_factory=time.monotonic)
    _warned: bool = False

    async def leave(self, key: str, task: Any) -> None:
        """Store what jobs need under a key, without a job."""
        await patiently(lambda: self._store(key, task))
        self._left.append(key)

    async def answer(self, key: str, task: Any) -> Any:
        """Enqueue the job of a key, and return its answer.

        Raises:
            ReasonloomError: the job's own error.
            ServiceFault: the job failed in all its attempts.
        """
        await self.leave(key, task)
        future = self._waiting[key] = asyncio.get_running_loop().create_future()
        ids = JobIds(self.caller.owner, self.caller.space, key)
        try:
            await patiently(lambda: self.queue.enqueue(self.kind.name, self.kind.queue, ids))
            return opened(await future)
        finally:
            del self._waiting[key]

    async def _store(self, key: str, task: Any) -> None:
        async with self.database.begin(self.caller) as tx:
            await parcels.put(tx, self.kind.name, parcels.TASK, key, task, now())

    async def watch(self) -> None:
        """Hand over answers as they come; fail those of quarantined jobs."""
        looked = time.monotonic()
        try:
            while True:
                await asyncio.sleep(PAUSE)
                if not self._waiting:
                    self._heard = time.monotonic()
                    continue
                await patiently(self._collect)
                if time.monotonic() - looked >= WATCH:
                    await patiently(self._report)
                    looked = time.monotonic()
        except Exception as error:  # noqa: BLE001  # raised where answers are waited for
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(error)

    async def _collect(self) -> None:
        async with self.database.begin(self.caller, once=True) as tx:
            found = await parcels.answers(tx, self.kind.name, list(self._waiting))
        faults = [key for key, answer in found.items() if ERROR in answer]
        if faults:  # so that a later process tries them again
            async with self.database.begin(self.caller) as tx:
                await parcels.drop(tx, self.kind.name, faults)
        for key, answer in found.items():
            if future := self._unsettled(key):
                future.set_result(answer)

    async def clear(self) -> None:
        """Delete what was stored for jobs and by them, except of those still waited for."""
        keys = [key for key in self._left if key not in self._waiting]
        async with self.database.begin(self.caller) as tx:
            await parcels.drop(tx, self.kind.name, keys)

    def _unsettled(self, key: str) -> asyncio.Future[Any] | None:
        self._heard = time.monotonic()
        future = self._waiting.get(key)
        return None if future is None or future.done() else future

    async def _report(self) -> None:
        for job in await self.queue.failed(self.kind.name, self.caller.owner):
            if future := self._unsettled(job.ids.key):
                future.set_exception(quarantined(job))
        if self._warned or time.monotonic() - self._heard < ALONE:
            return
        self._warned = True
        if not await self.queue.workers(self.silence):
            self.warn("no worker is running: start one with `reasonloom worker`")
        elif (await self.queue.counts()).get(versioned(self.kind.queue), {}).get("todo"):
            self.warn(
                f"no worker has taken a job for {ALONE:.0f} seconds: they are busy, or serve other"
                f" queues than {self.kind.queue}, or are of another version"
            )


def quarantined(job: JobRow) -> ServiceFault:
    """Return the error of a job that failed in all its attempts."""
    return ServiceFault(
        f"job {job.id} failed {job.attempts} times ({job.reason or 'unknown'}) and is quarantined;"
        f" see `reasonloom jobs list --failed`, then `reasonloom jobs retry {job.id}`"
    )


async def patiently(work: Callable[[], Awaitable[T]]) -> T:
    """Return the result of `work`, tried again while the database is unavailable."""
    until = time.monotonic() + AWAY_LIMIT
    while True:
        try:
            return await work()
        except DatabaseUnavailable as error:
            if not error.retryable or time.monotonic() > until:
                raise
        await asyncio.sleep(AWAY_PAUSE)


@asynccontextmanager
async def following(
    kind: Kind,
    caller: Caller,
    settings: Settings,
    access: Access | None = None,
    warn: Warn = log.warning,
) -> AsyncIterator[Follower]:
    """Yield a follower; at the end, jobs that wait still are withdrawn.

    `access` is the way to the only database; those of the settings if None.

    Raises:
        DatabaseUnavailable: the database cannot be reached.
    """
    queued = access or await queue_access(settings)
    await bring_up_to_date(queued)
    await prepare_queue(queued)
    database = await open_database(settings, access)
    async with open_queue(queued) as queue:
        follower = Follower(kind, caller, database, queue, 3 * settings.lease_seconds, warn)
        await queue.withdraw(kind.name, caller.owner, ["todo", "failed"])
        watching = asyncio.create_task(follower.watch())
        try:
            yield follower
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await queue.withdraw(kind.name, caller.owner, ["todo"])
            await follower.clear()
            await database.close()
