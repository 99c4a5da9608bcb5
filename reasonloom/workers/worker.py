"""Runs a worker: takes jobs, renews its heartbeat, and takes over jobs of workers that died."""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

from procrastinate.job_context import JobContext
from procrastinate.jobs import Job as QueuedJob
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from reasonloom.errors import DatabaseUnavailable, ReasonloomError, RunInProgress
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.queue import parcels
from reasonloom.stores.queue.jobs import (
    AWAY,
    MOST_ATTEMPTS,
    JobIds,
    Queue,
    open_queue,
    versioned,
)
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.stores.servers.opening import queue_access
from reasonloom.telemetry.metrics import count_job
from reasonloom.workers.context import Job, OtherVersion, WorkContext, work_context
from reasonloom.workers.kinds import KINDS, PLAN, UPKEEP, Kind
from reasonloom.workers.parcels import answered, failed

log = logging.getLogger(__name__)
CONCURRENCY = 4
POLL = 2.0
"""Seconds between two looks for jobs that nobody announces, such as those taken over."""

PLANNED = "*/15 * * * *"
"""When upkeep is planned, by whichever worker comes first."""

GRACE = 30.0
"""Seconds that running jobs have at a worker's end; then they go back to the queue."""

AWAY_PAUSE, OTHERS_PAUSE, MOST_PAUSE = 2, 15, 60
"""Seconds until a job is tried again: the database was away, another worker has it, the longest."""

OpenContext = Callable[[Queue], AbstractAsyncContextManager[WorkContext]]
STOPPING = (signal.SIGTERM, signal.SIGINT)
UNCOUNTED = (DatabaseUnavailable, RunInProgress, OtherVersion, asyncio.CancelledError)
"""Why an attempt ended through no fault of its job."""


class Attempts(BaseRetryStrategy):
    """Retries a job with growing pauses, and quarantines it after its last attempt."""

    def get_retry_decision(
        self, *, exception: BaseException, job: QueuedJob
    ) -> RetryDecision | None:
        """Return when to try again, None for never."""
        if isinstance(exception, UNCOUNTED):
            others = isinstance(exception, OtherVersion | RunInProgress)
            return RetryDecision(retry_in={"seconds": OTHERS_PAUSE if others else AWAY_PAUSE})
        if job.attempts + 1 >= MOST_ATTEMPTS:
            return None
        return RetryDecision(retry_in={"seconds": min(4**job.attempts, MOST_PAUSE)})


