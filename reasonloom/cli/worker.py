"""`reasonloom worker`, and `jobs`: what it has to do, and what failed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer
from rich.markup import escape
from rich.table import Table

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.output import print_answer, print_rows, print_table
from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.errors import InvalidArgument
from reasonloom.server.telemetry.start import start_telemetry
from reasonloom.settings import load_settings
from reasonloom.stores.migrate import bring_up_to_date
from reasonloom.stores.queue.jobs import JobRow, Queue, open_queue
from reasonloom.stores.queue.tables import prepare_queue
from reasonloom.stores.servers.opening import queue_access
from reasonloom.workers.kinds import QUEUES, chosen_queues
from reasonloom.workers.worker import CONCURRENCY, run_worker

T = TypeVar("T")


def worker(
    queues: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help=f"Some of {', '.join(QUEUES)}; separated by commas. Default: all."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=100, help="Concurrent jobs.")
    ] = CONCURRENCY,
    poll: Annotated[
        bool, typer.Option("--poll", help="Look for jobs every 2 seconds, without LISTEN.")
    ] = False,
) -> None:
    """Run a worker: it does the jobs of a database until it is stopped."""
    given = None if queues is None else [each.strip() for each in queues.split(",")]
    chosen, settings = chosen_queues(given), load_settings()
    set_up_log(settings)
    start_telemetry(settings)
    asyncio.run(run_worker(settings, chosen, concurrency=concurrency, listen=not poll))


def jobs_list(
    failed: Annotated[
        bool, typer.Option("--failed", help="Only those that failed in all their attempts.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most jobs.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first; finished ones are not kept."""
    found = _with_queue(lambda queue: queue.listed("failed" if failed else None, limit=limit))
    rows = [{**asdict(each), "since": each.since and each.since.isoformat()} for each in found]
    print_rows(rows, lambda: _print_jobs(found), as_json=as_json)


def _print_jobs(found: list[JobRow]) -> None:
    if not found:
        typer.echo("no jobs")
        return
    table = Table("job", "kind", "queue", "status", "attempts", "owner", "key", "reason", "since")
    for each in found:
        since = f"{each.since.astimezone():%Y-%m-%d %H:%M}" if each.since else ""
        texts = (each.kind, each.queue, each.status, str(each.attempts), each.ids.owner,
                 each.ids.key, each.reason, since)  # fmt: skip
        table.add_row(str(each.id), *map(escape, texts))
    print_table(table)


def jobs_retry(
    job: Annotated[int, typer.Argument(help="The number of a failed job, as in `jobs list`.")],
    as_json: AsJson = False,
) -> None:
    """Let a failed job run again."""
    if job < 1:
        raise InvalidArgument("job: must be a number, such as 12", field="job")
    _with_queue(lambda queue: queue.retry(job))
    print_answer({"job": job}, lambda _: typer.echo(f"job {job} waits again"), as_json=as_json)


def _with_queue(work: Callable[[Queue], Awaitable[T]]) -> T:
    async def run() -> T:
        access = await queue_access(load_settings())
        await bring_up_to_date(access)
        await prepare_queue(access)
        async with open_queue(access) as queue:
            return await work(queue)

    return asyncio.run(run())
