"""`reasonloom db`, `backup` and `restore`: schema, vectors, the embedded server, backup files."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson, DryRun, InDatabase
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import (
    print_answer,
    print_json,
    print_rows,
    print_table,
    progress,
    right_aligned,
)
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, SettingMistake
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.from_settings import DEFAULT
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.memory.maintenance import reindex as job
from reasonloom.nodes.memory.maintenance.reindex import ReindexResult
from reasonloom.server.stdio.shared.place import shared_servers
from reasonloom.settings import load_settings
from reasonloom.stores import vector_indexes
from reasonloom.stores.access import Access
from reasonloom.stores.backup.dump import BackupSize, Progress, back_up
from reasonloom.stores.backup.file_format import newest_backup
from reasonloom.stores.backup.restore import restore as fill
from reasonloom.stores.backup.verify import verify as verify_backup
from reasonloom.stores.embedded.server import EmbeddedServer, running_servers
from reasonloom.stores.memory.reindex import Coverage
from reasonloom.stores.migrate import bring_up_to_date, schema_status
from reasonloom.stores.servers.opening import find_accesses
from reasonloom.text.plurals import counted

T = TypeVar("T")


def reindex(
    user: Annotated[
        str | None, typer.Option(help="Only this user's memories. Default: those of all owners.")
    ] = None,
    workers: Annotated[
        bool, typer.Option("--workers", help="Let the processes of `worker` embed them.")
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Embed all memories with the current embedder and remove older vectors."""

    async def work(engine: Engine, _: Caller) -> dict[str, Any]:
        loom = engine.loom
        found = await job.reindex_preview(loom, await job.index_locations(loom, user))
        lacking = sum(coverage.lacking for _, coverage in found)
        answer = {"embedder": loom.embedder.model, "to_embed": lacking, "owners": _owners(found)}
        if dry_run:
            return answer
        done = 0
        with progress("reindex") as bar:

            def update(more: int) -> None:
                nonlocal done
                done += more
                bar(done, lacking)

            callers = [caller for caller, _ in found]
            spread = await _on_workers(loom, callers, chosen, update) if workers else 0
            results = await job.reindex_all(loom, callers, update)
        sums = _sums(results.values())
        return {**answer, **sums, "embedded": sums["embedded"] + spread}

    chosen = load_settings().embedder or DEFAULT
    result = with_engine(work, embedder=chosen)
    print_answer(result, _print_reindexed, as_json=as_json)
    if result.get("left"):
        raise typer.Exit(1)


async def _on_workers(
    loom: Loom, callers: Sequence[Caller], embedder: str, update: job.Progress
) -> int:
    from reasonloom.workers.embedding import embed_on_workers  # noqa: PLC0415 - an extra

    def warn(message: str) -> None:
        typer.secho(message, err=True, fg="yellow")

    return await embed_on_workers(loom, callers, embedder, update, warn)


def _owners(found: list[tuple[Caller, Coverage]]) -> list[dict[str, Any]]:
    return [
        {"owner": caller.owner, "user": caller.space or caller.owner,
         "memories": coverage.memories, "to_embed": coverage.lacking}
        for caller, coverage in found
    ]  # fmt: skip


def _sums(results: Collection[ReindexResult]) -> dict[str, int]:
    return {
        "embedded": sum(each.embedded for each in results),
        "dropped": sum(each.dropped for each in results),
        "left": sum(each.lacking for each in results),
    }


def _print_reindexed(result: dict[str, Any]) -> None:
    typer.echo(f"embedder {result['embedder']}: {counted(result['to_embed'], 'memory')} to embed")
    if "embedded" not in result:
        table = Table("owner", "user", *right_aligned("memories", "to embed"))
        for each in result["owners"]:
            counts = (f"{each['memories']:,}", f"{each['to_embed']:,}")
            table.add_row(Text(each["owner"]), Text(each["user"]), *counts)
        print_table(table)
        return
    typer.echo(f"{counted(result['embedded'], 'memory')} embedded")
    if result["dropped"]:
        dropped = counted(result["dropped"], "vector")
        typer.echo(f"{dropped} of other embedders removed; restart the servers")
    if result["left"]:
        typer.echo(f"{counted(result['left'], 'memory')} left; their old vectors stay until then")


def upgrade(database: InDatabase = None, as_json: AsJson = False) -> None:
    """Upgrade the schema; servers do this when they start."""

    async def work(access: Access) -> dict[str, Any]:
        before, after = await bring_up_to_date(access), await schema_status(access)
        return {"before": before.current, "after": after.current, "newest": after.newest}

    _print_each(_on_each(work, database), _upgraded, as_json=as_json)


def _upgraded(answer: dict[str, Any]) -> str:
    if answer["before"] == answer["after"]:
        return f"schema {answer['after']}: nothing to do"
    return f"schema {answer['before'] or 'empty'} -> {answer['after']}"


def status(database: InDatabase = None, as_json: AsJson = False) -> None:
    """Print the schema version and the latest one; exit code 1 if they differ."""

    async def work(access: Access) -> dict[str, Any]:
        found = await schema_status(access)
        return {"schema": found.current, "newest": found.newest, "up_to_date": found.up_to_date}

    answers = _on_each(work, database)
    _print_each(
        answers, lambda each: f"schema {each['schema'] or 'empty'}, newest {each['newest']}",
        as_json=as_json,
    )  # fmt: skip
    raise typer.Exit(0 if all(each["up_to_date"] for each in answers.values()) else 1)


