"""The queue: who sees it, what its jobs hold, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.errors import InvalidArgument, LlmRefused, ReasonloomError
from reasonloom.stores.access import Access
from reasonloom.stores.backup.dump import back_up
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.queue.jobs import (
    MOST_ATTEMPTS,
    JobIds,
    JobNotFound,
    Queue,
    open_queue,
    versioned,
)
from reasonloom.stores.queue.tables import SCHEMA, prepare_queue, queue_conninfo
from reasonloom.workers.kinds import QUEUES, chosen_queues
from reasonloom.workers.parcels import answered, failed, opened

ANNA = JobIds("anna", "", "1/0")
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'"
FETCH = "SELECT id FROM procrastinate_fetch_job_v2(NULL, %(worker)s)"


@pytest.fixture
async def queue(access: Access) -> AsyncIterator[Queue]:
    """The queue of this test's database."""
    await prepare_queue(access)
    async with open_queue(access) as opened_queue:
        yield opened_queue


async def run(queue: Queue, query: str, **values: Any) -> list[dict[str, Any]]:
    return list(await queue.app.connector.execute_query_all_async(query, **values))


async def test_its_tables_are_made_once_however_many_workers_start(access: Access) -> None:
    await asyncio.gather(*(prepare_queue(access) for _ in range(5)))
    async with open_queue(access) as found:
        assert await found.counts() == {}


async def test_a_transaction_of_an_owner_sees_no_job_and_makes_none(
    access: Access, queue: Queue
) -> None:
    await queue.enqueue("eval_item", "eval", ANNA)
    with psycopg.connect(access.app) as connection:
        connection.execute("SELECT set_config('app.owner', 'anna', false)")
        tables = [row[0] for row in connection.execute(TABLES, (SCHEMA,)) if row[0] != "step"]
        assert len(tables) >= 5
        for table in tables:
            count = f"SELECT count(*) FROM {SCHEMA}.{table}"
            assert connection.execute(count.encode()).fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(
                f"INSERT INTO {SCHEMA}.procrastinate_workers DEFAULT VALUES".encode()
            )
    with psycopg.connect(queue_conninfo(access)) as connection:
        assert connection.execute("SELECT count(*) FROM reasonloom.items").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM procrastinate_jobs").fetchone() == (1,)


async def test_every_table_forces_row_level_security(access: Access, queue: Queue) -> None:
    with psycopg.connect(access.admin) as connection:
        open_ = f"{TABLES} AND NOT (relrowsecurity AND relforcerowsecurity)"
        assert connection.execute(open_.encode(), (SCHEMA,)).fetchall() == [("step",)]


async def test_the_same_job_waits_once(queue: Queue) -> None:
    assert await queue.enqueue("eval_item", "eval", ANNA)
    assert not await queue.enqueue("eval_item", "eval", ANNA)
    assert await queue.enqueue("eval_item", "eval", JobIds("anna", "", "1/1"))
    worker = (await run(queue, "SELECT * FROM procrastinate_register_worker_v1()"))[0]["worker_id"]
    await run(queue, FETCH, worker=worker)
    assert not await queue.enqueue("eval_item", "eval", ANNA)
    assert await queue.counts() == {versioned("eval"): {"doing": 1, "todo": 1}}


async def test_jobs_of_a_silent_worker_are_taken_over_then_quarantined(queue: Queue) -> None:
    await queue.enqueue("eval_item", "eval", ANNA)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        register = "SELECT * FROM procrastinate_register_worker_v1()"
        worker = (await run(queue, register))[0]["worker_id"]
        await run(queue, FETCH, worker=worker)
        assert await queue.take_over(60) == []
        both = await asyncio.gather(queue.take_over(0), queue.take_over(0))
        (taken,) = [job for each in both for job in each]
        assert taken.attempts == attempt
        assert taken.status == ("failed" if attempt == MOST_ATTEMPTS else "todo")
    (job,) = await queue.listed("failed")
    assert (job.ids, job.reason) == (ANNA, "worker_died")
    await queue.retry(job.id)
    assert [each.attempts for each in await queue.listed("todo")] == [0]
    with pytest.raises(JobNotFound, match="Failed job not found"):
        await queue.retry(job.id)


async def test_a_worker_of_another_version_does_not_see_a_job(queue: Queue) -> None:
    await queue.enqueue("eval_item", "eval", ANNA)
    fetch = "SELECT id FROM procrastinate_fetch_job_v2(ARRAY['eval@9.9.9']::varchar[], NULL)"
    assert (await run(queue, fetch))[0]["id"] is None
    assert await queue.counts() == {versioned("eval"): {"todo": 1}}


async def test_arguments_hold_ids_only(queue: Queue) -> None:
    await queue.enqueue("eval_item", "eval", ANNA)
    (row,) = await run(queue, "SELECT args FROM procrastinate_jobs")
    assert row["args"] == {"owner": "anna", "space": "", "key": "1/0"}


@pytest.mark.parametrize(
    "error", [LlmRefused("no"), InvalidArgument("x: must be 1", field="x", kind="choice")]
)
def test_an_error_arrives_as_it_was_sent(error: ReasonloomError) -> None:
    with pytest.raises(type(error)) as raised:
        opened(failed(error))
    assert vars(raised.value) == vars(error)
    assert str(raised.value) == str(error)
    assert opened(answered({"a": [1.5]})) == {"a": [1.5]}


def test_queues_are_chosen_by_name() -> None:
    assert chosen_queues(None) == list(QUEUES)
    assert chosen_queues(["eval", "eval"]) == ["eval"]
    with pytest.raises(InvalidArgument, match="no queue 'evals'; did you mean `eval`"):
        chosen_queues(["evals"])


async def test_backups_leave_the_queue_out(access: Access, queue: Queue, tmp_path: Path) -> None:
    await queue.enqueue("eval_item", "eval", ANNA)
    file = tmp_path / "backup"
    await back_up(access, file, lambda *_: None)
    await queue.enqueue("eval_item", "eval", JobIds("ben"))
    await restore(access, file, lambda *_: None, replace=True)
    assert await queue.counts() == {versioned("eval"): {"todo": 2}}
