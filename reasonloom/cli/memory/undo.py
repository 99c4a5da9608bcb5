"""`reasonloom memory restore` and `rollback`: restore memories, undo a writer's memories."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import User
from reasonloom.cli.engine import with_engine
from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, MemoryNotFound, MissingArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.forget import RollbackResult, memory_number, roll_back
from reasonloom.nodes.memory.maintenance.health import excerpt_of
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.statistics import Trace, WriterFilter
from reasonloom.text.plurals import counted


def restore(
    memories: Annotated[
        list[str] | None, typer.Argument(help="The memories' ids, such as mem-42.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Whose it is, if not the owner's.")] = None,
    hidden_at: Annotated[
        str | None, typer.Option(help="All that was hidden together then, as rollback tells.")
    ] = None,
) -> None:
    """Bring back memories that were forgotten softly: all of those named, or none."""
    if bool(memories) == bool(hidden_at):
        raise MissingArgument("name memories, or --hidden-at TIME", field="memories")
    if hidden_at:
        count = _restore_together(_parse_hidden_at(hidden_at), user)
        typer.echo(f"restored {counted(count, 'memory')}")
        raise typer.Exit(0 if count else 1)
    _restore(memories or [], user)
    for memory in memories or []:
        typer.echo(f"restored {memory}")


def _restore(names: list[str], user: str | None) -> None:
    numbers = {name: memory_number(name) for name in names}

    async def work(engine: Engine, caller: Caller) -> None:
        async with engine.loom.database.begin(caller) as tx:
            for name, number in numbers.items():
                if not await memories.restore(tx, number):
                    raise MemoryNotFound(name, field="memory")

    with_engine(work, user)


def _restore_together(at: datetime, user: str | None) -> int:
    async def work(engine: Engine, caller: Caller) -> int:
        async with engine.loom.database.begin(caller) as tx:
            return await memories.restore_hidden_at(tx, at)

    return with_engine(work, user)


def _parse_hidden_at(text: str) -> datetime:
    try:
        return parse_moment(text)
    except ValueError:
        raise InvalidArgument(
            "--hidden-at: must be the time that rollback told", field="hidden_at"
        ) from None


def rollback(
    writer: Annotated[
        str, typer.Option(help="Who stored it: a principal, a program's name, or a tool's.")
    ],
    since: Annotated[str, typer.Option(help="From then on, such as 2026-01-31T10:30:00Z.")],
    until: Annotated[str | None, typer.Option(help="Up to then.")] = None,
    tool: Annotated[str | None, typer.Option(help="Only what this tool stored.")] = None,
    session: Annotated[str | None, typer.Option(help="Only of this session.")] = None,
    run: Annotated[str | None, typer.Option(help="Only of this run.")] = None,
    user: User = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="For good, also out of runs; else hidden.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --hard.")] = False,
) -> None:
    """Hide what one writer stored since a time, or erase it with --hard."""
    begin, end = _parse_time(since, "since"), _parse_time(until, "until") if until else None
    if end and end < begin:
        raise InvalidArgument("--until: must not be before --since", field="until")
    written = WriterFilter(writer, begin, end, tool, session, run, hidden=hard)
    if hard and not dry_run and not yes:
        typer.confirm("erase for good? (--dry-run shows what)", abort=True)

    async def work(engine: Engine, caller: Caller) -> RollbackResult:
        return await roll_back(engine.loom, caller, written, hard=hard, dry_run=dry_run)

    _print_rollback(with_engine(work, user), hard=hard, dry_run=dry_run, user=user)


def _parse_time(text: str, option: str) -> datetime:
    try:
        return parse_moment(text)
    except ValueError:
        raise InvalidArgument(
            f"--{option}: must be a date and time of ISO 8601, such as 2026-01-31T10:30:00Z",
            field=option,
        ) from None


def _print_rollback(done: RollbackResult, *, hard: bool, dry_run: bool, user: str | None) -> None:
    if dry_run and done.memories:
        _print_traces("would go", done.memories)
    count = len(done.memories)
    act = "erased" if hard else "hidden"
    would = "would be" if dry_run else ("was" if count == 1 else "were")
    typer.echo(f"{counted(count, 'memory')} {would} {act}")
    if done.derived:
        _print_traces("derived from these, and left as they are", done.derived)
        typer.echo(f"warning: {counted(len(done.derived), 'memory')} came of these; look at them")
    if count and not hard and not dry_run:
        whose = f" --user {user}" if user else ""
        typer.echo(
            f"bring back with: reasonloom memory restore --hidden-at {done.at.isoformat()}{whose}"
        )


def _print_traces(title: str, traces: Sequence[Trace]) -> None:
    names = ("memory", "stored", "tool", "writer", "first words")
    table = Table(*(Column(name, no_wrap=True) for name in names), title=title)
    for trace in traces:
        stored = trace.stored_at.strftime("%Y-%m-%d %H:%M:%S")
        words = Text(excerpt_of(trace.excerpt, 60))
        table.add_row(f"mem-{trace.id}", stored, Text(trace.tool), Text(trace.writer), words)
    Console().print(table)