async def run_worker(
    settings: Settings,
    queues: Sequence[str],
    *,
    concurrency: int = CONCURRENCY,
    listen: bool = True,
    access: Access | None = None,
    llm: LanguageModel | None = None,
    embedder: Embedder | None = None,
) -> None:
    """Work until SIGTERM or SIGINT; then finish running jobs, or return them to the queue.

    Args:
        settings: those of the process; its leases say how long it may be silent.
        queues: names of `QUEUES`.
        concurrency: jobs at the same time.
        listen: whether Postgres announces new jobs; a pooler in transaction mode cannot.
        access: the way to the only database; those of the settings if None.
        llm: the language model of every job, instead of those that jobs name.
        embedder: the embedder, instead of that of the settings.

    Raises:
        SettingMistake: a setting is invalid.
        DatabaseUnavailable: the database cannot be reached at the start.
    """
    queued = access or await queue_access(settings)
    await bring_up_to_date(queued)
    await prepare_queue(queued)
    working, stopping = asyncio.current_task(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if not stopping.is_set() and working is not None:
            stopping.set()
            working.cancel()

    for name in STOPPING:
        loop.add_signal_handler(name, stop)
    try:
        opening = partial(work_context, settings, access, llm=llm, embedder=embedder)
        await _work_on(settings, queued, opening, queues, concurrency, listen, stopping)
    except asyncio.CancelledError:
        if not stopping.is_set():
            raise
    finally:
        for name in STOPPING:
            loop.remove_signal_handler(name)


async def _work_on(
    settings: Settings, queued: Access, opening: OpenContext, queues: Sequence[str],
    concurrency: int, listen: bool, stopping: asyncio.Event,
) -> None:  # fmt: skip
    """Work until cancelled; begin again whenever the database was away."""
    seconds = settings.lease_seconds
    while True:
        try:
            await queued.ensure()
            async with (
                open_queue(queued, connections=concurrency + 2) as queue,
                opening(queue) as context,
            ):
                _register(queue, context, queues)
                log.info("working on %s, %d at the same time", ", ".join(queues), concurrency)
                taking_over = asyncio.create_task(_take_over(queue, seconds))
                try:
                    await queue.app.run_worker_async(
                        queues=[versioned(each) for each in queues],
                        concurrency=concurrency,
                        listen_notify=listen,
                        fetch_job_polling_interval=POLL,
                        update_heartbeat_interval=seconds / 3,
                        stalled_worker_timeout=seconds,
                        shutdown_graceful_timeout=GRACE,
                        delete_jobs="successful",
                        install_signal_handlers=False,
                    )
                finally:
                    taking_over.cancel()
        except (DatabaseUnavailable, *AWAY) as error:
            if stopping.is_set():  # this error took the place of the cancellation
                return
            log.warning("the database is unavailable (%s); trying again", type(error).__name__)
        await asyncio.sleep(AWAY_PAUSE)


def _register(queue: Queue, context: WorkContext, queues: Sequence[str]) -> None:
    """Name the function of each kind of job; workers for upkeep enqueue its plan now and then."""
    for kind in KINDS.values():
        work = partial(_attempt, kind, context)

        async def task(
            at: JobContext, /, *, work: Callable[..., Awaitable[None]] = work, **given: Any
        ) -> None:
            ids = {name: given[name] for name in JobIds.__dataclass_fields__ if name in given}
            await work(Job(at.job.id or 0, JobIds(**ids), at.job.attempts))

        known = queue.app.task(
            name=kind.name, queue=versioned(kind.queue), queueing_lock=kind.name,
            pass_context=True, retry=Attempts(),
        )(task)  # fmt: skip
        if kind.name == PLAN and UPKEEP in queues:
            queue.app.periodic(cron=PLANNED)(known)  # type: ignore[arg-type] # its time is unused


async def _attempt(kind: Kind, context: WorkContext, job: Job) -> None:
    """Do a job, and count how it ended."""
    status = "failed"
    try:
        await (_follow if kind.followed else _do)(kind, context, job)
        status = "done"
    except UNCOUNTED as error:
        status = "returned"
        if isinstance(error, OtherVersion):
            log.warning("job %d is left to other workers: %s", job.id, error)
        await context.queue.uncount(job.id)
        raise
    except Exception as error:
        await context.queue.note_failure(job.id, type(error).__name__)
        raise
    finally:
        count_job(kind.name, status)


async def _do(kind: Kind, context: WorkContext, job: Job) -> None:
    await kind.load()(context, job)


async def _follow(kind: Kind, context: WorkContext, job: Job) -> None:
    """Do a job whose answer somebody waits for; do nothing if it has one, or nobody waits."""
    ids = job.ids
    async with context.database.begin(ids.caller, once=True) as tx:
        found = await parcels.get(tx, kind.name, [ids.key])
    if (parcels.ANSWER, ids.key) in found or (parcels.TASK, ids.key) not in found:
        return
    try:
        answer = answered(await kind.load()(context, job, found[parcels.TASK, ids.key]))
    except (DatabaseUnavailable, RunInProgress):
        raise
    except ReasonloomError as error:
        answer = failed(error)
    async with context.database.begin(ids.caller) as tx:
        await parcels.put(tx, kind.name, parcels.ANSWER, ids.key, answer, context.clock())


async def _take_over(queue: Queue, seconds: float) -> None:
    """Free the jobs of workers that fell silent, again and again."""
    while True:
        await asyncio.sleep(seconds / 3)
        try:
            taken = await queue.take_over(seconds)
        except DatabaseUnavailable:
            continue  # the worker itself starts again
        for each in taken:
            fate = "is quarantined" if each.status == "failed" else "waits again"
            log.warning("job %d (%s) of a worker that died %s", each.id, each.kind, fate)
            count_job(each.kind, "quarantined" if each.status == "failed" else "taken_over")
