"""`reasonloom db`, `backup` and `restore`: schema, vectors, the embedded server, backup files."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import progress, right_aligned
from reasonloom.contracts.caller import Caller
from reasonloom.errors import SettingMistake
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.from_settings import DEFAULT
from reasonloom.nodes.memory.maintenance import reindex as job
from reasonloom.nodes.memory.maintenance.reindex import ReindexResult
from reasonloom.settings import load_settings
from reasonloom.stores import vector_indexes
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.backup.dump import BackupSize, back_up
from reasonloom.stores.backup.restore import restore as fill
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.memory.reindex import Coverage
from reasonloom.stores.migrate import bring_up_to_date, schema_status
from reasonloom.stores.schema import SchemaStatus
from reasonloom.stores.vector_indexes import Maintained
from reasonloom.text.plurals import counted


def reindex(
    user: Annotated[
        str | None, typer.Option(help="Only this user's memories; else those of all owners.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, and change nothing.")] = False,
) -> None:
    """Give every memory vectors of the embedder in use; the old ones go when an owner is done."""

    async def work(engine: Engine, _: Caller) -> dict[str, ReindexResult] | None:
        loom = engine.loom
        found = await job.reindex_preview(loom, await job.index_locations(loom, user))
        lacking = sum(coverage.lacking for _, coverage in found)
        typer.echo(f"embedder {loom.embedder.model}: {counted(lacking, 'memory')} to embed")
        if dry_run:
            _print_coverage(found)
            return None
        done = 0
        with progress("reindex") as bar:

            def tell(more: int) -> None:
                nonlocal done
                done += more
                bar(done, lacking)

            return await job.reindex_all(loom, [caller for caller, _ in found], tell)

    result = with_engine(work, embedder=load_settings().embedder or DEFAULT)
    if result is None:
        return
    left = sum(each.lacking for each in result.values())
    typer.echo(f"{counted(sum(each.embedded for each in result.values()), 'memory')} embedded")
    if dropped := sum(each.dropped for each in result.values()):
        typer.echo(f"{counted(dropped, 'vector')} of other embedders removed; restart the servers")
    if left:
        typer.echo(f"{counted(left, 'memory')} left; old vectors stay until they are done")
        raise typer.Exit(1)


def _print_coverage(found: list[tuple[Caller, Coverage]]) -> None:
    table = Table("owner", "user", *right_aligned("memories", "to embed"))
    for caller, coverage in found:
        counts = (f"{coverage.memories:,}", f"{coverage.lacking:,}")
        table.add_row(Text(caller.owner), Text(caller.space or caller.owner), *counts)
    Console().print(table)


def upgrade() -> None:
    """Bring the schema up to date; the server does it by itself at its start."""
    before, after = asyncio.run(_upgrade())
    if before.up_to_date:
        typer.echo(f"schema {before.current}: nothing to do")
    else:
        typer.echo(f"schema {before.current or 'empty'} -> {after.current}")


def status() -> None:
    """Tell the schema's step and the newest one; exit 1 where they differ."""
    found = asyncio.run(_status())
    typer.echo(f"schema {found.current or 'empty'}, newest {found.newest}")
    raise typer.Exit(0 if found.up_to_date else 1)


def maintain() -> None:
    """Index the vectors of owners who outgrew exact search; safe to run again at any time."""
    done = asyncio.run(_maintain())
    typer.echo(f"indexes of nearness: {done.made} made, {done.dropped} dropped, {done.kept} kept")


def stop() -> None:
    """Stop the embedded server; it starts again when it is needed."""
    settings = load_settings()
    if settings.database_url:
        raise SettingMistake("DATABASE_URL names a server of your own: it is not ours to stop")
    stopped = EmbeddedServer(settings.database_folder).stop()
    typer.echo("stopped" if stopped else "it was not running")


async def _upgrade() -> tuple[SchemaStatus, SchemaStatus]:
    access = await find_access(load_settings())
    return await bring_up_to_date(access), await schema_status(access)


async def _maintain() -> Maintained:
    access = await find_access(load_settings())
    await bring_up_to_date(access)
    return await vector_indexes.maintain(access)


async def _status() -> SchemaStatus:
    return await schema_status(await find_access(load_settings()))


def backup(
    file: Annotated[Path, typer.Argument(help="A new file; its user alone may read it.")],
) -> None:
    """Write the whole database, of every owner, to a file, as it is at one moment."""
    with progress("backing up") as tell:
        written = _run_until_signal(lambda access: back_up(access, file, tell))
    typer.echo(f"{file}: {_summary(written)}")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `reasonloom backup` made.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Replace all that the database holds, of every owner.")
    ] = False,
) -> None:
    """Fill the database with a backup: all of it, or nothing. Stop its servers before."""
    with progress("restoring") as tell:
        written = _run_until_signal(lambda access: fill(access, file, tell, replace=yes))
    typer.echo(f"restored {_summary(written)}")


def _run_until_signal(work: Callable[[Access], Awaitable[BackupSize]]) -> BackupSize:
    """Run `work` on the database; SIGTERM cancels it, leaving nothing half-written."""

    async def run() -> BackupSize:
        return await work(await find_access(load_settings()))

    async def until_done() -> BackupSize:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(run())

        def end() -> None:
            loop.remove_signal_handler(signal.SIGTERM)  # a second one ends the process immediately
            task.cancel()

        loop.add_signal_handler(signal.SIGTERM, end)
        return await task

    try:
        return asyncio.run(until_done())
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None


def _summary(written: BackupSize) -> str:
    header = written.header
    rows, size = counted(written.rows, "row"), counted(written.size, "byte")
    return f"{rows}, {size}, schema {header.schema}, made {header.made_at} by {header.product}"
