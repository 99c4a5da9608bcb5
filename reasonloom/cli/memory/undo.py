"""`reasonloom memory restore` and `rollback`: restore memories, undo a writer's memories."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import User
from reasonloom.cli.engine import read_rows, with_engine
from reasonloom.contracts.base import parse_moment
from reasonloom.errors import InvalidArgument, MemoryNotFound, MissingArgument
from reasonloom.nodes.memory.forget import RollbackResult, memory_number, roll_back
from reasonloom.nodes.memory.maintenance.health import excerpt_of
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import memories as memory_rows
from reasonloom.stores.memory.statistics import Trace, WriterFilter
from reasonloom.text.plurals import counted

ISO_TIME = "a date and time of ISO 8601, such as 2026-01-31T10:30:00Z"


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
        at = _parse_time(hidden_at, "hidden-at", "the time that rollback told")
        count = read_rows(memory_rows.restore_hidden_at, at, user=user)
        typer.echo(f"restored {counted(count, 'memory')}")
        raise typer.Exit(0 if count else 1)
    numbers = {name: memory_number(name) for name in memories or []}
    read_rows(_restore, numbers, user=user)
    for memory in memories or []:
        typer.echo(f"restored {memory}")


async def _restore(tx: Transaction, numbers: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        if not await memory_rows.restore(tx, number):
            raise MemoryNotFound(name, field="memory")


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
    begin = _parse_time(since, "since", ISO_TIME)
    end = _parse_time(until, "until", ISO_TIME) if until else None
    if end and end < begin:
        raise InvalidArgument("--until: must not be before --since", field="until")
    written = WriterFilter(writer, begin, end, tool, session, run, hidden=hard)
    if hard and not dry_run and not yes:
        typer.confirm("erase for good? (--dry-run shows what)", abort=True)

    done = with_engine(
        lambda engine, caller: roll_back(engine.loom, caller, written, hard=hard, dry_run=dry_run),
        user,
    )
    _print_rollback(done, hard=hard, dry_run=dry_run, user=user)


def _parse_time(text: str, option: str, wanted: str) -> datetime:
    try:
        return parse_moment(text)
    except ValueError:
        field = option.replace("-", "_")
        raise InvalidArgument(f"--{option}: must be {wanted}", field=field) from None


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