def maintain(database: InDatabase = None, as_json: AsJson = False) -> None:
    """Build vector indexes for owners with many memories; safe to repeat."""

    async def work(access: Access) -> dict[str, Any]:
        await bring_up_to_date(access)
        return asdict(await vector_indexes.maintain(access))

    def line(done: dict[str, Any]) -> str:
        return (
            f"vector indexes: {done['made']} built, {done['dropped']} dropped, {done['kept']} kept"
        )

    _print_each(_on_each(work, database), line, as_json=as_json)


def _on_each(
    work: Callable[[Access], Awaitable[dict[str, Any]]], name: str | None
) -> dict[str, dict[str, Any]]:
    """Return the results of `work` on each database, by name; a single one's name is empty."""

    async def run() -> dict[str, dict[str, Any]]:
        accesses = await find_accesses(load_settings(), name)
        return {each: await work(access) for each, access in accesses.items()}

    return asyncio.run(run())


def _print_each(
    answers: dict[str, dict[str, Any]], line: Callable[[dict[str, Any]], str], *, as_json: bool
) -> None:
    """Print the answer of a single database, or of each of several with its name."""
    if "" in answers:
        print_answer(answers[""], lambda each: typer.echo(line(each)), as_json=as_json)
        return
    rows = [{"database": name, **answer} for name, answer in answers.items()]

    def draw() -> None:
        for row in rows:
            typer.echo(f"{row['database']}: {line(row)}")

    print_rows(rows, draw, as_json=as_json)


async def _only_access(name: str | None) -> Access:
    """Return the access to the named database, or to the only one."""
    accesses = await find_accesses(load_settings(), name)
    if len(accesses) > 1:
        raise InvalidArgument(
            f"--database: name one of {', '.join(accesses)}; a file holds one database",
            field="--database",
        )
    return next(iter(accesses.values()))


def stop(
    all_: Annotated[
        bool, typer.Option("--all", help="Stop the embedded databases of all data folders.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be stopped.")] = False,
    as_json: AsJson = False,
) -> None:
    """Stop the embedded database and shared servers; they start again when they are needed."""
    settings = load_settings()
    if settings.database_url and not all_:
        raise SettingMistake(
            "DATABASE_URL is set: `db stop` stops only embedded databases; --all stops every one"
        )
    own = EmbeddedServer(settings.database_folder)
    shared = [
        {"folder": str(each.home), "pid": each.pid, "shared": True,
         "stopped": False if dry_run else each.stop()}
        for each in shared_servers() if all_ or each.home == settings.home
    ]  # fmt: skip
    servers = running_servers() if all_ else [own] if own.status().running else []
    done = shared + [
        {"folder": str(each.folder), "pid": each.status().pid, "shared": False,
         "stopped": False if dry_run else each.stop()}
        for each in servers
    ]  # fmt: skip
    print_rows(done, lambda: _print_stopped(done), as_json=as_json)


def _print_stopped(done: list[dict[str, Any]]) -> None:
    for each in done:
        verb = "stopped" if each["stopped"] else "running"
        kind = "shared server, process" if each["shared"] else "process"
        typer.echo(f"{verb}: {each['folder']} ({kind} {each['pid']})")
    if not done:
        typer.echo("no embedded database is running")


Identity = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The file with the private key of an encrypted backup."),
]


def backup(
    file: Annotated[
        Path, typer.Argument(help="A new file; with --verify a backup, or a folder with backups.")
    ],
    encrypt_to: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Encrypt for this age or SSH public key; repeatable."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Restore a backup (the newest) into a temporary database."),
    ] = False,
    identity: Identity = None,
    database: InDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Back up the whole database, with the data of all owners, to a file."""
    if verify and encrypt_to:
        raise InvalidArgument("--encrypt-to: not with --verify", field="--encrypt-to")
    if verify:
        _verify(newest_backup(file) if file.is_dir() else file, identity, as_json=as_json)
        return
    if identity:
        raise InvalidArgument("--identity: only with --verify", field="--identity")
    with progress("backup") as report:
        written = _run_until_signal(lambda: _back_up(file, report, encrypt_to or (), database))
    text = f"{file}: {_summary(written)}{', encrypted' if encrypt_to else ''}"
    print_answer(_facts(written), lambda _: typer.echo(text), as_json=as_json)


async def _back_up(
    file: Path, report: Progress, recipients: Sequence[str], database: str | None
) -> BackupSize:
    return await back_up(await _only_access(database), file, report, recipients)


def _verify(file: Path, identity: Path | None, *, as_json: bool) -> None:
    home = load_settings().home
    with progress("verify") as report:
        found = _run_until_signal(lambda: verify_backup(home, file, report, identity))
    if as_json:
        print_json({**_facts(found.size), "tables": dict(found.rows)})
        return
    typer.echo(f"{file} can be restored: {_summary(found.size)}")
    for name in ("memories", "runs", "sessions"):
        typer.echo(f"  {name:<18} {found.rows.get(name, 0):>10,}")


def restore(
    file: Annotated[Path, typer.Argument(help="A file written by `reasonloom backup`.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Replace everything in the database, of all owners.")
    ] = False,
    identity: Identity = None,
    database: InDatabase = None,
    as_json: AsJson = False,
) -> None:
    """Restore the database from a backup; stop its servers first."""

    async def work() -> BackupSize:
        access = await _only_access(database)
        return await fill(access, file, report, replace=yes, identity=identity)

    with progress("restore") as report:
        written = _run_until_signal(work)
    print_answer(
        _facts(written), lambda _: typer.echo(f"restored {_summary(written)}"), as_json=as_json
    )


def _facts(written: BackupSize) -> dict[str, Any]:
    return {"rows": written.rows, "bytes": written.size, **asdict(written.header)}


def _run_until_signal(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run `work`; SIGTERM cancels it, leaving nothing half-written."""

    async def until_done() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work())

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
