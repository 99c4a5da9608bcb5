"""`reasonloom memory restore` and `rollback`: restore memories, undo a writer's memories."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson, DryRun, User
from reasonloom.cli.engine import read_rows, with_engine
from reasonloom.cli.output import print_answer, print_json, print_rows, print_table
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
    user: Annotated[str | None, typer.Option(help="Whose memories. Default: the owner's.")] = None,
    hidden_at: Annotated[
        str | None, typer.Option(help="Everything that one rollback hid, by the time it printed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Restore forgotten memories: all that you name, or none."""
    if bool(memories) == bool(hidden_at):
        raise MissingArgument(
            "give memory ids such as mem-42, or --hidden-at TIME", field="memories"
        )
    if hidden_at:
        at = _parse_time(hidden_at, "hidden-at", "the time that `memory rollback` printed")
        count = read_rows(memory_rows.restore_hidden_at, at, user=user)
        print_answer(
            {"restored": count},
            lambda _: typer.echo(f"restored {counted(count, 'memory')}"),
            as_json=as_json,
        )
        raise typer.Exit(0 if count else 1)
    numbers = {name: memory_number(name) for name in memories or []}
    read_rows(_restore, numbers, user=user)
    rows = [{"restored": memory} for memory in numbers]
    text = "\n".join(f"restored {memory}" for memory in numbers)
    print_rows(rows, lambda: typer.echo(text), as_json=as_json)


async def _restore(tx: Transaction, numbers: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        if not await memory_rows.restore(tx, number):
            raise MemoryNotFound(name, field="memory")


def rollback(
    writer: Annotated[str, typer.Option(help="Who stored them: an owner, a client or a tool.")],
    since: Annotated[str, typer.Option(help="Start time, such as 2026-01-31T10:30:00Z.")],
    until: Annotated[str | None, typer.Option(help="End time.")] = None,
    tool: Annotated[str | None, typer.Option(help="Only what this tool stored.")] = None,
    session: Annotated[str | None, typer.Option(help="Only from this session.")] = None,
    run: Annotated[str | None, typer.Option(help="Only from this run.")] = None,
    user: User = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase permanently, also from recorded runs.")
    ] = False,
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --hard.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hide everything that a writer stored since a time, or erase it with --hard."""
    begin = _parse_time(since, "since", ISO_TIME)
    end = _parse_time(until, "until", ISO_TIME) if until else None
    if end and end < begin:
        raise InvalidArgument("--until: must not be before --since", field="until")
    written = WriterFilter(writer, begin, end, tool, session, run, hidden=hard)
    if hard and not dry_run and not yes:
        typer.confirm("Erase permanently? (--dry-run shows what)", abort=True)

    done = with_engine(
        lambda engine, caller: roll_back(engine.loom, caller, written, hard=hard, dry_run=dry_run),
        user,
    )
    if as_json:
        print_json({**asdict(done), "hard": hard, "dry_run": dry_run})
    else:
        _print_rollback(done, hard=hard, dry_run=dry_run, user=user)


def _parse_time(text: str, option: str, wanted: str) -> datetime:
    try:
        return parse_moment(text)
    except ValueError:
        field = option.replace("-", "_")
        raise InvalidArgument(f"--{option}: must be {wanted}", field=field) from None


def _print_rollback(done: RollbackResult, *, hard: bool, dry_run: bool, user: str | None) -> None:
    if dry_run and done.memories:
        _print_traces("would be removed", done.memories)
    count = len(done.memories)
    act = "erased" if hard else "hidden"
    would = "would be" if dry_run else ("was" if count == 1 else "were")
    typer.echo(f"{counted(count, 'memory')} {would} {act}")
    if done.derived:
        _print_traces("derived from these, and unchanged", done.derived)
        typer.echo(f"warning: {counted(len(done.derived), 'memory')} derive from these; check them")
    if count and not hard and not dry_run:
        whose = f" --user {user}" if user else ""
        typer.echo(f"undo with: reasonloom memory restore --hidden-at {done.at.isoformat()}{whose}")


def _print_traces(title: str, traces: Sequence[Trace]) -> None:
    fixed = (Column(name, no_wrap=True) for name in ("memory", "stored"))
    table = Table(*fixed, "content", "tool", "writer", title=title)
    for trace in traces:
        stored = trace.stored_at.strftime("%Y-%m-%d %H:%M:%S")
        words = Text(excerpt_of(trace.excerpt, 60))
        table.add_row(f"mem-{trace.id}", stored, words, Text(trace.tool), Text(trace.writer))
    print_table(table)
